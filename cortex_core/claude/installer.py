"""`cortex install`: hooks in the client's settings, planned first, then written, then taken out.

A plan reads and changes nothing, so that it can be shown; carrying it out writes one file.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cortex_core.capture import sessions
from cortex_core.claude import hook_entries, installation, settings_file, settings_io
from cortex_core.claude.hook_entries import MODULE
from cortex_core.claude.installation import INSTALL_SCOPES, Installation, InstallScope
from cortex_core.claude.settings_file import NotSettings, Traces
from cortex_core.claude.settings_io import Original
from cortex_core.errors import CortexError, UsageError
from cortex_core.project import Project

SECONDS = 60
"""Most that a started interpreter may take."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What would become of one settings file."""

    original: Original
    text: str
    """The file's text afterwards."""
    scope: InstallScope
    known: Installation | None
    """What an earlier installation has left."""
    traces: Traces | None = None
    """What putting the hooks in would do; None where they go out, or are in already."""

    @property
    def path(self) -> Path:
        """The settings file."""
        return self.original.path

    @property
    def changes(self) -> bool:
        """Whether the file would be another one."""
        return self.text != self.original.text

    @property
    def is_exact(self) -> bool:
        """Whether the file is, to the byte, what the earlier installation left."""
        known = self.known
        return known is not None and settings_file.digest(self.original.text) == known.traces.hash

    @property
    def leaves_nothing(self) -> bool:
        """Whether the file was made for the hooks, and says nothing without them."""
        made = self.known.made if self.known else ()
        return str(self.path) in made and self.text.strip() in ("", "{}")

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        from difflib import unified_diff

        old, new = (text.splitlines(keepends=True) for text in (self.original.text, self.text))
        name = str(self.path)
        lines = unified_diff(old, new, name if old else os.devnull, name if new else os.devnull)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def settings_path(scope: InstallScope, project: Project) -> Path:
    """The settings file of `scope`.

    Raises:
        UsageError: there is no project here that could have one.
    """
    if scope == "user":
        return sessions.root().parent.absolute() / "settings.json"
    if project.root is None:
        raise UsageError(
            f"{project.cwd} is not a project. Nothing was changed. Go to a project, choose one "
            "with --project, or install for all with --scope user."
        )
    name = "settings.json" if scope == "project" else "settings.local.json"
    return Path(project.root, ".claude", name)


def plan(scope: InstallScope, project: Project, python: Sequence[str]) -> Plan:
    """What installing would do; hooks of another interpreter or an older form are replaced.

    Raises:
        CortexError: the settings file cannot be edited.
    """
    original = settings_io.read(settings_path(scope, project))
    known = installation.load(project.home, str(original.path))
    try:
        if hook_entries.are_complete(settings_file.value_of(original.text), python):
            return Plan(original, original.text, scope, known)
        bare = settings_file.remove(original.text, known.traces if known else None)
        text, traces = settings_file.add(bare, hook_entries.groups(python))
    except NotSettings as error:
        raise settings_io.refused(original.path, str(error)) from error
    return Plan(original, text, scope, known, traces)


def install(plan: Plan, home: str) -> Installation | None:
    """Carry out a plan of installing; what was done, None where there was nothing to do.

    Args:
        home: the global side, where the backup and the record of what was done go.

    Raises:
        CortexError: the file cannot be written; nothing was changed.
    """
    if plan.traces is None or not plan.changes:
        return plan.known
    known = plan.known
    made = known.made if known else _made(plan.path, home)
    backup = settings_io.back_up(plan.original, home)
    settings_io.replace(plan.original, plan.text)
    done = Installation(
        settings=str(plan.path), scope=plan.scope, traces=plan.traces, made=made,
        backups=(*(known.backups if known else ()), *([backup] if backup else ())),
        skills=known.skills if known else {},
    )  # fmt: skip
    installation.save(home, done)
    return done


def plans_out(project: Project) -> tuple[list[Plan], list[str]]:
    """What uninstalling would do, file by file, and why it can do nothing for some files."""
    plans, problems = [], []
    for path, scope in _places(project).items():
        try:
            plan = _plan_out(path, scope, project.home)
        except CortexError as error:
            problems.append(str(error))
            continue
        if plan.changes or plan.known:
            plans.append(plan)
    return plans, problems


def uninstall(plan: Plan, home: str) -> tuple[str, ...]:
    """Carry out a plan of uninstalling; the backups that are kept, since the file had been edited.

    Raises:
        CortexError: the file cannot be written; nothing was changed.
    """
    backups = plan.known.backups if plan.known else ()
    if plan.is_exact:
        settings_io.replace(plan.original, None if plan.leaves_nothing else plan.text)
        for copy in backups:
            settings_io.drop_backup(copy)
        backups = ()
    elif plan.changes:
        backups = (*backups, settings_io.back_up(plan.original, home))
        settings_io.replace(plan.original, None if plan.leaves_nothing else plan.text)
    _remove_made(plan)
    installation.forget(home, str(plan.path))
    return backups


def check(python: Sequence[str]) -> None:
    """Make sure that `python` can run Cortex's hooks, from any folder.

    Raises:
        CortexError: it cannot.
    """
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({MODULE!r}) is None)"
    try:
        done = subprocess.run(
            [*python, "-c", code], cwd=os.sep, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CortexError(f"{python[0]} cannot be run: {error}. Nothing was changed.") from error
    if done.returncode:
        raise CortexError(
            f"Cortex is not installed for {python[0]}, so hooks could not run. Nothing was "
            "changed. Install it with pipx install cortex-memory, or in this environment with "
            "pip install -e ."
        )


def prove(path: Path) -> str:
    """Send a made-up session through the hooks that the settings at `path` name.

    It happens in a folder of its own, apart from the person's sessions and memories.

    Returns:
        Why the next session of it was given nothing; empty when all went well.
    """
    from cortex_core import demo

    named = hook_entries.commands(settings_file.value_of(settings_io.read(path).text))
    command = next(iter(named.get("SessionStart", ())), [])
    if MODULE not in command:
        return f"{path} has no hook for session start"
    try:
        with demo.scratch(command[: command.index(MODULE) - 1]) as trial:
            trial.play()
            with trial.open() as cortex:
                learned = len(cortex.list())
            if trial.given:
                return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"the first session led to {learned} memories, but the next session got none"


def caution(plan: Plan) -> str:
    """What a person should know of the settings that hooks were put into; "" for nothing."""
    told = settings_file.value_of(plan.text)
    if isinstance(told, dict) and told.get("disableAllHooks") is True:
        return (
            f"{plan.path} sets disableAllHooks, so Claude Code runs no hooks. Nothing will be "
            "captured or injected until you remove that line."
        )
    if plan.scope == "project":
        return (
            f"{plan.path} is usually shared with others, but its hooks now name this machine's "
            "Python. To install for yourself only: cortex uninstall, then cortex install --scope "
            "local."
        )
    return ""


def _plan_out(path: Path, scope: InstallScope, home: str) -> Plan:
    original = settings_io.read(path)
    known = installation.load(home, str(path))
    try:
        text = settings_file.remove(original.text, known.traces if known else None)
    except NotSettings as error:
        raise settings_io.refused(path, str(error)) from error
    return Plan(original, text, scope, known)


def _places(project: Project) -> dict[Path, InstallScope]:
    """Every settings file that may have hooks of Cortex: the user's, this project's, known ones."""
    scopes = INSTALL_SCOPES if project.root is not None else INSTALL_SCOPES[:1]
    here = {settings_path(scope, project): scope for scope in scopes}
    return here | {Path(done.settings): done.scope for done in installation.known(project.home)}


def _made(path: Path, home: str) -> tuple[str, ...]:
    """The settings file and its folder, those of them that are there for Cortex alone."""
    folder = str(path.parent)
    ours = not path.parent.exists() or any(folder in each.made for each in installation.known(home))
    return (*(() if path.exists() else (str(path),)), *((folder,) if ours else ()))


def _remove_made(plan: Plan) -> None:
    """Remove the folder that was made for the settings file, if nothing else is in it."""
    folder = plan.path.parent
    if plan.known and str(folder) in plan.known.made and not plan.path.exists():
        with suppress(OSError):
            folder.rmdir()

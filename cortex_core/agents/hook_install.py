"""`cortex install` and `cortex uninstall`: hooks in an agent's settings file.

A change is planned first, then written. What was done is recorded on the global side until it is
undone.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from cortex_core import CHILD
from cortex_core.agents import hook_command, settings_file
from cortex_core.agents.protocol import InstallScope, PlannedConnection
from cortex_core.agents.settings_file import HOOKS, Original
from cortex_core.base import agent_names, hook_io
from cortex_core.base.errors import CortexError
from cortex_core.records.upkeep import ConnectionPreview

INSTALL_SCOPES: tuple[InstallScope, ...] = get_args(InstallScope)
FOLDER = "installed"

SECONDS = 60
"""Time limit for an agent's command."""

State = Literal["registered", "removed", "unchanged", "foreign", "by hand"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """What Cortex did to one settings file when it added its hooks."""

    settings: str
    """The file's path, absolute."""
    scope: InstallScope
    hash: str
    """SHA-256 of the text with the hooks in it."""
    before: str
    """The text without them."""
    made: tuple[str, ...] = ()
    """The file and its folder, as far as they did not exist before."""
    backups: tuple[str, ...] = ()
    """Copies of the file from before each change, oldest first."""
    agent: str = "claude"
    """Whose settings file it is."""


def diff_of(changes: Iterable[tuple[Path, str, str]]) -> str:
    """A unified diff of files, each with its text before and afterwards; empty for no file."""
    from difflib import unified_diff

    lines: list[str] = []
    for path, old, new in changes:
        texts = old.splitlines(keepends=True), new.splitlines(keepends=True)
        before, after = (str(path) if text else os.devnull for text in (old, new))
        lines += unified_diff(*texts, before, after)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """What installing or uninstalling would do to one settings file."""

    original: Original
    text: str
    """The file's text afterwards."""
    scope: InstallScope
    known: Installation | None
    """The record of an earlier installation."""
    before: str | None = None
    """The text without the hooks; None if they are removed, or are there already."""
    agent: str = "claude"

    @property
    def path(self) -> Path:
        """The settings file."""
        return self.original.path

    @property
    def changes(self) -> bool:
        """Whether the file would change."""
        return self.text != self.original.text

    @property
    def is_exact(self) -> bool:
        """Whether the file is byte for byte what the earlier installation wrote."""
        known = self.known
        return known is not None and settings_file.digest(self.original.text) == known.hash

    @property
    def leaves_nothing(self) -> bool:
        """Whether the file was created for the hooks, and is empty without them."""
        made = self.known.made if self.known else ()
        return str(self.path) in made and self.text.strip() in ("", "{}")

    @property
    def settings(self) -> str:
        """The settings file."""
        return str(self.path)

    @property
    def root(self) -> str:
        """The project whose file it is; empty for the user's."""
        folder = self.path.parent.parent
        return str(folder) if self.scope != "user" and folder.is_dir() else ""

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        return diff_of([(self.path, self.original.text, self.text)])

    def take_out(self, home: str) -> Sequence[str]:
        """Carry out a plan to uninstall.

        Returns:
            The copies of the file that stay because it was edited.

        Raises:
            CortexError: the file cannot be written; nothing was changed.
        """
        backups = self.known.backups if self.known else ()
        # A file that is as it was installed needs no copy: it is again what it was before.
        if not self.is_exact and self.changes:
            backups = (*backups, settings_file.back_up(self.original, home))
        if self.is_exact or self.changes:
            settings_file.replace(self.original, None if self.leaves_nothing else self.text)
        if self.is_exact:
            for copy in backups:
                settings_file.drop_backup(copy)
            backups = ()
        _remove_created(self)
        forget_installation(home, self.settings)
        return backups


class HookConnection(NamedTuple):
    """A connection that can be made: hooks in one settings file, and the MCP server."""

    plan: InstallPlan
    home: str
    """The global side."""
    server: McpServer
    caution: str = ""
    """What the user has to know of the hooks."""

    @property
    def preview(self) -> ConnectionPreview:
        """What connecting would change."""
        return ConnectionPreview(
            settings=self.plan.settings,
            diff=self.plan.diff,
            server=shlex.join(self.server.add),
            caution=self.caution,
        )

    def add_hooks(self) -> str:
        """Add the hooks to the settings file, after a copy of it; the path of the copy.

        Raises:
            CortexError: the file cannot be written; nothing was changed.
        """
        done = install(self.plan, self.home)
        copies = done.backups if done is not None and self.plan.changes else ()
        return copies[-1] if copies else ""

    def register(self) -> str:
        """Register the MCP server."""
        return self.server.register()


def connect(connection: PlannedConnection) -> str:
    """Add the hooks, and register the MCP server.

    Returns:
        What was done, and how it is undone.

    Raises:
        CortexError: nothing was changed; the message says why.
    """
    plan = connection.preview
    backup = connection.add_hooks()
    by_hand = connection.register() == "by hand"
    if not plan.diff:
        return f"The hooks are already in {plan.settings}."
    copy = f" A copy of the file is {backup}." if backup else ""
    server = f" To register the MCP server, run: {plan.server}." if by_hand else ""
    caution = f" {plan.caution}" if plan.caution else ""
    return f"Added the hooks to {plan.settings}.{copy} To undo: cortex uninstall.{server}{caution}"


def enabled_plugin(switches: Mapping[str, object]) -> str:
    """The name of the plugin that is Cortex, such as `cortex@cortex`; empty where none is on.

    Args:
        switches: whether each plugin is on, by its name.
    """
    on = (name for name, value in switches.items() if value is True)
    return next((name for name in on if name.partition("@")[0] == "cortex"), "")


def remains(plugin: str, command: str) -> str:
    """What still runs the hooks after they were taken out, and what ends it; empty for no plugin.

    Args:
        command: the agent's command that removes a plugin.
    """
    return f"The plugin is still enabled; to remove it: {command} {plugin}" if plugin else ""


class McpServer:
    """Our MCP server in an agent's settings, which the agent's own commands write."""

    def __init__(
        self, listed: object, add: Sequence[str], remove: Sequence[str], folder: str
    ) -> None:
        """What is known of the server.

        Args:
            listed: what the settings have of the server of our name, whosever it is.
            add: the agent's command that registers it, before ours; `remove`, the one that takes
                it out.
            folder: where these run.
        """
        self._known: list[str] | None = None
        if isinstance(listed, Mapping):
            words = (listed.get("command"), *(listed.get("args") or ()))
            self._known = [str(word) for word in words]
        self._wanted = [*hook_command.interpreter(), "-m", agent_names.SERVER_MODULE]
        self.add = (*add, *self._wanted)
        self.remove = remove
        self._folder = folder

    @property
    def _is_ours(self) -> bool:
        """Whether there is one, and it starts Cortex."""
        return agent_names.starts_us(*(self._known or ()))

    def register(self) -> State:
        """Register it.

        Returns:
            `registered`, or `unchanged` if it was; `foreign` if another server has the name;
            `by hand` if the agent's command is missing or fails.
        """
        if self._known is not None and not self._is_ours:
            return "foreign"
        if self._known == self._wanted:
            return "unchanged"
        # The agents' commands refuse a name that is taken, so an older one of ours goes first.
        if self._known is not None and not run(self.remove, self._folder):
            return "by hand"
        return "registered" if run(self.add, self._folder) else "by hand"

    def unregister(self) -> tuple[State, str]:
        """Remove it if it is ours; what came of it, `unchanged` if none is, and the command."""
        state: State = "unchanged"
        if self._is_ours:
            state = "removed" if run(self.remove, self._folder) else "by hand"
        return state, shlex.join(self.remove)


def run(command: Sequence[str], folder: str) -> bool:
    """Run an agent's command; False if it is missing or fails."""
    program = shutil.which(command[0])
    if program is None:
        return False
    try:
        done = subprocess.run(
            [program, *command[1:]],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, CHILD: "1"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def plan(
    agent: str,
    path: Path,
    scope: InstallScope,
    groups: Mapping[str, Mapping[str, Any]],
    home: str,
) -> InstallPlan:
    """What installing would do; hooks of another interpreter or an older form are replaced.

    Args:
        path: the settings file.
        groups: the matcher group of each event.
        home: the global side.

    Raises:
        CortexError: the settings file cannot be edited.
    """
    original = settings_file.read(path)
    known = load_installation(home, str(path))
    wanted = hook_command.commands({HOOKS: {name: [one] for name, one in groups.items()}})
    try:
        # Only the commands count: a timeout that the user raised by hand stays.
        if hook_command.commands(settings_file.value_of(original.text)) == wanted:
            return InstallPlan(original, original.text, scope, known, agent=agent)
        before = _bare(original, known)
        text = settings_file.add(before, groups)
    except ValueError as error:
        raise settings_file.refused(path, str(error)) from error
    return InstallPlan(original, text, scope, known, before, agent)


def _bare(original: Original, known: Installation | None) -> str:
    """The text without Cortex's hooks: to the byte if it is as the earlier installation left it."""
    if known and settings_file.digest(original.text) == known.hash:
        return known.before
    return settings_file.remove(original.text)


def install(plan: InstallPlan, home: str) -> Installation | None:
    """Carry out a plan to install.

    Args:
        home: the global side, where the backup and the record are written.

    Returns:
        The record; None if there was nothing to do.

    Raises:
        CortexError: the file cannot be written; nothing was changed.
    """
    if plan.before is None or not plan.changes:
        return plan.known
    known = plan.known
    made = known.made if known else _created(plan.path, home)
    backup = settings_file.back_up(plan.original, home)
    done = Installation(
        settings=str(plan.path),
        scope=plan.scope,
        hash=settings_file.digest(plan.text),
        before=plan.before,
        made=made,
        backups=(*(known.backups if known else ()), *([backup] if backup else ())),
        agent=plan.agent,
    )
    # The record comes first: hooks without it could not be removed to the byte.
    save_installation(home, done)
    try:
        settings_file.replace(plan.original, plan.text)
    except CortexError:
        if known:
            save_installation(home, known)
        else:
            forget_installation(home, done.settings)
        raise
    return done


def removals(
    agent: str, files: Mapping[Path, InstallScope], home: str
) -> tuple[list[InstallPlan], list[str]]:
    """What uninstalling would do, file by file, and errors for files that cannot be edited.

    Args:
        files: the settings files that may have Cortex's hooks; those recorded are looked at too.
    """
    plans, problems = [], []
    recorded = [done for done in installations(home) if done.agent == agent]
    for path, scope in (dict(files) | {Path(one.settings): one.scope for one in recorded}).items():
        try:
            plan = _uninstall_plan(path, scope, home)
        except CortexError as error:
            problems.append(str(error))
            continue
        if plan.changes or plan.known:
            plans.append(plan)
    return plans, problems


def _uninstall_plan(path: Path, scope: InstallScope, home: str) -> InstallPlan:
    original = settings_file.read(path)
    known = load_installation(home, str(path))
    try:
        text = _bare(original, known)
    except ValueError as error:
        raise settings_file.refused(path, str(error)) from error
    return InstallPlan(original, text, scope, known)


def _created(path: Path, home: str) -> tuple[str, ...]:
    """The settings file and its folder, as far as they exist only because of Cortex."""
    folder = str(path.parent)
    ours = not path.parent.exists() or any(folder in each.made for each in installations(home))
    return (*(() if path.exists() else (str(path),)), *((folder,) if ours else ()))


def _remove_created(plan: InstallPlan) -> None:
    """Remove the folder that was created for the settings file, if nothing else is in it."""
    folder = plan.path.parent
    if plan.known and str(folder) in plan.known.made and not plan.path.exists():
        with suppress(OSError):
            folder.rmdir()


# --- the record of what was done


def save_installation(home: str, done: Installation) -> None:
    """Write the record `done`, in place of an earlier one for the same file.

    Raises:
        CortexError: it cannot be written; nothing was changed.
    """
    path = _path(home, done.settings)
    try:
        hook_io.private_folder(str(path.parent))
        hook_io.replace(str(path), json.dumps(asdict(done), indent=2) + "\n")
    except OSError as error:
        raise CortexError(
            f"{path} cannot be written: {error.strerror}. Nothing was changed. Make it writable."
        ) from error


def load_installation(home: str, settings: str) -> Installation | None:
    """The record for the file `settings`; None without one."""
    return _loaded(_path(home, settings))


def forget_installation(home: str, settings: str) -> None:
    """Remove the record for the file `settings`.

    Raises:
        CortexError: it cannot be removed.
    """
    path = _path(home, settings)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise CortexError(
            f"{path} cannot be removed: {error.strerror}. The hooks are removed, the record "
            "of them is not. Make its folder writable and run this again."
        ) from error
    with suppress(OSError):
        path.parent.rmdir()  # succeeds once the last record is gone


def installations(home: str) -> Iterator[Installation]:
    """Every installation of this user; what cannot be read is none."""
    yield from filter(None, map(_loaded, sorted(Path(home, FOLDER).glob("*.json"))))


def _loaded(path: Path) -> Installation | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        # An older form lacks the text from before: the hooks are then taken out one by one.
        missing = {"hash": "", "before": "", "agent": "claude"}
        fields: dict[str, Any] = missing | json.loads(path.read_text(encoding="utf-8"))
        fields |= {name: tuple(fields[name]) for name in ("made", "backups")}
        return Installation(**{name: fields[name] for name in Installation.__dataclass_fields__})
    return None


def _path(home: str, settings: str) -> Path:
    name = sha256(settings.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return Path(home, FOLDER, f"{name}.json")

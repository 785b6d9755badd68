"""Checks of the connection with Claude Code: settings files, hooks, MCP server.

The hooks are run as well: their answers and speed, the recursion guard, and capture end to end. Our
own configuration and other programs named cortex belong here too.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.agents.claude import (
    connecting,
    hook_entries,
    install,
    registration,
    sessions,
    settings_file,
)
from cortex_core.agents.claude.hook_entries import EVENTS, MODULE
from cortex_core.base.project import Project
from cortex_core.base.text import counted
from cortex_core.doctor.case import Case, Check, Finding, failed, ok, skipped, together, warning
from cortex_core.records.captures import ProjectStatus
from cortex_core.records.upkeep import Connected, ConnectionPreview

MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
"""The settings of an organisation; they override all others."""

RETENTION = 30
"""Days that Claude Code keeps transcripts by default."""


class SettingsFile(NamedTuple):
    """A parsed settings file of Claude Code and its parse error, if any."""

    path: Path
    value: Mapping[str, Any]
    problem: str = ""
    """Why it cannot be read; otherwise empty."""


def files(project: Project) -> list[SettingsFile]:
    """The existing settings files of Claude Code, lowest precedence first."""
    user = sessions.root().parent
    paths = [user / "settings.json"]
    if project.root is not None:
        folder = Path(project.root, ".claude")
        paths += [folder / "settings.json", folder / "settings.local.json"]
    return [read_json(path) for path in dict.fromkeys((*paths, *MANAGED)) if path.is_file()]


def read_json(path: Path) -> SettingsFile:
    """Read a JSON file of Claude Code; a parse error is in `problem`."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        return SettingsFile(path, {}, str(error))
    if not isinstance(value, dict):
        return SettingsFile(path, {}, "it contains no JSON object")
    return SettingsFile(path, value)


def retention_days(case: Case) -> float:
    """How long Claude Code keeps transcripts, in days."""
    days: float = RETENTION
    for one in files(case.project):
        value = one.value.get("cleanupPeriodDays")
        if isinstance(value, int | float) and not isinstance(value, bool):
            days = value
    return days


def settings_files(case: Case) -> Finding:
    """Whether Claude Code can read its settings."""
    existing = files(case.project)
    return together(
        (
            failed(
                f"Claude Code cannot read {one.path} and ignores it: {one.problem}.",
                "Correct the file. It must be plain JSON, without comments and trailing commas.",
            )
            for one in existing
            if one.problem
        ),
        "The settings of Claude Code are readable.",
    )


def disabled(case: Case) -> Finding:
    """Whether Claude Code runs hooks at all."""
    return together(_disabled(case), "Claude Code runs hooks.")


def _disabled(case: Case) -> Iterator[Finding]:
    for one in files(case.project):
        if one.value.get("disableAllHooks") is True:
            yield failed(
                f"{one.path} sets disableAllHooks, so nothing is captured or injected.",
                "Remove that line.",
            )
        if one.path in MANAGED and one.value.get("allowManagedHooksOnly") is True:
            yield failed(
                f"{one.path} allows only managed hooks, so the hooks of Cortex do not run.",
                "Ask the administrator of this machine. Without hooks: cortex import transcripts",
            )


def configuration(case: Case) -> Finding:
    """Whether the settings of Cortex are valid."""
    if case.config_problem:
        return failed(
            f"{case.config_problem} Until this is fixed, the defaults apply.",
            "To find the file: cortex config path",
        )
    return ok("All settings are valid.")


SETTINGS_CHECKS = (
    Check("configuration", "client", configuration),
    Check("settings-files", "client", settings_files),
    Check("hooks-enabled", "client", disabled),
)

SECONDS = 20
"""Timeout for starting an interpreter, in seconds."""


class Route(NamedTuple):
    """One way in which Claude Code runs our hooks."""

    name: str
    """The settings file, or the plugin."""
    commands: Mapping[str, list[str]]
    """The command of each event."""
    environment: Mapping[str, str]


def routes(case: Case) -> list[Route]:
    """Every way in which our hooks are installed and may be run for a test.

    Commands from a project's settings are run only if the file is unchanged since `cortex
    install`: a repository could contain anything, and checking it must not execute it.
    """
    installed_routes = []
    for one in files(case.project):
        if not _may_run(case, one.path):
            continue
        commands = hook_entries.commands(one.value)
        if commands:
            first = {event: _runnable(listed[0]) for event, listed in commands.items()}
            installed_routes.append(Route(str(one.path), first, {}))
    if name := registration.plugin(case.project):
        folder = registration.plugin_folder(name)
        if folder is not None:
            launch = str(folder / "hooks" / "launch.sh")
            commands_of = {event.name: ["sh", launch, event.word] for event in hook_entries.EVENTS}
            installed_routes.append(
                Route(f"plugin {name}", commands_of, {"CLAUDE_PLUGIN_ROOT": str(folder)})
            )
    return installed_routes


def _may_run(case: Case, path: Path) -> bool:
    if path.parent == sessions.root().parent:
        return True
    known = install.load_installation(case.project.home, str(path))
    if known is None:
        return False
    return settings_file.digest(settings_file.read(path).text) == known.traces.hash


def _runnable(command: list[str]) -> list[str]:
    """A hook's command as it is run: directly if it has arguments, otherwise by the shell."""
    return command if len(command) > 1 else ["sh", "-c", command[0]]


def installed(case: Case) -> Finding:
    """Whether the hooks are installed, all of them and only once."""
    existing, plugin = files(case.project), registration.plugin(case.project)
    ours = [(one, hook_entries.commands(one.value)) for one in existing]
    ours = [(one, commands) for one, commands in ours if commands]
    if not ours and not plugin:
        return warning(
            "The hooks are not installed, so nothing is captured or injected automatically.",
            "Run: cortex install",
            fixable=True,
        )
    return together(_faults(ours, plugin), _where(ours, plugin))


def with_hooks(status: ProjectStatus, project: Project) -> ProjectStatus:
    """The status of `project`; it is also connected where the hooks are installed."""
    return replace(status, connected=status.connected or is_installed(project))


def is_installed(project: Project) -> bool:
    """Whether hooks of Cortex are in one of Claude Code's settings files, or in a plugin."""
    return bool(registration.plugin(project)) or any(
        hook_entries.commands(one.value) for one in files(project)
    )


def _faults(
    ours: list[tuple[SettingsFile, dict[str, list[list[str]]]]], plugin: str
) -> Iterator[Finding]:
    for one, commands in ours:
        missing = [event.name for event in hook_entries.EVENTS if event.name not in commands]
        if missing:
            yield failed(
                f"Hooks are missing in {one.path}: {', '.join(missing)}.",
                "Run: cortex install",
                fixable=_is_users(one),
            )
        if any(len(listed) > 1 for listed in commands.values()):
            yield warning(
                f"{one.path} contains hooks of Cortex more than once.",
                "Run: cortex install",
                fixable=_is_users(one),
            )
    if len(ours) > 1:
        yield warning(
            f"Hooks are installed in {' and '.join(str(one.path) for one, _ in ours)}: each event "
            "runs them twice.",
            "Keep one: cortex uninstall, then cortex install --scope user",
        )
    if ours and plugin:
        yield warning(
            f"Both the plugin {plugin} and {ours[0][0].path} run Cortex; each event is answered "
            "once, but costs twice.",
            f"Keep one: cortex uninstall, or claude plugin uninstall {plugin}",
        )


def _is_users(file: SettingsFile) -> bool:
    """Whether it is the user's own settings file, which connecting writes."""
    return file.path == install.settings_path_of_user()


def install_hooks(case: Case) -> str:
    """Add the hooks to the user's settings of Claude Code; what was done."""
    return connected(connecting.connect(case.project))


def connection(project: Project) -> ConnectionPreview:
    """What connecting with Claude Code would change; nothing is changed.

    Raises:
        CortexError: it cannot be done; the message says why.
    """
    return connecting.prepare(project).preview


def connect(project: Project) -> str:
    """Connect with Claude Code, for all projects of the user; a sentence about what was done.

    Raises:
        CortexError: nothing was changed; the message says why.
    """
    return connected(connecting.connect(project))


def connected(done: Connected) -> str:
    """What connecting did, and how it is undone."""
    if not done.changed:
        return f"The hooks are already in {done.settings}."
    copy = f" A copy of the file is {done.backup}." if done.backup else ""
    server = f" To register the MCP server, run: {done.by_hand}." if done.by_hand else ""
    caution = f" {done.caution}" if done.caution else ""
    return f"Added the hooks to {done.settings}.{copy} To undo: cortex uninstall.{server}{caution}"


def _where(ours: list[tuple[SettingsFile, dict[str, list[list[str]]]]], plugin: str) -> str:
    return f"Hooks are installed: {ours[0][0].path if ours else f'plugin {plugin}'}."


def interpreter(case: Case) -> Finding:
    """Whether the Python in the hooks exists and can import Cortex."""
    pythons = {
        tuple(command[: command.index(MODULE) - 1])
        for route in routes(case)
        for command in route.commands.values()
        if MODULE in command[2:]
    }
    if not pythons:
        return skipped("No hook in the settings of Claude Code names a Python.")
    return together(
        (found for python in sorted(pythons) if (found := _interpreter(list(python)))),
        f"{' and '.join(sorted(python[0] for python in pythons))} can run the hooks.",
    )


def _interpreter(python: list[str]) -> Finding | None:
    again = "Run: cortex install"
    if not os.access(python[0], os.X_OK):
        return failed(
            f"The hooks use {python[0]}, which no longer exists, so none of them runs.", again
        )
    code = "import sys, cortex_core, cortex_core.hook; print(cortex_core.__version__)"
    try:
        done = subprocess.run(
            [*python, "-c", code],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            cwd=os.sep,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return failed(f"The hooks use {python[0]}, which cannot be run: {error}.", again)
    if done.returncode:
        return failed(f"The hooks use {python[0]}, which cannot import Cortex.", again)
    from cortex_core import __version__

    if done.stdout.strip() != __version__:
        return warning(
            f"The hooks run Cortex {done.stdout.strip()}, but this is {__version__}.", again
        )
    return None


def on_path(case: Case) -> Finding:
    """Whether another program is named cortex."""
    programs = [
        file
        for folder in dict.fromkeys(os.get_exec_path())
        if os.access(file := Path(folder, "cortex"), os.X_OK) and file.is_file()
    ]
    foreign = [file for file in programs if not _is_ours(file)]
    if foreign and foreign[0] == programs[0]:
        mine = Path(sys.executable).with_name("cortex")
        return warning(
            f"The command cortex runs {foreign[0]}, which is another program.",
            f"Put {mine.parent} before it in PATH. The hooks work anyway.",
        )
    if foreign:
        return ok(f"{programs[0]} comes first; {foreign[0]} is another program with the same name.")
    return ok(
        f"cortex is {programs[0]}."
        if programs
        else "cortex is not on PATH; the hooks do not need it."
    )


def _is_ours(file: Path) -> bool:
    try:
        return b"cortex_core" in file.read_bytes()[:65_536]
    except OSError:
        return False


def server(case: Case) -> Finding:
    """Whether Claude Code can start our MCP server."""
    state = _state()
    listed = [state, (state.get("projects") or {}).get(case.project.root) or {}]
    servers = [
        one
        for each in listed
        if isinstance(each, dict) and (one := (each.get("mcpServers") or {}).get("cortex"))
    ]
    if not servers:
        return skipped("Claude Code has no MCP server named cortex.")
    command = servers[-1].get("command") if isinstance(servers[-1], dict) else None
    words = [command, *((servers[-1].get("args") or ()) if isinstance(servers[-1], dict) else ())]
    if registration.MODULE not in words:
        return warning(
            f"Another MCP server is named cortex ({command}).",
            "To use ours as well, register it under another name: claude mcp add cortex-memory …",
        )
    if not os.access(str(command), os.X_OK):
        return failed(
            f"The MCP server uses {command}, which no longer exists.",
            "Run: claude mcp remove cortex, then cortex install",
        )
    return ok("The MCP server is registered.")


def _state() -> Mapping[str, Any]:
    config = os.environ.get("CLAUDE_CONFIG_DIR")
    path = (Path(config) if config else Path.home()) / ".claude.json"
    return read_json(path).value if path.is_file() else {}


INSTALLATION_CHECKS = (
    Check("hooks-installed", "client", installed, install_hooks),
    Check("hook-interpreter", "client", interpreter),
    Check("path", "client", on_path),
    Check("mcp-server", "client", server),
)

SLOW = 1.0
"""Seconds after which a user notices a hook."""

END = 1.2
"""Maximum seconds for SessionEnd; Claude Code kills it after 1.5."""


def answers(case: Case) -> Finding:
    """Whether every event is answered or recorded in the form that Claude Code expects."""
    return together(_problems(case), _all_well(case))


def _problems(case: Case) -> Iterator[Finding]:
    for one in case.trials:
        wrong = [f"{each.event} {each.problem}" for each in one.results if each.problem]
        if wrong:
            yield failed(
                f"The hooks in {one.route} do not work: {'; '.join(wrong)}.",
                "Run: cortex install" if one.installed else "Run: pipx reinstall cortex-memory",
            )


def _all_well(case: Case) -> str:
    count = len(EVENTS)
    tail = "" if case.trials[0].installed else " The hooks are not installed yet."
    return f"All {count} events were answered or recorded in a test.{tail}"


def speed(case: Case) -> Finding:
    """Whether hooks are fast enough for the user, and for the time limits of Claude Code."""
    measured = [each for one in case.trials for each in one.results if not each.problem]
    if not measured:
        return skipped("No hook answered (see hooks-answer).")
    session_ends = [each.seconds for each in measured if each.event == "SessionEnd"]
    if session_ends and max(session_ends) > END:
        return failed(
            f"SessionEnd took {max(session_ends):.1f} s; Claude Code kills it after 1.5 s.",
            "The next session start reads what was missed. Check what slows this machine down.",
        )
    median = statistics.median(each.seconds for each in measured)
    slowest = max(measured, key=lambda each: each.seconds)
    if median > SLOW:
        return warning(
            f"A hook takes {median * 1000:.0f} ms, {slowest.event} {slowest.seconds:.1f} s.",
            "The cause may be a version manager's shim or a Python on a network disk.",
        )
    return ok(
        f"A hook takes {median * 1000:.0f} ms, {slowest.event} {slowest.seconds * 1000:.0f} ms."
    )


def guarded(case: Case) -> Finding:
    """Whether hooks do nothing inside Cortex's own processes; it must not capture itself."""
    return together(
        (
            failed(
                f"A hook in {one.route} {one.guard}, so a model call would run hooks again.",
                "Run: cortex install",
            )
            for one in case.trials
            if one.guard
        ),
        "Hooks do nothing inside Cortex's own processes.",
    )


def captures(case: Case) -> Finding:
    """Whether the worker captures a made-up session and the next session gets its memories."""
    from cortex_core import demo

    python = case.python
    for route in routes(case):
        command = next(iter(route.commands.values()))
        if MODULE in command[2:]:
            python = tuple(command[: command.index(MODULE) - 1])
            break
    try:
        with demo.scratch(python) as trial:
            trial.play()
            with trial.open() as cortex:
                learned = len(cortex.list())
    except Exception as error:
        return failed(
            f"A made-up session could not be captured: {type(error).__name__}: {error}.",
            "Run: pipx reinstall cortex-memory, then cortex install",
        )
    memories = counted(learned, "memory", "memories")
    if not learned or not trial.given:
        return failed(
            f"A made-up session led to {memories}, and the next session got "
            f"{'them' if trial.given else 'nothing'}.",
            "Run: pipx reinstall cortex-memory, then cortex install",
        )
    return ok(f"A made-up session was captured ({memories}) and injected into the next.")


HOOK_CHECKS = (
    Check("hooks-answer", "client", answers),
    Check("hook-speed", "client", speed),
    Check("recursion", "client", guarded),
    Check("capture-trial", "client", captures),
)

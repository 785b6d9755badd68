"""Whether Claude Code is set up to run Cortex: its settings, the hooks in them, the server."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from cortex_core import agents
from cortex_core.agents import hook_command, hook_install, own_checks, settings_file
from cortex_core.agents.claude import (
    hook_entries,
    install,
    installer,
    places,
    registration,
    sessions,
)
from cortex_core.agents.protocol import AgentCase, Check, Route
from cortex_core.base.decay import DAY
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project
from cortex_core.base.text import counted
from cortex_core.records.findings import failed, ok, skipped, together, warning
from cortex_core.records.upkeep import CheckResult

MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
"""The settings of an organisation; they override all others."""

RETENTION = 30
"""Days that Claude Code keeps transcripts by default."""


SOON = 7
"""Days of warning before Claude Code deletes an unread transcript."""


def files(project: Project) -> list[registration.SettingsFile]:
    """The existing settings files of Claude Code, lowest precedence first."""
    paths = [sessions.root().parent / "settings.json"]
    if project.root is not None:
        folder = Path(project.root, ".claude")
        paths += [folder / "settings.json", folder / "settings.local.json"]
    return [
        registration.read_json(path) for path in dict.fromkeys((*paths, *MANAGED)) if path.is_file()
    ]


def retention_days(project: Project) -> float:
    """How long Claude Code keeps transcripts, in days."""
    set_in = (one.value.get("cleanupPeriodDays") for one in reversed(files(project)))
    numbers = (
        each for each in set_in if isinstance(each, int | float) and not isinstance(each, bool)
    )
    return next(numbers, RETENTION)


def settings_files(case: AgentCase) -> CheckResult:
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


def disabled(case: AgentCase) -> CheckResult:
    """Whether Claude Code runs hooks at all."""
    return together(_disabled(case.project), "Claude Code runs hooks.")


def _disabled(project: Project) -> Iterator[CheckResult]:
    for one in files(project):
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


def routes(project: Project) -> list[Route]:
    """Every way in which our hooks are installed and may be run for a test.

    Commands from a project's settings are run only if the file is unchanged since `cortex
    install`: a repository could contain anything, and checking it must not execute it.
    """
    paths = [one.path for one in files(project) if _may_run(project, one.path)]
    installed_routes = [found for path in paths if (found := route(path))]
    if name := registration.plugin(project):
        folder = registration.plugin_folder(name)
        if folder is not None:
            launch = str(folder / "hooks" / "launch.sh")
            commands_of = {event.name: ["sh", launch, event.word] for event in hook_entries.EVENTS}
            installed_routes.append(
                Route(f"plugin {name}", commands_of, {"CLAUDE_PLUGIN_ROOT": str(folder)})
            )
    return installed_routes


def route(settings: Path) -> Route | None:
    """The way in which a settings file runs our hooks; None where it does not."""
    commands = hook_command.commands(registration.read_json(settings).value)
    # Without arguments, a command is a line for the shell.
    first = {
        event: command if len(command) > 1 else ["sh", "-c", *command]
        for event, (command, *_) in commands.items()
    }
    return Route(str(settings), first, {}) if first else None


def planned_route() -> Route:
    """The way in which installing would have them run."""
    python = hook_command.interpreter()
    commands = {one.name: hook_command.command(python, one.word) for one in hook_entries.EVENTS}
    return Route("this installation", commands, {})


def _may_run(project: Project, path: Path) -> bool:
    if path.parent == sessions.root().parent:
        return True
    known = hook_install.load_installation(project.home, str(path))
    return known is not None and known.hash == settings_file.digest(settings_file.read(path).text)


def installed(case: AgentCase) -> CheckResult:
    """Whether the hooks are installed, all of them and only once."""
    existing, plugin = files(case.project), registration.plugin(case.project)
    every = ((one, hook_command.commands(one.value)) for one in existing)
    ours = [(one, commands) for one, commands in every if commands]
    if not ours and not plugin:
        others = (one.checks for one in agents.having("checks") if one.name != "claude")
        if any(checks.is_installed(case.project) for checks in others):
            return skipped("Claude Code is not connected. To connect it, run: cortex install")
        return warning(
            "The hooks are not installed, so nothing is captured or injected automatically.",
            "Run: cortex install",
            fixable=True,
        )
    where = ours[0][0].path if ours else f"plugin {plugin}"
    recent = own_checks.fired(case, "claude")[1] or "no session here yet"
    heard = own_checks.heard(case, "claude")
    return together(_faults(ours, plugin), f"{heard}; hooks in {where}; {recent}.")


def is_installed(project: Project) -> bool:
    """Whether hooks of Cortex are in one of Claude Code's settings files, or in a plugin."""
    return bool(registration.plugin(project)) or any(
        hook_command.commands(one.value) for one in files(project)
    )


def _faults(
    ours: list[tuple[registration.SettingsFile, dict[str, list[list[str]]]]], plugin: str
) -> Iterator[CheckResult]:
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
    # Each event is answered once all the same: what fires second does nothing.
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


def _is_users(file: registration.SettingsFile) -> bool:
    """Whether it is the user's own settings file, which connecting writes."""
    return file.path == install.settings_path_of_user()


def interpreter(case: AgentCase) -> CheckResult:
    """Whether the Python in the hooks exists and can import Cortex."""
    pythons = {
        python
        for one in routes(case.project)
        for command in one.commands.values()
        if (python := hook_command.python_of(command))
    }
    if not pythons:
        return skipped("No hook in the settings of Claude Code names a Python.")
    for python in sorted(pythons):
        try:
            hook_command.check_interpreter(python)
        except CortexError as error:
            return failed(str(error).partition(" Nothing was changed.")[0], "Run: cortex install")
    return ok(f"{' and '.join(sorted(python[0] for python in pythons))} can run the hooks.")


def server(case: AgentCase) -> CheckResult:
    """Whether Claude Code can start our MCP server."""
    known = places.server(case.project.root or "") or places.server(None)
    if known is None:
        return skipped("Claude Code has no MCP server named cortex.")
    command = known.get("command")
    if not places.is_ours(known):
        return warning(
            f"Another MCP server is named cortex ({command}).",
            "To use ours as well, register it under another name: claude mcp add agent-cortex …",
        )
    if not os.access(str(command), os.X_OK):
        return failed(
            f"The MCP server uses {command}, which no longer exists.",
            "Run: claude mcp remove cortex, then cortex install",
        )
    return ok("The MCP server is registered.")


def retention(case: AgentCase) -> CheckResult:
    """Whether Claude Code will soon delete unread sessions."""
    days = retention_days(case.project)
    if days <= 0:
        return failed(
            "Claude Code keeps no transcripts (cleanupPeriodDays is 0): capture is impossible.",
            "Set cleanupPeriodDays to 30 in Claude Code's settings.json.",
        )
    left = [days - (case.now - one.changed) / DAY for one in case.unread]
    going = [each for each in left if each <= SOON]
    if going:
        return warning(
            f"Claude Code will delete {counted(len(going), 'unread session')} within "
            f"{counted(max(0, round(max(going))), 'day')}; it keeps them for {days:g} days.",
            "Run now: cortex import transcripts",
        )
    return ok(f"Claude Code keeps sessions for {days:g} days; it will delete no unread one soon.")


def connect(case: AgentCase) -> str:
    """Add the hooks to the user's settings of Claude Code; what was done."""
    return hook_install.connect(installer.plan(case.project))


CHECKS: Sequence[Check[AgentCase]] = (
    Check("settings-files", "client", settings_files),
    Check("hooks-enabled", "client", disabled),
    Check("claude", own_checks.GROUP, installed, connect),
    Check("hook-interpreter", "client", interpreter),
    Check("mcp-server", "client", server),
    Check("retention", "capture", retention),
)

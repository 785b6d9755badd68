"""Checks of Claude Code: our hooks and MCP server in it, and other programs named cortex."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.capture import sessions
from cortex_core.claude import (
    hook_entries,
    installation,
    registration,
    settings_file,
    settings_io,
)
from cortex_core.claude.hook_entries import MODULE
from cortex_core.doctor import client_settings
from cortex_core.doctor.case import Case, Check, Finding, failed, ok, skipped, together, warning
from cortex_core.doctor.client_settings import Settings, read_json

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
    found = []
    for one in client_settings.files(case):
        if not _may_run(case, one.path):
            continue
        commands = hook_entries.commands(one.value)
        if commands:
            first = {event: _runnable(listed[0]) for event, listed in commands.items()}
            found.append(Route(str(one.path), first, {}))
    if name := registration.plugin(case.project):
        folder = registration.plugin_folder(name)
        if folder is not None:
            launch = str(folder / "hooks" / "launch.sh")
            commands_of = {event.name: ["sh", launch, event.word] for event in hook_entries.EVENTS}
            found.append(Route(f"plugin {name}", commands_of, {"CLAUDE_PLUGIN_ROOT": str(folder)}))
    return found


def _may_run(case: Case, path: Path) -> bool:
    if path.parent == sessions.root().parent:
        return True
    known = installation.load(case.project.home, str(path))
    if known is None:
        return False
    return settings_file.digest(settings_io.read(path).text) == known.traces.hash


def _runnable(command: list[str]) -> list[str]:
    """A hook's command as it is run: directly if it has arguments, otherwise by the shell."""
    return command if len(command) > 1 else ["sh", "-c", command[0]]


def installed(case: Case) -> Finding:
    """Whether the hooks are installed, all of them and only once."""
    found, plugin = client_settings.files(case), registration.plugin(case.project)
    ours = [(one, hook_entries.commands(one.value)) for one in found]
    ours = [(one, commands) for one, commands in ours if commands]
    if not ours and not plugin:
        return warning(
            "The hooks are not installed, so nothing is captured or injected automatically.",
            "Run: cortex install",
        )
    return together(_faults(ours, plugin), _where(ours, plugin))


def _faults(
    ours: list[tuple[Settings, dict[str, list[list[str]]]]], plugin: str
) -> Iterator[Finding]:
    for one, commands in ours:
        missing = [event.name for event in hook_entries.EVENTS if event.name not in commands]
        if missing:
            yield failed(
                f"Hooks are missing in {one.path}: {', '.join(missing)}.", "Run: cortex install"
            )
        if any(len(listed) > 1 for listed in commands.values()):
            yield warning(
                f"{one.path} contains hooks of Cortex more than once.", "Run: cortex install"
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


def _where(ours: list[tuple[Settings, dict[str, list[list[str]]]]], plugin: str) -> str:
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
            [*python, "-c", code], capture_output=True, text=True, timeout=SECONDS, check=False,
            cwd=os.sep,
        )  # fmt: skip
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
    found = [
        file
        for folder in dict.fromkeys(os.get_exec_path())
        if os.access(file := Path(folder, "cortex"), os.X_OK) and file.is_file()
    ]
    foreign = [file for file in found if not _is_ours(file)]
    if foreign and foreign[0] == found[0]:
        mine = Path(sys.executable).with_name("cortex")
        return warning(
            f"The command cortex runs {foreign[0]}, which is another program.",
            f"Put {mine.parent} before it in PATH. The hooks work anyway.",
        )
    if foreign:
        return ok(f"{found[0]} comes first; {foreign[0]} is another program with the same name.")
    return ok(
        f"cortex is {found[0]}." if found else "cortex is not on PATH; the hooks do not need it."
    )


def _is_ours(file: Path) -> bool:
    try:
        return b"cortex_core" in file.read_bytes()[:65_536]
    except OSError:
        return False


def server(case: Case) -> Finding:
    """Whether Claude Code can start our MCP server."""
    state = _client_state()
    listed = [state, (state.get("projects") or {}).get(case.project.root) or {}]
    found = [
        one for each in listed
        if isinstance(each, dict) and (one := (each.get("mcpServers") or {}).get("cortex"))
    ]  # fmt: skip
    if not found:
        return skipped("Claude Code has no MCP server named cortex.")
    command = found[-1].get("command") if isinstance(found[-1], dict) else None
    words = [command, *((found[-1].get("args") or ()) if isinstance(found[-1], dict) else ())]
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


def _client_state() -> Mapping[str, Any]:
    config = os.environ.get("CLAUDE_CONFIG_DIR")
    path = (Path(config) if config else Path.home()) / ".claude.json"
    return read_json(path).value if path.is_file() else {}


CHECKS = (
    Check("hooks-installed", "client", installed),
    Check("hook-interpreter", "client", interpreter),
    Check("path", "client", on_path),
    Check("mcp-server", "client", server),
)

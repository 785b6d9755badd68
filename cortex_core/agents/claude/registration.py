"""Cortex as an MCP server and as a plugin of Claude Code.

Servers are registered by Claude Code's own command; its files are read here and never written.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.agents import hook_install
from cortex_core.agents.claude import places
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import project as base_project
from cortex_core.base.project import Project

NAME = places.SERVER
"""The MCP server's name, and the plugin's."""


class SettingsFile(NamedTuple):
    """A parsed settings file of Claude Code and its parse error, if any."""

    path: Path
    value: Mapping[str, Any]
    problem: str = ""
    """Why it cannot be read; otherwise empty."""


def read_json(path: Path) -> SettingsFile:
    """Read a JSON file of Claude Code; a parse error is in `problem`."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        return SettingsFile(path, {}, str(error))
    if not isinstance(value, dict):
        return SettingsFile(path, {}, "it contains no JSON object")
    return SettingsFile(path, value)


def server_command(python: Sequence[str]) -> list[str]:
    """The command that starts the MCP server."""
    return [*python, "-m", places.MODULE]


def add_command(scope: InstallScope, python: Sequence[str]) -> list[str]:
    """Claude Code's command that registers the server.

    A project's server is registered for this user only, because it names this machine's Python.
    """
    return ["claude", "mcp", "add", "-s", _scope(scope), NAME, "--", *server_command(python)]


def remove_command(scope: InstallScope) -> list[str]:
    """Claude Code's command that removes the server."""
    return ["claude", "mcp", "remove", "-s", _scope(scope), NAME]


def register(scope: InstallScope, project: Project, python: Sequence[str]) -> hook_install.State:
    """Register the MCP server by Claude Code's own command; see `hook_install.register`."""
    return hook_install.register(
        _command(registered(scope, project)),
        server_command(python),
        add_command(scope, python),
        remove_command(scope),
        project.root or project.cwd,
    )


def unregister(scope: InstallScope, project: Project) -> hook_install.State:
    """Remove the MCP server by Claude Code's own command; see `hook_install.unregister`."""
    known = _command(registered(scope, project))
    return hook_install.unregister(known, remove_command(scope), project.root or project.cwd)


def _command(server: Mapping[str, Any] | None) -> list[str] | None:
    """The words that start a registered server."""
    if server is None:
        return None
    return [str(word) for word in (server.get("command"), *(server.get("args") or ()))]


def typed(command: Sequence[str]) -> str:
    """`command` as a user would type it."""
    return shlex.join(command)


def plugin(project: Project) -> str:
    """The name of the enabled plugin that is Cortex, such as `cortex@cortex`; "" without one."""
    folders = [Path(base_project.user_folder())]
    if project.root is not None:
        folders.append(Path(project.root, ".claude"))
    enabled: dict[str, bool] = {}
    for path in (folder / name for folder in folders for name in _SETTINGS):
        listed = read_json(path).value.get("enabledPlugins")
        enabled |= listed if isinstance(listed, dict) else {}
    names = (name for name, on in enabled.items() if on and name.partition("@")[0] == NAME)
    return next((name for name in names if _may_be_ours(name)), "")


def plugin_folder(name: str) -> Path | None:
    """The folder of the installed plugin `name`, as far as Claude Code records it."""
    registry = read_json(
        Path(base_project.user_folder(), "plugins", "installed_plugins.json")
    ).value
    listed = registry.get("plugins")
    copies = listed.get(name) if isinstance(listed, dict) else None
    for copy in copies if isinstance(copies, list) else [copies]:
        folder = copy.get("installPath") if isinstance(copy, dict) else None
        if isinstance(folder, str) and os.path.isdir(folder):
            return Path(folder)
    return None


_SETTINGS = ("settings.json", "settings.local.json")


def _may_be_ours(plugin: str) -> bool:
    """Whether an installed plugin of our name runs our hooks, or cannot be examined."""
    folder = plugin_folder(plugin)
    if folder is None:
        return True
    launcher = folder / "hooks" / "launch.sh"
    return launcher.is_file() and "cortex_core.hook" in launcher.read_text("utf-8")


def _scope(scope: InstallScope) -> str:
    return "user" if scope == "user" else "local"


def registered(scope: InstallScope, project: Project) -> Mapping[str, Any] | None:
    """The server of our name that Claude Code knows in `scope`."""
    return places.server(None if scope == "user" else project.root or "")

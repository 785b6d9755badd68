"""Cortex as an MCP server and as a plugin of Claude Code.

Servers are registered by Claude Code's own command; its files are read here and never written.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.agents.claude import places
from cortex_core.agents.hook_install import McpServer
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import hook_io, project as base_project
from cortex_core.base.json_objects import mapping
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
        value = json.loads(hook_io.whole(str(path)).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        return SettingsFile(path, {}, str(error))
    if not isinstance(value, dict):
        return SettingsFile(path, {}, "it contains no JSON object")
    return SettingsFile(path, value)


def server(scope: InstallScope, project: Project) -> McpServer:
    """Our MCP server in `scope`; a project's is registered for this user only, because it names
    this machine's Python."""
    own = "user" if scope == "user" else "local"
    return McpServer(
        places.server(None if scope == "user" else project.root or ""),
        ("claude", "mcp", "add", "-s", own, NAME, "--"),
        ("claude", "mcp", "remove", "-s", own, NAME),
        project.root or project.cwd,
    )


def plugin(project: Project) -> str:
    """The name of the enabled plugin that is Cortex, such as `cortex@cortex`; "" without one."""
    folders = [Path(base_project.user_folder())]
    if project.root is not None:
        folders.append(Path(project.root, ".claude"))
    enabled: dict[str, bool] = {}
    for path in (folder / name for folder in folders for name in _SETTINGS):
        enabled |= mapping(read_json(path).value.get("enabledPlugins"))
    names = (name for name, on in enabled.items() if on and name.partition("@")[0] == NAME)
    return next((name for name in names if _may_be_ours(name)), "")


def plugin_folder(name: str) -> Path | None:
    """The folder of the installed plugin `name`, as far as Claude Code records it."""
    registry = Path(base_project.user_folder(), "plugins", "installed_plugins.json")
    copies = mapping(read_json(registry).value.get("plugins")).get(name)
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

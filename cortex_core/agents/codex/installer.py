"""Connecting Cortex with Codex, and taking it out again: hooks.json, and the MCP server.

The hooks are not trusted in the user's place: Codex asks about them when it starts.
"""

import os
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cortex_core.agents import hook_command, hook_install
from cortex_core.agents.codex import threads
from cortex_core.agents.hook_command import HookEvent
from cortex_core.agents.hook_install import HookConnection, InstallPlan, McpServer
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import hook_words
from cortex_core.base.errors import UsageError
from cortex_core.base.json_objects import mapping
from cortex_core.base.project import Project

EVENTS = (
    HookEvent(hook_words.START, 10),
    HookEvent(hook_words.PROMPT, 5),
    HookEvent(hook_words.TOOL, 5, "^(Bash|apply_patch|mcp__.*)$"),
    HookEvent(hook_words.STOP, 5),
    HookEvent(hook_words.COMPACTION, 5),
    HookEvent(hook_words.END, 3),  # Codex warns the user where it is longer
)

STORES = ("CORTEX_HOME", "CLAUDE_CONFIG_DIR")
"""The variables that say where the stores are."""

TRUST = (
    "Codex runs none of these hooks, and says nothing, until you trust them: start codex and "
    "choose “Trust all and continue”. Then run: cortex doctor"
)


def hooks_file() -> Path:
    """Where Codex's hooks of the user are."""
    return threads.home() / "hooks.json"


def is_present() -> bool:
    """Whether Codex is on this machine."""
    return threads.home().is_dir() or shutil.which("codex") is not None


def plan(project: Project, scope: InstallScope = "user", *, force: bool = False) -> HookConnection:
    """Find out what connecting would do; nothing is changed.

    Raises:
        CortexError: the interpreter cannot run hooks, or the file cannot be edited.
        UsageError: the hooks are not to be the user's.
    """
    if scope != "user":
        raise UsageError(
            "Codex runs a project's own hooks only in folders that it trusts, so Cortex's are "
            "installed for the user. Nothing was changed. Leave out --scope."
        )
    python = hook_command.interpreter()
    hook_command.check_interpreter(python)
    groups = hook_command.groups(EVENTS, python, "codex")
    made = hook_install.plan("codex", hooks_file(), scope, groups, project.home)
    return HookConnection(
        plan=made,
        home=project.home,
        server=_server(project),
        caution=TRUST if made.changes else "",
    )


def removals(project: Project) -> tuple[list[InstallPlan], list[str]]:
    """What would be taken out, and errors for files that cannot be edited."""
    return hook_install.removals("codex", {hooks_file(): "user"}, project.home)


def unregister(project: Project, roots: Iterable[str]) -> list[tuple[str, str]]:
    """Remove the MCP server; what came of it, and the command that does it."""
    return [_server(project).unregister()]


def remains(project: Project) -> str:
    """The plugin, if it is enabled, and the command that removes it."""
    return hook_install.remains(plugin(), "codex plugin remove")


def plugin() -> str:
    """The name of the enabled plugin that is Cortex; empty without one."""
    return hook_install.enabled_plugin(
        {name: mapping(one).get("enabled") for name, one in _settings("plugins").items()}
    )


def _server(project: Project) -> McpServer:
    """Our MCP server in Codex's settings."""
    command = ("codex", "mcp")
    # Codex starts servers with few variables: without these it would look for other stores.
    moved = [f"--env={name}={os.environ[name]}" for name in STORES if os.environ.get(name)]
    return McpServer(
        _settings("mcp_servers").get("cortex"),
        (*command, "add", "cortex", *moved, "--"),
        (*command, "remove", "cortex"),
        project.root or project.cwd,
    )


def _settings(table: str) -> Mapping[str, Any]:
    """A table of Codex's settings; empty where they cannot be read."""
    try:
        found = tomllib.loads((threads.home() / "config.toml").read_text("utf-8"))[table]
    except (OSError, ValueError, KeyError):
        return {}
    return mapping(found)

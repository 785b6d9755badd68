"""Connecting Cortex with Codex, and taking it out again: hooks.json, and the MCP server.

The hooks are not trusted in the user's place: Codex asks about them when it starts.
"""

from __future__ import annotations

import shlex
import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cortex_core.agents import hook_command, hook_install
from cortex_core.agents.codex import threads
from cortex_core.agents.hook_command import HookEvent
from cortex_core.agents.hook_install import HookConnection, InstallPlan
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import hook_words
from cortex_core.base.errors import UsageError
from cortex_core.base.project import Project

EVENTS = (
    HookEvent(hook_words.START, 10),
    HookEvent(hook_words.PROMPT, 5),
    HookEvent(hook_words.TOOL, 5, "^(Bash|apply_patch|mcp__.*)$"),
    HookEvent(hook_words.STOP, 5),
    HookEvent(hook_words.COMPACTION, 5),
    HookEvent(hook_words.END, 3),  # Codex warns the user where it is longer
)

TRUST = (
    "Codex runs none of these hooks, and says nothing, until you trust them: start codex and "
    "choose “Trust all and continue”. Then run: cortex doctor"
)

ADD = ("codex", "mcp", "add", "cortex", "--")
REMOVE = ("codex", "mcp", "remove", "cortex")


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
        server=(*ADD, *server_command(python)),
        enrol=partial(_register, project, python),
        caution=TRUST if made.changes else "",
    )


def connect(project: Project) -> str:
    """Add the hooks, and register the MCP server; a sentence about what was done.

    Raises:
        CortexError: nothing was changed; the message says why.
    """
    return hook_install.connect(plan(project))


def removals(project: Project) -> tuple[list[InstallPlan], list[str]]:
    """What would be taken out, and errors for files that cannot be edited."""
    return hook_install.removals("codex", {hooks_file(): "user"}, project.home)


def unregister(project: Project, roots: Iterable[str]) -> list[tuple[str, str]]:
    """Remove the MCP server; what came of it, and the command that does it."""
    folder = project.root or project.cwd
    return [(hook_install.unregister(server(), REMOVE, folder), shlex.join(REMOVE))]


def remains(project: Project) -> str:
    """Nothing: what Codex was once asked to trust runs no more without its hook."""
    return ""


def server() -> list[str] | None:
    """The command of the MCP server of our name in Codex's settings; None without one."""
    try:
        found = _settings()["mcp_servers"]["cortex"]
        return [str(found["command"]), *map(str, found.get("args", ()))]
    except (KeyError, TypeError, AttributeError):
        return None


def plugin() -> bool:
    """Whether a plugin of our name is enabled."""
    listed = _settings().get("plugins")
    named = listed.items() if isinstance(listed, dict) else ()
    return any(
        name.partition("@")[0] == "cortex" and isinstance(one, dict) and one.get("enabled") is True
        for name, one in named
    )


def _settings() -> Mapping[str, Any]:
    """Codex's settings; empty where they cannot be read."""
    try:
        return tomllib.loads((threads.home() / "config.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def server_command(python: Sequence[str]) -> list[str]:
    """The command that starts the MCP server."""
    return [*python, "-m", hook_install.SERVER_MODULE]


def _register(project: Project, python: Sequence[str]) -> str:
    wanted = server_command(python)
    folder = project.root or project.cwd
    return hook_install.register(server(), wanted, (*ADD, *wanted), REMOVE, folder)

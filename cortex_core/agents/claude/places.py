"""Where Claude Code keeps its own files. Hooks load this module."""

from __future__ import annotations

import os

from cortex_core.base import hook_io
from cortex_core.base.project import user_folder, user_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SERVER = "cortex"
"""The MCP server's name."""

LARGEST_STATE = 32 << 20
"""Characters of Claude Code's own state that are read."""

LONGEST_SLUG = 200
"""Characters that Claude Code keeps of a slug; after them it writes a hash of what it cut off."""


def state_file() -> str:
    """The file in which Claude Code keeps its own state: MCP servers, projects."""
    return os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or user_home(), ".claude.json")


def server(root: str | None) -> Mapping[str, Any] | None:
    """The MCP server of our name that Claude Code has for the project at `root`, or for the user
    (None); ours or not."""
    written = hook_io.read(state_file(), LARGEST_STATE, follow=True)
    # Read as JSON only where there is something to find: it can have a megabyte.
    if f'"{SERVER}"' not in written:
        return None
    try:
        state = hook_io.loads(written.removeprefix("\ufeff"))
        state = state if root is None else state["projects"][root]
        found = state["mcpServers"][SERVER]
    except (ValueError, TypeError, KeyError):
        return None
    return found if isinstance(found, dict) else None


def is_ours(server: Mapping[str, Any]) -> bool:
    """Whether a registered MCP server is Cortex."""
    from cortex_core.base import agent_names  # which a hook does without

    return agent_names.starts_us(server.get("command"), *(server.get("args") or ()))


def sessions_folder(top: str = "") -> str:
    """The folder with one folder of transcripts for each folder that Claude Code ran in.

    Args:
        top: the folder of Claude Code's settings; empty for the user's.
    """
    return os.path.join(top or user_folder(), "projects")


def memory_folder(path: str) -> str:
    """The folder of Claude Code's own memory of the folder `path`, wherever the user put it."""
    chosen = setting(path, "autoMemoryDirectory")
    named = os.path.normpath(os.path.expanduser(chosen)) if isinstance(chosen, str) else ""
    return named if os.path.isabs(named) else os.path.join(sessions_folder(), slug(path), "memory")


def memory_name(path: str, folder: str) -> str:
    """The name of a file of Claude Code's own memory within its folder; empty for another file.

    Args:
        path: the file, on this machine or another one.
        folder: where the session ran.
    """
    whole = path.replace("\\", "/")
    if not whole.endswith(".md"):
        return ""
    own = f"{memory_folder(folder)}/"
    if whole.startswith(own):
        return whole.removeprefix(own)
    before, _, name = whole.rpartition("/memory/")
    above, _, project = before.rpartition("/")
    # A slug begins with the root of a path, so that a user's own folder `projects` is none.
    is_slug = project.startswith("-") or project[1:3] == "--"
    return name if is_slug and above.endswith("/projects") else ""


def setting(path: str, name: str) -> object:
    """What the user set in Claude Code, for the project at `path` or for all; None for nothing.

    A project's shared settings do not count: a repository must not choose what is read.
    """
    local = os.path.join(path, ".claude", "settings.local.json")
    for file in (local, os.path.join(user_folder(), "settings.json")):
        try:
            settings = hook_io.loads(hook_io.read(file, follow=True) or "{}")
        except ValueError:
            continue
        if isinstance(settings, dict) and settings.get(name) is not None:
            return settings[name]
    return None


def slug(path: str) -> str:
    """The name that Claude Code derives from a folder it ran in; of a long one without the hash."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in path)[:LONGEST_SLUG]

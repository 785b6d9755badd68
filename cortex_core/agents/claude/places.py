"""Where Claude Code keeps its own files. Hooks load this module."""

from __future__ import annotations

import os

from cortex_core.base.project import user_folder, user_home

LONGEST_SLUG = 200
"""Characters that Claude Code keeps of a slug; after them it writes a hash of what it cut off."""


def state_file() -> str:
    """The file in which Claude Code keeps its own state: MCP servers, projects."""
    return os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or user_home(), ".claude.json")


def sessions_folder(top: str = "") -> str:
    """The folder with one folder of transcripts for each folder that Claude Code ran in.

    Args:
        top: the folder of Claude Code's settings; empty for the user's.
    """
    return os.path.join(top or user_folder(), "projects")


def memory_folder(path: str) -> str:
    """The folder of Claude Code's own memory of the folder `path`."""
    return os.path.join(sessions_folder(), slug(path), "memory")


def slug(path: str) -> str:
    """The name that Claude Code derives from a folder it ran in; of a long one without the hash."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in path)[:LONGEST_SLUG]


def is_slug_of(name: str, path: str) -> bool:
    """Whether a folder of transcripts called `name` may belong to sessions that ran in `path`."""
    return name[:LONGEST_SLUG] == slug(path)

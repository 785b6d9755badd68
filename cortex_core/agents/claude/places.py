"""Where Claude Code keeps its own files. Hooks load this module."""

from __future__ import annotations

import os

from cortex_core.base.project import user_folder, user_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from cortex_core.base.project import Project

LONGEST_SLUG = 200
"""Characters that Claude Code keeps of a slug; after them it writes a hash of what it cut off."""

SESSIONS = ".claude/projects"
"""Where the transcripts are in a home folder, unless CLAUDE_CONFIG_DIR names another."""


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


def memory_file(project: Project, environment: Mapping[str, str]) -> str | None:
    """The file of Claude Code's own memory of this project, which Claude Code injects itself."""
    if project.root is None or environment.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY") == "1":
        return None
    return os.path.join(memory_folder(project.root), "MEMORY.md")


def slug(path: str) -> str:
    """The name that Claude Code derives from a folder it ran in; of a long one without the hash."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in path)[:LONGEST_SLUG]


def is_slug_of(name: str, path: str) -> bool:
    """Whether a folder of transcripts called `name` may belong to sessions that ran in `path`."""
    return name[:LONGEST_SLUG] == slug(path)

"""Where the client, Claude Code, keeps what is its own. Standard library only: hooks ask too."""

from __future__ import annotations

import os

LONGEST = 200
"""Characters that the client keeps of a slug; behind them it puts a hash of what it cut."""


def config() -> str:
    """The folder of the client's settings and of its sessions."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(_user(), ".claude")


def state() -> str:
    """The file of what the client knows by itself: its MCP servers, its projects."""
    return os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or _user(), ".claude.json")


def sessions() -> str:
    """The folder that holds a folder for each place the client ran in."""
    return os.path.join(config(), "projects")


def memory(place: str) -> str:
    """The folder of the client's own memory of `place`."""
    return os.path.join(sessions(), slug(place), "memory")


def slug(place: str) -> str:
    """The name the client makes of a place it ran in; of a long one what stands before the hash."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in place)[:LONGEST]


def may_be_of(name: str, place: str) -> bool:
    """Whether the sessions in a folder called `name` may be those that ran in `place`."""
    return name[:LONGEST] == slug(place)


def _user() -> str:
    return os.path.expanduser("~")

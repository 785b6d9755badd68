"""The token that a client of the HTTP server has to know: a file that its user alone can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from cortex_core import lean
from cortex_core.errors import CortexError

FILE = "http-token"
LEAST = 32
"""Characters of a token that somebody has not shortened."""


def path(home: str) -> Path:
    """Where the token lies."""
    return Path(home, FILE)


def ensure(home: str, *, fresh: bool = False) -> str:
    """The token, made where there is none; with `fresh` always a new one.

    Raises:
        CortexError: the file cannot be used: it is another user's, a link, or cannot be written.
    """
    file = path(home)
    try:
        known = "" if fresh else _read(file)
        if known:
            return known
        os.makedirs(home, mode=0o700, exist_ok=True)  # noqa: PTH103
        made = secrets.token_urlsafe(32)
        lean.replace(str(file), f"{made}\n")
        return made
    except OSError as error:
        raise CortexError(
            f"{file} cannot be used: {error.strerror or error}. No port was opened. Make its "
            "folder writable, or choose another folder with CORTEX_HOME."
        ) from error


def _read(file: Path) -> str:
    """The token in the file; empty where there is none that may be relied on."""
    if file.is_symlink() or not file.exists():
        return ""
    state = file.stat()
    if os.name == "posix" and (state.st_uid != os.getuid() or state.st_mode & 0o077):
        return ""  # others may know it: a new one takes its place
    held = file.read_text(encoding="ascii", errors="replace").strip()
    return held if len(held) >= LEAST else ""

"""Opening a store to read, and which store in which state it is, before anything more is loaded."""

from __future__ import annotations

import os
import sqlite3

WAIT = 0.4
"""Seconds to wait for a lock before going on without this store."""


def connect(path: str) -> sqlite3.Connection:
    """A connection that can read the store at `path` and nothing else; it never creates one.

    Raises:
        sqlite3.Error: it is missing, or cannot be opened.
    """
    address = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    mode = "ro"
    if not os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(f"{path}-shm"):
        mode = "ro&immutable=1"
    return sqlite3.connect(f"file:{address}?mode={mode}", uri=True, timeout=WAIT)


def state(connection: sqlite3.Connection) -> tuple[str, int]:
    """The store's identity and its revision.

    Raises:
        sqlite3.Error: it is locked, damaged or no store.
    """
    asked = "SELECT key, value FROM meta WHERE key IN ('identity', 'revision')"
    meta = dict(connection.execute(asked).fetchall())
    return str(meta.get("identity", "")), int(meta.get("revision", 0))

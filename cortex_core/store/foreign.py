"""Recognising a database of another program in a store's place, which nothing here may change."""

import sqlite3
from collections.abc import Set
from contextlib import closing
from pathlib import Path

from cortex_core.base.errors import StoreCorrupt

OURS: Set[str] = frozenset({"memory", "meta", "journal", "journal_row", "ledger", "embedding"})
"""Tables that a store of every schema has."""

FEWEST = 2
"""How many of its tables a file has at least that lost the others."""


def is_foreign(path: Path, tables: Set[str] = OURS) -> bool:
    """Whether the database at `path` has tables, but not `tables`. Nothing is written.

    False where it cannot be read: opening it says why.
    """
    mode = "ro" if path.with_name(f"{path.name}-wal").exists() else "ro&immutable=1"
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=0)
        ) as connection:
            return has_other_tables(connection, tables)
    except sqlite3.Error:
        return False


def has_other_tables(connection: sqlite3.Connection, tables: Set[str] = OURS) -> bool:
    """The same of an open database.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master").fetchall()}
    return bool(names) and len(names & tables) < FEWEST


def refuse(path: Path, tables: Set[str] = OURS) -> None:
    """Raise where there is a database of another program at `path`.

    Raises:
        StoreCorrupt: there is.
    """
    if path.is_file() and is_foreign(path, tables):
        raise named(path)


def named(path: Path) -> StoreCorrupt:
    """The error for a database of another program at `path`."""
    return StoreCorrupt(
        f"{path} is a database of another program. Nothing was changed. Move the file away."
    )

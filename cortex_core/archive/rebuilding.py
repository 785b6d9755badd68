"""Moving a damaged archive out of the way, and saving of it what can still be read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from cortex_core.archive.archive import DAMAGED, Archive
from cortex_core.store.reader import marks

CHUNK = 200
"""Rows that are read at once; where that fails, they are read one by one."""

BEYOND = 20_000
"""Rows that are tried after the last one that could be read."""

_TABLES = """
SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'message_fts%' AND name <> 'position'
"""
"""What is saved: all but the index, which follows, and how far transcripts were read: they are read
again, for what could not be saved."""

_ORPHANS = "DELETE FROM message WHERE conversation NOT IN (SELECT number FROM conversation)"


def move_aside(path: Path) -> Path:
    """Rename the archive at `path`, with its log, to a name that nothing has; that name.

    Raises:
        OSError: its folder cannot be written.
    """
    taken = (path.with_name(f"{path.name}{DAMAGED}{number}") for number in range(1, 1_000))
    aside = next(each for each in taken if not each.exists())
    for tail in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + tail).rename(aside.with_name(aside.name + tail))
    return aside


def save(old: Path, archive: Archive) -> None:
    """Copy into the empty `archive` every row of `old` that can be read."""
    with closing(sqlite3.connect(old)) as damaged, archive.write():
        archive.execute("PRAGMA defer_foreign_keys = ON")
        for (table,) in archive.rows(_TABLES):
            with suppress(sqlite3.DatabaseError):
                ours = {row["name"] for row in archive.rows(f'PRAGMA table_info("{table}")')}
                theirs = damaged.execute(f'PRAGMA table_info("{table}")').fetchall()
                columns = [f'"{row[1]}"' for row in theirs if row[1] in ours]
                names = ", ".join(columns)
                insert = f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks(columns)})'
                for row in _readable(damaged, table, names):
                    archive.execute(insert, row)
        archive.execute(_ORPHANS)


def _readable(
    damaged: sqlite3.Connection, table: str, columns: str
) -> Iterator[tuple[object, ...]]:
    """The rows of a table that can be read, in order."""
    select = f'SELECT rowid, {columns} FROM "{table}" WHERE rowid > ? AND rowid <= ?'
    at = last = 0
    while at <= last + BEYOND:
        try:
            found = damaged.execute(select, (at, at + CHUNK)).fetchall()
        except sqlite3.DatabaseError:
            found = [row for each in range(at, at + CHUNK) for row in _one(damaged, select, each)]
        yield from (row[1:] for row in found)
        at += CHUNK
        last = at if found else last


def _one(damaged: sqlite3.Connection, select: str, before: int) -> list[tuple[object, ...]]:
    try:
        return damaged.execute(select, (before, before + 1)).fetchall()
    except sqlite3.DatabaseError:
        return []

"""How a store gets its schema: created in an empty file, brought up to date in an older one.

The ladder has one step for each older version, counted by PRAGMA user_version alone. A step changes
the schema as it finds it and never looks at the models, which say what the newest schema is and
will be of another version tomorrow. What was written in words of an older schema and is not
rewritten, the rows in the journal and in the trash, is read through `rows.current`.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cortex_core.base.errors import StoreCorrupt, StoreError, StoreTooNew
from cortex_core.store import reader, snapshots
from cortex_core.store.reader import SCHEMA_VERSION


def bring_up_to_date(
    connection: sqlite3.Connection, path: Path, *, writable: bool, create: Callable[[], None]
) -> None:
    """Create the schema in an empty file, migrate an older one, refuse a newer one.

    Args:
        create: makes the tables of a new store, in the transaction that is open then.

    Raises:
        StoreError: it is of a newer schema, of another program, or would have to be changed and
            can only be read.
    """
    version = reader.version(connection)
    if version > SCHEMA_VERSION:
        raise StoreTooNew(
            f"{path} was written by a newer Cortex (schema {version}, this one supports "
            f"{SCHEMA_VERSION}). Nothing was changed. Upgrade Cortex to open it."
        )
    if version == SCHEMA_VERSION:
        return
    if not writable:
        raise StoreError(
            f"{path} needs a migration but is read-only. Nothing was changed. Make "
            "the file and its folder writable."
        )
    if version == 0:
        _create(connection, path, create)
        return
    snapshots.take(path, "migration")
    # With foreign keys on, dropping a table would empty those that refer to it. The setting cannot
    # be changed inside a transaction.
    connection.execute("PRAGMA foreign_keys = 0")
    try:
        for step in range(version, SCHEMA_VERSION):
            _take_step(connection, step)
    finally:
        connection.execute("PRAGMA foreign_keys = 1")


def _create(connection: sqlite3.Connection, path: Path, create: Callable[[], None]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not reader.version(connection):  # else another process has just created it
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise StoreCorrupt(
                    f"{path} is a database of another program. Nothing was changed. Move the file "
                    "away."
                )
            create()
        connection.commit()
    finally:
        connection.rollback()  # what is still open then failed


def _take_step(connection: sqlite3.Connection, version: int) -> None:
    """Bring a store of `version` to the next one, in one transaction."""
    _run(connection, "BEGIN IMMEDIATE")
    try:
        if reader.version(connection) == version:  # else another process was quicker
            MIGRATIONS[version](connection)
            _run(connection, f"PRAGMA user_version = {version + 1}")
        _run(connection, "COMMIT")
    finally:
        connection.rollback()  # what is still open then failed


def _run(connection: sqlite3.Connection, sql: str, values: Iterable[Any] = ()) -> None:
    connection.execute(sql, tuple(values))


# --- to version 2: numbers are not used again, and a memory's injection policy is called `inject`

_NUMBERED = {
    "memory": "number", "source": "id", "edge": "id", "proposal": "number", "verdict": "id",
}  # fmt: skip
"""The tables whose rows the journal or the trash can bring back under their old numbers."""


def _to_2(connection: sqlite3.Connection) -> None:
    """Give the numbered tables AUTOINCREMENT, and rename `giving`.

    Without it SQLite gives the highest number again once its row is gone, and then what had it
    cannot come back: remember, undo, remember, redo failed.
    """
    highest = {table: _highest(connection, table) for table in _NUMBERED}
    _run(connection, 'ALTER TABLE memory RENAME COLUMN giving TO "inject"')
    for table, key in _NUMBERED.items():
        plain = f'"{key}" INTEGER NOT NULL PRIMARY KEY'
        _rebuild(connection, table, plain, f"{plain} AUTOINCREMENT")
        _run(connection, "DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        _run(connection, "INSERT INTO sqlite_sequence VALUES (?, ?)", (table, highest[table]))


def _highest(connection: sqlite3.Connection, table: str) -> int:
    """The highest number that a row of the table has, or had and may have again."""
    key = _NUMBERED[table]
    numbers = {0, connection.execute(f'SELECT max("{key}") FROM "{table}"').fetchone()[0] or 0}
    numbers.update(
        json.loads(before).get(key) or 0
        for (before,) in connection.execute(
            'SELECT before FROM journal_row WHERE "table" = ? AND after IS NULL', (table,)
        )
    )
    if table in ("memory", "source", "edge"):
        for (packed,) in connection.execute("SELECT rows FROM trash"):
            kept = json.loads(zlib.decompress(packed))
            numbers.update(row.get(key) or 0 for row in kept.get(table, ()))
    return max(numbers)


def _rebuild(connection: sqlite3.Connection, table: str, old: str, new: str) -> None:
    """Rebuild a table with `new` in place of `old` in its definition; keep the rest.

    The rows keep their numbers, so the search indexes, which know them by these, still fit.
    """
    asked = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type {} AND sql IS NOT NULL"
    ((sql,),) = connection.execute(asked.format("= 'table'"), (table,)).fetchall()
    others = connection.execute(asked.format("IN ('index', 'trigger')"), (table,)).fetchall()
    name = f'"{table}"'
    _run(connection, sql.replace(name, '"rebuilt"', 1).replace(old, new, 1))
    _run(connection, f'INSERT INTO "rebuilt" SELECT * FROM {name}')
    _run(connection, f"DROP TABLE {name}")
    _run(connection, f'ALTER TABLE "rebuilt" RENAME TO {name}')
    for (statement,) in others:
        _run(connection, statement)


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _to_2}
"""From each older version the step to the next one."""

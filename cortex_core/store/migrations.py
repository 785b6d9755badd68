"""How a store gets its schema: created in an empty file, brought up to date in an older one.

The ladder has one step for each older version, counted by PRAGMA user_version alone, and begins at
`OLDEST_VERSION`. A step changes the schema as it finds it and never looks at the models, which say
what the newest schema is and will be of another version tomorrow. A step that only adds the column
of a new field is not written here: the field's row in `records/fields.py` is enough, and stays as
it was released. A step that renames a column renames it in the rows of journal and trash as well.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from cortex_core.base.errors import StoreTooNew, StoreUnusable
from cortex_core.records.fields import ADDED
from cortex_core.records.memory import Scope
from cortex_core.store import reader, rows, snapshots

STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {
    12: lambda connection: _run(connection, "ALTER TABLE observation ADD COLUMN vector BLOB"),
}
"""From an older version the step to the next one, where it does more than add columns. The columns
of new fields are there then."""


def bring_up_to_date(
    connection: sqlite3.Connection,
    path: Path,
    *,
    writable: bool,
    create: Callable[[], None],
    scope: Scope,
) -> None:
    """Create the schema in an empty file, migrate an older one, refuse any other.

    Args:
        create: makes the tables of a new store, in the transaction that is open then.

    Raises:
        StoreError: it is of a schema that no step leads from, or would have to be changed and can
            only be read.
    """
    version = reader.version(connection)
    refuse_newer(path, version, reader.SCHEMA_VERSION)
    if version == reader.SCHEMA_VERSION:
        return
    if 0 < version < reader.OLDEST_VERSION:
        problem, instead = too_old(path, version, scope)
        raise StoreUnusable(f"{problem} Nothing was changed. {instead}")
    if not writable:
        raise StoreUnusable(
            f"{path} needs a migration but is read-only. Nothing was changed. Make "
            "the file and its folder writable."
        )
    if version == 0:
        _create(connection, create)
        return
    snapshots.take(path, "migration")
    # With foreign keys on, dropping a table would empty those that refer to it. The setting cannot
    # be changed inside a transaction.
    _run(connection, "PRAGMA foreign_keys = 0")
    try:
        for step in range(version, reader.SCHEMA_VERSION):
            _take_step(connection, step)
    finally:
        connection.execute("PRAGMA foreign_keys = 1")


def refuse_newer(path: Path, version: int, supported: int) -> None:
    """Refuse a file that a newer Cortex wrote.

    Raises:
        StoreTooNew: `version`, its schema, is above the one that is `supported`.
    """
    if version > supported:
        raise StoreTooNew(
            f"{path} was written by a newer Cortex (schema {version}, this one supports "
            f"{supported}). Nothing was changed. Upgrade Cortex to open it."
        )


def too_old(path: Path, version: int, scope: Scope) -> tuple[str, str]:
    """What is said of a store that is older than the ladder, and what to do with it."""
    return (
        f"{path} was written by an earlier development version of Cortex (schema {version}, this "
        f"one reads {reader.OLDEST_VERSION} and newer).",
        "Make it again from what the team has: cortex doctor --fix"
        if scope == "team"
        else "Export it with the version of Cortex that wrote it (cortex export jsonl FILE), move "
        "it away, and import the file here (cortex import jsonl FILE).",
    )


def _create(connection: sqlite3.Connection, create: Callable[[], None]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        if not reader.version(connection):  # else another process has just created it
            create()


def _take_step(connection: sqlite3.Connection, version: int) -> None:
    """Bring a store of `version` to the next one, in one transaction."""
    _run(connection, "BEGIN IMMEDIATE")
    try:
        if reader.version(connection) == version:  # else another process was quicker
            for field in ADDED:
                if field.since == version + 1:
                    _run(
                        connection, f"ALTER TABLE memory ADD COLUMN {rows.column_definition(field)}"
                    )
            if version in STEPS:
                STEPS[version](connection)
            _run(connection, f"PRAGMA user_version = {version + 1}")
        _run(connection, "COMMIT")
    finally:
        connection.rollback()  # what is still open then failed


def _run(connection: sqlite3.Connection, sql: str) -> None:
    connection.execute(sql)

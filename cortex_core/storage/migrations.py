"""How a store gets its schema: created in an empty file, brought up to date in an older one.

The ladder has one step for each version, counted by PRAGMA user_version alone. A step is text of
its own: it never looks at the models, which say what the newest schema is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import peewee

from cortex_core.errors import StoreCorrupt, StoreError, StoreTooNew
from cortex_core.storage import models, snapshots
from cortex_core.storage.reader import SCHEMA_VERSION

MIGRATIONS: dict[int, Callable[[peewee.SqliteDatabase], None]] = {}
"""From each older version the step to the next one."""


def bring_up_to_date(
    database: peewee.SqliteDatabase,
    path: Path,
    *,
    writable: bool,
    found: Callable[[], None],
) -> None:
    """Create the schema in an empty file, migrate an older one, refuse a newer one.

    Args:
        found: writes what a new store says of itself, in the transaction that creates it.
    """
    version = int(database.pragma("user_version") or 0)
    if version > SCHEMA_VERSION:
        raise StoreTooNew(
            f"{path} was written by a newer Cortex (schema {version}, this one knows "
            f"{SCHEMA_VERSION}). Nothing was changed. Upgrade Cortex to open it."
        )
    if version == SCHEMA_VERSION:
        return
    if not writable:
        raise StoreError(f"{path} needs a migration but can only be read. Nothing was changed.")
    if version == 0:
        _create(database, path, found)
        return
    snapshots.take(path, "migration")
    for step in range(version, SCHEMA_VERSION):
        with database.atomic("IMMEDIATE"):
            MIGRATIONS[step](database)
            database.pragma("user_version", step + 1)


def _create(database: peewee.SqliteDatabase, path: Path, found: Callable[[], None]) -> None:
    with database.atomic("IMMEDIATE"):
        if int(database.pragma("user_version") or 0):
            return
        if database.get_tables():
            raise StoreCorrupt(
                f"{path} is a database of another program. Nothing was changed. Move it away."
            )
        models.create(database)
        found()

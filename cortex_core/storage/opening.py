"""Opening a store's file: what is refused, how SQLite is set up, migrations, errors in words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import peewee

from cortex_core.errors import (
    CortexError,
    StoreCorrupt,
    StoreError,
    StoreLocked,
    StoreTooNew,
)
from cortex_core.storage import schema, snapshots
from cortex_core.storage.schema import Tables

BUSY_MS = 5000
"""How long a connection waits for another's lock."""

WAL_LIMIT = 16 * 1024 * 1024
"""Bytes to which the write-ahead log is cut back after a checkpoint."""

NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb2", "smbfs", "9p", "afs", "fuse.sshfs", "ceph"})
"""File systems on which SQLite's locks cannot be trusted."""

MIGRATIONS: dict[int, Callable[[peewee.SqliteDatabase], None]] = {}
"""From each older version the step to the next one."""

_PRAGMAS = {
    "journal_mode": "wal", "synchronous": "normal", "foreign_keys": 1, "busy_timeout": BUSY_MS,
    "journal_size_limit": WAL_LIMIT,
}  # fmt: skip


def connect(path: Path, *, create: bool) -> tuple[peewee.SqliteDatabase, bool]:
    """The database at `path` and whether it can be written."""
    if path.is_dir():
        raise StoreError(f"{path} is a folder, not a store. Nothing was changed. Move it away.")
    if not path.exists():
        _prepare(path, create=create)
    if kind := network_file_system(path):
        raise StoreError(
            f"{path} lies on a network file system ({kind}), where SQLite loses data. Nothing was "
            "changed. Use a folder on a local disk (CORTEX_PROJECT or CORTEX_HOME)."
        )
    if not os.access(path, os.R_OK):
        raise StoreError(
            f"{path} cannot be read: permission denied. Nothing was changed. "
            "Give yourself read permission on it."
        )
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    if writable:
        return peewee.SqliteDatabase(str(path), pragmas=_PRAGMAS, timeout=BUSY_MS / 1000), True
    return _read_only(path), False


def _prepare(path: Path, *, create: bool) -> None:
    if not create:
        raise StoreError(f"There is no store at {path}. Nothing was changed.")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(
            f"{path} cannot be created: {error.strerror}. Nothing was changed. "
            "Make its folder writable, or free some space."
        ) from error


def _read_only(path: Path) -> peewee.SqliteDatabase:
    """A read-only database; `immutable` where not even the WAL's files can be made."""
    wal = path.with_name(path.name + "-wal")
    mode = "ro" if wal.exists() and os.access(path.parent, os.W_OK) else "ro&immutable=1"
    return peewee.SqliteDatabase(f"{path.absolute().as_uri()}?mode={mode}", uri=True)


def bring_up_to_date(
    tables: Tables,
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
    if version > schema.SCHEMA_VERSION:
        raise StoreTooNew(
            f"{path} was written by a newer Cortex (schema {version}, this one knows "
            f"{schema.SCHEMA_VERSION}). Nothing was changed. Upgrade Cortex to open it."
        )
    if version == schema.SCHEMA_VERSION:
        return
    if not writable:
        raise StoreError(f"{path} needs a migration but can only be read. Nothing was changed.")
    if version == 0:
        _create(tables, database, path, found)
        return
    snapshots.take(path, "migration")
    for step in range(version, schema.SCHEMA_VERSION):
        with database.atomic("IMMEDIATE"):
            MIGRATIONS[step](database)
            database.pragma("user_version", step + 1)


def _create(
    tables: Tables, database: peewee.SqliteDatabase, path: Path, found: Callable[[], None]
) -> None:
    with database.atomic("IMMEDIATE"):
        if int(database.pragma("user_version") or 0):
            return
        if database.get_tables():
            raise StoreCorrupt(
                f"{path} is a database of another program. Nothing was changed. Move it away."
            )
        schema.create(database, tables)
        found()


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors inside the block into a StoreError that says what to do."""
    try:
        yield
    except CortexError:
        raise
    except (peewee.DatabaseError, sqlite3.DatabaseError) as error:
        raise _translate(path, str(_first(error))) from error


def _first(error: BaseException) -> BaseException:
    """The database's first complaint: a full disk ends the transaction, and then the rollback
    complains as well."""
    context = error.__context__
    databases = (peewee.DatabaseError, sqlite3.DatabaseError)
    return _first(context) if isinstance(context, databases) else error


def _translate(path: Path, message: str) -> StoreError:
    low = message.lower()
    if "locked" in low or "busy" in low:
        return StoreLocked(
            f"{path} is held by another process. Nothing was changed. Try again in a moment."
        )
    if "malformed" in low or "not a database" in low or "corrupt" in low:
        return StoreCorrupt(
            f"{path} is damaged ({message}). Nothing was changed. "
            "Restore a snapshot (cortex snapshot list), or move the file away to start afresh."
        )
    if "full" in low:
        return StoreError(f"{path}: the disk is full. Nothing was changed. Free some space.")
    if "readonly" in low or "unable to open" in low or "disk i/o" in low:
        return StoreError(
            f"{path} cannot be used ({message}). Nothing was changed. "
            "Check that the file and its folder are there and writable."
        )
    return StoreError(f"{path}: {message}. Nothing was changed.")


def network_file_system(path: Path) -> str:
    """The type of the network file system that `path` lies on, "" for a local one or unknown."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    real, best, kind = str(path.resolve()), "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        point = fields[1].replace("\\040", " ").rstrip("/") + "/"
        if len(fields) > 2 and (real + "/").startswith(point) and len(point) > len(best):
            best, kind = point, fields[2]
    return kind if kind in NETWORK else ""

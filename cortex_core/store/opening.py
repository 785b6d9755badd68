"""Opening a store's file: what is refused, how SQLite is set up, errors in words."""

import os
import sqlite3
import sys
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from cortex_core.base import hook_io
from cortex_core.base.errors import (
    CortexError,
    StoreCorrupt,
    StoreError,
    StoreLocked,
    StoreUnusable,
)
from cortex_core.store import foreign, leftovers, reader

BUSY_MS = 60_000
"""How long a connection waits for another's lock, and a writer for its turn (`write_queue.py`)."""

WAL_LIMIT = 16 * 1024 * 1024
"""Bytes to which the write-ahead log is cut back after a checkpoint."""

NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb2", "smbfs", "9p", "afs", "fuse.sshfs", "ceph"})
"""File systems on which SQLite's locks cannot be trusted."""

_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "normal",
    "foreign_keys": 1,
    "busy_timeout": BUSY_MS,
    "journal_size_limit": WAL_LIMIT,
}


def prepare(path: Path, *, create: bool, tables: Set[str] = foreign.OURS) -> bool:
    """Make sure that a file is there which can be used as a store; whether it can be written.

    Args:
        tables: by which the file is recognised as one of its kind.

    Raises:
        StoreError: it is missing (with `create` off) or cannot be used; the message says why.
    """
    if path.is_dir():
        raise StoreUnusable(
            f"{path} is a folder, not a store. Nothing was changed. Move the folder away."
        )
    if not path.exists():
        _create_file(path, create=create)
    if kind := network_file_system(path):
        raise StoreUnusable(
            f"{path} is on a network file system ({kind}), where SQLite can lose data. Nothing was "
            "changed. Use a folder on a local disk (CORTEX_PROJECT or CORTEX_HOME)."
        )
    if not os.access(path, os.R_OK):
        raise StoreUnusable(
            f"{path} cannot be read: permission denied. Nothing was changed. "
            "Give yourself read permission on it."
        )
    # Asked before anything is swept: another program may use this folder.
    foreign.refuse(path, tables)
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    if writable:
        leftovers.sweep(path.parent)
    return writable


def _create_file(path: Path, *, create: bool) -> None:
    if not create:
        raise StoreUnusable(f"There is no store at {path}. Nothing was changed.")
    try:
        hook_io.private_folder(str(path.parent))
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | hook_io.NOFOLLOW, 0o600))
    except OSError as error:
        raise StoreUnusable(
            f"{path} cannot be created: {error.strerror}. Nothing was changed. "
            "Make its folder writable, or free some space."
        ) from error


def connect(path: Path, *, writable: bool, tables: Set[str] = foreign.OURS) -> sqlite3.Connection:
    """A connection to the store at `path`, one to a thread; a file that is gone stays gone.

    Where the store can only be read, it is opened so; `immutable` where not even the files of its
    write-ahead log can be made.
    """
    if writable:
        mode, pragmas = "rw", _PRAGMAS
    else:
        wal = path.with_name(path.name + "-wal")
        # Reading next to a writer needs the log; without one nothing else may change the file.
        mode = "ro" if wal.exists() and os.access(path.parent, os.W_OK) else "ro&immutable=1"
        pragmas = {}
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_MS / 1000,
        isolation_level=None,
    )
    reader.prepare(connection)
    try:
        if foreign.has_other_tables(connection, tables):
            raise foreign.named(path)
        for name, value in pragmas.items():
            connection.execute(f"PRAGMA {name} = {value}")
        connection.execute("PRAGMA schema_version").fetchone()  # a read makes the log
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors inside the block into a StoreError that says what to do."""
    try:
        yield
    except database_errors() as error:
        raise translation(path, error) from error


def translation(path: Path, error: Exception) -> CortexError:
    """What to raise for an error of SQLite: it says what to do. Single statements, which run by the
    thousand, catch the error themselves, as a context manager costs half of a short read."""
    first = _first(error)
    return first if isinstance(first, CortexError) else _translate(path, str(first))


def database_errors() -> tuple[type[Exception], ...]:
    """What a statement may raise: sqlite3's errors, and peewee's once that is loaded."""
    peewee = sys.modules.get("peewee")
    known = (sqlite3.DatabaseError,)
    return known if peewee is None else (*known, peewee.DatabaseError)


_OF_A_ROLLBACK = ("cannot rollback", "no such savepoint")


def _first(error: BaseException) -> BaseException:
    """The database's first complaint, or what was made of it: a full disk ends the transaction, and
    then the rollback complains as well."""
    context = error.__context__
    is_of_a_rollback = any(said in str(error) for said in _OF_A_ROLLBACK)
    if isinstance(context, CortexError) and is_of_a_rollback:
        return context
    return _first(context) if isinstance(context, database_errors()) else error


_SENTENCES: tuple[tuple[tuple[str, ...], type[StoreError], str], ...] = (
    (
        ("locked", "busy"),
        StoreLocked,
        "{path} is locked by another process. Nothing was changed. Try again in a moment.",
    ),
    (
        ("malformed", "not a database", "corrupt"),
        StoreCorrupt,
        "{path} is damaged ({message}). Nothing was changed. Restore a snapshot (cortex snapshot "
        "list), or move the file away to start with an empty store.",
    ),
    (
        ("full",),
        StoreUnusable,
        "{path}: the disk is full. Nothing was changed. Free some space.",
    ),
    (
        ("readonly", "unable to open", "disk i/o"),
        StoreUnusable,
        "{path} cannot be used ({message}). Nothing was changed. Check that the disk has room, and "
        "that the file and its folder exist and are writable.",
    ),
    (("",), StoreError, "{path}: {message}. Nothing was changed."),
)
"""By words of SQLite's message, what is raised and said; the first row that fits counts."""


def _translate(path: Path, message: str) -> StoreError:
    low = message.lower()
    kind, sentence = next(
        (kind, sentence)
        for signs, kind, sentence in _SENTENCES
        if any(sign in low for sign in signs)
    )
    return kind(sentence.format(path=path, message=message))


def network_file_system(path: Path) -> str:
    """The type of the network file system that `path` is on, "" for a local one or unknown."""
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

"""Whether a store is whole and its derived parts are in step, and repairing those: what the doctor
asks and does.

The questions only read. The fixes write what is derived and not journalled, on connections of their
own, so that they work where a store cannot be opened as usual.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from cortex_core.base.kinds import CODE
from cortex_core.store.reader import SCHEMA_VERSION, Reader, connect, state, version as schema_of
from cortex_core.store.vector_search import PENDING

PATIENCE = 2.0
"""Seconds that another process may hold a store before it counts as held."""

INDEXES = ("memory_fts", "memory_words")

# --- the file


def version(path: Path) -> int:
    """The schema of the store at `path`; 0 where it has none yet.

    Raises:
        sqlite3.Error: it is locked, damaged or no store.
    """
    with closing(connect(str(path))) as connection:
        found = schema_of(connection)
        state(connection)
        return found


def is_readable(path: Path) -> bool:
    """Whether there is a store of this schema at `path` that can be read."""
    try:
        return version(path) == SCHEMA_VERSION
    except sqlite3.Error:
        return False


def why_not_writable(path: Path) -> str:
    """What SQLite says where somebody keeps others from writing; empty where nobody does."""
    try:
        with _writing(path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        return str(error)
    return ""


def damage(store: Reader) -> str:
    """The first fault that SQLite's integrity check names; empty where the file is whole."""
    faults = [str(fault) for (fault,) in store.rows("PRAGMA integrity_check(3)")]
    return "" if faults == ["ok"] else faults[0]


def damage_of(path: Path) -> str:
    """As `damage`, of the SQLite file at `path`, which need not be a store.

    Raises:
        sqlite3.Error: it is locked, or no such file.
    """
    with Reader(str(path), "project") as file:
        return damage(file)


def owner(archive: Path) -> str:
    """The identity of the store that an archive of conversations belongs to.

    Raises:
        sqlite3.Error: it is locked, damaged or no archive.
    """
    with Reader(str(archive), "project") as file:
        return file.meta("owner") or ""


def orphans(store: Reader) -> int:
    """Rows that belong to no memory and no journal entry."""
    return len(store.rows("PRAGMA foreign_key_check"))


def drop_orphans(path: Path) -> int:
    """Remove these rows; how many there were."""
    with _writing(path) as connection:
        found = connection.execute("PRAGMA foreign_key_check").fetchall()
        for table, row, *_ in found:
            key = "number" if table == "embedding" else "rowid"
            connection.execute(f'DELETE FROM "{table}" WHERE {key} = ?', (row,))
        return len(found)


# --- the search index


def memories(store: Reader) -> int:
    """How many there are."""
    return int(store.value("SELECT count(*) FROM memory"))


def indexed(store: Reader, index: str) -> int:
    """How many memories an index lists."""
    return int(store.value(f"SELECT count(*) FROM {index}_docsize"))


def index_fits(path: Path, index: str) -> bool | None:
    """Whether SQLite finds the same words in an index as in the memories; it writes nothing.

    None where it cannot be asked, because the store is locked or can only be read.
    """
    try:
        with _writing(path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute(
                    f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)"
                )
            finally:
                connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return None
    except sqlite3.DatabaseError:
        return False
    return True


def rebuild_indexes(path: Path) -> None:
    """Rebuild both indexes from the memories."""
    with _writing(path) as connection:
        for index in INDEXES:
            connection.execute(f"INSERT INTO {index}({index}) VALUES ('rebuild')")


# --- vectors


def without_vector(store: Reader, model: str, before: float) -> int:
    """Memories that have waited since before that moment for a vector of `model`."""
    return int(
        store.value(
            f"SELECT count(*) FROM memory WHERE number IN ({PENDING}) AND updated < ?",
            (model, CODE, before),
        )
    )


def of_other_models(store: Reader, model: str) -> int:
    """Vectors of another model than `model`."""
    return int(store.value("SELECT count(*) FROM embedding WHERE model <> ?", (model,)))


# --- what piles up


def newest_contents(store: Reader, limit: int) -> list[str]:
    """What the newest memories say."""
    return store.column("SELECT content FROM memory ORDER BY number DESC LIMIT ?", (limit,))


def _writing(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None))

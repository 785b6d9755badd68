"""Going over the words of every table, and removing some of them for good."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from sqlite3 import Error
from typing import Any

from cortex_core.store.database import DatabaseFile
from cortex_core.store.health import INDEXES
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store

OF_MEMORIES = frozenset({"source", "receipt", "occasion", "trash", "journal_row"})
"""Tables whose rows name the memory they are of."""

CHUNK = 400


def words(
    store: Reader, table: str, columns: Sequence[str]
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Number, memory and these columns of each row of a table, read in parts, so that no read is
    long. The memory is the id of the one that it is of; empty where it is of none."""
    owner = {"memory": "id"}.get(table, "memory" if table in OF_MEMORIES else "''")
    listed = ", ".join(f'"{name}"' for name in columns)
    asked = (
        f'SELECT rowid, {owner}, {listed} FROM "{table}" WHERE rowid > ? '
        f"ORDER BY rowid LIMIT {CHUNK}"
    )
    last = -1
    while found := store.rows(asked, (last,)):
        for number, memory, *cells in found:
            yield number, str(memory), dict(zip(columns, cells, strict=True))
        last = found[-1][0]


def overwrite(store: Store, table: str, row: int, cells: Mapping[str, Any]) -> None:
    """Set columns of a row and keep nothing of what they held, inside an open transaction.

    A row that becomes another one's repetition replaces it.
    """
    sets = ", ".join(f'"{name}" = ?' for name in cells)
    store.execute(f'UPDATE OR REPLACE "{table}" SET {sets} WHERE rowid = ?', (*cells.values(), row))


def overwrite_freed_pages(store: Store) -> None:
    """From now on have SQLite write zeros over what it frees; before a transaction."""
    store.execute("PRAGMA secure_delete = ON")


def rebuild_indexes(store: Store) -> None:
    """Rebuild the search indexes, inside an open transaction."""
    for index in INDEXES:
        store.execute(f"INSERT INTO {index}({index}) VALUES ('rebuild')")


def rewrite_file(file: DatabaseFile) -> None:
    """Rewrite the file, without what was freed, and empty its log: as far as nobody else reads
    or writes it."""
    with suppress(Error):
        file.connection.execute("VACUUM")
        file.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def old_pages(file: DatabaseFile) -> str:
    """Why pages that were overwritten may still be on disk, in a sentence; empty when they are not:
    another process keeps the write-ahead log from being emptied."""
    log = file.path.with_name(file.path.name + "-wal")
    if not (log.exists() and log.stat().st_size):
        return ""
    return (
        f"{log} is in use by another process and may still contain old pages. End that process, "
        "then run: cortex secrets scrub"
    )

"""Reading a store with the standard library alone, as hooks, recall and the doctor do.

Rows come back with names (`sqlite3.Row`: they unpack like tuples and answer to column names). A
reader never creates, migrates or changes a store.
"""

from __future__ import annotations

import os
import sqlite3

from cortex_core.base.hook_io import Closing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from cortex_core.records.memory import Scope

    Item = TypeVar("Item")

SCHEMA_VERSION = 14
"""The newest schema, which this code reads and writes. Counted by PRAGMA user_version alone."""

OLDEST_VERSION = 12
"""The oldest schema that a store can be brought up to date from; those before it were never
released."""

WAIT = 0.4
"""Seconds that a hook waits for a lock before going on without this store."""

CHUNK = 500
"""Most ids in one SQL statement."""

FTS_COLUMNS = ("title", "content", "tags", "context", "excerpt")
"""Columns of `memory_fts`, in the order that bm25() weights them."""

FTS_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.2)
"""An excerpt's words find a memory, but count little."""

BM25 = f"bm25(memory_fts, {', '.join(map(str, FTS_WEIGHTS))})"
"""SQLite's score of a match: lower, below zero, is better."""

_STATE = "SELECT key, value FROM meta WHERE key IN ('identity', 'revision')"


def connect(path: str) -> sqlite3.Connection:
    """A connection that can read the store at `path` and nothing else; it never creates one.

    Raises:
        sqlite3.Error: it is missing, or cannot be opened.
    """
    connection = sqlite3.connect(address(path), uri=True, timeout=WAIT)
    prepare(connection)
    return connection


def address(path: str) -> str:
    """The URI by which SQLite opens the store at `path` to read it and nothing else."""
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    mode = "ro"
    if not os.access(os.path.dirname(path), os.W_OK) and not os.path.exists(f"{path}-shm"):
        mode = "ro&immutable=1"
    return f"file:{quoted}?mode={mode}"


def prepare(connection: sqlite3.Connection) -> None:
    """Give `connection` what every query may count on: rows with names, and `glob_matches`."""
    connection.row_factory = sqlite3.Row
    connection.create_function("glob_matches", 2, _glob_matches, deterministic=True)


def _glob_matches(path: str, glob: str) -> bool:
    """SQLite's own GLOB lets `*` cross folders; globs have one dialect everywhere."""
    from cortex_core.base.globs import matches

    return matches(path, glob)


def state(connection: sqlite3.Connection) -> tuple[str, int]:
    """The store's identity and its revision.

    Raises:
        sqlite3.Error: it is locked, damaged or no store.
    """
    meta = {row["key"]: row["value"] for row in connection.execute(_STATE)}
    return str(meta.get("identity", "")), int(meta.get("revision", 0))


def version(connection: sqlite3.Connection) -> int:
    """The schema of the store; 0 where it has none yet.

    Raises:
        sqlite3.Error: it is locked or damaged.
    """
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def refuse_older(connection: sqlite3.Connection) -> None:
    """Refuse a store that has to be brought up to date before it can be read.

    Raises:
        sqlite3.DatabaseError: it is of an older schema.
    """
    if version(connection) < SCHEMA_VERSION:
        raise sqlite3.DatabaseError("the store is of an older schema")


class Reader(Closing):
    """One store, opened when it is first read. A context manager; not to be shared between threads.

    Raises:
        sqlite3.Error: the store is missing, locked, damaged or of another schema.
    """

    def __init__(self, file: str, scope: Scope) -> None:
        self.file = file
        """The database's path."""
        self.scope = scope
        self._connection: sqlite3.Connection | None = None

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection that is read through."""
        if self._connection is None:
            self._connection = connect(self.file)
        return self._connection

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """The rows of one statement."""
        return self.connection.execute(sql, parameters).fetchall()

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first cell of the first row; None where there is no row."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None

    def column(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The first cell of each row of a statement."""
        return [row[0] for row in self.rows(sql, parameters)]

    def pairs(self, sql: str, parameters: Sequence[Any] = ()) -> dict[Any, Any]:
        """The second cell of each row of a statement, by the first."""
        return {row[0]: row[1] for row in self.rows(sql, parameters)}

    def lend_functions(self, **functions: tuple[int, Callable[..., Any]]) -> None:
        """Lend SQL functions that SQLite was built without: name, number of arguments, function."""
        for name, (arguments, function) in functions.items():
            try:
                self.rows(f"SELECT {name}({','.join('1' * arguments)})")
            except sqlite3.OperationalError:
                self.connection.create_function(name, arguments, function, deterministic=True)

    # --- what the store says of itself

    def meta(self, key: str) -> str | None:
        """The value of one meta row."""
        found: str | None = self.value("SELECT value FROM meta WHERE key = ?", (key,))
        return found

    def metas(self, beginning: str) -> dict[str, str]:
        """The meta rows whose keys begin so: key and value."""
        return self.pairs("SELECT key, value FROM meta WHERE instr(key, ?) = 1", (beginning,))

    @property
    def identity(self) -> str:
        """A random name given when the store was created."""
        return self.meta("identity") or ""

    @property
    def revision(self) -> int:
        """Raised by every change and every access update."""
        return int(self.meta("revision") or 0)

    @property
    def most_accessed(self) -> int:
        """The highest access count among active memories."""
        return self.value("SELECT max(access_count) FROM memory WHERE status = 'active'") or 0

    # --- vectors, as recall without numpy reads them

    def vectors_since(self, stamp: int, model: str, limit: int) -> list[sqlite3.Row]:
        """Number and vector (float32) of what `model` has encoded since a stamp."""
        return self.rows(
            "SELECT number, vector FROM embedding WHERE stamp > ? AND model = ? LIMIT ?",
            (stamp, model, limit),
        )


def marks(values: Sequence[object]) -> str:
    """The question marks of as many parameters."""
    return ",".join("?" * len(values))


def parts(values: Sequence[Item]) -> list[Sequence[Item]]:
    """`values` in stretches that one statement can take."""
    return [values[start : start + CHUNK] for start in range(0, len(values), CHUNK)]

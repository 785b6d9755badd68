"""A store as it was at a moment: every change in its journal up to then, one after the other.

Nothing is written to the file. `PastStore` has the whole store in memory, to be read as any other;
`memories_at` reads single memories.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from cortex_core.records.memory import Scope
from cortex_core.store import journal, reader
from cortex_core.store.reader import Reader
from cortex_core.store.rows import Row
from cortex_core.store.surface_reader import SurfaceReader

TABLES = ("memory", "source", "edge", "proposal")
"""The tables that the surface reads, and that the journal leads to."""

_LAST = "SELECT number FROM {}journal WHERE time <= ? ORDER BY number DESC LIMIT 1"
"""The last change that was made no later than a moment; backwards, because most ask for one that is
not long past."""


class PastStore(SurfaceReader):
    """A store as it was at a moment, in memory.

    Raises:
        sqlite3.Error: the store cannot be read, or its journal cannot be.
    """

    def __init__(self, file: str, scope: Scope, moment: float) -> None:
        self._past = sqlite3.connect(":memory:", uri=True, isolation_level=None)
        reader.prepare(self._past)
        try:
            self._past.execute("ATTACH ? AS present", (reader.address(file),))
            self._past.execute("BEGIN")
            self._make_tables()
            self.lost = self._replay(moment)
            """Ids of the memories that were there, and whose content is kept nowhere."""
            self._past.execute("COMMIT")
            self._past.execute("DETACH present")
            super().__init__(file, scope)
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection to the copy."""
        return self._past

    def close(self) -> None:
        """Let the copy go."""
        self._past.close()

    def _make_tables(self) -> None:
        """Make the tables, empty; not what finds words in them, which nobody asks for."""
        self._past.execute(f"PRAGMA main.user_version = {reader.SCHEMA_VERSION}")
        defined = self._past.execute(
            "SELECT type, sql FROM present.sqlite_master WHERE sql IS NOT NULL AND tbl_name IN "
            "(SELECT value FROM json_each(?)) AND type IN ('table', 'index')",
            (json.dumps([*TABLES, "meta"]),),
        ).fetchall()
        for type in ("table", "index"):
            for sql in (row["sql"] for row in defined if row["type"] == type):
                self._past.execute(sql)
        self._past.execute(
            "INSERT INTO main.meta SELECT * FROM present.meta WHERE key IN ('identity', 'revision')"
        )

    def _replay(self, moment: float) -> frozenset[str]:
        """Make the copy what the store was; the memories of that time that are lost."""
        states: dict[tuple[str, str], Row | None] = {}
        last = self._past.execute(_LAST.format("present."), (moment,)).fetchone()
        for table, key, before, after in self._past.execute(
            'SELECT "table", key, before, after FROM present.journal_row WHERE entry <= ? '
            'AND "table" IN (SELECT value FROM json_each(?)) ORDER BY entry, place',
            (last[0] if last else 0, json.dumps(TABLES)),
        ):
            states[table, key] = journal.applied(states.get((table, key)), before, after)
        for (table, _), row in states.items():
            if row:
                names = ",".join(f'"{name}"' for name in row)
                marks = reader.marks(tuple(row))
                self._past.execute(
                    f'INSERT INTO main."{table}" ({names}) VALUES ({marks})', tuple(row.values())
                )
        return frozenset(
            str(json.loads(key))
            for (table, key), row in states.items()
            if table == "memory" and row is not None and not row
        )


class MemoryThen(NamedTuple):
    """What a memory was at a moment."""

    known: bool
    """False where it was there, and its content is kept nowhere any more."""
    title: str = ""
    content: str = ""
    kind: str = ""


Asked = tuple[str, float]
"""The id of a memory, and a moment in Unix seconds."""


def memories_at(store: Reader, asked: Iterable[Asked]) -> dict[Asked, MemoryThen]:
    """What memories were at moments; those that the store did not hold then are left out."""
    wanted = sorted(set(asked))
    last = {moment: store.value(_LAST.format(""), (moment,)) or 0 for _, moment in wanted}
    found: dict[Asked, MemoryThen] = {}
    for name, pairs in groupby(wanted, key=lambda pair: pair[0]):
        moments = [moment for _, moment in pairs]
        states = _states(store, name, [last[moment] for moment in moments])
        for moment, row in zip(moments, states, strict=True):
            if row:
                found[name, moment] = MemoryThen(True, row["title"], row["content"], row["kind"])
            elif row is not None:
                found[name, moment] = MemoryThen(known=False)
    return found


def _states(store: Reader, name: str, entries: list[int]) -> list[Row | None]:
    """The rows of a memory after each of `entries`, which ascend; None where it had none."""
    changes = store.rows(
        "SELECT entry, before, after FROM journal_row WHERE memory = ? AND \"table\" = 'memory' "
        "ORDER BY entry DESC, place DESC",
        (name,),
    )
    state: Row | None = None
    states = []
    for last in entries:
        while changes and changes[-1]["entry"] <= last:
            _, before, after = changes.pop()
            state = journal.applied(state, before, after)
        states.append(state)
    return states

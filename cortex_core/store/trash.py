"""What lies in the trash, as the store keeps it: every row of a pruned memory, compressed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.store.journal import EMPTIED, Change
from cortex_core.store.reader import Reader
from cortex_core.store.rows import Row, current, dumps

if TYPE_CHECKING:
    from cortex_core.store.store import Store

_TABLES = ("memory", "source", "edge")


class Discarded(NamedTuple):
    """One memory in the trash."""

    id: str
    title: str
    scope: str
    time: float
    """When it was pruned, Unix seconds."""


class Kept(NamedTuple):
    """A memory in the trash with all that belongs to it."""

    id: str
    title: str
    rows: dict[str, list[Row]]
    """By table, what is to be inserted again."""


def put(store: Reader, change: Change, name: str) -> None:
    """Move a memory with its sources and edges into the trash; nothing where there is none."""
    memory = change.read("memory", name)
    if memory is None:
        return
    sources = store.rows("SELECT * FROM source WHERE memory = ?", (name,))
    edges = store.rows("SELECT * FROM edge WHERE source = ?1 OR target = ?1", (name,))
    kept = {"memory": [memory], "source": list(map(dict, sources)), "edge": list(map(dict, edges))}
    packed = zlib.compress(dumps(kept).encode())
    change.delete("memory", name)
    change.insert(
        "trash",
        {"memory": name, "title": memory["title"], "rows": packed, "time": change.time},
    )


def listed(store: Reader) -> list[Discarded]:
    """What lies in the trash, newest first."""
    found = store.rows("SELECT memory, title, time FROM trash ORDER BY time DESC, memory")
    return [Discarded(row["memory"], row["title"], store.scope, row["time"]) for row in found]


def beginning_with(store: Reader, name: str) -> list[Kept]:
    """The memories in the trash whose ids begin so."""
    found = store.rows(
        "SELECT memory, title, rows FROM trash WHERE substr(memory, 1, length(?1)) = ?1", (name,)
    )
    return [Kept(row["memory"], row["title"], _unpacked(row["rows"])) for row in found]


def destroy(store: Store, names: Iterable[str]) -> None:
    """Delete memories in the trash for good, and their traces in the journal, inside an open
    transaction."""
    for name in names:
        store.execute("DELETE FROM trash WHERE memory = ?", (name,))
        store.execute(
            "UPDATE journal_row SET before = ? WHERE memory = ? AND before IS NOT NULL",
            (EMPTIED, name),
        )


def _unpacked(packed: bytes) -> dict[str, list[Row]]:
    kept = json.loads(zlib.decompress(packed))
    return {table: [current(table, row) for row in kept[table]] for table in _TABLES}

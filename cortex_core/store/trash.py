"""The trash: pruned memories with all that belongs to them, until they are deleted for good."""

import json
import zlib
from collections.abc import Iterable
from typing import NamedTuple

from cortex_core.records.as_json import Moment
from cortex_core.store import scrubbing, synced
from cortex_core.store.journal import EMPTIED, UNNAMED, Change
from cortex_core.store.reader import Reader
from cortex_core.store.rows import Row, dumps
from cortex_core.store.store import Store

_TABLES = ("memory", "source", "edge")


class Discarded(NamedTuple):
    """One memory in the trash."""

    id: str
    title: str
    scope: str
    time: Moment
    """When it was pruned, Unix seconds."""


def put(store: Reader, change: Change, name: str) -> None:
    """Move a memory with its sources and edges into the trash; nothing where there is none."""
    memory = change.read("memory", name)
    if memory is None:
        return
    sources = store.rows("SELECT * FROM source WHERE memory = ?", (name,))
    edges = store.rows("SELECT * FROM edge WHERE source = ? OR target = ?", (name, name))
    kept = {"memory": [memory], "source": list(map(dict, sources)), "edge": list(map(dict, edges))}
    packed = zlib.compress(dumps(kept).encode())
    change.delete("memory", name)
    change.insert(
        "trash",
        {"memory": name, "title": memory["title"], "rows": packed, "time": change.time},
    )


def listed(store: Reader) -> list[Discarded]:
    """What is in the trash, newest first."""
    found = store.rows("SELECT memory, title, time FROM trash ORDER BY time DESC, memory")
    return [Discarded(row["memory"], row["title"], store.scope, row["time"]) for row in found]


def beginning_with(store: Reader, name: str) -> dict[str, dict[str, list[Row]]]:
    """The memories in the trash whose ids begin so: each id with what is to be inserted again, by
    table."""
    found = store.rows("SELECT memory, rows FROM trash WHERE instr(memory, ?) = 1", (name,))
    return {row["memory"]: _unpacked(row["rows"]) for row in found}


def erase(store: Store, names: Iterable[str]) -> None:
    """Keep no word of memories that are in no table any more, inside an open transaction: neither
    in the journal, nor in what any change that concerns one of them is called."""
    for name in names:
        store.execute(
            "UPDATE journal SET label = verb || ? "
            "WHERE number IN (SELECT entry FROM journal_row WHERE memory = ?)",
            (UNNAMED, name),
        )
    destroy(store, names)
    scrubbing.rebuild_indexes(store)


def destroy(store: Store, names: Iterable[str]) -> None:
    """Delete memories in the trash for good, and their words in the journal, inside an open
    transaction. What a change of one of them alone is called names it no more. Verdicts have no
    word of a memory: they stay, and so does what the journal says of them."""
    for name in names:
        store.execute(
            "UPDATE journal SET label = verb || ? "
            "WHERE number IN (SELECT entry FROM journal_row WHERE memory = ?) AND NOT EXISTS ("
            "SELECT 1 FROM journal_row WHERE entry = number AND memory <> ?)",
            (UNNAMED, name, name),
        )
        store.execute("DELETE FROM trash WHERE memory = ?", (name,))
        synced.mark_gone(store, name)
        store.execute(
            "UPDATE journal_row SET before = CASE WHEN before IS NOT NULL THEN ? END, "
            "after = CASE WHEN after IS NOT NULL THEN ? END "
            "WHERE memory = ? AND \"table\" <> 'verdict'",
            (EMPTIED, EMPTIED, name),
        )


def _unpacked(packed: bytes) -> dict[str, list[Row]]:
    kept = json.loads(zlib.decompress(packed))
    return {table: kept[table] for table in _TABLES}

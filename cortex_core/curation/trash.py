"""The trash: what was pruned, compressed, kept until it is emptied."""

from __future__ import annotations

import json
import zlib
from typing import NamedTuple

from cortex_core.memory import Actor
from cortex_core.storage import rows
from cortex_core.storage.journal import EMPTIED, Change
from cortex_core.storage.store import Store
from cortex_core.storage.workspace import Workspace


class Discarded(NamedTuple):
    """One memory in the trash."""

    id: str
    title: str
    scope: str
    time: float
    """When it was pruned, Unix seconds."""


def prune(store: Store, change: Change, name: str) -> None:
    """Move a memory with its sources and edges into the trash."""
    memory = change.read("memory", name)
    if memory is None:
        return
    kept = {
        "memory": [memory],
        "source": _all(store, "SELECT * FROM source WHERE memory = ?1", name),
        "edge": _all(store, "SELECT * FROM edge WHERE source = ?1 OR target = ?1", name),
    }
    packed = zlib.compress(rows.dumps(kept).encode())
    change.delete("memory", name)
    change.insert(
        "trash",
        {"memory": name, "title": memory["title"], "rows": packed, "time": change.time},
    )


def listed(store: Store) -> list[Discarded]:
    """What lies in the store's trash, newest first."""
    found = store.rows("SELECT memory, title, time FROM trash ORDER BY time DESC, memory")
    return [Discarded(name, title, store.scope, moment) for name, title, moment in found]


def bring_back(store: Store, name: str, actor: Actor) -> bool:
    """Take a memory out of the trash, archived as it was; False when it does not lie there.

    Args:
        name: its id, or a beginning that no other one in the trash has.
    """
    found = store.rows(
        "SELECT memory, title, rows FROM trash WHERE substr(memory, 1, length(?1)) = ?1", (name,)
    )
    if len(found) != 1:
        return False
    kept = json.loads(zlib.decompress(found[0][2]))
    with store.change("untrash", f"take “{found[0][1]}” out of the trash", actor) as change:
        for table in ("memory", "source", "edge"):
            for row in kept[table]:
                if table != "edge" or _ends_exist(change, row):
                    change.insert_again(table, rows.current(table, row))
        change.delete("trash", found[0][0])
    return True


def empty(store: Store) -> int:
    """Delete what lies in the trash for good, and its traces in the journal; how many went."""
    names = [item.id for item in listed(store)]
    with store.write():
        for name in names:
            store.execute("DELETE FROM trash WHERE memory = ?", (name,))
            store.execute(
                "UPDATE journal_row SET before = ? WHERE memory = ? AND before IS NOT NULL",
                (EMPTIED, name),
            )
    return len(names)


def _all(store: Store, sql: str, name: str) -> list[rows.Row]:
    return [dict(row) for row in store.rows(sql, (name,))]


def _ends_exist(change: Change, edge: rows.Row) -> bool:
    return all(change.read("memory", edge[end]) is not None for end in ("source", "target"))


class TrashBin:
    """The trash of every store of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> list[Discarded]:
        """What was pruned and not yet destroyed."""
        return [item for store in self._workspace.stores for item in listed(store)]

    def empty(self) -> int:
        """Destroy what lies in the trash: the one thing that cannot be undone; how many went."""
        return sum(empty(store) for store in self._workspace.stores)

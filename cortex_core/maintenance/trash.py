"""The trash: what was pruned, compressed, kept until it is emptied."""

from __future__ import annotations

from cortex_core.store import trash
from cortex_core.store.journal import Change
from cortex_core.store.rows import Row
from cortex_core.store.store import Store
from cortex_core.store.trash import Discarded
from cortex_core.store.workspace import Workspace
from cortex_core.types import Actor


def bring_back(store: Store, name: str, actor: Actor) -> bool:
    """Take a memory out of the trash, archived as it was; False when it does not lie there.

    Args:
        name: its id, or a beginning that no other one in the trash has.
    """
    found = trash.beginning_with(store, name)
    if len(found) != 1:
        return False
    kept = found[0]
    with store.change("untrash", f"take “{kept.title}” out of the trash", actor) as change:
        for table, rows in kept.rows.items():
            for row in rows:
                if table != "edge" or _ends_exist(change, row):
                    change.insert_again(table, row)
        change.delete("trash", kept.id)
    return True


def empty(store: Store) -> int:
    """Delete what lies in the trash for good, and its traces in the journal; how many went."""
    names = [item.id for item in trash.listed(store)]
    with store.write():
        trash.destroy(store, names)
    return len(names)


def _ends_exist(change: Change, edge: Row) -> bool:
    return all(change.read("memory", edge[end]) is not None for end in ("source", "target"))


class TrashBin:
    """The trash of every store of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> list[Discarded]:
        """What was pruned and not yet destroyed."""
        return [item for store in self._workspace.stores for item in trash.listed(store)]

    def empty(self) -> int:
        """Destroy what lies in the trash: the one thing that cannot be undone; how many went."""
        return sum(empty(store) for store in self._workspace.stores)

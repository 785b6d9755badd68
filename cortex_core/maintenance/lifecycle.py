"""The trash: what was pruned, compressed, kept until it is emptied.

What time does to memories: archive what has faded, prune what lay archived, let suggestions go.
"""

from __future__ import annotations

from dataclasses import dataclass

from cortex_core.base import decay
from cortex_core.base.config import Config
from cortex_core.reports import Fading, LifecycleReport
from cortex_core.store import queries, snapshots, trash
from cortex_core.store.journal import Change
from cortex_core.store.rows import Row
from cortex_core.store.store import Store
from cortex_core.store.trash import Discarded
from cortex_core.store.workspace import Workspace
from cortex_core.types import Actor, Memory


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


@dataclass(frozen=True, slots=True)
class LifecyclePlan:
    """What the lifecycle would do to one store now."""

    archive: tuple[Memory, ...]
    prune: tuple[Memory, ...]
    expire: tuple[Memory, ...]
    """Suggestions that waited too long."""

    def __bool__(self) -> bool:
        return bool(self.archive or self.prune or self.expire)


def plan(store: Store, config: Config) -> LifecyclePlan:
    """What has faded, lain or waited long enough."""
    now = store.clock()
    grace = config.get("lifecycle.archive_after_days") * decay.DAY
    archive = [memory for memory, moment in _fading(store, config) if moment + grace <= now]
    prune = queries.archived_before(
        store, now - config.get("lifecycle.prune_after_days") * decay.DAY
    )
    expire = queries.suggested_before(store, now - config.get("suggestions.keep_days") * decay.DAY)
    return LifecyclePlan(tuple(archive), tuple(prune), tuple(expire))


def apply(store: Store, made: LifecyclePlan) -> None:
    """Carry out a plan, each part one undoable change; a snapshot goes before pruning."""
    if made.archive:
        label = f"archive {len(made.archive)} that faded"
        with store.change("archive", label, "worker") as change:
            for memory in made.archive:
                columns = {"status": "archived", "updated": change.time}
                change.update("memory", memory.id, columns)
    if made.prune or made.expire:
        snapshots.take(store.path, "prune")
        label = f"prune {len(made.prune) + len(made.expire)} from the archive"
        with store.change("prune", label, "worker") as change:
            for memory in (*made.prune, *made.expire):
                trash.put(store, change, memory.id)


def forecast(store: Store, config: Config, days: float) -> list[Fading]:
    """What reaches the threshold within `days`, soonest first."""
    now = store.clock()
    grace = config.get("lifecycle.archive_after_days") * decay.DAY
    found = [
        Fading(memory=memory, fades=moment, archives=moment + grace)
        for memory, moment in _fading(store, config)
        if now < moment + grace and moment <= now + days * decay.DAY
    ]
    return sorted(found, key=lambda one: one.fades)


def _fading(store: Store, config: Config) -> list[tuple[Memory, float]]:
    """The active memories that fade, and when each reaches the archiving threshold."""
    active = queries.that_may_fade(store)
    central = store.centrality([memory.id for memory in active])
    found = [(memory, fades(memory, central.get(memory.id, 0.0), config)) for memory in active]
    return [(memory, moment) for memory, moment in found if moment is not None]


def fades(memory: Memory, centrality: float, config: Config) -> float | None:
    """When the memory's confidence reaches the archiving threshold, Unix seconds; None: never."""
    return decay.falls_below(
        config.archive_below, memory.initial_confidence, memory.reinforced,
        config.kinds.pace(memory.kind), priority=memory.priority, access_count=memory.access_count,
        centrality=centrality, pinned=memory.pinned,
    )  # fmt: skip


class Lifecycle:
    """What time does to the memories of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, *, dry_run: bool = False) -> LifecycleReport:
        """Archive what has faded, prune what lay archived, let old suggestions go."""
        archived: list[Memory] = []
        pruned: list[Memory] = []
        expired: list[Memory] = []
        for store in self._workspace.stores:
            made = plan(store, self._workspace.config)
            if made and not dry_run:
                apply(store, made)
            archived += made.archive
            pruned += made.prune
            expired += made.expire
        return LifecycleReport(
            archived=tuple(archived), pruned=tuple(pruned), expired=tuple(expired),
            dry_run=dry_run,
        )  # fmt: skip

    def forecast(self, days: float = 30) -> list[Fading]:
        """What fades below the archiving threshold within `days`, soonest first."""
        config = self._workspace.config
        found = [one for store in self._workspace.stores for one in forecast(store, config, days)]
        return sorted(found, key=lambda one: one.fades)

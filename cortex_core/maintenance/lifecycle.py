"""What time does to memories: archive what fades, and prune old archived ones into the trash."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cortex_core.archive.conversations import Conversations
from cortex_core.base import decay, text
from cortex_core.base.config import Config
from cortex_core.base.errors import StoreError, UsageError
from cortex_core.records.memory import Actor, Memory
from cortex_core.records.upkeep import Fading, LifecycleReport
from cortex_core.search import importance
from cortex_core.store import journal, memory_lookup, scrubbing, snapshots, trash
from cortex_core.store.rows import Row
from cortex_core.store.store import Store
from cortex_core.store.workspace import Ids, Workspace
from cortex_core.surface import agents_file, cache

LEAP = 30
"""Days since Cortex's last work on a store from which on the clock may be ahead. Then the worker
only notes the day, and a command asks, so that what has years to fade does not go at once."""


def bring_back(
    store: Store, name: str, kept: Mapping[str, Sequence[Row]], actor: Actor, action: str
) -> None:
    """Take a memory out of the trash, archived as it was.

    Args:
        kept: what the trash has of it, by table.
        action: of which this is a part.
    """
    label = f"take “{kept['memory'][0]['title']}” out of the trash"
    with store.change("untrash", label, actor, action) as change:
        for table, rows in kept.items():
            for row in rows:
                ends = (row["source"], row["target"]) if table == "edge" else ()
                if all(change.read("memory", end) is not None for end in ends):
                    change.insert(table, row)
        change.delete("trash", name)


def empty(store: Store) -> int:
    """Delete everything in the trash and its traces in the journal for good; returns how many."""
    names = [item.id for item in trash.listed(store)]
    with store.write():
        trash.destroy(store, names)
        if names:
            scrubbing.rebuild_indexes(store)  # they would keep the words of what was deleted
    return len(names)


class TrashBin:
    """The trash of every store of a workspace."""

    def __init__(
        self, workspace: Workspace, conversations: Conversations, renew_files: Callable[[], None]
    ) -> None:
        """Args:
        renew_files: removes from the files for other machines what was deleted for good.
        """
        self._workspace = workspace
        self._conversations = conversations
        self._renew_files = renew_files

    def list(self) -> list[trash.Discarded]:
        """What was pruned and is not deleted for good yet."""
        return [item for store in self._workspace.own_stores for item in trash.listed(store)]

    def empty(self) -> int:
        """Delete everything in the trash for good, which cannot be undone; returns how many.

        Forgotten conversations are removed from the archive with it.
        """
        stores = self._workspace.own_stores
        count = 0
        self._conversations.tidy(everything_forgotten=True)
        for store in stores:
            try:
                count += empty(store)
            except StoreError as error:
                were = text.counted(count, "memory was", "memories were")
                done = f"{were} deleted for good before that."
                raise (error.after(done) if count else error) from error
        for store in stores if count else ():
            scrubbing.rewrite_file(store)  # the file would keep the words in pages that are free
            cached = store.path.parent / cache.FOLDER
            for file in (*cached.glob("surface-*"), *cached.glob("calls")):
                file.unlink(missing_ok=True)  # it may quote what was deleted
        here = self._workspace.project
        if count and here.surface_file and Path(here.surface_file).exists():
            agents_file.refresh(
                here, self._workspace.clock()
            )  # and so may the file that users read
        self._renew_files()
        return count


def plan(store: Store, config: Config) -> LifecycleReport:
    """What has faded or ended, been archived or waited long enough by now."""
    now = store.clock()
    archive = [each.memory for each in _fading(store, config) if each.archives <= now]
    today = time.strftime("%Y-%m-%d", time.localtime(now))
    archive += memory_lookup.over(store, today)
    prune = memory_lookup.archived_before(
        store, now - config.get("lifecycle.prune_after_days") * decay.DAY
    )
    expire = memory_lookup.suggested_before(
        store, now - config.get("suggestions.keep_days") * decay.DAY
    )
    return LifecycleReport(archived=tuple(archive), pruned=tuple(prune), expired=tuple(expire))


def apply(store: Store, plan: LifecycleReport) -> None:
    """Carry out a plan or nothing of it, each part as one undoable change; a snapshot is taken
    before pruning."""
    if plan.pruned or plan.expired:
        snapshots.take(store.path, "prune")
    with store.write():
        if plan.archived:
            label = f"archive {len(plan.archived)} that faded or ended"
            with store.change("archive", label, "worker") as change:
                for memory in plan.archived:
                    change.update(
                        "memory", memory.id, {"status": "archived", "updated": change.time}
                    )
        if plan.pruned or plan.expired:
            gone = (*plan.pruned, *plan.expired)
            with store.change("prune", f"prune {len(gone)} from the archive", "worker") as change:
                for memory in gone:
                    trash.put(store, change, memory.id)


def _fading(store: Store, config: Config) -> list[Fading]:
    """The active memories that fade: when each reaches the threshold, and when it is archived.

    The days under the threshold count from its arrival in the store: what an import brings, however
    old, is there for the user to see first.
    """
    active = memory_lookup.not_pinned(store)
    central = store.centrality([memory.id for memory in active])
    grace = config.get("lifecycle.archive_after_days") * decay.DAY
    arrived = journal.arrivals(store, store.clock() - grace)
    moments = [
        (memory, importance.fades(memory, central.get(memory.id, 0.0), config)) for memory in active
    ]
    return [
        Fading(
            memory=memory,
            fades=moment,
            archives=max(moment, arrived.get(memory.id, moment)) + grace,
        )
        for memory, moment in moments
        if moment is not None
    ]


_ELSEWHERE = "What was archived and pruned before that in the other store stays so."


class Lifecycle:
    """What time does to the memories of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def reinforce(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """Reset the decay of memories: their confidence is what it was initially."""
        return self._workspace.act(
            ids,
            "reinforce",
            lambda change, memory: change.update("memory", memory.id, {"reinforced": change.time}),
            label="reinforce",
            actor=actor,
        )

    def leap(self) -> int:
        """The days since Cortex last worked on these stores, 0 unless they are more than `LEAP`.

        It did when a worker last noted the day in each, or, where none ever did, at the newest
        change: what a worker captures bears the date of a clock that is ahead.
        """
        today = int(self._workspace.clock() // decay.DAY)
        own = [store for store in self._workspace.own_stores if store.writable]
        noted = [int(day) for day in (store.meta("lifecycle") for store in own) if day]
        changed = max(map(journal.newest_time, own), default=0.0) // decay.DAY
        days = today - (min(noted) if noted else int(changed) or today)
        return days if days > LEAP else 0

    def check_clock(self) -> None:
        """See that the clock did not leap.

        Raises:
            UsageError: it may have.
        """
        if days := self.leap():
            raise UsageError(
                f"By the clock, Cortex last worked here {days:,} days ago. What fades in such a "
                "time would go at once, so nothing was changed. If the date is right: "
                "cortex lifecycle --yes"
            )

    def run(self, *, dry_run: bool = False) -> LifecycleReport:
        """Archive what has faded, prune what was archived long ago, and old suggestions."""
        done = LifecycleReport(dry_run=dry_run)
        for store in self._workspace.own_stores:
            due = plan(store, self._workspace.config)
            if not dry_run and (due.archived or due.pruned or due.expired):
                try:
                    apply(store, due)
                except StoreError as error:
                    is_begun = done.archived or done.pruned or done.expired
                    raise (error.after(_ELSEWHERE) if is_begun else error) from error
            done = LifecycleReport(
                archived=done.archived + due.archived,
                pruned=done.pruned + due.pruned,
                expired=done.expired + due.expired,
                dry_run=dry_run,
            )
        return done

    def forecast(self, days: float = 30) -> list[Fading]:
        """The memories that reach the archiving threshold within `days`, soonest first."""
        now = self._workspace.clock()
        fading = [
            each
            for store in self._workspace.own_stores
            for each in _fading(store, self._workspace.config)
            if now < each.archives and each.fades <= now + days * decay.DAY
        ]
        return sorted(fading, key=lambda each: each.fades)

"""Taking back and putting back: journal, undo and redo, moving between stores, snapshots."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from pathlib import Path

from cortex_core.errors import NotFound, UndoConflict, UsageError
from cortex_core.memory import SCOPES, Actor, Memory, Scope
from cortex_core.records import Change
from cortex_core.storage import edges as stored_edges
from cortex_core.storage import rows, snapshots
from cortex_core.storage.snapshots import Snapshot
from cortex_core.storage.store import Store
from cortex_core.storage.workspace import Ids, Workspace, naming

PAST = {"undo": "Taken back", "redo": "Done again"}


class History:
    """Everything that was done, and how to undo it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def log(self, limit: int = 20, memory: str | None = None) -> list[Change]:
        """See `Cortex.log`."""
        if memory is not None:
            ((store, name),) = self._workspace.find(memory)
            return store.log(limit, name)
        found = [change for store in self._workspace.stores for change in store.log(limit)]
        return sorted(found, key=lambda change: (change.time, change.number), reverse=True)[:limit]

    def undo(
        self,
        count: int = 1,
        *,
        number: int | None = None,
        scope: Scope | None = None,
        actor: Actor = "person",
    ) -> list[Change]:
        """See `Cortex.undo`."""
        return self._back("undo", count, number, scope, actor)

    def redo(
        self, count: int = 1, *, number: int | None = None, scope: Scope | None = None,
        actor: Actor = "person",
    ) -> list[Change]:  # fmt: skip
        """See `Cortex.redo`."""
        return self._back("redo", count, number, scope, actor)

    def move(self, ids: Ids, scope: Scope, *, actor: Actor = "person") -> list[Memory]:
        """See `Cortex.move`."""
        if scope not in SCOPES:
            raise UsageError(
                f"“{scope}” is not a scope. Nothing was changed. Use project or global."
            )
        target = self._workspace.store(scope)
        found = self._workspace.find(ids)
        action = secrets.token_hex(8)
        for store in dict.fromkeys(store for store, _ in found if store is not target):
            names = [name for owner, name in found if owner is store]
            self._move(store, target, names, actor, action)
        return target.memories([name for _, name in found])

    def _back(
        self, verb: str, count: int, number: int | None, scope: Scope | None, actor: Actor
    ) -> list[Change]:
        if number is not None:
            store = self._workspace.existing(scope or self._workspace.default_scope())
            if store is None:
                raise NotFound(f"There is nothing to {verb} in this project. Nothing was changed.")
            return self._back_one(store, store.entry(number), verb, actor)
        done: list[Change] = []
        for _ in range(count):
            newest = [
                (entry.time, entry.number, store, entry)
                for store in self._workspace.stores
                if (entry := store.last(verb)) is not None
            ]
            if not newest:
                break
            _, _, store, entry = max(newest, key=lambda item: item[:2])
            try:
                done += self._back_one(store, entry, verb, actor)
            except UndoConflict as error:
                if not done:
                    raise
                labels = ", ".join(one.label for one in done)
                raise UndoConflict(f"{PAST[verb]} before that: {labels}. Then: {error}") from error
        if not done:
            raise NotFound(f"There is nothing to {verb}. Nothing was changed.")
        return done

    def _back_one(self, store: Store, entry: Change, verb: str, actor: Actor) -> list[Change]:
        """Invert an action, its entry and all that belongs to it: in both stores or in neither."""
        action = secrets.token_hex(8)
        found = [(store, entry.number)] + [
            (other, number)
            for other in self._workspace.stores
            for (number,) in other.rows(
                "SELECT number FROM journal WHERE action = ? AND undone_by IS NULL "
                "AND NOT (? AND number = ?) ORDER BY number DESC",
                (entry.action, other is store, entry.number),
            )
        ]
        with ExitStack() as open_ones:
            for one in self._workspace.stores:
                if any(one is involved for involved, _ in found):
                    open_ones.enter_context(one.write())
            return [one.invert(number, verb, actor, action) for one, number in found]

    def _move(
        self, store: Store, target: Store, names: list[str], actor: Actor, action: str
    ) -> None:
        memories = [store.memory(name) for name in names]
        label = f"move {naming(memories)} to {target.scope}"
        edges = stored_edges.among(store, names)
        with target.change("move", label, actor, action) as change:
            for memory in memories:
                change.insert("memory", rows.to_row(memory))
                for source in memory.sources:
                    change.insert("source", rows.source_row(memory.id, source))
            for edge in edges:
                change.insert("edge", rows.edge_row(edge))
        with store.change("move", label, actor, action) as change:
            for name in names:
                change.delete("memory", name)


class Snapshots:
    """The copies of the stores of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self, scope: Scope | None = None) -> list[Snapshot]:
        """The copies of a store, newest first."""
        return snapshots.taken(self._file(scope))

    def take(self, why: str = "by-hand", scope: Scope | None = None) -> Snapshot:
        """Copy a store as it is now."""
        return snapshots.take(self._file(scope), why)

    def restore(self, number: int, scope: Scope | None = None) -> Snapshot:
        """Put a store back to its `number`th newest snapshot; the present state becomes one too."""
        chosen = scope or self._workspace.default_scope()
        path = self._file(chosen)
        self._workspace.let_go(chosen)
        return snapshots.restore(path, number)

    def before_import(self) -> None:
        """Copy the stores that hold something, so that an import can be taken back whole."""
        for store in self._workspace.stores:
            if store.writable and store.rows("SELECT 1 FROM memory LIMIT 1"):
                snapshots.take(store.path, "import")

    def _file(self, scope: Scope | None) -> Path:
        path = self._workspace.path_of(scope or self._workspace.default_scope())
        if path is None or not snapshots.folder(path).parent.exists():
            raise NotFound("There is no store yet. Nothing was changed.")
        return path

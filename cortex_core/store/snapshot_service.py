"""The copies of the stores of a workspace: taking, listing and restoring them."""

from collections.abc import Sequence
from pathlib import Path

from cortex_core.base import text
from cortex_core.base.errors import NotFound, StoreError
from cortex_core.records.changes import MemoryChange
from cortex_core.records.memory import Scope
from cortex_core.store import reader, revisions, snapshots, synced
from cortex_core.store.reader import Reader
from cortex_core.store.workspace import Workspace


class Snapshots:
    """The copies of the stores of a workspace, and what its journals say of changes."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def changed_by(self, number: int, scope: Scope) -> Sequence[MemoryChange]:
        """What a change of the log did, memory by memory.

        Args:
            number: of the change; numbers count per store.
        """
        store = self._workspace.existing(scope)
        return [] if store is None else revisions.of_entry(store, number)

    def list(self, scope: Scope | None = None) -> list[snapshots.Snapshot]:
        """The copies of a store, newest first."""
        return snapshots.taken(self._file(scope))

    def take(self, why: str = "by-hand", scope: Scope | None = None) -> snapshots.Snapshot:
        """Copy a store as it is now."""
        return snapshots.take(self._file(scope), why)

    def restore(self, number: int, scope: Scope | None = None) -> snapshots.Snapshot:
        """Put a store back to its `number`th newest snapshot; the present state becomes one too."""
        chosen = scope or self._workspace.default_scope()
        path = self._file(chosen)
        self._workspace.let_go(chosen)
        return snapshots.restore(path, number, self._workspace.note_of(chosen))

    def bring_back(self, number: int, scope: Scope | None = None) -> snapshots.Snapshot:
        """Let a store hold again what its `number`th newest snapshot has, as a change.

        Unlike `restore`, it can be undone, and the next exchange sends it to the user's other
        machines. The present state becomes a snapshot.

        Raises:
            NotFound: there is no such snapshot.
            StoreError: the snapshot is damaged, or of another schema; nothing was changed.
        """
        store = self._workspace.store(scope or self._workspace.default_scope())
        chosen = snapshots.numbered(store.path, number)
        with (
            snapshots.prepared_copy(store.path, chosen) as copy,
            Reader(str(copy), store.scope) as then,
        ):
            if reader.version(then.connection) != reader.SCHEMA_VERSION:
                raise StoreError(
                    f"The snapshot {chosen.path} is of an older schema, so it can be restored on "
                    "this machine alone. Nothing was changed."
                )
            # A change is in the journal, but only a snapshot brings back what undo may not reach.
            snapshots.take(store.path, "before-restore")
            label = f"restore the snapshot from {text.iso(chosen.moment)}"
            with store.change("restore", label) as change:
                synced.bring_back(change, store, then)
        return chosen

    def before_import(self) -> None:
        """Copy the stores that hold something, so that an import can be taken back whole."""
        for store in self._workspace.own_stores:
            if store.writable and store.rows("SELECT 1 FROM memory LIMIT 1"):
                snapshots.take(store.path, "import")

    def _file(self, scope: Scope | None) -> Path:
        path = self._workspace.path_of(scope or self._workspace.default_scope())
        if path is None or not snapshots.folder(path).parent.exists():
            raise NotFound("There is no store yet. Nothing was changed.")
        return path

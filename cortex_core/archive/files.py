"""The files of the archives of a workspace: opened when first needed, one next to each store."""

import threading
from contextlib import closing, suppress
from pathlib import Path

from cortex_core.archive.archive import Archive, path_next_to
from cortex_core.base import trust
from cortex_core.base.errors import CortexError, StoreUnusable
from cortex_core.base.project import OF_OTHERS
from cortex_core.records.memory import OWN_SCOPES, Scope
from cortex_core.store import opening
from cortex_core.store.workspace import Workspace


class ArchiveFiles:
    """The archive next to each store; safe to use from several threads."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._open: dict[Scope, Archive] = {}
        self._lock = threading.Lock()
        workspace.at_close.append(self._close)

    def archive(self, scope: Scope) -> Archive:
        """The archive of `scope`, created if need be."""
        with self._lock:
            if scope not in self._open:
                self._open[scope] = self._opened(scope)
            return self._open[scope]

    def existing(self) -> list[Archive]:
        """The archives that exist, the project's first."""
        return [self.archive(scope) for scope in OWN_SCOPES if self.path(scope)]

    def path(self, scope: Scope) -> Path | None:
        """The file of the archive of `scope`; None where there is none."""
        store = self._workspace.path_of(scope)
        path = None if store is None else path_next_to(store)
        return path if path is not None and path.exists() else None

    def paths(self) -> list[Path]:
        """The files of the archives that exist."""
        return [path for scope in OWN_SCOPES if (path := self.path(scope))]

    def _opened(self, scope: Scope) -> Archive:
        store = self._workspace.store(scope)  # whose folder is prepared then
        path = path_next_to(store.path)
        if not path.exists():
            _refuse_replaced(store.path, store.identity)
        if scope == "project":
            self._workspace.place(path)
            here = self._workspace.project
            if strange := trust.strange(here.data, here.note, path.name):
                raise StoreUnusable(f"{strange}. {OF_OTHERS}")
        return Archive.open(
            path,
            scope,
            owner=store.identity,
            clock=self._workspace.clock,
            secret_patterns=lambda: self._workspace.config.get("redact.extra"),
            note=self._workspace.note_of(scope),
        )

    def _close(self) -> None:
        """End this thread's connections."""
        for archive in list(self._open.values()):
            archive.close()

    def let_go(self, scope: Scope) -> None:
        """Close the archive of `scope`, so that its file can be replaced."""
        with self._lock:
            if scope in self._open:
                self._open.pop(scope).close()

    def adopt(self) -> None:
        """Let the archives here belong to the stores next to them, because the user trusts these.

        One that cannot be read or written is passed over; the doctor reports it.
        """
        for scope in OWN_SCOPES:
            if path := self.path(scope):
                with suppress(*failures()):
                    Archive.adopt(path, scope, self._workspace.store(scope).identity)


def failures() -> tuple[type[Exception], ...]:
    """What an archive that cannot be used raises."""
    return (CortexError, *opening.database_errors())


def _refuse_replaced(store: Path, identity: str) -> None:
    """Make no archive for a store that was deleted and made again while it was open here: it would
    belong to neither."""
    with opening.translated(store), closing(opening.connect(store, writable=False)) as there:
        found = there.execute("SELECT value FROM meta WHERE key = 'identity'")
        if [*map(tuple, found)] != [(identity,)]:
            raise StoreUnusable(
                f"{store} was replaced while it was open. Nothing was changed. Try again."
            )

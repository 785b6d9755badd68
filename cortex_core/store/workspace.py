"""The stores of a project: opened when first needed, searched by id, changed in one action."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from sqlite3 import connect

from cortex_core import permissions
from cortex_core.base import config as configuration, hook_io, project as projects, trust
from cortex_core.base.errors import (
    CortexError,
    NotFound,
    StoreError,
    StoreUnusable,
    UndoConflict,
    UsageError,
)
from cortex_core.base.kinds import Kinds
from cortex_core.records.memory import OWN_SCOPES, SCOPES, Actor, Memory, Scope, Where
from cortex_core.redaction import stored_names
from cortex_core.store import (
    intents,
    journal,
    leftovers,
    memory_lookup,
    opening,
    snapshots,
)
from cortex_core.store.own_changes import OwnChanges
from cortex_core.store.store import TICK, Owner, Store

Ids = str | Sequence[str]
"""One id, or several; a unique beginning of at least four characters will do."""

SHORTEST_PREFIX = 4


class Workspace(Owner):
    """A project, its configuration and its stores; safe to use from several threads."""

    def __init__(
        self,
        project: projects.Project,
        config: configuration.Config,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.project = project
        self.config = config
        self.origin = projects.mark(project.root)
        self.clock = clock
        """The present moment, Unix seconds."""
        self.own = OwnChanges()
        """What was done through this workspace, settings included."""
        self.at_close: list[Callable[[], None]] = []
        """What ends this thread's connections to other files than the stores."""
        self._open: dict[Scope, Store] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """End this thread's connections."""
        for store in list(self._open.values()):
            store.close()
        for close in self.at_close:
            close()

    def elsewhere(self, root: str) -> Workspace:
        """The workspace of the project at `root`, with the same global side.

        Raises:
            ConfigError: its configuration has a mistake.
        """
        found = projects.find(explicit=root, home=self.project.home)
        return Workspace(found, configuration.load(found), self.clock)

    def own_project(self, root: str) -> Workspace | None:
        """The workspace of the project at `root`, to be closed; None without a store there that is
        this user's own and can be opened."""
        with suppress(CortexError, OSError):
            there = self.elsewhere(root)
            store = there.existing("project") if Path(root).is_dir() else None
            if store is not None and trust.trusted(there.project, store.identity):
                return there
            there.close()
        return None

    @contextmanager
    def rehearsal(self) -> Iterator[Workspace]:
        """A copy of this project's stores, to try things on; it is gone at the end."""
        with leftovers.scratch() as folder, closing(self._copy_to(str(folder))) as copy:
            yield copy

    def _copy_to(self, folder: str) -> Workspace:
        """A copy of this project's stores in `folder`."""
        copy = projects.find(explicit=folder, home=str(Path(folder, "home")))
        projects.prepare(copy)
        for store in self.stores:
            target = Path(copy.store_file(store.scope) or "")
            hook_io.private_folder(str(target.parent))
            with opening.translated(store.path), closing(connect(store.path)) as source:
                snapshots.copy(source, target)
            if store.scope == "project":
                trust.note_file(copy.note, target.name, str(target))
        return Workspace(copy, self.config, self.clock)

    def note(self, label: str, scope: Scope, make: Callable[[Workspace, bool], None]) -> None:
        """Note a change of a file that no journal records, so that it can be undone in order; see
        `OwnChanges.note_step`.

        The file is changed by now, so nothing here may fail: only stores that are open are asked
        what came before.
        """
        newest = 0.0
        with suppress(StoreError):
            newest = max(map(journal.newest_time, list(self._open.values())), default=0.0)
        self.own.note_step(label, scope, max(self.clock(), newest + TICK), make)

    # --- stores

    @property
    def stores(self) -> tuple[Store, ...]:
        """The stores that exist and are read: the project's, the global one, the team's."""
        found = (self.existing(scope) for scope in SCOPES)
        return tuple(store for store in found if store is not None)

    @property
    def own_stores(self) -> tuple[Store, ...]:
        """Those that a user's own actions change: all that exist but the team's."""
        return tuple(store for store in self.stores if store.scope in OWN_SCOPES)

    def team_replica(self) -> Store:
        """The copy of what the team approved, created if need be; for what its hub sends.

        It is changed by `store.change(verb, label, "team")` alone.

        Raises:
            UsageError: the folder is none that a project can live in.
        """
        path = self.path_of("team")
        if path is not None:
            hook_io.private_folder(str(path.parent))
        return self._store("team")

    def within(self, scope: Where) -> tuple[Store, ...]:
        """The stores that exist of `scope`.

        Raises:
            UsageError: `scope` is neither a store's nor `all`.
        """
        if scope not in (*SCOPES, "all"):
            raise UsageError(
                f"“{scope}” is not a scope. Nothing was changed. Use project, global, team or all."
            )
        return tuple(store for store in self.stores if scope in ("all", store.scope))

    def existing(self, scope: Scope) -> Store | None:
        """The store of `scope`, None while there is none."""
        path = self.path_of(scope)
        if path is None or (scope not in self._open and not path.exists()):
            return None
        return self._store(scope)

    def store(self, scope: Scope | None = None) -> Store:
        """The store of `scope` (None: the default one), created if need be.

        Raises:
            UsageError: the folder is none that a project can live in, or it has no team.
        """
        scope = scope or self.default_scope()
        if scope == "team" and self.existing("team") is None:
            raise UsageError(
                "This project has no team. Nothing was changed. Join one with: cortex team join URL"
            )
        return self._store(scope)

    def _store(self, scope: Scope) -> Store:
        with self._lock:
            if is_new := scope not in self._open:
                self._open[scope] = self._opened(scope)
            found = self._open[scope]
        if is_new:
            self._settle(found)
        return found

    def let_go(self, scope: Scope) -> None:
        """Close the store of `scope` for all, so that its file can be replaced."""
        self.close()
        with self._lock:
            self._open.pop(scope, None)

    def revision(self) -> tuple[int, ...]:
        """The revisions of the stores: differs after any change by anyone."""
        return tuple(store.revision for store in self.stores)

    def has_changed(self, before: tuple[int, ...]) -> bool:
        """Whether the stores differ from when their `revision` was `before`; also where they cannot
        be read now."""
        try:
            return self.revision() != before
        except CortexError:
            return True

    @property
    def branch(self) -> str:
        """The branch checked out here, as stores keep it: without a secret."""
        return stored_names.clean(self.project.branch, self.config.get("redact.extra"))

    def follow_branch(self) -> None:
        """Take notice of a branch that was checked out since this was opened."""
        here = self.project
        found = projects.find(cwd=here.cwd, explicit=here.root, home=here.home)
        if found.root == here.root and found.branch != here.branch:
            self.project = found

    def default_scope(self) -> Scope:
        """Where a memory goes when nobody says: the project's store, if there can be one."""
        return "project" if self.project.project_db or self.project.doubt else "global"

    def path_of(self, scope: Scope) -> Path | None:
        """The file of the store of `scope`; None where there can be none."""
        name = self.project.store_file(scope)
        return Path(name) if name else None

    def _opened(self, scope: Scope) -> Store:
        here, path = self.project, self.path_of(scope)
        if path is None and here.doubt:
            raise StoreUnusable(f"{here.doubt}. {projects.OF_OTHERS}")
        if path is None:
            raise UsageError(
                f"{here.cwd} cannot be a project: the home folder, / and temporary folders "
                "are excluded. Nothing was changed. Use --global, or choose a folder with "
                "--project."
            )
        if scope == "project":
            projects.prepare(here)
            self.place(path)
            with suppress(OSError):
                trust.note_place(here, stored_names.clean(here.root or ""))
        return Store.open(path, scope, clock=self.clock, owner=self)

    def place(self, path: Path) -> None:
        """Put an empty file of this user's own at `path` in the project's data, where none is.

        Whoever opens it next says in words if that cannot be done.
        """
        with suppress(OSError):
            trust.place(str(path.parent), self.project.note, path.name)

    # --- what the stores ask

    def kinds_of(self, scope: Scope) -> Kinds:
        """See `Owner`."""
        kinds = self.config.kinds
        return kinds.lasting if scope == "team" else kinds

    def secret_patterns(self) -> Sequence[str]:
        """See `Owner`."""
        patterns: Sequence[str] = self.config.get("redact.extra")
        return patterns

    def note_of(self, scope: Scope) -> str:
        """See `Owner`."""
        return self.project.note if scope == "project" else ""

    def created(self, scope: Scope, identity: str) -> None:
        """See `Owner`."""
        if scope == "project":
            trust.grant(self.project, identity)

    def acted(self, action: str, *, is_undo: bool) -> None:
        """See `Owner`."""
        self.own.note(action, undo=is_undo)

    def newest_elsewhere(self, scope: Scope) -> float:
        """When the other one of the user's own stores was changed last, as far as it is open and
        can be read."""
        others = [
            store
            for other, store in list(self._open.items())
            if other != scope and other in OWN_SCOPES
        ]
        with suppress(CortexError):
            return max(map(journal.newest_time, others), default=0.0)
        return 0.0

    def _settle(self, store: Store) -> None:
        """Take back what a process that ended between two commits left half done, if that can be
        done now; else the doctor says that it is pending."""
        with suppress(StoreError, UndoConflict):
            if store.writable and intents.pending(store):
                project, shared = self.existing("project"), self.existing("global")
                if project is not None and shared is not None:
                    intents.settle(project, shared)

    # --- finding memories

    def find(self, ids: Ids) -> list[tuple[Store, str]]:
        """The store and full id of each of `ids`, repeats dropped.

        Raises:
            NotFound: one of them names no memory.
            UsageError: one of them is too short, or begins several ids.
        """
        names = [ids] if isinstance(ids, str) else list(ids)
        return list(dict.fromkeys(self._find(name.strip()) for name in names))

    def _find(self, name: str) -> tuple[Store, str]:
        for store in self.stores:
            if memory_lookup.known_ids(store, (name,)):
                return store, name
        if len(name) < SHORTEST_PREFIX:
            raise UsageError(
                f"“{name}” is too short for an id: give its first {SHORTEST_PREFIX} characters or "
                "more. Nothing was changed. See: cortex list"
            )
        found = {
            full: (store, full)
            for store in reversed(self.stores)  # of several with one id the first one is meant
            for full in memory_lookup.beginning_with(store, name, limit=2)
        }
        if not found:
            raise NotFound(
                f"There is no memory “{name[:40]}”. Nothing was changed. See: cortex list"
            )
        if len(found) > 1:
            raise UsageError(
                f"“{name}” matches several ids. Nothing was changed. Type more "
                "characters of the id."
            )
        return next(iter(found.values()))

    def get(self, name: str) -> Memory:
        """The memory called `name`, with its sources."""
        ((store, full),) = self.find(name)
        return store.memory(full)

    # --- acting

    def act(
        self,
        ids: Ids,
        verb: str,
        step: Callable[[journal.Change, Memory], object],
        *,
        label: str,
        actor: Actor,
        action: str = "",
    ) -> list[Memory]:
        """Take `step` for each of `ids` as one undoable action; the memories as they are then.

        Args:
            label: words such as `pin`, completed here by what it was done to.
            action: of a larger action that this is a part of.

        Raises:
            UsageError: one of them belongs to the team.
        """
        # All are found before the first is changed.
        found = self.find(ids)
        if theirs := [name[:8] for store, name in found if store.scope == "team"]:
            raise UsageError(
                f"{theirs[0]} belongs to the team. Nothing was changed. {permissions.OF_TEAM} "
                f"{' '.join(theirs)}"
            )
        owners = list(dict.fromkeys(store for store, _ in found))
        action = action or secrets.token_hex(8)
        with self.together(owners, action):
            listed = {owner: self._of(owner, found) for owner in owners}
            named = naming(memory for memories in listed.values() for memory in memories)
            for owner, memories in listed.items():
                with owner.change(verb, f"{label} {named}", actor, action) as change:
                    for memory in memories:
                        step(change, memory)
        changed = {memory.id: memory for owner in owners for memory in self._of(owner, found)}
        return [changed[name] for _, name in found if name in changed]

    @staticmethod
    def _of(owner: Store, found: Sequence[tuple[Store, str]]) -> list[Memory]:
        return owner.memories([name for store, name in found if store is owner])

    @contextmanager
    def together(self, stores: Sequence[Store], action: str) -> Iterator[None]:
        """One action in one or both stores, all of it or nothing; see `intents.together`."""
        if len(stores) > 1:
            for store in stores:
                self._settle(store)
        with intents.together(stores, action):
            yield


def naming(memories: Iterable[Memory]) -> str:
    """What a journal label calls `memories`: the title of one, the number of several."""
    listed = list(memories)
    return f"“{listed[0].title}”" if len(listed) == 1 else f"{len(listed)} memories"

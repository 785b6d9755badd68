"""What every verb stands on: the two stores, finding memories by id, acting on several."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from cortex_core import config as configuration
from cortex_core import project as projects
from cortex_core.config import Config
from cortex_core.errors import NotFound, UsageError
from cortex_core.memory import SCOPES, Actor, Memory, Scope
from cortex_core.project import Project
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store
from cortex_core.surface import trust

Ids = str | Sequence[str]
"""One id, or several; a unique beginning of at least four characters will do."""

SHORTEST_PREFIX = 4


class Base:
    """Two stores, opened when they are first needed; safe to use from several threads."""

    def __init__(
        self, project: Project, config: Config, clock: Callable[[], float] = time.time
    ) -> None:
        self.project = project
        self.config = config
        self.clock = clock
        self._open: dict[Scope, Store] = {}
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls,
        project: str | Path | None = None,
        home: str | Path | None = None,
        *,
        cwd: str | Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Cortex for a project; no store is created before something is written.

        Args:
            project: the project's folder; None finds it from `cwd`.
            home: the global side; None is the user's.
            cwd: where to look from; None is the working directory.
            clock: the present moment, Unix seconds.

        Raises:
            ConfigError: the configuration file has a mistake.
        """
        found = projects.find(
            cwd=None if cwd is None else str(cwd),
            explicit=None if project is None else str(project),
            home=None if home is None else str(home),
        )
        return cls(found, configuration.load(found), clock)

    def close(self) -> None:
        """End this thread's connections."""
        for store in list(self._open.values()):
            store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- stores

    @property
    def stores(self) -> tuple[Store, ...]:
        """The stores that exist, the project's first."""
        found = (self.existing(scope) for scope in SCOPES)
        return tuple(store for store in found if store is not None)

    def existing(self, scope: Scope) -> Store | None:
        """The store of `scope`, None while there is none."""
        path = self._path(scope)
        if path is None or (scope not in self._open and not path.exists()):
            return None
        return self.store(scope)

    def store(self, scope: Scope) -> Store:
        """The store of `scope`, created if need be.

        Raises:
            UsageError: the folder is none that a project can live in.
        """
        with self._lock:
            if scope not in self._open:
                self._open[scope] = self._opened(scope)
            return self._open[scope]

    def revision(self) -> tuple[int, ...]:
        """The revisions of the stores: differs after any change by anyone."""
        return tuple(store.revision for store in self.stores)

    def follow_branch(self) -> None:
        """Take notice of a branch that was checked out since this was opened."""
        here = self.project
        found = projects.find(cwd=here.cwd, explicit=here.root, home=here.home)
        if found.root == here.root and found.branch != here.branch:
            self.project = found

    def default_scope(self) -> Scope:
        """Where a memory goes when nobody says: the project's store, if there can be one."""
        return "project" if self.project.project_db else "global"

    def _path(self, scope: Scope) -> Path | None:
        name = self.project.project_db if scope == "project" else self.project.global_db
        return Path(name) if name else None

    def _opened(self, scope: Scope) -> Store:
        path = self._path(scope)
        if path is None:
            raise UsageError(
                f"{self.project.cwd} cannot be a project (home, / and temporary folders are none). "
                "Nothing was changed. Use --global, or name a folder with --project."
            )
        ours = None
        if scope == "project":
            projects.prepare(self.project)
            ours = partial(trust.grant, self.project)
        return Store.open(path, scope, kinds=self.config.kinds, clock=self.clock, named=ours)

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
            if store.rows("SELECT 1 FROM memory WHERE id = ?", (name,)):
                return store, name
        if len(name) < SHORTEST_PREFIX:
            raise UsageError(f"“{name}” is too short for an id. Nothing was changed.")
        found = [
            (store, full)
            for store in self.stores
            for (full,) in store.rows(
                "SELECT id FROM memory WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2", (name,)
            )
        ]
        if not found:
            raise NotFound(
                f"There is no memory “{name[:40]}”. Nothing was changed. See: cortex list."
            )
        if len(found) > 1:
            raise UsageError(f"“{name}” begins several ids. Nothing was changed. Give more of it.")
        return found[0]

    def get(self, name: str) -> Memory:
        """The memory called `name`, with its sources."""
        ((store, full),) = self.find(name)
        return store.memory(full)

    # --- acting

    def act(
        self,
        ids: Ids,
        verb: str,
        step: Callable[[Change, Memory], object],
        *,
        label: str,
        actor: Actor,
    ) -> list[Memory]:
        """Take `step` for each of `ids` as one undoable action; the memories as they are then.

        Args:
            label: words such as `pin`, completed here by what it was done to.
        """
        found = self.find(ids)
        action = secrets.token_hex(8)
        for store in dict.fromkeys(store for store, _ in found):
            mine = store.memories([name for owner, name in found if owner is store])
            with store.change(verb, f"{label} {naming(mine)}", actor, action) as change:
                for memory in mine:
                    step(change, memory)
        changed = {
            memory.id: memory
            for store in dict.fromkeys(store for store, _ in found)
            for memory in store.memories([name for owner, name in found if owner is store])
        }
        return [changed[name] for _, name in found if name in changed]


def naming(memories: Iterable[Memory]) -> str:
    """What a journal label calls `memories`: the title of one, the number of several."""
    listed = list(memories)
    return f"“{listed[0].title}”" if len(listed) == 1 else f"{len(listed)} memories"

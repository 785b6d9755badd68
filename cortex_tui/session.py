"""What the app asks of Cortex: one place for every call, so that screens only show.

Nothing here knows a widget or a thread. Every method may take as long as a store takes, so screens
call them from workers; each method is safe to call from several at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from cortex_core.errors import NotFound, StoreError, UsageError
from cortex_core.memory import Key, Memory
from cortex_tui import rules
from cortex_tui.finding import PAGE, Finder
from cortex_tui.queries import Done, ListQuery, ListResult, Meaning, Pulse, Revision, Verb

if TYPE_CHECKING:
    from cortex_core import Cortex
    from cortex_core.records import Change
    from cortex_core.reports.state import Facets

MOST_SHOWN = 1000
"""Memories of one undone change that are shown where they stand; more are read again instead."""
MOST_IMPORTANCES = 20_000
"""Memories whose importance is kept."""


class StoreSession:
    """The stores as the app sees them."""

    def __init__(
        self,
        project: str | Path | None = None,
        home: str | Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._where = (project, home)
        self.clock = clock
        self._opening = Lock()
        self.reopen()

    def reopen(self) -> None:
        """Open the stores afresh: for the first time, or removed, replaced or mended since."""
        from cortex_core import Cortex

        project, home = self._where
        opened = Cortex.open(project, home, clock=self.clock)
        self._importances: dict[str, float] = {}
        self._finder = Finder(opened)
        self.cortex: Cortex = opened
        self._files = self._seen()

    def check(self) -> None:
        """Make sure that what is open is still what lies on the disk.

        Raises:
            StoreError: a store's file is gone.
        """
        with self._opening:
            found = self._seen()
            for path, known in self._files.items():
                if known is not None and found[path] is None:
                    raise StoreError(
                        f"{path} was removed while it was open. Nothing was written. "
                        "Put it back, or press f5 to go on with what is there."
                    )
            if any(known not in (None, found[path]) for path, known in self._files.items()):
                self.reopen()
            self._files = found

    # --- reading

    def find(self, query: ListQuery, kept: Mapping[Key, Key | None] | None = None) -> ListResult:
        """Every row of `query`.

        Args:
            kept: rows that stay although they no longer pass, and the row each one follows.
        """
        self.check()
        return self._finder.find(query, kept or {})

    def first(self, query: ListQuery) -> ListResult:
        """The first rows of `query`, sooner than all; all where there are few."""
        self.check()
        return self._finder.first(query)

    def near(self, result: ListResult) -> Meaning:
        """What is nearest by meaning and not in `result` yet; loads the model if need be."""
        return self._finder.near(result)

    def nearly(self, result: ListResult) -> Meaning:
        """What is near by meaning at first sight, without the model; `near` sharpens it."""
        return self._finder.nearly(result)

    def rows(self, keys: Sequence[Key]) -> dict[Key, Memory]:
        """The memories behind `keys`; those gone meanwhile are missing."""
        found = self.cortex.memories.rows(keys)
        self._note_importances(found)
        if len(found) == len(keys):
            return dict(zip(keys, found, strict=True))
        return {key: memory for key in keys for memory in self.cortex.memories.rows([key])}

    def importance(self, memory: Memory) -> float | None:
        """How much a memory matters by itself, 0 to 1.1; None while it has not been read here."""
        return self._importances.get(memory.id)

    def facets(self, query: ListQuery) -> Facets:
        """By what the memories of the question's statuses can be told apart."""
        return self.cortex.memories.facets(query.statuses)

    def first_page(self, result: ListResult) -> dict[Key, Memory]:
        """The memories that a screen shows first."""
        return self.rows(result.order[:PAGE])

    def pulse(self, known: Revision | None) -> Pulse:
        """The revision now, and the status when it is another one than `known`."""
        self.check()
        revision = self.cortex.workspace.revision()
        return Pulse(revision, self.cortex.status() if revision != known else None)

    # --- writing

    def act(self, verb: Verb, *keys: Key) -> Done:
        """Carry out `verb`, on the memories behind `keys` where it needs some; one step to undo.

        Among several those that it can do nothing for are left out.

        Raises:
            CortexError: it was not done; the message says why.
        """
        self.check()
        before = self.cortex.workspace.revision()
        if verb == "undo" or verb == "redo":
            changes = getattr(self.cortex, verb)()
            rows = self._touched(changes)
            return Done(verb, rows, f"{PAST[verb]}: {label_of(changes)}", before, self._now())
        memories = list(self.rows(keys).values())
        if not memories:
            raise NotFound("This memory is no longer there. Nothing was changed. f5 reads again.")
        able = [memory for memory in memories if rules.allows(verb, memory)]
        if len(memories) > 1 and not able:
            raise UsageError(f"None of the {len(memories):,} is left to {verb}.")
        chosen = able or memories
        name = "unpin" if verb == "pin" and all(memory.pinned for memory in chosen) else verb
        left = len(memories) - len(chosen)
        rest = f"; {left:,} left as they are" if left else ""
        return self.change(
            name, lambda cortex: getattr(cortex, name)([memory.id for memory in chosen]),
            f"{PAST[name]}: {naming(chosen)}{rest}",
        )  # fmt: skip

    def change(self, verb: str, task: Callable[[Cortex], Iterable[Memory]], sentence: str) -> Done:
        """Carry out `task`, one step to undo.

        Args:
            verb: what is done, as the journal calls it.
            task: does it, and gives the memories that it changed.
            sentence: what is told when it is done.

        Raises:
            CortexError: it was not done; the message says why.
        """
        self.check()
        before = self.cortex.workspace.revision()
        changed = {memory.id: memory for memory in task(self.cortex)}
        return Done(verb, self._keyed(list(changed.values())), sentence, before, self._now())

    # --- inside

    def _keyed(self, memories: Sequence[Memory]) -> dict[Key, Memory]:
        """`memories` by store and number."""
        self._note_importances(memories)
        keys = self.cortex.memories.keys_of(memory.id for memory in memories)
        return {keys[memory.id]: memory for memory in memories if memory.id in keys}

    def _touched(self, changes: Sequence[Change]) -> dict[Key, Memory]:
        """What the memories of `changes` are now, unless there are too many to tell one by one."""
        names = list(dict.fromkeys(name for change in changes for name in change.memories))
        if len(names) > MOST_SHOWN:
            return {}
        return self.rows(list(self.cortex.memories.keys_of(names).values()))

    def _note_importances(self, memories: Sequence[Memory]) -> None:
        """Keep how much `memories` matter, for drawing them."""
        if len(self._importances) > MOST_IMPORTANCES:
            self._importances.clear()
        self._importances.update(self.cortex.memories.importances(memories))

    def _now(self) -> Revision:
        return self.cortex.workspace.revision()

    def _seen(self) -> dict[str, tuple[int, int] | None]:
        """Each store's file and what tells it from another at the same place."""
        project = self.cortex.project
        return {path: _identity(path) for path in (project.project_db, project.global_db) if path}


PAST = {
    "pin": "Pinned", "unpin": "Unpinned", "forget": "Forgotten", "restore": "Restored",
    "undo": "Undone", "redo": "Done again",
}  # fmt: skip


def label_of(changes: Sequence[Change]) -> str:
    """What a sentence calls `changes`, which were one action: one by its label, several by how many
    memories they touched."""
    if len(changes) == 1:
        return changes[0].label
    count = len({name for change in changes for name in change.memories})
    label = changes[0].label
    what = changes[0].verb if label.startswith(f"{changes[0].verb} ") else f"{label} and others,"
    return f"{what} {count:,} memories"


def naming(memories: Sequence[Memory]) -> str:
    """What a sentence calls `memories`: the title of one, the number of several."""
    return memories[0].title if len(memories) == 1 else f"{len(memories):,} memories"


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

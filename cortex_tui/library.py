"""What the app asks of Cortex: one place for every call, so that screens only show.

Nothing here knows a widget or a thread. Every method may take as long as a store takes, so screens
call them from workers; each method is safe to call from several at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

from cortex_core.errors import NotFound, StoreError, UsageError
from cortex_core.memory import Change, Memory, Scope, Status
from cortex_tui import rules
from cortex_tui.ahead import First, fork, received
from cortex_tui.answers import (
    WHOLE,
    Answer,
    Chip,
    Done,
    Key,
    Meaning,
    Pulse,
    Question,
    Revision,
    Sort,
    Verb,
    with_kept,
)

if TYPE_CHECKING:
    from cortex_core import Cortex
    from cortex_core.reports import Facets

NEAREST = 12
"""Most rows that join a search by meaning."""
NEAR_FLOOR, NEAR_SHARE = 0.08, 0.6
"""What a row's meaning must count to join: by itself, and beside the nearest one's."""
PAGE = 60
"""Memories read before the screen knows how many it can show."""
MOST_TOLD = 1000
"""Memories of one undone change that are shown where they stand; more are read again instead."""
MOST_WEIGHED = 20_000
"""Memories whose standing is kept."""


Where = Scope | Literal["all"]


class Asked(TypedDict):
    """Filters as the facade takes them."""

    kinds: Sequence[str]
    tags: Sequence[str]
    statuses: Sequence[Status]
    branch: str | None
    file: str | None
    since: str | None
    until: str | None


class Index:
    """Every row that passes some filters in one order, as of one revision."""

    def __init__(self, of: tuple[Revision, tuple[Chip, ...], Sort], order: Sequence[Key]) -> None:
        self.of = of
        self.order = order

    @cached_property
    def members(self) -> frozenset[Key]:
        """The same rows, for looking one up."""
        return frozenset(self.order)


class Opened(NamedTuple):
    """Open stores and what they first answered."""

    library: Library
    answer: Answer
    rows: Mapping[Key, Memory]
    """The memories of the first page."""


SHOWN_WITHIN = 1.0
"""Seconds that the stores are left alone for while a first answer is being shown."""


class Opening:
    """Stores being opened, and a first question answered, in a thread of their own.

    With `ahead`, a child process answers first; the stores are opened here once that is shown.
    """

    def __init__(
        self,
        project: str | Path | None,
        home: str | Path | None,
        clock: Callable[[], float],
        question: Question = WHOLE,
        *,
        ahead: bool = False,
    ) -> None:
        self.question = question
        self.shown = Event()
        """Set as soon as the first answer is shown, or will not be."""
        self._where = (project, home, clock)
        self._child = fork(project, home, clock, question) if ahead else None
        self._first: Future[First | None] = Future()
        self._opened: Future[Opened] = Future()
        Thread(target=self._open, daemon=True, name="opening").start()

    def result(self) -> Opened:
        """What was opened, as soon as it is.

        Raises:
            CortexError: it cannot be; the message says why.
        """
        return self._opened.result()

    def first(self, seconds: float) -> First | None:
        """What a child process answered, if it did within `seconds`."""
        try:
            return self._first.result(seconds)
        except TimeoutError:
            return None

    @property
    def is_done(self) -> bool:
        """Whether it is done, and well."""
        return self._opened.done() and self._opened.exception() is None

    def _open(self) -> None:
        first = received(self._child, self.question) if self._child else None
        self._first.set_result(first)
        if first is not None:
            self.shown.wait(SHOWN_WITHIN)
        try:
            library = Library(*self._where)
            answer = library.find(self.question)
            self._opened.set_result(Opened(library, answer, library.first_page(answer)))
        except BaseException as error:
            self._opened.set_exception(error)


class Library:
    """The stores as the app sees them."""

    def __init__(
        self,
        project: str | Path | None = None,
        home: str | Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._where = (project, home)
        self.clock = clock
        self.reopen()

    def reopen(self) -> None:
        """Open the stores afresh: for the first time, or removed, replaced or mended since."""
        from cortex_core import Cortex

        project, home = self._where
        self.cortex: Cortex = Cortex.open(project, home, clock=self.clock)
        self._files = self._seen()
        self._index: Index | None = None
        self._worth: dict[str, float] = {}

    def check(self) -> None:
        """Make sure that what is open is still what lies on the disk.

        Raises:
            StoreError: a store's file is gone.
        """
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

    def find(self, question: Question, kept: Mapping[Key, Key | None] | None = None) -> Answer:
        """The rows of `question`.

        Args:
            kept: rows that stay although they no longer pass, and the row each one follows.
        """
        self.check()
        revision = self.cortex.revision()
        index = self._all(question, revision)
        order: Sequence[Key] = index.order
        corrected: Mapping[str, str] = {}
        if question.words.strip():
            found, corrected = self.cortex.search_ids(question.words)
            order = list(filter(index.members.__contains__, found))
        lost = frozenset(kept or {}).difference(order)
        if kept and lost:
            order = with_kept(order, {key: kept[key] for key in kept if key in lost})
        return Answer(question, order, len(index.order), revision, corrected, kept=lost)

    def near(self, answer: Answer) -> Meaning:
        """What is nearest by meaning and not in `answer` yet; loads the model if need be."""
        question = answer.question
        found = self.cortex.recall(
            question.words, mode="semantic", limit=NEAREST, count=False, scope=_scope(question),
            **_asked(question),
        )  # fmt: skip
        nearest = max((hit.parts.semantic for hit in found), default=0.0)
        floor = max(NEAR_FLOOR, NEAR_SHARE * nearest)
        names = [hit.memory.id for hit in found if hit.parts.semantic >= floor]
        known = set(answer.order)
        new = [key for key in dict.fromkeys(self.cortex.keys_of(names)) if key not in known]
        return Meaning(tuple(new), found.degraded)

    def nearly(self, answer: Answer) -> Meaning:
        """What is near by meaning at first sight, without the model; `near` sharpens it."""
        question, scope = answer.question, _scope(answer.question)
        filters = self.cortex.filters(**_asked(question))
        found = self.cortex.near_ids(question.words, filters=filters, limit=2 * NEAREST)
        known = set(answer.order)
        new = [key for key in found if key not in known and scope in ("all", key[0])]
        return Meaning(tuple(new[:NEAREST]), roughly=True)

    def rows(self, keys: Sequence[Key]) -> dict[Key, Memory]:
        """The memories behind `keys`; those gone meanwhile are missing."""
        found = self.cortex.rows(keys)
        self._weigh(found)
        if len(found) == len(keys):
            return dict(zip(keys, found, strict=True))
        return {key: memory for key in keys for memory in self.cortex.rows([key])}

    def worth(self, memory: Memory) -> float | None:
        """How much a memory matters by itself, 0 to 1.1; None while it has not been read here."""
        return self._worth.get(memory.id)

    def facets(self) -> Facets:
        """By what the memories can be told apart."""
        return self.cortex.facets()

    def first_page(self, answer: Answer) -> dict[Key, Memory]:
        """The memories that a screen shows first."""
        return self.rows(answer.order[:PAGE])

    def pulse(self, known: Revision | None) -> Pulse:
        """The revision now, and the status when it is another one than `known`."""
        self.check()
        revision = self.cortex.revision()
        return Pulse(revision, self.cortex.status() if revision != known else None)

    # --- writing

    def act(self, verb: Verb, *keys: Key) -> Done:
        """Carry out `verb`, on the memories behind `keys` where it needs some; one step to undo.

        Among several those that it can do nothing for are left out.

        Raises:
            CortexError: it was not done; the message says why.
        """
        self.check()
        before = self.cortex.revision()
        if verb == "undo" or verb == "redo":
            changes = getattr(self.cortex, verb)()
            rows = self._touched(changes)
            return Done(verb, rows, f"{PAST[verb]}: {changes[0].label}", before, self._now())
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
        before = self.cortex.revision()
        changed = {memory.id: memory for memory in task(self.cortex)}
        return Done(verb, self._keyed(list(changed.values())), sentence, before, self._now())

    # --- inside

    def _keyed(self, memories: Sequence[Memory]) -> dict[Key, Memory]:
        """`memories` by store and number."""
        self._weigh(memories)
        keys = self.cortex.keys_of([memory.id for memory in memories])
        return dict(zip(keys, memories, strict=True))

    def _touched(self, changes: Sequence[Change]) -> dict[Key, Memory]:
        """What the memories of `changes` are now, unless there are too many to tell one by one."""
        names = list(dict.fromkeys(name for change in changes for name in change.memories))
        return self.rows(self.cortex.keys_of(names)) if len(names) <= MOST_TOLD else {}

    def _weigh(self, memories: Sequence[Memory]) -> None:
        """Keep how much `memories` matter, for drawing them."""
        if len(self._worth) > MOST_WEIGHED:
            self._worth.clear()
        self._worth.update(self.cortex.standings(memories))

    def _now(self) -> Revision:
        return self.cortex.revision()

    def _all(self, question: Question, revision: Revision) -> Index:
        """Every row that passes the question's filters, in its order, read again after a change."""
        cached, wanted = self._index, (revision, question.chips, question.sort)
        if cached is not None and cached.of == wanted:
            return cached
        filters = self.cortex.filters(**_asked(question))
        order = self.cortex.index(filters=filters, scope=_scope(question), sort=question.sort)
        found = Index(wanted, order)
        self._index = found
        return found

    def _seen(self) -> dict[str, tuple[int, int] | None]:
        """Each store's file and what tells it from another at the same place."""
        project = self.cortex.project
        return {path: _identity(path) for path in (project.project_db, project.global_db) if path}


PAST = {
    "pin": "Pinned", "unpin": "Unpinned", "forget": "Forgotten", "restore": "Restored",
    "undo": "Undone", "redo": "Done again",
}  # fmt: skip


def naming(memories: Sequence[Memory]) -> str:
    """What a sentence calls `memories`: the title of one, the number of several."""
    return memories[0].title if len(memories) == 1 else f"{len(memories):,} memories"


def _scope(question: Question) -> Where:
    found = question.value("scope")
    return "all" if found is None else "global" if found == "global" else "project"


def _asked(question: Question) -> Asked:
    """What `question` asks of a memory besides its store, as the facade takes it."""
    return Asked(
        kinds=question.values("kind"), tags=question.values("tag"), statuses=question.statuses,
        branch=question.value("branch"), file=question.value("file"),
        since=question.value("since"), until=question.value("until"),
    )  # fmt: skip


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

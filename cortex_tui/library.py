"""What the app asks of Cortex: one place for every call, so that screens only show.

Nothing here knows a widget or a thread. Every method may take as long as a store takes, so screens
call them from workers; each method is safe to call from several at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from cortex_core.errors import NotFound, StoreError
from cortex_core.memory import STATUSES, Memory, Scope, Status
from cortex_core.reports import Status as StoreStatus

if TYPE_CHECKING:
    from cortex_core import Cortex

Key = tuple[Scope, int]
"""A memory's store and row number there."""
Revision = tuple[int, ...]
Sort = Literal["updated", "created", "priority", "title", "kind", "access"]
Verb = Literal["pin", "forget", "restore", "undo", "redo"]
"""`pin` unpins what is pinned."""

SORTS: tuple[Sort, ...] = get_args(Sort)
ALIVE: tuple[Status, ...] = ("active",)
NEAREST = 12
"""Most rows that join a search by meaning."""


class Question(NamedTuple):
    """What the list is to show."""

    words: str = ""
    everything: bool = False
    """Memories of every status, not only active ones."""
    sort: Sort = "updated"

    @property
    def statuses(self) -> tuple[Status, ...]:
        """The statuses it lets pass."""
        return STATUSES if self.everything else ALIVE


@dataclass(frozen=True, slots=True)
class Answer:
    """Which rows a question has, in their order."""

    question: Question
    order: Sequence[Key]
    total: int
    """How many memories have one of the question's statuses."""
    revision: Revision
    corrected: Mapping[str, str] = field(default_factory=dict)
    """Misspelt words and what they were read as."""
    meaning: frozenset[Key] = frozenset()
    """The rows found by meaning alone."""
    kept: frozenset[Key] = frozenset()
    """The rows that would not pass by themselves."""
    joined_meaning: bool = False
    """Whether the search by meaning is done."""
    degraded: str = ""
    """Why meaning was not used, in one sentence."""

    def joined(self, near: Meaning) -> Answer:
        """This answer with `near` behind its own rows."""
        known = set(self.order)
        new = [key for key in dict.fromkeys(near.keys) if key not in known]
        return replace(
            self, order=[*self.order, *new], meaning=frozenset(new), degraded=near.degraded,
            joined_meaning=True,
        )  # fmt: skip


class Meaning(NamedTuple):
    """What a search by meaning found."""

    keys: tuple[Key, ...]
    degraded: str = ""
    """Why meaning could not be used, in one sentence; empty when it could."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a verb changed."""

    verb: Verb
    rows: Mapping[Key, Memory]
    sentence: str
    before: Revision
    after: Revision


@dataclass(frozen=True, slots=True)
class Pulse:
    """What the stores say of themselves."""

    revision: Revision
    status: StoreStatus | None
    """None when nothing changed since."""


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
        self._index: tuple[Revision, bool, Sort, list[Key]] | None = None

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
        order: Sequence[Key] = index
        corrected: Mapping[str, str] = {}
        if question.words.strip():
            allowed = set(index)
            found, corrected = self.cortex.search_ids(question.words)
            order = [key for key in found if key in allowed]
        lost = frozenset(kept or {}).difference(order)
        if kept and lost:
            order = with_kept(order, {key: kept[key] for key in kept if key in lost})
        return Answer(question, order, len(index), revision, corrected, kept=lost)

    def near(self, question: Question) -> Meaning:
        """The memories nearest by meaning to a question's words; loads the model if need be."""
        found = self.cortex.recall(
            question.words, mode="semantic", limit=NEAREST, statuses=question.statuses, count=False
        )
        if found.degraded:
            return Meaning((), found.degraded)
        return Meaning(tuple(self.cortex.keys_of([hit.memory.id for hit in found])))

    def rows(self, keys: Sequence[Key]) -> dict[Key, Memory]:
        """The memories behind `keys`; those gone meanwhile are missing."""
        found = self.cortex.rows(keys)
        if len(found) == len(keys):
            return dict(zip(keys, found, strict=True))
        return {key: memory for key in keys for memory in self.cortex.rows([key])}

    def pulse(self, known: Revision | None) -> Pulse:
        """The revision now, and the status when it is another one than `known`."""
        self.check()
        revision = self.cortex.revision()
        return Pulse(revision, self.cortex.status() if revision != known else None)

    # --- writing

    def act(self, verb: Verb, key: Key | None = None) -> Done:
        """Carry out `verb`, on the memory behind `key` where it needs one.

        Raises:
            CortexError: it was not done; the message says why.
        """
        self.check()
        before = self.cortex.revision()
        if verb == "undo" or verb == "redo":
            changes = getattr(self.cortex, verb)()
            return Done(verb, {}, f"{PAST[verb]}: {changes[0].label}", before, self._now())
        memory = self.rows([key]).get(key) if key is not None else None
        if key is None or memory is None:
            raise NotFound("This memory is no longer there. Nothing was changed. f5 reads again.")
        name = "unpin" if verb == "pin" and memory.pinned else verb
        changed = getattr(self.cortex, name)([memory.id])
        return Done(verb, {key: changed[0]}, f"{PAST[name]}: {memory.title}", before, self._now())

    # --- inside

    def _now(self) -> Revision:
        return self.cortex.revision()

    def _all(self, question: Question, revision: Revision) -> list[Key]:
        """Every row of the question's statuses in its order, read again after a change."""
        cached = self._index
        wanted = (revision, question.everything, question.sort)
        if cached is not None and cached[:3] == wanted:
            return cached[3]
        filters = self.cortex.filters(statuses=question.statuses)
        found = self.cortex.index(filters=filters, sort=question.sort)
        self._index = (*wanted, found)
        return found

    def _seen(self) -> dict[str, tuple[int, int] | None]:
        """Each store's file and what tells it from another at the same place."""
        project = self.cortex.project
        return {path: _identity(path) for path in (project.project_db, project.global_db) if path}


PAST = {
    "pin": "Pinned", "unpin": "Unpinned", "forget": "Forgotten", "restore": "Restored",
    "undo": "Undone", "redo": "Done again",
}  # fmt: skip


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def with_kept(order: Sequence[Key], kept: Mapping[Key, Key | None]) -> list[Key]:
    """`order` with the `kept` rows in it, each behind the row it followed, None for the first."""
    followers: dict[Key | None, list[Key]] = {}
    for key, before in kept.items():
        followers.setdefault(before, []).append(key)
    merged: list[Key] = []

    def follow(key: Key | None) -> None:
        for follower in followers.pop(key, ()):
            merged.append(follower)
            follow(follower)

    follow(None)
    for key in order:
        merged.append(key)
        follow(key)
    for rest in list(followers.values()):
        merged.extend(rest)
    return merged

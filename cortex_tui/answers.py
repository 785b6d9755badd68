"""What is asked of the stores and what comes back: values that go from workers to screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, get_args

from cortex_core.memory import STATUSES, Memory, Scope, Status
from cortex_core.reports import Status as StoreStatus

Key = tuple[Scope, int]
"""A memory's store and row number there."""
Revision = tuple[int, ...]
Sort = Literal["updated", "created", "priority", "title", "kind", "access"]
Verb = Literal["pin", "forget", "restore", "undo", "redo"]
"""`pin` unpins what is pinned."""

SORTS: tuple[Sort, ...] = get_args(Sort)
ALIVE: tuple[Status, ...] = ("active",)


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


WHOLE = Question()
"""Every active memory, the newest change first."""


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
        """This answer with `near`, which was found for it, behind its own rows."""
        return replace(
            self, order=[*self.order, *near.keys], meaning=frozenset(near.keys),
            degraded=near.degraded, joined_meaning=True,
        )  # fmt: skip


class Meaning(NamedTuple):
    """What a search by meaning adds to an answer."""

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

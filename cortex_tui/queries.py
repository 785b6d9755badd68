"""Queries and results as values, and how a typed search is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from cortex_core.base import text
from cortex_core.base.errors import CortexError
from cortex_core.base.kinds import Kinds
from cortex_core.records.memory import NEWS, SCOPES, STATUSES, Key, Memory, Sort, Status

if TYPE_CHECKING:
    from cortex_core.records.captures import ProjectStatus
    from cortex_core.records.machines import SyncStatus
    from cortex_core.records.teams import TeamStatus

Revision = tuple[int, ...]
Verb = Literal["pin", "forget", "restore", "undo", "redo"]
"""`pin` unpins what is pinned."""
Field = Literal[
    "kind",
    "scope",
    "status",
    "tag",
    "branch",
    "session",
    "import",
    "new",
    "file",
    "since",
    "until",
    "asof",
    "commit",
]
"""What memories and conversations can be filtered by."""

FIELDS: tuple[Field, ...] = tuple(field for field in get_args(Field) if field != "commit")
"""What memories can be filtered by."""
CONVERSATION_FIELDS: tuple[Field, ...] = ("branch", "file", "commit", "since", "until")
"""What conversations can be filtered by."""
ALIVE: tuple[Status, ...] = ("active",)
PAST: tuple[Status, ...] = ("active", "superseded", "archived")
"""What a memory can be now that was in force at an earlier moment."""
ALL = "all"
"""As the value of `status`: memories of every status."""
KNOWN: Mapping[Field, tuple[str, ...]] = {
    "scope": SCOPES,
    "status": (*STATUSES, ALL),
    "new": NEWS,
}
"""The values of the fields that take no others."""
SEVERAL: frozenset[Field] = frozenset({"kind", "status", "tag"})
"""The fields that can be asked for more than once."""


class Chip(NamedTuple):
    """One filter of the list: a field and its value."""

    field: Field
    value: str

    def __str__(self) -> str:
        return f"{self.field}:{self.value}"


EVERYTHING = Chip("status", ALL)
NOTHING: Mapping[Any, Any] = {}


class ListQuery(NamedTuple):
    """What the list is to show."""

    words: str = ""
    chips: tuple[Chip, ...] = ()
    """Kinds and statuses: any of them; tags: all of them."""
    sort: Sort = "updated"

    @property
    def everything(self) -> bool:
        """Whether memories of every status pass."""
        return EVERYTHING in self.chips

    @property
    def is_search(self) -> bool:
        """Whether words are looked for, so that the history is searched as well."""
        return bool(self.words.strip())

    @property
    def statuses(self) -> tuple[Status, ...]:
        """The statuses it lets pass."""
        if self.everything:
            return STATUSES
        if self.value("asof"):
            return PAST
        named = self.values("status")
        return tuple(status for status in STATUSES if status in named) or ALIVE

    def values(self, field: Field) -> tuple[str, ...]:
        """The filter values of `field`."""
        return tuple(chip.value for chip in self.chips if chip.field == field)

    def value(self, field: Field) -> str | None:
        """The filter value of `field`, which takes one value."""
        return next(iter(self.values(field)), None)

    def passes(self, memory: Memory) -> bool:
        """Whether `memory` passes the filters that can be checked without a store."""
        kinds, branch = self.values("kind"), self.value("branch")
        return (
            memory.status in self.statuses
            and self.value("scope") in (None, memory.scope)
            and (not kinds or memory.kind in kinds)
            and set(self.values("tag")) <= set(memory.tags)
            and branch in (None, memory.context.branch)
        )

    def with_chip(self, chip: Chip) -> ListQuery:
        """The same with `chip` as well, in place of the filter that excludes it."""
        rivals = {"status"} if chip == EVERYTHING else set()
        if chip.field not in SEVERAL:
            rivals.add(chip.field)
        kept = tuple(
            one
            for one in self.chips
            if one != chip
            and one.field not in rivals
            and not (one == EVERYTHING and chip.field == "status")
        )
        return self._replace(chips=(*kept, chip))

    def without(self, *chips: Chip) -> ListQuery:
        """The same without `chips`."""
        return self._replace(chips=tuple(one for one in self.chips if one not in chips))


WHOLE = ListQuery()
"""Every active memory, the newest change first."""


class ListResult(NamedTuple):
    """Which rows a query has, in their order."""

    query: ListQuery
    order: Sequence[Key]
    total: int
    """How many memories pass the query's filters, as far as they were read."""
    revision: Revision
    corrected: Mapping[str, str] = NOTHING
    """Misspelt words and what they were read as."""
    similar: frozenset[Key] = frozenset()
    """The rows found by similar words of their titles alone."""
    meaning: frozenset[Key] = frozenset()
    """The rows found by meaning alone."""
    kept: frozenset[Key] = frozenset()
    """Rows that no longer pass the filters and stay anyway."""
    joined_meaning: bool = False
    """Whether the search by meaning is done."""
    degraded: str = ""
    """Why meaning was not used, in one sentence."""
    partial: bool = False
    """Only the first rows, which take less long to find than all."""
    suggested: int = 0
    """How many suggestions, which are not searched, have all of the words."""

    def completes(self, other: ListResult) -> bool:
        """Whether this is the whole of what `other` begins."""
        return (
            other.partial
            and (self.query, self.revision) == (other.query, other.revision)
            and list(self.order[: len(other.order)]) == list(other.order)
        )

    def joined(self, hits: MeaningHits) -> ListResult:
        """This result with `hits`, which were found for it, behind its own rows."""
        own = self.order[: len(self.order) - len(self.meaning)]
        return self._replace(
            order=[*own, *hits.keys],
            meaning=frozenset(hits.keys),
            degraded=hits.degraded,
            suggested=hits.suggested,
            joined_meaning=True,
        )


class MeaningHits(NamedTuple):
    """What a search by meaning adds to a result."""

    keys: tuple[Key, ...]
    degraded: str = ""
    """Why meaning could not be used, in one sentence; empty when it could."""
    suggested: int = 0
    """See `ListResult.suggested`."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a verb changed."""

    verb: str
    rows: Mapping[Key, Memory]
    sentence: str
    before: Revision
    after: Revision
    moved: Mapping[Key, Key] = field(default_factory=dict)
    """The old and the new key of the memories that changed their store."""
    settings: bool = False
    """Whether settings changed, or whether memories are injected, or captured."""
    lasting: bool = False
    """Whether no undo takes it back."""


class Pulse(NamedTuple):
    """The state of the stores."""

    revision: Revision
    status: ProjectStatus | None
    """None when nothing changed since."""
    team: TeamStatus | None = None
    """The team that the project follows; read with the status."""
    sync: SyncStatus | None = None
    """The exchange with the user's other machines, where there is one; read with the status."""
    seen: Revision = ()
    """What the status is of: the revision, and when the list of remotes was written."""


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


# --- what is typed into the search

_ALIASES: dict[str, Field] = {"type": "kind", "is": "status", "before": "until", "after": "since"}


class TypedSearch(NamedTuple):
    """A search taken apart."""

    words: str
    """What is searched for."""
    chips: tuple[Chip, ...] = ()
    left: str = ""
    """What stays in the line when the chips are taken out."""
    problem: str = ""
    """What is wrong with a qualifier, in one sentence."""


def read_search(
    typed: str, kinds: Kinds, now: float, *, done: bool = False, fields: Sequence[Field] = FIELDS
) -> TypedSearch:
    """`typed` taken apart: words, and qualifiers such as `kind:decision`.

    A qualifier becomes a chip as soon as a blank follows it. Until then, or while it is not right,
    it stays where it was typed and is not searched for.

    Args:
        done: whether nothing more will be typed, so that the last qualifier counts too.
        fields: what can be filtered by.
    """
    words: list[str] = []
    chips: list[Chip] = []
    left: list[str] = []
    problem, ended = "", done or typed[-1:].isspace()
    tokens = typed.split()
    # The last word may still be typed; a qualifier at the end is not taken until a blank follows
    # it.
    for index, token in enumerate(tokens):
        field, value = _field(token, fields)
        if field is None:
            words.append(token)
        elif ended or index < len(tokens) - 1:
            wrong, chip = _chip(field, value, kinds, now)
            problem = problem or wrong
            if chip is not None:
                chips.append(chip)
                continue
        left.append(token)
    blank = " " if left and typed[-1:].isspace() else ""
    return TypedSearch(" ".join(words), tuple(chips), " ".join(left) + blank, problem)


def _field(token: str, fields: Sequence[Field]) -> tuple[Field | None, str]:
    name, colon, value = token.partition(":")
    name = name.lower()
    if not colon:
        return None, ""
    named = _ALIASES.get(name, name)
    return next((field for field in fields if field == named), None), value.strip("\"'")


def _chip(field: Field, value: str, kinds: Kinds, now: float) -> tuple[str, Chip | None]:
    """What is wrong with the value ("" for nothing), and the chip."""
    if not value:
        return f"{field}: wants a value.", None
    if field in KNOWN:
        value = value.lower()
        if value not in KNOWN[field]:
            named = "origin of new ones" if field == "new" else field
            return f"“{value}” is no {named}. There are: {', '.join(KNOWN[field])}.", None
    try:
        if field == "kind":
            value = kinds.get(value).name
        if field in ("since", "until", "asof"):
            text.parse_time(value, now)
    except CortexError as error:
        return str(error), None
    if field == "tag":
        value = value.lstrip("#").lower()
    return "", Chip(field, value)

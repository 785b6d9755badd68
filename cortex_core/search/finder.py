"""Filters of a search, and finding memories by the words that a user types into a list.

This is for lists as they are filtered key by key; ranking by meaning is in `recall`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import EPISODE
from cortex_core.redaction import names
from cortex_core.search import keyword
from cortex_core.store.store import Store
from cortex_core.types import STATUSES, FilterOptions, Status

if TYPE_CHECKING:
    from cortex_core.base.config import Config


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a memory must be; an empty field asks for nothing."""

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """All of them."""
    statuses: tuple[Status, ...] = ("active",)
    branch: str | None = None
    session: str | None = None
    """The beginning of a session's id: memories learned or confirmed in it."""
    file: str | None = None
    """A path: memories that apply to it or were learned in it."""
    since: float | None = None
    """Created then or later, Unix seconds."""
    until: float | None = None
    history: bool = True
    """Whether the history is among them where neither a kind nor a file is asked for."""

    def where(self) -> tuple[str, list[Any]]:
        """An SQL condition over `m` (memory), and its parameters."""
        conditions: list[str] = []
        values: list[Any] = []
        for column, wanted in (("status", self.statuses), ("kind", self.kinds)):
            if wanted:
                conditions.append(f"m.{column} IN ({','.join('?' * len(wanted))})")
                values += wanted
        if not (self.history or self.kinds or self.file is not None):
            conditions.append("m.kind <> ?")
            values.append(EPISODE)
        for tag in self.tags:
            conditions.append("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)")
            values.append(tag)
        if self.file is not None:
            conditions.append(f"({_FILE})")
            values += [self.file, self.file]
        if self.session is not None:
            conditions.append(f"({_SESSION})")
            values += [_beginning(self.session)] * 2
        for condition, value in (
            ("m.branch = ?", self.branch),
            ("m.created >= ?", self.since),
            ("m.created <= ?", self.until),
        ):
            if value is not None:
                conditions.append(condition)
                values.append(value)
        return " AND ".join(conditions) or "1", values


_FILE = """
EXISTS (SELECT 1 FROM json_each(m.globs) WHERE glob_matches(?, value))
OR EXISTS (SELECT 1 FROM json_each(m.files) WHERE value = ?)
"""

_SESSION = """
m.session GLOB ? OR m.id IN (SELECT memory FROM source WHERE session GLOB ?)
"""


def _beginning(words: str) -> str:
    """A pattern of GLOB for what begins with `words`."""
    return re.sub(r"([*?\[])", r"[\1]", words) + "*"


def checked(config: Config, now: float, **options: Unpack[FilterOptions]) -> Filters:
    """Filters from what a user gave.

    Raises:
        UsageError: an unknown kind, status or time.
    """
    statuses = tuple(options.get("statuses", ("active",)))
    since, until = options.get("since"), options.get("until")
    for status in statuses:
        if status not in STATUSES:
            raise UsageError(
                f"“{status}” is not a status. Nothing was searched. Use one of: "
                f"{', '.join(STATUSES)}."
            )
    return Filters(
        kinds=tuple(config.kinds.get(kind).name for kind in options.get("kinds", ())),
        tags=tuple(map(text.storable, options.get("tags", ()))),
        statuses=statuses, branch=_stored(options.get("branch"), config),
        session=_stored(options.get("session"), config),
        file=_stored(options.get("file"), config),
        since=None if since is None else text.parse_time(since, now),
        until=None if until is None else text.parse_time(until, now),
        history=options.get("history", True),
    )  # fmt: skip


def _stored(name: str | None, config: Config) -> str | None:
    """A branch, a session or a file as stores keep it: without a secret or half a character."""
    return name and names.clean(text.storable(name), config.get("redact.extra"))


MOST = 100_000
"""Numbers that one search may return."""

RANKED = 5_000
"""Most memories with every whole word that are ranked by how well they fit. If there are more, the
newest come first: ranking them would take too long after a key press."""


class WordMatches(NamedTuple):
    """The rows that have every word, best first."""

    numbers: Sequence[int]
    corrected: Mapping[str, str]
    """Typed words that no memory has, and the most similar ones that some have."""
    complete: bool = True
    """False: there may be more."""


def find(store: Store, typed: str, most: int = MOST) -> WordMatches:
    """The memories of `store` that have every word of `typed`, in any order, best first.

    A word may be the beginning of one; whole words in any form come first. A word that nothing
    begins with is read as the most similar one of the store's vocabulary.

    Args:
        most: how many are enough; they are the first ones of a larger search.
    """
    wanted = list(dict.fromkeys(word for word in text.words(typed) if word))
    if not wanted:
        return WordMatches((), {})
    corrected = keyword.corrections(
        [store], [word for word in wanted if not _is_known(store, word)]
    )
    read = [corrected.get(word, word) for word in wanted]
    whole = _whole(store, [keyword.quoted(word) for word in read], most)
    if len(whole) >= most:
        return WordMatches(whole[:most], corrected, complete=False)
    prefixed = _numbers(store, _PREFIX, [part for word in read for part in _beginnings(word)], most)
    numbers = list(dict.fromkeys((*whole, *prefixed))) if whole else prefixed
    return WordMatches(numbers[:most], corrected, complete=len(numbers) < most)


_WHOLE = "memory_fts WHERE memory_fts MATCH ? ORDER BY rowid DESC"
_BEST = "memory_fts WHERE memory_fts MATCH ? ORDER BY bm25(memory_fts)"
_PREFIX = "memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC"


def _whole(store: Store, terms: list[str], most: int) -> list[int]:
    """At least `most` of the memories with every one of these words, if there are as many."""
    newest = _numbers(store, _WHOLE, terms, max(most, RANKED + 1))
    return newest if len(newest) > RANKED else _numbers(store, _BEST, terms, RANKED)


def _is_known(store: Store, word: str) -> bool:
    return bool(
        _numbers(store, _PREFIX, _beginnings(word), 1)
        or _numbers(store, _WHOLE, [keyword.quoted(word)], 1)
    )


def _beginnings(word: str) -> list[str]:
    """`word` as the unstemmed index takes it, which knows no phrases: part by part."""
    folded = "".join(letter if letter.isalnum() else " " for letter in word)
    return [keyword.quoted(part) + "*" for part in folded.split()]


def _numbers(store: Store, tail: str, terms: list[str], limit: int) -> list[int]:
    if not terms:
        return []
    ((listed,),) = store.rows(
        f"SELECT json_group_array(rowid) FROM (SELECT rowid FROM {tail} LIMIT ?)",
        (" AND ".join(terms), limit),
    )
    numbers: list[int] = json.loads(listed)
    return numbers

"""Finding memories by their words as a user types them: for lists, not for ranking by meaning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cortex_core.base import text
from cortex_core.search import keyword
from cortex_core.store.store import Store

MOST = 100_000
"""Numbers that one search may return."""

RANKED = 5_000
"""Memories with every whole word that are put in the order of how well they fit. Of more, which
would take longer than a key may, the newest come first."""


class WordMatches(NamedTuple):
    """The rows that hold every word, best first."""

    numbers: Sequence[int]
    corrected: Mapping[str, str]
    """Typed words that no memory holds, and the nearest ones that some do."""
    complete: bool = True
    """False: there may be more."""


def find(store: Store, typed: str, most: int = MOST) -> WordMatches:
    """The memories of `store` that hold every word of `typed`, in any order, best first.

    A word may be a beginning; whole words in any form come first. A word that nothing begins with
    is read as the nearest one of the store's vocabulary.

    Args:
        most: how many are enough. What comes is how a larger search would begin.
    """
    wanted = list(dict.fromkeys(word for word in text.words(typed) if word))
    if not wanted:
        return WordMatches((), {})
    corrected = keyword.corrections([store], [word for word in wanted if not _held(store, word)])
    read = [corrected.get(word, word) for word in wanted]
    whole = _whole(store, [keyword.quoted(word) for word in read], most)
    if len(whole) >= most:
        return WordMatches(whole[:most], corrected, complete=False)
    begun = _numbers(store, _BEGUN, [part for word in read for part in _beginnings(word)], most)
    numbers = list(dict.fromkeys((*whole, *begun))) if whole else begun
    return WordMatches(numbers[:most], corrected, complete=len(numbers) < most)


_WHOLE = "memory_fts WHERE memory_fts MATCH ? ORDER BY rowid DESC"
_BEST = "memory_fts WHERE memory_fts MATCH ? ORDER BY bm25(memory_fts)"
_BEGUN = "memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC"


def _whole(store: Store, terms: list[str], most: int) -> list[int]:
    """At least `most` of the memories with every one of these words, if there are as many."""
    newest = _numbers(store, _WHOLE, terms, max(most, RANKED + 1))
    return newest if len(newest) > RANKED else _numbers(store, _BEST, terms, RANKED)


def _held(store: Store, word: str) -> bool:
    return bool(
        _numbers(store, _BEGUN, _beginnings(word), 1)
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

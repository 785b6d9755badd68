"""Search by words: FTS5's bm25 over a store, and how rare each word is in it."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.recall import query
from cortex_core.storage.schema import FTS_WEIGHTS

if TYPE_CHECKING:
    from cortex_core.storage.store import Store

COMMON = 8
"""A word held by more than one in so many memories is not searched for, unless all are so."""

FEW = 1000
"""Memories below which common words cost nothing and stay."""

_BM25 = f"bm25(memory_fts, {', '.join(map(str, FTS_WEIGHTS))})"
_SEARCH = (
    f"SELECT rowid, -{_BM25} AS score FROM memory_fts WHERE memory_fts MATCH ? "
    f"ORDER BY {_BM25} LIMIT ?"
)


class Words(NamedTuple):
    """The words of a query in one store."""

    terms: tuple[str, ...]
    """Those searched for."""
    rarity: float
    """Sum of their inverse document frequencies."""


class Found(NamedTuple):
    """A memory found by words."""

    number: int
    score: float
    """bm25, higher is better."""


def corrections(stores: Sequence[Store], terms: Sequence[str]) -> dict[str, str]:
    """Misspelt words, which no store holds in any form, and what they are read as."""
    return query.correct(
        terms,
        lambda word: any(_held_by(store, word, 1) for store in stores),
        lambda word: [known for store in stores for known in _near(store, word)],
    )


def prepare(store: Store, terms: Sequence[str]) -> Words:
    """Those of `terms` that are worth searching this store for, and how rare they are."""
    total = store.rows("SELECT count(*) FROM memory")[0][0]
    most = total if total < FEW else total // COMMON + 1
    held = {word: _held_by(store, word, most) for word in terms}
    known = [word for word in terms if held[word]]
    rare = [word for word in known if total < FEW or held[word] < most]
    searched = rare or sorted(known, key=lambda word: held[word])[:2]
    return Words(tuple(searched), sum(rarity(total, held[word]) for word in searched))


def search(store: Store, words: Words, limit: int) -> list[Found]:
    """The memories that hold any of the words, best first."""
    if not words.terms:
        return []
    found = store.rows(_SEARCH, (query.match(words.terms), limit))
    return [Found(number, score) for number, score in found]


def rarity(total: int, held: int) -> float:
    """FTS5's inverse document frequency of a word that `held` of `total` memories hold."""
    return max(log((total - held + 0.5) / (held + 0.5)), 1e-6)


def _held_by(store: Store, word: str, most: int) -> int:
    """How many memories hold the word; counting stops at `most`."""
    counted = store.rows(
        "SELECT count(*) FROM (SELECT 1 FROM memory_fts WHERE memory_fts MATCH ? LIMIT ?)",
        (query.quoted(word), most),
    )
    return int(counted[0][0])


def _near(store: Store, word: str) -> list[tuple[str, int]]:
    """Words of the store that begin as this one does, or as it would with its first two swapped."""
    found: list[tuple[str, int]] = []
    for first in dict.fromkeys((word[0], word[1])):
        found += store.rows(
            "SELECT term, doc FROM word WHERE term >= ? AND term < ?",
            (first, first + "\U0010ffff"),
        )
    return found

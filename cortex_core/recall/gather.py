"""Which memories of one store may answer a query, and what speaks for each of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.recall import keyword, semantic
from cortex_core.recall.filters import Filters
from cortex_core.recall.fusion import Candidate, absolute
from cortex_core.storage import vectors

if TYPE_CHECKING:
    from cortex_core.embedding.protocol import Embedder, QueryEncoding
    from cortex_core.storage.store import Store
    from cortex_core.storage.vectors import Cosines, Matrix

DEEP = 200
"""Memories taken from each way of searching."""

POOL = 100
"""The best of these that are compared closely, besides their neighbours."""

REACH = 2
"""Places on each side, in the same session, that join the pool."""

FIRST = 3.0
"""What the cosine counts beside the words when the pool is chosen."""

_AUTHORS = """
WITH RECURSIVE name(x) AS (
    SELECT (SELECT author FROM memory WHERE author > '' ORDER BY author LIMIT 1)
    UNION ALL
    SELECT (SELECT author FROM memory WHERE author > x ORDER BY author LIMIT 1)
    FROM name WHERE x IS NOT NULL LIMIT 1000
) SELECT x FROM name WHERE x IS NOT NULL
"""

_BESIDE = f"""
SELECT m.number, m.session, m.place, m.author FROM json_each(?) j
CROSS JOIN memory m ON m.session = json_extract(j.value, '$[0]')
AND m.place BETWEEN json_extract(j.value, '$[1]') - {REACH}
    AND json_extract(j.value, '$[1]') + {REACH}
WHERE
"""


class Known(NamedTuple):
    """Where a memory stands in the conversation it comes from."""

    session: str
    place: int | None
    author: str


class Gathered(NamedTuple):
    """What one store has to offer."""

    candidates: list[Candidate]
    importance: list[float]
    """Of each of the query's wordpieces; they sum to 1."""
    waiting: int
    """Memories that have no vector yet."""


class Question:
    """A query, encoded when first needed, with and without the names of a store's authors."""

    def __init__(self, text: str, embedder: Embedder | None) -> None:
        self.text = text
        self.embedder = embedder
        self._made: dict[str, QueryEncoding] = {}

    def encoding(self, text: str) -> QueryEncoding:
        """The query's encoding, or that of a part of it."""
        if text not in self._made:
            assert self.embedder is not None
            self._made[text] = self.embedder.query(text)
        return self._made[text]


def gather(
    store: Store, question: Question, words: keyword.Words, filters: Filters, *, by_words: bool
) -> Gathered:
    """The memories of `store` that may answer, with every sign of a match.

    Args:
        by_words: whether memories are looked for by words too, and not by meaning alone.
    """
    found = {one.number: one.score for one in _by_words(store, words, filters, by_words=by_words)}
    authors = [name for (name,) in store.rows(_AUTHORS)]
    named = named_authors(question.text, authors)
    matrix, cosines = _by_meaning(store, question, authors)
    near = _eligible_nearest(store, cosines, filters) if cosines else {}
    pool = _pool(found, near, cosines)
    known = _with_neighbours(store, pool, filters)
    signs = cosines.of(list(known)) if cosines else {}
    tokens, weight = _late(store, question, matrix, list(known))
    the_one = named[0] if len(named) == 1 else None
    return Gathered(
        [
            Candidate(
                number, keyword=absolute(found.get(number, 0.0), words.rarity),
                cosine=signs.get(number, 0.0), tokens=tokens.get(number, ()),
                session=at.session, place=at.place,
                author=the_one is not None and at.author == the_one,
            )
            for number, at in known.items()
        ],
        weight,
        matrix.waiting if matrix else 0,
    )  # fmt: skip


def named_authors(text: str, authors: Iterable[str]) -> list[str]:
    """The authors whom `text` names."""
    return [name for name in authors if re.search(_name(name), text, re.IGNORECASE)]


def without_names(text: str, authors: Sequence[str]) -> str:
    """`text` without the names of a store's authors, where it has two or more of them."""
    if len(authors) < 2:
        return text
    for name in authors:
        text = re.sub(_name(name), " ", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _name(author: str) -> str:
    return rf"\b{re.escape(author)}(?:['’]s)?\b"


def _by_words(
    store: Store, words: keyword.Words, filters: Filters, *, by_words: bool
) -> list[keyword.Found]:
    """The best by words that the filters let through."""
    if not by_words:
        return []
    limit = DEEP
    while True:
        found = keyword.search(store, words, limit)
        allowed = _eligible(store, [one.number for one in found], filters)
        kept = [one for one in found if one.number in allowed]
        if len(kept) >= DEEP or len(found) < limit:
            return kept[:DEEP]
        limit *= 8


def _by_meaning(
    store: Store, question: Question, authors: Sequence[str]
) -> tuple[Matrix | None, Cosines | None]:
    embedder = question.embedder
    if embedder is None:
        return None, None
    matrix = vectors.matrix(store, embedder.name, embedder.dimension)
    vector = question.encoding(without_names(question.text, authors)).vector
    return matrix, matrix.search(vector) if len(matrix) else None


def _eligible_nearest(store: Store, cosines: Cosines, filters: Filters) -> dict[int, float]:
    """The nearest by cosine that the filters let through."""
    limit = DEEP
    while True:
        found = cosines.best(limit)
        allowed = _eligible(store, [number for number, _ in found], filters)
        kept = [(number, cosine) for number, cosine in found if number in allowed]
        if len(kept) >= DEEP or len(found) < limit:
            return dict(kept[:DEEP])
        limit *= 8


def _eligible(store: Store, numbers: Sequence[int], filters: Filters) -> set[int]:
    condition, values = filters.where()
    found = store.rows(
        "SELECT m.number FROM memory m WHERE m.number IN (SELECT value FROM json_each(?)) "
        f"AND {condition}",
        (json.dumps(list(numbers)), *values),
    )
    return {number for (number,) in found}


def _pool(
    found: Mapping[int, float], near: Mapping[int, float], cosines: Cosines | None
) -> list[int]:
    """The `POOL` best of both ways, by a first rough score."""
    both = list(dict.fromkeys((*found, *near)))
    signs = cosines.of(both) if cosines else {}
    most = max(found.values(), default=0.0) or 1.0
    rough = {n: found.get(n, 0.0) / most + FIRST * signs.get(n, 0.0) for n in both}
    return sorted(both, key=lambda number: (-rough[number], -number))[:POOL]


def _with_neighbours(store: Store, pool: Sequence[int], filters: Filters) -> dict[int, Known]:
    """The pool and what stands near it in the same sessions, within the filters."""
    rows = store.rows(
        "SELECT number, session, place, author FROM memory "
        "WHERE number IN (SELECT value FROM json_each(?))",
        (json.dumps(list(pool)),),
    )
    known = {number: Known(session, place, author) for number, session, place, author in rows}
    places = {
        (at.session, at.place) for at in known.values() if at.session and at.place is not None
    }
    if places:
        condition, values = filters.where()
        beside = store.rows(_BESIDE + condition, (json.dumps(sorted(places)), *values))
        for number, session, place, author in beside:
            known.setdefault(number, Known(session, place, author))
    return known


def _late(
    store: Store, question: Question, matrix: Matrix | None, numbers: Sequence[int]
) -> tuple[dict[int, list[float]], list[float]]:
    """Each memory's best match of each of the query's wordpieces, and what each piece counts."""
    if matrix is None or question.embedder is None:
        return {}, []
    whole = question.encoding(question.text)
    held = vectors.tokens_of(store, numbers, question.embedder.name)
    weight = semantic.importance([int(matrix.counts[p]) for p in whole.pieces], len(matrix))
    return semantic.late(whole.tokens, {n: bits for n, (bits, _) in held.items()}), weight

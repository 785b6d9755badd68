"""Which memories of one store may answer a query, and what speaks for each of them: with the
embedding model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.recall import keyword, pool, semantic
from cortex_core.recall.fusion import Candidate, absolute
from cortex_core.recall.pool import Allowed
from cortex_core.storage import vectors

if TYPE_CHECKING:
    from cortex_core.embedding.protocol import Embedder, QueryEncoding
    from cortex_core.storage.reader import Reader
    from cortex_core.storage.vector_search import Cosines, Matrix

CLOSELY = 100
"""The best memories that are compared closely, besides their neighbours. Twice as many are taken
from each way of searching."""

FIRST = 3.0
"""What the cosine counts beside the words when the pool is chosen."""


class Gathered(NamedTuple):
    """What one store has to offer."""

    candidates: list[Candidate]
    importance: list[float]
    """Of each of the query's wordpieces; they sum to 1."""


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
    store: Reader,
    question: Question,
    words: keyword.Words,
    allowed: Allowed,
    matrix: Matrix | None,
    *,
    by_words: bool = True,
    closely: int = CLOSELY,
) -> Gathered:
    """The memories of `store` that may answer, with every sign of a match.

    Args:
        matrix: the store's vectors, of the question's model; None: words alone.
        by_words: whether memories are looked for by words too, and not by meaning alone.
        closely: how many memories are compared closely, at least.
    """
    names = pool.authors(store)
    cosines = _by_meaning(question, names, matrix)
    (found, near), placed = pool.allowed_first(
        store, allowed, 2 * closely,
        [
            lambda limit: keyword.search(store, words, limit) if by_words else [],
            lambda limit: cosines.best(limit) if cosines else [],
        ],
    )  # fmt: skip
    best = _best(found, near, cosines)[:closely]
    known = pool.with_neighbours(store, best, placed, allowed)
    signs = cosines.of(list(known)) if cosines else {}
    tokens, weight = _late(store, question, matrix, list(known))
    named = pool.the_one_named(question.text, names)
    return Gathered(
        [
            Candidate(
                number, keyword=absolute(found.get(number, 0.0), words.weight),
                cosine=signs.get(number), tokens=tokens.get(number, ()), session=at.session,
                place=at.place, author=named is not None and at.author == named, asks=at.asks,
                instructs=at.instructs,
            )
            for number, at in known.items()
        ],
        weight,
    )  # fmt: skip


def _by_meaning(question: Question, names: Sequence[str], matrix: Matrix | None) -> Cosines | None:
    if matrix is None or not len(matrix):
        return None
    return matrix.search(question.encoding(pool.without_names(question.text, names)).vector)


def _best(
    found: Mapping[int, float], near: Mapping[int, float], cosines: Cosines | None
) -> list[int]:
    """What both ways found, best first by a rough score."""
    both = list(dict.fromkeys((*found, *near)))
    signs = cosines.of(both) if cosines else {}
    most = max(found.values(), default=0.0) or 1.0
    rough = {n: found.get(n, 0.0) / most + FIRST * signs.get(n, 0.0) for n in both}
    return sorted(both, key=lambda number: (-rough[number], -number))


def _late(
    store: Reader, question: Question, matrix: Matrix | None, numbers: Sequence[int]
) -> tuple[dict[int, list[float]], list[float]]:
    """Each memory's best match of each of the query's wordpieces, and what each piece counts."""
    if matrix is None or question.embedder is None:
        return {}, []
    whole = question.encoding(question.text)
    held = vectors.tokens_of(store, numbers, question.embedder.name)
    weight = semantic.importance([int(matrix.counts[p]) for p in whole.pieces], len(matrix))
    return semantic.late(whole.tokens, {n: bits for n, (bits, _) in held.items()}), weight

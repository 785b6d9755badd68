"""Late interaction: how well each wordpiece of a query is met by a memory's wordpieces.

A memory keeps one bit a dimension for each of its content wordpieces; a query's wordpieces are
unit vectors. Only the pool of a few hundred memories is compared so.

Which memories of one store may answer a query, and what speaks for each of them: with the
embedding model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.search import keyword, pool
from cortex_core.search.fusion import SearchCandidate, absolute
from cortex_core.search.pool import Allowed
from cortex_core.store import vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cortex_core.embeddings.protocol import Embedder, QueryEncoding, Vector
    from cortex_core.store.reader import Reader
    from cortex_core.store.vector_search import Cosines, Matrix


def late(tokens: Vector, bits: Mapping[int, bytes]) -> dict[int, list[float]]:
    """For each memory, the best match (-1 to 1) of every row of `tokens`.

    Args:
        tokens: unit vectors of the query's wordpieces.
        bits: by memory number, the packed signs of its wordpieces; memories without any are
            left out.
    """
    import numpy as np

    width = tokens.shape[1] // 8
    held = {number: blob for number, blob in bits.items() if blob}
    if not held or not len(tokens):
        return {}
    lengths = np.array([len(blob) // width for blob in held.values()])
    signs = np.frombuffer(b"".join(held.values()), np.uint8).reshape(-1, width)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    best = np.maximum.reduceat(_met(tokens, signs), starts, axis=0)
    return dict(zip(held, best.tolist(), strict=True))


def _met(tokens: Vector, signs: NDArray[np.uint8]) -> Vector:
    """The dot product of each packed row, as ±1 of unit length, with each of `tokens`.

    A table holds what every possible byte at every place adds: a third of the time of unpacking
    the bits and multiplying matrices.
    """
    import numpy as np

    count, dimension = tokens.shape
    every = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    ones = (2.0 * every - 1) / sqrt(dimension)
    places = tokens.reshape(count, -1, 8).transpose(1, 2, 0)
    adds = np.ascontiguousarray(ones.astype(np.float32) @ places)
    columns = np.ascontiguousarray(signs.T)
    met: Vector = np.zeros((len(signs), count), np.float32)
    for place, column in enumerate(columns):
        met += adds[place].take(column, axis=0)
    return met


def importance(held_by: Sequence[int], total: int) -> list[float]:
    """How much each wordpiece counts, by its rarity; the shares sum to 1.

    Args:
        held_by: for each wordpiece, how many memories hold it.
        total: how many memories there are.
    """
    raw = [sqrt(log(1 + max(0, total - held + 0.5) / (held + 0.5))) for held in held_by]
    whole = sum(raw)
    return [value / whole for value in raw] if whole > 0 else [1 / max(1, len(raw)) for _ in raw]


CLOSELY = 100
"""The best memories that are compared closely, besides their neighbours. Twice as many are taken
from each way of searching."""

FIRST = 3.0
"""Weight of the cosine against BM25 when the candidates are pre-selected."""


class Gathered(NamedTuple):
    """What one store has to offer."""

    candidates: list[SearchCandidate]
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
            SearchCandidate(
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
    weight = importance([int(matrix.counts[p]) for p in whole.pieces], len(matrix))
    return late(whole.tokens, {n: bits for n, (bits, _) in held.items()}), weight

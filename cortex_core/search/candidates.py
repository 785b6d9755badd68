"""Which memories of one store may answer a query, and how well each matches, with the model.

Words and sentence vectors find a pool of a few hundred memories. These alone are compared by MaxSim
(late interaction), which looks for each wordpiece of the query in the memory. A memory keeps one
bit a dimension for each of its content wordpieces; a query's wordpieces are unit vectors. Recall at
the prompt does the same without the model (`surface/prompt_recall`).
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from typing import NamedTuple, cast

from cortex_core.embeddings.protocol import Bits, Embedder, QueryEncoding, Vector
from cortex_core.search import keyword, pool
from cortex_core.search.fusion import SearchCandidate, absolute
from cortex_core.store import vectors
from cortex_core.store.reader import Reader
from cortex_core.store.vector_search import Matrix


def maxsim(tokens: Vector, bits: Mapping[int, bytes]) -> dict[int, list[float]]:
    """For each memory, the best match (-1 to 1) of every row of `tokens`.

    Args:
        tokens: unit vectors of the query's wordpieces.
        bits: by memory number, the sign bits of its wordpieces; memories without any are left
            out.
    """
    import numpy as np

    width = tokens.shape[1] // 8
    packed = {number: blob for number, blob in bits.items() if blob}
    if not packed or not len(tokens):
        return {}
    lengths = np.array([len(blob) // width for blob in packed.values()])
    rows = np.frombuffer(b"".join(packed.values()), np.uint8).reshape(-1, width)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    best = np.maximum.reduceat(dot_products(tokens, np.ascontiguousarray(rows.T)), starts, axis=0)
    return dict(zip(packed, best.tolist(), strict=True))


def dot_products(tokens: Vector, columns: Bits) -> Vector:
    """The dot product of each vector of sign bits, as ±1 of unit length, with each of `tokens`.

    A table holds what every possible byte at every index adds, which takes a third of the time of
    unpacking the bits and multiplying matrices.

    Args:
        columns: the first byte of every vector, then the second of each, and so on.
    """
    import numpy as np

    count, dimension = tokens.shape
    every = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    ones = (2.0 * every - 1) / sqrt(dimension)
    octets = tokens.reshape(count, -1, 8).transpose(1, 2, 0)
    adds = np.ascontiguousarray(ones.astype(np.float32) @ octets)
    products: Vector = np.zeros((columns.shape[1], count), np.float32)
    for index, column in enumerate(columns):
        products += adds[index].take(column, axis=0)
    return products


def piece_weights(counts: Sequence[int], total: int) -> list[float]:
    """How much each wordpiece counts, by its rarity; the shares sum to 1.

    Args:
        counts: for each wordpiece, how many memories have it.
        total: how many memories there are.
    """
    raw = [sqrt(log(1 + max(0, total - count + 0.5) / (count + 0.5))) for count in counts]
    whole = sum(raw)
    return [value / whole for value in raw] if whole > 0 else [1 / max(1, len(raw)) for _ in raw]


MOST_COMPARED = 100
"""The best memories that are compared by MaxSim, besides their neighbours. Twice as many are taken
from each way of searching."""


StoreCandidates = tuple[list[SearchCandidate], list[float]]
"""The candidates of one store, and the weight of each of the query's wordpieces; they sum to 1."""


COMPARED = 4_000
"""Characters of a query that are compared by meaning, a page and a half: the shipped model reads
them in two runs. The words of all of it are looked for."""


@lru_cache(maxsize=4)
def _encoded(embedder: Embedder, text: str) -> QueryEncoding:
    """What a model makes of a query: once for all the searches of one question."""
    return embedder.query(text)


class SearchQuery(NamedTuple):
    """A query, encoded when first needed, with and without the names of a store's authors."""

    text: str
    embedder: Embedder | None

    def encoding(self, text: str) -> QueryEncoding:
        """The query's encoding, or that of a part of it."""
        assert self.embedder is not None
        return _encoded(cast(Hashable, self.embedder), text[:COMPARED])


def gather(
    store: Reader,
    query: SearchQuery,
    words: keyword.QueryWords,
    allowed: pool.Allowed,
    matrix: Matrix | None,
    *,
    by_words: bool = True,
    most: int = MOST_COMPARED,
) -> StoreCandidates:
    """The memories of `store` that may answer, with all that fusion scores them by.

    Args:
        matrix: the store's vectors, of the query's model; None: words alone.
        by_words: whether memories are looked for by words too, and not by meaning alone.
        most: how many memories are compared, without their neighbours.
    """
    names = pool.authors(store)
    nearest = None
    if matrix is not None and len(matrix):
        nearest = matrix.search(query.encoding(pool.without_names(query.text, names)).vector)
    (by_word, by_cosine), contexts = pool.allowed_first(
        store,
        allowed,
        2 * most,
        [
            lambda limit: keyword.search(store, words, limit) if by_words else [],
            lambda limit: nearest.best(limit) if nearest else [],
        ],
    )
    found = nearest.of(list({**by_word, **by_cosine})) if nearest else {}
    best = pool.best_first(by_word, by_cosine, lambda number: found.get(number, 0.0))[:most]
    contexts = pool.with_neighbours(store, best, contexts, allowed)
    # Neighbours join before the vectors are compared: a memory may be found by what was said next
    # to it.
    cosines = nearest.of(list(contexts)) if nearest else {}
    tokens, weights = _compare(store, query, matrix, list(contexts))
    named = pool.the_one_named(query.text, names)
    return (
        [
            SearchCandidate(
                number,
                keyword=absolute(by_word.get(number, 0.0), words.weight),
                cosine=cosines.get(number),
                tokens=tokens.get(number, ()),
                session=at.session,
                position=at.position,
                author=named is not None and at.author == named,
                asks=at.asks,
                instructs=at.instructs,
            )
            for number, at in contexts.items()
        ],
        weights,
    )


def _compare(
    store: Reader, query: SearchQuery, matrix: Matrix | None, numbers: Sequence[int]
) -> tuple[dict[int, list[float]], list[float]]:
    """Each memory's best match of each of the query's wordpieces, and what each piece counts."""
    if matrix is None or query.embedder is None:
        return {}, []
    whole = query.encoding(query.text)
    tokens = vectors.tokens_of(store, numbers, query.embedder.name)
    weights = piece_weights([int(matrix.counts[p]) for p in whole.pieces], len(matrix))
    return maxsim(whole.tokens, {n: bits for n, (bits, _) in tokens.items()}), weights

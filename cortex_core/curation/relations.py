"""Comparing stored memories with all that is known of them: words, vectors, word vectors.

What follows a new vector: edges to the nearest memories, and proposals to merge.
"""

from __future__ import annotations

from typing import NamedTuple

from cortex_core.base.kinds import UNLIKE
from cortex_core.capture import admission
from cortex_core.duplicates import similarity
from cortex_core.duplicates.alignment import from_stored
from cortex_core.embeddings.protocol import Embedder
from cortex_core.store import edges, queries, vector_search, vectors
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.types import Memory

HELD = 4096
"""Memories whose vectors are held at once: about 20 MB."""


class Stored(NamedTuple):
    """What is stored of a memory's meaning."""

    model: str
    vector: bytes
    tokens: similarity.TokenVectors | None


class Comparer:
    """Compares memories of one store; what was read of one is held for its next comparison."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: dict[str, Stored | None] = {}

    def compare(self, first: Memory, second: Memory) -> similarity.Likeness:
        """How alike two memories are."""
        one, other = self._stored(first.id), self._stored(second.id)
        cosine, tokens = None, None
        if one is not None and other is not None and one.model == other.model:
            cosine = _cosine(one.vector, other.vector)
            if one.tokens is not None and other.tokens is not None:
                tokens = (one.tokens, other.tokens)
        return similarity.compare(first.content, second.content, cosine=cosine, tokens=tokens)

    def cosine(self, first: Memory, second: Memory) -> float:
        """How near two memories are in meaning; 0 where a vector is missing."""
        one, other = self._stored(first.id), self._stored(second.id)
        if one is None or other is None or one.model != other.model:
            return 0.0
        return _cosine(one.vector, other.vector)

    def _stored(self, name: str) -> Stored | None:
        if name not in self._held:
            if len(self._held) >= HELD:
                self._held.clear()
            self._held[name] = self._read(name)
        return self._held[name]

    def _read(self, name: str) -> Stored | None:
        found = vectors.stored(self._store, name)
        if found is None:
            return None
        return Stored(found.model, found.vector, from_stored(found.pieces, found.bits))


def _cosine(one: bytes, other: bytes) -> float:
    import numpy as np

    vectors = [np.frombuffer(vector, dtype=np.float32) for vector in (one, other)]
    return float(vectors[0] @ vectors[1])


NEIGHBOURS = 5
"""Most edges drawn from one new memory."""

EDGE_FROM = 0.55
"""Cosine from which an edge is drawn; below it lies what merely belongs to one project."""

COMPARED_FROM = 0.6
"""Cosine under which no two texts would be proposed, whatever their words."""

BATCH = 64
"""Memories whose edges are drawn in one transaction."""

NEAREST = 10
"""Memories by cosine that a new one is compared with."""


def relate(store: Store, embedder: Embedder) -> None:
    """Draw edges from the memories embedded since the last time, and open proposals.

    Killed in between, the next run does it again: what is drawn already is not drawn twice.
    """
    last, now = int(store.meta("related") or 0), vector_search.stamp(store)
    if last == now:
        return
    matrix = vector_search.matrix(store, embedder.name, embedder.dimension)
    numbers = vectors.saved_since(store, last, embedder.name)
    for start in range(0, len(numbers), BATCH):
        batch = numbers[start : start + BATCH]
        near = {number: _nearest(store, matrix, number) for number in batch}
        _relate_batch(store, near)
    store.set_meta("related", str(now))


def _relate_batch(store: Store, near: dict[int, list[tuple[int, float]]]) -> None:
    found = queries.in_force_by_number(
        store, list({*near, *(other for pairs in near.values() for other, _ in pairs)})
    )
    comparer = Comparer(store)
    with store.change("link", f"link {len(near)} memories to their like", "worker") as change:
        for number, pairs in near.items():
            if memory := found.get(number):
                close = [(found[other], cosine) for other, cosine in pairs if other in found]
                _relate_one(store, change, memory, close, comparer)


def _relate_one(
    store: Store,
    change: Change,
    memory: Memory,
    close: list[tuple[Memory, float]],
    comparer: Comparer,
) -> None:
    strong = [(other.id, cosine) for other, cosine in close if cosine >= EDGE_FROM]
    edges.connect(store, change, memory.id, strong[:NEIGHBOURS])
    for other, cosine in close:
        if cosine < COMPARED_FROM or other.kind != memory.kind or memory.kind in UNLIKE:
            continue
        likeness = comparer.compare(other, memory)
        if likeness.propose:
            texts = (other.content, memory.content)
            admission.propose(change, (other.id, memory.id), likeness, texts)


def _nearest(store: Store, matrix: vector_search.Matrix, number: int) -> list[tuple[int, float]]:
    import numpy as np

    found = vectors.vector_of(store, number)
    if found is None:
        return []
    query = np.frombuffer(found, dtype=np.float32)
    best = matrix.search(query).best(NEAREST + 1)
    return [(other, cosine) for other, cosine in best if other != number]

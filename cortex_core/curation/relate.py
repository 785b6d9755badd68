"""What follows a new vector: edges to the nearest memories, and proposals to merge."""

from __future__ import annotations

from cortex_core import graph
from cortex_core.capture import admission
from cortex_core.curation.comparing import Comparer
from cortex_core.embedding.protocol import Embedder
from cortex_core.kinds import UNLIKE
from cortex_core.memory import Memory
from cortex_core.storage import queries, vector_search, vectors
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store

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
    graph.connect(store, change, memory.id, strong[:NEIGHBOURS])
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

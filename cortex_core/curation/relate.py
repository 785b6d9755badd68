"""What follows a new vector: edges to the nearest memories, and proposals to merge."""

from __future__ import annotations

from collections.abc import Sequence

from cortex_core import graph, similarity
from cortex_core.capture import admission
from cortex_core.embedding.protocol import Embedder
from cortex_core.memory import Memory
from cortex_core.storage import vectors
from cortex_core.storage.store import Store

NEIGHBOURS = 5
"""Most edges drawn from one new memory."""

EDGE_FROM = 0.55
"""Cosine from which an edge is drawn; below it lies what merely belongs to one project."""

NEAREST = 10
"""Memories by cosine that a new one is compared with."""


def relate(store: Store, embedder: Embedder, numbers: Sequence[int]) -> None:
    """Draw edges from newly embedded memories, one undoable change each, and open proposals."""
    matrix = vectors.matrix(store, embedder.name, embedder.dimension)
    for number in numbers:
        if near := _nearest(store, matrix, number):
            _relate_one(store, number, near)


def _relate_one(store: Store, number: int, near: list[tuple[int, float]]) -> None:
    found = _by_number(store, [number, *(other for other, _ in near)])
    memory = found.pop(number, None)
    if memory is None:
        return
    close = [(found[other], cosine) for other, cosine in near if other in found]
    with store.change("link", f"link “{memory.title}” to its like", "worker") as change:
        strong = [(other.id, cosine) for other, cosine in close if cosine >= EDGE_FROM]
        graph.connect(store, change, memory.id, strong[:NEIGHBOURS])
        for other, cosine in close:
            likeness = similarity.compare(other.content, memory.content, cosine=cosine)
            if likeness.propose and other.kind == memory.kind:
                texts = (other.content, memory.content)
                admission.propose(change, (other.id, memory.id), likeness, texts)


def _nearest(store: Store, matrix: vectors.Matrix, number: int) -> list[tuple[int, float]]:
    import numpy as np

    found = store.rows("SELECT vector FROM embedding WHERE number = ?", (number,))
    if not found:
        return []
    query = np.frombuffer(found[0][0], dtype=np.float32)
    best = matrix.search(query).best(NEAREST + 1)
    return [(other, cosine) for other, cosine in best if other != number]


def _by_number(store: Store, numbers: list[int]) -> dict[int, Memory]:
    marks = ",".join("?" * len(numbers))
    listed = store.rows(
        f"SELECT id, number FROM memory WHERE number IN ({marks}) "
        "AND status IN ('active', 'suggested')",
        numbers,
    )
    memories = {memory.id: memory for memory in store.memories([name for name, _ in listed])}
    return {number: memories[name] for name, number in listed}

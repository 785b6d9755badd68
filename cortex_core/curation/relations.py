"""Comparing stored memories with all that is known of them: words, vectors, word vectors.

What follows a new vector: edges to the nearest memories, and proposals to merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import log
from typing import NamedTuple

from cortex_core.base.kinds import UNLIKE
from cortex_core.capture import admission
from cortex_core.duplicates import similarity, updates
from cortex_core.duplicates.alignment import TokenVectors, from_stored
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
    tokens: TokenVectors | None


class Comparer:
    """Compares memories of one store; what was read of one is held for its next comparison."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: dict[str, Stored | None] = {}

    def compare(self, first: Memory, second: Memory) -> similarity.Comparison:
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


FEW = 50
"""Memories below which a store does not tell common words from rare ones."""

NEIGHBOURS = 5
"""Most edges drawn from one new memory."""

EDGE_FROM = 0.55
"""Cosine from which an edge is drawn; below it lies what merely belongs to one project."""

COMPARED_FROM = 0.6
"""Cosine under which no two texts would be proposed, whatever their words."""

BATCH = 64
"""Memories whose edges are drawn in one transaction."""

NEAREST = 10
"""Memories by cosine that each is compared with: they hold 98.5 % of the true pairs."""


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
        comparison = comparer.compare(other, memory)
        if comparison.propose:
            texts = (other.content, memory.content)
            admission.propose(change, (other.id, memory.id), comparison, texts)


def _nearest(store: Store, matrix: vector_search.Matrix, number: int) -> list[tuple[int, float]]:
    import numpy as np

    found = vectors.vector_of(store, number)
    if found is None:
        return []
    query = np.frombuffer(found, dtype=np.float32)
    best = matrix.search(query).best(NEAREST + 1)
    return [(other, cosine) for other, cosine in best if other != number]


class Pair(NamedTuple):
    """Two memories of one kind and how alike they are, the older one first."""

    older: Memory
    newer: Memory
    comparison: similarity.Comparison
    update: updates.Update | None = None
    """The new value that the newer one states."""


def pairs(
    store: Store, embedder: Embedder | None, threshold: float, newer_than: int = 0,
    *, progress: Callable[[int, int], None] | None = None,
) -> Iterator[Pair]:  # fmt: skip
    """Every two active memories of one kind that are at least `threshold` alike, each pair once,
    and those of which the newer states another value of what the older speaks of.

    Args:
        threshold: least similarity, 0 to 1.
        newer_than: one of the two must have a greater number than this.
        progress: called with the number of compared memories, and of all.
    """
    memories = {memory.id: memory for memory in queries.in_force(store)}
    comparer, rarity = Comparer(store), _rarity(store, len(memories))
    found: list[Pair] = []
    for one, other in _candidates(store, embedder, memories, newer_than, progress):
        if one.kind != other.kind or one.kind in UNLIKE:
            continue
        older, newer = sorted((one, other), key=lambda memory: (memory.created, memory.id))
        comparison = comparer.compare(newer, older)
        update = None
        if older.created < newer.created and comparer.cosine(older, newer) >= updates.LEAST_COSINE:
            update = updates.update(older.content, newer.content, rarity)
        if update or comparison.similarity >= threshold or comparison.propose:
            found.append(Pair(older, newer, comparison, update))
    for pair in _plainest(found):
        if pair.update or pair.comparison.similarity >= threshold or pair.comparison.propose:
            yield pair


def changed(store: Store, one: Memory, other: Memory) -> str:
    """Which new value the newer of two memories states, in a sentence; "" for none."""
    total = queries.active(store)
    older, newer = sorted((one, other), key=lambda memory: (memory.created, memory.id))
    found = updates.update(older.content, newer.content, _rarity(store, total))
    return found.sentence if found else ""


def _plainest(found: list[Pair]) -> Iterator[Pair]:
    """The pairs, a value's change reported only if it is the clearest of both memories."""
    by_newer: dict[str, Pair] = {}
    by_older: dict[str, Pair] = {}
    for pair in sorted(found, key=_weight, reverse=True):
        if pair.update:
            by_newer.setdefault(pair.newer.id, pair)
    for pair in sorted(by_newer.values(), key=_weight, reverse=True):
        by_older.setdefault(pair.older.id, pair)
    chosen = set(map(id, by_older.values()))
    for pair in found:
        yield pair if id(pair) in chosen else pair._replace(update=None)


def _weight(pair: Pair) -> float:
    return pair.update.weight if pair.update else 0.0


def _rarity(store: Store, total: int) -> Callable[[str], float]:
    """The weight of a word: the logarithm of how few of `total` memories hold it."""

    @cache
    def rarity(word: str) -> float:
        return max(0.0, log((max(total, FEW) + 1) / (queries.holders(store, word) + 0.5)))

    return rarity


def _candidates(
    store: Store,
    embedder: Embedder | None,
    memories: dict[str, Memory],
    newer_than: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[Memory, Memory]]:
    if embedder is not None:
        yield from _by_meaning(store, embedder, memories, newer_than, progress)
        return
    seen: set[frozenset[str]] = set()
    newer = queries.newer_than(store, newer_than)
    for memory in (memories[name] for name in newer if name in memories):
        for name, _ in admission.similar_by_words(store, memory):
            pair = frozenset((memory.id, name))
            if name in memories and pair not in seen:
                seen.add(pair)
                yield memory, memories[name]


def _by_meaning(
    store: Store,
    embedder: Embedder,
    memories: dict[str, Memory],
    newer_than: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[Memory, Memory]]:
    import numpy as np

    matrix = vector_search.matrix(store, embedder.name, embedder.dimension)
    seen: set[tuple[int, int]] = set()
    names = queries.active_numbers(store)
    found = vectors.of_newer(store, newer_than, embedder.name)
    for done, (number, blob) in enumerate(found):
        if progress is not None:
            progress(done, len(found))
        if number not in names:
            continue
        query = np.frombuffer(blob, dtype=np.float32)
        for other, _ in matrix.search(query).best(NEAREST + 1):
            pair = (min(number, other), max(number, other))
            if other != number and other in names and pair not in seen:
                seen.add(pair)
                yield memories[names[number]], memories[names[other]]

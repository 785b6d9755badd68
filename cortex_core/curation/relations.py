"""Which memories of a store belong together: links to similar ones, and pairs that say the same.

What is merely similar is an edge. A pair is proposed only where it is likely right: the two say
the same, or one says a part of the other, and they do not contradict each other; or the newer one
is a later word on the same subject. Their kinds may differ: what an answer decides, a summary
reports as a fact.

Memories are compared by their words, their vectors and the vectors of their words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from cortex_core.admission import apply, lookup, succession
from cortex_core.base import text
from cortex_core.base.authorship import is_users_word
from cortex_core.base.kinds import UNLIKE
from cortex_core.duplicates import again, similarity
from cortex_core.duplicates.alignment import TokenVectors, from_stored
from cortex_core.duplicates.last_word import Claim, later_word
from cortex_core.embeddings.protocol import Embedder
from cortex_core.records.memory import Memory
from cortex_core.store import (
    edges,
    memory_lookup,
    vector_search,
    vectors,
)
from cortex_core.store.journal import Change
from cortex_core.store.store import Store

MOST_CACHED = 4096
"""Memories whose vectors are kept in memory at once: about 20 MB."""


class StoredVectors(NamedTuple):
    """The vectors of one memory, and the model that made them."""

    model: str
    vector: bytes
    tokens: TokenVectors | None


class Comparer:
    """Compares memories of one store; vectors that were read are kept for the next comparison."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cached: dict[str, StoredVectors | None] = {}

    def compare(self, first: Memory, second: Memory) -> similarity.Comparison:
        """Compare two memories by all that is stored of them."""
        cosine, tokens = None, None
        if (both := self._both(first, second)) is not None:
            one, other = both
            cosine = again.cosine(one.vector, other.vector)
            if one.tokens is not None and other.tokens is not None:
                tokens = (one.tokens, other.tokens)
        return similarity.compare(first.content, second.content, cosine=cosine, tokens=tokens)

    def cosine(self, first: Memory, second: Memory) -> float:
        """The cosine of two memories; 0 where a vector is missing or another model made it."""
        both = self._both(first, second)
        return again.cosine(both[0].vector, both[1].vector) if both is not None else 0.0

    def _both(self, first: Memory, second: Memory) -> tuple[StoredVectors, StoredVectors] | None:
        one, other = self._stored(first.id), self._stored(second.id)
        return (one, other) if one and other and one.model == other.model else None

    def _stored(self, name: str) -> StoredVectors | None:
        if name not in self._cached:
            if len(self._cached) >= MOST_CACHED:
                self._cached.clear()
            row = vectors.stored(self._store, name)
            self._cached[name] = row and StoredVectors(*row[:2], from_stored(row[3], row[2]))
        return self._cached[name]


CHANGED_FROM = 0.5
"""Cosine under which two memories are not about the same."""

NEIGHBOURS = 5
"""Most edges drawn from one new memory."""

EDGE_FROM = 0.55
"""Cosine from which an edge is drawn; below it, memories merely belong to one project."""

COMPARED_FROM = 0.7
"""Cosine under which hardly a pair would be proposed, whatever its words."""

BATCH = 512
"""Memories that are compared with all others at once, and whose edges are drawn in one
transaction."""

NEAREST = 10
"""Memories by cosine that each is compared with: 98.5 % of the true pairs are among them."""


def relate(store: Store, embedder: Embedder, threshold: float) -> None:
    """Draw edges from the memories embedded since the last run, and propose merges.

    A run that is killed is repeated by the next one: an edge is not drawn twice.

    Args:
        threshold: least similarity of a pair that is proposed; above 1, none is.
    """
    last, now = int(store.meta("compared") or 0), vector_search.stamp(store)
    if last == now:
        return
    matrix = vector_search.matrix(store, embedder.name, embedder.dimension)
    numbers = vectors.saved_since(store, last, embedder.name)
    for start in range(0, len(numbers), BATCH):
        _relate_batch(store, _nearest(store, matrix, numbers[start : start + BATCH]), threshold)
    store.set_meta("compared", str(now))


def _relate_batch(
    store: Store, neighbours: dict[int, list[tuple[int, float]]], threshold: float
) -> None:
    known = memory_lookup.by_number(
        store, list({*neighbours, *(other for pairs in neighbours.values() for other, _ in pairs)})
    )
    # What was put away is neither linked nor merged.
    memories = {
        number: memory
        for number, memory in known.items()
        if memory.status in ("active", "suggested")
    }
    comparer = Comparer(store)
    found = [
        _links_of(
            memories[number],
            [(memories[other], cosine) for other, cosine in pairs if other in memories],
            comparer,
            threshold,
        )
        for number, pairs in neighbours.items()
        if number in memories
    ]
    label = f"link {text.memories(len(neighbours))} to similar ones"
    with store.change("link", label, "worker") as change:
        for memory, linked, likely in found:
            edges.connect(store, change, memory.id, linked)
            for pair in likely:
                propose(change, pair)


def _links_of(
    memory: Memory, close: list[tuple[Memory, float]], comparer: Comparer, threshold: float
) -> tuple[Memory, list[tuple[str, float]], list[MemoryPair]]:
    """The memory, the ids and cosines of those that it is linked to, and the pairs that it is
    proposed to be merged with, or that one of them changes."""
    linked = [(other.id, cosine) for other, cosine in close if cosine >= EDGE_FROM]
    likely = []
    for other, cosine in close if memory.kind not in UNLIKE else ():
        if other.kind in UNLIKE or cosine < CHANGED_FROM:
            continue
        older, newer = sorted((other, memory), key=_age)
        said = changed(older, newer)
        comparison = comparer.compare(newer, older) if said or cosine >= COMPARED_FROM else None
        if comparison is None:
            continue
        if said or (comparison.propose and comparison.similarity >= threshold):
            likely.append(MemoryPair(older, newer, comparison, said))
    return memory, linked[:NEIGHBOURS], likely


def _nearest(
    store: Store, matrix: vector_search.Matrix, numbers: Sequence[int]
) -> dict[int, list[tuple[int, float]]]:
    """The memories of highest cosine with each of these that has a vector, itself left out."""
    import numpy as np

    stored = {number: vectors.vector_of(store, number) for number in numbers}
    found = {number: vector for number, vector in stored.items() if vector is not None}
    if not found:
        return {}
    queries = np.frombuffer(b"".join(found.values()), np.float32).reshape(len(found), -1)
    best = matrix.nearest(queries, NEAREST + 1)
    return {
        number: [(other, cosine) for other, cosine in row if other != number]
        for number, row in zip(found, best, strict=True)
    }


class MemoryPair(NamedTuple):
    """Two memories, and how they compare."""

    older: Memory
    newer: Memory
    comparison: similarity.Comparison
    changed: str = ""
    """What the newer memory changes of the older one, in a sentence; empty for nothing."""


def pairs(
    store: Store,
    embedder: Embedder | None,
    threshold: float,
    newer_than: int = 0,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[MemoryPair]:
    """Every pair of active memories that are likely to say the same, and every pair of which the
    newer memory is a later word on what the older is about.

    Args:
        threshold: least similarity of those that say the same, 0 to 1. Two that say it in other
            words have 0.75 and more; a lower one is for those of which one is a part of the other.
        newer_than: at least one memory of a pair has a greater number than this.
        progress: called with the number of memories compared so far, and of all.
    """
    memories = {memory.id: memory for memory in memory_lookup.in_force(store)}
    comparer = Comparer(store)
    for first, second in _candidates(store, embedder, memories, newer_than, progress):
        if first.kind in UNLIKE or second.kind in UNLIKE:
            continue
        older, newer = sorted((first, second), key=_age)
        comparison = comparer.compare(newer, older)
        # Two texts on different subjects may share a number's form and a word for change.
        said = changed(older, newer) if comparer.cosine(older, newer) >= CHANGED_FROM else ""
        if said or (comparison.propose and comparison.similarity >= threshold):
            yield MemoryPair(older, newer, comparison, said)


def changed(first: Memory, second: Memory) -> str:
    """What the newer of two memories changes or withdraws of the older one, in a sentence; empty
    where both hold."""
    older, newer = sorted((first, second), key=_age)
    # What one session says of a value before and after, its end has settled.
    is_settled = bool(older.source.session) and older.source.session == newer.source.session
    is_long = max(len(older.content), len(newer.content)) > lookup.LONGEST_CHANGED
    if is_settled or is_long or older.created == newer.created:
        return ""
    # A commit, or the cause of a fault, tells what became of the code: that something “is gone”
    # there takes nothing back, and only another value of the same subject is a later word.
    is_told = is_users_word(newer.source.rule) or not newer.source.rule.startswith("rule:")
    is_contrary = is_told or Claim(newer.content).contradicts(Claim(older.content))
    said = later_word(older.content, newer.content) if is_contrary else None
    return succession.was_and_is(newer, older, said) if said else ""


def propose(change: Change, pair: MemoryPair) -> int | None:
    """Record the proposal for a pair; its number, or None where there is one already."""
    members = (pair.newer.id, pair.older.id)
    texts = (pair.older.content, pair.newer.content)
    return apply.propose(change, members, pair.comparison, texts, changed=pair.changed)


def _age(memory: Memory) -> tuple[float, str]:
    return memory.created, memory.id


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
    newer = memory_lookup.newer_than(store, newer_than)
    for memory in (memories[name] for name in newer if name in memories):
        for name, _ in lookup.similar_by_words(store, memory):
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
    matrix = vector_search.matrix(store, embedder.name, embedder.dimension)
    seen: set[tuple[int, int]] = set()
    ids = memory_lookup.active_numbers(store)
    numbers = [one for one in vectors.of_newer(store, newer_than, embedder.name) if one in ids]
    for start in range(0, len(numbers), BATCH):
        found = _nearest(store, matrix, numbers[start : start + BATCH])
        for done, (number, best) in enumerate(found.items(), start):
            if progress is not None:
                progress(done, len(numbers))
            for other, _ in best:
                pair = (min(number, other), max(number, other))
                if other in ids and pair not in seen:
                    seen.add(pair)
                    yield memories[ids[number]], memories[ids[other]]

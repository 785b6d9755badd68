"""Finding memories that may say the same, or of which one may replace the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import log
from typing import NamedTuple

from cortex_core import similarity
from cortex_core.capture import admission
from cortex_core.curation.comparing import Comparer
from cortex_core.embedding.protocol import Embedder
from cortex_core.kinds import UNLIKE
from cortex_core.memory import Memory
from cortex_core.similarity import updates
from cortex_core.storage import ledger, queries, vector_search, vectors
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store

NEAREST = 10
"""Memories by cosine that each is compared with: they hold 98.5 % of the true pairs."""


FEW = 50
"""Memories below which a store does not tell common words from rare ones."""

CAPTURES = 10
"""Captures that stored something, after which a consolidation is due."""


class Pair(NamedTuple):
    """Two memories of one kind and how alike they are, the older one first."""

    older: Memory
    newer: Memory
    likeness: similarity.Likeness
    update: updates.Update | None = None
    """The value that the newer one states anew."""


def pairs(
    store: Store, embedder: Embedder | None, threshold: float, newer_than: int = 0,
    *, progress: Callable[[int, int], None] | None = None,
) -> Iterator[Pair]:  # fmt: skip
    """Every two active memories of one kind that are at least `threshold` alike, each pair once,
    and those of which the newer states another value of what the older speaks of.

    Args:
        threshold: least similarity, 0 to 1.
        newer_than: one of the two must have a greater number than this.
        progress: told how many memories were compared with their nearest, and of how many.
    """
    memories = {memory.id: memory for memory in queries.in_force(store)}
    comparer, rarity = Comparer(store), _rarity(store, len(memories))
    found: list[Pair] = []
    for one, other in _candidates(store, embedder, memories, newer_than, progress):
        if one.kind != other.kind or one.kind in UNLIKE:
            continue
        older, newer = sorted((one, other), key=lambda memory: (memory.created, memory.id))
        likeness = comparer.compare(newer, older)
        update = None
        if older.created < newer.created and comparer.cosine(older, newer) >= updates.LEAST_COSINE:
            update = updates.update(older.content, newer.content, rarity)
        if update or likeness.similarity >= threshold or likeness.propose:
            found.append(Pair(older, newer, likeness, update))
    for pair in _plainest(found):
        if pair.update or pair.likeness.similarity >= threshold or pair.likeness.propose:
            yield pair


def changed(store: Store, one: Memory, other: Memory) -> str:
    """Which value the newer of two memories states anew, in a sentence; "" for none."""
    total = queries.active(store)
    older, newer = sorted((one, other), key=lambda memory: (memory.created, memory.id))
    found = updates.update(older.content, newer.content, _rarity(store, total))
    return found.sentence if found else ""


def _plainest(found: list[Pair]) -> Iterator[Pair]:
    """The pairs, a value's change told only where it is the plainest of both memories."""
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


def last(store: Store) -> tuple[int, int]:
    """Numbers of the newest memory and ledger entry when the store was last consolidated."""
    memory, _, entry = (store.meta("consolidated") or "0 0").partition(" ")
    return int(memory), int(entry)


def note(store: Store) -> None:
    """Remember that the store is consolidated up to now."""
    store.set_meta("consolidated", f"{queries.newest_number(store)} {ledger.newest_number(store)}")


def is_due(store: Store, after_new: int) -> bool:
    """Whether enough has come since the last time: `after_new` memories, or ten captures."""
    memory, entry = last(store)
    return (
        queries.active_since(store, memory) >= after_new
        or ledger.fruitful_since(store, entry) >= CAPTURES
    )


def propose(change: Change, pair: Pair) -> int | None:
    """Record the proposal that a pair calls for; its number, None where there is one already."""
    members = (pair.newer.id, pair.older.id)
    texts = (pair.older.content, pair.newer.content)
    changed = pair.update.sentence if pair.update else ""
    return admission.propose(change, members, pair.likeness, texts, changed=changed)


def open_proposal(change: Change, pair: Pair) -> int | None:
    """The number of the open proposal to merge a pair; None where it was judged already."""
    row = change.proposal_on(" ".join(sorted((pair.older.id, pair.newer.id))))
    is_open = row is not None and (row["status"], row["type"]) == ("open", "merge")
    return int(row["number"]) if row is not None and is_open else None


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

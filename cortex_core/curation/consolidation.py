"""Finding memories that may say the same, or of which one may replace the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cortex_core import similarity
from cortex_core.capture import admission
from cortex_core.curation.comparing import Comparer
from cortex_core.embedding.protocol import Embedder
from cortex_core.memory import Memory
from cortex_core.storage import vectors
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store

NEAREST = 10
"""Memories by cosine that each is compared with: they hold 98.5 % of the true pairs."""


CAPTURES = 10
"""Captures that stored something, after which a consolidation is due."""


class Pair(NamedTuple):
    """Two memories of one kind and how alike they are, the older one first."""

    older: Memory
    newer: Memory
    likeness: similarity.Likeness


def pairs(
    store: Store, embedder: Embedder | None, threshold: float, newer_than: int = 0
) -> Iterator[Pair]:
    """Every two active memories of one kind that are at least `threshold` alike, each pair once.

    Args:
        threshold: least similarity, 0 to 1.
        newer_than: one of the two must have a greater number than this.
    """
    memories = {memory.id: memory for memory in store.select("WHERE m.status = 'active'")}
    comparer = Comparer(store)
    for one, other in _candidates(store, embedder, memories, newer_than):
        if one.kind != other.kind:
            continue
        older, newer = sorted((one, other), key=lambda memory: (memory.created, memory.id))
        likeness = comparer.compare(older, newer)
        if likeness.similarity >= threshold or likeness.propose:
            yield Pair(older, newer, likeness)


def last(store: Store) -> tuple[int, int]:
    """Numbers of the newest memory and ledger entry when the store was last consolidated."""
    memory, _, entry = (store.meta("consolidated") or "0 0").partition(" ")
    return int(memory), int(entry)


def note(store: Store) -> None:
    """Remember that the store is consolidated up to now."""
    ((memory, entry),) = store.rows(
        "SELECT coalesce((SELECT max(number) FROM memory), 0), "
        "coalesce((SELECT max(number) FROM ledger), 0)"
    )
    store.set_meta("consolidated", f"{memory} {entry}")


def is_due(store: Store, after_new: int) -> bool:
    """Whether enough has come since the last time: `after_new` memories, or ten captures."""
    memory, entry = last(store)
    ((new, captures),) = store.rows(
        "SELECT (SELECT count(*) FROM memory WHERE number > ? AND status = 'active'), "
        "(SELECT count(*) FROM ledger WHERE number > ? AND extractor <> '' AND stored > 0)",
        (memory, entry),
    )
    return bool(new >= after_new or captures >= CAPTURES)


def propose(change: Change, pair: Pair) -> int | None:
    """Record the proposal that a pair calls for; its number, None where there is one already."""
    members = (pair.newer.id, pair.older.id)
    texts = (pair.older.content, pair.newer.content)
    return admission.propose(change, members, pair.likeness, texts)


def _candidates(
    store: Store, embedder: Embedder | None, memories: dict[str, Memory], newer_than: int
) -> Iterator[tuple[Memory, Memory]]:
    if embedder is not None:
        yield from _by_meaning(store, embedder, memories, newer_than)
        return
    seen: set[frozenset[str]] = set()
    newer = store.rows("SELECT id FROM memory WHERE number > ?", (newer_than,))
    for memory in (memories[name] for (name,) in newer if name in memories):
        for name, _ in admission.similar_by_words(store, memory):
            pair = frozenset((memory.id, name))
            if name in memories and pair not in seen:
                seen.add(pair)
                yield memory, memories[name]


def _by_meaning(
    store: Store, embedder: Embedder, memories: dict[str, Memory], newer_than: int
) -> Iterator[tuple[Memory, Memory]]:
    import numpy as np

    matrix = vectors.matrix(store, embedder.name, embedder.dimension)
    seen: set[tuple[int, int]] = set()
    names = dict(store.rows("SELECT number, id FROM memory WHERE status = 'active'"))
    for number, blob in store.rows(
        "SELECT number, vector FROM embedding WHERE model = ? AND number > ? ORDER BY number",
        (embedder.name, newer_than),
    ):
        if number not in names:
            continue
        query = np.frombuffer(blob, dtype=np.float32)
        for other, _ in matrix.search(query).best(NEAREST + 1):
            pair = (min(number, other), max(number, other))
            if other != number and other in names and pair not in seen:
                seen.add(pair)
                yield memories[names[number]], memories[names[other]]

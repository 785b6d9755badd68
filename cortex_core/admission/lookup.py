"""What a store knows of what a memory says: the same, similar memories and facts."""

from __future__ import annotations

from typing import NamedTuple

from cortex_core.admission.batch_index import BatchIndex
from cortex_core.base import text
from cortex_core.base.kinds import EPISODE, UNLIKE
from cortex_core.duplicates import similarity
from cortex_core.extract.sources import ENVIRONMENT
from cortex_core.records.memory import Memory
from cortex_core.store import journal, memory_lookup, word_index
from cortex_core.store.store import Store
from cortex_core.store.word_index import Content

KNOWN_STATUSES = ("active", "suggested", "quarantined", "archived")


MOST_WORDS = 16
"""Words by which similar memories are looked up, longest first."""


POOL = 12
"""Memories sharing words with a new one that are compared with it."""


class SimilarMemory(NamedTuple):
    """A stored memory that a new one was compared with."""

    id: str
    content: str
    comparison: similarity.Comparison


def compare_with_store(
    store: Store, memory: Memory, batch: BatchIndex | None = None
) -> tuple[str | None, list[SimilarMemory]]:
    """The id of the memory that says the same, if there is one, and similar memories to propose.

    An entry of the history is the same as another if it is of the same event, and like none else.

    Args:
        batch: what the import that brings `memory` has added to the store.
    """
    if memory.kind == EPISODE:
        return memory_lookup.of_event(store, str(memory.details.get("event", ""))), []
    exact = memory_lookup.same_content(store, memory.content, KNOWN_STATUSES, but_kind=EPISODE)
    if exact is not None:
        equal = similarity.compare(memory.content, memory.content)
        return exact, [SimilarMemory(exact, memory.content, equal)]
    similar = [
        SimilarMemory(name, content, similarity.compare(content, memory.content))
        for name, content in similar_by_words(store, memory, batch)
    ]
    same = next((other.id for other in similar if other.comparison.same), None)
    return same, [other for other in similar if other.comparison.propose]


def similar_by_words(
    store: Store, memory: Memory, batch: BatchIndex | None = None
) -> list[Content]:
    """The memories of a like kind that share the most words with `memory`.

    Args:
        batch: what the import that brings `memory` has added to the store.
    """
    words = sorted(set(text.content_words(memory.content)), key=lambda word: (-len(word), word))
    if not words:
        return []
    found = batch.sharing_words(memory.content, POOL) if batch else []
    if batch and not batch.before:
        return found
    return found + word_index.sharing(
        store,
        words[:MOST_WORDS],
        KNOWN_STATUSES,
        but=memory.id,
        but_kinds=UNLIKE,
        limit=POOL,
        up_to=batch.before if batch else None,
    )


def said_in(store: Store, memory: Memory) -> str | None:
    """The id of a memory of which an extracted one is a part, word for word.

    What is always injected keeps a row of its own.
    """
    if memory.kind == EPISODE or store.kinds.known(memory.kind).baseline:
        return None
    others = similar_by_words(store, memory)
    return next((name for name, said in others if similarity.is_part(memory.content, said)), None)


def archived_by_hand(store: Store, name: str) -> bool:
    """Whether the user or an agent, and not decay, archived the memory."""
    return journal.put_away_by(store, name) not in (None, "worker")


MOST_FACTS = 200
"""Facts of the environment that a new one is compared with."""


def known_facts(store: Store, memory: Memory) -> list[Memory]:
    """The facts of the environment that `memory`, one itself, is compared with, the newest first.

    What the user put away is among them, so that it does not come back in other words.
    """
    if ENVIRONMENT not in memory.tags:
        return []
    return memory_lookup.tagged(store, ENVIRONMENT, ("active", "suggested", "archived"), MOST_FACTS)

"""Comparing stored memories with all that is known of them: words, vectors, word vectors."""

from __future__ import annotations

from typing import NamedTuple

from cortex_core import similarity
from cortex_core.memory import Memory
from cortex_core.similarity.stored import from_stored
from cortex_core.storage import vectors
from cortex_core.storage.store import Store

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

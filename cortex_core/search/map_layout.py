"""Where memories are on a map: what is about the same is close, and the same store looks the same.

Vectors become two dimensions by their two main axes. A pure function of vectors; where one is
missing, all are made of the words of titles.
"""

import json
import zlib
from collections.abc import Iterable, Sequence

from cortex_core.base import decay, text
from cortex_core.base.one_thread import load_numpy
from cortex_core.embeddings.protocol import Vector
from cortex_core.records.memory import Key
from cortex_core.store import ordering, vector_search
from cortex_core.store.store import Store

Outline = tuple[Key, str, str, str, str]
"""What is drawn of a memory: its key, id, title, kind and band. To read 10,000 whole ones takes
five times as long."""

WORD_DIMENSIONS = 64
"""Dimensions of the vectors that are made of words."""
EVEN = 0.6
"""How far places are spread evenly: 1 by rank alone, 0 as the axes have them, which crowds."""


def outlines(stores: Iterable[Store], keys: Sequence[Key]) -> list[Outline]:
    """What is drawn of the memories of `keys`, in order; those that are gone are left out."""
    found: dict[Key, Outline] = {}
    for store in stores:
        numbers = json.dumps([number for scope, number in keys if scope == store.scope])
        for row, _, confidence in ordering.weighed(
            store, "m.number IN (SELECT value FROM json_each(?))", (numbers,)
        ):
            key = store.scope, row["number"]
            band = decay.band(1.0 if row["pinned"] else confidence)
            found[key] = key, row["id"], row["title"], row["kind"], band
    return [found[key] for key in keys if key in found]


def placed(vectors: Vector) -> list[tuple[float, float]]:
    """A place for each row of `vectors`: both coordinates are from 0 to 1."""
    import numpy as np

    centred = vectors - vectors.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, :-3:-1]
    # An axis has no sign of its own, so its largest part is made positive.
    axes = axes * np.sign(np.take_along_axis(axes, abs(axes).argmax(axis=0)[None], axis=0))
    flat = centred @ axes
    ranks = flat.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    spread = np.maximum(np.ptp(flat, axis=0), 1e-9)
    last = max(1, len(flat) - 1)
    mixed = EVEN * ranks / last + (1 - EVEN) * (flat - flat.min(axis=0)) / spread
    return [(x, y) for x, y in np.clip(mixed, 0, 1).tolist()]


def vectors_of(store: Store, numbers: Sequence[int]) -> dict[int, Vector]:
    """The vectors of memories by number, of the model that the first has; empty if it has none."""
    import numpy as np

    asked = "SELECT model, dimension FROM embedding WHERE number = ?"
    found: dict[int, Vector] = {}
    for model, dimension in store.rows(asked, numbers[:1]):
        matrix = vector_search.matrix(store, model, dimension)
        for block in (matrix.base, matrix.recent):
            among = np.isin(block.numbers, numbers)
            found |= zip(block.numbers[among].tolist(), block.vectors[among], strict=True)
    return found


def of_words(words: str) -> list[float]:
    """A vector of the words of a title."""
    vector = [0.0] * WORD_DIMENSIONS
    for word in text.words(words):
        vector[zlib.crc32(word.encode()) % WORD_DIMENSIONS] += 1.0
    return vector


def places(memories: Sequence[tuple[Store, int, str]]) -> list[tuple[float, float]]:
    """The places of memories, each by its store, its number and its title."""
    load_numpy()
    import numpy as np

    held = {
        store: vectors_of(store, [number for one, number, _ in memories if one is store])
        for store in {store for store, _, _ in memories}
    }
    found = [held[store].get(number) for store, number, _ in memories]
    sizes = {0 if one is None else len(one) for one in found}
    by_words = 0 in sizes or len(sizes) > 1
    rows = [of_words(title) for _, _, title in memories] if by_words else found
    return placed(np.array(rows, np.float32)) if memories else []

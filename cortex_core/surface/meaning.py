"""Which memories fit a prompt by the embedding model, and whether any does.

They are ranked as recall ranks them. Whether the prompt asks for any of them tells a comparison:
the nearest must be about as near as the most alike ordinary request (benchmarks/prompts.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cortex_core.embedding import ordinary
from cortex_core.embedding.shipped import NAME, shipped
from cortex_core.recall import on_demand
from cortex_core.surface.matching import HIGHEST, Near, bar

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from cortex_core.embedding.protocol import Vector
    from cortex_core.surface.matching import Pool

FIRST = 24
"""The best of a store, as recall ranks it, that are looked at."""


def near(pools: Sequence[Pool], prompt: str, away: Set[str]) -> list[Near]:
    """The memories that may fit the prompt, and how near each is.

    Args:
        away: ids of memories that are not to be given.

    Raises:
        ModelUnavailable: the model cannot be loaded.
        sqlite3.Error: a store cannot be read.
    """
    asked = shipped().query(prompt).vector
    alike = ordinary.nearness(asked)
    return [
        one
        for pool in pools
        for one in _best(pool, prompt, asked, bar(alike, pool.words.total))
        if one.row.id not in away
    ]


def _best(pool: Pool, prompt: str, asked: Vector, least: float) -> list[Near]:
    store = pool.store
    ranked = on_demand.rank(store, prompt, allowed=pool.allowed)
    scores = {one.number: one.total / HIGHEST for one in ranked.scores[:FIRST]}
    cosines = _cosines(pool, list(scores), asked)
    return [
        Near(row, scores[row.number], cosines[row.number] / least)
        for row in store.numbered(list(scores))
        if row.number in cosines
    ]


def _cosines(pool: Pool, numbers: Sequence[int], asked: Vector) -> dict[int, float]:
    import numpy as np

    held = pool.store.vectors(numbers, NAME)
    return {
        number: float(np.frombuffer(vector, np.float32) @ asked) for number, vector in held.items()
    }

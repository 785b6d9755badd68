"""Which memories fit a prompt by the embedding model, and whether any does.

They are ranked as recall ranks them. Whether the prompt asks for any of them tells a comparison:
the nearest must be about as near as the most alike ordinary request (benchmarks/prompts.py).
"""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.embedding import ordinary
from cortex_core.embedding.shipped import NAME, shipped
from cortex_core.recall import on_demand
from cortex_core.surface.ranking import Candidate

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from cortex_core.embedding.protocol import Vector
    from cortex_core.storage.light import Row
    from cortex_core.surface.matching import Pool

FIRST = 24
"""The best of a store, as recall ranks it, that are looked at."""

BESIDE = 0.4
"""Share of the bar that a memory must reach to be given beside one that passes it."""

CROWD = 0.01
"""What is added to the bar each time a store doubles beyond a hundred memories: the more there
are, the nearer comes the nearest that means nothing."""

_HIGHEST = 10.0
"""About the highest score that recall gives."""


class _Found(NamedTuple):
    row: Row
    score: float
    """As recall ranks it, about 0 to 1."""
    nearness: float
    """Its cosine, as a share of what it must be."""


def fitting(pools: Sequence[Pool], prompt: str, floor: float, away: Set[str]) -> list[Candidate]:
    """The memories that fit the prompt, in no order; none where the nearest is not near enough.

    Args:
        floor: what the nearest memory's cosine must be, as a share of that of the most alike
            ordinary request.
        away: ids of memories that are not to be given.

    Raises:
        ModelUnavailable: the model cannot be loaded.
        sqlite3.Error: a store cannot be read.
    """
    asked = shipped().query(prompt).vector
    bar = floor * ordinary.nearness(asked)
    found = [
        one
        for pool in pools
        for one in _best(pool, prompt, asked, bar + _crowd(pool.words.total))
        if one.row.id not in away
    ]
    if not any(one.nearness >= 1 for one in found):
        return []
    return [Candidate(one.row, {"meaning": one.score}) for one in found if one.nearness >= BESIDE]


def _crowd(total: int) -> float:
    return CROWD * max(0.0, log2(max(1, total) / 100))


def _best(pool: Pool, prompt: str, asked: Vector, bar: float) -> list[_Found]:
    store = pool.store
    ranked = on_demand.rank(
        store, prompt, database=Path(store.path), scope=store.scope, identity=store.identity,
        allowed=pool.allowed,
    )  # fmt: skip
    scores = {one.number: one.total / _HIGHEST for one in ranked.scores[:FIRST]}
    cosines = _cosines(pool, list(scores), asked)
    return [
        _Found(row, scores[row.number], cosines[row.number] / bar)
        for row in store.numbered(list(scores))
        if row.number in cosines
    ]


def _cosines(pool: Pool, numbers: Sequence[int], asked: Vector) -> dict[int, float]:
    import numpy as np

    marks = ",".join("?" * len(numbers))
    held = pool.store.rows(
        f"SELECT number, vector FROM embedding WHERE model = ? AND number IN ({marks})",
        (NAME, *numbers),
    )
    return {number: float(np.frombuffer(vector, np.float32) @ asked) for number, vector in held}

"""Late interaction: how well each wordpiece of a query is met by a memory's wordpieces.

A memory keeps one bit a dimension for each of its content wordpieces; a query's wordpieces are
unit vectors. Only the pool of a few hundred memories is compared so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cortex_core.embedding.protocol import Vector


def late(tokens: Vector, bits: Mapping[int, bytes]) -> dict[int, list[float]]:
    """For each memory, the best match (-1 to 1) of every row of `tokens`.

    Args:
        tokens: unit vectors of the query's wordpieces.
        bits: by memory number, the packed signs of its wordpieces; memories without any are
            left out.
    """
    import numpy as np

    width = tokens.shape[1] // 8
    held = {number: blob for number, blob in bits.items() if blob}
    if not held or not len(tokens):
        return {}
    lengths = np.array([len(blob) // width for blob in held.values()])
    signs = np.frombuffer(b"".join(held.values()), np.uint8).reshape(-1, width)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    best = np.maximum.reduceat(_met(tokens, signs), starts, axis=0)
    return dict(zip(held, best.tolist(), strict=True))


def _met(tokens: Vector, signs: NDArray[np.uint8]) -> Vector:
    """The dot product of each packed row, as ±1 of unit length, with each of `tokens`.

    A table holds what every possible byte at every place adds: a third of the time of unpacking
    the bits and multiplying matrices.
    """
    import numpy as np

    count, dimension = tokens.shape
    every = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    ones = (2.0 * every - 1) / sqrt(dimension)
    places = tokens.reshape(count, -1, 8).transpose(1, 2, 0)
    adds = np.ascontiguousarray(ones.astype(np.float32) @ places)
    columns = np.ascontiguousarray(signs.T)
    met: Vector = np.zeros((len(signs), count), np.float32)
    for place, column in enumerate(columns):
        met += adds[place].take(column, axis=0)
    return met


def importance(held_by: Sequence[int], total: int) -> list[float]:
    """How much each wordpiece counts, by its rarity; the shares sum to 1.

    Args:
        held_by: for each wordpiece, how many memories hold it.
        total: how many memories there are.
    """
    raw = [sqrt(log(1 + max(0, total - held + 0.5) / (held + 0.5))) for held in held_by]
    whole = sum(raw)
    return [value / whole for value in raw] if whole > 0 else [1 / max(1, len(raw)) for _ in raw]

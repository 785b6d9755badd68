"""How near a prompt comes to the generic prompts that no memory answers: "commit this", "rename
that". A memory has to be about as near to be worth giving, for any sentence is somewhat near to
any other, and how much so depends on the sentence.

The requests are written down in tools/generic_prompts.txt; their vectors are shipped.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cortex_core.embeddings.protocol import Vector

TABLE = Path(__file__).with_name("generic_prompts.npy")
"""One vector a row, float16, of the shipped model."""


@cache
def vectors() -> Vector:
    """The requests' vectors, of unit length."""
    import numpy as np

    loaded: Vector = np.load(TABLE).astype(np.float32)
    return loaded


def nearness(asked: Vector) -> float:
    """The cosine of `asked` with the most alike of the generic prompts."""
    return float((vectors() @ asked).max())

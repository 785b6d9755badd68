"""Word vectors out of what is stored with a memory: wordpieces, and one bit a dimension."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from functools import lru_cache
from math import log

from cortex_core.embedding.shipped import FOLDER
from cortex_core.similarity.alignment import TokenVectors, token_vectors

_COMMON = 1000
"""Wordpieces below this number are marks and single letters; from here on they grow rarer."""


def from_stored(pieces: bytes | Sequence[int], bits: bytes) -> TokenVectors | None:
    """The word vectors of a memory embedded with the shipped model; None where none are stored.

    The vocabulary is sorted by frequency, so a piece's number tells how rare it is.

    Args:
        pieces: the numbers of the wordpieces, or their bytes as they are stored (uint16).
        bits: the 48 bytes of each.
    """
    if not pieces or not bits:
        return None
    if isinstance(pieces, bytes):
        pieces = array("H", pieces)
    names = _vocabulary()
    rarity = [log(max(piece - _COMMON, 2)) for piece in pieces]
    return token_vectors([names.get(piece, "[UNK]") for piece in pieces], bits, rarity)


@lru_cache(maxsize=1)
def _vocabulary() -> dict[int, str]:
    """The wordpieces by number; read in 20 ms, once a process."""
    model = json.loads((FOLDER / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    return {number: piece for piece, number in model["vocab"].items()}

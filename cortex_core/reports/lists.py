"""What long lists are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cortex_core.memory import Key


class WordHits(NamedTuple):
    """The memories that hold every typed word, best first."""

    keys: Sequence[Key]
    corrected: Mapping[str, str]
    """Misspelt words and how they were read."""
    complete: bool = True
    """False: these are the first ones, and there may be more."""

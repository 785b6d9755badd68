"""What long lists are asked for and made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from cortex_core.memory import Key, Scope

Where = Scope | Literal["all"]
Sort = Literal[
    "updated", "created", "priority", "title", "kind", "access", "standing", "confidence"
]


class WordHits(NamedTuple):
    """The memories that hold every typed word, best first."""

    keys: Sequence[Key]
    corrected: Mapping[str, str]
    """Misspelt words and how they were read."""
    complete: bool = True
    """False: these are the first ones, and there may be more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """By what memories can be told apart: how many there are of each, the most frequent first."""

    kinds: Mapping[str, int]
    tags: Mapping[str, int]
    statuses: Mapping[str, int]
    scopes: Mapping[str, int]
    branches: Mapping[str, int]

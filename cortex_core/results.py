"""What recall and the surface give back, with what it was ranked by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cortex_core.memory import Memory, RecallMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts a hit's score is made of; they sum to it."""

    keyword: float = 0.0
    semantic: float = 0.0
    graph: float = 0.0
    standing: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer to a recall."""

    memory: Memory
    score: float
    parts: Parts
    code: Memory | None = None
    """The raw code that a prose hit describes."""
    why: str = ""
    """One line: which words, which neighbour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer to one query: hits in order, and how they were found. Iterates over its hits."""

    query: str
    hits: tuple[Hit, ...]
    mode: RecallMode
    degraded: str = ""
    """Why meaning could not be used in full, in one sentence; empty when it was."""
    corrected: Mapping[str, str] = field(default_factory=dict)
    """Misspelt query words and what they were read as."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceLine:
    """One line of what Claude is given, or of what just missed."""

    id: str
    text: str
    kind: str
    score: float
    parts: Mapping[str, float]
    """Named shares of the score: confidence, priority, centrality, access, branch."""
    tokens: int
    why: str = ""
    """Why it is in (pinned, rank) or out (budget of its kind, never inject …)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """What Claude is given, to the byte, and how it was chosen."""

    text: str
    lines: tuple[SurfaceLine, ...] = ()
    missed: tuple[SurfaceLine, ...] = ()
    tokens: int = 0
    units: int = 0
    """UTF-16 code units of `text`; never above `most_units`."""
    budget: int = 0
    """Tokens that it is filled up to; what is pinned may exceed it."""
    most_units: int = 9_500
    """Where the client would cut it off."""

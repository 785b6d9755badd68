"""What recall returns: hits with the parts of their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cortex_core.records.memory import Key, Memory, RecallMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts a hit's score is made of; they sum to it."""

    keyword: float = 0.0
    semantic: float = 0.0
    graph: float = 0.0
    importance: float = 0.0
    """What the memory counts by itself, apart from the query. JSON: `standing`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer to a recall."""

    memory: Memory
    score: float
    parts: Parts
    code: Memory | None = None
    """The raw code that the memory describes."""
    why: str = ""
    """One line: which words matched, or which neighbour."""
    project: str = ""
    """The folder of the other project whose memory it is; empty for this one's and global ones."""
    revived: bool = False
    """Whether it had faded, and is active again because nothing active answered the query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer to one query: hits in order, and how they were found; iterable over its hits."""

    query: str
    hits: tuple[Hit, ...]
    mode: RecallMode
    degraded: str = ""
    """Why search by meaning was not complete, in one sentence; empty if it was."""
    corrected: Mapping[str, str] = field(default_factory=dict)
    """Misspelt query words and what they were read as."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


class WordHits(NamedTuple):
    """The memories that fit every typed word, best first."""

    keys: Sequence[Key]
    corrected: Mapping[str, str]
    """Misspelt words and how they were read."""
    complete: bool = True
    """False: these are the first ones, and there may be more."""
    similar: frozenset[Key] = frozenset()
    """Those found by similar words of their titles alone."""

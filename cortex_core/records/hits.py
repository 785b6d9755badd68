"""What recall returns: hits with the parts of their scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from cortex_core.records.memory import Key, Memory, RecallMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts a hit's score is made of; they sum to it."""

    JSON: ClassVar = ("*", "importance as standing")

    keyword: float = 0.0
    semantic: float = 0.0
    graph: float = 0.0
    importance: float = 0.0
    """What the memory counts by itself, apart from the query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer to a recall."""

    JSON: ClassVar = (
        "memory.id",
        "memory.title",
        "memory.content",
        "memory.kind",
        "memory.scope",
        "score",
        "parts",
        "described as code",
        "memory.source",
        "revived",
        "memory.status",
        "memory.outdated",
    )

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

    @property
    def described(self) -> Mapping[str, Any] | None:
        """The code that the memory describes, and its files; None if there is none."""
        if (code := self.code) is None:
            return None
        return {
            **{name: getattr(code, name) for name in ("id", "title", "content")},
            "files": code.context.files or code.globs,
            "details": code.details,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer to one query: hits in order, and how they were found; iterable over its hits."""

    JSON: ClassVar = ("query", "hits", "degraded")

    query: str
    hits: tuple[Hit, ...]
    mode: RecallMode
    degraded: str = ""
    """Why search by meaning was not complete, or that no hit is certain to answer, in sentences;
    mostly empty."""
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

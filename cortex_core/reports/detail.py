"""What is told about one memory: its parts, its history, the turn and the code it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cortex_core.memory import Edge, Memory
from cortex_core.records import Change, Receipt

SaidBy = Literal["person", "assistant", "tool", "result", "summary", "note"]
"""tool: what the agent called; result: what came of it; note: Claude Code's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Everything about one memory."""

    memory: Memory
    edges: tuple[Edge, ...]
    history: tuple[Change, ...]
    receipts: tuple[Receipt, ...]
    standing: Mapping[str, float]
    """The parts of its standing."""
    fades: float | None
    """When its confidence reaches the archiving threshold, Unix seconds; None: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One value that a change of a memory set."""

    name: str
    """A field's name, or `link` (id, type, id), `source`, `verdict`."""
    before: Any = None
    """None: it was not there."""
    after: Any = None
    """None: it is not there any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One change of a memory with what it was before and after."""

    change: Change
    fields: tuple[FieldChange, ...] = ()
    """Empty where it was made, removed whole, or only reinforced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One block of a conversation, without its secrets."""

    by: SaidBy
    text: str
    time: float | None = None
    here: bool = False
    """Whether it is what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The turn of a session that a memory came from, with those around it."""

    transcript: str
    """The file it was read from."""
    session: str
    said: tuple[Said, ...]
    moved: bool = False
    """Whether the transcript lies elsewhere than when it was read."""
    differs: bool = False
    """Whether the file holds something else at this place now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCode:
    """The raw code that a memory describes, as it was stored."""

    memory: Memory
    path: str
    """Where it stood, "" where that is not known."""
    first: int = 1
    """The number of its first line."""
    stale: str = ""
    """Why it may no longer be so, in a few words; empty when the file still holds it."""

    @property
    def last(self) -> int:
        """The number of its last line."""
        return self.first + max(1, len(self.memory.content.splitlines())) - 1

"""What the workers report: one typed message a result. Screens decide what to do with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual.message import Message

from cortex_core.types import Key, Memory
from cortex_tui.opening import Opened
from cortex_tui.queries import Done, ListResult, MeaningHits, Pulse


@dataclass
class StoresOpened(Message):
    """The stores are open, and the first question is answered."""

    opened: Opened


@dataclass
class RowsFound(Message):
    """The rows of a question are known."""

    result: ListResult
    generation: int
    """The number of the question; an answer to an older one is dropped."""
    kept: frozenset[Key]
    """The forgotten rows that were known when it was asked."""
    rows: Mapping[Key, Memory]
    """The memories of the first page."""


@dataclass
class MeaningFound(Message):
    """The rows nearest by meaning to the words of a question are known."""

    near: MeaningHits
    generation: int


@dataclass
class Changed(Message):
    """A verb was carried out."""

    done: Done


@dataclass
class Beat(Message):
    """What the stores say of themselves now."""

    pulse: Pulse


@dataclass
class Failed(Message):
    """Something was not done."""

    reason: str
    """What happened, what was left unchanged, what to do next."""
    unusable: bool = False
    """The stores cannot be read: there is nothing to show."""

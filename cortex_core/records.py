"""What a store keeps besides memories: changes, proposals, captures, receipts.

Times are Unix seconds (UTC, float).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from cortex_core.memory import Actor, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One entry of the journal."""

    number: int
    time: float
    actor: Actor
    verb: str
    label: str
    """What was done, in words a person recognises."""
    scope: Scope = "project"
    """Whose journal it stands in; numbers count per store."""
    action: str = ""
    """Shared by the entries of one action that touched both stores; they are undone together."""
    memories: tuple[str, ...] = ()
    undoes: int | None = None
    undone_by: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Two or more memories that may say the same, or one that may replace another."""

    number: int
    type: Literal["merge", "supersede"]
    members: tuple[str, ...]
    """Memory ids, the better one first."""
    similarity: float
    reasons: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    text: str = ""
    fingerprint: str = ""
    """Hash of the members' content at the time it was proposed."""
    status: Literal["open", "approved", "rejected", "distinct"] = "open"
    created: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One hook firing or one extraction, and what came of it."""

    number: int
    time: float
    event: str
    session: str = ""
    transcript: str = ""
    extractor: str = ""
    bytes_read: int = 0
    candidates: int = 0
    stored: int = 0
    suggested: int = 0
    merged: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    """Reason and count."""
    tokens: int = 0
    cost: float = 0.0
    """US dollars."""
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One memory given in one session."""

    session: str
    event: str
    memory: str
    time: float
    tokens: int
    used: bool | None = None
    """None while unknown."""
    evidence: str = ""

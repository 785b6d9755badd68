"""What curation proposes, forecasts and has learned: reviews, fading, rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cortex_core.memory import Memory, Scope
from cortex_core.records import Proposal

RuleTier = Literal["kept", "suggested", "off"]
"""kept: a memory at once; suggested: waits for a verdict; off: finds nothing."""
RuleSetting = Literal["auto", "kept", "suggested", "off"]
"""What a user sets for a rule: a tier, or `auto`, which follows the user's verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A proposal with all that a verdict on it needs."""

    proposal: Proposal
    scope: Scope
    """Whose store it is in; numbers count per store."""
    members: tuple[Memory, ...]
    text: str
    """What an approved merge would say."""
    lost: tuple[str, ...]
    """Numbers, paths and identifiers of the members that `text` lacks; empty: approvable."""
    heir: Memory
    """What the survivor of an approved merge inherits."""
    edges: int
    """Edges that move to the survivor."""
    advice: Literal["approve", "supersede", "distinct"]
    """The verdict that the flags suggest."""
    changed: bool
    """Whether a member has changed since this was proposed; reasons and text are of today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationReport:
    """What a consolidation compared and proposed, or would."""

    compared: int = 0
    """Pairs of memories."""
    proposed: tuple[Proposal, ...] = ()
    merged: tuple[Memory, ...] = ()
    """What was merged by itself, in the mode `auto` alone."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fading:
    """One memory that decay will carry below the archiving threshold."""

    memory: Memory
    fades: float
    """Unix seconds."""
    archives: float
    """Unix seconds, if nothing reinforces it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleReport:
    """What decay archived, pruned and let go, or would."""

    archived: tuple[Memory, ...] = ()
    pruned: tuple[Memory, ...] = ()
    expired: tuple[Memory, ...] = ()
    """Suggestions nobody decided on in time."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRecord:
    """An extraction rule, where its finds go, and how a person has judged them."""

    name: str
    help: str
    tier: RuleTier
    """In force now."""
    setting: RuleSetting
    default: RuleTier
    kept: int
    """Finds a person kept."""
    discarded: int
    lower: float
    """Lower 80 % bound of its acceptance, 0 to 1."""
    upper: float

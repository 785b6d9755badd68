"""What waits for a verdict of the user: proposals to merge or replace, with all that one needs."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from cortex_core.records.as_json import Moment
from cortex_core.records.memory import Memory, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Two or more memories that may say the same, or of which one may replace another."""

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
    created: Moment = 0.0


@dataclass(frozen=True, slots=True)
class QueuedProposal:
    """An open proposal in a list of many: what it is known by, and what a row of it shows."""

    scope: Scope
    number: int
    type: Literal["merge", "supersede"]
    title: str
    """The title of its first member."""
    similarity: float
    conflicts: int
    """How many conflicts are named."""


Advice = Literal["approve", "left", "right", "supersede", "distinct"]
"""approve: merge them; left, right: the first, or last, says all that the other does, so keep it;
supersede: the newer one states another value; distinct: a conflict says that they are two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A proposal with everything needed for a verdict."""

    JSON: ClassVar = (
        "proposal.*",
        "scope",
        "members as memories",
        "text as merged",
        "lost",
        "heir as inherits",
        "edges",
        "advice",
        "changed",
    )

    proposal: Proposal
    scope: Scope
    """The scope of its store; numbers count per store."""
    members: tuple[Memory, ...]
    text: str
    """What an approved merge would say."""
    lost: tuple[str, ...]
    """Numbers, paths and identifiers of the members that `text` lacks; empty: approvable."""
    heir: Memory
    """What the new memory of an approved merge inherits."""
    edges: int
    """Number of edges that move to the new memory."""
    advice: Advice
    """The verdict that the evidence speaks for; `distinct` only where a conflict is named."""
    changed: bool
    """Whether a member has changed since this was proposed; reasons and text are up to date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationReport:
    """What a consolidation compared and proposed, or would."""

    compared: int = 0
    """Pairs of memories."""
    proposed: tuple[Proposal, ...] = ()
    merged: tuple[Memory, ...] = ()
    """What was merged automatically, in the mode `auto` only."""
    dry_run: bool = False

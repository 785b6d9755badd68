"""What the larger verbs answer with: states, details and counts, for every interface to format."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cortex_core.memory import Change, Edge, LedgerEntry, Memory, Proposal, Receipt, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a project's memory is doing."""

    project: str
    """The project's name; empty where only the global store is used."""
    root: str
    branch: str
    stores: Mapping[Scope, str]
    """The files of the stores that exist."""
    counts: Mapping[str, int]
    """Memories by status, both stores."""
    kinds: Mapping[str, int]
    """Active memories by kind, both stores."""
    to_review: int
    """Open merge and supersede proposals."""
    pending_embeddings: int
    queue: int
    """Hook records that wait for a worker."""
    last_capture: LedgerEntry | None
    failures: int
    """Captures in the last 7 days that failed and have not succeeded since."""
    paused: bool
    trusted: bool
    """False: the project's store came from elsewhere and is not given to Claude."""
    degraded: tuple[str, ...] = ()
    """Sentences on what works only in part, and why."""


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
class ImportReport:
    """What an import did, or would do."""

    files: int = 0
    """Files read."""
    skipped: int = 0
    """Files with nothing new."""
    bytes_read: int = 0
    candidates: int = 0
    stored: int = 0
    suggested: int = 0
    quarantined: int = 0
    merged: int = 0
    updated: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """One sentence a file that could not be read, or was read only in part."""
    elsewhere: tuple[str, ...] = ()
    """Projects found whose folder is gone."""
    dry_run: bool = False
    seconds: float = 0.0


COUNTED = (
    "files", "skipped", "bytes_read", "candidates", "stored", "suggested", "quarantined", "merged",
    "updated",
)  # fmt: skip
"""The counts of an import report."""


def report(
    counts: Mapping[str, int],
    *,
    refused: Mapping[str, int] | None = None,
    problems: Sequence[str] = (),
    elsewhere: Sequence[str] = (),
    dry_run: bool = False,
    started: float,
) -> ImportReport:
    """An import report from its counts; `started` is the performance counter at its beginning."""
    made = ImportReport(
        refused=dict(refused or {}), problems=tuple(problems), elsewhere=tuple(elsewhere),
        dry_run=dry_run, seconds=time.perf_counter() - started,
    )  # fmt: skip
    counted: dict[str, Any] = {name: counts.get(name, 0) for name in COUNTED}
    return replace(made, **counted)


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
    tier: Literal["kept", "suggested", "off"]
    """In force now."""
    setting: Literal["kept", "suggested", "off", "auto"]
    default: Literal["kept", "suggested", "off"]
    kept: int
    """Finds a person kept."""
    discarded: int
    lower: float
    """Lower 80 % bound of its acceptance, 0 to 1."""
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """An embedding model and where it stands."""

    name: str
    dimension: int
    active: bool
    embedded: int
    """Memories with a vector of this model."""
    pending: int
    note: str = ""

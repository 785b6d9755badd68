"""What the stores say of themselves: their state at a glance, and what there is to filter by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cortex_core.memory import Scope
from cortex_core.records import LedgerEntry

NO_VECTORS_YET = "have no vector yet"
"""Part of the sentence in `Status.degraded` about memories that wait for their vectors."""


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
    sessions: int = 0
    """Sessions that hooks or imports have seen in the last 30 days."""
    captured: int = 0
    """Those of them that were read without an error."""
    spent: float = 0.0
    """US dollars that capture here has cost since midnight."""
    extractor: str = "rules"
    """The person's choice: rules, api, claude or auto."""
    for_model: int = 0
    """Sessions of which the language model has yet to read a part."""
    spent_everywhere: float = 0.0
    """US dollars that language models have cost since midnight, over all projects."""
    daily_cap: float = 0.0
    """US dollars a day at which none is asked any more."""
    paused: bool
    trusted: bool
    """False: the project's store came from elsewhere and is not given to Claude."""
    degraded: tuple[str, ...] = ()
    """Sentences on what works only in part, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """By what memories can be told apart: how many there are of each, the most frequent first."""

    kinds: Mapping[str, int]
    tags: Mapping[str, int]
    statuses: Mapping[str, int]
    scopes: Mapping[str, int]
    branches: Mapping[str, int]

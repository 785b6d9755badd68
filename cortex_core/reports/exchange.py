"""What comes in and goes out: imports and exports."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cortex_core.memory import Scope

OutcomeKind = Literal[
    "new", "edited", "known", "quarantined", "newer here", "file is gone", "left out"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """One memory that an import of Markdown brought, or would."""

    what: OutcomeKind
    """`newer here`: changed in the store since the file was written; `file is gone`: still in the
    store, and staying there; `left out`: not enough of it to make sense alone."""
    title: str
    kind: str
    scope: Scope
    place: str
    """The file it comes from, relative to the folder."""
    id: str = ""


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
    newer_here: int = 0
    """Memories left as they are, because the store's state is newer than the file's."""
    linked: int = 0
    """Links drawn or changed."""
    refused: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """One sentence a file that could not be read, or was read only in part."""
    elsewhere: tuple[str, ...] = ()
    """Projects found whose folder is gone."""
    arrivals: tuple[ImportOutcome, ...] = ()
    """Memory by memory what came of it; importers of Markdown tell it."""
    dry_run: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """What an export to a folder wrote."""

    folder: str
    memories: int
    written: int
    """Files written anew."""
    unchanged: int
    """Files that were as they should be."""
    removed: tuple[str, ...] = ()
    """Files of an earlier export that are no longer needed."""
    left: tuple[str, ...] = ()
    """Files with memories that no store here holds, left where they are."""


COUNTED = (
    "files", "skipped", "bytes_read", "candidates", "stored", "suggested", "quarantined", "merged",
    "updated", "newer_here", "linked",
)  # fmt: skip
"""The counts of an import report."""


def report(
    counts: Mapping[str, int],
    *,
    refused: Mapping[str, int] | None = None,
    problems: Sequence[str] = (),
    elsewhere: Sequence[str] = (),
    arrivals: Sequence[ImportOutcome] = (),
    dry_run: bool = False,
    started: float,
) -> ImportReport:
    """An import report from its counts; `started` is the performance counter at its beginning."""
    made = ImportReport(
        refused=dict(refused or {}), problems=tuple(problems), elsewhere=tuple(elsewhere),
        arrivals=tuple(arrivals), dry_run=dry_run, seconds=time.perf_counter() - started,
    )  # fmt: skip
    counted: dict[str, Any] = {name: counts.get(name, 0) for name in COUNTED}
    return replace(made, **counted)

"""Candidate selection and importance score for the injected context.

SQL picks some hundreds by a close estimate of their standing, so that the size of a store hardly
matters; these are then scored exactly.
"""

from __future__ import annotations

from math import log, pow

from cortex_core.base import decay
from cortex_core.search import importance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from cortex_core.base.kinds import Kinds
    from cortex_core.store.surface_reader import SurfaceReader, SurfaceRow

MOST = 250
"""Rows that are scored exactly, besides the baseline's, central ones and those of this place."""

MOST_BASELINE = 120
MOST_HERE = 60

TRUNKS = frozenset({"", "main", "master", "trunk", "develop", "dev"})
"""Branches that say nothing about the task at hand."""


class WorkContext:
    """Where the session works."""

    __slots__ = ("branch", "folder")

    def __init__(self, branch: str = "", folder: str = "") -> None:
        self.branch = branch
        self.folder = folder
        """Relative to the project's root, with /; empty at the root."""


class SurfaceCandidate:
    """A memory that may be given, and what speaks for it."""

    __slots__ = ("here", "parts", "row", "score")

    def __init__(self, row: SurfaceRow, parts: Mapping[str, float], here: bool = False) -> None:
        self.row = row
        self.parts = parts
        """Named shares of the score."""
        self.score = sum(parts.values())
        """0 to 1.1 for a standing."""
        self.here = here
        """Whether it belongs to this branch or to files of this folder."""


def candidates(
    store: SurfaceReader, place: WorkContext, kinds: Kinds, now: float
) -> list[SurfaceCandidate]:
    """What may be given of `store`, unordered.

    Args:
        now: the moment for which confidence is computed, Unix seconds.
    """
    chosen = dict.fromkeys(_chosen(store, place, kinds, now))
    chosen.update(dict.fromkeys(name for name, _ in store.hubs))
    rows = [row for row in store.giveable(chosen, central=True) if row.inject == "normal"]
    return of_rows(store, rows, place, kinds, now)


def of_rows(
    store: SurfaceReader, rows: Sequence[SurfaceRow], place: WorkContext, kinds: Kinds, now: float
) -> list[SurfaceCandidate]:
    """The importance of each of `rows`, read from `store`, for a session at `place`."""
    most = log(store.most_accessed + 1) if rows else 0.0
    return [_scored(row, place, kinds, now, most) for row in rows]


def baseline(found: Sequence[SurfaceCandidate], kinds: Kinds) -> list[str]:
    """The ids of what every session is given sooner or later, the best first.

    The lines that a kind may take in the surface bound it here too.
    """
    left = {kind.name: kind.surface_lines for kind in kinds if kind.baseline}
    ids = []
    for one in best_first(found):
        if one.row.pinned or left.get(one.row.kind, 0) > 0:
            left[one.row.kind] = left.get(one.row.kind, 0) - 1
            ids.append(one.row.id)
    return ids


def best_first(found: Sequence[SurfaceCandidate]) -> list[SurfaceCandidate]:
    """By score; among equals the project's own first, then by id."""
    return sorted(found, key=lambda one: (-one.score, one.row.scope != "project", one.row.id))


def _chosen(store: SurfaceReader, place: WorkContext, kinds: Kinds, now: float) -> list[str]:
    """The ids of what is scored exactly: the best of all, of the baseline's kinds, and of here."""
    baseline = [kind.name for kind in kinds if kind.baseline]
    picks: list[tuple[str, Sequence[Any], int]] = [
        ("1", (), MOST),
        (f"kind IN ({','.join('?' * len(baseline))})", baseline, MOST_BASELINE),
    ]
    if place.branch not in TRUNKS:
        picks.append(("branch = ?", (place.branch,), MOST_HERE))
    if place.folder:
        picks.append(("files || globs LIKE ?", (f"%{place.folder}/%",), MOST_HERE))
    store.lend_functions(pow=(2, pow), ln=(1, log))
    expression = importance.sql(place.branch, kinds, now, log(store.most_accessed + 1))
    return store.best(expression, picks)


def _scored(
    row: SurfaceRow, place: WorkContext, kinds: Kinds, now: float, max_log: float
) -> SurfaceCandidate:
    confidence = decay.confidence(
        row.initial_confidence, row.reinforced, now, kinds.pace(row.kind),
        priority=row.priority, access_count=row.access_count, centrality=row.centrality,
        pinned=row.pinned,
    )  # fmt: skip
    same_branch = bool(row.branch) and row.branch == place.branch
    parts = importance.parts(
        confidence, row.priority, row.centrality, row.access_count, max_log,
        same_branch=same_branch,
    )  # fmt: skip
    here = (same_branch and row.branch not in TRUNKS) or _below(row, place.folder)
    return SurfaceCandidate(row, parts, here)


def _below(row: SurfaceRow, folder: str) -> bool:
    """Whether the memory is about files in the folder."""
    return bool(folder) and any(
        name.startswith(folder + "/") or f"/{folder}/" in name for name in (*row.files, *row.globs)
    )

"""Candidate selection and importance score for the injected context.

SQL picks a few hundred memories by a close estimate of their importance, so that the size of a
store hardly matters; these are then scored exactly.
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
"""Rows that are scored exactly, apart from the baseline, central ones, and those of the context."""

MOST_BASELINE = 120
"""Rows of the baseline's kinds that are scored exactly."""

MOST_HERE = 60
"""Rows of the branch, and rows of the folder, that are scored exactly."""

TRUNKS = frozenset({"", "main", "master", "trunk", "develop", "dev"})
"""Branches whose names say nothing about the task."""


class WorkContext:
    """The branch and folder that a session works in."""

    __slots__ = ("branch", "folder")

    def __init__(self, branch: str = "", folder: str = "") -> None:
        self.branch = branch
        self.folder = folder
        """Relative to the project's root, with `/`; empty at the root."""


class SurfaceCandidate:
    """A memory that may be injected, and its score."""

    __slots__ = ("here", "parts", "row", "score")

    def __init__(self, row: SurfaceRow, parts: Mapping[str, float], here: bool = False) -> None:
        self.row = row
        self.parts = parts
        """Named shares of the score."""
        self.score = sum(parts.values())
        """0 to 1.1 if the score is an importance."""
        self.here = here
        """Whether it belongs to this branch or to files of this folder."""


def candidates(
    store: SurfaceReader, context: WorkContext, kinds: Kinds, now: float
) -> list[SurfaceCandidate]:
    """The memories of `store` that may be injected, unordered.

    Args:
        now: the time for which confidence is computed, Unix seconds.
    """
    chosen = dict.fromkeys(_chosen(store, context, kinds, now))
    chosen.update(dict.fromkeys(name for name, _ in store.hubs))
    rows = [row for row in store.injectable(chosen, central=True) if row.inject == "normal"]
    return of_rows(store, rows, context, kinds, now)


def of_rows(
    store: SurfaceReader, rows: Sequence[SurfaceRow], context: WorkContext, kinds: Kinds, now: float
) -> list[SurfaceCandidate]:
    """The importance of each of `rows`, read from `store`, for a session in `context`."""
    most = log(store.most_accessed + 1) if rows else 0.0
    return [_scored(row, context, kinds, now, most) for row in rows]


def baseline(candidates: Sequence[SurfaceCandidate], kinds: Kinds) -> list[str]:
    """The ids of the memories that every session gets, best first.

    No kind has more of them than it may have lines in the surface.
    """
    left = {kind.name: kind.surface_lines for kind in kinds if kind.baseline}
    ids = []
    for candidate in best_first(candidates):
        row = candidate.row
        if row.pinned or left.get(row.kind, 0) > 0:
            left[row.kind] = left.get(row.kind, 0) - 1
            ids.append(row.id)
    return ids


def best_first(candidates: Sequence[SurfaceCandidate]) -> list[SurfaceCandidate]:
    """By score; of equal ones the project's own first, then by id."""
    return sorted(
        candidates,
        key=lambda candidate: (
            -candidate.score, candidate.row.scope != "project", candidate.row.id,
        ),
    )  # fmt: skip


def _chosen(store: SurfaceReader, context: WorkContext, kinds: Kinds, now: float) -> list[str]:
    """The ids of what is scored exactly: the best of all, of the baseline, of the context."""
    baseline = [kind.name for kind in kinds if kind.baseline]
    picks: list[tuple[str, Sequence[Any], int]] = [
        ("1", (), MOST),
        (f"kind IN ({','.join('?' * len(baseline))})", baseline, MOST_BASELINE),
    ]
    if context.branch not in TRUNKS:
        picks.append(("branch = ?", (context.branch,), MOST_HERE))
    if context.folder:
        picks.append(("files || globs LIKE ?", (f"%{context.folder}/%",), MOST_HERE))
    store.lend_functions(pow=(2, pow), ln=(1, log))
    expression = importance.sql(context.branch, kinds, now, log(store.most_accessed + 1))
    return store.best(expression, picks)


def _scored(
    row: SurfaceRow, context: WorkContext, kinds: Kinds, now: float, max_log: float
) -> SurfaceCandidate:
    confidence = decay.confidence(
        row.initial_confidence, row.reinforced, now, kinds.pace(row.kind),
        priority=row.priority, access_count=row.access_count, centrality=row.centrality,
        pinned=row.pinned,
    )  # fmt: skip
    same_branch = bool(row.branch) and row.branch == context.branch
    parts = importance.parts(
        confidence, row.priority, row.centrality, row.access_count, max_log,
        same_branch=same_branch,
    )  # fmt: skip
    here = (same_branch and row.branch not in TRUNKS) or _below(row, context.folder)
    return SurfaceCandidate(row, parts, here)


def _below(row: SurfaceRow, folder: str) -> bool:
    """Whether the memory is about files in the folder."""
    return bool(folder) and any(
        name.startswith(folder + "/") or f"/{folder}/" in name for name in (*row.files, *row.globs)
    )

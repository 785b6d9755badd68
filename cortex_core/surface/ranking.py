"""Which memories come into question for a surface, and how each of them stands.

SQL picks some hundreds by a close estimate of their standing, so that the size of a store hardly
matters; these are then scored exactly.
"""

from __future__ import annotations

from math import log, pow

from cortex_core import decay
from cortex_core.recall import standing
from cortex_core.storage.light import GIVEABLE, Light, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from cortex_core.kinds import Kinds

MOST = 250
"""Rows that are scored exactly, besides the baseline's, central ones and those of this place."""

MOST_BASELINE = 120
MOST_HERE = 60

TRUNKS = frozenset({"", "main", "master", "trunk", "develop", "dev"})
"""Branches that say nothing about the task at hand."""


class Place:
    """Where the session works."""

    __slots__ = ("branch", "folder")

    def __init__(self, branch: str = "", folder: str = "") -> None:
        self.branch = branch
        self.folder = folder
        """Relative to the project's root, with /; empty at the root."""


class Candidate:
    """A memory that may be given, and what speaks for it."""

    __slots__ = ("here", "parts", "row", "score")

    def __init__(self, row: Row, parts: Mapping[str, float], here: bool = False) -> None:
        self.row = row
        self.parts = parts
        """Named shares of the score."""
        self.score = sum(parts.values())
        """0 to 1.1 for a standing."""
        self.here = here
        """Whether it belongs to this branch or to files of this folder."""


def candidates(store: Light, place: Place, kinds: Kinds, now: float) -> list[Candidate]:
    """What may be given of `store`, unordered.

    Args:
        now: the moment for which confidence is computed, Unix seconds.
    """
    chosen = dict.fromkeys(_chosen(store, place, kinds, now))
    chosen.update(dict.fromkeys(name for name, _ in store.hubs))
    rows = [row for row in store.giveable(chosen, central=True) if row.giving == "normal"]
    return of_rows(store, rows, place, kinds, now)


def of_rows(
    store: Light, rows: Sequence[Row], place: Place, kinds: Kinds, now: float
) -> list[Candidate]:
    """How each of `rows`, read from `store`, stands for a session at `place`."""
    most = log(store.most_accessed + 1) if rows else 0.0
    return [_scored(row, place, kinds, now, most) for row in rows]


def baseline(found: Sequence[Candidate], kinds: Kinds) -> list[str]:
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


def best_first(found: Sequence[Candidate]) -> list[Candidate]:
    """By score; among equals the project's own first, then by id."""
    return sorted(found, key=lambda one: (-one.score, one.row.scope != "project", one.row.id))


def _chosen(store: Light, place: Place, kinds: Kinds, now: float) -> list[str]:
    """The ids of what is scored exactly: the best of all, of the baseline's kinds, and of here."""
    max_log = log(store.most_accessed + 1)
    standing_sql, values = _standing(place, kinds, now, max_log)
    baseline = [kind.name for kind in kinds if kind.baseline]
    picks: list[tuple[str, Sequence[Any], int]] = [
        ("1", (), MOST),
        (f"kind IN ({','.join('?' * len(baseline))})", baseline, MOST_BASELINE),
    ]
    if place.branch not in TRUNKS:
        picks.append(("branch = ?", (place.branch,), MOST_HERE))
    if place.folder:
        picks.append(("files || globs LIKE ?", (f"%{place.folder}/%",), MOST_HERE))
    store.give_functions(pow=(2, pow), ln=(1, log))
    parts = " UNION ".join(
        f"SELECT id FROM (SELECT id FROM scored WHERE {condition} "
        "ORDER BY pinned DESC, standing DESC, id LIMIT ?)"
        for condition, _, _ in picks
    )
    found = store.rows(
        f"WITH scored AS MATERIALIZED (SELECT id, pinned, kind, branch, files, globs, "
        f"{standing_sql} AS standing FROM memory WHERE {GIVEABLE} AND giving = 'normal') {parts}",
        [*values, *(one for _, given, most in picks for one in (*given, most))],
    )
    return [name for (name,) in found]


def _scored(row: Row, place: Place, kinds: Kinds, now: float, max_log: float) -> Candidate:
    confidence = decay.confidence(
        row.initial_confidence, row.reinforced, now, kinds.pace(row.kind),
        priority=row.priority, access_count=row.access_count, centrality=row.centrality,
        pinned=row.pinned,
    )  # fmt: skip
    same_branch = bool(row.branch) and row.branch == place.branch
    parts = standing.parts(
        confidence, row.priority, row.centrality, row.access_count, max_log,
        same_branch=same_branch,
    )  # fmt: skip
    here = (same_branch and row.branch not in TRUNKS) or _below(row, place.folder)
    return Candidate(row, parts, here)


def _below(row: Row, folder: str) -> bool:
    """Whether the memory is about files in the folder."""
    return bool(folder) and any(
        name.startswith(folder + "/") or f"/{folder}/" in name for name in (*row.files, *row.globs)
    )


def _standing(place: Place, kinds: Kinds, now: float, max_log: float) -> tuple[str, list[Any]]:
    """The standing as an SQL expression, centrality aside, and its parameters."""
    start, days = decay.start_sql(kinds.model)
    (start, starts), (days, lives) = _by_kind(start, kinds), _by_kind(days, kinds)
    confidence = (
        "CASE WHEN pinned THEN initial_confidence ELSE min(1.0, "
        f"({start}) * ifnull(pow(0.5, max(0.0, ? - reinforced) / (({days}) * {decay.DAY})), 1.0)) "
        "END"
    )
    access = f"ln(access_count + 1) * {standing.ACCESS / max_log if max_log > 0 else 0.0}"
    return (
        f"{confidence} * {standing.CONFIDENCE} + priority * {standing.PRIORITY / 10} + {access} "
        f"+ (branch <> '' AND branch = ?) * {standing.BRANCH}",
        [*starts, now, *lives, place.branch],
    )


def _by_kind(sql: str, kinds: Kinds) -> tuple[str, list[Any]]:
    """`sql` with each kind's half-life and weight in place of their names, and its parameters."""
    values: list[Any] = []
    for name, pairs, other in (
        (":life", [(kind.name, kind.half_life) for kind in kinds if kind.half_life], "NULL"),
        (":weight", [(kind.name, kind.weight) for kind in kinds], "1.0"),
    ):
        if name in sql:
            cases = " ".join("WHEN ? THEN ?" for _ in pairs)
            sql = sql.replace(name, f"CASE kind {cases} ELSE {other} END" if pairs else other)
            values += [value for pair in pairs for value in pair]
    return sql, values

"""Which memories may be given unasked in a session's context, and how good each is for that.

SQL picks some hundreds by a close estimate of their score, which is then computed exactly: their
importance, and what speaks for rules, for what was learned often, and for what the user said.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import log, log2, pow

from cortex_core.base import decay, hook_io
from cortex_core.base.authorship import CITES_USER, applies_always, learned_by
from cortex_core.base.kinds import Kinds
from cortex_core.search import importance
from cortex_core.store.surface_reader import SurfaceReader, SurfaceRow

MOST = 250
"""Rows that are scored exactly, apart from the baseline, central ones, and those of the context."""

MOST_BASELINE = 120
"""Rows of the baseline's kinds that are scored exactly."""

MOST_HOW = 60
"""Rows about how things are done that are scored exactly."""

MOST_HERE = 60
"""Rows of the branch, and rows of the folder, that are scored exactly."""

TRUNKS = frozenset({"", "main", "master", "trunk", "develop", "dev"})
"""Branches whose names say nothing about the task."""

WORKING_TAGS = ("command", "environment")
"""Tags of memories about commands that work here, and about the machine."""

KIND, LEARNED, SAID, WORKS = 0.10, 0.10, 0.10, 0.20
"""The most that a score gains by its kind, by how often it was learned, by who said it, and by
being about commands or the machine, which every session needs."""

OFTEN = 8
"""Sessions in which a memory was learned from which it gains no more."""

LIGHTEST, HEAVIEST = 0.8, 1.4
"""Weights of kinds that gain nothing, and the most."""

SAID_BY = (
    ("person%", 1.0),
    ("rule:prompt-%", 1.0),
    ("rule:answer%", 0.7),
    (f"model:%{CITES_USER}", 0.6),
    ("rule:concept%", 0.4),
)
"""How the writers of memories begin and end, and their share of `SAID`: the user's own words before
the choice of an answer, what a model made of the user's, and what a summary reports; what the
agent concluded has none."""

IMPORTANT, MINOR = 8, 5
"""Priorities: what has the first or more is in the note before any that has the second or less."""


class WorkContext(hook_io.LightRecord):
    """The branch and folder that a session works in."""

    branch: str = ""
    folder: str = ""
    """Relative to the project's root, with `/`; empty at the root."""


class SurfaceCandidate(hook_io.LightRecord):
    """A memory that may be injected, or may not with this prompt, and its score."""

    row: SurfaceRow
    parts: Mapping[str, float]
    """Named shares of the score."""
    here: bool = False
    """Whether it belongs to this branch or to files of this folder."""
    ends: Sequence[tuple[str, str]] | None = None
    """What was left open and a remark on it, where it says how a session stopped; else None."""
    refused: str = ""
    """Why it is not injected with the prompt, in words; empty where it may be."""

    @cached_property
    def score(self) -> float:
        """0 to 1.6 if it is an importance with what speaks for the memory besides."""
        return sum(self.parts.values())


def candidates(
    store: SurfaceReader, context: WorkContext, kinds: Kinds, now: float
) -> list[SurfaceCandidate]:
    """The memories of `store` that may be injected, unordered.

    Args:
        now: the time for which confidence is computed, Unix seconds.
    """
    pace = kinds.lasting if store.scope == "team" else kinds
    chosen = dict.fromkeys((*_chosen(store, context, pace, now), *store.hubs))
    rows = [
        row
        for row in store.injectable(chosen, central=True)
        if row.inject == "normal" and (row.pinned or kinds.known(row.kind).surface_lines)
    ]
    return of_rows(store, rows, context, kinds, now)


def of_rows(
    store: SurfaceReader, rows: Sequence[SurfaceRow], context: WorkContext, kinds: Kinds, now: float
) -> list[SurfaceCandidate]:
    """The score of each of `rows`, read from `store`, for a session in `context`."""
    most = log(store.most_accessed + 1) if rows else 0.0
    kinds = kinds.lasting if store.scope == "team" else kinds
    return [_scored(row, context, kinds, now, most) for row in rows]


def baseline(candidates: Sequence[SurfaceCandidate], kinds: Kinds) -> list[str]:
    """The ids of the memories that every session gets, best first.

    They are what the user said or pinned, and what a member of the team said. No kind has more of
    them than it may have lines in the surface.
    """
    left = {kind.name: kind.surface_lines for kind in kinds if kind.baseline}
    ids = []
    for candidate in best_first(candidates):
        row = candidate.row
        if row.pinned or (left.get(row.kind, 0) > 0 and applies_always(row.rule)):
            left[row.kind] = left.get(row.kind, 0) - 1
            ids.append(row.id)
    return ids


def best_first(candidates: Sequence[SurfaceCandidate]) -> list[SurfaceCandidate]:
    """By score; of equal ones the project's own first, then the newest, then by their words."""
    return sorted(
        candidates,
        key=lambda candidate: (
            -candidate.score,
            candidate.row.scope != "project",
            -candidate.row.created,
            candidate.row.content_hash,
        ),
    )


def standing(row: SurfaceRow, kinds: Kinds) -> dict[str, float]:
    """What speaks for a memory besides its importance, as named shares of its score.

    A rule counts more than a one-off, what several sessions taught more than what one did, what
    the user said more than what the agent concluded, and what every session needs more than the
    rest.
    """
    rule = learned_by(row.rule)
    return {
        "kind": KIND * _rise(kinds.known(row.kind).weight),
        "learned": LEARNED * min(1.0, log2(max(1, row.learned)) / log2(OFTEN)),
        "said": SAID
        * next(
            (
                share
                for who, share in SAID_BY
                if rule.startswith(who.partition("%")[0]) and rule.endswith(who.partition("%")[2])
            ),
            0.0,
        ),
        "works": WORKS if any(tag in row.tags for tag in WORKING_TAGS) else 0.0,
    }


def _rise(weight: float) -> float:
    return min(1.0, max(0.0, (weight - LIGHTEST) / (HEAVIEST - LIGHTEST)))


_WORKS_SQL = " OR ".join("instr(tags, ?) > 0" for _ in WORKING_TAGS)
_WORKS = [f'"{tag}"' for tag in WORKING_TAGS]


def _standing_sql(kinds: Kinds) -> tuple[str, list[object]]:
    """`standing` as an SQL expression, without how often a memory was learned."""
    names = [(kind.name, KIND * _rise(kind.weight)) for kind in kinds]
    by_kind = " ".join("WHEN ? THEN ?" for _ in names)
    by_rule = " ".join("WHEN rule LIKE ? THEN ?" for _ in SAID_BY)
    values: list[object] = [value for pair in names for value in pair]
    values += [value for who, share in SAID_BY for value in (who, SAID * share)]
    return (
        f"CASE kind {by_kind} ELSE {KIND / 3} END + CASE {by_rule} ELSE 0 END "
        f"+ ({_WORKS_SQL}) * {WORKS}",
        [*values, *_WORKS],
    )


def _chosen(store: SurfaceReader, context: WorkContext, kinds: Kinds, now: float) -> list[str]:
    """The ids of what is scored exactly: the best of all, of the baseline, of the context."""
    baseline = [kind.name for kind in kinds if kind.baseline]
    lineless = [kind.name for kind in kinds if not kind.surface_lines]
    picks: list[tuple[str, Sequence[object], int]] = [
        ("1", (), MOST),
        (f"kind IN ({','.join('?' * len(baseline))})", baseline, MOST_BASELINE),
        (f"kind = 'procedure' OR {_WORKS_SQL}", _WORKS, MOST_HOW),
        ("priority >= ?", (IMPORTANT,), MOST_BASELINE),
    ]
    if context.branch not in TRUNKS:
        picks.append(("branch = ?", (context.branch,), MOST_HERE))
    if context.folder:
        picks.append(("files || globs LIKE ?", (f"%{context.folder}/%",), MOST_HERE))
    store.lend_functions(pow=(2, pow), ln=(1, log))
    expression, values = importance.sql(context.branch, kinds, now, log(store.most_accessed + 1))
    more, others = _standing_sql(kinds)
    return store.best((f"{expression} + {more}", [*values, *others]), picks, lineless)


def stopped(store: SurfaceReader, context: WorkContext) -> list[SurfaceCandidate]:
    """Where the last session of this branch stopped; on a trunk the last of any branch.

    At most one, for the hand-over note alone.
    """
    if store.scope != "project":
        return []
    found = store.stopped(() if context.branch in TRUNKS else [context.branch])
    return [SurfaceCandidate(found[0], {"newest": 1.0}, True, _ends(found[1]))] if found else []


def _ends(stopped: Mapping[str, object]) -> list[tuple[str, str]]:
    """What a session left open, with a remark on each: what waits for the user comes first.

    Args:
        stopped: as the history keeps it: `open` is what a model says of it, `next` what rules do.
    """
    listed = stopped.get("open")
    if not isinstance(listed, list):
        return [(str(stopped.get("next") or ""), "")]
    items = [one for one in listed if isinstance(one, dict)]
    items.sort(key=lambda one: one.get("waits_for") != "user")
    remarks = {"user": "open, waits for the user"}
    return [
        (str(one["what"]), remarks.get(str(one.get("waits_for")), "open"))
        for one in items
        if one.get("what")
    ]


def pace(row: SurfaceRow, kinds: Kinds) -> decay.Pace:
    """How a memory decays."""
    is_weighed = bool(kinds.published_weights) and row.origin != "{}"
    return kinds.pace(row.kind, hook_io.loads(row.origin).get("type") if is_weighed else None)


def _below(row: SurfaceRow, folder: str) -> bool:
    """Whether a memory is about a file in `folder`; not if the folder is the root."""
    names = (*row.files, *row.globs)
    return bool(folder) and any(
        name.startswith(folder + "/") or f"/{folder}/" in name for name in names
    )


def _scored(
    row: SurfaceRow, context: WorkContext, kinds: Kinds, now: float, max_log: float
) -> SurfaceCandidate:
    confidence = decay.confidence(
        row.initial_confidence,
        row.reinforced,
        now,
        pace(row, kinds),
        priority=row.priority,
        access_count=row.access_count,
        centrality=row.centrality,
        pinned=row.pinned,
    )
    same_branch = bool(row.branch) and row.branch == context.branch
    parts = importance.parts(
        confidence,
        row.priority,
        row.centrality,
        row.access_count,
        max_log,
        same_branch=same_branch,
    )
    here = (same_branch and row.branch not in TRUNKS) or _below(row, context.folder)
    return SurfaceCandidate(row, {**parts, **standing(row, kinds)}, here)

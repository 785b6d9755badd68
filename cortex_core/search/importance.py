"""How much a memory matters by itself, apart from any query."""

from __future__ import annotations

from math import log

from cortex_core.base import decay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cortex_core.base.config import Config
    from cortex_core.base.kinds import Kinds
    from cortex_core.records.memory import Memory

MOST = {"confidence": 0.50, "priority": 0.20, "centrality": 0.15, "access": 0.15, "branch": 0.10}
"""The most that each part can be."""


def parts(
    confidence: float,
    priority: int,
    centrality: float,
    access_count: int,
    max_log: float,
    *,
    same_branch: bool = False,
) -> dict[str, float]:
    """The named shares of a memory's importance; their sum is 0 to 1.1.

    Args:
        confidence: decayed to now, 0 to 1.
        priority: 1 to 10.
        centrality: in-degree as a share of the store's highest, 0 to 1.
        max_log: `log(access_count + 1)` of the store's most used active memory.
        same_branch: whether it was learned on the branch that is checked out.
    """
    # Logarithms, because the tenth use of a memory says less than the second.
    read = log(access_count + 1) / max_log if max_log > 0 else 0.0
    return {
        "confidence": confidence * MOST["confidence"],
        "priority": priority / 10 * MOST["priority"],
        "centrality": centrality * MOST["centrality"],
        "access": min(1.0, read) * MOST["access"],
        "branch": MOST["branch"] if same_branch else 0.0,
    }


def score(
    confidence: float,
    priority: int,
    centrality: float,
    access_count: int,
    max_log: float,
    *,
    same_branch: bool = False,
) -> float:
    """The sum of `parts`, 0 to 1.1."""
    shares = parts(confidence, priority, centrality, access_count, max_log, same_branch=same_branch)
    return sum(shares.values())


def sql(branch: str, kinds: Kinds, now: float, max_log: float) -> tuple[str, list[Any]]:
    """`score` as an SQL expression over a row of `memory`, without centrality, and its parameters.

    It uses pow() and ln(), which not every SQLite has.

    Args:
        branch: the one that is checked out.
        max_log: as for `parts`.
        now: the moment for which confidence is computed, Unix seconds.
    """
    start, days = decay.start_sql(kinds.model)
    (start, starts), (days, lives) = _by_kind(start, kinds), _by_kind(days, kinds)
    confidence = (
        "CASE WHEN pinned THEN initial_confidence ELSE min(1.0, "
        f"({start}) * ifnull(pow(0.5, max(0.0, ? - reinforced) / (({days}) * {decay.DAY})), 1.0)) "
        "END"
    )
    access = f"ln(access_count + 1) * {MOST['access'] / max_log if max_log > 0 else 0.0}"
    return (
        f"{confidence} * {MOST['confidence']} + priority * {MOST['priority'] / 10} + {access} "
        f"+ (branch <> '' AND branch = ?) * {MOST['branch']}",
        [*starts, now, *lives, branch],
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
            chosen = f"CASE kind {cases} ELSE {other} END" if pairs else other
            sql = sql.replace(name, _by_type(chosen, kinds) if name == ":weight" else chosen)
            values += [value for pair in pairs for value in pair]
    return sql, values


def _by_type(weight: str, kinds: Kinds) -> str:
    """The SQL `weight` of a kind, or the weight that a type has which was imported as this kind."""
    cases = " ".join(
        f"WHEN kind = '{kind}' AND json_extract(origin, '$.type') = '{type}' THEN {own}"
        for (type, kind), own in kinds.published_weights.items()
    )
    return f"CASE {cases} ELSE {weight} END" if cases else weight


def fades(memory: Memory, centrality: float, config: Config) -> float | None:
    """When the memory's confidence reaches the archiving threshold, Unix seconds; None: never."""
    return decay.falls_below(
        config.archive_below,
        memory.initial_confidence,
        memory.reinforced,
        config.kinds.pace(memory.kind, memory.origin.get("type")),
        priority=memory.priority,
        access_count=memory.access_count,
        centrality=centrality,
        pinned=memory.pinned,
    )

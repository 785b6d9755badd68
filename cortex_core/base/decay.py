"""How confidence fades: a pure function of stored values and the moment, never written back.

Standard library only: the hooks load this module.
"""

from __future__ import annotations

from math import log, log2
from typing import NamedTuple

DAY = 86400.0
"""Seconds."""

OFTEN_USED = 10
"""Accesses above which the half-life doubles."""

HUB = 0.5
"""Centrality above which the half-life doubles."""

HALF_LIFE, REINFORCEMENT, IMPORTANCE = MODELS = ("half-life", "reinforcement", "importance")
"""The lifecycle models: Cortex's own and two published ones.

half-life: each kind has a half-life of its own, which use and a central place double.
reinforcement: a half-life of 90 days for all, times the kind's weight, times how often it was used.
importance: `importance · e^(-0.03·days) · usage · weight`.
"""

ARCHIVE_BELOW = {HALF_LIFE: 0.3, REINFORCEMENT: 0.1, IMPORTANCE: 0.05}
"""By model, the confidence under which a memory is on its way to the archive."""

_NINETY_DAYS = 90.0
_DAILY_LOSS = 0.03
"""What of its importance a memory loses a day, in the model of that name."""

UNUSED = 0.5
"""Usage of what was never used, in the model of importance."""


class Pace(NamedTuple):
    """How a kind of memory fades."""

    half_life: float | None
    """Days, None where it does not fade; in Cortex's own model."""
    weight: float = 1.0
    """How much the kind counts, about 0.8 to 1.4; in the other models."""
    model: str = HALF_LIFE


def half_life(base: float | None, access_count: int, centrality: float) -> float | None:
    """Days in which confidence halves, doubled by much use and again by a central place."""
    if base is None:
        return None
    return base * (2 if access_count > OFTEN_USED else 1) * (2 if centrality > HUB else 1)


def course(
    initial: float, pace: Pace, *, priority: int = 5, access_count: int = 0, centrality: float = 0.0
) -> tuple[float, float | None]:
    """Where confidence starts, 1 or more where it stays whole for a while, and its half-life in
    days; None where it does not fade.

    Args:
        initial: confidence on day zero, 0 to 1.
        priority: 1 to 10.
    """
    if pace.model == REINFORCEMENT:
        return pace.weight * (1 + access_count), _NINETY_DAYS
    if pace.model == IMPORTANCE:
        usage = log2(access_count + 1) if access_count else UNUSED
        return priority / 10 * usage * pace.weight, log(2) / _DAILY_LOSS
    return initial, half_life(pace.half_life, access_count, centrality)


def confidence(
    initial: float,
    reinforced: float,
    now: float,
    pace: Pace,
    *,
    priority: int = 5,
    access_count: int = 0,
    centrality: float = 0.0,
    pinned: bool = False,
) -> float:
    """How sure it is `now`: `start · 0.5^(days/half_life)`, 0 to 1.

    Args:
        initial: confidence on day zero, 0 to 1.
        reinforced: day zero, Unix seconds; a moment after `now` counts as now.
        pinned: a pinned memory never fades.
    """
    start, days = course(
        initial, pace, priority=priority, access_count=access_count, centrality=centrality
    )
    if pinned:
        return initial
    if days is not None:
        start *= 0.5 ** (max(0.0, now - reinforced) / DAY / days)
    return float(min(1.0, start))


def falls_below(
    threshold: float,
    initial: float,
    reinforced: float,
    pace: Pace,
    *,
    priority: int = 5,
    access_count: int = 0,
    centrality: float = 0.0,
    pinned: bool = False,
) -> float | None:
    """The moment (Unix seconds) at which confidence reaches `threshold`; None if it never does."""
    start, days = course(
        initial, pace, priority=priority, access_count=access_count, centrality=centrality
    )
    if pinned or days is None or threshold <= 0:
        return None
    if start <= threshold:
        return reinforced
    return reinforced + log2(start / threshold) * days * DAY


def start_sql(pace: str) -> tuple[str, str]:
    """`course` for a row of memory in SQL: where confidence starts, and its half-life in days.

    Args:
        pace: the model; `:life` and `:weight` in what comes back stand for the kind's.
    """
    if pace == REINFORCEMENT:
        return "(:weight) * (1 + access_count)", str(_NINETY_DAYS)
    if pace == IMPORTANCE:
        usage = f"CASE access_count WHEN 0 THEN {UNUSED} ELSE ln(access_count + 1) / {log(2)} END"
        return f"priority / 10.0 * ({usage}) * (:weight)", str(log(2) / _DAILY_LOSS)
    return "initial_confidence", f"(:life) * (1 + (access_count > {OFTEN_USED}))"

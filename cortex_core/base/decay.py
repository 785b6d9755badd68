"""How confidence decays: a pure function of stored values and the time, never written back.

Standard library only: the hooks load this module.
"""

from math import log, log2

from cortex_core.base.hook_io import LightRecord

DAY = 86400.0
"""Seconds."""

OFTEN_USED = 10
"""Accesses above which the half-life doubles."""

HUB = 0.5
"""Centrality above which the half-life doubles."""

HALF_LIFE, REINFORCEMENT, IMPORTANCE = MODELS = ("half-life", "reinforcement", "importance")
"""The lifecycle models: Cortex's own and two published ones.

half-life: each kind has its own half-life, which use and centrality double.
reinforcement: a half-life of 90 days for all, times the kind's weight, times how often it was used.
importance: `importance · e^(-0.03·days) · usage · weight`.
"""

ARCHIVE_BELOW = {HALF_LIFE: 0.3, REINFORCEMENT: 0.1, IMPORTANCE: 0.05}
"""By model, the confidence below which a memory will be archived."""

BANDS = ((0.5, "active"), (0.2, "fading"), (0.05, "dormant"), (0.0, "archived"))
"""The published names of confidence, each with the least that has it."""

_NINETY_DAYS = 90.0
_DAILY_LOSS = 0.03
"""Rate of decay a day in the model `importance`."""

UNUSED = 0.5
"""Usage of a memory that was never used, in the model `importance`."""


class Pace(LightRecord):
    """How a kind of memory decays."""

    half_life: float | None
    """Days; None: no decay. Used by Cortex's own model."""
    weight: float = 1.0
    """How much the kind counts, about 0.8 to 1.4. Used by the other models."""
    model: str = HALF_LIFE


def band(confidence: float) -> str:
    """The name of a confidence of 0 to 1."""
    return next(name for least, name in BANDS if confidence >= least)


def day_zero(moment: float, now: float, half_life: float | None) -> float:
    """When the decay of a memory that comes with an old date starts: it is at most one half-life
    old, so that it is not archived before the user could see it.

    Args:
        moment: its date.
        half_life: of its kind, in days; None: no decay.
    """
    return min(now, max(moment, now - (half_life or 0.0) * DAY))


def half_life(base: float | None, access_count: int, centrality: float) -> float | None:
    """Days in which confidence halves, doubled by frequent use and again by centrality."""
    longer = (2 if access_count > OFTEN_USED else 1) * (2 if centrality > HUB else 1)
    return None if base is None else base * longer


def curve(
    initial: float, pace: Pace, *, priority: int = 5, access_count: int = 0, centrality: float = 0.0
) -> tuple[float, float | None]:
    """The start of confidence and its half-life in days; None: no decay.

    A start above 1 means that confidence stays at 1 for a while.

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
    """The confidence `now`: `start · 0.5^(days/half_life)`, 0 to 1.

    Args:
        initial: confidence on day zero, 0 to 1.
        reinforced: day zero, Unix seconds; a time after `now` counts as now.
        pinned: a pinned memory does not decay.
    """
    start, days = curve(
        initial, pace, priority=priority, access_count=access_count, centrality=centrality
    )
    if pinned:
        return initial
    # A kind without a half-life does not decay: it has no days.
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
    """When confidence reaches `threshold` (Unix seconds); None if it never does."""
    start, days = curve(
        initial, pace, priority=priority, access_count=access_count, centrality=centrality
    )
    if pinned or days is None or threshold <= 0:
        return None
    return reinforced if start <= threshold else reinforced + log2(start / threshold) * days * DAY


def start_sql(model: str) -> tuple[str, str]:
    """`curve` as two SQL expressions for a row of `memory`: start and half-life in days.

    Args:
        model: one of `MODELS`. `:life` and `:weight` in the result are parameters of the kind.
    """
    if model == REINFORCEMENT:
        return "(:weight) * (1 + access_count)", str(_NINETY_DAYS)
    if model == IMPORTANCE:
        usage = f"CASE access_count WHEN 0 THEN {UNUSED} ELSE ln(access_count + 1) / {log(2)} END"
        return f"priority / 10.0 * ({usage}) * (:weight)", str(log(2) / _DAILY_LOSS)
    return "initial_confidence", f"(:life) * (1 + (access_count > {OFTEN_USED}))"

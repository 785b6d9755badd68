"""How confidence fades: a pure function of stored values and the moment, never written back.

Standard library only: the hooks load this module.
"""

from __future__ import annotations

from math import log2

DAY = 86400.0
"""Seconds."""

OFTEN_USED = 10
"""Accesses above which the half-life doubles."""

HUB = 0.5
"""Centrality above which the half-life doubles."""


def half_life(base: float | None, access_count: int, centrality: float) -> float | None:
    """Days in which confidence halves, doubled by much use and again by a central place."""
    if base is None:
        return None
    return base * (2 if access_count > OFTEN_USED else 1) * (2 if centrality > HUB else 1)


def confidence(
    initial: float,
    reinforced: float,
    now: float,
    base: float | None,
    *,
    access_count: int = 0,
    centrality: float = 0.0,
    pinned: bool = False,
) -> float:
    """`initial · 0.5^(days/half_life)`, 0 to 1; SPEC section 6.

    Args:
        initial: confidence on day zero, 0 to 1.
        reinforced: day zero, Unix seconds; a moment after `now` counts as now.
        base: the kind's half-life in days, None where it does not fade.
        pinned: a pinned memory never fades.
    """
    days = half_life(base, access_count, centrality)
    if pinned or days is None:
        return initial
    return float(initial * 0.5 ** (max(0.0, now - reinforced) / DAY / days))


def falls_below(
    threshold: float,
    initial: float,
    reinforced: float,
    base: float | None,
    *,
    access_count: int = 0,
    centrality: float = 0.0,
    pinned: bool = False,
) -> float | None:
    """The moment (Unix seconds) at which confidence reaches `threshold`; None if it never does."""
    days = half_life(base, access_count, centrality)
    if pinned or days is None or threshold <= 0:
        return None
    if initial <= threshold:
        return reinforced
    return reinforced + log2(initial / threshold) * days * DAY

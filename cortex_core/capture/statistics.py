"""Figures over time: what was captured, learned, injected, used and paid, by week or day."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from cortex_core.base import decay
from cortex_core.llm.protocol import day_of
from cortex_core.records.captures import Figures, Period
from cortex_core.store import figures
from cortex_core.store.store import Store

WEEK = 7
"""Days."""

BY_DAY = 21
"""Days up to which a span is divided into days, not weeks."""

MOST_PERIODS = 520
"""Most weeks or days that are counted apart; of a longer span the newest."""


def read(stores: Sequence[Store], spent: Mapping[str, float], since: float, now: float) -> Figures:
    """The figures from the week or day of `since` until now.

    Args:
        spent: US dollars by day, `YYYY-MM-DD`.
    """
    unit: Literal["day", "week"] = "day" if now - since <= BY_DAY * decay.DAY else "week"
    starts = list(_starts(since, now, unit))[-MOST_PERIODS:]
    # What the clock dates later or earlier is counted under a start that no period has.
    counted: defaultdict[float, Counter[str]] = defaultdict(Counter)
    heard: dict[float, set[str]] = {start: set() for start in starts}
    captured: dict[float, set[str]] = {start: set() for start in starts}
    for store in stores:
        for day, session, was_read in figures.sessions_by_day(store, starts[0]):
            # A session that goes on over midnight counts in each period, but once.
            heard.get(_start_of(day, unit), set()).add(session)
            captured.get(_start_of(day, unit), set()).update([session] if was_read else [])
        for day, learned in figures.learned_by_day(store, starts[0]).items():
            counted[_start_of(day, unit)].update(learned=learned)
        for day, times, given, used, unused in figures.injected_by_day(store, starts[0]):
            counted[_start_of(day, unit)].update(
                injected=times, tokens=given, used=used, unused=unused
            )
    costs = dict.fromkeys(starts, 0.0)
    for day, cost in spent.items():
        if (start := _start_of(day, unit)) in costs:
            costs[start] += cost
    periods = tuple(
        Period(
            start=start,
            sessions=len(heard[start]),
            captured=len(captured[start]),
            cost=costs[start],
            **counted[start],
        )
        for start in starts
    )
    return Figures(unit=unit, periods=periods)


def _starts(since: float, now: float, unit: Literal["day", "week"]) -> Iterator[float]:
    """The beginnings of the weeks or days from that of `since` to that of `now`."""
    last = _start_of(day_of(now), unit)
    start = _start_of(day_of(min(since, now)), unit)
    while start < last:
        yield start
        day = time.localtime(start)
        later = day.tm_mday + (WEEK if unit == "week" else 1)
        # A midnight, whether or not the clocks change in between.
        start = time.mktime((*day[:2], later, 0, 0, 0, 0, 0, -1))
    yield last


def _start_of(day: str, unit: Literal["day", "week"]) -> float:
    """The midnight that begins `day` (`YYYY-MM-DD`), or the Monday of its week, local time."""
    parsed = time.strptime(day, "%Y-%m-%d")
    back = parsed.tm_wday if unit == "week" else 0
    return time.mktime((*parsed[:2], parsed.tm_mday - back, 0, 0, 0, 0, 0, -1))

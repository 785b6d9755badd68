"""Stamps: the order of the changes of several machines, whichever of them reads a clock wrong.

A hybrid logical clock (Kulkarni and others, “Logical Physical Clocks”, 2014), with microseconds and
counter in one number: the time of the change, but later than every stamp that was known then.
"""

import re
from collections.abc import Mapping
from typing import Final

NONE: Final = ""
"""Earlier than every stamp."""

_MICRO = 1_000_000
_DIGITS = 14
_STAMP = re.compile(rf"[0-9a-f]{{{_DIGITS}}}-[0-9a-z]{{1,40}}")


def stamp(ticks: int, writer: str) -> str:
    """The stamp of a change. Stamps compare as texts.

    Args:
        ticks: microseconds since 1970, 0 or more.
        writer: who made it; decides between equal times.
    """
    return f"{max(ticks, 0):0{_DIGITS}x}-{writer}"


def ticks_of(stamp: str) -> int:
    """The microseconds since 1970 that a stamp says.

    Raises:
        ValueError: it is no stamp.
    """
    if not _STAMP.fullmatch(stamp):
        raise ValueError(f"“{stamp[:40]}” is no stamp")
    return int(stamp[:_DIGITS], 16)


def writer_of(stamp: str) -> str:
    """Who made the change with this stamp."""
    return stamp.partition("-")[2]


def time_of(stamp: str) -> float:
    """When the change with this stamp was made, Unix seconds, by its machine's clock."""
    return time_of_ticks(ticks_of(stamp))


def time_of_ticks(ticks: int) -> float:
    """Microseconds since 1970 as Unix seconds."""
    return ticks / _MICRO


def ticks_at(time: float) -> int:
    """A moment in Unix seconds as microseconds."""
    return int(time * _MICRO)


def rewritten(text: str, names: Mapping[str, str]) -> str:
    """A text with other stamps in place of some that it holds, as values of JSON or alone."""
    return _STAMP.sub(lambda found: names.get(found[0], found[0]), text)


def found_in(text: str) -> list[str]:
    """The stamps in a text that holds them as values of JSON or alone."""
    return _STAMP.findall(text)


def next_ticks(last: int, time: float) -> int:
    """What a change at `time` is stamped with, where `last` is the latest stamp that is known."""
    return max(ticks_at(time), last + 1)

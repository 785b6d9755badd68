"""A memory's confidence over time in one line of blocks, past and to come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.lines import Line, day, line

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " ._-=+*%#"


def blocks(values: Sequence[float | None], glyphs: Glyphs) -> str:
    """Each value (0 to 1) as a block of its height; a blank for None."""
    scale = ASCII_BLOCKS if glyphs.ascii_only else BLOCKS
    steps = len(scale) - 1
    return "".join(
        " " if value is None else scale[max(1, round(max(0.0, min(1.0, value)) * steps))]
        for value in values
    )


def resampled(values: Sequence[float | None], width: int) -> list[float | None]:
    """`values` spread over `width` cells, first and last kept."""
    if not values or width < 1:
        return []
    last = len(values) - 1
    return [values[round(place * last / max(1, width - 1))] for place in range(width)]


def sparkline(
    values: Sequence[float | None],
    span: tuple[float, float],
    now: float,
    width: int,
    glyphs: Glyphs,
) -> Iterator[Line]:
    """The line of blocks, and under it when it begins, where today is and when it ends.

    Args:
        values: confidence at even steps of `span`, 0 to 1.
        span: the first and the last moment, Unix seconds.
    """
    first, last = span
    share = (now - first) / (last - first) if last > first else 1.0
    here = max(0, min(width - 1, round(share * (width - 1))))
    drawn = blocks(resampled(values, width), glyphs)
    yield Line(((drawn[: here + 1], "accent"), (drawn[here + 1 :], "faint")))
    begins, ends = day(first), day(last)
    marks = [" "] * width
    for start, word in ((0, begins), (width - len(ends), ends)):
        if start >= 0 and len(begins) + len(ends) + 2 <= width:
            marks[start : start + len(word)] = word
    mark = "^ today" if glyphs.ascii_only else "↑ today"
    at = here if here + len(mark) <= width else here - len(mark) + 1
    mark = mark if at == here else mark[2:] + " " + mark[0]
    if all(sign == " " for sign in marks[max(0, at - 1) : at + len(mark) + 1]):
        marks[at : at + len(mark)] = mark
        yield line("".join(marks).rstrip(), "muted")
    else:
        yield line((" " * at + mark).rstrip(), "muted")
        yield line("".join(marks).rstrip(), "muted")

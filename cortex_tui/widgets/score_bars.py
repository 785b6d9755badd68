"""The parts of a memory's standing as bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cortex_core.memory import Memory
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.lines import Line, Piece, times
from cortex_tui.widgets.row import bar

BAR = 12
"""Cells of a full bar."""
NAMES = {
    "confidence": "confidence", "priority": "priority", "centrality": "linked to",
    "access": "used", "branch": "branch",
}  # fmt: skip


def score_bars(
    memory: Memory,
    parts: Mapping[str, float],
    most: Mapping[str, float],
    width: int,
    glyphs: Glyphs,
) -> Iterator[Line]:
    """A bar for each part: what it is, how much of the most it can be, and of what it comes.

    Args:
        parts: named shares of the standing.
        most: the most that each can be.
    """
    first = max(len(name) for name in NAMES.values())
    for name, part in parts.items():
        full = most.get(name, 1.0)
        if name == "branch" and not part:
            continue
        share = part / full if full else 0.0
        pieces: list[Piece] = [
            (f"{NAMES.get(name, name):<{first}}  ", "text"),
            (bar(share, glyphs, BAR), "accent"),
            (f"  {part:.2f} of {full:.2f}", "text"),
        ]
        why = f"   {reason(name, share, memory)}"
        if first + BAR + 16 + len(why) <= width:
            pieces.append((why, "muted"))
        yield Line(pieces)


def reason(name: str, share: float, memory: Memory) -> str:
    """Where a part comes from, in a few words."""
    found = f"found {times(memory.access_count)}"
    return {
        "confidence": f"{round(memory.confidence * 100)} of 100 today",
        "priority": f"{memory.priority} of 10",
        "centrality": f"{round(share * 100)} % of the most linked to",
        "access": "never found yet" if not memory.access_count else found,
        "branch": "learned on this branch",
    }.get(name, "")

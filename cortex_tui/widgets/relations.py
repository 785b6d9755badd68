"""How an edge reads from the memory that is looked at: its name, its arrow, whether it warns."""

from __future__ import annotations

from cortex_core.memory import Neighbour
from cortex_tui.glyphs import Glyphs

AGAINST = "contradicts"
"""The type that is told in capitals and with a sign of its own."""


def label(near: Neighbour) -> str:
    """The relation's name; contradictions in capitals."""
    return near.edge.type.upper() if warns(near) else near.edge.type


def arrow(near: Neighbour, glyphs: Glyphs) -> str:
    """Which way it leads, seen from the memory that is looked at."""
    if not near.edge.directed:
        return glyphs.signs.rule
    return glyphs.signs.arrow if near.outgoing else glyphs.signs.back


def mark(near: Neighbour, glyphs: Glyphs) -> str:
    """The sign before a contradiction, a blank before everything else."""
    return glyphs.signs.against if warns(near) else " "


def warns(near: Neighbour) -> bool:
    """Whether the two say the opposite of each other."""
    return near.edge.type == AGAINST

"""How a memory and its neighbours are drawn: three columns, or a tree where there is less room.

Values in, lines out; nothing here knows a widget.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from cortex_core.kinds import Kinds
from cortex_core.memory import Memory
from cortex_tui.actions.neighbours import Neighbourhood, Spot
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets import relations
from cortex_tui.widgets.lines import Line, Piece
from cortex_tui.widgets.row import fit

MIDDLE = -1
"""Stands for the memory in the middle where a spot is named by its place."""
BOX_LINES = 3
"""Most lines of the title in the box."""


class BoxSigns(NamedTuple):
    """What lines are drawn with. Joints by where they lead: left, right, up, down."""

    joints: dict[str, str]
    corners: str
    """Of the box: the upper ones, then the lower ones."""
    into: str
    double: str
    branch: str
    last: str
    down: str


UNICODE = BoxSigns(
    joints={"": " ", "lr": "─", "ud": "│", "lu": "╯", "ld": "╮", "lud": "┤", "ru": "╰", "rd": "╭",
            "rud": "├", "lru": "┴", "lrd": "┬", "lrud": "┼", "l": "─", "r": "─", "u": "│",
            "d": "│"},
    corners="┌┐└┘", into="▶", double="═", branch="├", last="└", down="│",
)  # fmt: skip
ASCII = BoxSigns(
    joints={"": " ", "lr": "-", "ud": "|", "lu": "'", "ld": ".", "lud": "|", "ru": "'", "rd": ".",
            "rud": "|", "lru": "+", "lrd": "+", "lrud": "+", "l": "-", "r": "-", "u": "|",
            "d": "|"},
    corners="++++", into=">", double="=", branch="|", last="`", down="|",
)  # fmt: skip


def box_signs(glyphs: Glyphs) -> BoxSigns:
    """The signs that this terminal can show."""
    return ASCII if glyphs.ascii_only else UNICODE


def title_of(memory: Memory, kinds: Kinds, glyphs: Glyphs) -> str:
    """A memory in one line: its kind's sign, its title, its status where it is not active."""
    status = "" if memory.status == "active" else f"({memory.status}) "
    return f"{glyphs.kind(kinds.known(memory.kind))} {status}{glyphs.line(memory.title)}"


# --- the tree


def tree(seen: Neighbourhood, width: int, kinds: Kinds, glyphs: Glyphs) -> list[Line]:
    """The memory, and a line for each neighbour; `target` is the spot's place."""
    title = fit(title_of(seen.memory, kinds, glyphs), width, glyphs.signs.ellipsis)
    made = [Line(((title, "title"),), MIDDLE)]
    made += [
        _branch(
            spot, place, place < len(seen.incoming) and bool(seen.outgoing), width, kinds, glyphs
        )
        for place, spot in enumerate(seen.spots)
    ]
    return made


def _branch(
    spot: Spot, place: int, more: bool, width: int, kinds: Kinds, glyphs: Glyphs
) -> Line:  # fmt: skip
    """One neighbour of the tree; `more`: whether direct ones of the other side follow."""
    drawn, near = box_signs(glyphs), spot.near
    trail = list(spot.trail)
    if trail:
        trail[0] = trail[0] or more
    stem = "".join(f"{drawn.down}  " if goes_on else "   " for goes_on in trail)
    ends = spot.last and not (more and spot.depth == 1)
    run = drawn.double if relations.warns(near) else glyphs.signs.rule
    stem += f"{drawn.last if ends else drawn.branch}{run} "
    head = f"{relations.label(near)} {relations.arrow(near, glyphs)} "
    if relations.warns(near):
        head = f"{glyphs.signs.against} {head}"
    part = "error" if relations.warns(near) else "muted"
    left = max(4, width - cell_len(stem + head))
    title = fit(title_of(near.memory, kinds, glyphs), left, glyphs.signs.ellipsis)
    return Line(((stem, "faint"), (head, part), (title, "text")), place)


# --- three columns


class Map:
    """Three columns in `width` cells: what leads here, the memory, where it leads."""

    def __init__(self, seen: Neighbourhood, width: int, kinds: Kinds, glyphs: Glyphs) -> None:
        self.seen, self.kinds, self.glyphs = seen, kinds, glyphs
        self.box_signs = box_signs(glyphs)
        self.spots = seen.spots
        self.box = max(18, min(30, width // 5))
        self.left = (width - self.box - 4) // 2
        self.right = width - self.box - 4 - self.left
        words = Content(title_of(seen.memory, kinds, glyphs)).wrap(self.box - 4)
        self.title = [piece.plain for piece in words[:BOX_LINES]]
        if len(words) > BOX_LINES:
            self.title[-1] = fit(
                self.title[-1] + " " * self.box, self.box - 5, ""
            ).rstrip() + glyphs.signs.ellipsis  # fmt: skip
        self.height = max(len(seen.incoming), len(seen.outgoing), len(self.title) + 2)
        self._label = max(
            (cell_len(self._relation(spot)[1]) for spot in seen.outgoing if spot.depth == 1),
            default=0,
        )
        self._starts = (
            (self.height - len(seen.incoming)) // 2, (self.height - len(seen.outgoing)) // 2,
        )  # fmt: skip

        self._direct = tuple(
            [start + place for place, spot in enumerate(side) if spot.depth == 1]
            for start, side in zip(self._starts, (seen.incoming, seen.outgoing), strict=True)
        )
        """The lines on which direct neighbours stand, of each side."""

    def line_of(self, place: int) -> int:
        """The line that a spot stands on."""
        if place == MIDDLE:
            return self.height // 2
        mine = len(self.seen.incoming)
        return self._starts[0] + place if place < mine else self._starts[1] + place - mine

    def spot_at(self, y: int, *, outgoing: bool) -> int | None:
        """The place of the spot on a line at one side, None where there is none."""
        side = self.seen.outgoing if outgoing else self.seen.incoming
        at = y - self._starts[outgoing]
        return at + (len(self.seen.incoming) if outgoing else 0) if 0 <= at < len(side) else None

    def side_of(self, x: int) -> str:
        """Which column a cell belongs to: `left`, `middle`, `right`."""
        if x < self.left + 2:
            return "left"
        return "middle" if x < self.left + 2 + self.box else "right"

    def line(self, y: int, centre: int, cursor: int) -> list[Piece]:
        """Line `y`.

        Args:
            centre: the line on which the middle of the box stands.
            cursor: the place of the spot that has the cursor.
        """
        return [
            *self._incoming(y, centre, cursor), *self._box(y, centre, cursor),
            *self._outgoing(y, centre, cursor),
        ]  # fmt: skip

    def _incoming(self, y: int, centre: int, cursor: int) -> Iterator[Piece]:
        place = self.spot_at(y, outgoing=False)
        spot = None if place is None else self.spots[place]
        joint = self._joint(y, centre, self._direct[0], "l", "r")
        if spot is None:
            yield " " * (self.left - 1), "text"
        elif spot.depth > 1:
            yield from self._behind(spot, place == cursor, self.left - 1)
        else:
            yield from self._lead(spot, place == cursor)
        yield joint, "faint"
        leads = y == centre and self.seen.incoming
        yield f"{self.glyphs.signs.rule}{self.box_signs.into}" if leads else "  ", "faint"

    def _lead(self, spot: Spot, here: bool) -> Iterator[Piece]:
        """`title ───── relation ──`"""
        run, label, part = self._relation(spot)
        room = self.left - 1 - 2 - cell_len(label) - 7
        title = self._title(spot, room)
        yield self._mark(here), "accent"
        yield title, "cursor" if here else "text"
        yield f" {run * (room - cell_len(title) + 2)} ", part
        yield label, part
        yield f" {run * 2}", part

    def _outgoing(self, y: int, centre: int, cursor: int) -> Iterator[Piece]:
        place = self.spot_at(y, outgoing=True)
        spot = None if place is None else self.spots[place]
        rule = self.glyphs.signs.rule
        yield rule if y == centre and self.seen.outgoing else " ", "faint"
        yield self._joint(y, centre, self._direct[1], "r", "l"), "faint"
        if spot is None:
            return
        if spot.depth > 1:
            yield from self._behind(spot, place == cursor, self.right)
            return
        run, label, part = self._relation(spot)
        yield f"{run * 2} {label} {run * (self._label + 1 - cell_len(label))}", part
        yield f"{relations.arrow(spot.near, self.glyphs)}", part
        yield self._mark(place == cursor), "accent"
        room = self.right - self._label - 8
        yield self._title(spot, room), "cursor" if place == cursor else "text"

    def _behind(self, spot: Spot, here: bool, width: int) -> Iterator[Piece]:
        """A neighbour of a neighbour, under the one it was reached through, in `width` cells."""
        head = "  " * (spot.depth - 1) + self.box_signs.last + self.glyphs.signs.rule
        label = f" {relations.label(spot.near)} {relations.arrow(spot.near, self.glyphs)} "
        part = "error" if relations.warns(spot.near) else "muted"
        room = max(4, width - 2 - cell_len(head + label))
        title = self._title(spot, room)
        yield self._mark(here), "accent"
        yield head, "faint"
        yield label, part
        yield title + " " * (room - cell_len(title)), "cursor" if here else "text"

    def _box(self, y: int, centre: int, cursor: int) -> Iterator[Piece]:
        inner, walls = self.box - 2, self.glyphs.signs
        top = centre - len(self.title) // 2 - 1
        at, part = y - top, "accent" if cursor == MIDDLE else "muted"
        corners = self.box_signs.corners
        if at == 0:
            yield corners[0] + walls.rule * inner + corners[1], part
        elif at == len(self.title) + 1:
            yield corners[2] + walls.rule * inner + corners[3], part
        elif 0 < at <= len(self.title):
            yield walls.wall, part
            yield f" {fit(self.title[at - 1], inner - 1)}", "title"
            yield walls.wall, part
        else:
            yield " " * self.box, "text"

    def _relation(self, spot: Spot) -> tuple[str, str, str]:
        """The line, the name and the style of an edge."""
        if relations.warns(spot.near):
            label = f"{self.glyphs.signs.against} {relations.label(spot.near)}"
            return self.box_signs.double, label, "error"
        return self.glyphs.signs.rule, relations.label(spot.near), "muted"

    def _title(self, spot: Spot, room: int) -> str:
        told = title_of(spot.near.memory, self.kinds, self.glyphs)
        return fit(told, room, self.glyphs.signs.ellipsis).rstrip() if room > 0 else ""

    def _mark(self, here: bool) -> str:
        return f"{self.glyphs.signs.cursor} " if here else "  "

    def _joint(self, y: int, centre: int, direct: Sequence[int], outer: str, inner: str
               ) -> str:  # fmt: skip
        """The sign at the column where the lines of one side, `direct`, meet."""
        if not direct:
            return " "
        first, last = min(direct[0], centre), max(direct[-1], centre)
        at = bisect_left(direct, y)
        leads = {
            outer: at < len(direct) and direct[at] == y, inner: y == centre,
            "u": first < y <= last, "d": first <= y < last,
        }  # fmt: skip
        return self.box_signs.joints["".join(way for way in "lrud" if leads[way])]

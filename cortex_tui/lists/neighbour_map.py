"""A memory and its neighbours with a cursor: three columns where there is room, else a tree.

`Columns` and `tree` draw, values in and lines out; `NeighbourMap` is the widget.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip

from cortex_core.base.kinds import DEFAULT, Kinds
from cortex_core.records.memory import Memory
from cortex_tui import keymap
from cortex_tui.actions.detail_actions import Neighbourhood, Spot
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import CursorList
from cortex_tui.widgets.lines import (
    PARTS,
    Piece,
    StyledLine,
    edge_arrow,
    edge_label,
    edge_warns,
    fit,
    lit,
)

COLUMNS = 90
"""Cells from which three columns are drawn."""
MIDDLE = -1
"""Represents the memory in the middle where a spot is named by its index."""
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
    joints={
        "": " ",
        "lr": "─",
        "ud": "│",
        "lu": "╯",
        "ld": "╮",
        "lud": "┤",
        "ru": "╰",
        "rd": "╭",
        "rud": "├",
        "lru": "┴",
        "lrd": "┬",
        "lrud": "┼",
        "l": "─",
        "r": "─",
        "u": "│",
        "d": "│",
    },
    corners="┌┐└┘",
    into="▶",
    double="═",
    branch="├",
    last="└",
    down="│",
)
ASCII = BoxSigns(
    joints={
        "": " ",
        "lr": "-",
        "ud": "|",
        "lu": "'",
        "ld": ".",
        "lud": "|",
        "ru": "'",
        "rd": ".",
        "rud": "|",
        "lru": "+",
        "lrd": "+",
        "lrud": "+",
        "l": "-",
        "r": "-",
        "u": "|",
        "d": "|",
    },
    corners="++++",
    into=">",
    double="=",
    branch="|",
    last="`",
    down="|",
)


def box_signs(glyphs: Glyphs) -> BoxSigns:
    """The signs that this terminal can show."""
    return ASCII if glyphs.ascii_only else UNICODE


def title_of(memory: Memory, kinds: Kinds, glyphs: Glyphs) -> str:
    """A memory in one line: its kind's sign, its title, its status where it is not active."""
    status = "" if memory.status == "active" else f"({memory.status}) "
    return f"{glyphs.kind(kinds.known(memory.kind))} {status}{glyphs.line(memory.title)}"


def tree(shown: Neighbourhood, width: int, kinds: Kinds, glyphs: Glyphs) -> list[StyledLine]:
    """The memory, and a line for each neighbour; `target` is the spot's index."""
    title = fit(title_of(shown.memory, kinds, glyphs), width, glyphs.signs.ellipsis)
    lines = [StyledLine(((title, "title"),), MIDDLE)]
    more = bool(shown.outgoing)
    lines += [
        _branch(spot, index, index < len(shown.incoming) and more, width, kinds, glyphs)
        for index, spot in enumerate(shown.spots)
    ]
    return lines


def _branch(
    spot: Spot, index: int, more: bool, width: int, kinds: Kinds, glyphs: Glyphs
) -> StyledLine:
    """One neighbour of the tree; `more`: whether direct ones of the other side follow."""
    drawn, neighbour = box_signs(glyphs), spot.neighbour
    trail = list(spot.trail)
    if trail:
        trail[0] = trail[0] or more
    stem = "".join(f"{drawn.down}  " if goes_on else "   " for goes_on in trail)
    ends = spot.last and not (more and spot.depth == 1)
    run = drawn.double if edge_warns(neighbour) else glyphs.signs.rule
    stem += f"{drawn.last if ends else drawn.branch}{run} "
    head = f"{edge_label(neighbour)} {edge_arrow(neighbour, glyphs)} "
    if edge_warns(neighbour):
        head = f"{glyphs.signs.against} {head}"
    part = "error" if edge_warns(neighbour) else "muted"
    left = max(4, width - cell_len(stem + head))
    title = fit(title_of(neighbour.memory, kinds, glyphs), left, glyphs.signs.ellipsis)
    return StyledLine(((stem, "faint"), (head, part), (title, "text")), index)


class NeighbourColumns:
    """Three columns in `width` cells: what leads here, the memory, where it leads."""

    def __init__(self, shown: Neighbourhood, width: int, kinds: Kinds, glyphs: Glyphs) -> None:
        self.shown, self.kinds, self.glyphs = shown, kinds, glyphs
        self.box_signs = box_signs(glyphs)
        self.spots = shown.spots
        # The middle has a fifth of the width, so that both sides have room for titles.
        self.box = max(18, min(30, width // 5))
        self.left = (width - self.box - 4) // 2
        self.right = width - self.box - 4 - self.left
        words = Content(title_of(shown.memory, kinds, glyphs)).wrap(self.box - 4)
        self.title = [piece.plain for piece in words[:BOX_LINES]]
        if len(words) > BOX_LINES:
            self.title[-1] = (
                fit(self.title[-1] + " " * self.box, self.box - 5, "").rstrip()
                + glyphs.signs.ellipsis
            )
        self.height = max(len(shown.incoming), len(shown.outgoing), len(self.title) + 2)
        self._label = max(
            (cell_len(self._relation(spot)[1]) for spot in shown.outgoing if spot.depth == 1),
            default=0,
        )
        self._starts = (
            (self.height - len(shown.incoming)) // 2,
            (self.height - len(shown.outgoing)) // 2,
        )

        self._direct = tuple(
            [start + index for index, spot in enumerate(side) if spot.depth == 1]
            for start, side in zip(self._starts, (shown.incoming, shown.outgoing), strict=True)
        )
        """The lines of the direct neighbours, for each side."""

    def line_of(self, index: int) -> int:
        """The line that a spot is on."""
        if index == MIDDLE:
            return self.height // 2
        incoming = len(self.shown.incoming)
        return self._starts[0] + index if index < incoming else self._starts[1] + index - incoming

    def spot_at(self, y: int, *, outgoing: bool) -> int | None:
        """The index of the spot on a line at one side, None where there is none."""
        side = self.shown.outgoing if outgoing else self.shown.incoming
        at = y - self._starts[outgoing]
        return at + (len(self.shown.incoming) if outgoing else 0) if 0 <= at < len(side) else None

    def side_of(self, x: int) -> str:
        """Which column a cell belongs to: `left`, `middle`, `right`."""
        if x < self.left + 2:
            return "left"
        return "middle" if x < self.left + 2 + self.box else "right"

    def line(self, y: int, centre: int, cursor: int) -> list[Piece]:
        """Line `y`.

        Args:
            centre: the line on which the middle of the box is.
            cursor: the index of the spot that has the cursor.
        """
        return [
            *self._incoming(y, centre, cursor),
            *self._box(y, centre, cursor),
            *self._outgoing(y, centre, cursor),
        ]

    def _incoming(self, y: int, centre: int, cursor: int) -> Iterator[Piece]:
        index = self.spot_at(y, outgoing=False)
        spot = None if index is None else self.spots[index]
        joint = self._joint(y, centre, self._direct[0], "l", "r")
        if spot is None:
            yield " " * (self.left - 1), "text"
        elif spot.depth > 1:
            yield from self._behind(spot, index == cursor, self.left - 1)
        else:
            yield from self._lead(spot, index == cursor)
        yield joint, "faint"
        leads = y == centre and self.shown.incoming
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
        index = self.spot_at(y, outgoing=True)
        spot = None if index is None else self.spots[index]
        rule = self.glyphs.signs.rule
        yield rule if y == centre and self.shown.outgoing else " ", "faint"
        yield self._joint(y, centre, self._direct[1], "r", "l"), "faint"
        if spot is None:
            return
        if spot.depth > 1:
            yield from self._behind(spot, index == cursor, self.right)
            return
        run, label, part = self._relation(spot)
        yield f"{run * 2} {label} {run * (self._label + 1 - cell_len(label))}", part
        yield f"{edge_arrow(spot.neighbour, self.glyphs)}", part
        yield self._mark(index == cursor), "accent"
        room = self.right - self._label - 8
        yield self._title(spot, room), "cursor" if index == cursor else "text"

    def _behind(self, spot: Spot, here: bool, width: int) -> Iterator[Piece]:
        """A neighbour of a neighbour, under the one it was reached through, in `width` cells."""
        head = "  " * (spot.depth - 1) + self.box_signs.last + self.glyphs.signs.rule
        label = f" {edge_label(spot.neighbour)} {edge_arrow(spot.neighbour, self.glyphs)} "
        part = "error" if edge_warns(spot.neighbour) else "muted"
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
        if edge_warns(spot.neighbour):
            label = f"{self.glyphs.signs.against} {edge_label(spot.neighbour)}"
            return self.box_signs.double, label, "error"
        return self.glyphs.signs.rule, edge_label(spot.neighbour), "muted"

    def _title(self, spot: Spot, room: int) -> str:
        title = title_of(spot.neighbour.memory, self.kinds, self.glyphs)
        return fit(title, room, self.glyphs.signs.ellipsis).rstrip() if room > 0 else ""

    def _mark(self, here: bool) -> str:
        return f"{self.glyphs.signs.cursor} " if here else "  "

    def _joint(self, y: int, centre: int, direct: Sequence[int], outer: str, inner: str) -> str:
        """The sign at the column where the lines of one side, `direct`, meet."""
        if not direct:
            return " "
        first, last = min(direct[0], centre), max(direct[-1], centre)
        at = bisect_left(direct, y)
        leads = {
            outer: at < len(direct) and direct[at] == y,
            inner: y == centre,
            "u": first < y <= last,
            "d": first <= y < last,
        }
        return self.box_signs.joints["".join(way for way in "lrud" if leads[way])]


class NeighbourMap(CursorList):
    """The neighbours of one memory; the cursor counts its spots, `MIDDLE` is the memory itself."""

    BINDINGS = [*keymap.bindings("sideways")]
    COMPONENT_CLASSES = {f"neighbour-map--{name}" for name in PARTS}

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.kinds: Kinds = DEFAULT
        self.shown: Neighbourhood | None = None
        self.set_reactive(CursorList.cursor, MIDDLE)
        self.wants_tree = False
        """Whether a tree is drawn however much room there is."""
        self._columns: NeighbourColumns | None = None
        self._tree: list[StyledLine] = []

    # --- what is shown

    def show(self, shown: Neighbourhood, cursor: int) -> None:
        """Show a memory with its neighbours, the cursor on the spot at `cursor`."""
        self.shown = shown
        self.set_reactive(CursorList.cursor, self.validate_cursor(cursor))
        self.lay_out()

    @property
    def spot(self) -> Spot | None:
        """The neighbour under the cursor; None: the memory in the middle."""
        if self.shown is None or self.cursor == MIDDLE:
            return None
        return self.shown.spots[self.cursor]

    @property
    def is_tree(self) -> bool:
        """Whether a tree is drawn."""
        return self.wants_tree or self.size.width < COLUMNS

    def rest(self) -> tuple[int, int]:
        """How many neighbours are above and below the visible lines."""
        top, bottom = self.scroll_offset.y, self.scroll_offset.y + self.size.height
        lines = [self.line_of(index) for index in range(self.count())]
        return sum(y < top for y in lines), sum(y >= bottom for y in lines)

    def count(self) -> int:
        return 0 if self.shown is None else len(self.shown.spots)

    def lay_out(self) -> None:
        if self.shown is None or self.size.width < 1:
            return
        width = max(20, self.size.width - 1)
        self._columns = (
            None if self.is_tree else NeighbourColumns(self.shown, width, self.kinds, self.glyphs)
        )
        self._tree = tree(self.shown, width - 2, self.kinds, self.glyphs) if self.is_tree else []
        lines = len(self._tree) if self._columns is None else self._columns.height
        self.virtual_size = Size(0, lines)
        self.follow()
        self.refresh()
        self.post_message(self.Highlighted())

    def watch_scroll_y(self, old: float, new: float) -> None:
        super().watch_scroll_y(old, new)
        self.post_message(self.Highlighted())

    # --- drawing

    def render_line(self, y: int) -> Strip:
        width, paint = self.size.width, self.paint()
        if self._columns is not None:
            at = y - self._above() + self.scroll_offset.y
            pieces = self._columns.line(at, self._centre(), self.cursor)
            inside = 0 <= at < self._columns.height
            return self._strip(pieces if inside else (), width)
        at = y + self.scroll_offset.y
        if at >= len(self._tree):
            return Strip.blank(width, self.rich_style)
        line = self._tree[at]
        here = line.target == self.cursor
        mark = f"{self.glyphs.signs.cursor} " if here else "  "
        strip = self._strip(((mark, "accent"), *line.pieces), width)
        return lit(strip, paint["cursor"]) if here else strip

    def _strip(self, pieces: Sequence[Piece], width: int) -> Strip:
        paint = self.paint()
        base = paint["text"]
        segments = [
            Segment(words, base + paint[part] if part == "cursor" else paint[part])
            for words, part in pieces
        ]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _above(self) -> int:
        """Blank lines above columns that need fewer lines than there are."""
        height = 0 if self._columns is None else self._columns.height
        return max(0, min(4, (self.size.height - height) // 2))

    def _centre(self) -> int:
        """The line of the box: the middle of all lines, or of those that are seen."""
        if self._columns is None or self._columns.height <= self.size.height:
            return 0 if self._columns is None else self._columns.height // 2
        return self.scroll_offset.y + self.size.height // 2

    # --- the cursor

    def validate_cursor(self, cursor: int) -> int:
        return max(MIDDLE, min(cursor, self.count() - 1))

    def refresh_cursor(self, old: int, new: int) -> None:
        self.refresh()

    def line_of(self, index: int) -> int:
        return index + 1 if self._columns is None else self._columns.line_of(index)

    def follow(self) -> None:
        if self.cursor != MIDDLE or self._columns is None:
            super().follow()

    def move(self, step: int) -> None:
        """Move within the column, or through the tree."""
        if self.shown is None:
            return
        incoming = len(self.shown.incoming)
        if self._columns is None:
            self.cursor += step
        elif 0 <= self.cursor < incoming:
            self.cursor = max(0, min(self.cursor + step, incoming - 1))
        elif self.cursor != MIDDLE:
            self.cursor = max(incoming, self.cursor + step)

    def action_side(self, step: int) -> None:
        """Go one column to the left or to the right."""
        order = ("left", "middle", "right")[::-step]
        shown, drawn = self.shown, self._columns
        if shown is None or drawn is None:
            return
        incoming = len(shown.incoming)
        at = "middle" if self.cursor == MIDDLE else "left" if self.cursor < incoming else "right"
        to = order[max(0, order.index(at) - 1)]
        if to == "middle":
            self.cursor = MIDDLE
        elif to != at and (shown.outgoing if to == "right" else shown.incoming):
            first, count = (incoming, len(shown.outgoing)) if to == "right" else (0, incoming)
            lines = [abs(drawn.line_of(first + one) - self._centre()) for one in range(count)]
            self.cursor = first + lines.index(min(lines))

    def index_at(self, x: int, y: int) -> int | None:
        line = y + self.scroll_offset.y
        if self._columns is None:
            return self._tree[line].target if line < len(self._tree) else None
        side = self._columns.side_of(x)
        if side == "middle":
            return MIDDLE
        return self._columns.spot_at(line - self._above(), outgoing=side == "right")

"""A memory and its neighbours with a cursor: columns where there is room, else a tree."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cortex_core.kinds import DEFAULT, Kinds
from cortex_tui import keymap
from cortex_tui.actions.neighbours import Neighbourhood, Spot
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.lines import PARTS, Line, Piece, lit
from cortex_tui.widgets.neighbour_lines import MIDDLE, Map, tree

COLUMNS = 90
"""Cells from which three columns are drawn."""


class NeighbourMap(ScrollView, can_focus=True, inherit_bindings=False):
    """The neighbours of one memory."""

    BINDINGS = [*keymap.bindings("map")]
    ALLOW_SELECT = False
    COMPONENT_CLASSES = {f"neighbour-map--{name}" for name in PARTS}

    class Moved(Message):
        """The cursor stands on another memory, or other lines are seen."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, NeighbourMap.Moved)

    class Opened(Message):
        """The user wants the memory at the cursor in the middle."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.kinds: Kinds = DEFAULT
        self.seen: Neighbourhood | None = None
        self.cursor = MIDDLE
        """The place of the spot under the cursor; `MIDDLE` for the memory itself."""
        self.wants_tree = False
        """Whether a tree is drawn however much room there is."""
        self._map: Map | None = None
        self._tree: list[Line] = []
        self._paint: dict[str, Style] | None = None

    # --- what is shown

    def show(self, seen: Neighbourhood, cursor: int) -> None:
        """Show a memory with its neighbours, the cursor on the spot at `cursor`."""
        self.seen = seen
        self.cursor = max(MIDDLE, min(cursor, len(seen.spots) - 1))
        self._lay_out()

    @property
    def spot(self) -> Spot | None:
        """The neighbour under the cursor; None: the memory in the middle."""
        if self.seen is None or self.cursor == MIDDLE:
            return None
        return self.seen.spots[self.cursor]

    @property
    def is_tree(self) -> bool:
        """Whether a tree is drawn."""
        return self.wants_tree or self.size.width < COLUMNS

    def rest(self) -> tuple[int, int]:
        """How many neighbours stand above and below what is seen."""
        top, bottom = self.scroll_offset.y, self.scroll_offset.y + self.size.height
        lines = [self._line_of(place) for place in range(len(self.seen.spots))] if self.seen else []
        return sum(y < top for y in lines), sum(y >= bottom for y in lines)

    def _lay_out(self) -> None:
        if self.seen is None or self.size.width < 1:
            return
        width = max(20, self.size.width - 1)
        self._map = None if self.is_tree else Map(self.seen, width, self.kinds, self.glyphs)
        self._tree = tree(self.seen, width - 2, self.kinds, self.glyphs) if self.is_tree else []
        lines = self._map.height if self._map is not None else len(self._tree)
        self.virtual_size = Size(0, lines)
        self._follow()
        self.refresh()
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        self._lay_out()

    def watch_scroll_y(self, old: float, new: float) -> None:
        super().watch_scroll_y(old, new)
        self.post_message(self.Moved())

    # --- drawing

    def render_line(self, y: int) -> Strip:
        width, paint = self.size.width, self.paint()
        if self._map is not None:
            at = y - self._above() + self.scroll_offset.y
            pieces = self._map.line(at, self._centre(), self.cursor)
            inside = 0 <= at < self._map.height
            return self._strip(pieces if inside else (), width)
        at = y + self.scroll_offset.y
        if at >= len(self._tree):
            return Strip.blank(width, self.rich_style)
        made = self._tree[at]
        here = made.target == self.cursor
        mark = f"{self.glyphs.signs.cursor} " if here else "  "
        strip = self._strip(((mark, "accent"), *made.pieces), width)
        return lit(strip, paint["cursor"]) if here else strip

    def _strip(self, pieces: Sequence[Piece], width: int) -> Strip:
        paint = self.paint()
        base = paint["text"]
        segments = [
            Segment(words, base + paint[part] if part == "cursor" else paint[part])
            for words, part in pieces
        ]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def paint(self) -> dict[str, Style]:
        """The styles of the parts."""
        if self._paint is None:
            self._paint = {
                name: self.get_visual_style(f"neighbour-map--{name}").rich_style for name in PARTS
            }
            under = self.get_component_rich_style("neighbour-map--cursor")
            self._paint["cursor"] = Style(
                bgcolor=under.bgcolor, bold=under.bold, reverse=under.reverse
            )
        return self._paint

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._paint = None

    def _above(self) -> int:
        """Blank lines above columns that need fewer lines than there are."""
        height = 0 if self._map is None else self._map.height
        return max(0, min(4, (self.size.height - height) // 2))

    def _centre(self) -> int:
        """The line of the box: the middle of all lines, or of those that are seen."""
        if self._map is None or self._map.height <= self.size.height:
            return 0 if self._map is None else self._map.height // 2
        return self.scroll_offset.y + self.size.height // 2

    # --- the cursor

    def go(self, place: int) -> None:
        """Put the cursor on the spot at `place`."""
        if self.seen is not None:
            self.cursor = max(MIDDLE, min(place, len(self.seen.spots) - 1))
            self._follow()
            self.refresh()
            self.post_message(self.Moved())

    def _line_of(self, place: int) -> int:
        return place + 1 if self._map is None else self._map.line_of(place)

    def _follow(self) -> None:
        if self.cursor == MIDDLE and self._map is not None:
            return
        line, top, height = self._line_of(self.cursor), self.scroll_offset.y, self.size.height
        if line < top:
            self.scroll_to(y=line, animate=False)
        elif line >= top + height:
            self.scroll_to(y=line - height + 1, animate=False)

    def _step(self, step: int) -> None:
        """Move within the column, or through the tree."""
        if self.seen is None:
            return
        mine = len(self.seen.incoming)
        if self._map is None:
            self.go(self.cursor + step)
        elif self.cursor == MIDDLE:
            return
        elif self.cursor < mine:
            self.go(max(0, min(self.cursor + step, mine - 1)))
        else:
            self.go(max(mine, self.cursor + step))

    def action_down(self) -> None:
        self._step(1)

    def action_up(self) -> None:
        self._step(-1)

    def action_page_down(self) -> None:
        self._step(max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        self._step(-max(1, self.size.height - 1))

    def action_top(self) -> None:
        self._step(-len(self.seen.spots) if self.seen else 0)

    def action_bottom(self) -> None:
        self._step(len(self.seen.spots) if self.seen else 0)

    def action_left(self) -> None:
        self._across(("left", "middle", "right"))

    def action_right(self) -> None:
        self._across(("right", "middle", "left"))

    def _across(self, order: Sequence[str]) -> None:
        """Go one column on towards the first of `order`."""
        seen, drawn = self.seen, self._map
        if seen is None or drawn is None:
            return
        mine = len(seen.incoming)
        at = "middle" if self.cursor == MIDDLE else "left" if self.cursor < mine else "right"
        to = order[max(0, order.index(at) - 1)]
        if to == "middle":
            self.go(MIDDLE)
        elif to != at and (seen.outgoing if to == "right" else seen.incoming):
            first, count = (mine, len(seen.outgoing)) if to == "right" else (0, mine)
            lines = [abs(drawn.line_of(first + one) - self._centre()) for one in range(count)]
            self.go(first + lines.index(min(lines)))

    def on_click(self, event: events.Click) -> None:
        place = self._spot_under(event.x, event.y)
        if place is not None:
            self.go(place)
            if event.chain == 2:
                self.post_message(self.Opened())

    def _spot_under(self, x: int, y: int) -> int | None:
        at = y + self.scroll_offset.y
        if self._map is None:
            return self._tree[at].target if at < len(self._tree) else None
        side = self._map.side_of(x)
        if side == "middle":
            return MIDDLE
        return self._map.spot_at(at - self._above(), outgoing=side == "right")

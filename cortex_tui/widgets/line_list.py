"""A short list of lines of any kind with a cursor; headings among them cannot be chosen.

It draws a line at a time and only those in sight. It never has the focus: its screen moves the
cursor, so that the same keys count wherever the user is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from cortex_tui.glyphs import Glyphs

MARGIN = 2
"""Cells at the left, for the cursor's sign."""
EDGE = 1
"""Blank cells at the right."""


class Line(NamedTuple):
    """One line of the list."""

    key: Hashable
    """What tells it from the others; None for a heading."""
    draw: Callable[[int], Content]
    """The line in so many cells."""


class LineList(ScrollView, can_focus=False):
    """The list."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"line-list--cursor", "line-list--sign"}

    cursor: reactive[int] = reactive(0, repaint=False)
    """The place of the line that has the cursor."""

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another line."""

        lines: LineList

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, LineList.Highlighted) and message.lines is self.lines

    @dataclass
    class Opened(Message):
        """The user wants more of the line under the cursor."""

        lines: LineList

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line], keep: Hashable = None) -> None:
        """Show `lines`, the cursor on the one called `keep`, else where it was."""
        self.lines = lines
        self.virtual_size = Size(0, len(lines))
        keys = [line.key for line in lines]
        place = keys.index(keep) if keep is not None and keep in keys else self.cursor
        self.set_reactive(LineList.cursor, self.validate_cursor(place))
        self._follow()
        self.refresh()
        self.post_message(self.Highlighted(self))

    @property
    def key(self) -> Hashable:
        """The key of the line under the cursor, None in an empty list."""
        return self.lines[self.cursor].key if self.cursor < len(self.lines) else None

    def move(self, step: int) -> None:
        """Move the cursor by so many lines that can be chosen."""
        places = [place for place, line in enumerate(self.lines) if line.key is not None]
        if places:
            at = places.index(self.cursor) if self.cursor in places else 0
            self.cursor = places[max(0, min(at + step, len(places) - 1))]

    def page(self, share: float) -> None:
        """Move the cursor by a share of the lines in sight."""
        self.move(int(share * max(1, self.size.height - 1)))

    def render_line(self, y: int) -> Strip:
        place, width = y + self.scroll_offset.y, self.size.width
        room = width - MARGIN - EDGE
        if place >= len(self.lines) or room <= 0:
            return Strip.blank(width, self.rich_style)
        chosen = place == self.cursor and self.lines[place].key is not None
        content = self.lines[place].draw(room).truncate(room)
        drawn = Visual.to_strips(self, content, room, 1, self.visual_style, apply_selection=False)
        sign = self.glyphs.signs.cursor if chosen else " "
        style = self.get_visual_style("line-list--sign").rich_style
        segments = [Segment(f"{sign:<{MARGIN}}", style), *(drawn[0] if drawn else ())]
        strip = Strip(segments).adjust_cell_length(width, self.rich_style)
        return Strip(Segment.apply_style(strip, post_style=self._cursor())) if chosen else strip

    def _cursor(self) -> Style:
        """Only what the cursor changes: its background and the weight of the letters."""
        style = self.get_component_rich_style("line-list--cursor")
        return Style(bgcolor=style.bgcolor, bold=style.bold, reverse=style.reverse)

    def validate_cursor(self, cursor: int) -> int:
        """The nearest place that can be chosen, downwards first."""
        last = len(self.lines) - 1
        cursor = max(0, min(cursor, last))
        places = [*range(cursor, last + 1), *range(cursor - 1, -1, -1)]
        return next((place for place in places if self.lines[place].key is not None), 0)

    def watch_cursor(self, old: int, new: int) -> None:
        if old != new:
            self._follow()
            self.refresh()
            self.post_message(self.Highlighted(self))

    def _follow(self) -> None:
        """Keep the cursor in sight, and with the first line the heading above it."""
        top, height = self.scroll_offset.y, max(1, self.size.height)
        above = all(line.key is None for line in self.lines[: self.cursor])
        if self.cursor < top or above:
            self.scroll_to(y=0 if above else self.cursor, animate=False)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False)

    def on_resize(self) -> None:
        self.virtual_size = Size(0, len(self.lines))
        self._follow()

    def on_click(self, event: events.Click) -> None:
        place = event.y + self.scroll_offset.y
        if place < len(self.lines) and self.lines[place].key is not None:
            self.cursor = place
            if event.chain == 2:
                self.post_message(self.Opened(self))

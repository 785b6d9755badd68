"""A short list of lines of any kind with a cursor; headings among them cannot be chosen.

It draws a line at a time and only those in sight. It never has the focus: its screen moves the
cursor, so that the same keys count wherever the user is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip
from textual.visual import Visual

from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import CursorList

MARGIN = 2
"""Cells at the left, for the cursor's sign."""
EDGE = 1
"""Blank cells at the right."""


class ListLine(NamedTuple):
    """One line of the list."""

    key: Hashable
    """What tells it from the others; None for a heading."""
    draw: Callable[[int], Content]
    """The line in so many cells."""


class LineList(CursorList, can_focus=False):
    """The list."""

    COMPONENT_CLASSES = {"line-list--cursor", "line-list--sign"}

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.lines: Sequence[ListLine] = ()

    def show(self, lines: Sequence[ListLine], keep: Hashable = None) -> None:
        """Show `lines`, the cursor on the one called `keep`, else where it was."""
        self.lines = lines
        keys = [line.key for line in lines]
        self.renew(keys.index(keep) if keep is not None and keep in keys else self.cursor)

    @property
    def key(self) -> Hashable:
        """The key of the line under the cursor, None in an empty list."""
        return self.lines[self.cursor].key if self.cursor < len(self.lines) else None

    def move(self, step: int) -> None:
        """Move the cursor by so many lines that can be chosen."""
        indexes = [index for index, line in enumerate(self.lines) if line.key is not None]
        if indexes:
            at = indexes.index(self.cursor) if self.cursor in indexes else 0
            self.cursor = indexes[max(0, min(at + step, len(indexes) - 1))]

    def count(self) -> int:
        return len(self.lines)

    def draw(self, index: int, width: int, *, has_cursor: bool) -> Strip:
        room = width - MARGIN - EDGE
        if room <= 0:
            return Strip.blank(width, self.rich_style)
        chosen = has_cursor and self.lines[index].key is not None
        content = self.lines[index].draw(room).truncate(room)
        drawn = Visual.to_strips(self, content, room, 1, self.visual_style, apply_selection=False)
        sign = self.glyphs.signs.cursor if chosen else " "
        segments = [
            Segment(f"{sign:<{MARGIN}}", self.paint()["sign"]), *(drawn[0] if drawn else ())
        ]  # fmt: skip
        strip = Strip(segments).adjust_cell_length(width, self.rich_style)
        if not chosen:
            return strip
        return Strip(Segment.apply_style(strip, post_style=self.paint()["cursor"]))

    def validate_cursor(self, cursor: int) -> int:
        """The nearest line that can be chosen, downwards first."""
        last = len(self.lines) - 1
        cursor = max(0, min(cursor, last))
        indexes = [*range(cursor, last + 1), *range(cursor - 1, -1, -1)]
        return next((index for index in indexes if self.lines[index].key is not None), 0)

    def follow(self) -> None:
        """Keep the cursor in sight, and with the first line the heading above it."""
        if all(line.key is None for line in self.lines[: self.cursor]):
            self.scroll_to(y=0, animate=False)
        else:
            super().follow()

    def index_at(self, x: int, y: int) -> int | None:
        index = super().index_at(x, y)
        return None if index is None or self.lines[index].key is None else index

"""The list with a cursor that every list of the app is: scrolling, keys, mouse, cached lines.

It draws a line at a time, only those in sight, and keeps what it has drawn. A subclass says how
many rows there are and draws one of them; what the user does becomes a message.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cortex_tui.glyphs import Glyphs

STRIPS = 512
"""Drawn lines kept."""


class CursorList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows, one of which has the cursor.

    Subclasses give `count` and `draw`, and `state` where a row's look depends on more than its
    index; they call `renew` when the rows have changed. `COMPONENT_CLASSES` name the styles that
    `paint` gives; one of them ends in `--cursor`.
    """

    ALLOW_SELECT = False
    HEAD: ClassVar[int] = 0
    """Lines above the rows, which do not scroll."""

    cursor: reactive[int] = reactive(0, repaint=False)
    """The index of the row that has the cursor."""

    class Highlighted(Message):
        """The cursor is on another row, or the rows are others."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, CursorList.Highlighted)

    class Picked(Message):
        """The user opens the row under the cursor: by a double click, or a key."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._paint: dict[str, Style] = {}
        self._strips: LRUCache[Hashable, Strip] = LRUCache(STRIPS)

    # --- what subclasses say

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def draw(self, index: int, width: int, *, has_cursor: bool) -> Strip:
        """The line of the row at `index`, exactly `width` cells wide."""
        raise NotImplementedError

    def state(self, index: int) -> Hashable:
        """What decides how the row at `index` is drawn, apart from its width and the cursor."""
        return index

    def draw_head(self, width: int) -> Strip:
        """The line above the rows, where there is one."""
        return Strip.blank(width, self.rich_style)

    def line_of(self, index: int) -> int:
        """The line that the row at `index` is on, counted from the first row."""
        return index

    def index_at(self, x: int, y: int) -> int | None:
        """The row under a cell of the widget, None where there is none."""
        index = y - self.HEAD + self.scroll_offset.y
        return index if y >= self.HEAD and index < self.count() else None

    def clicked(self, event: events.Click, index: int) -> None:
        """Act on a click; the cursor is on the row under it already."""
        if event.chain == 2:
            self.post_message(self.Picked())

    # --- what is shown

    def renew(self, cursor: int) -> None:
        """Show other rows, the cursor on the one at `cursor` or the nearest to it."""
        self.set_reactive(CursorList.cursor, self.validate_cursor(cursor))
        self.redraw()
        self.follow()
        self.post_message(self.Highlighted())

    def redraw(self) -> None:
        """Draw every row again."""
        self._strips.clear()
        self.virtual_size = Size(0, self.HEAD + self.count())
        self.refresh()

    @property
    def in_sight(self) -> int:
        """How many rows fit into the widget, at least one."""
        return max(1, self.size.height - self.HEAD)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y < self.HEAD:
            return self.draw_head(width)
        index = y - self.HEAD + self.scroll_offset.y
        if index >= self.count():
            return Strip.blank(width, self.rich_style)
        has_cursor = index == self.cursor
        kept = (self.state(index), width, has_cursor)
        strip = self._strips.get(kept)
        if strip is None:
            strip = self._strips[kept] = self.draw(index, width, has_cursor=has_cursor)
        return strip

    def paint(self) -> Mapping[str, Style]:
        """The styles by name; `cursor` is only what the cursor changes: ground and weight."""
        if not self._paint:
            for name in self.COMPONENT_CLASSES:
                part = name.partition("--")[2]
                self._paint[part] = self.get_visual_style(name).rich_style
                if part == "cursor":
                    under = self.get_component_rich_style(name)
                    self._paint[part] = Style(
                        bgcolor=under.bgcolor, bold=under.bold, reverse=under.reverse
                    )
        return self._paint

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._paint = {}
        self._strips.clear()

    def on_resize(self) -> None:
        self.lay_out()

    def lay_out(self) -> None:
        """Take over another size."""
        self.redraw()
        self.follow()

    # --- the cursor

    def validate_cursor(self, cursor: int) -> int:
        """The nearest index that the cursor can have."""
        return max(0, min(cursor, self.count() - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        if old != new:
            self.follow()
            self.refresh_cursor(old, new)
            self.post_message(self.Highlighted())

    def refresh_cursor(self, old: int, new: int) -> None:
        """Draw what the move of the cursor changed."""
        self.refresh_line(self.HEAD + self.line_of(old))
        self.refresh_line(self.HEAD + self.line_of(new))

    def follow(self) -> None:
        """Scroll so that the cursor is in sight."""
        line, top, height = self.line_of(self.cursor), self.scroll_offset.y, self.in_sight
        if line < top:
            self.scroll_to(y=line, animate=False)
        elif line >= top + height:
            self.scroll_to(y=line - height + 1, animate=False)

    def move(self, step: int) -> None:
        """Move the cursor by `step` rows."""
        self.cursor += step

    def page(self, share: float) -> None:
        """Move the cursor by a share of the rows in sight, -1 to 1."""
        self.move(int(share * max(1, self.in_sight - 1)))

    def action_move(self, step: int) -> None:
        self.move(step)

    def action_page(self, share: float) -> None:
        self.page(share)

    def action_half(self, step: int) -> None:
        self.move(step * max(1, self.in_sight // 2))

    def action_top(self) -> None:
        self.move(-self.count())

    def action_bottom(self) -> None:
        self.move(self.count())

    def action_pick(self) -> None:
        self.post_message(self.Picked())

    def on_click(self, event: events.Click) -> None:
        index = self.index_at(event.x, event.y)
        if index is not None:
            self.cursor = index
            self.clicked(event, index)

"""The list of memories: any number of rows, drawn a line at a time.

It holds the order of the rows and what is special about some of them; it asks no store and decides
nothing. What the user does in it becomes a message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cortex_core.kinds import DEFAULT, Kinds
from cortex_core.memory import Key, Memory, Sort
from cortex_tui import keymap
from cortex_tui.glyphs import Glyphs
from cortex_tui.marks import Marks
from cortex_tui.rows import Read, Rows
from cortex_tui.widgets import row
from cortex_tui.widgets.row import Paint, View

STRIPS = 512
"""Drawn lines kept."""
MARK_COLUMN = 1
"""Where a click marks."""


Worth = Callable[[Memory], float | None]
"""How much a memory matters by itself, 0 to 1.1; None: not known."""


class MemoryList(ScrollView, can_focus=True, inherit_bindings=False):
    """A virtualised list with a cursor."""

    BINDINGS = [*keymap.bindings("list")]
    ALLOW_SELECT = False
    COMPONENT_CLASSES = {f"memory-list--{name}" for name in Paint._fields}

    cursor: reactive[int] = reactive(0, repaint=False)
    """The place of the row that has the cursor."""

    class Highlighted(Message):
        """The cursor stands on another memory."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, MemoryList.Highlighted)

    class Opened(Message):
        """The user wants to read the memory under the cursor."""

    class Picked(Message):
        """The user wants everything about the memory under the cursor."""

    class Marked(Message):
        """Other memories are marked."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, MemoryList.Marked)

    class Cleared(Message):
        """The user wants the search cleared."""

    @dataclass
    class Arrived(Message):
        """Rows that came too late for their frame are here, or could not be read."""

        error: BaseException | None

    def __init__(self, glyphs: Glyphs, read: Read, worth: Worth) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._worth = worth
        self.kinds: Kinds = DEFAULT
        self.rows = Rows(read, lambda error: self.post_message(self.Arrived(error)))
        self.words: Sequence[str] = ()
        self.by_meaning: frozenset[Key] = frozenset()
        self.forgotten: set[Key] = set()
        self.marks = Marks()
        self.names_kinds = True
        """Whether there is room for the kind's word."""
        self.sort: Sort = "updated"
        self.now = 0.0
        self._paint: Paint | None = None
        self._strips: LRUCache[tuple[object, ...], Strip] = LRUCache(STRIPS)

    # --- what is shown

    def show(
        self,
        order: Sequence[Key],
        *,
        words: Sequence[str] = (),
        by_meaning: frozenset[Key] = frozenset(),
        keep: Key | None = None,
        read: Mapping[Key, Memory],
        fresh: bool = False,
    ) -> None:
        """Show `order`.

        Args:
            keep: the row that the cursor stays on, or, when it is not in `order`, whose place it
                keeps; None: the cursor goes to the top.
            words: what is marked in the titles.
            read: memories of the first page.
            fresh: forget the memories that were read before.
        """
        self.rows.replace(order, keep=not fresh)
        self.rows.hold(read)
        self.words, self.by_meaning = words, by_meaning
        place = self.rows.place(keep) if keep is not None else 0
        if place is None:
            place = max(0, min(self.cursor, len(order) - 1))
        self.virtual_size = Size(0, len(order))
        self._strips.clear()
        self.marks.show(order)
        self.set_reactive(MemoryList.cursor, place)
        self._follow()
        self.refresh()
        self.post_message(self.Highlighted())

    def extend(self, order: Sequence[Key], by_meaning: frozenset[Key]) -> None:
        """Show `order`, which differs from what is shown only in the rows found by meaning."""
        stood = self.key
        self.rows.replace(order)
        self.by_meaning = by_meaning
        self.marks.show(order)
        self.virtual_size = Size(0, len(order))
        self._strips.clear()
        self.refresh()
        if self.key != stood:
            place = None if stood is None else self.rows.place(stood)
            place = self.cursor if place is None else place
            self.set_reactive(MemoryList.cursor, self.validate_cursor(place))
            self._follow()
            self.post_message(self.Highlighted())

    def update_rows(self, rows: Mapping[Key, Memory]) -> None:
        """Show what has become of some memories."""
        self.rows.hold(rows)
        self._strips.clear()
        self.refresh()
        self.post_message(self.Highlighted())

    @property
    def key(self) -> Key | None:
        """The row under the cursor, None in an empty list."""
        return self.rows.order[self.cursor] if self.cursor < len(self.rows) else None

    @property
    def memory(self) -> Memory | None:
        """The memory under the cursor, None while it is not read."""
        self.rows.see(self.cursor, 1)
        return self.rows.at(self.cursor)

    def look_around(self) -> None:
        """Have the neighbouring pages read before they come into sight."""
        self.rows.look_around(self.scroll_offset.y, max(1, self.size.height))

    # --- drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        self.rows.see(self.scroll_offset.y, max(1, self.size.height))
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        place = y + self.scroll_offset.y
        width = self.size.width
        if place >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        key = self.rows.order[place]
        has_cursor = place == self.cursor
        memory = self.rows.at(place)
        is_marked = self.marks.has(key, place, self.cursor)
        cached = (key, width, has_cursor, is_marked, memory is None)
        strip = self._strips.get(cached)
        if strip is None:
            strip = self._draw(place, key, memory, has_cursor=has_cursor, is_marked=is_marked)
            self._strips[cached] = strip
        return strip

    def _draw(
        self, place: int, key: Key, memory: Memory | None, *, has_cursor: bool, is_marked: bool
    ) -> Strip:
        paint, width = self._styles(), self.size.width
        if memory is None:
            words = "no longer there" if self.rows.is_gone(place) else self.glyphs.signs.waiting
            line = [Segment(f"    {words}", paint.gone)]
        else:
            age = memory.created if self.sort == "created" else memory.updated
            worth = memory.confidence if self.sort == "confidence" else self._worth(memory)
            view = View(
                has_cursor, is_marked, key in self.by_meaning, key in self.forgotten, age, worth
            )
            line = row.segments(
                memory, view, row.columns(width, names_kinds=self.names_kinds), paint, self.glyphs,
                kinds=self.kinds, words=self.words, now=self.now,
            )  # fmt: skip
        base = paint.row + paint.cursor if has_cursor else paint.row
        return Strip(line).adjust_cell_length(width, base)

    def _styles(self) -> Paint:
        if self._paint is None:
            styles = {
                name: self.get_visual_style(f"memory-list--{name}").rich_style
                for name in Paint._fields
            }
            styles["cursor"] = _under(self.get_component_rich_style("memory-list--cursor"))
            self._paint = Paint(**styles)
        return self._paint

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._paint = None
        self._strips.clear()

    def tick(self, now: float) -> None:
        """Let the ages be counted from `now`."""
        self.now = now
        self._strips.clear()
        self.refresh()

    # --- cursor

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        if old != new:
            self._follow()
            if self.marks.anchor is None:
                self.refresh_line(old)
                self.refresh_line(new)
            else:
                self.show_marks()
            self.post_message(self.Highlighted())

    def _follow(self) -> None:
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False)

    def on_resize(self) -> None:
        self.virtual_size = Size(0, len(self.rows))
        self._strips.clear()
        self._follow()

    def action_cursor_down(self) -> None:
        self.cursor += 1

    def action_cursor_up(self) -> None:
        self.cursor -= 1

    def action_half_down(self) -> None:
        self.cursor += max(1, self.size.height // 2)

    def action_half_up(self) -> None:
        self.cursor -= max(1, self.size.height // 2)

    def action_page_down(self) -> None:
        self.cursor += max(1, self.size.height - 1)

    def action_page_up(self) -> None:
        self.cursor -= max(1, self.size.height - 1)

    def action_top(self) -> None:
        self.cursor = 0

    def action_bottom(self) -> None:
        self.cursor = len(self.rows) - 1

    def action_mark(self) -> None:
        """Mark the memory under the cursor, or unmark it, and go on; in a range: mark the range."""
        if self.key is None:
            return
        if self.marks.anchor is not None:
            self.marks.end(self.cursor)
        else:
            self.marks.toggle(self.key)
            self.cursor += 1
        self.show_marks()

    def show_marks(self) -> None:
        """Draw the marks as they are now."""
        self.refresh()
        self.post_message(self.Marked())

    def action_open(self) -> None:
        self.post_message(self.Opened())

    def action_clear_search(self) -> None:
        self.post_message(self.Cleared())

    def on_click(self, event: events.Click) -> None:
        place = event.y + self.scroll_offset.y
        if place < len(self.rows):
            self.cursor = place
            if event.ctrl or event.shift or event.x == MARK_COLUMN:
                self.marks.toggle(self.rows.order[place])
                self.show_marks()
            elif event.chain == 2:
                self.post_message(self.Picked())

    def on_memory_list_arrived(self, event: Arrived) -> None:
        if event.error is None:
            self.refresh()
            self.post_message(self.Highlighted())

    def on_unmount(self) -> None:
        self.rows.close()


def _under(style: Style) -> Style:
    """Only what the cursor changes: its background and the weight of the letters."""
    return Style(bgcolor=style.bgcolor, bold=style.bold, reverse=style.reverse)

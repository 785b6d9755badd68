"""The list of memories: any number of rows, drawn a line at a time.

It holds the order of the rows and what is special about some of them; it asks no store and decides
nothing. What a person does in it becomes a message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from cortex_core.memory import Memory
from cortex_tui import keymap
from cortex_tui.answers import Key, Sort
from cortex_tui.glyphs import Look
from cortex_tui.rows import Read, Rows
from cortex_tui.widgets import row
from cortex_tui.widgets.row import Paint, View

STRIPS = 512
"""Drawn lines kept."""


class MemoryList(ScrollView, can_focus=True, inherit_bindings=False):
    """A virtualised list with a cursor."""

    BINDINGS = [*keymap.bindings("list")]
    ALLOW_SELECT = False
    COMPONENT_CLASSES = {f"memory-list--{name}" for name in Paint._fields}

    cursor: reactive[int] = reactive(0, repaint=False)
    """The place of the row that has the cursor."""

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another memory."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, MemoryList.Highlighted)

    @dataclass
    class Opened(Message):
        """The person wants to read the memory under the cursor."""

    @dataclass
    class Cleared(Message):
        """The person wants the search cleared."""

    @dataclass
    class Arrived(Message):
        """Rows that came too late for their frame are here, or could not be read."""

        error: BaseException | None

    def __init__(self, look: Look, read: Read) -> None:
        super().__init__()
        self.look = look
        self.kinds: Kinds = DEFAULT
        self.rows = Rows(read, lambda error: self.post_message(self.Arrived(error)))
        self.words: Sequence[str] = ()
        self.by_meaning: frozenset[Key] = frozenset()
        self.forgotten: set[Key] = set()
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
        self.set_reactive(MemoryList.cursor, place)
        self._follow()
        self.refresh()
        self.post_message(self.Highlighted())

    def extend(self, order: Sequence[Key], by_meaning: frozenset[Key]) -> None:
        """Show `order`, which begins with the rows that are shown, and holds more."""
        was_empty = not len(self.rows)
        self.rows.replace(order)
        self.by_meaning = by_meaning
        self.virtual_size = Size(0, len(order))
        self.refresh()
        if was_empty:
            self.post_message(self.Highlighted())

    def update_row(self, key: Key, memory: Memory) -> None:
        """Show what has become of one memory."""
        self.rows.hold({key: memory})
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
        cached = (key, width, has_cursor, memory is None)
        strip = self._strips.get(cached)
        if strip is None:
            strip = self._draw(place, key, memory, has_cursor=has_cursor)
            self._strips[cached] = strip
        return strip

    def _draw(self, place: int, key: Key, memory: Memory | None, *, has_cursor: bool) -> Strip:
        paint, width = self._styles(), self.size.width
        if memory is None:
            words = "no longer there" if self.rows.is_gone(place) else self.look.glyphs.waiting
            line = [Segment(f"    {words}", paint.gone)]
        else:
            age = memory.created if self.sort == "created" else memory.updated
            view = View(has_cursor, key in self.by_meaning, key in self.forgotten, age)
            line = row.segments(
                memory, view, row.columns(width, names_kinds=self.names_kinds), paint, self.look,
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
            self.refresh_line(old)
            self.refresh_line(new)
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

    def action_open(self) -> None:
        self.post_message(self.Opened())

    def action_clear_search(self) -> None:
        self.post_message(self.Cleared())

    def on_click(self, event: events.Click) -> None:
        place = event.y + self.scroll_offset.y
        if place < len(self.rows):
            self.cursor = place
            if event.chain == 2:
                self.action_open()

    def on_memory_list_arrived(self, event: Arrived) -> None:
        if event.error is None:
            self.refresh()
            self.post_message(self.Highlighted())

    def on_unmount(self) -> None:
        self.rows.close()


def _under(style: Style) -> Style:
    """Only what the cursor changes: its background and the weight of the letters."""
    return Style(bgcolor=style.bgcolor, bold=style.bold, reverse=style.reverse)

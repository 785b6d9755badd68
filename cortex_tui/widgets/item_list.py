"""A list of things in columns, with a cursor and marks: ledger rows, rules, settings, checks.

It holds words that are ready to be shown and knows nothing of what they stand for. What the user
does in it becomes a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cortex_tui import keymap
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.row import fit

GAP = 2
"""Blank cells between two columns."""
EDGE = 4
"""Cells before the first column: the cursor, and whether the row is marked."""
STYLES = ("row", "muted", "accent", "warning", "error", "gone", "head", "cursor")


class Column(NamedTuple):
    """One column of a list."""

    title: str
    width: int = 0
    """Cells; 0: what the others leave."""
    right: bool = False
    """Whether its words end at the right."""
    from_width: int = 0
    """Cells that the list must have for it to be shown."""


class Cell(NamedTuple):
    """The words in one column."""

    words: str
    style: str = "row"
    """One of `STYLES`."""


class Item(NamedTuple):
    """One line of the list."""

    key: str
    """What it is known by, so that cursor and marks stay with it."""
    cells: tuple[Cell, ...]
    """One a column."""
    is_gone: bool = False
    """Decided on here; it stays struck through until the list is read again."""
    sign: str = ""
    """What has become of it then, in one cell."""


class ItemList(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines in columns, their headings above them."""

    BINDINGS = [*keymap.bindings("items")]
    ALLOW_SELECT = False
    COMPONENT_CLASSES = {f"item-list--{name}" for name in STYLES}

    cursor: reactive[int] = reactive(0, repaint=False)
    """The place of the line that has the cursor."""

    class Highlighted(Message):
        """The cursor stands on another line."""

    class Entered(Message):
        """The user wants to act on the line under the cursor."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.columns: Sequence[Column] = ()
        self.items: Sequence[Item] = ()
        self.marked: set[str] = set()
        self.empty: Sequence[Content] = ()
        """What is said where there is no line."""
        self._paint: dict[str, Style] = {}

    def show(self, columns: Sequence[Column], items: Sequence[Item], keep: str | None) -> None:
        """Show `items`; the cursor stays on the one known as `keep`, else about where it is."""
        self.columns, self.items = columns, items
        self.marked &= {item.key for item in items}
        places = [place for place, item in enumerate(items) if item.key == keep]
        place = places[0] if places else max(0, min(self.cursor, len(items) - 1))
        self.virtual_size = Size(0, len(items) + 1)
        self.set_reactive(ItemList.cursor, place)
        self._follow()
        self.refresh()
        self.post_message(self.Highlighted())

    @property
    def item(self) -> Item | None:
        """The line under the cursor, None where there is none."""
        return self.items[self.cursor] if self.cursor < len(self.items) else None

    def chosen(self) -> list[str]:
        """The keys of the marked lines, else of the one under the cursor."""
        marked = [item.key for item in self.items if item.key in self.marked]
        return marked or ([self.item.key] if self.item else [])

    def toggle_mark(self) -> None:
        """Mark the line under the cursor, or unmark it, and go on to the next."""
        if self.item is not None:
            self.marked ^= {self.item.key}
            self.refresh()
            self.cursor += 1

    # --- drawing

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if not self.items:
            return self._blank(y, width)
        if y == 0:
            return self._head(width)
        place = y - 1 + self.scroll_offset.y
        if place >= len(self.items):
            return Strip.blank(width, self.rich_style)
        has_cursor = place == self.cursor
        line = list(self._line(self.items[place], width, has_cursor=has_cursor))
        base = self._style("row")
        if has_cursor:
            line = list(Segment.apply_style(line, post_style=self._style("cursor")))
            base += self._style("cursor")
        return Strip(line).adjust_cell_length(width, base)

    def _blank(self, y: int, width: int) -> Strip:
        """A line of what is said where there is nothing, under an empty one."""
        wrapped = [line for said in self.empty for line in (said.wrap(max(1, width - 4)) or [said])]
        if not 0 < y <= len(wrapped):
            return Strip.blank(width, self.rich_style)
        style = self._style("head" if y == 1 else "muted")
        words = Segment(f"  {wrapped[y - 1].plain}", style)
        return Strip([words]).adjust_cell_length(width, self.rich_style)

    def _head(self, width: int) -> Strip:
        style = self._style("muted")
        parts = [Segment(" " * EDGE, style)]
        for column, cells in self._fitting(width):
            words = column.title
            laid = _laid(words, cells, column.right, self.glyphs.signs.ellipsis)
            parts.append(Segment(laid, style))
            parts.append(Segment(" " * GAP, style))
        return Strip(parts).adjust_cell_length(width, style)

    def _line(self, item: Item, width: int, *, has_cursor: bool) -> Iterator[Segment]:
        signs = self.glyphs.signs
        accent = self._style("accent")
        yield Segment(f"{signs.cursor if has_cursor else ' '} ", accent)
        mark = signs.dot if item.key in self.marked else item.sign or " "
        yield Segment(f"{mark} ", accent)
        shown = dict(zip(self.columns, item.cells, strict=True))
        for column, cells in self._fitting(width):
            words, name = shown[column]
            style = self._style("gone") + Style(strike=True) if item.is_gone else self._style(name)
            laid = _laid(words, cells, column.right, signs.ellipsis)
            text = laid.strip()
            before = len(laid) - len(laid.lstrip()) if text else 0
            yield Segment(" " * before, self._style("row"))
            yield Segment(text, style)
            yield Segment(" " * (cells - before - cell_len(text) + GAP), self._style("row"))

    def _fitting(self, width: int) -> list[tuple[Column, int]]:
        """The columns that a list `width` cells wide shows, and how wide each is."""
        shown = [column for column in self.columns if column.from_width <= width]
        fixed = EDGE + sum(column.width + GAP for column in shown)
        open_ = [column for column in shown if not column.width]
        share = max(4, (width - fixed) // max(1, len(open_)))
        return [(column, column.width or share) for column in shown]

    def _style(self, name: str) -> Style:
        if not self._paint:
            self._paint = {
                one: self.get_visual_style(f"item-list--{one}").rich_style for one in STYLES
            }
            cursor = self.get_component_rich_style("item-list--cursor")
            self._paint["cursor"] = Style(
                bgcolor=cursor.bgcolor, bold=cursor.bold, reverse=cursor.reverse
            )
        return self._paint[name]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._paint = {}

    # --- cursor

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self.items) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        if old != new:
            self._follow()
            self.refresh()
            self.post_message(self.Highlighted())

    def _follow(self) -> None:
        top, height = self.scroll_offset.y, max(1, self.size.height - 1)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False)

    def on_resize(self) -> None:
        self.virtual_size = Size(0, len(self.items) + 1)
        self._follow()

    def action_move(self, step: int) -> None:
        self.cursor += step

    def action_page(self, step: int) -> None:
        self.cursor += step * max(1, self.size.height - 2)

    def action_top(self) -> None:
        self.cursor = 0

    def action_bottom(self) -> None:
        self.cursor = len(self.items) - 1

    def on_click(self, event: events.Click) -> None:
        place = event.y - 1 + self.scroll_offset.y
        if event.y > 0 and place < len(self.items):
            self.cursor = place
            if event.chain == 2:
                self.post_message(self.Entered())

    def action_enter(self) -> None:
        self.post_message(self.Entered())


def _laid(words: str, cells: int, right: bool, ellipsis: str) -> str:
    """`words` in exactly `cells` cells."""
    if right and cell_len(words) < cells:
        return " " * (cells - cell_len(words)) + words
    return fit(words, cells, ellipsis)

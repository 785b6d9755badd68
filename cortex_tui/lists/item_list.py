"""A list of things in columns, with a cursor and marks: ledger rows, rules, settings, checks.

It holds words that are ready to be shown and knows nothing of what they stand for. What the user
does in it becomes a message.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.strip import Strip

from cortex_tui import keymap
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import CursorList
from cortex_tui.widgets.lines import fit

GAP = 2
"""Blank cells between two columns."""
EDGE = 4
"""Cells before the first column: the cursor, and whether the row is marked."""
STYLES = ("row", "muted", "accent", "warning", "error", "gone", "head", "cursor")


class ListColumn(NamedTuple):
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


class ListItem(NamedTuple):
    """One line of the list."""

    key: str
    """What it is known by, so that cursor and marks stay with it."""
    cells: tuple[Cell, ...]
    """One a column."""
    is_gone: bool = False
    """Decided on here; it stays struck through until the list is read again."""
    sign: str = ""
    """What has become of it then, in one cell."""


class ItemList(CursorList):
    """Lines in columns, their headings above them."""

    BINDINGS = [*keymap.bindings("items")]
    COMPONENT_CLASSES = {f"item-list--{name}" for name in STYLES}
    HEAD = 1

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.columns: Sequence[ListColumn] = ()
        self.items: Sequence[ListItem] = ()
        self.marked: set[str] = set()
        self.empty: Sequence[Content] = ()
        """What is said where there is no line."""

    def show(
        self, columns: Sequence[ListColumn], items: Sequence[ListItem], keep: str | None
    ) -> None:
        """Show `items`; the cursor stays on the one known as `keep`, else about where it is."""
        self.columns, self.items = columns, items
        self.marked &= {item.key for item in items}
        kept = [index for index, item in enumerate(items) if item.key == keep]
        self.renew(kept[0] if kept else self.cursor)

    @property
    def item(self) -> ListItem | None:
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

    def count(self) -> int:
        return len(self.items)

    def state(self, index: int) -> Hashable:
        return index, self.items[index].key in self.marked

    def render_line(self, y: int) -> Strip:
        return super().render_line(y) if self.items else self._blank(y, self.size.width)

    def draw(self, index: int, width: int, *, has_cursor: bool) -> Strip:
        line = list(self._line(self.items[index], width, has_cursor=has_cursor))
        base = self.paint()["row"]
        if has_cursor:
            cursor = self.paint()["cursor"]
            line = list(Segment.apply_style(line, post_style=cursor))
            base += cursor
        return Strip(line).adjust_cell_length(width, base)

    def _blank(self, y: int, width: int) -> Strip:
        """A line of what is said where there is nothing, under an empty one."""
        wrapped = [line for said in self.empty for line in (said.wrap(max(1, width - 4)) or [said])]
        if not 0 < y <= len(wrapped):
            return Strip.blank(width, self.rich_style)
        style = self.paint()["head" if y == 1 else "muted"]
        words = Segment(f"  {wrapped[y - 1].plain}", style)
        return Strip([words]).adjust_cell_length(width, self.rich_style)

    def draw_head(self, width: int) -> Strip:
        style = self.paint()["muted"]
        parts = [Segment(" " * EDGE, style)]
        for column, cells in self._fitting(width):
            words = column.title
            laid = _laid(words, cells, column.right, self.glyphs.signs.ellipsis)
            parts.append(Segment(laid, style))
            parts.append(Segment(" " * GAP, style))
        return Strip(parts).adjust_cell_length(width, style)

    def _line(self, item: ListItem, width: int, *, has_cursor: bool) -> Iterator[Segment]:
        signs = self.glyphs.signs
        accent = self.paint()["accent"]
        yield Segment(f"{signs.cursor if has_cursor else ' '} ", accent)
        mark = signs.dot if item.key in self.marked else item.sign or " "
        yield Segment(f"{mark} ", accent)
        shown = dict(zip(self.columns, item.cells, strict=True))
        for column, cells in self._fitting(width):
            words, name = shown[column]
            style = (
                self.paint()["gone"] + Style(strike=True) if item.is_gone else self.paint()[name]
            )
            laid = _laid(words, cells, column.right, signs.ellipsis)
            text = laid.strip()
            before = len(laid) - len(laid.lstrip()) if text else 0
            yield Segment(" " * before, self.paint()["row"])
            yield Segment(text, style)
            yield Segment(" " * (cells - before - cell_len(text) + GAP), self.paint()["row"])

    def _fitting(self, width: int) -> list[tuple[ListColumn, int]]:
        """The columns that a list `width` cells wide shows, and how wide each is."""
        shown = [column for column in self.columns if column.from_width <= width]
        fixed = EDGE + sum(column.width + GAP for column in shown)
        open_ = [column for column in shown if not column.width]
        share = max(4, (width - fixed) // max(1, len(open_)))
        return [(column, column.width or share) for column in shown]


def _laid(words: str, cells: int, right: bool, ellipsis: str) -> str:
    """`words` in exactly `cells` cells."""
    if right and cell_len(words) < cells:
        return " " * (cells - cell_len(words)) + words
    return fit(words, cells, ellipsis)

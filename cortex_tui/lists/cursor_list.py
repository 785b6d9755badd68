"""Lists with a cursor: scrolling, keys, mouse, cached lines.

`CursorList` is the base of every list of the app. It draws one line at a time, only those in sight,
and keeps what it has drawn; user actions are posted as messages. `ItemList` shows things in
columns; `LineList` shows lines of any kind, with headings that cannot be chosen.
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from cortex_tui import keymap
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.lines import cut, fit

STRIPS = 512
"""Drawn lines kept."""


class CursorList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows, one of which has the cursor.

    Subclasses define `count` and `draw`, `state` where a row's look depends on more than its index,
    and `lay_rows` where a row has more than one line; they call `renew` when the rows have changed.
    `COMPONENT_CLASSES` name the styles that `paint` returns; one of them ends in `--cursor`.
    """

    BINDINGS = [*keymap.bindings("moving")]
    BORDER_TITLE = "Reading"  # until it lists something
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
        self.starts: Sequence[int] = (0,)
        """The first line of each row, and the line after the last one."""
        self.empty: Sequence[str] = ()
        """What is said where there is no row: a heading, and what to do."""

    # --- what subclasses say

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def draw(self, index: int, part: int, width: int, *, has_cursor: bool) -> Strip:
        """A line of the row at `index`, the first one for part 0, exactly `width` cells wide."""
        raise NotImplementedError

    def state(self, index: int) -> Hashable:
        """What decides how the row at `index` is drawn, apart from its width and the cursor."""
        return index

    def draw_head(self, width: int) -> Strip:
        """The line above the rows, where there is one."""
        return Strip.blank(width, self.rich_style)

    def lay_rows(self) -> Sequence[int]:
        """What `starts` is: one line a row."""
        return range(self.count() + 1)

    def line_of(self, index: int) -> int:
        """The line that the row at `index` begins on, counted from the first row."""
        return self.starts[min(index, len(self.starts) - 1)]

    def row_at(self, line: int) -> int:
        """The row that has a line, counted as in `line_of`; the last one has those below it."""
        return max(0, bisect_right(self.starts, line, hi=len(self.starts) - 1) - 1)

    def index_at(self, x: int, y: int) -> int | None:
        """The row under a cell of the widget, None where there is none."""
        line = y - self.HEAD + self.scroll_offset.y
        return self.row_at(line) if y >= self.HEAD and line < self.starts[-1] else None

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
        self.starts = self.lay_rows()
        self.virtual_size = Size(0, self.HEAD + self.starts[-1])
        self.refresh()

    @property
    def in_sight(self) -> int:
        """How many lines fit into the widget, at least one."""
        return max(1, self.size.height - self.HEAD)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self.empty and not self.count():
            return self._blank(y, width)
        if y < self.HEAD:
            return self.draw_head(width)
        line = y - self.HEAD + self.scroll_offset.y
        if line >= self.starts[-1]:
            return Strip.blank(width, self.rich_style)
        index = self.row_at(line)
        has_cursor, part = index == self.cursor, line - self.starts[index]
        kept = (self.state(index), part, width, has_cursor)
        strip = self._strips.get(kept)
        if strip is None:
            strip = self._strips[kept] = self.draw(index, part, width, has_cursor=has_cursor)
        return strip

    def _blank(self, y: int, width: int) -> Strip:
        """A line of what is said where there is no row, under an empty line."""
        room = max(1, width - 4)
        said = [line for one in self.empty for line in cut(self.glyphs.line(one), room)]
        if not 0 < y <= len(said):
            return Strip.blank(width, self.rich_style)
        words = Segment(f"  {said[y - 1]}", self.paint()["title" if y == 1 else "muted"])
        return Strip([words]).adjust_cell_length(width, self.rich_style)

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
            for index in (old, new):
                first = self.line_of(index)
                self.refresh_lines(self.HEAD + first, self.line_of(index + 1) - first)
            self.post_message(self.Highlighted())

    def follow(self) -> None:
        """Scroll so that the cursor is in sight."""
        line, top, height = self.line_of(self.cursor), self.scroll_offset.y, self.in_sight
        if line < top:
            self.scroll_to(y=line, animate=False)
        elif (below := self.line_of(self.cursor + 1) - height) > top:
            self.scroll_to(y=below, animate=False)

    def move(self, step: int) -> None:
        """Move the cursor by `step` rows."""
        self.cursor += step

    def action_page(self, share: float) -> None:
        """Move the cursor by a share of the rows in sight, -1 to 1."""
        rows = self.in_sight * self.count() // max(1, self.starts[-1])
        self.move(int(share * max(1, rows - 1)))

    def action_move(self, step: int) -> None:
        self.move(step)

    def action_pick(self) -> None:
        self.post_message(self.Picked())

    def on_click(self, event: events.Click) -> None:
        inside = event.get_content_offset(self)
        index = None if inside is None else self.index_at(inside.x, inside.y)
        if index is not None:
            self.cursor = index
            self.clicked(event, index)


ITEM_GAP = 2
"""Blank cells between two columns."""
ITEM_EDGE = 4
"""Cells before the first column: the cursor, and the outcome."""
ITEM_STYLES = ("row", "muted", "accent", "warning", "error", "gone", "title", "cursor")


class ListColumn(NamedTuple):
    """One column of a list."""

    title: str
    width: int = 0
    """Most cells; fewer where no line needs them. 0: what the others leave."""
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
    """What it is known by, so that the cursor stays with it."""
    cells: tuple[Cell, ...]
    """One a column."""
    is_gone: bool = False
    """Already decided; it stays struck through until the list is read again."""
    sign: str = ""
    """The outcome, as a sign of one cell."""


class ItemList(CursorList):
    """Lines in columns, their headings above them."""

    COMPONENT_CLASSES = {f"item-list--{name}" for name in ITEM_STYLES}
    HEAD = 1

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.columns: Sequence[ListColumn] = ()
        self.items: Sequence[ListItem] = ()
        self._longest: Sequence[int] = ()
        """Cells of the longest words in each column."""

    def show(
        self, columns: Sequence[ListColumn], items: Sequence[ListItem], keep: str | None
    ) -> None:
        """Show `items`; the cursor stays on the one known as `keep`, else about where it is."""
        self.columns, self.items = columns, items
        words = zip(*((cell.words for cell in item.cells) for item in items), strict=True)
        self._longest = [max(map(cell_len, column)) for column in words] or [0] * len(columns)
        kept = [index for index, item in enumerate(items) if item.key == keep]
        self.renew(kept[0] if kept else self.cursor)

    @property
    def item(self) -> ListItem | None:
        """The line under the cursor, None where there is none."""
        return self.items[self.cursor] if self.cursor < len(self.items) else None

    # --- drawing

    def count(self) -> int:
        return len(self.items)

    def draw(self, index: int, part: int, width: int, *, has_cursor: bool) -> Strip:
        line = list(self._line(self.items[index], width, has_cursor=has_cursor))
        base = self.paint()["row"]
        if has_cursor:
            cursor = self.paint()["cursor"]
            line = list(Segment.apply_style(line, post_style=cursor))
            base += cursor
        return Strip(line).adjust_cell_length(width, base)

    def draw_head(self, width: int) -> Strip:
        style = self.paint()["muted"]
        parts = [Segment(" " * ITEM_EDGE, style)]
        for column, cells in self._fitting(width):
            words = column.title
            laid = _laid(words, cells, column.right, self.glyphs.signs.ellipsis)
            parts.append(Segment(laid, style))
            parts.append(Segment(" " * ITEM_GAP, style))
        return Strip(parts).adjust_cell_length(width, style)

    def _line(self, item: ListItem, width: int, *, has_cursor: bool) -> Iterator[Segment]:
        signs = self.glyphs.signs
        accent = self.paint()["accent"]
        yield Segment(f"{signs.cursor if has_cursor else ' '} ", accent)
        yield Segment(f"{item.sign or ' '} ", accent)
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
            yield Segment(" " * (cells - before - cell_len(text) + ITEM_GAP), self.paint()["row"])

    def _fitting(self, width: int) -> list[tuple[ListColumn, int]]:
        """The columns that a list `width` cells wide shows, and how wide each is.

        One that is empty in every line is left out. What is left goes to those without a width of
        their own: to each what it needs, if there is enough.
        """
        shown = {
            column: longest
            for column, longest in zip(self.columns, self._longest, strict=True)
            if longest and column.from_width <= width
        }
        cells = {
            column: min(column.width, max(longest, cell_len(column.title)))
            for column, longest in shown.items()
        }
        room = width - ITEM_EDGE - sum(taken + ITEM_GAP for taken in cells.values())
        open_ = sorted((column for column in shown if not column.width), key=lambda x: shown[x])
        for others, column in zip(range(len(open_) - 1, -1, -1), open_, strict=True):
            share = max(4, room // (others + 1))
            cells[column] = min(share, shown[column]) if others else share
            room -= cells[column]
        return list(cells.items())


def _laid(words: str, cells: int, right: bool, ellipsis: str) -> str:
    """`words` in exactly `cells` cells."""
    if right and cell_len(words) < cells:
        return " " * (cells - cell_len(words)) + words
    return fit(words, cells, ellipsis)


LINE_MARGIN = 2
"""Cells at the left, for the cursor's sign."""
LINE_EDGE = 1
"""Blank cells at the right."""


class ListLine(NamedTuple):
    """One line of the list."""

    key: Hashable
    """What identifies it; None for a heading."""
    draw: Callable[..., Content]
    """Draws it in the given number of cells."""
    wraps: bool = False
    """Whether it can be drawn on several lines: their greatest number is then given too."""


def quiet_line(words: str) -> ListLine:
    """A line that is only read."""
    return ListLine(
        None, lambda width: Content.styled(words, "$muted").truncate(width, ellipsis=True)
    )


class LineList(CursorList, can_focus=False):
    """The list. A line that wraps does so where all others have room as well."""

    COMPONENT_CLASSES = {"line-list--cursor", "line-list--sign"}

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.lines: Sequence[ListLine] = ()
        self._said: dict[tuple[int, int, int], Sequence[Content]] = {}
        """What rows say on so many lines of so many cells."""

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

    def lay_rows(self) -> Sequence[int]:
        self._said.clear()
        return self.laid_in(self.size.height)

    def laid_in(self, height: int) -> Sequence[int]:
        """What `starts` is in a list of so many lines: no row is out of sight because others
        wrap."""
        starts, spare = [0], height - len(self.lines)
        for index, line in enumerate(self.lines):
            lines = len(self._drawn(index, spare + 1)) if line.wraps and spare > 0 else 1
            spare -= lines - 1
            starts.append(starts[-1] + lines)
        return starts

    def _drawn(self, index: int, most: int) -> Sequence[Content]:
        """What the row at `index` says, on at most so many lines."""
        room = max(1, self.size.width - LINE_MARGIN - LINE_EDGE)
        drawn = self._said.get((index, most, room))
        if drawn is None:
            line = self.lines[index]
            content = line.draw(room, most) if line.wraps else line.draw(room)
            drawn = [one.truncate(room) for one in content.split()]
            self._said[index, len(drawn), room] = drawn
        return drawn

    def draw(self, index: int, part: int, width: int, *, has_cursor: bool) -> Strip:
        room = width - LINE_MARGIN - LINE_EDGE
        said = self._drawn(index, self.line_of(index + 1) - self.line_of(index))
        # Until the rows are laid out in another width, one may need fewer lines than it has.
        if room <= 0 or part >= len(said):
            return Strip.blank(width, self.rich_style)
        chosen = has_cursor and self.lines[index].key is not None
        drawn = Visual.to_strips(
            self, said[part], room, 1, self.visual_style, apply_selection=False
        )
        sign = self.glyphs.signs.cursor if chosen else " "
        segments = [
            Segment(f"{sign:<{LINE_MARGIN}}", self.paint()["sign"]),
            *(drawn[0] if drawn else ()),
        ]
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


class PickList(LineList, can_focus=True):
    """A list with the keyboard, one of several on its screen: only then its cursor is shown."""

    def draw(self, index: int, part: int, width: int, *, has_cursor: bool) -> Strip:
        return super().draw(index, part, width, has_cursor=has_cursor and self.has_focus)

    def on_focus(self) -> None:
        self.redraw()
        self.post_message(self.Highlighted())

    def on_blur(self) -> None:
        self.redraw()

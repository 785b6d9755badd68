"""The map of memories: places, links drawn in braille, names of what lies together, a cursor.

`MapSheet` lays it out, values in and cells out; `MapView` is the widget.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from cortex_core.base import text
from cortex_core.base.kinds import DEFAULT, Kinds
from cortex_tui import keymap
from cortex_tui.actions.map_actions import MapLink, MapPoint
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.memory_list import FADED
from cortex_tui.widgets.lines import FAMILIES, fit

MOST_LINES = 400
"""Links that are drawn when none is of the memory at hand; more would be a blot."""
AREAS = 3
"""Areas a side, each of which has a name."""
FEWEST = 3
"""Memories from which an area has a name."""
NAMED = 2
"""Words of a name."""
TITLED, TITLE = 40, 26
"""Memories in sight up to which each has its title on the map, and cells of that title."""
HEARD = 150
"""Memories of an area whose words are looked at, about; more say the same."""
NEAR = 5
"""Lines on which room for a name is looked for."""
FARTHEST = 16
"""The closest look: a sixteenth of each side is shown."""
EMPTY, FULL = "\u2800", "\u28ff"
"""The braille signs without a dot and with all; the others are between them."""
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille sign, by line and column."""
STYLES = ("accent", "knowledge", "history", "faint", "muted", "title", "cursor")


Window = tuple[float, float, float]
"""The left and the upper edge of what is shown of a map, and how much of each side that is."""
Cells = dict[tuple[int, int], tuple[str, str]]
"""What is in a cell (line, column): a sign, and the name of its style."""


def window_of(point: MapPoint, zoom: int) -> Window:
    """What is shown when one looks closely at `point`."""
    share = 1 / zoom
    left, top = (max(0.0, min(1 - share, one - share / 2)) for one in (point.x, point.y))
    return left, top, share


class MapSheet:
    """A part of a map in `width` times `height` cells, whatever memory is at hand."""

    def __init__(
        self,
        points: Sequence[MapPoint],
        links: Sequence[MapLink],
        window: Window,
        width: int,
        height: int,
    ) -> None:
        self.points, self.links, self.window = points, links, window
        self.width, self.height = width, height
        left, top, share = window
        across, down = (width - 1) / share, (height - 1) / share
        places = ((round((p.y - top) * down), round((p.x - left) * across)) for p in points)
        self.seen = {
            index: at
            for index, at in enumerate(places)
            if 0 <= at[0] < height and 0 <= at[1] < width
        }
        """The cell of each memory that is in sight, by its number."""
        self.cells: Cells = {}
        self.titles: dict[int, list[tuple[int, int]]] = {}
        """The cells of the title of each memory that has its title on the map."""

    def lay_out(self, kinds: Kinds, glyphs: Glyphs, way: Sequence[int] = ()) -> None:
        """Draw memories, a `way` with its titles, names where there is room, then links where
        nothing is."""
        # Of those in one cell the last is seen: of 10,000 that is a fifth.
        for at, index in {at: index for index, at in self.seen.items()}.items():
            point = self.points[index]
            kind = kinds.known(point.kind)
            family = FAMILIES.get(kind.name, "knowledge")
            self.cells[at] = (glyphs.kind(kind), "faint" if point.band in FADED else family)
        self._write_titles([one for one in way if one in self.seen], glyphs, "title")
        for first, second in itertools.pairwise(way):
            self.line(self.cells, first, second, "accent", glyphs)
        if len(self.seen) > TITLED:
            for name, (line, column) in self._names(glyphs):
                self._write_near(name, line, column - cell_len(name) // 2)
        else:
            self._write_titles([one for one in self.seen if one not in way], glyphs, "muted")
        typed = [one for one in self.links if one[2] != "relates_to"]
        for first, second, _ in typed[:MOST_LINES]:
            self.line(self.cells, first, second, "faint", glyphs)

    def line(self, cells: Cells, first: int, second: int, style: str, glyphs: Glyphs) -> None:
        """Draw a straight line of dots between two memories that are both in sight."""
        begins, ends = self.seen.get(first), self.seen.get(second)
        if begins is None or ends is None:
            return
        down, right = (ends[0] - begins[0]) * 4, (ends[1] - begins[1]) * 2
        steps = max(abs(down), abs(right), 1)
        for step in range(steps + 1):
            y = begins[0] * 4 + 2 + round(down * step / steps)
            x = begins[1] * 2 + 1 + round(right * step / steps)
            at = (y // 4, x // 2)
            known, hue = cells.get(at, (EMPTY, style))
            if EMPTY <= known <= FULL:
                dotted = chr(ord(known) | DOTS[y % 4][x % 2])
                cells[at] = ("." if glyphs.ascii_only else dotted, hue)

    def _names(self, glyphs: Glyphs) -> Iterator[tuple[str, tuple[int, int]]]:
        """The most telling words of each area, with how many are there, and the middle of these."""
        seen, areas = self.seen, dict[tuple[int, int], list[int]]()
        for index, at in seen.items():
            area = (at[0] * AREAS // self.height, at[1] * AREAS // self.width)
            areas.setdefault(area, []).append(index)
        heard = [i for members in areas.values() for i in members[:: 1 + len(members) // HEARD]]
        words = {index: set(text.content_words(self.points[index].title)) for index in heard}
        overall = Counter(word for one in words.values() for word in one)
        for members in areas.values():
            if len(members) < FEWEST:
                continue
            counts = Counter(word for index in members for word in words.get(index, ()))
            # A word tells of an area what it is the more often there than elsewhere.
            telling = sorted(counts, key=lambda word: (-(counts[word] ** 2) / overall[word], word))
            shown = [word for word in telling if counts[word] > 1][:NAMED]
            line, column = (sum(seen[index][n] for index in members) for n in (0, 1))
            if shown:
                between = f" {glyphs.signs.between} "
                name = f"{glyphs.line(between.join(shown))} ({len(members):,})"
                yield name, (line // len(members), column // len(members))

    def _write_titles(self, of: Sequence[int], glyphs: Glyphs, style: str) -> None:
        """Write titles right behind their memories or right before them, or a reader takes one for
        another's."""
        for index in of:
            line, column = self.seen[index]
            title = glyphs.line(self.points[index].title)
            title = fit(title, TITLE, glyphs.signs.ellipsis).rstrip()
            for begin in (column + 2, column - 1 - cell_len(title)):
                if self._is_free(line, begin, cell_len(title)):
                    self._write(f" {title} ", line, begin - 1, style)
                    self.titles[index] = [(line, begin + x) for x in range(cell_len(title))]
                    break

    def _is_free(self, line: int, begin: int, length: int) -> bool:
        """Whether so many cells are in sight, and nothing is in them or next to them."""
        around = range(begin - 1, begin + length + 1)
        in_sight = begin >= 0 and begin + length < self.width
        return in_sight and not any((line, x) in self.cells for x in around)

    def _write_near(self, name: str, line: int, column: int) -> None:
        """Write a name from a cell on, or near it, where it covers nothing."""
        begin = max(0, min(column, self.width - cell_len(name) - 1))
        for y in sorted(range(self.height), key=lambda one: abs(one - line))[:NEAR]:
            if self._is_free(y, begin, cell_len(name)):
                self._write(name, y, begin, "muted")
                return

    def _write(self, name: str, line: int, begin: int, style: str) -> None:
        for letter in name:
            wide = cell_len(letter)
            for offset in range(wide):
                self.cells[line, begin + offset] = ("" if offset else letter, style)
            begin += wide


def nearest(points: Sequence[MapPoint], cursor: int, down: int, right: int) -> int:
    """The memory that is nearest in a direction; the same one where there is none."""
    here, best, least = points[cursor], cursor, float("inf")
    for index, one in enumerate(points):
        dx, dy = one.x - here.x, one.y - here.y
        along = dx * right + dy * down
        away = abs(dx) if down else abs(dy)
        if index != cursor and along > 0 and (cost := along + 2 * away) < least:
            best, least = index, cost
    return best


class MapView(Widget, can_focus=True):
    """The map; the cursor is on one of its memories."""

    BINDINGS = [*keymap.bindings("moving"), *keymap.bindings("sideways")]
    BORDER_TITLE = "Reading"
    COMPONENT_CLASSES = {f"map-view--{name}" for name in STYLES}
    ALLOW_SELECT = False

    cursor: reactive[int] = reactive(0)
    zoom: reactive[int] = reactive(1)
    way: reactive[Sequence[int]] = reactive(())
    """Memories along a way, which is drawn."""

    class MapMoved(Message):
        """The cursor is on another memory."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, MapView.MapMoved)

    class MapOpened(Message):
        """The user opens the memory under the cursor."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.kinds: Kinds = DEFAULT
        self.points: Sequence[MapPoint] = ()
        self.links: Sequence[MapLink] = ()
        self._sheet: MapSheet | None = None
        self._own: Cells = {}
        """The links of the memory under the cursor, which are drawn where nothing else is."""
        self._own_of: tuple[MapSheet | None, int] = (None, 0)

    def show(self, points: Sequence[MapPoint], links: Sequence[MapLink], cursor: int) -> None:
        """Show other memories, the cursor on the one at `cursor`."""
        if [one.key for one in points] != [one.key for one in self.points]:
            self.set_reactive(MapView.way, ())
        self.points, self.links, self._sheet = points, links, None
        self.set_reactive(MapView.cursor, cursor)
        self.refresh()
        self.post_message(self.MapMoved())

    @property
    def point(self) -> MapPoint | None:
        """The memory under the cursor; None on an empty map."""
        return self.points[self.cursor] if self.cursor < len(self.points) else None

    def watch_cursor(self) -> None:
        self.post_message(self.MapMoved())

    def watch_way(self) -> None:
        self._sheet = None

    def sheet(self) -> MapSheet | None:
        """The map as it is drawn, drawn again only where another part is shown; None where there is
        nothing to draw."""
        point, size = self.point, self.size
        if point is None or not size.area:
            return None
        window, known = window_of(point, self.zoom), self._sheet
        if known is None or (known.window, known.width, known.height) != (window, *size):
            known = MapSheet(self.points, self.links, window, *size)
            known.lay_out(self.kinds, self.glyphs, self.way)
            self._sheet = known
        if self._own_of != (known, self.cursor):
            self._own, self._own_of = {}, (known, self.cursor)
            for first, second, _ in self.links:
                if self.cursor in (first, second):
                    known.line(self._own, first, second, "accent", self.glyphs)
        return known

    def render_line(self, y: int) -> Strip:
        sheet, width = self.sheet(), self.size.width
        if sheet is None:
            return Strip.blank(width, self.rich_style)
        paint = {name: self.get_visual_style(f"map-view--{name}").rich_style for name in STYLES}
        here, drawn, segments = sheet.seen.get(self.cursor), sheet.cells, []
        title = sheet.titles.get(self.cursor, ())
        for x in range(width):
            sign, name = drawn.get((y, x)) or self._own.get((y, x), (" ", "muted"))
            style = paint["title" if (y, x) in title else name]
            style += paint["cursor"] if (y, x) == here else Style()
            segments.append(Segment(sign, style))
        return Strip(segments).simplify().adjust_cell_length(width, self.rich_style)

    # --- keys and mouse

    def action_move(self, step: int) -> None:
        if self.points:
            self.cursor = nearest(self.points, self.cursor, 1 if step > 0 else -1, 0)

    def action_side(self, step: int) -> None:
        if self.points:
            self.cursor = nearest(self.points, self.cursor, 0, step)

    def action_pick(self) -> None:
        self.post_message(self.MapOpened())

    def on_click(self, event: events.Click) -> None:
        at, sheet = event.get_content_offset(self), self.sheet()
        if at is None or sheet is None:
            return
        seen = [
            (abs(line - at.y) * 2 + abs(column - at.x), index)
            for index, (line, column) in sheet.seen.items()
        ]
        self.cursor = min(seen)[1]
        if event.chain == 2:
            self.post_message(self.MapOpened())

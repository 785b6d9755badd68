"""The map of memories: places, links drawn in braille, names of what lies together, a cursor.

`MapSheet` lays it out, values in and cells out; `MapView` is the widget.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from cortex_core.base import text
from cortex_core.base.kinds import DEFAULT, Kinds
from cortex_tui import keymap
from cortex_tui.actions.map_actions import MapLink, MapPoint
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.memory_list import FADED, FAMILIES
from cortex_tui.widgets.lines import fit

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
NEAR = 5
"""Lines on which room for a name is looked for."""
FARTHEST = 16
"""The closest look: a sixteenth of each side is shown."""
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille sign, by line and column."""
STYLES = ("accent", "knowledge", "history", "faint", "muted", "cursor")


@dataclass
class MapSheet:
    """A map in `width` times `height` cells."""

    points: Sequence[MapPoint]
    links: Sequence[MapLink]
    cursor: int
    zoom: int
    way: Sequence[int]
    """Memories along a way, which is drawn."""
    width: int
    height: int
    cells: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    """What is in a cell (line, column): a sign, and the name of its style."""

    def lay_out(self, kinds: Kinds, glyphs: Glyphs) -> None:
        """Draw links, then memories over them, then names where there is room."""
        mine = [one for one in self.links if self.cursor in one[:2]]
        typed = [one for one in self.links if one[2] != "relates_to"]
        for style, links in (("faint", typed[:MOST_LINES]), ("accent", mine)):
            for first, second, _ in links:
                self._line(first, second, style, glyphs)
        for first, second in itertools.pairwise(self.way):
            self._line(first, second, "accent", glyphs)
        for index in [*range(len(self.points)), self.cursor]:
            point, at = self.points[index], self.cell(index)
            if at is not None:
                kind = kinds.known(point.memory.kind)
                faded = point.memory.band in FADED
                style = "faint" if faded else FAMILIES.get(kind.name, "knowledge")
                self.cells[at] = (glyphs.kind(kind), style)
        seen = {index: at for index in range(len(self.points)) if (at := self.cell(index))}
        if len(seen) <= TITLED:
            for index, (line, column) in seen.items():
                title = glyphs.line(self.points[index].memory.title)
                self._write(fit(title, TITLE, glyphs.signs.ellipsis).rstrip(), line, column + 2)
        else:
            for name, (line, column) in self._names(seen, glyphs):
                self._write(name, line, column - cell_len(name) // 2)

    def window(self) -> tuple[float, float, float]:
        """The left and the upper edge of what is shown, and how much of each side that is."""
        share = 1 / self.zoom
        here = self.points[self.cursor]
        edges = (max(0.0, min(1 - share, middle - share / 2)) for middle in (here.x, here.y))
        return (*edges, share)  # type: ignore[return-value]

    def cell(self, index: int) -> tuple[int, int] | None:
        """The cell of a memory, None where it is out of sight."""
        left, top, share = self.window()
        point = self.points[index]
        x, y = (point.x - left) / share, (point.y - top) / share
        if not (0 <= x <= 1 and 0 <= y <= 1):
            return None
        return round(y * (self.height - 1)), round(x * (self.width - 1))

    def _line(self, first: int, second: int, style: str, glyphs: Glyphs) -> None:
        """A straight line of dots between two memories that are both in sight."""
        begins, ends = self.cell(first), self.cell(second)
        if begins is None or ends is None:
            return
        down, right = (ends[0] - begins[0]) * 4, (ends[1] - begins[1]) * 2
        steps = max(abs(down), abs(right), 1)
        for step in range(steps + 1):
            y = begins[0] * 4 + 2 + round(down * step / steps)
            x = begins[1] * 2 + 1 + round(right * step / steps)
            at = (y // 4, x // 2)
            known = self.cells.get(at, ("\u2800", style))[0]
            bits = ord(known) | DOTS[y % 4][x % 2] if known >= "\u2800" else 0x2801
            self.cells[at] = ("." if glyphs.ascii_only else chr(bits), style)

    def _names(
        self, seen: Mapping[int, tuple[int, int]], glyphs: Glyphs
    ) -> Iterator[tuple[str, tuple[int, int]]]:
        """The most telling words of each area, with how many are there, and the middle of these."""
        areas: dict[tuple[int, int], list[int]] = {}
        for index, at in seen.items():
            area = (at[0] * AREAS // self.height, at[1] * AREAS // self.width)
            areas.setdefault(area, []).append(index)
        words = [set(text.content_words(one.memory.title)) for one in self.points]
        overall = Counter(word for one in words for word in one)
        for members in areas.values():
            if len(members) < FEWEST:
                continue
            counts = Counter(word for index in members for word in words[index])
            # A word tells of an area what it is the more often there than elsewhere.
            telling = sorted(counts, key=lambda word: (-(counts[word] ** 2) / overall[word], word))
            shown = [word for word in telling if counts[word] > 1][:NAMED]
            line, column = (sum(seen[index][n] for index in members) for n in (0, 1))
            if shown:
                between = f" {glyphs.signs.between} "
                name = f"{glyphs.line(between.join(shown))} ({len(members):,})"
                yield name, (line // len(members), column // len(members))

    def _write(self, name: str, line: int, column: int) -> None:
        """Write a name from a cell on, or near it, where it covers nothing."""
        length = cell_len(name)
        begin = max(0, min(column, self.width - length - 1))
        for y in sorted(range(self.height), key=lambda one: abs(one - line))[:NEAR]:
            if not any((y, x) in self.cells for x in range(begin - 1, begin + length + 1)):
                for offset, letter in enumerate(name):
                    self.cells[y, begin + offset] = (letter, "muted")
                return

    def nearest(self, down: int, right: int) -> int:
        """The memory that is nearest in a direction; the same one where there is none."""
        here = self.points[self.cursor]
        best, least = self.cursor, float("inf")
        for index, one in enumerate(self.points):
            dx, dy = one.x - here.x, one.y - here.y
            along = dx * right + dy * down
            away = abs(dx) if down else abs(dy)
            if index != self.cursor and along > 0 and (cost := along + 2 * away) < least:
                best, least = index, cost
        return best


class MapView(Widget, can_focus=True):
    """The map; the cursor is on one of its memories."""

    BINDINGS = [*keymap.bindings("moving"), *keymap.bindings("sideways")]
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
        self._sheet = None
        self.post_message(self.MapMoved())

    def watch_zoom(self) -> None:
        self._sheet = None

    def watch_way(self) -> None:
        self._sheet = None

    def on_resize(self) -> None:
        self._sheet = None

    def sheet(self) -> MapSheet | None:
        """The map as it is drawn; None where there is nothing to draw."""
        size: Size = self.size
        if self._sheet is None and self.points and size.area:
            self._sheet = MapSheet(
                self.points,
                self.links,
                self.cursor,
                self.zoom,
                self.way,
                size.width,
                size.height,
            )
            self._sheet.lay_out(self.kinds, self.glyphs)
        return self._sheet

    def render_line(self, y: int) -> Strip:
        sheet, width = self.sheet(), self.size.width
        if sheet is None:
            return Strip.blank(width, self.rich_style)
        paint = {name: self.get_visual_style(f"map-view--{name}").rich_style for name in STYLES}
        here = sheet.cell(self.cursor)
        segments = []
        for x in range(width):
            sign, name = sheet.cells.get((y, x), (" ", "muted"))
            style = paint[name] + paint["cursor"] if (y, x) == here else paint[name]
            segments.append(Segment(sign, style))
        return Strip(segments).simplify().adjust_cell_length(width, self.rich_style)

    # --- keys and mouse

    def action_move(self, step: int) -> None:
        if (sheet := self.sheet()) is not None:
            self.cursor = sheet.nearest(1 if step > 0 else -1, 0)

    def action_side(self, step: int) -> None:
        if (sheet := self.sheet()) is not None:
            self.cursor = sheet.nearest(0, step)

    def action_pick(self) -> None:
        self.post_message(self.MapOpened())

    def on_click(self, event: events.Click) -> None:
        at, sheet = event.get_content_offset(self), self.sheet()
        if at is None or sheet is None:
            return
        cells = ((index, sheet.cell(index)) for index in range(len(self.points)))
        seen = [(abs(one[0] - at.y) * 2 + abs(one[1] - at.x), index) for index, one in cells if one]
        self.cursor = min(seen)[1]
        if event.chain == 2:
            self.post_message(self.MapOpened())

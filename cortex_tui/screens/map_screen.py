"""The map of the project: memories by what they are about, their links, and ways between them."""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import cast

from rich.cells import cell_len
from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from cortex_core.base import text
from cortex_core.records.memory import EDGE_TYPES, EdgeType, Key, Memory, Neighbour
from cortex_tui import keymap
from cortex_tui.actions import map_actions as actions
from cortex_tui.actions.map_actions import MapPoint, MemoryMap
from cortex_tui.context import ASKS
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import LineList, ListLine, PickList, quiet_line
from cortex_tui.lists.map_view import FARTHEST, MapView
from cortex_tui.queries import ListQuery
from cortex_tui.screens.dialogs import Choose
from cortex_tui.screens.list_query import FilteredScreen, ListFilters
from cortex_tui.screens.memory_screen import MemoryScreen
from cortex_tui.screens.panes import OriginPane
from cortex_tui.session import refusal
from cortex_tui.themes import STYLES
from cortex_tui.widgets.lines import edge_arrow, edge_label, edge_sign, edge_warns, fit

SPANS = (("since:1w", "since   1w"), ("since:1mo", "since   1mo"))
"""The times that can be chosen as a filter."""


class MapScreen(FilteredScreen, MemoryScreen):
    """The map, and what the memory at hand is linked with."""

    PLACE = "map"
    SUBJECT = "The map"
    BINDINGS = [*keymap.bindings("map")]
    CSS_PATH = [STYLES / "lines.tcss", STYLES / "map.tcss"]
    AUTO_FOCUS = "MapView"

    view = getters.query_one(MapView)
    links = getters.query_one(PickList)

    def __init__(self, key: Key, query: ListQuery = ListQuery()) -> None:  # noqa: B008
        """Show the memories of `query`, the cursor on the one behind `key`."""
        super().__init__()
        self.key: Key | None = key
        self.memory: Memory | None = None
        """The memory that was read last of those under the cursor."""
        self.filters = ListFilters(self, self.ask)
        self.filters.query = query
        self.neighbours: dict[Hashable, Neighbour] = {}
        """What the memory at hand is linked with, by the line that says so."""
        self.trail: list[str] = []
        """Where one came from over links."""

    def body(self) -> ComposeResult:
        with Container(id="split"):
            yield MapView(self.glyphs)
            yield PickList(self.glyphs)
            yield OriginPane()

    # --- what is shown

    def ask(self, query: ListQuery) -> None:
        """Show the memories of another query."""
        self.filters.query = query
        self.load()

    def load(self) -> None:
        query = self.filters.query._replace(words="")
        self.fetch(
            partial(actions.survey, query=query), self._show, group="map", what="Laying out the map"
        )

    def _show(self, found: MemoryMap) -> None:
        self.revision = found.revision
        self.show_notice(not found.points)
        if not found.points:
            back = (self.context.keymap.first("move.back"), "go back")
            self.notice.inform("There is no memory to place.", [back])
            return
        if self.stores is not None:
            self.view.kinds = self.stores.cortex.config.kinds
        keys = [point.key for point in found.points]
        at = keys.index(self.key) if self.key in keys else min(self.view.cursor, len(keys) - 1)
        if self.key is not None and self.key not in keys:
            self.say("The map has active memories without the history, so not this.", warns=True)
        self.view.show(found.points, found.links, at)
        self._show_title()

    def _show_title(self) -> None:
        said = [
            f"{text.counted(len(self.view.points), 'memory', 'memories')}, by what they are about",
            *(str(chip) for chip in self.filters.query.chips),
            *([f"zoom {self.view.zoom}"] if self.view.zoom > 1 else []),
        ]
        self.view.border_title = self.glyphs.line(f" {self.glyphs.signs.between} ".join(said))

    def current(self) -> tuple[Key | None, Memory | None]:
        point, memory = self.view.point, self.memory
        if point is None:
            return None, None
        return point.key, memory if memory is not None and memory.id == point.id else None

    @on(MapView.MapMoved)
    def _moved(self) -> None:
        point = self.view.point
        if point is None:
            return
        self.key = point.key
        self.fetch(
            lambda stores: (
                stores.rows([point.key]).get(point.key),
                stores.cortex.graph.links(point.id),
            ),
            lambda found: self._show_at_hand(point, *found),
            group="memory",
            what="Reading the memory",
        )

    def _show_at_hand(
        self, point: MapPoint, memory: Memory | None, links: Sequence[Neighbour]
    ) -> None:
        self.memory = memory
        self.show_refused(memory, () if self.focused is self.links else ("map.unlink",))
        self.query_one(OriginPane).follow(memory)
        if self.view.way:
            self._show_way()
        else:
            self._show_links(links)
            self.links.border_title = self.glyphs.line(point.title)

    def _show_links(self, found: Sequence[Neighbour]) -> None:
        """Show the links, those worth having first: `relates_to` is in the background."""
        order = sorted(found, key=lambda one: (not edge_warns(one), one.edge.type == "relates_to"))
        self.neighbours = {f"{number} {one.edge.type}": one for number, one in enumerate(order)}
        lines = [ListLine(key, partial(self._link, one)) for key, one in self.neighbours.items()]
        nothing = "It has no links yet."
        self.links.show(lines or [quiet_line(nothing)])

    def _link(self, one: Neighbour, width: int) -> Content:
        style = "$text-error" if edge_warns(one) else "$muted"
        how = f"{edge_sign(one, self.glyphs)} {edge_label(one)} {edge_arrow(one, self.glyphs)} "
        status = "" if one.memory.status == "active" else f" ({one.memory.status})"
        title = self.glyphs.line(f"{one.memory.title}{status}")
        plain = "" if one.edge.type != "relates_to" else "$muted"
        title = fit(title, width - cell_len(how), self.glyphs.signs.ellipsis)
        return Content.assemble((how, style), (title, plain))

    def _show_way(self) -> None:
        """List what lies on the way in place of the links."""
        way, self.neighbours = self.view.way, {}
        self.links.border_title = f"The way: {text.counted(len(way) - 1, 'link')}"
        lines = [ListLine(index, partial(self._stage, at)) for at, index in enumerate(way)]
        self.links.show(lines, self.view.cursor)

    def _stage(self, at: int, width: int) -> Content:
        """A memory on the way, with the link that leads to it."""
        ends, signs = self.view.way[max(0, at - 1) : at + 1], self.glyphs.signs
        link = next((one for one in self.view.links if {*one[:2]} == {*ends}), None)
        how = f"{signs.dot} "
        if link is not None:
            how = f"{signs.arrow if link[0] == ends[0] else signs.back} {link[2].lower()} "
        title = self.glyphs.line(self.view.points[ends[-1]].title)
        return Content.assemble((how, "$muted"), fit(title, width - cell_len(how), signs.ellipsis))

    # --- walking and looking

    @on(MapView.MapOpened)
    def action_pick(self) -> None:
        """Show everything about the memory; from a link, put the other end in the middle."""
        if self.focused is self.links:
            self._walk()
        else:
            self.action_detail()

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the memories on the map, by their ids."""
        return {point.id: number for number, point in enumerate(self.view.points)}

    @on(LineList.Picked)
    def _walk(self) -> None:
        """Put the cursor on the other end; what no filter lets pass is shown by itself."""
        key, numbers = self.links.key, self.numbers
        one = self.neighbours.get(key)
        end = one.memory.id if one else self.view.points[key].id if isinstance(key, int) else ""
        if not end:
            self.say("There is no link under the cursor.", warns=True)
        elif end in numbers:
            self.trail.append(self.view.points[self.view.cursor].id)
            self.view.cursor = numbers[end]
            self.view.focus()
        else:
            self.context.action_show_memory(end)

    def action_map(self) -> None:
        self._walk()

    def action_back(self) -> None:
        """Drop the way, then back over the links that one followed, then out of the closer look,
        then leave."""
        numbers = self.numbers
        if self.view.way:
            self.view.way = ()
            self._moved()
        elif self.trail and (id := self.trail.pop()) in numbers:
            self.view.cursor = numbers[id]
        elif self.view.zoom > 1:
            self.action_zoom(-FARTHEST)
        else:
            super().action_back()

    def action_zoom(self, step: int) -> None:
        """Look closer around the memory at hand, or from farther away."""
        zoom = self.view.zoom * 2 if step > 0 else self.view.zoom // 2 if step == -1 else 1
        self.view.zoom = max(1, min(FARTHEST, zoom))
        self._show_title()

    def action_filter(self) -> None:
        self.filters.read(lambda options: self.filters.choose([*options, *SPANS]))

    def action_step(self, step: int) -> None:
        """Go to the next memory on the way; without one in the order of time, newest first."""
        along = self.view.way or range(len(self.view.points))
        at = along.index(self.view.cursor) if self.view.cursor in along else 0
        # A map may be empty.
        self.view.cursor = along[max(0, min(at + step, len(along) - 1))] if along else 0

    # --- links, and the way to another memory

    @work(group=ASKS)
    async def action_link(self) -> None:
        _, middle = self.current()
        if middle is None:
            self.say(refusal("memory.map", None), warns=True)
            return
        title = f"Link with “{self.glyphs.line(middle.title)}”"
        other = await self._pick(title, middle)
        if other is None:
            return
        title = f"How is it related to “{self.glyphs.line(other.title)}”?"
        chosen = await self.app.push_screen_wait(Choose(title, _choices(self.glyphs)))
        if chosen:
            type = cast("EdgeType", chosen.rstrip("<>"))
            ends = (other, middle) if chosen.endswith("<") else (middle, other)
            self.changes.do(lambda stores: actions.link(stores, *ends, type))

    async def _pick(self, title: str, of: Memory) -> Memory | None:
        """The memory of the same store that the user picks by its words; None for none."""
        found: dict[str, Memory] = {}

        def look(words: str) -> list[tuple[str, str]]:
            memories = actions.candidates(self.stores, words, of) if self.stores else []
            found.update((one.id, one) for one in memories)
            kinds, glyphs = self.view.kinds, self.glyphs
            return [
                (one.id, f"{glyphs.kind(kinds.known(one.kind))} {one.title}") for one in memories
            ]

        chosen = await self.app.push_screen_wait(Choose(title, (), look=look))
        return found.get(chosen or "")

    def action_unlink(self) -> None:
        one = self.neighbours.get(self.links.key)
        if one is None or self.focused is not self.links:
            self.say("Go to a link first: it is in the other pane.", warns=True)
        else:
            self.changes.do(lambda stores: actions.unlink(stores, one.edge))

    @work(group=ASKS)
    async def action_way(self) -> None:
        """Show the shortest way over links to another memory, and go along it."""
        _, here = self.current()
        if here is None:
            return
        other = await self._pick(f"The way from “{self.glyphs.line(here.title)}” to", here)
        numbers = self.numbers
        if other is None or here.id not in numbers:
            return
        end = numbers.get(other.id, -1)
        self.view.way = actions.way(self.view.links, numbers[here.id], end)
        if self.view.way:
            self.action_zoom(-FARTHEST)
            self._show_way()
            self.links.focus()
        else:
            self.say(f"No links lead there{'' if end >= 0 else ': it is not shown'}.", warns=True)


def _choices(glyphs: Glyphs) -> list[tuple[str, str]]:
    signs = glyphs.signs
    ways = (
        (">", f"{signs.arrow}  from the middle to it"),
        ("<", f"{signs.back}  from it to the middle"),
    )
    directed = (type for type in EDGE_TYPES if type != "relates_to")
    return [
        ("relates_to", f"{'relates_to':<15}{signs.rule}  either way"),
        *((f"{type}{end}", f"{type:<15}{said}") for type in directed for end, said in ways),
    ]

"""What a memory is linked with: walk from one to the next, draw links, change and remove them."""

from __future__ import annotations

from functools import partial
from typing import cast

from rich.cells import cell_len
from textual import getters, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from cortex_core.base import text
from cortex_core.base.errors import CortexError
from cortex_core.base.kinds import DEFAULT
from cortex_core.records.memory import EDGE_TYPES, Edge, EdgeType, Key, Memory
from cortex_tui import keymap
from cortex_tui.actions import detail_actions as actions
from cortex_tui.actions.detail_actions import Neighbourhood, Spot
from cortex_tui.context import Fetched
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.neighbour_map import MIDDLE, NeighbourMap, title_of
from cortex_tui.screens.dialogs import Choose, Dialog
from cortex_tui.screens.memory_screen import MemoryScreen
from cortex_tui.session import StoreSession, refusal
from cortex_tui.themes import STYLES
from cortex_tui.widgets.lines import fit
from cortex_tui.widgets.memory_sections import TextSection

PREVIEW_LENGTH = 3_000
"""Characters of the memory under the cursor that are shown."""
Candidates = tuple[tuple[Key, Memory], ...]
"""Memories that a link can be drawn to."""
NO_LINK = "The cursor is on the memory in the middle; go to a neighbour first."


class NeighboursScreen(MemoryScreen):
    """The neighbours of one memory."""

    PLACE = "map"
    BINDINGS = [*keymap.bindings("map")]
    CSS_PATH = [STYLES / "sections.tcss", STYLES / "neighbours.tcss"]
    AUTO_FOCUS = "NeighbourMap"

    map = getters.query_one(NeighbourMap)

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key
        """The memory in the middle."""
        self.depth = 1
        self.neighbourhood: Neighbourhood | None = None
        self.trail: list[tuple[Key, str, int]] = []
        """The memories that were in the middle before, their titles, and where the cursor was."""
        self._cursor = 0
        """Where the cursor goes when another memory is shown."""

    def body(self) -> ComposeResult:
        yield Static(id="crumbs")
        yield NeighbourMap(self.glyphs)
        yield Static(id="rest")
        preview = TextSection(self.glyphs, "", id="preview")
        preview.can_focus = False
        preview.border_title = "Text"
        yield preview

    # --- reading

    def load(self) -> None:
        reopen = self.has_class("-notice")
        self.fetch(
            partial(actions.neighbourhood, key=self.key, depth=self.depth, reopen=reopen),
            partial(self._surveyed, self.key),
            group="neighbours",
            what="Reading the neighbours",
        )

    def _surveyed(self, key: Key, neighbourhood: Neighbourhood | None) -> None:
        """Show the neighbours of the memory that was asked about; None if it is gone."""
        if key != self.key:
            return
        if neighbourhood is None:
            self._show_gone()
            return
        cursor = self._cursor_in(neighbourhood)
        self.neighbourhood, self.revision = neighbourhood, neighbourhood.revision
        if self.stores is not None:
            self.map.kinds = self.stores.cortex.config.kinds
        self.show_notice(False)
        self.map.show(neighbourhood, cursor)

    def _cursor_in(self, neighbourhood: Neighbourhood) -> int:
        """The index for the cursor: the link that it was on, if that is still there."""
        if self.neighbourhood is None or self.neighbourhood.key != neighbourhood.key:
            return self._cursor if neighbourhood.spots else MIDDLE
        spot = self.map.spot
        if spot is None:
            return MIDDLE
        names = [_name(one) for one in neighbourhood.spots]
        return names.index(_name(spot)) if _name(spot) in names else self.map.cursor

    def _show_gone(self) -> None:
        self.neighbourhood = None
        self.revision = None if self.stores is None else self.stores.cortex.workspace.revision()
        first = self.context.keymap.first
        self.show_notice(True)
        self.notice.warn(
            "This memory is no longer there",
            "It was removed, moved, or put into the trash, while it was open. Nothing else was "
            "changed.",
            [
                (first("move.back"), "go back"),
                (first("change.undo"), "take back the last change"),
                (first("page.refresh"), "read again"),
            ],
        )

    def current(self) -> tuple[Key | None, Memory | None]:
        neighbourhood, spot = self.neighbourhood, self.map.spot
        if neighbourhood is None:
            return None, None
        if spot is None:
            return neighbourhood.key, neighbourhood.memory
        return neighbourhood.keys.get(spot.neighbour.memory.id), spot.neighbour.memory

    # --- what is around the map

    @on(NeighbourMap.Highlighted)
    def _cursor_moved(self) -> None:
        self._show_crumbs()
        above, below = self.map.rest()
        words = [f"+{above:,} above"] if above else []
        words += [f"+{below:,} below"] if below else []
        if self.neighbourhood is not None and not self.neighbourhood.edges:
            plus = self.context.keymap.first("map.link")
            words = [f"It has no links yet. {plus} links it to another memory."]
        self.query_one("#rest", Static).update(Content.assemble(("   ".join(words), "$muted")))
        _, memory = self.current()
        self._show_preview(memory)
        middle = self.map.spot is None
        self.show_refused(memory, ("map.unlink",) if middle else ())

    def _show_preview(self, memory: Memory | None) -> None:
        """Show the beginning of what the memory under the cursor says, where there is room."""
        preview = self.query_one(TextSection)
        if memory is not None and preview.display:
            preview.heading = self.glyphs.line(memory.title)
            preview.show(memory.content[:PREVIEW_LENGTH])
            preview.refresh()

    def _show_crumbs(self) -> None:
        if self.neighbourhood is None:
            return
        signs, width = self.glyphs.signs, max(20, self.app.size.width - 2)
        facts = f"{text.counted(self.neighbourhood.edges, 'link')}"
        room = width - cell_len(facts) - 2
        trail = [self.glyphs.line(title) for _, title, _ in self.trail]
        trail.append(self.glyphs.line(self.neighbourhood.memory.title))
        arrow = f" {signs.arrow} "
        shown = [fit(trail.pop(), room // 2 if trail else room, signs.ellipsis).rstrip()]
        while trail:
            title = trail.pop()
            short = fit(title, min(24, cell_len(title)), signs.ellipsis).rstrip()
            if cell_len(arrow.join([signs.ellipsis, short, *shown])) > room:
                shown.insert(0, signs.ellipsis)
                break
            shown.insert(0, short)
        before, here = arrow.join([*shown[:-1], ""]), shown[-1]
        space = " " * max(2, width - cell_len(before + here) - cell_len(facts))
        self.query_one("#crumbs", Static).update(
            Content.assemble((before, "$muted"), (here, "bold"), space, (facts, "$muted"))
        )

    def on_resize(self) -> None:
        self._show_crumbs()

    # --- walking

    @on(NeighbourMap.Picked)
    def centre(self) -> None:
        key, memory = self.current()
        neighbourhood = self.neighbourhood
        if neighbourhood is None or memory is None or key is None:
            self.say(refusal("memory.map", None), warns=True)
        elif self.map.spot is None:
            self.action_detail()
        else:
            self.trail.append((neighbourhood.key, neighbourhood.memory.title, self.map.cursor))
            self._go(key, 0)

    def action_map(self) -> None:
        self.centre()

    def action_back(self) -> None:
        if self.trail:
            key, _, cursor = self.trail.pop()
            self._go(key, cursor)
        else:
            super().action_back()

    def _go(self, key: Key, cursor: int) -> None:
        self.key, self._cursor = key, cursor
        self.load()

    # --- links

    @work(group="linking")
    async def action_link(self) -> None:
        neighbourhood = self.neighbourhood
        if neighbourhood is None:
            self.say(refusal("memory.map", None), warns=True)
            return
        middle = neighbourhood.memory
        title = f"Link with “{self.glyphs.line(middle.title)}”"
        other = await self.app.push_screen_wait(PickMemory(title, middle))
        if other is None:
            return
        chosen = await self._relation(f"How is it related to “{self.glyphs.line(other.title)}”?")
        if chosen is not None:
            type, leads_there = chosen
            ends = (middle, other) if leads_there else (other, middle)
            self.changes.do(lambda stores: actions.link(stores, *ends, type))

    def action_unlink(self) -> None:
        spot = self.map.spot
        if spot is None:
            self.say(NO_LINK, warns=True)
            return
        edge: Edge = spot.neighbour.edge
        self.changes.do(lambda stores: actions.unlink(stores, edge))

    async def _relation(self, title: str) -> tuple[EdgeType, bool] | None:
        """A type, and whether the link leads away from the memory that is asked about."""
        chosen = await self.app.push_screen_wait(Choose(title, _choices(self.glyphs)))
        if not chosen:
            return None
        return cast("EdgeType", chosen.rstrip("<>")), not chosen.endswith("<")


def _choices(glyphs: Glyphs) -> list[tuple[str, str]]:
    signs = glyphs.signs
    choices = [("relates_to", f"{'relates_to':<15}{signs.rule}  either way")]
    for type in EDGE_TYPES:
        if type != "relates_to":
            choices.append((f"{type}>", f"{type:<15}{signs.arrow}  from the middle to it"))
            choices.append((f"{type}<", f"{type:<15}{signs.back}  from it to the middle"))
    return choices


def _name(spot: Spot) -> tuple[str, ...]:
    """What identifies an edge, apart from its type."""
    edge = spot.neighbour.edge
    return spot.neighbour.memory.id, *sorted((edge.source, edge.target))


# --- the memory at the other end of a new link


class PickMemory(Dialog[Memory | None]):
    """Lets the user pick a memory of the same store; None when the user leaves."""

    AUTO_FOCUS = "Input"

    choices = getters.query_one(OptionList)

    def __init__(self, title: str, of: Memory) -> None:
        """Offer the memories that `of` can be linked with."""
        super().__init__(title, default=None)
        self._of = of
        self._found: Candidates = ()

    def fields(self) -> ComposeResult:
        yield Input(placeholder="type words to search for", compact=True)
        yield OptionList(compact=True, markup=False)
        yield Static("", id="hint")
        yield self.hint(("enter", "choose"), ("move.back", "cancel"))

    def on_mount(self) -> None:
        self.choices.can_focus = False
        self._look("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._look(event.value)

    def _look(self, words: str) -> None:
        if self.context.stores is not None:
            self._search(partial(self._read, self.context.stores, words))

    def _read(self, stores: StoreSession, words: str) -> Fetched:
        try:
            candidates = actions.candidates(stores, words, self._of.scope, self._of.id)
        except CortexError as error:
            return Fetched(partial(self._offer, words, (), str(error)))
        return Fetched(partial(self._offer, words, tuple(candidates)))

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="pick",
        description="Looking for memories",
    )
    def _search(self, task: partial[Fetched]) -> None:
        self.post_message(task())

    @on(Fetched)
    def _fetched(self, event: Fetched) -> None:
        event.show()

    def _offer(self, words: str, found: Candidates, problem: str = "") -> None:
        """Show what holds `words`, unless others were typed meanwhile."""
        if words != self.query_one(Input).value:
            return
        glyphs, stores = self.context.glyphs, self.context.stores
        kinds = DEFAULT if stores is None else stores.cortex.config.kinds
        self._found = found
        self.choices.set_options(
            Option(Content(title_of(memory, kinds, glyphs))) for _, memory in found
        )
        self.choices.highlighted = 0 if found else None
        nothing = "" if found else "No other memory of this store has all of these words."
        self.query_one("#hint", Static).update(Content(glyphs.line(problem or nothing)))

    def action_move(self, step: int) -> None:
        if self._found:
            at = self.choices.highlighted or 0
            self.choices.highlighted = max(0, min(at + step, len(self._found) - 1))

    @on(Input.Submitted)
    def _entered(self) -> None:
        if self._found:
            self.dismiss(self._found[self.choices.highlighted or 0][1])

    @on(OptionList.OptionSelected)
    def _clicked_one(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._found[event.option_index][1])

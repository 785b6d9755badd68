"""Everything about one memory, in sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Static

from cortex_core.kinds import DEFAULT, Kinds
from cortex_core.memory import Key, Memory
from cortex_core.reports.detail import LinkedCode
from cortex_tui import keymap
from cortex_tui.actions import detail as actions
from cortex_tui.actions.detail import Portrait
from cortex_tui.glyphs import Glyphs
from cortex_tui.keys import TABLE
from cortex_tui.screens import wording
from cortex_tui.screens.acting import ActingScreen
from cortex_tui.screens.page import Page
from cortex_tui.session import StoreSession
from cortex_tui.themes import STYLES
from cortex_tui.widgets import portrait as drawing
from cortex_tui.widgets import prose
from cortex_tui.widgets.lines import Line, content
from cortex_tui.widgets.section import Drawn, Section
from cortex_tui.widgets.sections import Sections
from cortex_tui.widgets.text_section import TextSection

if TYPE_CHECKING:
    from cortex_tui.screens.memories import MemoriesScreen

MISSING = {"code": "No code is stored with this memory."}
"""Why a section is not there."""


@dataclass
class Portrayed(Message):
    """What is known about the memory is read."""

    portrait: Portrait | None
    """None: it is no longer there."""


class DetailScreen(Page, ActingScreen):
    """The detail of one memory."""

    PLACE = "detail"
    NAME = ""
    BINDINGS = [*keymap.bindings("detail")]
    CSS_PATH = [STYLES / "sections.tcss", STYLES / "detail.tcss"]
    AUTO_FOCUS = "#text"

    sections = getters.query_one(Sections)
    heading = getters.query_one("#heading", Static)

    def __init__(self, glyphs: Glyphs, key: Key) -> None:
        super().__init__(glyphs)
        self.key = key
        self.portrait: Portrait | None = None
        self.memory_id = ""
        self._looked = False

    def body(self) -> ComposeResult:
        glyphs = self.glyphs
        yield Static(id="heading")
        with Sections():
            with Vertical(id="reading"):
                yield TextSection(glyphs, "Text", id="text")
                yield Section(glyphs, "Code", id="code")
            with Vertical(id="facts"):
                yield Section(glyphs, "Standing", id="standing")
                yield Section(glyphs, "From", id="from")
                yield Section(glyphs, "Links", id="links")
                yield Section(glyphs, "History", id="history")
                yield Section(glyphs, "Receipts", id="receipts")

    # --- reading

    def load(self) -> None:
        afresh = self.has_class("-notice")
        self.fetch(
            partial(self._asked, self.key, self.memory_id, not self._looked, afresh),
            group="detail", what="Reading the memory",
        )  # fmt: skip

    @staticmethod
    def _asked(key: Key, name: str, opens: bool, afresh: bool, stores: StoreSession) -> Message:
        return Portrayed(actions.portrait(stores, key, name, opens=opens, afresh=afresh))

    @on(Portrayed)
    def _portrayed(self, event: Portrayed) -> None:
        self.portrait = event.portrait
        if event.portrait is None:
            self._tell_gone()
            return
        self.show_notice(False)
        self._show(event.portrait)

    def _tell_gone(self) -> None:
        stores = self.stores
        self.revision = None if stores is None else stores.cortex.workspace.revision()
        first = self.app.keymap.first
        self.show_notice(True)
        self.notice.warn(
            "This memory is no longer there",
            "It was removed, or put into the trash, while it was open. Nothing else was changed.",
            [(first("page.back"), "go back"), (first("change.undo"), "take back the last change"),
             (first("page.refresh"), "read again")],
        )  # fmt: skip

    @property
    def kinds(self) -> Kinds:
        """The kinds in force."""
        return DEFAULT if self.stores is None else self.stores.cortex.config.kinds

    def _show(self, seen: Portrait) -> None:
        memory, glyphs = seen.detail.memory, self.glyphs
        self.key, self.memory_id, self._looked = seen.key, memory.id, True
        self.revision = seen.revision
        self._show_heading()
        self.query_one(TextSection).show(memory.content)
        code = self.query_one("#code", Section)
        code.display = bool(seen.code)
        code.fill(partial(self._code, seen.code))
        total = sum(seen.detail.standing.values())
        self._fill("standing", lambda width: drawing.standing(seen, width, glyphs), f"{total:.2f}")
        self._fill("from", lambda width: drawing.origin(memory, seen.root, width, glyphs))
        self._fill(
            "links", lambda width: drawing.links(seen.links, self.kinds, width, glyphs),
            f"{len(seen.links):,}" if seen.links else "",
        )  # fmt: skip
        titles = {one.memory.id: f"“{one.memory.title}”" for one in seen.links}
        titles[memory.id] = "this"
        self._fill("history", lambda width: drawing.history(seen.revisions, titles, width, glyphs))
        given = seen.detail.receipts
        self._fill("receipts", lambda width: drawing.receipts(given, width, glyphs),
                   drawing.used(given))  # fmt: skip
        self.hints.disabled_keys = frozenset(
            key.id for key in TABLE if wording.refusal(key.id, memory)
        )

    def _fill(self, name: str, draw: Callable[[int], Iterable[Line]], note: str = "") -> None:
        self.query_one(f"#{name}", Section).fill(lambda width: list(draw(width)), note)

    def _show_heading(self) -> None:
        if self.portrait is not None:
            memory, width = self.portrait.detail.memory, max(20, self.app.size.width - 2)
            lines = drawing.heading(memory, self.kinds, self.glyphs, self._place(), width)
            self.heading.update(content(lines))

    def on_resize(self) -> None:
        self._show_heading()

    def _code(self, found: tuple[LinkedCode, ...], width: int) -> Drawn:
        paint = self.query_one("#code", Section).paint()
        lines: list[Line | Strip] = []
        for one in found:
            lines.append(drawing.place_of(one, width, self.glyphs))
            lines += prose.code(one.memory.content, one.path, one.first, width, paint, self.glyphs)
        return lines

    # --- acting

    def current(self) -> tuple[Key | None, Memory | None]:
        seen = self.portrait
        return (None, None) if seen is None else (seen.key, seen.detail.memory)

    def action_jump(self, name: str) -> None:
        if not self.sections.jump(name):
            self.say(MISSING[name], warns=True)

    def action_follow(self) -> None:
        section = self.sections.section
        if section is None or not section.targets:
            self.say("There is nothing to follow here; try the links or where it is from.",
                     warns=True)  # fmt: skip
        else:
            section.choose()

    @on(Section.Chosen)
    def _follow(self, event: Section.Chosen) -> None:
        seen = self.portrait
        if seen is None:
            return
        if event.section.id == "links":
            key = seen.link_keys.get(seen.links[event.target].memory.id)
            if key is not None:
                self.app.push_screen(DetailScreen(self.glyphs, key))
        elif event.section.id == "from":
            from cortex_tui.screens.turn import TurnScreen

            self.app.push_screen(TurnScreen(self.glyphs, seen.detail.memory, event.target))

    # --- along the list

    def _place(self) -> str:
        """Where the memory stands in the list it was opened from: `3 of 23`."""
        place, order = self._list()
        return "" if place is None else f"{place + 1:,} of {len(order):,}"

    def _list(self) -> tuple[int | None, Sequence[Key]]:
        """The place of this memory in the list below, and that list's order."""
        below = self._memories()
        if below is None:
            return None, ()
        return below.rows.rows.place(self.key), below.rows.rows.order

    def _memories(self) -> MemoriesScreen | None:
        from cortex_tui.screens.memories import MemoriesScreen

        stack = self.app.screen_stack
        at = stack.index(self) if self in stack else 0
        below = stack[at - 1] if at else None
        return below if isinstance(below, MemoriesScreen) else None

    def action_beside(self, step: int) -> None:
        place, order = self._list()
        below = self._memories()
        if below is None or place is None:
            self.say("It was not opened from the list, so there is no next one.", warns=True)
        elif not 0 <= place + step < len(order):
            self.say("This is the end of the list.", warns=True)
        else:
            below.rows.cursor = place + step
            self.memory_id, self._looked, self.key = "", False, order[place + step]
            self.sections.reset()
            self.load()

"""A screen of several sections, as capture and settings are: their names in a line, a list of what
the shown one holds, and a pane in which the thing under the cursor is read in full. Where things
come from a session, there is a third one with the turn.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len
from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from cortex_tui.context import Failed, context_of
from cortex_tui.lists.cursor_list import ItemList, ListColumn, ListItem
from cortex_tui.queries import Pulse, Revision
from cortex_tui.screens import memory_screen
from cortex_tui.screens.base import StoreScreen
from cortex_tui.screens.panes import OriginPane, ReadingPane
from cortex_tui.session import StoreSession
from cortex_tui.themes import STYLES
from cortex_tui.widgets.frame import Tab

Thing = TypeVar("Thing")
ACTS = ("memory.edit", "memory.restore", "memory.copy")
"""The keys that act on what the cursor is on."""


class TabLine(Widget):
    """The sections of a page; a click shows one."""

    shown: reactive[str] = reactive("")
    counts: reactive[Mapping[str, str]] = reactive({})
    """What is behind a label: how many, or what is wrong."""
    auto_links = False

    def __init__(self, tabs: Sequence[Tab]) -> None:
        super().__init__()
        self.tabs = tabs

    def render(self) -> Content:
        keys = context_of(self.app).keymap
        ways = " ".join(filter(None, map(keys.first, ("move.left", "move.right"))))
        return tab_line(self.tabs, self.shown, self.counts, self.size.width, ways)


def tab_line(
    tabs: Sequence[Tab], shown: str, counts: Mapping[str, str], width: int, keys: str = ""
) -> Content:
    """The sections in `width` cells, and the `keys` that go through them; where room is short,
    counts are left out, then the keys."""
    line = Content()
    hint = Content.assemble((f" {keys}", "$text-accent"), (" other sections", "$muted"))
    for gap, with_counts in ((3, True), (2, True), (1, True), (1, False)):
        pieces = [
            _piece(tab, tab.name == shown, counts.get(tab.name, "") if with_counts else "")
            for tab in tabs
        ]
        line = Content(" " * gap).join(pieces)
        if cell_len(line.plain) <= width - 2:
            break
    room = width - cell_len(line.plain) - cell_len(hint.plain) - 2
    return Content(" ") + line + (Content(" " * room) + hint if keys and room > 0 else Content())


def _piece(tab: Tab, is_shown: bool, count: str) -> Content:
    piece = Content.assemble(
        (tab.title, "bold underline $foreground" if is_shown else "$muted"),
        (f" {count}" if count else "", "$text-accent" if is_shown else "$muted"),
    )
    return piece.stylize(Style.from_meta({"@click": f"screen.section('{tab.name}')"}))


class TabbedScreen(StoreScreen, Generic[Thing]):
    """A screen of one or several sections.

    Subclasses define the sections, what they list, and how it is shown.
    """

    CSS_PATH = [STYLES / "tabbed.tcss"]
    AUTO_FOCUS = "ItemList"
    TABS: ClassVar[tuple[Tab, ...]]
    COLUMNS: ClassVar[Mapping[str, tuple[ListColumn, ...]]]

    shown: reactive[str] = reactive("", init=False)
    """The section that is shown."""

    rows = getters.query_one(ItemList)
    reader = getters.query_one(ReadingPane)

    def __init__(self, section: str = "") -> None:
        super().__init__()
        self.things: dict[str, dict[str, Thing]] = {}
        """What each section that was read lists, by key."""
        self._cursors: dict[str, str | None] = {}
        self._first = section or self.TABS[0].name

    def body(self) -> ComposeResult:
        if len(self.TABS) > 1:
            yield TabLine(self.TABS)
        with Container(id="split"):
            yield ItemList(self.glyphs)
            yield ReadingPane()
            yield OriginPane()

    # --- what subclasses say

    def read(self, stores: StoreSession, section: str) -> Sequence[Thing]:
        """What `section` lists; called in a worker."""
        raise NotImplementedError

    def key_of(self, thing: Thing) -> str:
        """What a thing is known by."""
        raise NotImplementedError

    def item(self, thing: Thing, section: str) -> ListItem:
        """The line of one thing."""
        raise NotImplementedError

    def about(self, thing: Thing, section: str) -> list[Content]:
        """All there is to read about one thing."""
        raise NotImplementedError

    def empty(self, section: str) -> Sequence[str]:
        """What is said where `section` lists nothing: a heading, and what to do."""
        raise NotImplementedError

    def found(self, things: Sequence[Thing]) -> Sequence[Thing]:
        """Those of the shown section's things that are shown, in their order."""
        return things

    def can_open(self, thing: Thing) -> bool:
        """Whether enter does something about a thing."""
        return True

    def keeps(self, section: str) -> bool:
        """Whether `section` is slow to read and is read again only on request."""
        return False

    def counts(self) -> Mapping[str, str]:
        """What is behind the names of the sections."""
        raise NotImplementedError

    # --- sections

    def start(self) -> None:
        self.set_reactive(TabbedScreen.shown, self._first)
        self._turn_to()
        self.watch(self.strip, "status", self.show_tabs, init=False)
        super().start()

    def show_part(self, part: str) -> None:
        """Show a section, at once or as soon as the page is there, the cursor on what is named
        behind it."""
        section, _, key = part.partition(" ")
        if key:
            self._cursors[section] = key
        if self.is_mounted:
            self.shown = section
        else:
            self._first = section

    def action_section(self, name: str) -> None:
        # The palette may have been opened on another screen than the one that is in front by now.
        if name in self.COLUMNS:
            self.shown = name
            self.rows.focus()

    def action_side(self, step: int) -> None:
        """From the pane to the list; there to the next section."""
        if self.focused is self.reader:
            self.rows.focus()
            return
        names = [tab.name for tab in self.TABS]
        self.shown = names[(names.index(self.shown) + step) % len(names)]

    def watch_shown(self, old: str, new: str) -> None:
        if self.rows.item is not None:
            self._cursors[old] = self.rows.item.key
        self._turn_to()
        self.load()

    def _turn_to(self) -> None:
        self.show_tabs()
        self.fill()

    def show_tabs(self) -> None:
        """Show the sections, the shown one marked, and what is behind their names."""
        for tabs in self.query(TabLine):
            tabs.shown, tabs.counts = self.shown, self.counts()

    def load(self) -> None:
        section = self.shown
        known = self.things.get(section) if self.keeps(section) else None

        def task(stores: StoreSession) -> tuple[Sequence[Thing], Revision]:
            revision = stores.cortex.workspace.revision()
            things = self.read(stores, section) if known is None else tuple(known.values())
            return things, revision

        if known is None and self.keeps(section):
            self.jobs.line.begin(f"Reading the {section}")
        show = partial(self._section_read, section)
        self.fetch(task, show, group=f"section-{section}", what=f"Reading the {section}")

    def beat(self, pulse: Pulse) -> None:
        if self.revision is None:
            # It could not be read while the stores were being opened.
            self.load()
        else:
            super().beat(pulse)

    def _section_read(self, section: str, read: tuple[Sequence[Thing], Revision]) -> None:
        things, revision = read
        self.show_notice(False)
        if not self.jobs.at_work:
            self.jobs.line.end()
        self.things[section] = {self.key_of(one): one for one in things}
        if section == self.shown:
            self.revision = revision
            self.fill()

    def failed(self, failed: Failed) -> None:
        super().failed(failed)
        if self.shown not in self.things:
            self.rows.empty = (failed.reason,)
            self.rows.show(self.COLUMNS[self.shown], [], None)

    def renew(self) -> None:
        self.things.pop(self.shown, None)
        super().renew()

    def action_refresh(self) -> None:
        self.things.pop(self.shown, None)
        super().action_refresh()

    def fill(self) -> None:
        """Show what is known of the section."""
        section, rows = self.shown, self.rows
        things = self.things.get(section)
        rows.empty = ["Reading …"] if things is None else self.empty(section)
        found = self.found(list((things or {}).values()))
        items = [self.item(thing, section) for thing in found]
        keep = rows.item.key if rows.item is not None else None
        if keep not in (things or {}):
            keep = self._cursors.get(section)
        rows.show(self.COLUMNS[section], items, keep)
        title = next(tab.title for tab in self.TABS if tab.name == section)
        count = f" {self.glyphs.signs.between} {len(items):,}" if things is not None else ""
        rows.border_title = title + count
        self.show_tabs()
        self.show_about()

    # --- the thing at hand

    @property
    def thing(self) -> Thing | None:
        """What the cursor is on."""
        item = self.rows.item
        return None if item is None else self.things.get(self.shown, {}).get(item.key)

    @on(ItemList.Highlighted)
    def _highlighted(self) -> None:
        self.show_about()
        self.highlighted()

    def highlighted(self) -> None:
        """Act on the cursor standing on another thing; the pane shows it already."""

    def show_about(self) -> None:
        """Show all there is to read about the thing at hand."""
        thing = self.thing
        self.reader.show([] if thing is None else self.about(thing, self.shown))
        nothing = ("move.open", *ACTS) if thing is None else ()
        self.hints.disabled_keys = frozenset(nothing)
        opens = thing is not None and self.can_open(thing)
        self.hints.hidden_keys = frozenset(() if opens else ("move.open",))

    def action_copy(self) -> None:
        thing = self.thing
        if thing is None:
            self.say("There is nothing under the cursor.", warns=True)
            return
        copied = "\n".join(line.plain for line in self.about(thing, self.shown))
        memory_screen.Copying(self).copy(copied, "all of it")

"""The log: every change of memories and settings, by whom, and undo and redo of each of them."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from textual import on
from textual.content import Content

from cortex_core.base import text
from cortex_core.records.changes import MemoryChange
from cortex_core.records.memory import Key, Memory
from cortex_tui import keymap
from cortex_tui.actions import log_actions as actions
from cortex_tui.actions.log_actions import LoggedChange
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import Cell, ItemList, ListColumn, ListItem
from cortex_tui.screens.dialogs import Ask, Choose
from cortex_tui.screens.tabbed import TabbedScreen
from cortex_tui.session import StoreSession
from cortex_tui.widgets.frame import Tab
from cortex_tui.widgets.lines import when_near
from cortex_tui.widgets.portrait import named_link, value_text

LONGEST_VALUE = 600
"""Characters of a value before or after a change that are shown."""

_COLUMNS = (
    ListColumn("when", 12),
    ListColumn("by", 20),
    ListColumn("no", 6, right=True, from_width=90),
    ListColumn("what was done"),
)
SECTIONS = (
    ("all", "All"),
    ("session", "Session"),
    ("you", "You"),
    ("agent", "Agent"),
    ("capture", "Capture"),
    ("imports", "Imports"),
)
_FATES = {"made": "new: ", "removed": "removed: ", "changed": ""}


class LogScreen(TabbedScreen[LoggedChange]):
    """Every change, newest first."""

    PLACE = NAME = "log"
    BINDINGS = [*keymap.bindings("log"), *keymap.bindings("sideways")]
    TABS = tuple(Tab(name, label) for name, label in SECTIONS)
    COLUMNS = {name: _COLUMNS for name, _ in SECTIONS}

    def __init__(self, section: str = "") -> None:
        super().__init__(section)
        self._words = ""
        """What is searched for."""
        self._values: dict[str, Sequence[MemoryChange]] = {}
        """What each change did, as far as it was read."""

    # --- what is listed

    def read(self, stores: StoreSession, section: str) -> Sequence[LoggedChange]:
        return actions.read_log(stores, section, self._words)

    def key_of(self, thing: LoggedChange) -> str:
        return thing.key

    def item(self, thing: LoggedChange, section: str) -> ListItem:
        line, newest = self.glyphs.line, thing.newest
        cells = (
            Cell(when_near(newest.time, self.context.now), "muted"),
            Cell(line(thing.by), "muted"),
            Cell("" if newest.is_setting else str(newest.number), "muted"),
            Cell(line(thing.sentence)),
        )
        sign = self.glyphs.signs.cross if thing.is_undone else ""
        return ListItem(thing.key, cells, is_gone=thing.is_undone, sign=sign)

    def about(self, thing: LoggedChange, section: str) -> list[Content]:
        values = () if thing.newest.is_setting else self._values.get(thing.key)
        return about_change(thing, values, self.glyphs)

    def empty(self, section: str) -> Sequence[str]:
        if self._words:
            return (
                f"No change matches “{self._words}”.",
                "A search looks in what was done and in titles, not in the values.",
            )
        if section == "session":
            return ("Nothing was changed in this app yet.", "What you change is listed here.")
        return ("Nothing was changed yet.",)

    def counts(self) -> Mapping[str, str]:
        return {self.shown: f"“{self.glyphs.line(self._words)}”"} if self._words else {}

    def can_open(self, thing: LoggedChange) -> bool:
        return bool(thing.memories)

    # --- what a change did

    def highlighted(self) -> None:
        thing = self.thing
        if thing is None or thing.newest.is_setting or thing.key in self._values:
            return
        self.fetch(
            lambda stores: [
                one
                for entry in thing.entries
                for one in stores.cortex.snapshots.changed_by(entry.number, entry.scope)
            ],
            partial(self._values_read, thing.key),
            group="values",
            what="Reading the change",
        )

    def _values_read(self, key: str, values: Sequence[MemoryChange]) -> None:
        self._values[key] = values
        self.show_about()

    @on(ItemList.Picked)
    def _open(self) -> None:
        thing = self.thing
        if thing is None:
            self.say("There is nothing under the cursor.", warns=True)
        elif thing.newest.is_setting:
            self.say("This changed no memory.", warns=True)
        else:
            self.fetch(
                lambda stores: stores.rows_of(thing.memories[: actions.MOST_OPENED]),
                self._memories_found,
                group="memories",
                what="Reading the memories",
            )

    def _memories_found(self, found: Mapping[Key, Memory]) -> None:
        rows = list(found.items())
        if not self.is_current:
            return  # a dialog was opened meanwhile
        if not rows:
            self.say("No memory that it changed is there any more.", warns=True)
        elif len(rows) == 1:
            self.context.go("detail", rows[0][0])
        else:
            options = [(str(number), memory.title) for number, (_, memory) in enumerate(rows)]
            self.app.push_screen(
                Choose(f"Open one of {len(rows)} memories", options),
                lambda chosen: self.context.go("detail", rows[int(chosen)][0]) if chosen else None,
            )

    # --- undo and redo of one change, and the search

    def action_restore(self) -> None:
        """Undo the change at hand, whatever was done since; redo it if it is undone."""
        thing = self.thing
        if thing is None:
            self.say("There is nothing under the cursor.", warns=True)
        else:
            verb: Literal["undo", "redo"] = "redo" if thing.is_undone else "undo"
            self.changes.do(lambda stores: stores.take_back(thing.newest, verb))

    def action_search(self) -> None:
        hint = "Words of the changes, a number, or asof: and a day; empty shows all."
        self.app.push_screen(Ask("Search the log", self._words, hint), self._search)

    def action_back(self) -> None:
        """Forget the words that were searched for, and only then leave."""
        if self._words:
            self._search("")
        else:
            super().action_back()

    def _search(self, words: str | None) -> None:
        if words is not None:
            self._words = words
            self.things.clear()
            self.load()


# --- words


def about_change(
    thing: LoggedChange, values: Sequence[MemoryChange] | None, glyphs: Glyphs
) -> list[Content]:
    """All there is to read about one change.

    Args:
        values: what it did, memory by memory; None while that is being read.
    """
    newest = thing.newest
    stamp = time.strftime("%d %b %Y, %H:%M:%S", time.localtime(newest.time))
    lines = [
        Content.assemble((glyphs.line(thing.sentence), "bold")),
        Content.assemble((glyphs.line(f"{stamp}, by {thing.by}"), "$muted")),
    ]
    if thing.is_undone:
        lines.append(Content.assemble(("undone", "$text-warning")))
    if values is None:
        return [*lines, Content(""), Content(glyphs.line("Reading …"))]
    titles = {one.id: one.title for one in values}
    for one in values:
        name = one.title or one.id[:8]
        lines += [Content(""), Content.assemble((_FATES[one.fate], "$muted"), glyphs.line(name))]
        lines += _fields(one, titles, glyphs)
    # Only the first memories are read: a change by a merge of everything can touch thousands.
    if (rest := len(thing.memories) - len(values)) > 0 and values:
        lines += [Content(""), Content(f"and {text.memories(rest)} more")]
    return lines


def _fields(one: MemoryChange, titles: Mapping[str, str], glyphs: Glyphs) -> list[Content]:
    """Each value before and after; links by the titles of their ends."""
    lines = []
    for field in one.fields:
        for sign, value, style in (("-", field.before, "$muted"), ("+", field.after, "")):
            if value is not None:
                said = named_link(str(value), titles) if field.name == "link" and value else value
                words = f"{field.name.replace('_', ' ')}: {value_text(said)}"[:LONGEST_VALUE]
                head = (f"  {sign} ", "$text-accent")
                lines.append(Content.assemble(head, (glyphs.line(words), style)))
    return lines

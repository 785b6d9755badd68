"""Your rules: how often each was kept, by past sessions, the calls that broke it, its triggers."""

from collections.abc import Mapping, Sequence

from textual import on
from textual.content import Content

from cortex_core.records.memory import Key, Memory
from cortex_tui import keymap
from cortex_tui.actions.project_actions import CheckedRule, checked_rules
from cortex_tui.lists.cursor_list import Cell, ItemList, ListColumn, ListItem
from cortex_tui.queries import Done
from cortex_tui.screens.capture_lines import about_checked
from cortex_tui.screens.memory_screen import MemoryScreen
from cortex_tui.screens.panes import OriginPane
from cortex_tui.screens.tabbed import TabbedScreen
from cortex_tui.session import StoreSession
from cortex_tui.widgets.frame import Tab
from cortex_tui.widgets.lines import bar, day

BAR = 10
"""Cells of the bar of a rule."""


class RulesScreen(TabbedScreen[CheckedRule], MemoryScreen):
    """The rules that tool calls can keep or break."""

    PLACE = NAME = "rules"
    SUBJECT = "The rules"
    BINDINGS = [*keymap.bindings("rules"), *keymap.bindings("sideways")]
    TABS = (Tab("rules", "Rules"),)
    COLUMNS = {
        "rules": (
            ListColumn("rule"),
            ListColumn("", BAR, from_width=90),
            ListColumn("kept", 17),
            ListColumn("last breach", 12, from_width=64),
            ListColumn("guard", 6, from_width=90),
            ListColumn("before", 15, from_width=110),
        )
    }

    # --- what is listed

    def read(self, stores: StoreSession, section: str) -> Sequence[CheckedRule]:
        return checked_rules(stores)

    def key_of(self, thing: CheckedRule) -> str:
        return thing.kept.memory.id

    def item(self, thing: CheckedRule, section: str) -> ListItem:
        rule = thing.kept
        is_gone = rule.memory.status != "active"
        share = bar(rule.kept / rule.occasions, self.glyphs, BAR) if rule.occasions else ""
        cells = (
            Cell(self.glyphs.line(rule.memory.title)),
            Cell(share, "accent"),
            Cell(rule.count, "row" if rule.checkable else "muted"),
            Cell(day(rule.last_breach) if rule.last_breach else "", "warning"),
            Cell("" if rule.memory.guard == "remind" else rule.memory.guard, "warning"),
            Cell(rule.before, "muted"),
        )
        return ListItem(rule.memory.id, cells, is_gone=is_gone)

    def about(self, thing: CheckedRule, section: str) -> list[Content]:
        return about_checked(thing, self.glyphs)

    def empty(self, section: str) -> Sequence[str]:
        first = self.context.keymap.first
        return (
            "No memory is recalled at tool calls, so nothing shows whether it is kept.",
            "A rule that names a command, a file or a phrase is counted here, by past sessions.",
            f"{first('go.memories')}, then {first('memory.set')}: set the calls of such a memory",
        )

    def counts(self) -> Mapping[str, str]:
        return {}

    # --- the memory at hand

    def current(self) -> tuple[Key | None, Memory | None]:
        thing = self.thing
        return (None, None) if thing is None else (thing.key, thing.kept.memory)

    def show_about(self) -> None:
        super().show_about()
        self.query_one(OriginPane).follow(None if self.thing is None else self.thing.kept)
        self.show_refused(self.current()[1])

    def changed(self, done: Done) -> None:
        self.things.clear()
        super().changed(done)

    @on(ItemList.Picked)
    def _open(self) -> None:
        self.action_detail()

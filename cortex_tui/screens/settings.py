"""The settings: every option, theme, key, model and store, what each does and where it comes from.

`SettingsChanges` writes them and keeps the way back; this screen shows what there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import on
from textual.content import Content
from textual.timer import Timer

from cortex_core.memory import Scope
from cortex_core.reports.care import ModelRecord, SettingRecord
from cortex_tui import keymap
from cortex_tui.actions import settings as actions
from cortex_tui.actions.settings import KeyChoice, StoreFact, ThemeChoice, Thing
from cortex_tui.keys import TABLE
from cortex_tui.lists.item_list import ItemList, ListItem
from cortex_tui.screens import settings_lines as lines
from cortex_tui.screens.settings_changes import SettingsChanges
from cortex_tui.screens.tabbed import Tab, TabbedScreen
from cortex_tui.session import StoreSession
from cortex_tui.themes import DEFAULT

TRYING = 0.08
"""Seconds from a move of the cursor to the theme it stands on."""


class SettingsScreen(TabbedScreen[Thing]):
    """What can be set."""

    PLACE = NAME = "settings"
    BINDINGS = [*keymap.bindings("page"), *keymap.bindings("settings")]
    COLUMNS = lines.COLUMNS
    TABS = tuple(
        Tab(name, name.capitalize(), f"settings.{name}")
        for name in ("options", "themes", "keys", "models", "stores")
    )
    ACTS = {
        "options": frozenset({"settings.change", "settings.reset", "settings.side"}),
        "themes": frozenset({"settings.change", "settings.reset", "settings.side"}),
        "keys": frozenset({"settings.change", "settings.reset", "settings.side"}),
        "models": frozenset({"settings.change", "settings.reembed"}),
        "stores": frozenset({"settings.change", "settings.trust"}),
    }

    def __init__(self, section: str = "") -> None:
        super().__init__(section)
        self.changing = SettingsChanges(self)
        self._trying: Timer | None = None

    def start(self) -> None:
        stores = self.stores
        if stores is not None and stores.cortex.project.root is None:
            self.changing.side = "global"
        super().start()

    # --- what is listed

    def read(self, stores: StoreSession, section: str) -> Sequence[Thing]:
        context = self.context
        if section == "themes":
            return actions.themes(context.theme_choices(), self._theme(), context.theme_problems)
        if section == "keys":
            return actions.keys(context.keymap, keymap.resolve({}), context.config.keys)
        if section == "models":
            return actions.models(stores)
        if section == "stores":
            return actions.store_facts(stores, str(context.themes_folder))
        return actions.options(stores)

    def key_of(self, thing: Thing) -> str:
        return actions.key(thing)

    def item(self, thing: Thing, section: str) -> ListItem:
        return ListItem(actions.key(thing), lines.cells(thing, self.glyphs))

    def about(self, thing: Thing, section: str) -> list[Content]:
        first = {
            key.id: self.context.keymap.first(key.id) for key in TABLE if key.place == "settings"
        }
        return lines.about(thing, self.glyphs, self.changing.side, first)

    def empty(self, section: str) -> Sequence[str]:
        return lines.EMPTY

    def counts(self) -> Mapping[str, str]:
        context, sign = self.context, self.glyphs.signs.status["quarantined"]
        found = {
            "keys": f"{sign}{len(context.keymap.problems)}" if context.keymap.problems else "",
            "themes": f"{sign}{len(context.theme_problems)}" if context.theme_problems else "",
        }
        status = self.strip.status
        if status is not None and not status.trusted:
            found["stores"] = sign
        return found

    # --- themes, tried on as the cursor stands on them

    def _theme(self) -> str:
        """The theme that is set."""
        name = self.context.config.get("theme")
        return name if name in self.app.available_themes else DEFAULT

    def highlighted(self) -> None:
        if self._trying is not None:
            self._trying.stop()
        self._trying = self.set_timer(TRYING, self._put_on)

    def _put_on(self) -> None:
        thing = self.current() if self.shown == "themes" else None
        tried = thing.name if isinstance(thing, ThemeChoice) and not thing.problem else ""
        wanted = tried or self._theme()
        if self.is_current and self.app.theme != wanted:
            self.app.theme = wanted

    def on_unmount(self) -> None:
        if self.app.theme != self._theme():
            self.app.theme = self._theme()

    # --- enter: what fits the thing

    @on(ItemList.Picked)
    def action_change(self) -> None:
        match self.current():
            case None:
                self.say("There is nothing under the cursor.", warns=True)
            case SettingRecord(name="theme"):
                self.action_section("themes")
            case SettingRecord(name="embedding.model"):
                self.action_section("models")
            case SettingRecord() as record:
                self.changing.change_setting(record)
            case ThemeChoice(problem="") as theme:
                self.changing.write("theme", theme.name)
            case ThemeChoice(problem=problem):
                self.say(f"This theme cannot be used: {problem}", warns=True)
            case KeyChoice() as choice:
                self.changing.change_key(choice)
            case ModelRecord() as model:
                self.changing.use_model(model)
            case StoreFact(name="trust"):
                self.changing.switch_trust()
            case StoreFact(name="capture"):
                self.context.action_go("capture", "ledger")
            case StoreFact():
                self.say("This is not changed here; it only says where it lies.", warns=True)

    def action_reset(self) -> None:
        if self.refuses("settings.reset"):
            return
        thing = self.current()
        if isinstance(thing, ThemeChoice):
            self.changing.reset("theme")
        elif isinstance(thing, KeyChoice):
            self.changing.reset(f"keys.{thing.id}")
        elif isinstance(thing, SettingRecord):
            self.changing.reset(thing.name)
        else:
            self.say("There is nothing under the cursor.", warns=True)

    def action_side(self) -> None:
        if self.refuses("settings.side"):
            return
        if self.stores is None or self.stores.cortex.project.root is None:
            self.say("There is no project here: only the global file is written.", warns=True)
            return
        other: Scope = "global" if self.changing.side == "project" else "project"
        self.changing.side = other
        self.say(f"Changes are written to the {other} file from now on.")
        self.show_about()

    def action_undo(self) -> None:
        self.changing.undo()

    def action_redo(self) -> None:
        self.changing.redo()

    def action_reembed(self) -> None:
        self.changing.reembed()

    def action_trust(self) -> None:
        self.changing.switch_trust()

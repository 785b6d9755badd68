"""The settings: options, themes and keys; health with sharing and stores; finds of capture.

`SettingsChanges` writes them; the screen shows what there is.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from textual import getters, on
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer

from cortex_core import Cortex
from cortex_core.base import fuzzy, text
from cortex_core.base.errors import UsageError
from cortex_core.base.settings import BY_NAME, UserSetting, find
from cortex_core.records.captures import RuleRecord, RuleSetting
from cortex_core.records.memory import OWN_SCOPES, Scope
from cortex_core.records.upkeep import CheckResult, SettingRecord
from cortex_tui import keymap
from cortex_tui.actions import project_actions as actions
from cortex_tui.actions.project_actions import KeyChoice, SettingsThing, StoreFact, ThemeChoice
from cortex_tui.actions.sharing_actions import FollowedTeam, Machines, is_used
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import Cell, ItemList, ListColumn, ListItem
from cortex_tui.screens import capture_lines
from cortex_tui.screens.dialogs import Ask, Choose, PressKey
from cortex_tui.screens.tabbed import TabbedScreen
from cortex_tui.session import StoreSession
from cortex_tui.themes import DEFAULT
from cortex_tui.widgets import sharing_lines
from cortex_tui.widgets.frame import Tab
from cortex_tui.widgets.lines import labelled
from cortex_tui.widgets.search_bar import SearchBar

SETTINGS_COLUMNS: Mapping[str, tuple[ListColumn, ...]] = {
    "options": (
        ListColumn("setting", 28),
        ListColumn("value"),
        ListColumn("what it is", from_width=96),
        ListColumn("from", 8),
    ),
    "themes": (ListColumn("", 1), ListColumn("theme"), ListColumn("of", 10)),
    "keys": (
        ListColumn("", 1),
        ListColumn("keys", 14),
        ListColumn("what it does"),
        ListColumn("action", 22, from_width=100),
    ),
    "health": (ListColumn("", 1), ListColumn("check", 20), ListColumn("found")),
    "finds": (
        ListColumn("rule", 20),
        ListColumn("finds are", 10),
        ListColumn("set", 6, from_width=90),
        ListColumn("your verdicts", 15),
        ListColumn("what it finds", from_width=70),
    ),
}
"""The columns of each section."""


def as_typed(value: Any) -> str:
    """A setting's value as it would be typed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(value) if isinstance(value, tuple | list) else str(value)


def setting_cells(thing: SettingsThing, glyphs: Glyphs, now: float) -> tuple[Cell, ...]:
    """The cells of one thing, one a column of its section."""
    signs = glyphs.signs
    warning = Cell(signs.status["quarantined"], "warning")
    # One place for all sections, so that a warning has the same sign in each.
    match thing:
        case SettingRecord():
            style = "muted" if thing.origin == "default" else "accent"
            value = as_typed(thing.value) or "nothing"
            return (
                Cell(glyphs.line(thing.name)),
                Cell(glyphs.line(value), style),
                Cell(glyphs.line(thing.help), "muted"),
                Cell(thing.origin, style),
            )
        case ThemeChoice():
            sign = Cell(signs.dot, "accent") if thing.is_chosen else Cell("")
            name = glyphs.line(thing.name)
            return warning if thing.problem else sign, Cell(name), Cell(thing.kind, "muted")
        case KeyChoice():
            keys = glyphs.line(thing.keys) or "none"
            style = "accent" if thing.written else "row" if thing.keys else "warning"
            return (
                warning if thing.problems else Cell(""),
                Cell(keys, style),
                Cell(glyphs.line(thing.tooltip)),
                Cell(glyphs.line(thing.id), "muted"),
            )
        case StoreFact():
            return (
                Cell("") if thing.is_well else warning,
                Cell(thing.name),
                Cell(glyphs.line(thing.value), "muted"),
            )
        case RuleRecord():
            return capture_lines.of_find(thing, glyphs)
        case CheckResult() | Machines() | FollowedTeam():
            return capture_lines.of_health(thing, glyphs, now)


def written_name(thing: SettingsThing) -> str:
    """The name under which a thing is written into a file of settings; "" for none."""
    match thing:
        case KeyChoice():
            return f"keys.{thing.id}"
        case ThemeChoice():
            return "theme"
        case SettingRecord():
            return thing.name
    return ""


def about_setting(
    thing: SettingsThing, glyphs: Glyphs, side: Scope, first: Callable[[str], str], now: float
) -> list[Content]:
    """All there is to read about one thing.

    Args:
        side: the file that is written to.
        first: the key of an action, by its id.
    """
    # Each kind of thing says how it is changed by the same key, so all of them are in one table.
    match thing:
        case SettingRecord():
            return _about_setting(thing, glyphs, side, first)
        case ThemeChoice():
            return _about_theme(thing, glyphs, side, first)
        case KeyChoice():
            return _about_key(thing, glyphs, side, first)
        case StoreFact():
            lines = [
                Content.styled(thing.name, "bold"),
                Content(glyphs.line(thing.about)),
                Content(""),
            ]
            lines.append(Content(glyphs.line(thing.value)))
            if act := _SWITCHED.get((thing.name, thing.is_well)):
                lines.append(_keys([("move.open", act)], first))
            return lines
        case RuleRecord():
            return [
                *capture_lines.about_find(thing, glyphs),
                _keys([("move.open", "set where its finds go")], first),
            ]
        case CheckResult():
            repairs = [_keys([("move.open", "repair this")], first)] if thing.fixable else []
            return [*capture_lines.about_check(thing, glyphs), *repairs]
        case Machines() | FollowedTeam():
            act = "exchange now" if isinstance(thing, Machines) else "read what the team approved"
            does = [_keys([("move.open", act)], first)] if is_used(thing) else []
            return [*sharing_lines.about(thing, glyphs, now), *does]


_SWITCHED = {
    ("trust", True): "stop trusting it",
    ("trust", False): "trust it",
    ("capture", True): "pause it",
    ("capture", False): "go on with it",
}
"""What enter does to a fact about a store, by whether it is well."""


def _about_setting(
    thing: SettingRecord, glyphs: Glyphs, side: Scope, first: Callable[[str], str]
) -> list[Content]:
    says = {scope: as_typed(thing.written[scope]) for scope in thing.written}
    lines = [
        Content.styled(glyphs.line(thing.name), "bold"),
        Content(glyphs.line(thing.help)),
        Content(""),
    ]
    lines += [
        labelled("now", as_typed(thing.value) or "nothing", glyphs),
        labelled("takes", thing.allowed, glyphs),
        labelled("by default", as_typed(thing.default) or "nothing", glyphs),
    ]
    lines += [labelled(f"{scope} file", value, glyphs) for scope, value in says.items()]
    if len(says) == 2:
        lines.append(
            Content.assemble(("The project's file has priority over the global one.", "$muted"))
        )
    return [*lines, Content(""), _writes(side), _keys(_CHANGES, first)]


def _about_theme(
    thing: ThemeChoice, glyphs: Glyphs, side: Scope, first: Callable[[str], str]
) -> list[Content]:
    if thing.problem:
        return [
            Content.styled("This theme cannot be used", "bold"),
            Content(glyphs.line(thing.problem)),
        ]
    words = "The theme in use." if thing.is_chosen else "This is a preview; it is not saved yet."
    return [
        Content.styled(glyphs.line(thing.name), "bold"),
        Content(words),
        Content(""),
        Content.assemble(
            ("accent ", "$text-accent"),
            ("warning ", "$text-warning"),
            ("error ", "$text-error"),
            ("muted ", "$muted"),
            ("faint", "$faint"),
        ),
        Content(""),
        _writes(side),
        _keys([("move.open", "use it")], first),
    ]


def _about_key(
    thing: KeyChoice, glyphs: Glyphs, side: Scope, first: Callable[[str], str]
) -> list[Content]:
    lines = [Content.styled(glyphs.line(thing.id), "bold"), Content(glyphs.line(thing.tooltip))]
    lines += [Content.assemble((glyphs.line(one), "$text-warning")) for one in thing.problems]
    lines += [
        Content(""),
        labelled("counts", thing.place, glyphs),
        labelled("keys", thing.keys or "none", glyphs),
        labelled("by default", thing.default or "none", glyphs),
        Content(""),
    ]
    as_written = f'[keys] "{thing.id}" = "{thing.written}"' if thing.written else "nothing"
    lines.append(labelled("in the file", as_written, glyphs))
    return [*lines, _writes(side), _keys(_CHANGES, first)]


_CHANGES = [
    ("memory.edit", "change"),
    ("memory.restore", "reset"),
]


def _keys(pairs: Sequence[tuple[str, str]], first: Callable[[str], str]) -> Content:
    pieces = [
        Content.assemble((f"{first(key) or '-'} ", "$text-accent"), (words, "$muted"))
        for key, words in pairs
    ]
    return Content("   ").join(pieces)


def _writes(side: Scope) -> Content:
    return Content.assemble(("changes are written to the ", "$muted"), (f"{side} file", ""))


SettingStep = Callable[[Cortex], str]
"""Changes something; returns a sentence about the new state."""


TRYING = 0.08
"""Seconds from a move of the cursor to the theme it is on."""


class SettingsScreen(TabbedScreen[SettingsThing]):
    """What can be set."""

    PLACE = NAME = "settings"
    BINDINGS = [*keymap.bindings("settings"), *keymap.bindings("sideways")]
    COLUMNS = SETTINGS_COLUMNS
    TABS = tuple(
        Tab(name, name.capitalize()) for name in ("options", "themes", "keys", "health", "finds")
    )

    search = getters.query_one(SearchBar)

    def __init__(self, section: str = "") -> None:
        super().__init__(section)
        self.changing = SettingsChanges(self)
        self._trying: Timer | None = None
        self._searched = ""
        """The words that the section is searched for."""

    def start(self) -> None:
        self.hints.labels = {"move.open": "change"}
        super().start()

    # --- what is listed

    def read(self, stores: StoreSession, section: str) -> Sequence[SettingsThing]:
        context = self.context
        if section == "themes":
            return actions.theme_choices(
                context.theme_choices(), self._theme(), context.theme_problems
            )
        if section == "keys":
            return actions.key_choices(context.keymap, keymap.resolve({}), context.config.keys)
        if section == "health":
            themes = str(context.themes_folder)
            return actions.health(stores, themes, self.jobs.line.report_progress)
        return stores.cortex.rules.list() if section == "finds" else actions.options(stores)

    def keeps(self, section: str) -> bool:
        return section == "health"

    def key_of(self, thing: SettingsThing) -> str:
        return actions.settings_key(thing)

    def item(self, thing: SettingsThing, section: str) -> ListItem:
        return ListItem(
            actions.settings_key(thing), setting_cells(thing, self.glyphs, self.context.now)
        )

    def about(self, thing: SettingsThing, section: str) -> list[Content]:
        side = self.changing.side_of(written_name(thing))
        return about_setting(thing, self.glyphs, side, self.context.keymap.first, self.context.now)

    def empty(self, section: str) -> Sequence[str]:
        if not self._searched:
            return ("There is nothing here.",)
        clear = self.context.keymap.first("move.back")
        return ("Nothing here fits these words.", f"{clear}  shows all again")

    # --- searched: by names, and by what is said about them

    def body(self) -> ComposeResult:
        yield SearchBar("search by names or by what they do")
        yield from super().body()

    def found(self, things: Sequence[SettingsThing]) -> Sequence[SettingsThing]:
        named = [actions.described(thing) for thing in things]
        return [things[position] for position, _ in fuzzy.rank_named(self._searched, named)]

    def action_search(self) -> None:
        self.set_class(True, "-searching")
        self.search.type()

    @on(SearchBar.SearchTyped)
    def _typed(self, event: SearchBar.SearchTyped) -> None:
        if event.words != self._searched:
            self._searched = event.words
            self.fill()
            self.rows.cursor = 0

    @on(SearchBar.SearchEnded)
    @on(SearchBar.Emptied)
    def _stop_typing(self) -> None:
        self.rows.focus()
        self.set_class(bool(self._searched), "-searching")

    def action_back(self) -> None:
        if self._searched:
            self._clear_search()
            self.fill()
        else:
            super().action_back()

    def watch_shown(self, old: str, new: str) -> None:
        self._clear_search()
        self._cursors["themes"] = self._theme()  # another one would be tried on at once
        super().watch_shown(old, new)

    def _clear_search(self) -> None:
        self._searched = ""
        self.search.put("")
        self.set_class(False, "-searching")

    def counts(self) -> Mapping[str, str]:
        context, sign = self.context, self.glyphs.signs.status["quarantined"]
        counts = {
            "keys": f"{sign}{len(context.keymap.problems)}" if context.keymap.problems else "",
            "themes": f"{sign}{len(context.theme_problems)}" if context.theme_problems else "",
        }
        status = self.strip.status
        if status is not None and not status.trusted:
            counts["health"] = sign
        return counts

    # --- themes, tried on as the cursor is on them

    def _theme(self) -> str:
        """The theme that is set."""
        name = self.context.config.get("theme")
        return name if name in self.app.available_themes else DEFAULT

    def highlighted(self) -> None:
        if self._trying is not None:
            self._trying.stop()
        self._trying = self.set_timer(TRYING, self._put_on)

    def _put_on(self) -> None:
        thing = self.thing if self.shown == "themes" else None
        tried = thing.name if isinstance(thing, ThemeChoice) and not thing.problem else ""
        wanted = tried or self._theme()
        if self.is_current and self.app.theme != wanted:
            self.app.theme = wanted

    def resumed(self) -> None:
        super().resumed()
        self.highlighted()

    def on_screen_suspend(self) -> None:
        self._take_off()

    def on_unmount(self) -> None:
        self._take_off()

    def _take_off(self) -> None:
        """Wear the theme that is set."""
        if self.app.theme != self._theme():
            self.app.theme = self._theme()

    # --- enter: what fits the thing

    @on(ItemList.Picked)
    def action_edit(self) -> None:
        match self.thing:
            case None:
                self.say("There is nothing under the cursor.", warns=True)
            case SettingRecord(name="theme"):
                self.action_section("themes")
            case SettingRecord(name="embedding.model"):
                self.changing.choose_model()
            case SettingRecord() as record:
                self.changing.change_setting(record)
            case ThemeChoice(problem="") as theme:
                self.changing.write("theme", theme.name)
            case ThemeChoice(problem=problem):
                self.say(f"This theme cannot be used: {problem}", warns=True)
            case KeyChoice() as choice:
                self.changing.change_key(choice)
            case RuleRecord() as rule:
                self.changing.set_finds(rule)
            case thing:
                self._mend(thing)

    def _mend(self, thing: StoreFact | CheckResult | Machines | FollowedTeam) -> None:
        """Do about a line of health what can be done."""
        match thing:
            case StoreFact(name="trust"):
                self.action_trust()
            case StoreFact(name="capture"):
                self.context.action_job("pause")
            case CheckResult(fixable=True):
                self.context.action_job("fix")
            case CheckResult():
                self.say("There is nothing that Cortex can repair here.", warns=True)
            case Machines():
                self.context.action_job("exchange")
            case FollowedTeam():
                self.context.action_job("pull")
            case StoreFact():
                self.say("This cannot be changed here; it only shows the path.", warns=True)

    def can_open(self, thing: SettingsThing) -> bool:
        match thing:
            case CheckResult():
                return thing.fixable
            case StoreFact():
                return thing.name in ("trust", "capture")
        return True

    def action_restore(self) -> None:
        """Remove the setting at hand from its file."""
        thing = self.thing
        name = "" if thing is None else written_name(thing)
        if name:
            self.changing.reset(name)
        else:
            self.say("There is no setting under the cursor.", warns=True)

    def action_trust(self) -> None:
        """Trust the project's store, or no more."""
        self.changing.carry_out(_switch_trust)


class SettingsChanges:
    """Changes settings for their screen."""

    def __init__(self, screen: TabbedScreen[SettingsThing]) -> None:
        self.screen = screen

    def carry_out(self, step: SettingStep) -> None:
        """Make a change that can be undone."""
        undo = self.screen.context.keymap.first("change.undo")
        then = f" ({undo} takes it back)" if undo else ""
        self.screen.jobs.run(
            "Writing",
            lambda stores, progress: step(stores.cortex),
            lambda sentence: self._changed_now(sentence + then),
        )

    def _changed_now(self, sentence: str) -> None:
        if self.screen.stores is not None:
            self.screen.context.configure(self.screen.stores.cortex.config)
        self.screen.say(sentence)
        self.screen.renew()

    # --- settings and keys

    def side_of(self, name: str) -> Scope:
        """The file that a change of the setting `name` is written to: the user's own for theme,
        keys and what is the user's alone, and where there is no project, else the project's."""
        stores = self.screen.stores
        is_own = isinstance(BY_NAME.get(name), UserSetting) or name == "theme"
        has_project = stores is not None and stores.cortex.project.root is not None
        return "global" if is_own or name.startswith("keys.") or not has_project else "project"

    def write(self, name: str, value: Any) -> None:
        """Write `value` for the setting `name` to the file that is written to."""
        self.carry_out(_set_step(name, value, self.side_of(name)))

    def reset(self, name: str) -> None:
        """Remove the setting `name` from the file that its value comes from."""
        self.carry_out(_reset_step(name))

    def change_setting(self, record: SettingRecord) -> None:
        """Let the user choose another value, by the kind of the setting."""
        if record.kind is bool:
            self.write(record.name, not record.value)
        elif record.choices:
            options = [(choice, choice) for choice in record.choices]
            dialog = Choose(record.name, options, as_typed(record.value), record.help)
            self.screen.app.push_screen(
                dialog, lambda chosen: self._write_typed(record.name, chosen)
            )
        else:
            hint = f"{record.help} Takes {record.allowed}."
            ask = Ask(record.name, as_typed(record.value), hint, lambda text: _wrong(record, text))
            self.screen.app.push_screen(ask, lambda value: self._write_typed(record.name, value))

    def _write_typed(self, name: str, value: str | None) -> None:
        if value is not None:
            self.write(name, find(name).parse(value))

    def change_key(self, choice: KeyChoice) -> None:
        """Let the user press another key for an action."""
        if choice.id not in keymap.resolve({}).keys:
            self.screen.say("There is no such action; resetting removes the line.", warns=True)
            return
        now = self.screen.context.keymap
        self.screen.app.push_screen(
            PressKey(choice.id, choice.tooltip, lambda key: keymap.refusal(now, choice.id, key)),
            lambda key: self._write_typed(f"keys.{choice.id}", key),
        )

    # --- models

    def choose_model(self) -> None:
        """Let the user choose the embedding model; one that is not here yet is downloaded."""
        if self.screen.stores is None:
            return
        models = self.screen.stores.cortex.models.list()
        options = [
            (one.name, f"{one.name}  {text.memories(one.embedded)} embedded. {one.note}")
            for one in models
        ]
        now = next((one.name for one in models if one.active), "")
        detail = "Memories get their new vectors in the background; until then words find them."
        self.screen.app.push_screen(
            Choose("Embedding model", options, now, detail),
            lambda name: self._use(name) if name not in (None, now) else None,
        )

    def _use(self, name: str) -> None:
        def use(cortex: Cortex) -> str:
            record = cortex.models.use(name)
            names = cortex.models.names()
            if names != name:
                return f"Set for all projects. In force here: {names}, this project's own."
            return f"In use: {record.name}. {text.memories(record.pending)} to embed."

        self.carry_out(use)

    # --- where the finds of capture go

    def set_finds(self, rule: RuleRecord) -> None:
        """Let the user say where the finds of `rule` go."""
        options = [
            ("auto", f"auto: as your verdicts say, else {rule.default}"),
            ("kept", "kept: its finds are kept at once"),
            ("suggested", "suggested: its finds wait for your verdict"),
            ("off", "off: it is not looked for"),
        ]

        def chosen(setting: str | None) -> None:
            if setting is not None:
                self.carry_out(partial(_set_finds, rule.name, cast("RuleSetting", setting)))

        self.screen.app.push_screen(Choose(f"Finds of {rule.name}", options, rule.setting), chosen)


def _set_step(name: str, value: Any, side: Scope) -> SettingStep:
    """Writes one setting; None removes it."""

    def write(cortex: Cortex) -> str:
        now = cortex.settings.set(name, value, side)
        sentence = f"{name} is {as_typed(now) or 'as by default'}"
        if value is not None and as_typed(now) != as_typed(value):
            sentence += ": the project's own file overrides it."
        else:
            sentence += f", {'removed from' if value is None else 'in'} the {side} file."
        return sentence

    return write


def _reset_step(name: str) -> SettingStep:
    """Removes one setting from the file that its value comes from."""

    def reset(cortex: Cortex) -> str:
        written = next((one.written for one in cortex.settings.list() if one.name == name), {})
        sides: list[Scope] = [side for side in OWN_SCOPES if side in written]
        if not sides:
            raise UsageError(f"{name} has its default already. Nothing was changed.")
        return _set_step(name, None, sides[0])(cortex)

    return reset


def _set_finds(name: str, setting: RuleSetting, cortex: Cortex) -> str:
    rule = cortex.rules.set(name, setting)
    return f"{rule.name}: finds are {rule.tier}."


def _switch_trust(cortex: Cortex) -> str:
    if cortex.trust.granted:
        cortex.trust.revoke()
        return "The project store is not trusted: its memories are not injected."
    cortex.trust.grant()
    cortex.sessions.archive.files.adopt()
    return "The project store is trusted: its memories are injected."


def _wrong(record: SettingRecord, text: str) -> str:
    """What is wrong with a typed value; "" when nothing is."""
    setting = find(record.name)
    return "" if setting.accepts(setting.parse(text)) else f"It takes {record.allowed}."

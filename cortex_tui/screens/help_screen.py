"""Every key there is, by key and by name: the help, in which typing filters, and the commands."""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, Static

from cortex_core.base import excerpts, fuzzy
from cortex_tui import keymap
from cortex_tui.actions import sessions_actions
from cortex_tui.context import context_of
from cortex_tui.keymap import PLACES, TABLE, Key, Keymap, KeyPlace, around
from cortex_tui.queries import ListQuery
from cortex_tui.screens import MAIN
from cortex_tui.screens.base import StoreScreen
from cortex_tui.session import StoreSession
from cortex_tui.widgets.lines import with_matches


def matching(keys: Keymap, words: str) -> list[Key]:
    """The keys whose name, sentence, id or key fits every one of `words`, in their order."""
    named = [(f"{key.label} {keys.shown(key.id)}", f"{key.tooltip} {key.id}") for key in TABLE]
    found = {position for position, _ in fuzzy.rank_named(words, named)}
    return [key for index, key in enumerate(TABLE) if index in found]


def page(keys: Keymap, words: str, width: int, here: str) -> Content:
    """The help in `width` cells, grouped by where a key counts; ids only where they fit.

    Args:
        here: the place whose keys come first, and those around it.
    """
    shown = matching(keys, words)
    first = max(len(keys.shown(key.id)) for key in TABLE)
    second = max(len(key.tooltip) for key in TABLE)
    third = max(len(key.id) for key in TABLE)
    with_ids = first + second + third + 4 <= width
    about = "" if words.strip() else PLACES[here].about
    lines = [Content(""), *Content(about).wrap(width)] if about else []
    # Who asks for help wants the keys of their screen first; a key of several places is there once.
    first_places, said = around(here), set[str]()
    rest = sorted(PLACES.values(), key=lambda one: not one.moves)  # parts of screens, all others
    for place in dict.fromkeys([*map(PLACES.__getitem__, first_places), *rest]):
        mine = [key for key in shown if key.works_in(place.name) and key.id not in said]
        said |= {key.id for key in mine}
        if mine:
            lines += [Content(""), Content.assemble((place.title, "bold"))]
        lines += [
            Content.assemble(
                (f"{keys.shown(key.id) or 'palette':<{first}}  ", "$text-accent"),
                f"{key.tooltip:<{second}}",
                (f"  {key.id}" if with_ids else "", "$faint"),
            )
            for key in mine
        ]
        lines += _explained(place, words, first)
    if not lines:
        return Content.assemble(("No key is about this.", "$muted"))
    return Content("\n").join(lines[1:])


def _explained(place: KeyPlace, words: str, first: int) -> list[Content]:
    """The words that a screen uses and that hold every one of `words`, each with its meaning."""
    wanted = words.casefold().split()
    shown = [
        Content.assemble((f"{word:<{first}}  ", "$text-accent"), meaning)
        for word, meaning in place.words
        if all(one in f"{word} {meaning}".casefold() for one in wanted)
    ]
    heading = Content.assemble((f"{place.title}: what its words mean", "bold"))
    return [Content(""), heading, *shown] if shown else []


class HelpScreen(ModalScreen[None]):
    """The help."""

    NAME = "help"
    BINDINGS = [*keymap.bindings("help")]

    def __init__(self, keys: Keymap, here: str) -> None:
        super().__init__()
        self.keys = keys
        self._here = here

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield Static("Keys", id="title")
            yield Input(placeholder="type to filter; esc closes", compact=True)
            with VerticalScroll(can_focus=False):
                yield Static(id="page")

    def on_resize(self) -> None:
        self._fill()

    @on(Input.Changed)
    def _fill(self) -> None:
        words = self.query_one(Input).value
        width = self.query_one(VerticalScroll).scrollable_content_region.width
        self.query_one("#page", Static).update(page(self.keys, words, width, self._here))

    def action_back(self) -> None:
        if self.is_active:  # a second press may come before it is gone
            self.dismiss()

    def action_move(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_page(self, step: int) -> None:
        self.action_move(step * max(1, self.query_one(VerticalScroll).size.height - 1))


# --- the command palette


MOST_FOUND = 4
"""Letters from which memories, sessions and settings are looked for, how many of each are listed,
and actions from which on none is."""

LONGEST_SAID = 70
"""Characters of what was said in a session that is found."""
FOUND_SCORE = 0.001
"""What these score: actions come first."""
SYNONYMS = {
    "app.help": "keys shortcuts manual",
    "app.quit": "exit close leave",
    "go.memories": "list browse all",
    "go.surface": "note context start injected preview prompt",
    "go.log": "history changes journal audit",
    "go.settings": "config options preferences",
    "list.search": "find look grep",
    "list.filter": "tag branch scope since asof narrow",
    "list.order": "sort",
    "mark.one": "select",
    "mark.all": "select everything",
    "memory.new": "remember create write",
    "memory.edit": "change rewrite words title rename external editor",
    "memory.pin": "star favourite always unpin",
    "memory.copy": "clipboard yank",
    "memory.source": "origin provenance where said transcript",
    "memory.file": "editor source code open vim",
    "memory.inject": "give never demoted",
    "memory.tag": "label",
    "memory.priority": "importance weight",
    "memory.propose": "team share request",
    "map.link": "relate connect edge",
    "map.way": "path route",
    "change.undo": "revert take back",
    "page.connect": "install hooks setup claude",
    "page.refresh": "reload",
    "page.pause": "stop off resume capture",
    "page.triggers": "guards hooks off",
    "page.export": "markdown vault backup save",
    "page.exchange": "sync synchronise machines remote push",
    "page.pull": "hub approved",
    "surface.wrong": "never here irrelevant",
    "settings.options": "config preferences",
    "settings.keys": "shortcuts bindings remap",
    "settings.trust": "believe clone",
    "page.projects": "switch projects folder workspace",
    "page.prove": "replay worth benefit proof placebo",
    "page.search_all": "everywhere global other projects",
    "memory.forget": "delete remove archive",
    "memory.restore": "undelete",
    "list.statuses": "trash archived forgotten deleted",
    "memory.move": "global scope project",
    "memory.set": "properties change kind priority tags scope calls",
    "memory.triggers": "guard hook deny ask trigger",
    "memory.map": "neighbours graph links",
    "inbox.consolidate": "duplicates merge",
    "go.inbox": "review approve reject suggestions quarantine proposals conflicts missed",
    "go.sessions": "ledger capture conversations transcripts",
    "go.rules": "kept broken breaches policies",
    "go.today": "costs stats usage numbers home money",
    "page.learn": "import transcripts past sessions",
    "page.scrub": "secrets tokens passwords",
    "page.fix": "doctor repair mend",
    "settings.themes": "colours theme dark light",
    "settings.health": "doctor checks problems sharing team machines stores trust",
    "settings.finds": "capture rules extraction",
}
"""Other words by which the palette finds an action."""


def _in_force(screen: Screen[object]) -> tuple[str, ...]:
    """The places whose keys work on a screen."""
    return around(screen.PLACE if isinstance(screen, StoreScreen) else "app")


class KeyCommands(Provider):
    """What can be done by a key, by name."""

    def _commands(self) -> Iterator[tuple[str, Key]]:
        """What can be done here, and then what can be done on the screens one can go to."""
        keymap = context_of(self.app).keymap
        here, elsewhere = _in_force(self.screen), list[tuple[str, Key]]()
        for key in TABLE:
            shown = keymap.shown(key.id)
            named = f"{key.label.capitalize()}{f'  ({shown})' if shown else ''}"
            where = [one for one in key.places.split() if not PLACES[one].moves]
            if any(one in here for one in where):
                if key.id != "app.commands":
                    yield named, key
            elif there := next((one for one in where if one in MAIN or one == "memories"), ""):
                elsewhere.append((f"{PLACES[there].title}: {named}", key))
        yield from elsewhere

    def _run(self, key: Key) -> None:
        """Do what the key does; of another screen, go there first."""
        app, where, action = self.app, key.places.split(), key.action
        if "app" in where or action.startswith("app."):
            app.call_later(app.run_action, action.removeprefix("app."))
            return
        if not any(one in _in_force(self.screen) for one in where):
            there = next(one for one in where if one in MAIN or one == "memories")
            context_of(app).action_go(there)
        app.call_later(lambda: app.screen.run_action(action))

    async def discover(self) -> Hits:
        for name, key in self._commands():
            yield DiscoveryHit(name, partial(self._run, key), help=key.tooltip)

    async def search(self, query: str) -> Hits:
        commands = list(self._commands())
        named = [(name, f"{key.tooltip} {SYNONYMS.get(key.id, '')}") for name, key in commands]
        ranked = fuzzy.rank_named(query, named)
        for place, (position, match) in enumerate(ranked, start=1):
            name, key = commands[position]
            shown = with_matches(name, match.spans)
            # The palette sorts by score, which knows nothing of words that are there as typed.
            yield Hit(1 / place, shown, partial(self._run, key), name, key.tooltip)
        # The palette shows nothing before all is found, so an action's name is not kept waiting.
        stores = context_of(self.app).stores
        if stores is not None and len(ranked) < MOST_FOUND <= len(query):
            for name, about, run in await asyncio.to_thread(self._found, stores, query):
                yield Hit(FOUND_SCORE, Content(name), run, name, about)

    def _found(self, stores: StoreSession, words: str) -> list[tuple[str, str, Callable[[], None]]]:
        """The memories, sessions and settings with `words`: title, what it is, what opens it."""
        context, line = context_of(self.app), context_of(self.app).glyphs.line
        rows = stores.rows(stores.find(ListQuery(words)).order[:MOST_FOUND])
        found: list[tuple[str, str, Callable[[], None]]] = [
            (line(memory.title), f"memory, {memory.kind}", partial(context.go, "detail", key))
            for key, memory in rows.items()
        ]
        asked = fuzzy.words(words)
        talks = [
            (one.conversation, one.message)
            for one in sessions_actions.find(stores, ListQuery(words), unfinished=True).rows
            # One that is found by words read otherwise (“external” as “extract”) is not what was
            # typed.
            if one.message and any(word in fuzzy.fold(one.message.text) for word in asked)
        ]
        for talk, said in talks[:MOST_FOUND]:
            go = partial(context.go, "conversation", talk.session, said.number, "", words)
            # Its title need not have the words: what was said has them.
            about = line(f"session: {excerpts.excerpt(asked, said.text, LONGEST_SAID)}")
            found.append((line(talk.title), about, go))
        settings = stores.cortex.settings.list()
        ranked = fuzzy.rank_named(words, [(one.name, one.help) for one in settings])
        for index, _ in ranked[:MOST_FOUND]:
            go = partial(context.action_go, "settings", f"options {settings[index].name}")
            found.append((settings[index].name, f"setting: {settings[index].help}", go))
        return found

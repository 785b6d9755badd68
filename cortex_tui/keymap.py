"""Every key of the app in one table, and the keymap in effect: the table with the user's own keys.

Bindings, footer, help, palette and configuration read the table. A key means one thing wherever it
works; what is done seldom has no key, and the palette finds it. An id is what the user writes in
the configuration (`[keys] "memory.pin" = "Z"`); a configured line that is wrong is reported.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from textual.binding import Binding
from textual.keys import Keys, _character_to_key, format_key, key_to_character


class KeyPlace(NamedTuple):
    """Where keys work: a screen, a widget of it, or what several screens share."""

    name: str
    title: str
    """Heading in the help."""
    inside: str = ""
    """The place around it, whose keys work here too; empty for the app."""
    moves: bool = False
    """Whether it is a part of many screens, whose keys the palette leaves out."""
    words: tuple[tuple[str, str], ...] = ()
    """Words that the screen uses, and what they mean, for the help."""
    about: str = ""
    """What the screen is for, in a sentence or two, for the help."""


class Key(NamedTuple):
    """One thing a key can do."""

    id: str
    keys: str
    """Separated by commas, Textual's names or single characters; empty: only in the palette."""
    action: str
    label: str
    """One or two words: footer and palette."""
    tooltip: str
    """One sentence: help and hover."""
    places: str
    """The names of the places where it works, separated by blanks."""
    footer: int = 0
    """Rank in the footer, 1 first; 0: not shown there."""
    at_once: bool = False
    """Done before the next key is read, because it decides where that one goes."""

    def works_in(self, place: str) -> bool:
        """Whether it works in `place` itself, those around it left aside."""
        return place in self.places.split()


_OF_THE_SURFACE = (
    ("score", "The sum of the parts, in points; the best come first."),
    ("importance", "The parts of it that the list of memories shows too."),
    ("confidence", "How sure Cortex is of it today, at most 50."),
    ("priority", "How much it matters to you (priority), at most 20."),
    ("linked to", "Links to it from other sessions, at most 15."),
    ("used", "How many sessions used it, at most 15."),
    ("same branch", "It was learned on the branch you are on: 10."),
    ("kind", "Policies and procedures most, at most 10."),
    ("learned often", "It was learned in several sessions, at most 10."),
    ("said by you", "You said it, chose it or approved it, at most 10."),
    ("needed by all", "A command that works, or a fact of the machine: 20."),
    ("words", "How much of the prompt its words cover, at most 100."),
    ("meaning", "How similar it is to the prompt, about 100 at most."),
    ("baseline", "It applies always: what you said or pinned. 100."),
    ("in its share", "Each section of the note is sure of some tokens."),
    ("best of rest", "The tokens that no section needs go to the best."),
    ("left out", "Compared and not injected; the reason is next to it."),
)
"""Words in the reasons and scores of the surface."""

_OF_THE_LIST = (
    ("at calls", "Tool calls recall it; the key of calls shows which."),
    ("ask at calls", "Claude Code asks you before such a call."),
    ("deny at calls", "Such a call does not run."),
    ("new", "It is the team's, and you have not opened it."),
    ("shared", "It is yours, and the team has it too, maybe reworded."),
)
"""Words in the remarks of rows."""

_ABOUT = {
    "today": "What was learned, what waits for you, how your rules were kept, and what the next "
    "session gets. Each line opens what it is about.",
    "memories": "What Cortex remembers, in this project and for all projects. Search it, read it, "
    "change it: every change can be undone.",
    "detail": "All about one memory: what it says, how important it is and why, where it came "
    "from, its links and its changes.",
    "turn": "The part of a session that a memory was learned from.",
    "map": "Memories by what they are about: what is alike is close. The other pane says what the "
    "one at hand is linked with, to walk from one to the next.",
    "inbox": "All that waits for you: suggestions, contradictions, memories that may say the same, "
    "what you had to say again, requests of the team, what does not work. Yes, no, edit or later.",
    "surface": "What the agent gets at the start of a session, with a prompt or with a file, and "
    "why each line is in or out.",
    "sessions": "What was said in your sessions, kept after Claude Code deletes its transcripts, "
    "and what each was given and taught. Words that were said find the message.",
    "conversation": "One session as it reads. Commands and files in a row are one line.",
    "rules": "Your rules that tool calls can keep or break, how often each was kept, by past "
    "sessions, and the calls that broke it.",
    "log": "Every change to the memories: when, by whom, and what it did. Each can be undone by "
    "itself.",
    "settings": "Settings, themes and keys; whether everything works, with whom memories "
    "are shared; where the finds of capture go. A change takes effect at once.",
}
"""What each screen is for."""

_PLACES: tuple[KeyPlace, ...] = (
    KeyPlace("app", "Everywhere"),
    KeyPlace("store", "On every screen", "app"),
    KeyPlace("memory", "With a memory", "store"),
    KeyPlace("today", "Today", "store", about=_ABOUT["today"]),
    KeyPlace("memories", "Memories", "memory", words=_OF_THE_LIST, about=_ABOUT["memories"]),
    KeyPlace("inbox", "Inbox", "store", about=_ABOUT["inbox"]),
    KeyPlace("surface", "Next session", "memory", words=_OF_THE_SURFACE, about=_ABOUT["surface"]),
    KeyPlace("sessions", "Sessions", "store", about=_ABOUT["sessions"]),
    KeyPlace("rules", "Rules", "memory", about=_ABOUT["rules"]),
    KeyPlace("log", "Log", "store", about=_ABOUT["log"]),
    KeyPlace("settings", "Settings", "store", about=_ABOUT["settings"]),
    KeyPlace("detail", "Detail", "memory", about=_ABOUT["detail"]),
    KeyPlace("turn", "In the session turn", "store", about=_ABOUT["turn"]),
    KeyPlace("map", "Map", "memory", about=_ABOUT["map"]),
    KeyPlace("conversation", "Conversation", "store", about=_ABOUT["conversation"]),
    KeyPlace("moving", "In lists and texts", "store", moves=True),
    KeyPlace("sideways", "In lists with a pane", "store", moves=True),
    KeyPlace("search", "While typing a search", "store", moves=True),
    KeyPlace("dialog", "In a dialog", "app", moves=True),
    KeyPlace("confirm", "In a question", "dialog", moves=True),
    KeyPlace("write", "While writing", "dialog", moves=True),
    KeyPlace("calls", "While setting triggers", "dialog", moves=True),
    KeyPlace("words", "While editing in the inbox", "app", moves=True),
    KeyPlace("help", "In the help", "app", moves=True),
)


def _go(number: int, name: str, label: str, tooltip: str) -> Key:
    """The key of one of the screens that are always one key away."""
    return Key(f"go.{name}", str(number), f"app.go('{name}')", label, tooltip, "app")


_TALK = "sessions conversation"
_PAGES = "rules log settings"
"""The screens with a list and a pane next to it."""

TABLE: tuple[Key, ...] = (
    # Where to go.
    _go(1, "today", "today", "Go to what is new and what waits."),
    _go(2, "memories", "memories", "Go to the memories."),
    _go(3, "inbox", "inbox", "Go to what waits for your decision."),
    _go(4, "surface", "next session", "See what the next session gets."),
    _go(5, "sessions", "sessions", "Search and read what was said in sessions."),
    _go(6, "rules", "rules", "See how your rules were kept and broken."),
    _go(7, "log", "log", "Go to the log of all changes."),
    _go(8, "settings", "settings", "Go to settings, health and sharing."),
    Key("app.next", "tab", "app.focus_next", "next pane", "Go to the next pane.", "app"),
    Key(
        "app.previous",
        "shift+tab",
        "app.focus_previous",
        "previous pane",
        "Go to the previous pane.",
        "app",
    ),
    Key("app.help", "?", "help", "help", "Show every key; type to filter.", "app", 10),
    Key(
        "app.commands",
        "ctrl+p",
        "command_palette",
        "commands",
        "Find a command by name.",
        "app",
        11,
    ),
    Key(
        "app.suspend",
        "ctrl+z",
        "suspend_process",
        "suspend",
        "Put Cortex in the background; fg brings it back.",
        "app",
    ),
    Key("app.quit", "q,ctrl+c", "quit", "quit", "Leave Cortex.", "app", 12, at_once=True),
    # To move about.
    Key(
        "move.down",
        "j,down",
        "move(1)",
        "down",
        "Next line, or a line down.",
        "moving search dialog help",
    ),
    Key(
        "move.up",
        "k,up",
        "move(-1)",
        "up",
        "Previous line, or a line up.",
        "moving search dialog help",
    ),
    Key("move.page_down", "pagedown", "page(1)", "page down", "A page down.", "moving dialog help"),
    Key("move.page_up", "pageup", "page(-1)", "page up", "A page up.", "moving dialog help"),
    Key("move.top", "home", "move(-100000)", "top", "Go to the beginning.", "moving"),
    Key("move.bottom", "end", "move(100000)", "bottom", "Go to the end.", "moving"),
    Key(
        "move.left",
        "left",
        "side(-1)",
        "left",
        "To the pane, section or answer on the left.",
        "sideways confirm",
    ),
    Key(
        "move.right",
        "right",
        "side(1)",
        "right",
        "To the pane, section or answer on the right.",
        "sideways confirm",
    ),
    Key(
        "move.open",
        "enter",
        "pick",
        "open",
        "Open, follow, or do what the cursor is on.",
        "moving search",
        1,
    ),
    Key(
        "move.next",
        "]",
        "step(1)",
        "next",
        "Next memory, match, turn, or what waits.",
        "detail conversation inbox map",
        5,
    ),
    Key(
        "move.previous",
        "[",
        "step(-1)",
        "previous",
        "Previous memory, match, turn, or what waits.",
        "detail conversation inbox map",
        13,
    ),
    Key(
        "move.back",
        "escape",
        "back",
        "back",
        "One step back: typing, a filter, a screen.",
        "store search dialog words help",
        14,
    ),
    # To find.
    Key(
        "list.search",
        "/",
        "search",
        "search",
        "Type words to search for, or a prompt.",
        "store",
        2,
        at_once=True,
    ),
    Key(
        "list.filter",
        "f",
        "filter",
        "filter",
        "Choose what is shown; find a memory and why.",
        "memories surface sessions map",
        8,
        at_once=True,
    ),
    Key(
        "list.unfilter",
        "backspace",
        "unfilter",
        "drop filter",
        "Remove the last filter.",
        "memories sessions map search",
    ),
    Key(
        "list.statuses",
        ".",
        "statuses",
        "show all",
        "Show every status, or only active memories.",
        "memories",
        13,
    ),
    Key("list.order", "o", "order", "order", "Choose the order of the list.", "memories", 14),
    Key("mark.one", "space", "mark", "mark", "Mark the memory, or unmark it.", "memories", 9),
    Key(
        "mark.all",
        "A",
        "mark_all",
        "mark all",
        "Mark all that are shown, or unmark all.",
        "memories",
    ),
    Key(
        "mark.range",
        "",
        "mark_range",
        "mark a range",
        "Mark all from the last marked one to here.",
        "memories",
    ),
    # To decide.
    Key(
        "answer.yes",
        "y",
        "answer('yes')",
        "yes",
        "Do it, or what is proposed; with edited words.",
        "today inbox detail confirm",
        2,
    ),
    Key(
        "answer.no",
        "n",
        "answer('no')",
        "no",
        "Leave it as it is, or discard it.",
        "today inbox detail confirm",
        3,
    ),
    Key("answer.left", "<", "answer('left')", "keep A", "Keep A; it inherits from B.", "inbox", 5),
    Key(
        "answer.right", ">", "answer('right')", "keep B", "Keep B; it inherits from A.", "inbox", 5
    ),
    Key(
        "inbox.approve_all",
        "",
        "approve_all",
        "approve all",
        "Merge all proposals without conflicts.",
        "inbox",
    ),
    Key(
        "inbox.consolidate",
        "",
        "consolidate",
        "consolidate",
        "Search for possible duplicates now.",
        "inbox",
    ),
    # To change.
    Key(
        "memory.new",
        "a",
        "new",
        "add",
        "Add a memory; of a message, with its words.",
        "memories conversation",
        9,
    ),
    Key(
        "memory.edit",
        "e",
        "edit",
        "edit",
        "Edit it where it is, or in your editor ($EDITOR).",
        "memory inbox settings",
        4,
    ),
    Key("memory.pin", "p", "pin", "pin", "Pin or unpin the memory.", "memory", 3),
    Key(
        "memory.forget",
        "d",
        "forget",
        "forget",
        "Archive the memory or session; undo restores it.",
        f"memory {_TALK}",
        4,
    ),
    Key(
        "memory.restore",
        "r",
        "restore",
        "restore",
        "Bring back a memory, a default, or undo this change.",
        "memory log settings",
        7,
    ),
    Key(
        "memory.set",
        "s",
        "set",
        "set",
        "Set kind, priority, tags, scope, calls and more.",
        "memory",
        6,
    ),
    Key(
        "memory.source",
        "t",
        "source",
        "turn",
        "Show the turn in which it was said.",
        "memory today inbox",
        8,
    ),
    Key(
        "memory.map",
        "m",
        "map",
        "map",
        "Show it on the map of what is linked.",
        "memory memories",
        8,
    ),
    Key(
        "memory.file",
        "",
        "file",
        "open file",
        "Open the file it is about in your editor.",
        "memory",
    ),
    Key("memory.copy", "c", "copy", "copy", "Copy the text.", f"memory {_PAGES} conversation", 15),
    Key(
        "memory.copy_id",
        "",
        "copy_id",
        "copy id",
        "Copy the id of the memory or session.",
        f"memory {_TALK}",
    ),
    Key("memory.inject", "", "set('inject')", "inject", "Set the injection policy.", "memory"),
    Key("memory.tag", "", "set('tag')", "tag", "Add or remove tags.", "memory"),
    Key(
        "memory.triggers",
        "",
        "set('triggers')",
        "calls",
        "Set at which tool calls it is recalled.",
        "memory",
    ),
    Key("memory.kind", "", "set('kind')", "kind", "Set the kind.", "memory"),
    Key(
        "memory.priority", "", "set('priority')", "priority", "Set the priority, 1 to 10.", "memory"
    ),
    Key(
        "memory.move",
        "",
        "set('move')",
        "move",
        "Move it to the other store: project, global.",
        "memory",
    ),
    Key(
        "memory.propose",
        "",
        "set('propose')",
        "propose",
        "Propose it to the team, with a reason.",
        "memory",
    ),
    Key(
        "surface.wrong",
        "w",
        "wrong",
        "wrong here",
        "Inject it no more with such prompts, or at the start.",
        "surface",
        3,
    ),
    Key(
        "surface.text",
        "",
        "text",
        "exact text",
        "Show the exact text, or the lines again.",
        "surface",
    ),
    Key("map.closer", "+", "zoom(1)", "closer", "Look closer around the memory.", "map", 2),
    Key("map.farther", "-", "zoom(-1)", "farther", "Look from farther away.", "map", 2),
    Key("map.link", "", "link", "link", "Link the memory to another.", "map"),
    Key("map.unlink", "", "unlink", "unlink", "Remove the link at the cursor.", "map"),
    Key("map.way", "", "way", "way to", "Show the way over links to another memory.", "map"),
    Key("change.undo", "u", "undo", "undo", "Undo the last change.", "store", 6),
    Key("change.redo", "ctrl+r", "redo", "redo", "Redo the last undone change.", "store", 18),
    # For the whole project.
    Key(
        "page.connect",
        "I",
        "connect",
        "connect",
        "Connect Claude Code, or repair what line one says.",
        "store",
    ),
    Key(
        "page.learn",
        "L",
        "app.job('learn')",
        "learn",
        "Learn from past sessions, after a preview.",
        "store",
    ),
    Key(
        "page.refresh",
        "f5",
        "refresh",
        "read again",
        "Read again; removes rows that no longer match.",
        "store",
    ),
    Key(
        "page.learn_all",
        "",
        "app.job('learn_all')",
        "learn from all",
        "Import sessions of all projects, after a preview.",
        "store",
    ),
    Key(
        "page.pause",
        "",
        "app.job('pause')",
        "pause",
        "Pause or resume capture in this project.",
        "store",
    ),
    Key(
        "page.triggers",
        "",
        "switch_triggers",
        "all triggers",
        "Switch all triggers and guards off, or on again.",
        "store",
    ),
    Key(
        "page.prove",
        "",
        "app.job('prove')",
        "prove",
        "Replay past sessions to see what Cortex would have brought.",
        "store",
    ),
    Key(
        "page.projects",
        "",
        "app.job('projects')",
        "other project",
        "Go to another of your projects.",
        "store",
    ),
    Key(
        "page.search_all",
        "",
        "app.job('search_all')",
        "search all projects",
        "Search the memories of all your projects.",
        "store",
    ),
    Key(
        "page.export",
        "",
        "app.job('export')",
        "export",
        "Write all memories to a folder of Markdown files.",
        "store",
    ),
    Key(
        "sessions.taught",
        "",
        "taught",
        "what it taught",
        "Show the memories that the session taught.",
        "sessions",
    ),
    Key(
        "sessions.replay",
        "",
        "replay",
        "replay",
        "Read the session again from its start.",
        "sessions",
    ),
    # For settings and health.
    Key(
        "settings.trust",
        "",
        "trust",
        "trust",
        "Trust the project store, or stop trusting it.",
        "settings",
    ),
    Key("page.fix", "", "app.job('fix')", "repair", "Repair what can be repaired safely.", "store"),
    Key(
        "page.exchange",
        "",
        "app.job('exchange')",
        "exchange",
        "Exchange with your other machines now.",
        "store",
    ),
    Key(
        "page.pull",
        "",
        "app.job('pull')",
        "read team",
        "Read what the team approved since.",
        "store",
    ),
    Key(
        "page.scrub",
        "",
        "app.job('scrub')",
        "scrub",
        "Remove the secrets everywhere, permanently.",
        "store",
    ),
    Key("settings.options", "", "section('options')", "options", "Show every setting.", "settings"),
    Key(
        "settings.themes",
        "",
        "section('themes')",
        "themes",
        "Choose a theme, with a preview.",
        "settings",
    ),
    Key(
        "settings.keys", "", "section('keys')", "keys", "Show every key, and change it.", "settings"
    ),
    Key(
        "settings.health",
        "",
        "section('health')",
        "health",
        "Run the checks; show sharing, stores and secrets.",
        "settings",
    ),
    Key(
        "settings.finds",
        "",
        "section('finds')",
        "finds",
        "Show where the finds of capture go.",
        "settings",
    ),
    # In dialogs.
    Key(
        "write.save",
        "ctrl+s",
        "save",
        "save",
        "Save the text.",
        "write calls words",
        1,
        at_once=True,
    ),
    Key(
        "triggers.guard",
        "ctrl+g",
        "guard",
        "guard",
        "What becomes of such a call.",
        "calls",
        at_once=True,
    ),
    Key(
        "triggers.words",
        "ctrl+t",
        "words",
        "from its words",
        "Write the triggers that the rule's words have.",
        "calls",
        at_once=True,
    ),
)

PLACES: dict[str, KeyPlace] = {place.name: place for place in _PLACES}
"""Each place by name."""


@cache
def around(name: str) -> tuple[str, ...]:
    """The place called `name` and those around it, the innermost first."""
    outer = PLACES[name].inside
    return (name, *around(outer)) if outer else (name,)


UNBOUND = "unbound"
"""Represents an action without a key in Textual's keymap: no terminal sends it."""

_SHORT = {
    "pagedown": "pgdn",
    "pageup": "pgup",
    "escape": "esc",
    "delete": "del",
    "enter": "enter",
    "backspace": "bksp",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
}
_NAMES = frozenset(key.value for key in Keys) | {"newline"}
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})


class Keymap(NamedTuple):
    """The keys in effect and what was wrong with the configured ones."""

    keys: Mapping[str, tuple[str, ...]]
    """Action id → its keys, Textual's names; empty when another action took them."""
    problems: tuple[str, ...] = ()

    def shown(self, name: str) -> str:
        """The keys of an action as the user reads them: `j down`."""
        return " ".join(display(key) for key in self.keys.get(name, ()))

    def first(self, name: str) -> str:
        """The first key of an action, or "" when it has none."""
        keys = self.keys.get(name, ())
        return display(keys[0]) if keys else ""

    def nothing_here(self, key: str, place: str) -> str:
        """Why `key` does nothing on the screen `place`, and where it does something; "" where it
        has a meaning on the screen or in a part of it."""
        name = next((name for name, keys in self.keys.items() if key in keys), "")
        one = next((one for one in TABLE if one.id == name), None)
        shown, where = display(key), [] if one is None else one.places.split()
        if one is None:
            every = self.first("app.help")
            return f"“{shown}” does nothing." + (f" {every} shows every key." if every else "")
        if any(map(one.works_in, around(place))) or any(PLACES[other].moves for other in where):
            return ""
        there = ", ".join(PLACES[other].title for other in where)
        return f"“{shown}” does nothing here. {there}: {one.label}."

    def overrides(self) -> dict[str, str]:
        """What differs from the table, as Textual's keymap wants it."""
        return {
            key.id: ",".join(self.keys[key.id]) or UNBOUND
            for key in TABLE
            if self.keys[key.id] != _split(key.keys)
        }


def _split(keys: str) -> tuple[str, ...]:
    """`"j,?"` as Textual's names; a lone comma is the comma key."""
    parts = [","] if keys.strip() == "," else keys.split(",")
    return tuple(_named(part.strip()) for part in parts if part.strip())


def _named(key: str) -> str:
    return _character_to_key(key) if len(key) == 1 else key


def _exists(key: str) -> bool:
    *modifiers, last = key.split("+")
    if not set(modifiers) <= _MODIFIERS:
        return False
    character = key_to_character(last)
    named = last in _NAMES or key in _NAMES
    return named or (character is not None and character.isprintable() and ord(character) < 0x250)


def display(key: str) -> str:
    """One key as the user reads it: `^d`, `?`, `pgdn`."""
    *modifiers, last = key.split("+")
    shown = _SHORT.get(last) or format_key(last)
    is_caret = modifiers == ["ctrl"] and len(shown) == 1
    return f"^{shown}" if is_caret else "+".join([*modifiers, shown])


def resolve(configured: Mapping[str, str]) -> Keymap:
    """The keys in effect when `configured` (id → keys) overrides the table.

    A configured key wins over a default one; between two configured ones the first wins. Whatever
    is not as the user wrote it is reported in `problems`.
    """
    problems: list[str] = []
    wanted = _wanted(configured, problems)
    taken: dict[str, str] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for key in sorted(TABLE, key=lambda key: key.id not in wanted):
        keys[key.id] = ()
        for one in wanted.get(key.id, _split(key.keys)):
            if taken.setdefault(one, key.id) == key.id:
                keys[key.id] += (one,)
            else:
                problems.append(f"keys: {display(one)} is {taken[one]}, so {key.id} lost it.")
    return Keymap(keys, tuple(problems))


def refusal(current: Keymap, name: str, typed: str) -> str:
    """Why the action `name` cannot have the keys `typed` while others are as in `current`; "" when
    it can."""
    for one in _split(typed):
        if not _exists(one):
            return f"“{one}” is no key. Nothing was changed."
        owner = next((other for other, keys in current.keys.items() if one in keys), name)
        if owner != name:
            return (
                f"{display(one)} is the key of {owner}. Nothing was changed: choose another one, "
                "or change that first."
            )
    return "" if _split(typed) else "There must be a key. Nothing was changed."


def _wanted(configured: Mapping[str, str], problems: list[str]) -> dict[str, tuple[str, ...]]:
    known = {key.id for key in TABLE}
    wanted: dict[str, tuple[str, ...]] = {}
    for name, value in configured.items():
        if name not in known:
            problems.append(f"keys: there is no action “{name}”; ? lists those there are.")
            continue
        keys = _split(str(value))
        bad = [key for key in keys if not _exists(key)]
        problems.extend(f"keys: “{key}” for {name} is no key." for key in bad)
        if good := tuple(key for key in keys if key not in bad):
            wanted[name] = good
        else:
            problems.append(f"keys: {name} keeps its own key.")
    return wanted


def bindings(place: str) -> list[Binding]:
    """Textual's bindings for one place, from the table."""
    return [
        Binding(
            key.keys or UNBOUND,
            key.action,
            key.label,
            show=bool(key.footer),
            tooltip=key.tooltip,
            id=key.id,
            priority=key.at_once,
        )
        for key in TABLE
        if key.works_in(place)
    ]

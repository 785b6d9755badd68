"""Every key of the app: one table that bindings, footer, help, palette and configuration read.

An id is what a person writes in the configuration (`[keys] "memory.pin" = "P"`); what is wrong
with such a line is told, never swallowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from textual.binding import Binding
from textual.keys import Keys, _character_to_key, format_key, key_to_character

Place = Literal["app", "memories", "list", "preview", "search", "help"]
"""Where a key counts: everywhere, on a whole screen, or in one widget of it."""


class Key(NamedTuple):
    """One thing a key can do."""

    id: str
    keys: str
    """Separated by commas, Textual's names or single characters."""
    action: str
    label: str
    """One or two words: footer and palette."""
    tooltip: str
    """One sentence: help and hover."""
    place: Place
    footer: int = 0
    """Rank in the footer, 1 first; 0: not shown there."""
    at_once: bool = False
    """Done before the next key is looked at: it decides where that one goes."""


TABLE: tuple[Key, ...] = (
    Key("search.open", "/", "search", "search", "Type words to search for.", "memories", 1,
        at_once=True),
    Key("memory.open", "enter,l,right", "open", "read", "Go into the preview to scroll it.",
        "list"),
    Key("memory.pin", "p", "pin", "pin", "Pin the memory so that it stays, or unpin it.",
        "memories", 2),
    Key("memory.forget", "d", "forget", "forget", "Archive the memory; undo brings it back.",
        "memories", 3),
    Key("memory.restore", "r", "restore", "restore", "Make a forgotten memory active again.",
        "memories", 6),
    Key("change.undo", "u,ctrl+z", "undo", "undo", "Take back the last change.", "memories", 4),
    Key("change.redo", "ctrl+r", "redo", "redo", "Do again what was taken back.", "memories", 8),
    Key("memory.copy", "y", "copy", "copy", "Copy the memory's text.", "memories", 5),
    Key("memory.copy_id", "Y", "copy_id", "copy id", "Copy the memory's id.", "memories"),
    Key("list.statuses", "a", "statuses", "show all",
        "Show every status, or only active memories.",
        "memories", 7),
    Key("list.sort", "s", "sort", "sort", "Order by change, age, priority, title, kind, use.",
        "memories", 9),
    Key("list.refresh", "f5", "refresh", "read again",
        "Read again; forgotten rows leave the list.", "memories"),
    Key("list.down", "j,down", "cursor_down", "down", "Next memory.", "list"),
    Key("list.up", "k,up", "cursor_up", "up", "Previous memory.", "list"),
    Key("list.half_down", "ctrl+d", "half_down", "half down", "Half a page down.", "list"),
    Key("list.half_up", "ctrl+u", "half_up", "half up", "Half a page up.", "list"),
    Key("list.page_down", "pagedown", "page_down", "page down", "A page down.", "list"),
    Key("list.page_up", "pageup", "page_up", "page up", "A page up.", "list"),
    Key("list.top", "g,home", "top", "top", "First memory.", "list"),
    Key("list.bottom", "G,end", "bottom", "bottom", "Last memory.", "list"),
    Key("list.clear", "escape", "clear_search", "clear search", "Clear the search.", "list"),
    Key("preview.down", "j,down", "scroll_down", "down", "Scroll a line down.", "preview"),
    Key("preview.up", "k,up", "scroll_up", "up", "Scroll a line up.", "preview"),
    Key("preview.page_down", "pagedown,ctrl+d,space", "page_down", "page down",
        "Scroll a page down.", "preview"),
    Key("preview.page_up", "pageup,ctrl+u", "page_up", "page up", "Scroll a page up.",
        "preview"),
    Key("preview.top", "g,home", "scroll_home", "top", "Go to the beginning.", "preview"),
    Key("preview.bottom", "G,end", "scroll_end", "bottom", "Go to the end.", "preview"),
    Key("preview.leave", "escape,enter,h,left", "leave", "back", "Back to the list.", "preview"),
    Key("search.leave", "escape", "leave", "stop typing",
        "Leave the search; a second time clears it.", "search"),
    Key("search.down", "down", "list_down", "down", "Next memory, while typing.", "search"),
    Key("search.up", "up", "list_up", "up", "Previous memory, while typing.", "search"),
    Key("app.next", "tab", "app.focus_next", "next pane", "Go to the next pane.", "app"),
    Key("app.previous", "shift+tab", "app.focus_previous", "previous pane",
        "Go to the previous pane.", "app"),
    Key("app.help", "?", "help", "help", "Show every key; type to filter.", "app", 10),
    Key("app.commands", "ctrl+p", "command_palette", "commands", "Find a command by name.",
        "app", 11),
    Key("app.quit", "q,ctrl+q,ctrl+c", "quit", "quit", "Leave Cortex.", "app", 12, at_once=True),
    Key("help.down", "down", "scroll(1)", "down", "Scroll a line down.", "help"),
    Key("help.up", "up", "scroll(-1)", "up", "Scroll a line up.", "help"),
    Key("help.page_down", "pagedown", "scroll(12)", "page down", "Scroll on.", "help"),
    Key("help.page_up", "pageup", "scroll(-12)", "page up", "Scroll back.", "help"),
    Key("help.leave", "escape", "leave", "back", "Close the help.", "help"),
)  # fmt: skip

TITLES: dict[Place, str] = {
    "memories": "Memories",
    "list": "In the list",
    "preview": "In the preview",
    "search": "While typing a search",
    "app": "Everywhere",
    "help": "In the help",
}
"""Headings of the help, in its order."""

TOGETHER: dict[Place, frozenset[Place]] = {
    "app": frozenset({"app", "memories", "list", "preview", "search", "help"}),
    "memories": frozenset({"app", "memories", "list", "preview", "search"}),
    "list": frozenset({"app", "memories", "list"}),
    "preview": frozenset({"app", "memories", "preview"}),
    "search": frozenset({"app", "memories", "search"}),
    "help": frozenset({"app", "help"}),
}
"""The places whose keys can be in force together, so that one key may not mean two things."""

UNBOUND = "unbound"
"""Stands in Textual's keymap for an action without a key: no terminal sends it."""

_SHORT = {
    "pagedown": "pgdn", "pageup": "pgup", "escape": "esc", "delete": "del", "enter": "enter",
    "backspace": "bksp", "up": "up", "down": "down", "left": "left", "right": "right",
}  # fmt: skip
_NAMES = frozenset(key.value for key in Keys) | {"newline"}
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})


class Keymap(NamedTuple):
    """The keys in force and what was wrong with the configured ones."""

    keys: Mapping[str, tuple[str, ...]]
    """Action id → its keys, Textual's names; empty when another action took them."""
    problems: tuple[str, ...] = ()

    def shown(self, name: str) -> str:
        """The keys of an action as a person reads them: `j down`."""
        return " ".join(display(key) for key in self.keys.get(name, ()))

    def first(self, name: str) -> str:
        """The first key of an action, or "" when it has none."""
        keys = self.keys.get(name, ())
        return display(keys[0]) if keys else ""

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
    """One key as a person reads it: `^d`, `?`, `pgdn`."""
    *modifiers, last = key.split("+")
    shown = _SHORT.get(last) or format_key(last)
    if modifiers == ["ctrl"] and len(shown) == 1:
        return f"^{shown}"
    return "+".join([*modifiers, shown])


def resolve(configured: Mapping[str, str]) -> Keymap:
    """The keys in force when `configured` (id → keys) is laid over the table.

    A configured key wins over a default one; between two configured ones the first wins. Whatever
    is not as a person wrote it is told in `problems`.
    """
    problems: list[str] = []
    wanted = _wanted(configured, problems)
    taken: dict[tuple[Place, str], str] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for key in sorted(TABLE, key=lambda key: key.id not in wanted):
        keys[key.id] = ()
        for one in wanted.get(key.id, _split(key.keys)):
            if (owner := _owner(key, one, taken)) is not None:
                problems.append(f"keys: {display(one)} is {owner}, so {key.id} lost it.")
                continue
            keys[key.id] += (one,)
            taken[key.place, one] = key.id
    return Keymap(keys, tuple(problems))


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


def _owner(key: Key, one: str, taken: Mapping[tuple[Place, str], str]) -> str | None:
    """The action that already has `one` in a place where `key` counts too."""
    return next((taken[place, one] for place in TOGETHER[key.place] if (place, one) in taken), None)


def bindings(place: Place) -> list[Binding]:
    """Textual's bindings for one place, from the table."""
    return [
        Binding(key.keys, key.action, key.label, show=bool(key.footer), tooltip=key.tooltip,
                id=key.id, priority=key.at_once)
        for key in TABLE
        if key.place == place
    ]  # fmt: skip

"""The keys in force: the table of keys with the user's own laid over it.

What is wrong with a configured line is reported, never swallowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from textual.binding import Binding
from textual.keys import Keys, _character_to_key, format_key, key_to_character

from cortex_tui.keys import TABLE, Key, together

UNBOUND = "unbound"
"""Represents an action without a key in Textual's keymap: no terminal sends it."""

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
        """The keys of an action as the user reads them: `j down`."""
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
    """One key as the user reads it: `^d`, `?`, `pgdn`."""
    *modifiers, last = key.split("+")
    shown = _SHORT.get(last) or format_key(last)
    if modifiers == ["ctrl"] and len(shown) == 1:
        return f"^{shown}"
    return "+".join([*modifiers, shown])


def resolve(configured: Mapping[str, str]) -> Keymap:
    """The keys in force when `configured` (id → keys) is laid over the table.

    A configured key wins over a default one; between two configured ones the first wins. Whatever
    is not as the user wrote it is said in `problems`.
    """
    problems: list[str] = []
    wanted = _wanted(configured, problems)
    taken: dict[tuple[str, str], str] = {}
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


def _owner(key: Key, one: str, taken: Mapping[tuple[str, str], str]) -> str | None:
    """The action that already has `one` in a place where `key` counts too."""
    return next((taken[place, one] for place in together(key.place) if (place, one) in taken), None)


def bindings(place: str) -> list[Binding]:
    """Textual's bindings for one place, from the table."""
    return [
        Binding(key.keys, key.action, key.label, show=bool(key.footer), tooltip=key.tooltip,
                id=key.id, priority=key.at_once)
        for key in TABLE
        if key.place == place
    ]  # fmt: skip

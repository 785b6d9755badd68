"""What the settings screen asks of Cortex: one tuple of things a section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from cortex_core.reports import ModelRecord, SettingRecord
from cortex_tui.keymap import Keymap
from cortex_tui.keys import PLACES, TABLE
from cortex_tui.session import StoreSession


@dataclass(frozen=True, slots=True)
class ThemeChoice:
    """A theme that can be chosen, or a file that holds none."""

    name: str
    kind: str
    """Whose it is: Cortex's, Textual's, your own."""
    is_chosen: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """An action of the app and the keys it has."""

    id: str
    place: str
    tooltip: str
    keys: str
    default: str
    is_yours: bool
    problems: tuple[str, ...] = ()
    """What is wrong with how it is configured."""


@dataclass(frozen=True, slots=True)
class StoreFact:
    """Something about where memory lies, and whether it is given."""

    name: Literal["project store", "global store", "trust", "capture", "project settings",
                  "global settings", "themes"]  # fmt: skip
    value: str
    about: str
    is_well: bool = True


Thing = SettingRecord | ThemeChoice | KeyChoice | ModelRecord | StoreFact


def key(thing: Thing) -> str:
    """What a thing of these is known by."""
    return thing.id if isinstance(thing, KeyChoice) else thing.name


def options(stores: StoreSession) -> tuple[Thing, ...]:
    """Every setting, but the keys, which have a section of their own."""
    found = stores.cortex.settings.list()
    return tuple(one for one in found if not one.name.startswith("keys."))


def models(stores: StoreSession) -> tuple[Thing, ...]:
    """The embedding models, the one in use first."""
    return tuple(sorted(stores.cortex.models.list(), key=lambda one: not one.active))


def store_facts(stores: StoreSession, themes: str) -> tuple[Thing, ...]:
    """Where memory lies, and whether the project's store is trusted."""
    cortex = stores.cortex
    status, project = cortex.status(), cortex.project
    none = "none yet: it is made when something is remembered"
    facts = [
        StoreFact("project store", status.stores.get("project", none), "Memories of this project."),
        StoreFact("trust", "trusted" if status.trusted else "not trusted",
                  "Whether the memories of the project store may be injected. A store that came "
                  "with a clone is not trusted until you say so: read it first.", status.trusted),
        StoreFact("global store", status.stores.get("global", none),
                  "Memories that hold for every project."),
        StoreFact("capture", "paused" if status.paused else "on",
                  "Whether sessions are learned from here. On capture's own screen it is switched.",
                  not status.paused),
        StoreFact("project settings", cortex.settings.path("project"),
                  "What counts in this project alone; it goes before the global file."),
        StoreFact("global settings", cortex.settings.path("global"), "What counts everywhere."),
        StoreFact("themes", themes, "Your own themes, a TOML file each."),
    ]  # fmt: skip
    own = project.root is not None
    return tuple(fact for fact in facts if own or not fact.name.startswith(("project", "trust")))


def themes(available: Mapping[str, str], chosen: str, problems: Iterable[str]) -> tuple[Thing, ...]:
    """The themes there are (name → whose it is), and the files that hold none."""
    found = [ThemeChoice(name, kind, name == chosen) for name, kind in available.items()]
    return (*found, *(ThemeChoice(problem.split(": ")[0], "a mistake", False, problem)
                      for problem in problems))  # fmt: skip


def keys(keymap: Keymap, default: Keymap, configured: Mapping[str, str]) -> tuple[Thing, ...]:
    """Every action with its keys, those with a problem first; and ids that name no action."""
    found = [
        KeyChoice(
            key.id, PLACES[key.place].title, key.tooltip, keymap.shown(key.id),
            default.shown(key.id), key.id in configured,
            tuple(one for one in keymap.problems if key.id in one.replace(",", " ").split()),
        )
        for key in TABLE
    ]  # fmt: skip
    known = {key.id for key in TABLE}
    unknown = [
        KeyChoice(name, "nowhere", "There is no such action.", value, "", True,
                  tuple(one for one in keymap.problems if f"“{name}”" in one))
        for name, value in configured.items() if name not in known
    ]  # fmt: skip
    return tuple(sorted([*unknown, *found], key=lambda one: not one.problems))

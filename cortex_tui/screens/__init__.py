"""The screens by name, each loaded when it is first shown."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from textual.screen import Screen


class Entry(NamedTuple):
    """Where a screen is defined."""

    module: str
    kind: str
    is_main: bool = False
    """Whether one goes to it from anywhere: it replaces what stands over the memories."""


SCREENS = {
    "memories": Entry("memories", "MemoriesScreen"),
    "review": Entry("review", "ReviewScreen", is_main=True),
    "surface": Entry("surface", "SurfaceScreen", is_main=True),
    "capture": Entry("capture", "CaptureScreen", is_main=True),
    "settings": Entry("settings", "SettingsScreen", is_main=True),
    "detail": Entry("detail", "DetailScreen"),
    "turn": Entry("detail", "TurnScreen"),
    "neighbours": Entry("neighbours", "NeighboursScreen"),
    "help": Entry("help", "HelpScreen"),
}
"""The screens; the memories lie below all others."""
MAIN = frozenset(name for name, entry in SCREENS.items() if entry.is_main)


def made(name: str, *arguments: object) -> Screen[None]:
    """The screen called `name`, made with `arguments`."""
    entry = SCREENS[name]
    kind: Any = getattr(import_module(f"{__name__}.{entry.module}"), entry.kind)
    screen: Screen[None] = kind(*arguments)
    return screen

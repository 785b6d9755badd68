"""The screens by name, each loaded when it is first shown."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from textual.screen import Screen


class ScreenEntry(NamedTuple):
    """Where a screen is defined."""

    module: str
    kind: str
    is_main: bool = False
    """Whether one goes to it from anywhere, and to the same one if it is below what is shown."""


SCREENS = {
    "memories": ScreenEntry("memories_screen", "MemoriesScreen"),
    "review": ScreenEntry("review_screen", "ReviewScreen", is_main=True),
    "surface": ScreenEntry("surface_screen", "SurfaceScreen", is_main=True),
    "capture": ScreenEntry("capture_screen", "CaptureScreen", is_main=True),
    "settings": ScreenEntry("settings_screen", "SettingsScreen", is_main=True),
    "log": ScreenEntry("log_screen", "LogScreen", is_main=True),
    "sessions": ScreenEntry("sessions_screen", "SessionsScreen", is_main=True),
    "conversation": ScreenEntry("sessions_screen", "ConversationScreen"),
    "detail": ScreenEntry("detail_screen", "DetailScreen"),
    "turn": ScreenEntry("detail_screen", "TurnScreen"),
    "neighbours": ScreenEntry("neighbours_screen", "NeighboursScreen"),
    "help": ScreenEntry("help_screen", "HelpScreen"),
}
"""The screens; the memories are below all others."""
MAIN = frozenset(name for name, entry in SCREENS.items() if entry.is_main)


def make_screen(name: str, *arguments: object) -> Screen[None]:
    """The screen called `name`, made with `arguments`."""
    entry = SCREENS[name]
    kind: Any = getattr(import_module(f"{__name__}.{entry.module}"), entry.kind)
    screen: Screen[None] = kind(*arguments)
    return screen

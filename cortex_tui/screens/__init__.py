"""The screens by name, each loaded when it is first shown."""

from importlib import import_module
from typing import Any

from textual.screen import Screen

SCREENS = {
    "today": ("today_screen", "TodayScreen"),
    "memories": ("memories_screen", "MemoriesScreen"),
    "inbox": ("inbox_screen", "InboxScreen"),
    "surface": ("surface_screen", "SurfaceScreen"),
    "sessions": ("sessions_screen", "SessionsScreen"),
    "rules": ("rules_screen", "RulesScreen"),
    "log": ("log_screen", "LogScreen"),
    "settings": ("settings_screen", "SettingsScreen"),
    "conversation": ("sessions_screen", "ConversationScreen"),
    "detail": ("detail_screen", "DetailScreen"),
    "turn": ("detail_screen", "TurnScreen"),
    "map": ("map_screen", "MapScreen"),
    "help": ("help_screen", "HelpScreen"),
}
"""The module and the class of each screen."""
MAIN = frozenset({"today", "memories", "inbox", "surface", "sessions", "rules", "log", "settings"})
"""The screens that one goes to from anywhere, and to the same one if it is below what is shown."""


def make_screen(name: str, *arguments: object) -> Screen[None]:
    """The screen called `name`, made with `arguments`."""
    module, class_name = SCREENS[name]
    kind: Any = getattr(import_module(f"{__name__}.{module}"), class_name)
    screen: Screen[None] = kind(*arguments)
    return screen

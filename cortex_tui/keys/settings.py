"""Keys of the settings."""

from __future__ import annotations

from cortex_tui.keys.key import Key, Place

PLACES: tuple[Place, ...] = (Place("settings", "Settings", ("page",)),)

KEYS: tuple[Key, ...] = (
    Key("settings.options", "O", "section('options')", "options", "Show every setting.",
        "settings"),
    Key("settings.themes", "T", "section('themes')", "themes", "Choose colours; each is tried on.",
        "settings"),
    Key("settings.keys", "K", "section('keys')", "keys", "Show every key, and change it.",
        "settings"),
    Key("settings.models", "M", "section('models')", "models", "Choose the embedding model.",
        "settings"),
    Key("settings.stores", "U", "section('stores')", "stores",
        "Show the stores, and whether they are trusted.", "settings"),
    Key("settings.change", "c", "change", "change", "Change what the cursor is on.",
        "settings", 1),
    Key("settings.reset", "x", "reset", "reset", "Take it out of the file it is in.",
        "settings", 2),
    Key("settings.side", "w", "side", "write to", "Write to the other file from now on.",
        "settings", 3),
    Key("settings.reembed", "m", "reembed", "reembed", "Make every vector anew.", "settings", 1),
    Key("settings.trust", "t", "trust", "trust", "Trust the project's store, or no more.",
        "settings", 1),
)  # fmt: skip

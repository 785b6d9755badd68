"""Keys of the surface workbench."""

from __future__ import annotations

from cortex_tui.keys.key import Key, Place

PLACES: tuple[Place, ...] = (
    Place("surface", "Surface", ("memory", "page")),
    Place("given", "In what is given", ("surface",), moves=True),
    Place("prompt", "While typing a prompt", ("surface",), moves=True),
)

KEYS: tuple[Key, ...] = (
    Key("surface.prompt", "/", "prompt", "prompt",
        "Type a prompt, or file: and a path.", "surface", 1, at_once=True),
    Key("surface.demote", "-", "give('demoted')", "demote",
        "Give it only when it matches, or as before.", "surface", 3),
    Key("surface.never", "X", "give('never')", "never",
        "Never give it unasked, or as before.", "surface", 3),
    Key("surface.text", "v", "text", "exact text",
        "Show the exact text, or the lines again.", "surface", 5),
    Key("given.open", "enter", "detail", "open", "Show everything about the memory.", "given"),
    Key("given.down", "j,down", "move(1)", "down", "Next line.", "given"),
    Key("given.up", "k,up", "move(-1)", "up", "Previous line.", "given"),
    Key("given.page_down", "pagedown,ctrl+d", "scroll(0.8)", "page down", "A page down.", "given"),
    Key("given.page_up", "pageup,ctrl+u", "scroll(-0.8)", "page up", "A page up.", "given"),
    Key("given.top", "g,home", "move(-100000)", "top", "First line.", "given"),
    Key("given.bottom", "G,end", "move(100000)", "bottom", "Last line.", "given"),
    Key("prompt.down", "down", "line(1)", "down", "Next line, while typing.", "prompt"),
    Key("prompt.up", "up", "line(-1)", "up", "Previous line, while typing.", "prompt"),
)  # fmt: skip

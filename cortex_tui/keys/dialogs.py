"""Keys of the dialogs."""

from __future__ import annotations

from cortex_tui.keys.key import Key, Place

PLACES: tuple[Place, ...] = (
    Place("dialog", "In a dialog", ("app",), moves=True),
    Place("confirm", "In a question", ("dialog",), moves=True),
    Place("write", "While writing", ("dialog",), moves=True),
    Place("choose", "In a choice", ("dialog",), moves=True),
)

KEYS: tuple[Key, ...] = (
    Key("dialog.leave", "escape", "leave", "cancel", "Close it; nothing is changed.", "dialog"),
    Key("confirm.yes", "y", "yes", "yes", "Do it.", "confirm"),
    Key("confirm.no", "n", "leave", "no", "Leave it as it is.", "confirm"),
    Key("confirm.other", "left,right", "other", "other answer", "Go to the other answer.",
        "confirm"),
    Key("write.save", "ctrl+s", "save", "save", "Keep what is written.", "write", at_once=True),
    Key("choose.down", "down", "move(1)", "down", "Next choice.", "choose", at_once=True),
    Key("choose.up", "up", "move(-1)", "up", "Previous choice.", "choose", at_once=True),
    Key("choose.page_down", "pagedown", "move(10)", "page down", "Ten choices on.", "choose",
        at_once=True),
    Key("choose.page_up", "pageup", "move(-10)", "page up", "Ten choices back.", "choose",
        at_once=True),
)  # fmt: skip

"""Keys of the detail of one memory, and of the turn that it came from."""

from __future__ import annotations

from cortex_tui.keys.key import Key, Place

PLACES: tuple[Place, ...] = (
    Place("detail", "Detail", ("memory", "page")),
    Place("turn", "In the turn it came from", ("page",)),
    Place("sheet", "While reading", ("detail", "turn"), moves=True),
)

KEYS: tuple[Key, ...] = (
    Key("detail.follow", "enter", "follow", "follow", "Follow the link or source at the cursor.",
        "detail", 1),
    Key("detail.next", "n,]", "beside(1)", "next", "Show the next memory of the list.",
        "detail", 5),
    Key("detail.previous", "N,[", "beside(-1)", "previous",
        "Show the previous memory of the list.", "detail", 13),
    Key("detail.text", "T", "jump('text')", "text", "Go to the text.", "detail"),
    Key("detail.code", "C", "jump('code')", "code", "Go to the code it tells of.", "detail"),
    Key("detail.standing", "S", "jump('standing')", "standing",
        "Go to what it counts, and when it fades.", "detail"),
    Key("detail.from", "F", "jump('from')", "from", "Go to where it came from.", "detail", 8),
    Key("detail.links", "L", "jump('links')", "links", "Go to what it is linked with.",
        "detail", 8),
    Key("detail.history", "H", "jump('history')", "history", "Go to how it was changed.",
        "detail", 8),
    Key("detail.receipts", "R", "jump('receipts')", "receipts",
        "Go to when it was given to Claude.", "detail"),
    Key("sheet.down", "j,down", "down", "down", "Next line or choice.", "sheet"),
    Key("sheet.up", "k,up", "up", "up", "Previous line or choice.", "sheet"),
    Key("sheet.page_down", "pagedown,ctrl+d,space", "page_down", "page down",
        "Scroll a page down.", "sheet"),
    Key("sheet.page_up", "pageup,ctrl+u", "page_up", "page up", "Scroll a page up.", "sheet"),
    Key("sheet.top", "g,home", "top", "top", "Go to the beginning.", "sheet"),
    Key("sheet.bottom", "G,end", "bottom", "bottom", "Go to the end.", "sheet"),
)  # fmt: skip

"""Keys of the neighbours of a memory."""

from __future__ import annotations

from cortex_tui.keys.key import Key, Place

PLACES: tuple[Place, ...] = (
    Place("neighbours", "Neighbours", ("memory", "page")),
    Place("map", "Among the neighbours", ("neighbours",), moves=True),
    Place("pick", "While looking for a memory", ("dialog",), moves=True),
)

KEYS: tuple[Key, ...] = (
    Key("map.centre", "enter", "centre", "centre", "Put the neighbour in the middle.",
        "neighbours", 1),
    Key("map.detail", "v", "detail", "open", "Show everything about the memory.",
        "neighbours", 5),
    Key("map.link", "+", "link", "link", "Link the memory in the middle with another.",
        "neighbours", 2),
    Key("map.unlink", "-", "unlink", "unlink", "Take the link at the cursor away.",
        "neighbours", 2),
    Key("map.retype", "R", "retype", "retype", "Give the link at the cursor another type.",
        "neighbours", 3),
    Key("map.depth", "D", "depth", "depth", "Show one step, two steps or three.",
        "neighbours", 6),
    Key("map.tree", "T", "tree", "tree", "Show columns, or a tree.", "neighbours", 8),
    Key("map.down", "j,down", "down", "down", "Next neighbour.", "map"),
    Key("map.up", "k,up", "up", "up", "Previous neighbour.", "map"),
    Key("map.left", "h,left", "left", "left", "To what leads here.", "map"),
    Key("map.right", "l,right", "right", "right", "To where it leads.", "map"),
    Key("map.page_down", "pagedown,ctrl+d", "page_down", "page down", "A page down.", "map"),
    Key("map.page_up", "pageup,ctrl+u", "page_up", "page up", "A page up.", "map"),
    Key("map.top", "g,home", "top", "top", "First neighbour.", "map"),
    Key("map.bottom", "G,end", "bottom", "bottom", "Last neighbour.", "map"),
    Key("pick.down", "down", "move(1)", "down", "Next memory.", "pick", at_once=True),
    Key("pick.up", "up", "move(-1)", "up", "Previous memory.", "pick", at_once=True),
)  # fmt: skip

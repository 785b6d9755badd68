"""Keys of the merge review."""

from __future__ import annotations

from cortex_tui.keys.key import Key, Place

PLACES: tuple[Place, ...] = (
    Place("review", "Review", ("page",)),
    Place("queue", "In the review", ("review",), moves=True),
)

KEYS: tuple[Key, ...] = (
    Key("review.approve", "a", "decide('approve')", "approve",
        "Merge into one memory with the merged words.", "review", 1),
    Key("review.left", "h", "decide('left')", "left",
        "Keep the left one; it inherits from the other.", "review", 2),
    Key("review.right", "l", "decide('right')", "right",
        "Keep the right one; it inherits from the other.", "review", 3),
    Key("review.supersede", "s", "decide('supersede')", "supersede",
        "The newer replaces the older, kept as history.", "review", 3),
    Key("review.distinct", "n", "decide('distinct')", "distinct",
        "No duplicates; asked again if one changes.", "review", 3),
    Key("review.reject", "x", "decide('reject')", "reject",
        "Leave the memories as they are.", "review", 3),
    Key("review.default", "enter", "default", "suggested", "Do what is suggested.", "review", 13),
    Key("review.edit", "e", "edit", "edit words", "Edit the words of the merge.", "review", 7),
    Key("review.editor", "E", "editor", "edit words in editor",
        "Edit the words of the merge in $EDITOR.", "review"),
    Key("review.skip", "space", "skip", "skip", "Go on to the next one to judge.", "review", 8),
    Key("review.approve_all", "A", "approve_all", "approve all",
        "Merge all shown that nothing speaks against.", "review", 15),
    Key("review.consolidate", "c", "consolidate", "consolidate",
        "Look for memories that say the same, now.", "review", 16),
    Key("queue.down", "j,down", "move(1)", "next", "Next proposal.", "queue"),
    Key("queue.up", "k,up", "move(-1)", "previous", "Previous proposal.", "queue"),
    Key("queue.top", "g,home", "move(-100000)", "first", "First proposal.", "queue"),
    Key("queue.bottom", "G,end", "move(100000)", "last", "Last proposal.", "queue"),
    Key("queue.page_down", "pagedown,ctrl+d", "scroll(0.8)", "scroll down",
        "Scroll the proposal down.", "queue"),
    Key("queue.page_up", "pageup,ctrl+u", "scroll(-0.8)", "scroll up", "Scroll the proposal up.",
        "queue"),
)  # fmt: skip

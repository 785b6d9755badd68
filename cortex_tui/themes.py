"""Our own themes: one accent on calm greys, dark and light, and one of high contrast.

The greys have no tint, so that terminals of 256 colours round them to greys again. Two variables
are ours, `$muted` and `$faint`; `with_greys` gives them to every other theme too.
"""

from __future__ import annotations

from pathlib import Path

from textual.color import Color
from textual.theme import Theme

_HERE = Path(__file__).parent
STYLES = next(path for path in (_HERE / "styles", _HERE.parent / "styles") if path.is_dir())
"""The style sheets: the wheel's copy, else the checkout's."""

DEFAULT = "cortex-dark"


def _quiet(muted: str, faint: str, row: str, text: str, track: str) -> dict[str, str]:
    return {
        "muted": muted,
        "faint": faint,
        "block-cursor-background": row,
        "block-cursor-foreground": text,
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": row,
        "block-cursor-blurred-foreground": text,
        "scrollbar": faint,
        "scrollbar-hover": muted,
        "scrollbar-background": track,
        "scrollbar-background-hover": track,
        "scrollbar-background-active": track,
    }


THEMES: tuple[Theme, ...] = (
    Theme(
        name=DEFAULT,
        primary="#5fafaf", accent="#5fafaf", secondary="#8a8a8a",
        foreground="#d0d0d0", background="#121212", surface="#1c1c1c", panel="#262626",
        warning="#d7af5f", error="#d75f5f", success="#87af5f",
        variables=_quiet("#949494", "#6c6c6c", "#303030", "#eeeeee", "#121212"),
    ),
    Theme(
        name="cortex-light", dark=False,
        primary="#005f87", accent="#005f87", secondary="#626262",
        foreground="#262626", background="#f8f8f8", surface="#eeeeee", panel="#e4e4e4",
        warning="#875f00", error="#af0000", success="#3a6b00",
        variables=_quiet("#5f5f5f", "#808080", "#dadada", "#121212", "#f8f8f8"),
    ),
    Theme(
        name="cortex-contrast",
        primary="#ffff00", accent="#ffff00", secondary="#ffffff",
        foreground="#ffffff", background="#000000", surface="#000000", panel="#303030",
        warning="#ffd700", error="#ff8787", success="#afff5f",
        variables=_quiet("#e4e4e4", "#b2b2b2", "#444444", "#ffffff", "#000000"),
    ),
)  # fmt: skip


def with_greys(variables: dict[str, str]) -> dict[str, str]:
    """A theme's variables, the two greys of ours among them."""
    text, ground = variables["foreground"], variables["background"]
    if text.startswith("ansi"):
        return {"muted": text, "faint": text, **variables}
    full, empty = Color.parse(text), Color.parse(ground)
    muted, faint = (empty.blend(full, share, 1.0).hex for share in (0.65, 0.45))
    return {"muted": muted, "faint": faint, **variables}

"""The line at the bottom: the keys that matter here, or for a moment what just happened."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget

from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.keys import TABLE, Key, around

SECONDS = 5.0
"""How long a sentence stays."""
KEPT = "app.help"
"""The key that is shown however narrow it is."""


def chosen(
    keymap: Keymap, places: frozenset[str], width: int, hidden: frozenset[str] = frozenset()
) -> list[Key]:
    """The keys that fit into `width` cells, the most useful ones, in their order."""
    possible = (key for key in TABLE if key.place in places and key.id not in hidden)
    shown = sorted(
        (key for key in possible if key.footer and keymap.first(key.id)),
        key=lambda key: key.footer,
    )

    def used() -> int:
        return sum(cell_len(f"{keymap.first(key.id)} {key.label}") + 2 for key in shown) - 2

    while used() > width and any(key.id != KEPT for key in shown):
        shown.remove([key for key in shown if key.id != KEPT][-1])
    return shown


class KeyHints(Widget):
    """The footer. A click on a key does what the key does."""

    keymap: reactive[Keymap | None] = reactive(None)
    disabled_keys: reactive[frozenset[str]] = reactive(frozenset())
    """Ids of keys that do nothing now; pressing one says why."""
    typing: reactive[str] = reactive("")
    """The place whose keys alone count, because letters are typed into it; empty: none."""
    hidden_keys: reactive[frozenset[str]] = reactive(frozenset())
    """Ids of keys that belong to another part of the screen."""
    said: reactive[str] = reactive("", layout=True)
    auto_links = False

    def __init__(self, glyphs: Glyphs, place: str) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._around = frozenset(around(place))
        self._warns = False
        self._timer: Timer | None = None

    def say(self, sentence: str, *, warns: bool = False) -> None:
        """Show `sentence` in place of the keys, for a few seconds or until the next one."""
        self._warns = warns
        self.said = self.glyphs.line(sentence)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(SECONDS, self._forget)

    def _forget(self) -> None:
        self.said = ""

    def render(self) -> Content:
        if self.said:
            return self._sentence()
        if self.keymap is None:
            return Content("")
        pieces: list[Content] = []
        width = self.app.size.width - 2
        places = frozenset({self.typing}) if self.typing else self._around
        for key in chosen(self.keymap, places, width, self.hidden_keys):
            off = key.id in self.disabled_keys
            target = key.action if key.place == "app" else f"screen.{key.action}"
            click = Style.from_meta({"@click": f"app.{target}" if key.place == "app" else target})
            piece = Content.assemble(
                (f"{self.keymap.first(key.id)} ", "$faint" if off else "$text-accent"),
                (key.label, "$faint" if off else "$muted"),
            )
            pieces.append(piece.stylize(click))
        return Content("  ").join(pieces)

    def _sentence(self) -> Content:
        sign = f"{self.glyphs.signs.status['quarantined']} " if self._warns else ""
        style = "$text-warning" if self._warns else "$foreground"
        return Content.assemble((f"{sign}{self.said}", style))

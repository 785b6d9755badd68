"""What screens, dialogs and their helpers use of the app, in addition to Textual's own.

They know this Protocol alone; the app knows them. So nothing that a screen imports imports it back.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual.app import App

from cortex_core.base.config import Config
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.queries import ListQuery
from cortex_tui.session import StoreSession

if TYPE_CHECKING:
    from cortex_tui.opening import Opened


class AppContext(Protocol):
    """The app as its screens see it."""

    glyphs: Glyphs
    keymap: Keymap
    """The keys in effect."""
    config: Config
    stores: StoreSession | None
    """The open stores; None until they are open."""
    themes_folder: Path
    """Where the user's own themes lie; it need not exist."""
    theme_problems: list[str]
    """What is wrong with the files of themes, a sentence each."""

    @property
    def now(self) -> float:
        """The present moment, Unix seconds."""

    def go(self, name: str, *arguments: object) -> None:
        """Show the screen called `name` in `SCREENS`, made with `arguments`."""

    def action_go(self, name: str, part: str = "") -> None:
        """Show the screen called `name`, and of it the section `part`."""

    def configure(self, config: Config) -> None:
        """Let the keys and the theme of `config` count from now on."""

    def theme_choices(self) -> dict[str, str]:
        """The themes that can be chosen, and whose each is."""

    def opened_already(self, query: ListQuery) -> Opened | None:
        """The stores and their result of `query`, if they are open by now."""

    def open_stores(self, query: ListQuery) -> Opened:
        """Open the stores, or open them again, and find `query`; slow, for a worker."""

    def stores_came(self, *, opened: bool) -> None:
        """Do what was asked for before the stores were open, or forget it: they cannot be."""


def context_of(app: App[Any]) -> AppContext:
    """`app` as its screens see it; Textual types a node's app as any app."""
    return cast("AppContext", app)

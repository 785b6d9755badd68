"""The command palette's entries, from the keymap's table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider

from cortex_tui.keys import PLACES, TABLE, Key, around
from cortex_tui.screens.base import StoreScreen

if TYPE_CHECKING:
    from cortex_tui.application import CortexApp


class KeyCommands(Provider):
    """What can be done by a key, by name."""

    def _commands(self) -> Iterator[tuple[str, Key]]:
        app: CortexApp = self.app  # type: ignore[assignment]
        here = around(self.screen.PLACE if isinstance(self.screen, StoreScreen) else "app")
        for key in TABLE:
            if key.place in here and not PLACES[key.place].moves and key.id != "app.commands":
                shown = app.keymap.shown(key.id)
                yield f"{key.label.capitalize()}{f'  ({shown})' if shown else ''}", key

    def _run(self, key: Key) -> None:
        node = self.app if key.place == "app" else self.screen
        self.app.call_later(node.run_action, key.action.removeprefix("app."))

    async def discover(self) -> Hits:
        for name, key in self._commands():
            yield DiscoveryHit(name, partial(self._run, key), help=key.tooltip)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, key in self._commands():
            if (score := matcher.match(f"{name} {key.tooltip}")) > 0:
                yield Hit(score, name, partial(self._run, key), help=key.tooltip)

"""The command palette's entries, from the keymap's table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen

from cortex_tui.keys import PLACES, TABLE, Key, around
from cortex_tui.screens import SCREENS
from cortex_tui.screens.base import StoreScreen

if TYPE_CHECKING:
    from cortex_tui.application import CortexApp


def _in_force(screen: Screen[object]) -> tuple[str, ...]:
    """The places whose keys are in force on a screen."""
    return around(screen.PLACE if isinstance(screen, StoreScreen) else "app")


class KeyCommands(Provider):
    """What can be done by a key, by name."""

    def _commands(self) -> Iterator[tuple[str, Key]]:
        """What can be done here, and then what can be done on the screens one can go to."""
        app: CortexApp = self.app  # type: ignore[assignment]
        here, elsewhere = _in_force(self.screen), list[tuple[str, Key]]()
        for key in TABLE:
            place = PLACES[key.place]
            if place.moves or key.id == "app.commands":
                continue
            shown = app.keymap.shown(key.id)
            named = f"{key.label.capitalize()}{f'  ({shown})' if shown else ''}"
            if place.name in here:
                yield named, key
            elif place.name in SCREENS:
                elsewhere.append((f"{place.title}: {named}", key))
        yield from elsewhere

    def _run(self, key: Key) -> None:
        """Do what the key does; of another screen, go there."""
        if key.place not in _in_force(self.screen):
            self.app.call_later(self.app.run_action, f"go('{key.place}')")
            return
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

"""One screen over the stores by itself, without the memories under it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.screen import Screen

from cortex_tui.application import CortexApp
from cortex_tui.session import StoreSession
from tests.conftest import Clock


def page(screen: Callable[[], Screen[None]], project: Path, clock: Clock, **how: Any) -> CortexApp:
    """The app with the stores open, on `screen`."""

    class Paged(CortexApp):
        def get_default_screen(self) -> Screen[None]:
            self.stores = StoreSession(project, clock=clock)
            return Screen()

        def on_ready(self) -> None:
            self.push_screen(screen())

    return Paged(project, clock=clock, **{"ascii_only": False, **how})

"""Long jobs: their progress is shown, and going back or leaving stops them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_core.records.reviews import ConsolidationReport
from cortex_tui.application import CortexApp
from cortex_tui.screens.inbox_screen import InboxScreen
from cortex_tui.screens.memories_screen import MemoriesScreen
from tests.tui.conftest import picture, settle
from tests.tui.waiting import until


class Slow:
    """A consolidation that goes on until its progress stops it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.over = threading.Event()

    def __call__(
        self, cortex: Cortex, *, progress: Callable[[int, int], None]
    ) -> ConsolidationReport:
        try:
            for done in range(2000):
                progress(done, 2000)
                self.begun.set()
                self.over.wait(0.01)
        finally:
            self.over.set()
        raise AssertionError("nobody stopped it")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    made = Slow()
    monkeypatch.setattr(Cortex, "consolidate", lambda self, **how: made(self, **how))
    return made


async def begin(pilot: Pilot[None], slow: Slow) -> None:
    await settle(pilot)
    await pilot.press("3")
    await settle(pilot)
    await pilot.app.screen.run_action("consolidate")
    await until(lambda: slow.begun.is_set() and "esc stops it" in picture(pilot), "the progress")


async def test_the_way_back_stops_it_and_then_leaves(app: CortexApp, slow: Slow) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(pilot, slow)
        assert getattr(app.screen, "NAME", "") == InboxScreen.NAME
        await pilot.app.screen.run_action("consolidate")
        assert "is still going on" in picture(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert slow.over.is_set()
        assert "Stopped. Nothing was proposed." in picture(pilot)
        assert getattr(app.screen, "NAME", "") == InboxScreen.NAME
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, MemoriesScreen)


async def test_quitting_stops_it(app: CortexApp, slow: Slow, project: Path) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(pilot, slow)
        await pilot.press("q")
    assert slow.over.wait(5)

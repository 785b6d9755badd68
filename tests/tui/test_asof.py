"""What was there at an earlier moment: in the list, in what a session was given, and in the log."""

from __future__ import annotations

import pytest

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from tests.conftest import Clock
from tests.tui import portraits
from tests.tui.conftest import picture, settle
from tests.tui.waiting import press

DAY = 86_400.0


@pytest.fixture
def changed(cortex: Cortex, clock: Clock) -> CortexApp:
    """A project in which a rule was replaced three days ago, and another was learned since."""
    now = clock.now
    clock.now = now - 10 * DAY
    old = cortex.remember("The api listens on port 8080", kind="decision")
    clock.now = now - 5 * DAY
    portraits.give(cortex, old.id, clock.now, used=True)
    clock.now = now - 3 * DAY
    new = cortex.remember("The api listens on port 9090", kind="decision")
    cortex.graph.link(new.id, old.id, "supersedes")
    clock.now = now
    return CortexApp(cortex.project.root, clock=clock, ascii_only=False)


async def test_the_list_shows_what_was_there(changed: CortexApp) -> None:
    async with changed.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert "port 9090" in picture(pilot) and "port 8080" not in picture(pilot)
        await press(pilot, "slash", *"asof:4d", "space")
        assert "port 8080" in picture(pilot) and "port 9090" not in picture(pilot)
        assert "asof:4d" in picture(pilot)


async def test_the_note_shows_what_a_session_was_given_then(changed: CortexApp) -> None:
    async with changed.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "slash")
        await press(pilot, *"asof:4d")
        await settle(pilot, timers=0.2)
        assert "given as of 4d" in picture(pilot) and "port 8080" in picture(pilot)
        assert "0 of 1 are injected" in picture(pilot)


async def test_the_log_ends_then(changed: CortexApp) -> None:
    async with changed.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "7", "slash")
        await press(pilot, *"asof:4d", "enter")
        assert "port 8080" in picture(pilot) and "port 9090" not in picture(pilot)

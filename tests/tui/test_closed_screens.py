"""What closed screens held is given back: their widgets and lines, and no file stays open."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_tui import application
from cortex_tui.application import CortexApp
from tests.tui.conftest import settle
from tests.tui.waiting import press, until

TIMES = 4
LATEST = 1
"""Closed screens that something may still refer to: a timer, an animation."""


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Python collects no garbage by itself, as it all but does while the app runs."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize(
    ("most", "rest"), [(TIMES, 3600.0), (1000, 0.01)], ids=["many", "after a rest"]
)
async def test_closed_screens_and_their_lines_are_given_back(
    app: CortexApp, monkeypatch: pytest.MonkeyPatch, most: int, rest: float
) -> None:
    monkeypatch.setattr(application, "MOST_CLOSED", most)
    monkeypatch.setattr(application, "REST", rest)
    monkeypatch.setattr(application, "START_SECONDS", 3600.0)
    held: list[weakref.ref[object]] = []
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for _ in range(TIMES):
            await press(pilot, "?")
            held += [weakref.ref(part) for part in (app.screen, app.screen._styles_cache)]
            await press(pilot, "escape")

        def kept() -> int:
            return sum(each() is not None for each in held)

        await until(lambda: kept() <= 2 * LATEST, f"the end of closed screens, {kept()} kept,")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_thread_keeps_one_connection_to_a_store(app: CortexApp, project: Path) -> None:
    store = project / ".memory" / "cortex.db"
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for _ in range(3):
            await press(pilot, *"34682", "enter", "escape")
        threads = [each for each in threading.enumerate() if each.name.startswith("stores")]
        assert 1 <= len(threads) <= application.THREADS
        most = application.THREADS + 2
        await until(lambda: times_open(store) <= most, "the end of connections that are done with")


def times_open(file: Path) -> int:
    """How many descriptors of this process are of `file`."""
    return sum(entry.resolve() == file for entry in Path("/proc/self/fd").iterdir())

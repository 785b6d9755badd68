"""Random keys on every screen: nothing raises, and undo takes back every write."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from benchmarks.random_keys import alphabet, drawn
from cortex_core import Cortex
from cortex_core.base.errors import NotFound
from cortex_core.types import STATUSES
from cortex_tui.application import CortexApp
from cortex_tui.screens import MAIN
from tests.conftest import Clock
from tests.tui.conftest import SAMPLES, settle

KEYS = 30
"""Keys on each screen."""


@pytest.fixture
def ticking(project: Path, clock: Clock) -> Cortex:
    """The samples as capture would have stored them, which a plain undo leaves alone; each change
    has a time of its own."""
    cortex = Cortex.open(project, clock=lambda: clock.advance(seconds=1))
    for _, content, values in SAMPLES:
        cortex.remember(content, actor="worker", **values)
    return cortex


def memories(cortex: Cortex) -> list[dict[str, Any]]:
    """What the user sees of every memory, in order."""
    names = ("id", "content", "title", "kind", "scope", "status", "pinned", "priority", "tags",
             "inject", "globs")  # fmt: skip
    found = [
        {name: getattr(memory, name) for name in names}
        for memory in cortex.list(statuses=STATUSES, limit=1000)
    ]
    return sorted(found, key=lambda memory: str(memory["id"]))


async def test_random_keys_raise_nothing_and_undo_takes_them_back(
    project: Path, ticking: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "")
    before = memories(ticking)
    app = CortexApp(project, clock=ticking.workspace.clock, ascii_only=False)
    keys = drawn(1)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        for name in ("memories", *MAIN):
            await pilot.press(*["escape"] * 4)
            app.action_go(name)
            for number, key in enumerate(islice(keys, KEYS)):
                if not app.is_running:
                    break
                await pilot.press(key)
                if number % 10 == 9:
                    await settle(pilot)
        await settle(pilot)
    assert app._exception is None
    assert len(ticking.log(1000)) > len(SAMPLES)
    with pytest.raises(NotFound):
        while True:
            ticking.undo()
    assert memories(ticking) == before


def test_every_key_that_stays_in_the_app_is_drawn() -> None:
    assert {"p", "d", "u", "ctrl+r", "enter", "?"} <= set(alphabet())
    assert not {"q", "ctrl+q", "ctrl+c"} & set(alphabet())

"""Random keys on every screen: nothing raises, and undo takes back every write, to the byte."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.random_keys import alphabet, differences, drawn, newest, state
from cortex_core import Cortex
from cortex_core.base.errors import NotFound, UndoElsewhere
from cortex_tui.application import CortexApp
from cortex_tui.screens import MAIN
from tests.conftest import Clock
from tests.tui.conftest import SAMPLES, settle

KEYS = int(os.environ.get("CORTEX_KEYS", "12"))
"""Keys on each screen, for each seed; `python -m benchmarks.inputs keys` presses 10,000."""
SEEDS = (1, 2)


@pytest.fixture
def ticking(project: Path, clock: Clock) -> Cortex:
    """The samples as capture would have stored them, which a plain undo leaves alone; each change
    has a time of its own."""
    cortex = Cortex.open(project, clock=lambda: clock.advance(seconds=1))
    made = [cortex.remember(content, actor="worker", **values) for _, content, values in SAMPLES]
    cortex.graph.link(made[6].id, made[8].id, "REQUIRES", actor="worker")
    cortex.models.embed_pending()
    return cortex


@pytest.mark.parametrize("seed", SEEDS)
async def test_random_keys_raise_nothing_and_undo_takes_them_back(
    project: Path, ticking: Cortex, monkeypatch: pytest.MonkeyPatch, painted: None, seed: int
) -> None:
    monkeypatch.setenv("EDITOR", "")
    # The palette can leave too, which would end the test with the first keys.
    monkeypatch.setattr(CortexApp, "exit", lambda *_, **__: None)
    since = newest(ticking)
    before = state(ticking, since)
    app = CortexApp(project, clock=ticking.workspace.clock, ascii_only=False)
    keys = drawn(seed)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        for name in ("memories", *sorted(MAIN)):
            await pilot.press(*["escape"] * 4)
            app.action_go(name)
            for number, key in enumerate(islice(keys, KEYS)):
                await pilot.press(key)
                if number % 10 == 9:
                    await settle(pilot)
        await settle(pilot)
        assert app._exception is None and app.is_running
    assert app._exception is None
    assert len(ticking.log(1000)) > len(SAMPLES)
    assert app.stores is not None
    with pytest.raises((NotFound, UndoElsewhere)):
        while True:
            app.stores.cortex.undo(own=True)
    assert differences(before, state(ticking, since)) == []


def test_every_key_that_stays_in_the_app_is_drawn() -> None:
    assert {"p", "d", "u", "ctrl+r", "enter", "?"} <= set(alphabet())
    assert not {"q", "ctrl+q", "ctrl+c"} & set(alphabet())

"""What the log looks like. `pytest THIS_FILE --snapshot-update` takes it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from cortex_tui.screens.log_screen import LogScreen
from tests.conftest import Clock
from tests.tui.pages import page
from tests.tui.snapshots import Compare, keys


@pytest.fixture
def shown(project: Path, clock: Clock) -> Callable[..., CortexApp]:
    """The app on the log: changes by several, one of them undone."""
    with Cortex.open(project, clock=clock) as cortex:
        first = cortex.remember("Use pnpm, never npm.", title="Use pnpm")
        cortex.remember("The queue is drained first.", title="The queue", actor="agent")
        cortex.tag(first.id, ("tools",))
        cortex.undo()
        clock.advance(minutes=1)
        cortex.pin(first.id)
        clock.advance(minutes=1)
    return lambda **how: page(LogScreen, project, clock, **how)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_log(snap_compare: Compare, shown: Callable[..., CortexApp], size: tuple[int, int]) -> None:
    assert snap_compare(shown(), terminal_size=size, run_before=keys("j", "j"))

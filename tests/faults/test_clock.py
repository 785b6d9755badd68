"""A clock that was set back: the last change is still the one that was made last."""

from __future__ import annotations

from pathlib import Path

from cortex_core import Cortex
from tests.conftest import Clock


def test_undo_after_the_clock_went_back(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        kept = cortex.remember("Commit messages are imperative", scope="global")
        clock.advance(seconds=5)
        memory = cortex.remember("Use pnpm, never npm")
        clock.advance(days=-3650)
        cortex.forget([memory.id])
        cortex.undo()
        assert {each.id for each in cortex.list()} == {kept.id, memory.id}

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


def test_undo_follows_the_order_of_both_stores_at_one_reading_of_the_clock(
    project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        memory = cortex.remember("Use pnpm, never npm")
        cortex.move(memory.id, "global")
        cortex.pin(memory.id)
        clock.advance(days=-3650)
        cortex.tag(memory.id, add=["tools"])
        assert [change.verb for change in cortex.log()] == [
            "tag",
            "pin",
            "move",
            "move",
            "remember",
        ]
        assert [change.verb for change in cortex.undo(2)] == ["undo", "undo"]
        found = cortex.show(memory.id)
        assert (found.scope, found.pinned, found.tags) == ("global", False, ())

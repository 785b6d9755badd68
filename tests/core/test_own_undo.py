"""Undo of what was done through one `Cortex`: what came from elsewhere is named first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import NotFound, UndoElsewhere
from tests.conftest import Clock


@pytest.fixture
def other(project: Path, clock: Clock) -> Iterator[Cortex]:
    """Another process with the same stores."""
    with Cortex.open(project, clock=clock) as opened:
        yield opened


def labels(cortex: Cortex) -> list[str]:
    """What each undo of everything done here takes back, in turn."""
    found = []
    with pytest.raises((NotFound, UndoElsewhere)):
        while True:
            found.append(cortex.undo(own=True)[0].label)
    return found


def test_redo_does_all_of_it_again_in_order(cortex: Cortex) -> None:
    memory = cortex.remember("Use pnpm, never npm.", title="Use pnpm")
    cortex.pin(memory.id)
    undone = labels(cortex)
    assert undone == ["pin “Use pnpm”", "remember “Use pnpm”"]
    again = [cortex.redo(own=True)[0].label for _ in undone]
    assert again == undone[::-1]
    assert [one.pinned for one in cortex.list()] == [True]
    with pytest.raises(NotFound):
        cortex.redo(own=True)
    assert labels(cortex) == undone


def test_what_another_process_did_since_is_named_first(
    cortex: Cortex, other: Cortex, clock: Clock
) -> None:
    cortex.remember("The queue is drained first.", title="mine")
    other.remember("Use pnpm, never npm.", title="theirs")
    clock.advance(minutes=1)
    with pytest.raises(UndoElsewhere, match="remember “theirs” was not done here: by you"):
        cortex.undo(own=True)
    cortex.remember("Ports begin at 7000.", title="later")
    assert cortex.undo(own=True)[0].label == "remember “later”"
    assert cortex.undo()[0].label == "remember “theirs”"
    assert cortex.undo(own=True)[0].label == "remember “mine”"
    other.remember("The lamp turns.")
    other.undo()
    with pytest.raises(UndoElsewhere, match="was not undone here"):
        cortex.redo(own=True)


def test_an_undo_can_be_undone_after_other_changes(cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.", title="one")
    number = cortex.undo()[0].number
    cortex.remember("The queue is drained first.", title="two")
    assert cortex.log()[1].sentence == "undo of 1 (remember “one”)"
    assert cortex.undo(number=number)[0].sentence == "redo of 1 (remember “one”)"
    assert {memory.title for memory in cortex.list()} == {"one", "two"}
    cortex.undo(number=1)
    assert cortex.redo(number=1)[0].verb == "redo"
    assert {memory.title for memory in cortex.list()} == {"one", "two"}
    assert labels(cortex) == ["remember “two”", "remember “one”"]


def test_one_action_of_the_log_is_undone_by_itself(cortex: Cortex, other: Cortex) -> None:
    other.remember("Use pnpm, never npm.", title="theirs")
    cortex.remember("The queue is drained first.", title="mine")
    theirs = next(one for one in cortex.log() if "theirs" in one.label)
    assert not theirs.here
    cortex.undo(action=theirs.action)
    assert [memory.title for memory in cortex.list()] == ["mine"]
    assert cortex.redo(own=True)[0].label == "remember “theirs”"
    assert labels(cortex) == ["remember “mine”", "remember “theirs”"]


def test_the_log_is_searched_by_words_and_by_who_it_was(cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm.", title="Use pnpm")
    cortex.remember("The queue is drained first.", title="The queue", actor="agent")
    assert [one.label for one in cortex.log(words="QUEUE")] == ["remember “The queue”"]
    assert [one.label for one in cortex.log(actors=("agent",))] == ["remember “The queue”"]


def test_the_last_change_is_undone_although_the_clock_was_ahead_once(
    project: Path, clock: Clock
) -> None:
    ahead = Clock(clock.now + 10 * 365 * 86_400)
    for at, words in ((ahead, "Made in ten years"), (clock, "Made today")):
        with Cortex.open(project, clock=at) as cortex:
            cortex.remember(words)
    with Cortex.open(project, clock=clock) as cortex:
        assert [one.label for one in cortex.undo()] == ["remember “Made today”"]

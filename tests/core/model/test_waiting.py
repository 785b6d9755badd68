"""What waits for the model: when it is due, how failures count, what is carried over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import ModelFailed
from cortex_core.capture import unread
from cortex_core.capture.unread import UnreadPart
from tests.conftest import NOON, Clock

if TYPE_CHECKING:
    from cortex_core.base.errors import FailureCause

WAITS = UnreadPart(start=100, end=900, since=NOON)


def failure(cause: FailureCause) -> ModelFailed:
    return ModelFailed("why", cause=cause)


@pytest.mark.parametrize(
    ("state", "is_due"),
    [
        (UnreadPart(), False),
        (WAITS, False),
        (replace(WAITS, final=True), True),
        (replace(WAITS, final=True, next=NOON + 1), False),
    ],
)
def test_it_is_due_when_the_session_has_ended(state: UnreadPart, is_due: bool) -> None:
    assert state.is_due(NOON) is is_due


def test_new_words_make_the_part_longer_and_never_shorter() -> None:
    after = WAITS.extended(900, 1_500, True, NOON + 60)
    assert (after.start, after.end, after.final, after.since) == (100, 1_500, True, NOON)
    again = WAITS.extended(0, 1_500, False, NOON)
    assert again.start == 0, "a replay begins at the start"
    idle = UnreadPart(end=900).extended(None, 900, True, NOON)
    assert idle.start is None


def test_only_what_was_asked_counts_as_a_failure() -> None:
    state = WAITS
    for _ in range(50):
        state = state.failed(failure("not asked"), NOON)
    assert not state.is_hopeless(NOON) and state.next <= NOON
    for count in range(unread.MOST_UNUSABLE):
        assert not state.is_hopeless(NOON), count
        state = state.failed(failure("unusable"), NOON)
    assert state.is_hopeless(NOON)
    assert WAITS.is_hopeless(NOON + unread.OLDEST + 1)


def test_pauses_grow_after_the_first_failure() -> None:
    state, pauses = WAITS, []
    for _ in range(7):
        state = state.failed(failure("unavailable"), NOON)
        pauses.append(state.next - NOON)
    assert pauses == sorted(pauses) and pauses[0] == 0 and pauses[-1] == unread.PAUSES[-1]


def test_success_forgets_failures() -> None:
    state = WAITS.failed(failure("unavailable"), NOON).read_up_to(None, NOON)
    assert (state.start, state.unanswered, state.reason) == (None, 0, "")


def test_it_is_kept_in_the_store_and_told_oldest_first(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.settings.set("extractor", "api")
        store = cortex.workspace.store("project")
        first, second = project / "a.jsonl", project / "b.jsonl"
        with store.write():
            unread.save(store, first, WAITS)
            unread.save(store, second, replace(WAITS, since=NOON - 9))
            unread.save(store, project / "c.jsonl", UnreadPart())
        assert unread.part(store, first) == WAITS
        assert cortex.llm.waiting() == [second, first]
        store.set_meta(f"model {second}", '{"start": 7, "asked": 1.5}')
        assert unread.part(store, second).start == 7, "with a field of an older version"
        store.set_meta(f"model {first}", "{broken")
        assert unread.part(store, first) == UnreadPart()

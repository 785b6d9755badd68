"""What the app asks of Cortex, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_core import Cortex
from cortex_core.errors import CortexError, NotFound, StoreError
from cortex_core.memory import Memory
from cortex_tui.answers import Answer, Key, Meaning, Question, with_kept
from cortex_tui.library import Library
from tests.conftest import Clock


@pytest.fixture
def library(project: Path, clock: Clock, fill: Callable[..., None]) -> Library:
    fill()
    return Library(project, clock=clock)


def named(library: Library, answer: Answer) -> list[str]:
    return [memory.title for memory in library.rows(answer.order).values()]


def first(library: Library) -> tuple[Key, Memory]:
    order = library.find(Question()).order
    return order[0], library.rows(order[:1])[order[0]]


def test_an_answer_knows_its_revision_and_total(library: Library) -> None:
    answer = library.find(Question("token"))
    assert answer.total == 9
    assert 0 < len(answer.order) < 9
    assert answer.revision == library.cortex.revision()


def test_a_search_passes_only_the_statuses_asked_for(library: Library) -> None:
    key, _ = first(library)
    library.act("forget", key)
    assert key not in library.find(Question("token")).order
    assert key in library.find(Question("token", everything=True)).order


def test_kept_rows_stay_behind_the_row_they_followed(library: Library) -> None:
    order = list(library.find(Question()).order)
    library.act("forget", order[2])
    answer = library.find(Question(), {order[2]: order[1]})
    assert list(answer.order) == order
    assert answer.kept == {order[2]}


def test_a_kept_row_that_passes_again_is_no_longer_kept(library: Library) -> None:
    order = list(library.find(Question()).order)
    library.act("forget", order[0])
    library.act("undo")
    answer = library.find(Question(), {order[0]: None})
    assert list(answer.order) == order
    assert answer.kept == frozenset()


def test_acting_on_a_memory_that_is_gone(library: Library) -> None:
    with pytest.raises(NotFound, match="no longer there"):
        library.act("pin", ("project", 4711))


def test_undo_tells_what_it_took_back(library: Library) -> None:
    key, memory = first(library)
    library.act("pin", key)
    assert memory.title in library.act("undo").sentence
    with pytest.raises(CortexError):
        for _ in range(30):
            library.act("redo")


def test_rows_that_are_gone_are_left_out(library: Library) -> None:
    order = library.find(Question()).order
    found = library.rows([order[0], ("project", 4711), order[1]])
    assert list(found) == [order[0], order[1]]


def test_a_pulse_reads_the_status_only_after_a_change(library: Library) -> None:
    pulse = library.pulse(None)
    assert pulse.status is not None
    assert library.pulse(pulse.revision).status is None


def test_a_removed_store_is_noticed_before_anything_is_written(
    library: Library, project: Path
) -> None:
    key, _ = first(library)
    store, away = project / ".memory" / "cortex.db", project / ".memory" / "away.db"
    store.rename(away)
    for attempt in (
        lambda: library.find(Question()),
        lambda: library.act("pin", key),
        lambda: library.pulse(None),
    ):
        with pytest.raises(StoreError, match="was removed while it was open"):
            attempt()
    away.rename(store)
    assert library.act("pin", key).rows[key].pinned


def test_a_store_that_appears_later_is_seen(project: Path, clock: Clock) -> None:
    library = Library(project, clock=clock)
    assert library.find(Question()).order == []
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Use pnpm, never npm.")
    assert len(library.find(Question()).order) == 1


def test_meaning_joins_only_what_words_did_not_find(library: Library) -> None:
    library.cortex.embed_pending()
    answer = library.find(Question("token"))
    near = library.near(answer)
    assert set(near.keys).isdisjoint(answer.order)
    assert len(set(near.keys)) == len(near.keys)


def test_meaning_joins_behind() -> None:
    a, b, c = (key(number) for number in (1, 2, 3))
    answer = Answer(Question("x"), [a, b], 9, (1,))
    joined = answer.joined(Meaning((c,)))
    assert list(joined.order) == [a, b, c]
    assert joined.meaning == {c}
    assert joined.joined_meaning
    assert answer.joined(Meaning((), "no model")).degraded == "no model"


def key(number: int) -> Key:
    return ("project", number)


KEYS = st.lists(st.integers(0, 30).map(key), unique=True, max_size=12)


@given(KEYS, st.data())
def test_kept_rows_are_all_there_once_and_the_others_keep_their_order(
    shown: list[Key], data: st.DataObject
) -> None:
    gone = data.draw(st.lists(st.sampled_from(shown), unique=True) if shown else st.just([]))
    kept = {
        row: shown[place - 1] if place else None for place, row in enumerate(shown) if row in gone
    }
    order = [row for row in shown if row not in gone]
    new: list[Key] = data.draw(st.sampled_from([[], [("global", 99)]]))
    merged = with_kept([*new, *order], kept)
    assert sorted(merged) == sorted([*new, *shown])
    assert [row for row in merged if row in order] == order
    if not new:
        assert merged == shown

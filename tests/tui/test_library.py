"""What the app asks of Cortex, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_core import Cortex
from cortex_core.errors import CortexError, NotFound, StoreError, UsageError
from cortex_core.memory import Key, Memory
from cortex_tui.answers import EVERYTHING, Answer, Chip, Meaning, Question, with_kept
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
    assert key in library.find(Question("token", (EVERYTHING,))).order


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


def test_several_are_one_step_and_those_it_does_nothing_for_are_left(library: Library) -> None:
    order = library.find(Question()).order
    library.act("forget", order[0])
    done = library.act("forget", *order[:3])
    assert set(done.rows) == set(order[1:3])
    assert done.sentence == "Forgotten: 2 memories; 1 left as they are"
    undone = library.act("undo")
    assert set(undone.rows) == set(order[1:3])
    assert all(memory.status == "active" for memory in undone.rows.values())
    with pytest.raises(UsageError, match="None of the 2"):
        library.act("restore", *order[1:3])


def test_pinning_several_pins_all_and_unpins_when_all_are(library: Library) -> None:
    order = library.find(Question()).order
    assert all(memory.pinned for memory in library.act("pin", *order).rows.values())
    assert not any(memory.pinned for memory in library.act("pin", *order).rows.values())


def test_filters_pass_what_they_ask_for(library: Library) -> None:
    question = Question().with_chip(Chip("kind", "fact")).with_chip(Chip("kind", "gotcha"))
    answer = library.find(question)
    assert {memory.kind for memory in library.rows(answer.order).values()} == {"fact", "gotcha"}
    assert answer.total == 2
    assert len(library.find(question._replace(words="refresh")).order) == 1
    assert all(question.passes(memory) for memory in library.rows(answer.order).values())


def test_what_is_read_is_weighed(library: Library) -> None:
    key, memory = first(library)
    assert library.worth(memory) == pytest.approx(
        sum(library.cortex.details(memory.id).standing.values())
    )
    assert library.worth(replace(memory, id="another")) is None
    assert key == library.find(Question()).order[0]


def test_what_is_near_at_first_sight_keeps_to_the_filters(library: Library) -> None:
    library.cortex.embed_pending()
    answer = library.find(Question("nightly job"))
    found = library.nearly(answer)
    assert found.roughly
    assert library.rows(found.keys[:1])[found.keys[0]].kind == "context"
    narrow = library.find(answer.question.with_chip(Chip("kind", "fact")))
    kinds = {memory.kind for memory in library.rows(library.nearly(narrow).keys).values()}
    assert kinds <= {"fact"}
    wide = library.find(answer.question.with_chip(Chip("scope", "global")))
    assert all(scope == "global" for scope, _ in library.nearly(wide).keys)


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
    rough = answer.joined(Meaning((c,), roughly=True))
    assert not rough.joined_meaning
    assert list(rough.joined(Meaning(())).order) == [a, b]
    assert list(rough.joined(Meaning((), "no model")).order) == [a, b, c]
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

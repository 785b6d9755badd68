"""What the app asks of Cortex, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.base.errors import CortexError, NotFound, StoreError, UsageError
from cortex_core.records.memory import Key, Memory
from cortex_tui.queries import EVERYTHING, Chip, ListQuery, ListResult, MeaningHits, with_kept
from cortex_tui.session import StoreSession
from tests.conftest import Clock


@pytest.fixture
def stores(project: Path, clock: Clock, fill: Callable[..., None]) -> StoreSession:
    fill()
    return StoreSession(project, clock=clock)


def named(stores: StoreSession, answer: ListResult) -> list[str]:
    return [memory.title for memory in stores.rows(answer.order).values()]


def first(stores: StoreSession) -> tuple[Key, Memory]:
    order = stores.find(ListQuery()).order
    return order[0], stores.rows(order[:1])[order[0]]


def test_an_answer_knows_its_revision_and_total(stores: StoreSession) -> None:
    answer = stores.find(ListQuery("token"))
    assert answer.total == 9
    assert 0 < len(answer.order) < 9
    assert answer.revision == stores.cortex.workspace.revision()


def test_a_search_passes_only_the_statuses_asked_for(stores: StoreSession) -> None:
    key, _ = first(stores)
    stores.act("forget", key)
    assert key not in stores.find(ListQuery("token")).order
    assert key in stores.find(ListQuery("token", (EVERYTHING,))).order


def test_kept_rows_stay_behind_the_row_they_followed(stores: StoreSession) -> None:
    order = list(stores.find(ListQuery()).order)
    stores.act("forget", order[2])
    answer = stores.find(ListQuery(), {order[2]: order[1]})
    assert list(answer.order) == order
    assert answer.kept == {order[2]}


def test_a_kept_row_that_passes_again_is_no_longer_kept(stores: StoreSession) -> None:
    order = list(stores.find(ListQuery()).order)
    stores.act("forget", order[0])
    stores.act("undo")
    answer = stores.find(ListQuery(), {order[0]: None})
    assert list(answer.order) == order
    assert answer.kept == frozenset()


def test_acting_on_a_memory_that_is_gone(stores: StoreSession) -> None:
    with pytest.raises(NotFound, match="no longer there"):
        stores.act("pin", ("project", 4711))


def test_undo_tells_what_it_took_back(stores: StoreSession) -> None:
    key, memory = first(stores)
    stores.act("pin", key)
    assert memory.title in stores.act("undo").sentence
    with pytest.raises(CortexError):
        for _ in range(30):
            stores.act("redo")


def test_several_are_one_step_and_those_it_does_nothing_for_are_left(stores: StoreSession) -> None:
    order = stores.find(ListQuery()).order
    stores.act("forget", order[0])
    done = stores.act("forget", *order[:3])
    assert set(done.rows) == set(order[1:3])
    assert done.sentence == "Forgotten: 2 memories; 1 left as they are"
    undone = stores.act("undo")
    assert set(undone.rows) == set(order[1:3])
    assert all(memory.status == "active" for memory in undone.rows.values())
    with pytest.raises(UsageError, match="none of the 2"):
        stores.act("restore", *order[1:3])


def test_pinning_several_pins_all_and_unpins_when_all_are(stores: StoreSession) -> None:
    order = stores.find(ListQuery()).order
    assert all(memory.pinned for memory in stores.act("pin", *order).rows.values())
    assert not any(memory.pinned for memory in stores.act("pin", *order).rows.values())


def test_filters_pass_what_they_ask_for(stores: StoreSession) -> None:
    question = ListQuery().with_chip(Chip("kind", "fact")).with_chip(Chip("kind", "gotcha"))
    answer = stores.find(question)
    assert {memory.kind for memory in stores.rows(answer.order).values()} == {"fact", "gotcha"}
    assert answer.total == 2
    assert len(stores.find(question._replace(words="refresh")).order) == 1
    assert all(question.passes(memory) for memory in stores.rows(answer.order).values())


def test_what_is_read_is_weighed(stores: StoreSession) -> None:
    key, memory = first(stores)
    assert stores.importance(memory) == pytest.approx(
        sum(stores.cortex.memories.details(memory.id).importance.values())
    )
    assert stores.importance(replace(memory, id="another")) is None
    assert key == stores.find(ListQuery()).order[0]


def test_rows_that_are_gone_are_left_out(stores: StoreSession) -> None:
    order = stores.find(ListQuery()).order
    found = stores.rows([order[0], ("project", 4711), order[1]])
    assert list(found) == [order[0], order[1]]


def test_a_pulse_reads_the_status_only_after_a_change(stores: StoreSession) -> None:
    pulse = stores.pulse(None)
    assert pulse.status is not None
    assert stores.pulse(pulse.seen).status is None
    stores.cortex.sync.name_machine("desk")  # which writes the list of remotes, and no store
    assert (later := stores.pulse(pulse.seen)).sync is not None
    assert stores.pulse(later.seen).status is None


def test_a_removed_store_is_noticed_before_anything_is_written(
    stores: StoreSession, project: Path
) -> None:
    key, _ = first(stores)
    store, away = project / ".memory" / "cortex.db", project / ".memory" / "away.db"
    store.rename(away)
    for attempt in (
        lambda: stores.find(ListQuery()),
        lambda: stores.act("pin", key),
        lambda: stores.pulse(None),
    ):
        with pytest.raises(StoreError, match="was removed while it was open"):
            attempt()
    away.rename(store)
    assert stores.act("pin", key).rows[key].pinned


def test_a_store_that_appears_later_is_seen(project: Path, clock: Clock) -> None:
    stores = StoreSession(project, clock=clock)
    assert stores.find(ListQuery()).order == []
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Use pnpm, never npm.")
    assert len(stores.find(ListQuery()).order) == 1


def test_meaning_joins_only_what_words_did_not_find(stores: StoreSession) -> None:
    stores.cortex.models.embed_pending()
    answer = stores.find(ListQuery("token"))
    by_meaning = stores.by_meaning(answer)
    assert set(by_meaning.keys).isdisjoint(answer.order)
    assert len(set(by_meaning.keys)) == len(by_meaning.keys)


def test_meaning_joins_behind() -> None:
    a, b, c = (key(number) for number in (1, 2, 3))
    answer = ListResult(ListQuery("x"), [a, b], 9, (1,))
    joined = answer.joined(MeaningHits((c,)))
    assert list(joined.order) == [a, b, c]
    assert joined.meaning == {c}
    assert joined.joined_meaning
    assert list(joined.joined(MeaningHits(())).order) == [a, b]
    assert answer.joined(MeaningHits((), "no model")).degraded == "no model"


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

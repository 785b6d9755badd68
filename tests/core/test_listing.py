"""What long lists are made of: standings, facets, what is near without the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import UsageError
from cortex_core.records.memory import STATUSES, Memory
from tests.conftest import Clock


@pytest.fixture
def cortex(project: Path, clock: Clock) -> Cortex:
    return Cortex.open(project, clock=clock)


@pytest.fixture
def made(cortex: Cortex, clock: Clock) -> list[Memory]:
    """Memories of both stores, linked, some used often."""
    found = [
        cortex.remember("Use pnpm, never npm.", kind="preference", scope="global", tags=("js",)),
        cortex.remember("Staging is rebuilt every night.", kind="context", tags=("ops", "js")),
        cortex.remember("Deploys wait for the green build.", kind="policy", priority=9),
    ]
    cortex.graph.link(found[1].id, found[2].id, "REQUIRES")
    for _ in range(3):
        cortex.recall("staging rebuilt night")
    clock.advance(days=40)
    cortex.forget(cortex.remember("Put away.", kind="fact").id)
    return found


def test_a_standing_is_the_sum_of_its_parts(cortex: Cortex, made: list[Memory]) -> None:
    found = cortex.list()
    worth = cortex.memories.importances(found)
    assert set(worth) == {one.id for one in made}
    for name, value in worth.items():
        assert value == pytest.approx(sum(cortex.memories.details(name).importance.values()))


def test_lists_by_standing_and_by_confidence(cortex: Cortex, made: list[Memory]) -> None:
    found = cortex.list(sort="standing")
    worth = cortex.memories.importances(found)
    assert [worth[one.id] for one in found] == sorted(worth.values(), reverse=True)
    surest = [one.confidence for one in cortex.list(sort="confidence")]
    assert surest == sorted(surest, reverse=True)
    assert surest[0] > surest[-1]
    assert [one.id for one in cortex.list(sort="standing", scope="global")] == [made[0].id]
    with pytest.raises(UsageError, match="standing"):
        cortex.list(sort="colour")  # type: ignore[arg-type]


def test_the_memories_of_a_session(cortex: Cortex) -> None:
    lines = [
        '{"id": "a1", "content": "Deploys wait for the build.", "session": "s-1*2"}',
        '{"id": "b1", "content": "The tax table is in Redis.", "session": "s-1*3"}',
        '{"id": "c1", "content": "The queue is in Postgres."}',
    ]
    cortex.exchange.import_jsonl(lines)
    found = {
        name: {one.id for one in cortex.list(session=name)} for name in ("s-1", "s-1*3", "s-?")
    }
    assert found == {"s-1": {"a1", "b1"}, "s-1*3": {"b1"}, "s-?": set()}


def test_centrality_follows_the_links(cortex: Cortex, made: list[Memory]) -> None:
    before = cortex.memories.importances(cortex.list())[made[2].id]
    cortex.graph.unlink(made[1].id, made[2].id)
    assert cortex.memories.importances(cortex.list())[made[2].id] < before
    cortex.undo()
    assert cortex.memories.importances(cortex.list())[made[2].id] == pytest.approx(before)


def test_facets_count_both_stores(cortex: Cortex, made: list[Memory]) -> None:
    facets = cortex.memories.facets()
    assert facets.tags == {"js": 2, "ops": 1}
    assert facets.statuses == {"active": 3, "archived": 1}
    assert facets.scopes == {"project": 3, "global": 1}
    assert facets.kinds == {"preference": 1, "context": 1, "policy": 1, "fact": 1}
    assert list(facets.tags) == ["js", "ops"]


def test_an_empty_store_has_no_facets(project: Path) -> None:
    with Cortex.open(project) as empty:
        assert empty.memories.facets().kinds == {}
        assert empty.memories.similar_ids("anything") == []


def test_what_is_near_without_the_model(cortex: Cortex, made: list[Memory]) -> None:
    cortex.models.embed_pending()
    near = cortex.memories.similar_ids("nightly job")
    assert cortex.memories.keys_of([made[1].id])[made[1].id] == near[0]
    only = cortex.memories.similar_ids(
        "nightly job", filters=cortex.memories.filters(kinds=("policy",))
    )
    assert near[0] not in only
    assert cortex.memories.similar_ids("") == []


def test_ids_are_found_whole_before_they_are_taken_for_beginnings(cortex: Cortex) -> None:
    cortex.exchange.import_jsonl(
        ['{"id": "abcd", "content": "The short one."}', '{"id": "abcde", "content": "The long."}']
    )
    assert cortex.show("abcd").content == "The short one."
    assert cortex.show("abcde").content == "The long."
    assert list(cortex.memories.keys_of(["abcde", "nothing", "abcd"])) == ["abcde", "abcd"]


def test_a_filter_of_half_a_character_finds_nothing(cortex: Cortex, made: list[Memory]) -> None:
    for name in ("file", "branch", "session"):
        assert cortex.list(**{name: "\ud800"}) == []  # type: ignore[arg-type]
    assert cortex.recall("staging", tags=("\ud800",)).hits == ()


def test_the_list_of_an_earlier_moment(cortex: Cortex, clock: Clock) -> None:
    """Said 35 days ago, forgotten 25, restored 15 and forgotten again 5 days ago."""
    one = cortex.remember("The api listens on port 8080.")
    for action in (cortex.forget, cortex.restore, cortex.forget):
        clock.advance(days=10)
        action(one.id)
    clock.advance(days=5)
    listed = [cortex.list(asof=f"{days}d", statuses=STATUSES) for days in (3, 8, 18, 28, 38)]
    assert [len(found) for found in listed] == [0, 1, 0, 1, 0]


def test_an_unknown_filter_is_refused_and_not_left_out(cortex: Cortex) -> None:
    for search in (cortex.list, lambda **wrong: cortex.recall("pnpm", **wrong)):
        with pytest.raises(UsageError, match=r"“status” is no filter.*statuses"):
            search(status=["archived"])  # type: ignore[call-arg]

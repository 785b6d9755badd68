"""Names in a query, and the neighbours that join what was found."""

from __future__ import annotations

import pytest

from cortex_core.search import pool
from cortex_core.search.pool import Allowed
from cortex_core.store.store import Store
from tests.core.recall.conftest import add, number_of


@pytest.mark.parametrize(
    ("text", "names", "named"),
    [
        ("When did Ada go home?", ["Ada", "Ben"], "Ada"),
        ("ada's garden", ["Ada", "Ben"], "Ada"),
        ("Did Ada meet Ben?", ["Ada", "Ben"], None),
        ("Adamant words", ["Ada", "Ben"], None),
        ("What will happen?", ["Will", "Ben"], None),
        ("What did Will say?", ["Will", "Ben"], "Will"),
        ("Ask Jane Doe (ops)", ["Jane Doe", "c++ (bot)"], "Jane Doe"),
        ("", ["Ada"], None),
    ],
)
def test_the_author_whom_a_query_names(text: str, names: list[str], named: str | None) -> None:
    assert pool.the_one_named(text, names) == named


def test_names_are_taken_out_where_there_are_several() -> None:
    assert pool.without_names("Did Ada like Ben's soup?", ["Ada", "Ben"]) == "Did like soup?"
    assert pool.without_names("Did Ada like soup?", ["Ada"]) == "Did Ada like soup?"


def test_the_authors_of_a_store(store: Store) -> None:
    assert pool.authors(store) == []
    for author in ("Ben", "Ada", "Ben", ""):
        add(store, "Something said.", author=author)
    assert pool.authors(store) == ["Ada", "Ben"]


def test_neighbours_join_within_reach_and_within_the_filter(store: Store) -> None:
    made = [add(store, f"Turn {at}.", session="s", position=at) for at in range(7)]
    gone = add(store, "Turn 4, again.", session="s", position=4, status="archived")
    numbers = [number_of(store, memory) for memory in made]
    allowed = Allowed()
    known = allowed.among(store, [numbers[3]])
    found = pool.with_neighbours(store, [numbers[3]], known, allowed)
    assert sorted(found) == numbers[1:6]
    assert number_of(store, gone) not in found


def test_a_search_is_asked_for_more_while_few_may_be_returned(store: Store) -> None:
    for number in range(50):
        add(store, f"Memory {number}.", kind="fact" if number % 10 else "policy")
    asked: list[int] = []

    def search(limit: int) -> list[tuple[int, float]]:
        asked.append(limit)
        return [(number, 1.0 / number) for number in range(1, 51)][:limit]

    (found,), known = pool.allowed_first(store, Allowed("m.kind = 'policy'"), 4, [search])
    assert list(found) == [1, 11, 21, 31]
    assert set(found) <= set(known)
    assert asked == [4, 32]


def test_manner_is_told(store: Store) -> None:
    asks = number_of(store, add(store, "Shall we use Kafka? "))
    rule = number_of(store, add(store, "Always answer in German."))
    way = number_of(store, add(store, "Handlers return results.", kind="pattern"))
    plain = number_of(store, add(store, "The till is slow."))
    known = Allowed().among(store, [asks, rule, way, plain])
    assert [n for n in known if known[n].asks] == [asks]
    assert [n for n in known if known[n].instructs] == [rule, way]

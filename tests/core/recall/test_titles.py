"""The titles of a store in memory: found by parts and slips, and following the store."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base import fuzzy
from cortex_core.search import finder, titles
from cortex_core.search.titles import Titles
from cortex_core.store.store import Store

TITLES = {
    1: "Use zustand for client state",
    2: "The payment processor retries three times",
    3: "Caddy terminates TLS, not nginx",
    4: "Uses of the cache are counted",
    5: "Ledger.write flushes every minute",
}


def held(given: dict[int, str] = TITLES) -> Titles:
    made = Titles()
    made.follow(given)
    return made


def numbers(found: Titles, typed: str) -> list[int]:
    """The titles that fit, best first."""
    return [hit.number for hit in found.find(fuzzy.words(typed), 9, lambda word: False)[0]]


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("zstnd", 1),
        ("usezus", 1),
        ("useclient", 1),
        ("proc pay", 2),
        ("prcssr", 2),
        ("cdy", 3),
        ("gerwrite", 5),
        ("uses", 4),
        ("mintue", 5),
    ],
)
def test_the_right_title_is_first(typed: str, number: int) -> None:
    assert numbers(held(), typed)[0] == number


def test_a_word_says_how_it_was_read() -> None:
    _, read = held().find(["prcssr", "usezus", "cache"], 9, lambda word: False)
    assert read["prcssr"][0] == "processor"
    assert read["usezus"][0] == ""
    assert "cache" not in read


def test_a_common_word_is_no_other_misspelt_one() -> None:
    found = held({1: "The water is cold"})
    assert numbers(found, "winter") == [1]
    assert not found.find(["winter"], 9, lambda word: True)[0]


def test_the_index_ranks_as_comparing_each_title_does() -> None:
    """For words of the titles with letters left out, both find the same title first."""
    chance = random.Random(8)
    vocabulary = [word for title in TITLES.values() for word in fuzzy.words(title)]
    made = {n: " ".join(chance.sample(vocabulary, 4)) for n in range(60)}
    index = held(made)
    for number, title in made.items():
        picked = chance.sample(title.split(), 2)
        typed = " ".join(word[:1] + word[2:] if len(word) > 4 else word for word in picked)
        listed = fuzzy.rank_named(typed, [(title, "") for title in made.values()])
        best = {
            list(made)[position]
            for position, match in listed
            if match.score > listed[0][1].score - 1e-9
        }
        assert numbers(index, typed)[0] in best, (typed, title, number)


def test_typing_letter_by_letter_finds_what_typing_at_once_does() -> None:
    index = held()
    for typed in ("paymentproc", "gister cached", "caddyterm tls", "ledgerwrite"):
        for end in range(1, len(typed) + 1):
            assert numbers(index, typed[:end]) == numbers(held(), typed[:end]), typed[:end]


def test_of_many_titles_the_newest_that_a_filter_lets_through_are_ranked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(titles, "MOST_COMPARED", 2)
    index = held({n: f"Cache note {n}" for n in range(1, 10)})
    odd = index.find(["cache", "note"], 9, lambda word: False, lambda number: number % 2 == 1)
    assert [hit.number for hit in odd[0]] == [9, 7]


def test_a_word_that_a_title_has_twice_goes_with_it() -> None:
    index = held({1: "Cache of the cache", 2: "Cache"})
    index.follow({2: "Cache"})
    assert numbers(index, "cache") == [2]


def changes(chance: random.Random) -> Iterable[dict[int, str]]:
    """States of a store that follow one another."""
    state = dict(TITLES)
    for step in range(6, 30):
        yield dict(state)
        state[step] = f"Note {step} on {chance.choice(list(TITLES.values()))}"
        state.pop(chance.choice(list(state)))
        state[chance.choice(list(state))] = f"Changed in step {step}"


def test_what_follows_a_store_is_what_a_new_one_holds() -> None:
    following = Titles()
    for state in changes(random.Random(2)):
        following.follow(state)
        for typed in ("chngd step", "zstnd", "note", "paymentproc", "uses cache"):
            assert sorted(numbers(following, typed)) == sorted(numbers(held(state), typed))


@pytest.fixture
def store(project: Path) -> Store:
    cortex = Cortex.open(project)
    cortex.remember("Kept in the text alone: the scheduler owns the lease", title="Who owns it")
    cortex.remember("Jobs run at night")
    return cortex.workspace.store("project")


def test_titles_come_before_texts_and_rows_by_similar_words_are_known(store: Store) -> None:
    found = finder.search([store], "schdlr")
    assert found.corrected == {"schdlr": "scheduler"}
    assert [number for _, number in found.keys] == [1]
    joined = finder.search([store], "jobsrun")
    assert [number for _, number in joined.keys] == [2]
    assert joined.similar == {("project", 2)}
    with Cortex.open(store.path.parents[1]) as cortex:
        cortex.remember("Who signs: see the handbook of the scheduler, chapter 3", title="Signing")
        cortex.remember("It wakes at noon", title="Scheduler")
    literal = finder.search([store], "sched")
    assert [number for _, number in literal.keys] == [4, 3, 1]
    assert not literal.similar


def test_a_change_is_followed_at_once(store: Store, project: Path) -> None:
    assert not finder.search([store], "zstnd").keys
    with Cortex.open(project) as other:
        other.remember("Use zustand for client state")
    assert len(finder.search([store], "zstnd").keys) == 1
    assert not finder.search([store], "prcssr").corrected
    with Cortex.open(project) as other:
        other.remember("Payments wait for the processor", title="Payments")
    assert finder.search([store], "prcssr").corrected == {"prcssr": "processor"}


def test_how_well_titles_must_fit_is_measured_on_those_that_a_filter_lets_through(
    project: Path,
) -> None:
    with Cortex.open(project) as cortex:
        best = cortex.remember("Payment processor")
        other = cortex.remember(
            "The payments of all suppliers are processed by hand in the first week of every month "
            "and then booked"
        )
        keys = cortex.memories.keys_of([best.id, other.id])
        typed = "pymnt prcssr"
        assert list(cortex.memories.search_ids(typed).keys) == [keys[best.id]]
        found = cortex.memories.search_ids(typed, passing={keys[other.id]})
        assert list(found.keys) == [keys[other.id]]

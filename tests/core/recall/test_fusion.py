"""The formula: what each sign does to the order, and that the shares tell the whole score."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core.search.fusion import WEIGHTS, Score, SearchCandidate, absolute, fuse

unit = st.floats(-1, 1, allow_nan=False)
share = st.floats(0, 1, allow_nan=False)


@st.composite
def candidates(draw: st.DrawFn) -> list[SearchCandidate]:
    """Some candidates for a query of three wordpieces, some in sessions."""
    count = draw(st.integers(1, 12))
    return [
        SearchCandidate(
            number,
            keyword=draw(share),
            cosine=draw(st.none() | unit),
            tokens=draw(st.just(()) | st.tuples(unit, unit, unit)),
            session=draw(st.sampled_from(["", "a", "b"])),
            position=draw(st.none() | st.integers(0, 5)),
            author=draw(st.booleans()),
            asks=draw(st.booleans()),
            instructs=draw(st.booleans()),
        )
        for number in range(count)
    ]


IMPORTANCE = (0.5, 0.3, 0.2)


def order(found: list[Score]) -> list[int]:
    return [score.number for score in found]


@given(candidates())
def test_every_candidate_is_scored_once_best_first(given: list[SearchCandidate]) -> None:
    found = fuse(given, IMPORTANCE)
    assert sorted(order(found)) == [one.number for one in given]
    totals = [score.total for score in found]
    assert totals == sorted(totals, reverse=True)


@given(candidates())
def test_shares_sum_to_the_score(given: list[SearchCandidate]) -> None:
    for score in fuse(given, IMPORTANCE):
        assert score.total == pytest.approx(score.keyword + score.semantic + score.session)


@given(candidates(), st.randoms())
def test_the_order_of_the_input_means_nothing(given: list[SearchCandidate], random: object) -> None:
    shuffled = list(given)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    before, after = fuse(given, IMPORTANCE), fuse(shuffled, IMPORTANCE)
    assert {s.number: pytest.approx(s.total) for s in before} == {s.number: s.total for s in after}


@given(candidates(), st.integers(0, 11), share)
def test_a_nearer_vector_never_lowers_a_memory(
    given: list[SearchCandidate], which: int, more: float
) -> None:
    one = given[which % len(given)]
    if one.cosine is None or any(other.cosine is None for other in given):
        return
    before = {score.number: score.total for score in fuse(given, IMPORTANCE)}
    one.cosine = min(1.0, one.cosine + more)
    after = {score.number: score.total for score in fuse(given, IMPORTANCE)}
    assert after[one.number] >= before[one.number] - 1e-9


@given(st.floats(0, 100), st.floats(0, 100))
def test_absolute_bm25_is_a_share(bm25: float, rarity: float) -> None:
    assert 0 <= absolute(bm25, rarity) <= 1


def test_meaning_outweighs_a_chance_word() -> None:
    by_word = SearchCandidate(1, keyword=1.0, cosine=0.1, tokens=(0.2, 0.2, 0.2))
    by_meaning = SearchCandidate(2, keyword=0.0, cosine=0.5, tokens=(0.5, 0.5, 0.5))
    assert order(fuse([by_word, by_meaning], IMPORTANCE))[0] == 2


def test_a_neighbour_lends_its_wordpieces_with_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WEIGHTS, "session", 0.0)

    def totals(position: int) -> float:
        answer = SearchCandidate(1, cosine=0.2, tokens=(0.1, 0.1, 0.1), session="s", position=0)
        question = SearchCandidate(
            2, cosine=0.2, tokens=(0.9, 0.9, 0.9), session="s", position=position
        )
        return next(s.total for s in fuse([answer, question], IMPORTANCE) if s.number == 1)

    assert totals(1) > totals(2) > totals(3)


def test_a_session_lifts_its_memories() -> None:
    best = SearchCandidate(1, cosine=0.9, session="s", position=0)
    fellow = SearchCandidate(2, cosine=0.3, session="s", position=9)
    stranger = SearchCandidate(3, cosine=0.3, session="t", position=9)
    assert order(fuse([best, stranger, fellow], ()))[:2] == [1, 2]


def test_who_said_it_and_how_counts() -> None:
    plain = SearchCandidate(1, cosine=0.4)
    found = {
        "author": SearchCandidate(2, cosine=0.4, author=True),
        "instructs": SearchCandidate(3, cosine=0.4, instructs=True),
        "asks": SearchCandidate(4, cosine=0.4, asks=True),
    }
    totals = {s.number: s.total for s in fuse([plain, *found.values()], ())}
    own = 1 + WEIGHTS["session"]  # what is of no session is one by itself
    assert totals[2] - totals[1] == pytest.approx(own * WEIGHTS["author"])
    assert totals[3] - totals[1] == pytest.approx(own * WEIGHTS["instructs"])
    assert totals[4] - totals[1] == pytest.approx(own * WEIGHTS["asks"])


def test_what_was_written_by_hand_keeps_its_rank_among_sessions() -> None:
    by_hand = SearchCandidate(1, cosine=0.5)
    taught = [SearchCandidate(n, cosine=0.5, session="s", position=n) for n in (2, 9)]
    assert order(fuse([by_hand, *taught], ()))[0] == 1


def test_a_memory_without_a_vector_stands_by_its_words() -> None:
    known = [SearchCandidate(n, cosine=n / 10, tokens=(n / 10,) * 3) for n in range(1, 6)]
    fresh = SearchCandidate(9, keyword=1.0)
    beside = SearchCandidate(8, keyword=0.0)
    found = order(fuse([*known, fresh, beside], IMPORTANCE))
    assert found[0] == 9
    assert found.index(8) > found.index(5)


def test_words_alone_keep_their_order() -> None:
    given = [
        SearchCandidate(1, keyword=0.2),
        SearchCandidate(2, keyword=0.9),
        SearchCandidate(3, keyword=0.5),
    ]
    assert order(fuse(given, ())) == [2, 3, 1]


def test_of_equal_ones_the_newer_leads() -> None:
    assert order(fuse([SearchCandidate(1, cosine=0.5), SearchCandidate(2, cosine=0.5)], ())) == [
        2,
        1,
    ]

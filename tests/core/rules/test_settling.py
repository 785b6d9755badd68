"""What waits for the end of a session, what does not, and what no longer holds by then."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from cortex_core.extract import settling
from cortex_core.extract.rules import extract
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.records.events import Candidate, Event
from tests.core.rules.session import Session

WHERE = source_of(Event(role="assistant", session="s1", uuid="u1"))


def settled(*finds: tuple[str, str]) -> list[str]:
    """The contents that stand of rules and contents found in this order."""
    findings, state = Findings({}), SessionState()
    for rule, content in finds:
        findings.add(rule, "fact", content, WHERE)
    return [each.content for each in settling.settle(findings, state)]


def test_what_is_to_be_remembered_does_not_wait() -> None:
    session = Session().human("Remember: always use uv for scripts.")
    session.asks("Which cache should prices use?", "Redis with a TTL", "Cache", ("Redis",))
    made = session.extracted(final=False)
    assert [each.rule for each in made.candidates] == ["prompt-remember"]
    assert [each["rule"] for each in made.carry["pending"]] == ["answer"]


def test_a_session_that_goes_on_after_its_end_says_nothing_twice() -> None:
    session = Session().human("Which one?")
    session.asks("Which cache should prices use?", "Redis with a TTL", "Cache", ("Redis",))
    first = session.extracted()
    assert len(first.candidates) == 1 and first.carry["pending"] == []
    again = extract(session.events, json.loads(json.dumps(first.carry)), final=True)
    assert again.candidates == ()


def test_of_what_summaries_restate_the_last_stands() -> None:
    old = "Uploads must be retried three times by the queue worker before they fail"
    new = "Uploads must be retried three times by the queue worker before they fail for good"
    assert settled(("concept", old), ("concept", new)) == [new]


def test_a_session_gives_at_most_twelve_suggestions_the_best_first() -> None:
    said = [("fix", f"`Worker{n}` never closes the socket of `Queue{n}`") for n in range(20)]
    stands = settled(*said, ("fix", "`load_cart` took no lines for an error, as it must"))
    assert len(stands) == settling.MOST_SUGGESTED and stands[-1].startswith("`load_cart`")
    assert "`Worker19`" in stands[-2]


def test_they_are_counted_over_the_parts_of_a_session() -> None:
    state = SessionState(suggested=settling.MOST_SUGGESTED)
    findings = Findings({})
    findings.add("fix", "fact", "`load_cart` took no lines for an error", WHERE)
    assert settling.settle(findings, state) == []


def test_a_later_commit_of_the_same_files_replaces_what_one_taught() -> None:
    session = Session().edits("src/cart.py")
    session.commits("fix: carts\n\nThe cart was never locked, so two tabs lost lines.", "aaaaaaa")
    session.edits("src/cart.py").commits("feat: carts in the browser\n\nSee the page.", "bbbbbbb")
    assert session.found("fix") == []
    other = Session().edits("src/cart.py")
    other.commits("fix: carts\n\nThe cart was never locked, so two tabs lost lines.", "aaaaaaa")
    other.edits("src/b.py").commits("feat: carts in the browser\n\nSee the page.", "bbbbbbb")
    assert len(other.found("fix")) == 1


def test_what_is_withdrawn_does_not_stand() -> None:
    findings = Findings({})
    findings.add("fix", "fact", "The proxy strips the cookie header from every upload", WHERE)
    findings.add("fix", "fact", "The worker closes its socket before the answer comes", WHERE)
    findings.withdraw(lambda earlier: "cookie" in earlier)
    assert [each.content[:10] for each in findings.candidates] == ["The worker"]
    assert findings.refused == {"withdrawn later": 1}


texts = st.text(max_size=40)


@given(
    st.lists(
        st.builds(
            Candidate,
            content=texts,
            title=texts,
            kind=st.just("fact"),
            rule=st.just("fix"),
            tags=st.lists(texts, max_size=3).map(tuple),
            files=st.lists(texts, max_size=3).map(tuple),
            offset=st.none() | st.integers(0, 2**40),
            time=st.none() | st.floats(0, 2e9),
            untrusted=st.booleans(),
            details=st.dictionaries(texts, texts, max_size=2),
        ),
        max_size=5,
    )
)
def test_pending_candidates_come_back_as_they_were(candidates: list[Candidate]) -> None:
    assert settling.loaded(json.loads(json.dumps(settling.dumped(candidates)))) == candidates


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | (st.dictionaries(st.sampled_from(["rule", "content", "x"]), inner))
        ),
        max_leaves=8,
    )
)
def test_what_is_no_candidate_is_left_out(saved: object) -> None:
    assert all(isinstance(each, Candidate) for each in settling.loaded(saved))

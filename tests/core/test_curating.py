"""Merging what says the same: proposals, verdicts, what is inherited, and the way back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.admission import apply
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.curation import merged_text, relations
from cortex_core.records.events import Candidate
from cortex_core.records.memory import Memory, Source
from tests.conftest import Clock
from tests.core.storage.test_store import dump
from tests.tui.similar import PAIRS, remember, word_by_model


@pytest.fixture
def pair(cortex: Cortex, clock: Clock) -> tuple[Memory, Memory]:
    """Two memories that say nearly the same, the second newer and linked to a third."""
    first = cortex.remember(
        "Access tokens live 15 minutes because the mobile client can refresh them",
        kind="decision",
        tags=["auth"],
        pinned=True,
    )
    clock.advance(days=3)
    second = cortex.remember(
        "Access tokens live 15 minutes, since the mobile client can refresh them in the background",
        kind="decision",
        tags=["mobile"],
        priority=8,
    )
    third = cortex.remember("The login page is rendered on the server", kind="architecture")
    cortex.graph.link(third.id, second.id, "REQUIRES")
    return first, second


@pytest.fixture
def number(cortex: Cortex, pair: tuple[Memory, Memory]) -> int:
    """The number of the proposal on the pair."""
    cortex.consolidate()
    ((_, made),) = cortex.review.proposals()
    assert set(made.members) == {memory.id for memory in pair}
    return made.number


def state(cortex: Cortex) -> object:
    """Everything that a verdict could touch."""
    return dump(cortex.workspace.stores[0])


def test_a_review_shows_what_the_survivor_inherits(cortex: Cortex, number: int) -> None:
    seen = cortex.review.get(number)
    assert not seen.changed
    assert seen.lost == ()
    assert "15 minutes" in seen.text
    assert seen.heir.pinned
    assert set(seen.heir.tags) == {"auth", "mobile"}
    assert (seen.heir.priority, seen.edges) == (8, 1)


def test_approve_merges_and_undo_restores_everything(cortex: Cortex, number: int) -> None:
    before = state(cortex)
    survivor = cortex.review.approve(number)
    assert survivor.pinned
    assert set(survivor.tags) == {"auth", "mobile"}
    assert len(survivor.sources) == 2
    assert [one.memory.title for one in cortex.graph.neighbours(survivor.id)] == [
        "The login page is rendered on the server"
    ]
    assert [memory.id for memory in cortex.list(kinds=["decision"])] == [survivor.id]
    assert cortex.review.proposals() == []
    cortex.undo()
    assert state(cortex) == before
    cortex.redo()
    assert cortex.show(survivor.id).pinned


@pytest.mark.parametrize("side", ["keep_left", "keep_right"])
def test_keeping_one_side(cortex: Cortex, number: int, side: str) -> None:
    before = state(cortex)
    members = cortex.review.get(number).members
    kept = getattr(cortex.review, side)(number)
    assert kept.id == members[0 if side == "keep_left" else -1].id
    assert kept.pinned
    assert kept.priority == 8
    assert len(cortex.list(kinds=["decision"])) == 1
    cortex.undo()
    assert state(cortex) == before


def test_supersede_keeps_the_older_as_history(
    cortex: Cortex, number: int, pair: tuple[Memory, Memory]
) -> None:
    newer = cortex.review.supersede(number)
    assert newer.id == pair[1].id
    older = cortex.show(pair[0].id)
    assert older.status == "superseded"
    assert any(edge.type == "supersedes" for edge in cortex.memories.details(newer.id).edges)
    cortex.undo()
    assert cortex.show(pair[0].id).status == "active"


def test_not_a_duplicate_is_remembered_until_a_member_changes(
    cortex: Cortex, number: int, pair: tuple[Memory, Memory]
) -> None:
    cortex.review.distinct(number)
    cortex.consolidate()
    assert cortex.review.proposals() == []
    cortex.edit(pair[0].id, content=pair[0].content + " quietly")
    cortex.consolidate()
    assert [made.number for _, made in cortex.review.proposals()] == [number]
    cortex.review.reject(number)
    assert cortex.review.proposals() == []


def test_a_member_that_changed_is_not_merged_unseen(
    cortex: Cortex, number: int, pair: tuple[Memory, Memory]
) -> None:
    cortex.edit(pair[0].id, content=pair[0].content.replace("15", "20"))
    assert cortex.review.get(number).changed
    with pytest.raises(UsageError, match="now up to date"):
        cortex.review.approve(number)
    seen = cortex.review.get(number)
    assert not seen.changed
    assert any("umbers differ" in conflict for conflict in seen.proposal.conflicts)
    assert seen.advice == "supersede"


SHORT = "Uploads above 20 MB are refused by the gateway"
LONG = SHORT + ", so the app sends them in parts and joins them on the server"


@pytest.mark.parametrize(
    ("first", "second", "advice"),
    [
        (SHORT, LONG, "right"),
        (LONG, SHORT, "left"),
        ("Sessions are kept in Redis.", "We keep the sessions in Redis.", "approve"),
        ("The upload limit is 20 MB per file.", "The upload limit is 30 MB per file.", "supersede"),
    ],
)
def test_the_advice_agrees_with_what_is_shown(
    cortex: Cortex, clock: Clock, first: str, second: str, advice: str
) -> None:
    older = cortex.remember(first, kind="decision")
    clock.advance(days=3)
    cortex.remember(second, kind="fact")
    cortex.consolidate()
    (seen,) = cortex.review.list()
    if seen.members[0].id != older.id:
        advice = {"left": "right", "right": "left"}.get(advice, advice)
    assert seen.advice == advice
    assert bool(seen.proposal.conflicts) == (advice == "supersede")


def test_what_is_merely_similar_is_a_link(cortex: Cortex) -> None:
    first = cortex.remember("The exporter writes its nightly report to the archive bucket")
    second = cortex.remember("The importer reads its nightly report from the archive bucket")
    cortex.consolidate(0.3)
    assert cortex.review.list() == []
    assert [one.memory.id for one in cortex.graph.neighbours(first.id)] == [second.id]


def test_a_sentence_of_a_known_memory_becomes_its_source(cortex: Cortex) -> None:
    known = cortex.remember(SHORT + ". Larger ones go through the mobile app.", kind="decision")
    store = cortex.workspace.store()
    for kind, count in (("fact", 1), ("policy", 2)):
        candidate = Candidate(
            content=SHORT, title=SHORT, kind=kind, rule="statement", session=kind, message=kind
        )
        with store.change("capture", "capture", "worker") as change:
            apply.admit(store, change, [candidate], "")
        assert len(cortex.list()) == count
    assert len(cortex.show(known.id).sources) == 2


def test_only_pairs_above_the_threshold_are_proposed(cortex: Cortex) -> None:
    for words in (SHORT, f"{LONG}, once the last one has arrived there"):
        made = cortex.remember("A placeholder of its own about " + words.split()[-1])
        cortex.edit(made.id, content=words)
    assert cortex.consolidate(0.99).proposed == ()
    assert len(cortex.consolidate(0.5).proposed) == 1


def test_a_pair_that_no_longer_says_the_same_says_so(
    cortex: Cortex, number: int, pair: tuple[Memory, Memory]
) -> None:
    cortex.edit(pair[0].id, content="The wiki is rendered from the docs folder every night")
    with pytest.raises(UsageError, match="now up to date"):
        cortex.review.approve(number)
    seen = cortex.review.get(number)
    assert seen.advice == "distinct" and seen.proposal.conflicts


def test_words_that_lose_a_number_are_refused(cortex: Cortex, number: int) -> None:
    before = state(cortex)
    with pytest.raises(UsageError, match="loses 15"):
        cortex.review.approve(number, text="Access tokens live shortly")
    assert state(cortex) == before
    word_by_model(cortex, number, "Tokens live 15 minutes; the mobile client refreshes them")
    assert cortex.review.approve(number).content.startswith("Tokens live 15")


def test_own_words_settle_which_of_two_contradicting_memories_holds(
    cortex: Cortex, project: Path, clock: Clock
) -> None:
    remember(project, clock, (PAIRS[0], PAIRS[-1]))
    ((_, made),) = cortex.review.proposals()
    assert cortex.review.get(made.number).advice == "supersede"
    said = "Access tokens live for a short time"
    assert cortex.review.lost(cortex.review.get(made.number), said) == ["15", "30"]
    assert cortex.review.approve(made.number, text=said).content == said


def test_words_for_contents_that_are_gone_are_dropped(
    cortex: Cortex, number: int, pair: tuple[Memory, Memory]
) -> None:
    word_by_model(cortex, number, "Tokens live 15 minutes; the mobile client refreshes them")
    cortex.edit(pair[0].id, content=pair[0].content + " and keep them in a keyring")
    with pytest.raises(UsageError, match="now up to date"):
        cortex.review.approve(number)
    assert "keyring" in cortex.review.get(number).text


def test_all_that_is_clear_is_merged_as_one_action(cortex: Cortex, number: int) -> None:
    cortex.remember("Always run the migrations before the deploy, and update the release notes")
    cortex.remember("Run the migrations before each deploy and update the release notes")
    cortex.consolidate()
    before = state(cortex)
    clear = [
        seen.proposal.number for seen in cortex.review.list() if seen.proposal.number != number
    ]
    assert len(clear) == 1
    (merged,) = cortex.review.approve_all()
    assert "migrations" in merged.content
    assert cortex.review.proposal(clear[0]).status == "approved"
    assert cortex.review.proposal(number).status == "open"
    with pytest.raises(NotFound, match="certain enough"):
        cortex.review.approve_all()
    cortex.undo()
    assert state(cortex) == before
    with pytest.raises(NotFound):
        cortex.review.approve_all([("project", 99)])


def test_a_member_of_two_proposals_is_merged_once(cortex: Cortex) -> None:
    for words in (
        "Deploys run from the release branch",
        "Deploys run from a release branch",
        "Every deploy runs from the release branch",
    ):
        made = cortex.remember("A placeholder of its own about " + words.split()[-2])
        cortex.edit(made.id, content=words)
    cortex.consolidate()
    before = state(cortex)
    assert len(cortex.review.list()) >= 2
    cortex.review.approve_all()
    cortex.undo()
    assert state(cortex) == before


def test_a_member_that_is_gone_makes_it_moot(
    cortex: Cortex, number: int, pair: tuple[Memory, Memory]
) -> None:
    cortex.forget(pair[0].id)
    with pytest.raises(UsageError, match="no longer active"):
        cortex.review.approve(number)
    with pytest.raises(NotFound):
        cortex.review.approve(99)


WORDS = st.lists(
    st.sampled_from(["port", "8080", "cache", "src/a.py", "is", "retry_limit", "5", "slow."]),
    min_size=1,
    max_size=12,
).map(" ".join)


@pytest.mark.parametrize(
    ("texts", "merged"),
    [
        (("Give me a PR text.", "Give me a short PR text."), "Give me a short PR text."),
        (
            ("Dev server: port 3000 on alpha.", "The dev server on port 3000, it needs Node 22."),
            "Dev server: port 3000 on alpha, it needs Node 22.",
        ),
        (
            ("Ada's phone was not answered.", "Ada's phone is kept at the office in Bern."),
            "Ada's phone was not answered and is kept at the office in Bern.",
        ),
        (
            ("The mail server of the team runs on alpha", "The team's mail server is read by bob"),
            "The team's mail server is read by bob. The mail server of the team runs on alpha",
        ),
        (
            ("Rotate the key every 90 days", "The key is rotated every 90 days with bin/rotate"),
            "The key is rotated every 90 days with bin/rotate",
        ),
        (
            ("Key by user id.", "Key by user id, never by name.\nIt expires in ten minutes."),
            "Key by user id, never by name. It expires in ten minutes.",
        ),
        (
            ("We use ruff for linting and formatting.", "Ruff formats and lints the code."),
            "Ruff formats and lints the code. We use ruff for linting and formatting.",
        ),
        (
            ("テストは毎回書く。", "コミットの前にテストは毎回書く。"),
            "コミットの前にテストは毎回書く。",
        ),
        (
            ("- one item\n- two items", "Three birds sing"),
            "Three birds sing\n- one item\n- two items",
        ),
    ],
)
def test_a_union_is_one_text(texts: tuple[str, str], merged: str) -> None:
    assert merged_text.union(texts) == merged


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_a_union_loses_nothing(texts: list[str]) -> None:
    assert merged_text.lost(texts, merged_text.union(texts)) == []


def test_the_first_verdict_of_a_day_is_preceded_by_a_snapshot(cortex: Cortex, number: int) -> None:
    before = [memory.id for memory in cortex.list()]
    cortex.review.supersede(number)
    (taken,) = cortex.snapshots.list()
    assert taken.why == "review"
    cortex.undo()
    cortex.review.approve(number)
    assert cortex.snapshots.list() == [taken]
    cortex.snapshots.restore(1)
    assert [memory.id for memory in cortex.list()] == before


@pytest.mark.parametrize(
    ("content", "kind", "priority"),
    [
        ("Never force-push to main", "policy", 8),
        ("Keine Umlaute in Dateinamen", "policy", 8),
        ("no deploys from here: the host builds what is merged", "policy", 8),
        ("не запускай миграции на проде", "policy", 8),
        ("The build machine has no network", "fact", 5),
        ("Do not push to main", "policy", 8),
        ("Nunca hagas push a main", "policy", 8),
        ("不要运行 npm audit fix", "policy", 8),
        ("The staging cluster does not support IPv6", "fact", 5),
        ("Staging is rebuilt every night", "fact", 5),
        ("We decided on Postgres because of JSON support", "fact", 5),
    ],
)
def test_what_is_typed_is_a_rule_by_its_words(
    cortex: Cortex, content: str, kind: str, priority: int
) -> None:
    made = cortex.remember(content)
    assert (made.kind, made.priority) == (kind, priority)
    assert cortex.remember(f"{content}, said otherwise", kind="insight").kind == "insight"


def test_a_commit_takes_back_no_other_commit() -> None:
    said = ("Retries use the job queue", "The job queue is dead: retries use a timer")
    older, newer = (
        Memory(
            id=str(at),
            content=words,
            title=words,
            kind="fact",
            scope="project",
            created=float(at),
        )
        for at, words in enumerate(said)
    )
    committed = Source(rule="rule:commit-decision")
    assert relations.changed(older, replace(newer, source=Source(rule="rule:prompt-fact")))
    assert not relations.changed(older, replace(newer, source=committed))

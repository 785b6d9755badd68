"""More than two memories that say the same: what one verdict means for the other proposals."""

from __future__ import annotations

import json

import pytest

from benchmarks.duplicate_texts import RESTATEMENTS
from cortex_core import Cortex
from cortex_core.records.memory import Memory
from tests.conftest import Clock
from tests.core.storage.test_store import dump

TEXTS = (
    "Run the database migrations before every deploy to production",
    "Always run the database migrations before every deploy to production",
    "Run all the database migrations before each deploy to production systems",
    "Run the database migrations ahead of every deploy to production",
)


@pytest.fixture
def several(cortex: Cortex, clock: Clock) -> list[Memory]:
    """Four memories that say the same, and one that does not."""
    made = []
    for words in TEXTS:
        made.append(cortex.remember(words))
        clock.advance(days=1)
    cortex.remember("Invoices are rounded to whole cents")
    cortex.consolidate()
    assert len(cortex.review.proposals()) == 6
    return made


def test_a_merge_hands_the_other_proposals_over(cortex: Cortex, several: list[Memory]) -> None:
    before = dump(cortex.workspace.stores[0])
    merges = 0
    while seen := cortex.review.list():
        assert cortex.status().to_review == len(seen)
        assert not seen[0].changed
        cortex.review.approve(seen[0].proposal.number)
        merges += 1
    assert merges == len(TEXTS) - 1
    (heir,) = [memory for memory in cortex.list() if "migrations" in memory.content]
    assert len(cortex.show(heir.id).sources) == len(TEXTS)
    for _ in range(merges):
        cortex.undo()
    assert dump(cortex.workspace.stores[0]) == before


def test_keeping_a_side_hands_the_others_proposals_over(
    cortex: Cortex, several: list[Memory]
) -> None:
    before = dump(cortex.workspace.stores[0])
    kept = cortex.review.keep_left(cortex.review.list()[0].proposal.number)
    left = cortex.review.list()
    assert len(left) == 3
    assert sum(kept.id in one.proposal.members for one in left) == 2
    cortex.undo()
    assert dump(cortex.workspace.stores[0]) == before


def test_the_queue_lists_what_can_be_judged(cortex: Cortex, several: list[Memory]) -> None:
    def shown() -> list[tuple[int, str, float, int]]:
        return [
            (one.number, one.title, one.similarity, one.conflicts) for one in cortex.review.queue()
        ]

    assert shown() == [
        (
            one.proposal.number,
            one.members[0].title,
            one.proposal.similarity,
            len(one.proposal.conflicts),
        )
        for one in cortex.review.list()
    ]
    gone = several[0].id
    cortex.forget(gone)
    assert len(shown()) == len(cortex.review.list()) < len(cortex.review.proposals())


def test_what_was_told_apart_stays_told_apart(cortex: Cortex, several: list[Memory]) -> None:
    apart = several[3].id
    for _, made in cortex.review.proposals():
        if apart in made.members:
            cortex.review.distinct(made.number)
    while seen := cortex.review.list():
        cortex.review.approve(seen[0].proposal.number)
    cortex.consolidate()
    assert cortex.review.list() == []
    assert cortex.show(apart).status == "active"
    assert len(cortex.list()) == 3


def test_a_superseded_memory_leaves_no_proposal_to_judge(
    cortex: Cortex, several: list[Memory]
) -> None:
    first = cortex.review.list()[0]
    cortex.review.supersede(first.proposal.number)
    assert cortex.status().to_review == len(cortex.review.list()) == 3
    cortex.undo()
    assert cortex.status().to_review == 6


def test_judging_them_all_leaves_one_of_each(cortex: Cortex, clock: Clock) -> None:
    subjects = ("export job", "billing page", "search index")
    for subject in subjects:
        for words in (
            "The {} retries three times before it gives up on a request",
            "The {} retries a request three times before it gives up",
            "the {} retries three times, before it gives up on any request",
            "Remember: the {} retries three times before it gives up on a request",
        ):
            cortex.remember(words.format(subject))
            clock.advance(hours=1)
    cortex.consolidate()
    for subject in subjects:
        while mine := [
            one
            for one in cortex.review.list()
            if all(subject in member.content for member in one.members)
        ]:
            cortex.review.approve(mine[0].proposal.number)
    assert len(cortex.list()) == len(subjects)
    assert cortex.consolidate().proposed == ()


CERTAIN = (
    "The billing exporter writes its monthly report to the archive bucket",
    "The billing exporter is writing its monthly report to the archive bucket",
    "The billing exporter writes the monthly reports to the archive bucket",
    "The billing exporter wrote its monthly report into the archive bucket",
)


@pytest.fixture
def certain(cortex: Cortex) -> Cortex:
    """Rows of their own, by their ids, that certainly say the same."""
    rows = [json.dumps({"id": f"row-{n}", "content": words}) for n, words in enumerate(CERTAIN)]
    cortex.exchange.import_jsonl(rows)
    assert len(cortex.list()) == len(CERTAIN)
    return cortex


def test_all_that_is_clear_becomes_one_and_one_undo_takes_it_back(certain: Cortex) -> None:
    certain.consolidate()
    before = dump(certain.workspace.stores[0])
    assert len(certain.review.approve_all()) == 1
    assert len(certain.list()) == 1
    assert certain.review.list() == []
    certain.undo()
    assert dump(certain.workspace.stores[0]) == before
    certain.redo()
    assert len(certain.list()) == 1


def test_what_is_certain_is_merged_alone_however_many_there_are(
    certain: Cortex, clock: Clock
) -> None:
    certain.settings.set("consolidation.mode", "auto")
    with Cortex.open(certain.project.root, clock=clock) as alone:
        assert len(alone.consolidate().merged) == 1
        assert len(alone.list()) == 1
        assert alone.status().to_review == 0


def test_on_a_store_of_restatements_the_advice_halves_the_duplicates_and_more(
    cortex: Cortex,
) -> None:
    texts = [text for pair in RESTATEMENTS for text in pair]
    rows = [json.dumps({"id": f"row-{n}", "content": text}) for n, text in enumerate(texts)]
    cortex.exchange.import_jsonl(rows)
    cortex.consolidate(0.5)
    verdicts = {
        "approve": cortex.review.approve,
        "left": cortex.review.keep_left,
        "right": cortex.review.keep_right,
        "supersede": cortex.review.supersede,
        "distinct": cortex.review.distinct,
    }
    while seen := cortex.review.list():
        verdicts[seen[0].advice](seen[0].proposal.number)
    assert len(cortex.list()) <= len(texts) - 0.6 * len(RESTATEMENTS)
    assert len(cortex.list()) >= len(RESTATEMENTS)

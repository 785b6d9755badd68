"""What recall shows of what it found: of a pair the better one, and the same first whatever the
limit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex

FIRST = "Restart the billing worker after each change of the tariff table in production."
AGAIN = "Restart the billing worker after every change of the tariff table in production."


@pytest.fixture
def cortex(project: Path) -> Iterator[Cortex]:
    with Cortex.open(project) as made:
        made.exchange.import_jsonl(
            f'{{"id": "{number:032x}", "content": "{text}", "priority": {priority}}}'
            for number, text, priority in (
                (1, FIRST, 5),
                (2, AGAIN, 8),
                (3, "The tariff table is loaded from a spreadsheet once a quarter.", 5),
                (4, "Invoices are rounded to five cents in Switzerland.", 5),
            )
        )
        made.models.embed_pending()
        yield made


def names(cortex: Cortex, limit: int = 10) -> list[str]:
    found = cortex.recall("restart after the tariff table changed", limit=limit, count=False)
    return [hit.memory.id for hit in found]


def test_of_two_that_may_say_the_same_the_better_is_shown(cortex: Cortex) -> None:
    ((scope, proposal),) = cortex.review.proposals()
    better, lesser = proposal.members
    shown = names(cortex)
    assert shown[0] == better
    assert lesser not in shown
    cortex.review.distinct(proposal.number, scope=scope)
    assert {better, lesser} <= set(names(cortex))


def test_the_lesser_is_shown_where_the_better_was_not_found(cortex: Cortex) -> None:
    ((_, proposal),) = cortex.review.proposals()
    better, lesser = proposal.members
    cortex.forget([better])
    assert lesser in names(cortex)


def test_fewer_hits_are_the_first_of_more(cortex: Cortex) -> None:
    many = names(cortex)
    assert [names(cortex, limit) for limit in (1, 2, 3)] == [many[:1], many[:2], many[:3]]

"""A newer memory that states another value of the same thing: found, proposed, superseded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_core import Cortex
from cortex_core.similarity.updates import update, values
from tests.conftest import Clock

OLD = "The nightly export job of the billing service may run for 45 minutes on the staging cluster."
NEW = "On the staging cluster the nightly billing export job now takes up to 70 minutes."


def rare(word: str) -> float:
    return 2.0


@pytest.mark.parametrize(
    ("older", "newer", "was", "now"),
    [
        (OLD, NEW, "45", "70"),
        ("I budgeted $3,000 for relocation, visa and flights included.",
         "We have raised the relocation budget to $3,500 for the visa fees.", "$3,000", "$3,500"),
        ("Unit test coverage of the parser module is 65%.",
         "Coverage of the parser module improved from 65% to 78%.", "65%", "78%"),
        ("The retry queue holds 500 messages per tenant.",
         "The retry queue was extended to 800 messages per tenant.", "500", "800"),
    ],
)  # fmt: skip
def test_another_value_of_the_same_thing(older: str, newer: str, was: str, now: str) -> None:
    found = update(older, newer, rare)
    assert found is not None
    assert f"{was}, now {now}." in found.sentence


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (OLD, "The nightly export job of the billing service may run for 45 minutes now."),
        (OLD, "The search index of the docs site now holds 70 pages."),
        ("The first sprint ends on March 29.", "The first sprint now ends on March 31."),
        ("Sides of 5, 7 and 8 cm.", "The layout now targets widths of 320px and 768px."),
        ("Run `wait 5 minutes for staging`.", "Staging deploys now wait 9 minutes."),
        ("", NEW),
        (OLD, ""),
    ],
)
def test_no_update(older: str, newer: str) -> None:
    assert update(older, newer, rare) is None


def test_words_that_every_memory_holds_weigh_nothing() -> None:
    assert update(OLD, NEW, lambda word: 0.0) is None


def test_what_a_number_counts() -> None:
    (value,) = values("It took 10 classification problems and 3rd place on May 5 in 2024.")
    assert value.units == {"classif", "problem"}


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_looked_at(one: str, other: str) -> None:
    update(one, other, rare)
    assert update(one, one, rare) is None


def test_it_is_proposed_and_the_older_superseded(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        older = cortex.remember(OLD)
        cortex.remember("Invoices are rounded to whole cents before they are sent")
        for words in ("The wiki is rendered from the docs folder", "Releases are cut on Tuesdays"):
            cortex.remember(words)
        clock.advance(days=9)
        newer = cortex.remember(NEW)
        for _, made in cortex.proposals():
            cortex.reject(made.number)
        cortex.edit(newer.id, content=NEW.replace("On the", "By now, on the"))
        cortex.consolidate(1.0)
        (seen,) = cortex.reviews()
        assert seen.proposal.type == "supersede"
        assert seen.advice == "supersede"
        assert "45, now 70" in seen.proposal.reasons[0]
        assert "billing" in seen.proposal.reasons[0]
        given = cortex.surface().text
        assert "45 minutes" in given
        assert "70 minutes" in given
        cortex.supersede(seen.proposal.number)
        assert cortex.show(older.id).status == "superseded"
        assert "45 minutes" not in cortex.surface().text
        cortex.undo()
        assert cortex.show(older.id).status == "active"


def test_a_changed_member_is_looked_at_again(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember(OLD)
        clock.advance(days=9)
        newer = cortex.remember(NEW)
        cortex.consolidate(1.0)
        (seen,) = cortex.reviews()
        cortex.edit(newer.id, content=NEW.replace("70", "90"))
        cortex.consolidate(1.0)
        (seen,) = cortex.reviews()
        assert seen.proposal.type == "supersede"
        assert "45, now 90" in seen.proposal.reasons[0]

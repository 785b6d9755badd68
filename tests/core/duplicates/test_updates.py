"""A newer memory that states another value of the same thing: found, proposed, superseded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_core import Cortex
from cortex_core.duplicates.updates import replacements, update, values
from tests.conftest import Clock

OLD = "The nightly export job of the billing service may run for 45 minutes on the staging cluster."
NEW = "On the staging cluster the nightly billing export job now takes up to 70 minutes."


def rare(word: str) -> float:
    return 2.0


@pytest.mark.parametrize(
    ("older", "newer", "was", "now"),
    [
        (OLD, NEW, "45", "70"),
        (
            "I budgeted $3,000 for relocation, visa and flights included.",
            "We have raised the relocation budget to $3,500 for the visa fees.",
            "$3,000",
            "$3,500",
        ),
        (
            "Unit test coverage of the parser module is 65%.",
            "Coverage of the parser module improved from 65% to 78%.",
            "65%",
            "78%",
        ),
        (
            "The retry queue holds 500 messages per tenant.",
            "The retry queue was extended to 800 messages per tenant.",
            "500",
            "800",
        ),
        ("CI runs on Node 18.", "CI now runs on Node 20.", "Node 18", "Node 20"),
        (
            "The deadline for the beta of the exporter is 2026-04-10.",
            "The exporter's beta deadline was postponed to April 24.",
            "April 10",
            "April 24",
        ),
        (
            "The standup of the platform team is at 9:30.",
            "The platform team's standup moved to 10:00.",
            "9:30",
            "10:00",
        ),
        (
            "Sessions are cached in Redis with a TTL of one hour.",
            "We moved the session cache from Redis to Valkey, because of the licence.",
            "Redis",
            "Valkey",
        ),
        ("Use npm to install packages.", "Use `pnpm` instead of `npm`.", "npm", "pnpm"),
        (
            "Jest runs the unit tests of the web app.",
            "Replaced Jest with Vitest for unit tests",
            "Jest",
            "Vitest",
        ),
        (
            "The helper get_user_by_id caches users.",
            "Renamed get_user_by_id to fetch_user",
            "get_user_by_id",
            "fetch_user",
        ),
        (
            "The API listens on port 8080.",
            "The API listens on port 9090 since the move to Caddy.",
            "port 8080",
            "9090",
        ),
        (
            "Deploys go out on Tuesday.",
            "Deploys were moved from Tuesday to Thursday.",
            "Tuesday",
            "Thursday",
        ),
        (
            "The queue is RabbitMQ in every region.",
            "RabbitMQ was replaced by NATS for the queue.",
            "RabbitMQ",
            "NATS",
        ),
    ],
)
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
        ("Redis stores the job queue.", "The metrics moved from StatsD to Prometheus."),
        (
            "The cache lives in Valkey, no longer in Redis.",
            "We moved the cache from Redis to Valkey.",
        ),
        (
            "Office hours are from nine to five on Monday.",
            "Support is on from Monday to Friday.",
        ),
        ("The release of the editor is planned for May 3.", "The editor's docs now name May 9."),
        (
            "Retries follow the nightly import of the ledger of every tenant in the cluster.",
            "Prefer a queue to retries.",
        ),
        ("", NEW),
        (OLD, ""),
    ],
)
def test_no_update(older: str, newer: str) -> None:
    assert update(older, newer, rare) is None


def test_words_that_every_memory_holds_weigh_nothing() -> None:
    assert update(OLD, NEW, lambda word: 0.0) is None


def test_what_a_number_counts() -> None:
    problems, date = values("It took 10 classification problems and 3rd place on May 5 in 2024.")
    assert set(problems.units) == {"classif", "problem"}
    assert (date.written, *date.units) == ("May 5", "date")


@pytest.mark.parametrize(
    ("text", "written", "unit"),
    [
        ("It is due on 5 May.", "May 5", "date"),
        ("It is due on 2026-05-05.", "May 5", "date"),
        ("We meet at 4:30 PM there.", "4:30 PM", "clock"),
        ("We meet at 3 pm there.", "3 PM", "clock"),
        ("It needs Python 3.12 or newer.", "Python 3.12", "version of python"),
        ("We build it with Go 2.", "Go 2", "version of go"),
    ],
)
def test_dates_times_and_versions(text: str, written: str, unit: str) -> None:
    assert [(one.written, unit in one.units) for one in values(text)] == [(written, True)]


@pytest.mark.parametrize("text", ["May I go?", "In 2024 it began.", "See step 4 below", "32 May"])
def test_no_values(text: str) -> None:
    assert not values(text)


def test_a_number_of_any_length_is_no_error() -> None:
    assert values(f"It waits for May {'7' * 5000} days")


def test_what_was_replaced() -> None:
    told = "We switched the build from webpack to Vite.\n```\nreplace a with b\n```"
    (found,) = replacements(told)
    assert (found.old, found.new) == ("webpack", "Vite")
    (gone,) = replacements("We no longer use the Redis cache")
    assert (gone.old, gone.new) == ("Redis cache", "")
    (renamed,) = replacements("`old_name` -> `new_name`")
    assert (renamed.old, renamed.new) == ("old_name", "new_name")
    assert not replacements("It opens from Monday to Friday, from 9 to 17 h.")
    assert not replacements("We cut it from 20 minutes to 12 minutes.")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_looked_at(one: str, other: str) -> None:
    update(one, other, rare)
    replacements(one)
    assert update(one, one, rare) is None


LIMIT = "The gateway refuses uploads above 20 MB."


@pytest.mark.parametrize(
    ("newer", "is_found"),
    [
        ("The gateway refuses uploads above 30 MB.", True),
        ("The gateway refuses uploads above 30 MB, says ops.", True),
        ("The mirror accepts downloads above 30 MB.", False),
        ("The gateway refuses uploads above 30 MB or 5 files in an archive.", False),
        ("The gateway refuses uploads above 30 MB (#12).", False),
    ],
)
def test_a_restatement_with_another_number(newer: str, is_found: bool) -> None:
    assert (update(LIMIT, newer, rare) is not None) is is_found


def test_one_session_does_not_update_itself(project: Path, clock: Clock) -> None:
    rows = [
        {
            "id": f"row-{n}",
            "content": f"Uploads may have {n} MB at most per file and user",
            "created": clock.now - 90 * n,
            "rule": "rule:concept",
            "session": "one",
        }
        for n in (20, 30)
    ]
    with Cortex.open(project, clock=clock) as cortex:
        cortex.exchange.import_jsonl([json.dumps(row) for row in rows])
        assert len(cortex.list()) == 2
        assert cortex.consolidate().proposed == ()


def test_it_is_proposed_and_the_older_superseded(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        older = cortex.remember(OLD)
        cortex.remember("Invoices are rounded to whole cents before they are sent")
        for words in ("The wiki is rendered from the docs folder", "Releases are cut on Tuesdays"):
            cortex.remember(words)
        clock.advance(days=9)
        newer = cortex.remember(NEW)
        for _, made in cortex.review.proposals():
            cortex.review.reject(made.number)
        cortex.edit(newer.id, content=NEW.replace("On the", "By now, on the"))
        cortex.consolidate(1.0)
        (seen,) = cortex.review.list()
        assert seen.proposal.type == "supersede"
        assert seen.advice == "supersede"
        assert "45, now 70" in seen.proposal.reasons[0]
        assert "billing" in seen.proposal.reasons[0]
        given = cortex.surface().text
        assert "45 minutes" not in given and "70 minutes" in given
        cortex.review.supersede(seen.proposal.number)
        assert cortex.show(older.id).status == "superseded"
        cortex.undo()
        assert cortex.show(older.id).status == "active"


def test_a_changed_member_is_looked_at_again(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember(OLD)
        clock.advance(days=9)
        newer = cortex.remember(NEW)
        cortex.consolidate(1.0)
        (seen,) = cortex.review.list()
        cortex.edit(newer.id, content=NEW.replace("70", "90"))
        cortex.consolidate(1.0)
        (seen,) = cortex.review.list()
        assert seen.proposal.type == "supersede"
        assert "45, now 90" in seen.proposal.reasons[0]

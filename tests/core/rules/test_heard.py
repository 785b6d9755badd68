"""The user is heard wherever they stand: while the agent works, in answers, in refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from cortex_core.extract.rules import extract
from tests.core.rules.session import Session
from tests.core.rules.test_compaction import summary

RULE = "never call the billing API from a worker"


def test_what_was_typed_while_the_agent_worked_is_read_at_the_end() -> None:
    (found,) = Session().human("add the importer").says("On it.").queues(RULE).found()
    assert (found.rule, found.content) == ("prompt-policy", RULE.replace("never", "Never") + ".")
    assert found.offset == 200 and found.branch == "main"


def test_it_is_read_when_another_prompt_follows() -> None:
    session = Session().human("add the importer").queues(RULE).human("and now the docs")
    (found,) = session.found(final=False)
    assert found.offset == 100


@pytest.mark.parametrize("prompt", [RULE, f"{RULE}\nand add a test", f"  {RULE}  "])
def test_a_prompt_that_repeats_it_is_taken_instead(prompt: str) -> None:
    session = Session().human("add the importer").queues(RULE).says("Done.").human(prompt)
    (found,) = session.found()
    assert found.offset == 300


def test_one_that_still_waits_stays_while_the_others_come_back() -> None:
    session = Session().human("go").queues("first do this").queues(RULE).human("first do this")
    assert session.found(final=False) == []
    (found,) = session.human(RULE).found()
    assert found.offset == 400


def test_a_queued_text_is_no_reply_to_the_question_before() -> None:
    session = Session().human("x").says("In which unit should the ledger store amounts?")
    assert session.queues("integer cents per currency").found() == []


def test_a_session_read_in_parts_yields_the_same() -> None:
    session = Session().human("go").queues(RULE).says("x").queues("we use vitest, not jest")
    session.human("we use vitest, not jest").queues("Always pin versions.").human("thanks")
    whole = [one.content for one in session.found()]
    carry: dict[str, Any] = {}
    found = []
    for event in session.events:
        made = extract([event], carry, final=False)
        carry = json.loads(json.dumps(made.carry))
        found += [one.content for one in made.candidates]
    found += [one.content for one in extract([], carry, final=True).candidates]
    assert sorted(found) == sorted(whole) and len(whole) == 3


# --- typed answers, and notes beside answers

ASKED = "Docker is not running. Should I open it, so that we can start the services?"


def test_a_typed_answer_is_read_as_a_prompt_whatever_the_question() -> None:
    session = Session().human("run the tests")
    answer = "you're in a vm, so you do not have access to docker"
    (found,) = session.asks(ASKED, answer, "Services", ("Yes", "No")).found()
    assert found.rule == "prompt-fact" and found.tags == ("environment",)


def test_a_label_is_not_read_as_a_prompt() -> None:
    label = "Always use pnpm"
    asked = Session().asks("Which package manager is used?", label, "Packages", (label, "npm"))
    assert [one.rule for one in asked.found()] == ["answer"]


def test_a_note_beside_an_answer_is_read_as_a_prompt() -> None:
    session = Session().asks("Which cache should prices use?", "Redis", "Cache", ("Redis", "None"))
    session.events[-1] = replace(
        session.events[-1], input={"annotations": {"x": {"notes": "never cache the taxes"}}}
    )
    assert {one.rule for one in session.found()} == {"answer", "prompt-policy"}


def test_a_label_of_several_questions_is_talk() -> None:
    session = Session()
    for topic in ("Rounding", "Taxes"):
        options = ("Half even", "On to the invoices")
        session.asks(f"How are {topic.lower()} done?", options[1], topic, options)
    assert session.found() == []


# --- concessions

CLAIM = "The loader reads the carrier list from the cache, so a restart is needed."
TRUTH = "The loader reads `carriers.json` at every request, and nothing is cached."


@pytest.mark.parametrize(
    "reply",
    [
        f"You're absolutely right. {TRUTH}",
        f"Good catch — {TRUTH}",
        f"I was wrong. {TRUTH} Let me",
        f"You're right, I apologize!\n\n{TRUTH}\n\nLet me fix that.",
    ],
)
def test_what_the_agent_concedes_is_suggested_and_quotes_the_user_as_its_source(reply: str) -> None:
    session = Session().human("why is it stale?").says(CLAIM)
    session.human("but it is a CLI, there is no cache that could be stale").says(reply)
    (found,) = session.found("conceded")
    assert (found.content, found.tier, found.kind) == (TRUTH, "suggested", "fact")
    assert found.excerpt == "but it is a CLI, there is no cache that could be stale"


@pytest.mark.parametrize(
    "reply",
    [
        "You're right. Let me look.",
        "Good catch! I'll fix it.",
        "You're right:",
        TRUTH,
        f"Let me see. Reading on. You're right. {TRUTH}",
        "You're right, is it `a.json`?",
        "You're right. We have `carriers.json` at hand now, so nothing must be guessed.",
        "You're right. The request failed because the server on port 4010 was not running.",
    ],
)
def test_a_concession_that_states_nothing_yields_nothing(reply: str) -> None:
    session = Session().human("why?").says(CLAIM).human("there is no cache").says(reply)
    assert session.found("conceded") == []


def test_what_was_concluded_before_is_withdrawn() -> None:
    session = Session().human("why is it stale?")
    session.compacts(summary(concepts=f"   - **Carriers**: {CLAIM}")).says(CLAIM)
    assert len(session.found("concept", "statement")) == 1
    session.human("but nothing caches the carrier list").says(f"You're right. {TRUTH}")
    assert session.found("concept", "statement") == []

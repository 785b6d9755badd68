"""The user is heard wherever they stand: while the agent works, in answers, in refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cortex_core.extract.rules import extract
from tests.core.rules.session import Session

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

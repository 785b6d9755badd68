"""Approved plans: what they demand, deny and leave out; not their steps."""

from __future__ import annotations

from cortex_core.extract.plans import decisions
from tests.core.rules.session import Session

PLAN = """# Plan: Renew sessions during uploads (shop-12)

## Context
Users are never told why they are logged out in the middle of uploads.

## Approach
Renew from the upload worker, **not** from the router, because the worker outlives the page.

- One timer per upload, cleared in `finally`
- The cookie stays http-only: the worker never sees the token
- No running uploads → just show the line that is there today
- No change of the router needed — just a new import in the worker

```ts
const timer = setInterval(renew, 60_000)
```

## Steps
1. Open `worker.ts`, which must not import the router
2. Remove the old timer, never the new one
- The server must answer 204 to a renewal, so nothing is parsed

## Not in scope
- Uploads from the command line
  - this detail is left out

## Verification
The tests must pass without a network.
"""
APPROVED = "User has approved your plan. You can now start coding.\n\n## Approved Plan:\n"
DECIDED = [
    "Renew sessions during uploads: Renew from the upload worker, not from the router, because the "
    "worker outlives the page.",
    "The cookie stays http-only: the worker never sees the token.",
    "Renew sessions during uploads: The server must answer 204 to a renewal, so nothing is parsed.",
    "Not in scope: Uploads from the command line.",
]


def test_a_plan_says_what_it_demands_denies_and_leaves_out() -> None:
    assert [one.text for one in decisions(PLAN)] == DECIDED
    assert decisions(PLAN)[0].name == "Renew sessions during uploads"
    assert decisions(PLAN)[-1].kind == "decision"


def test_an_approved_plan_is_kept() -> None:
    listed = Session().uses("ExitPlanMode", {"plan": PLAN}, APPROVED).found()
    assert [one.content for one in listed] == DECIDED
    assert {(one.rule, one.tier) for one in listed} == {("plan", "kept")}


def test_a_plan_given_only_in_the_result_is_read_there() -> None:
    assert len(Session().uses("ExitPlanMode", {}, APPROVED + PLAN).found()) == len(DECIDED)


def test_a_plan_handed_to_a_new_session_was_approved_too() -> None:
    handed = Session().human(f"Implement the following plan:\n\n{PLAN}")
    assert [one.content for one in handed.found()] == DECIDED
    assert Session().human(f"Review the following plan:\n\n{PLAN}").found("plan") == []


def test_a_plan_turned_down_is_none() -> None:
    stayed = Session().uses("ExitPlanMode", {"plan": PLAN}, "User chose to stay in plan mode")
    assert stayed.found() == []
    assert Session().uses("ExitPlanMode", {"plan": PLAN}, "rejected", failed=True).found() == []


def test_a_plan_of_files_and_steps_alone_says_nothing_that_lasts() -> None:
    plan = "# Plan\n\n## Files\n- a.py\n\n## Steps\n1. open it\n2. change it\n"
    session = Session().uses("ExitPlanMode", {"plan": plan}, APPROVED)
    assert session.found() == [] and session.extracted().refused == {"plan that decides nothing": 1}


def test_a_plan_in_another_language_says_what_it_demands() -> None:
    plan = "# План: выгрузка накладных\n\n## Подход\nНакладные выгружаются ночью, по частям.\n"
    plan += "Выгрузка никогда не должна менять исходные накладные в базе.\n\n"
    plan += "1. Открыть модуль выгрузки и обязательно добавить туда очередь задач\n"
    (one,) = decisions(plan)
    assert "Выгрузка никогда не должна менять исходные накладные в базе." in one.text

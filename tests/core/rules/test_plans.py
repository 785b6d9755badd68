"""Approved plans: approach and decisions."""

from __future__ import annotations

from cortex_core.extract.summaries import plan_digest
from tests.core.rules.session import Session

PLAN = """# Plan: Renew sessions during uploads (shop-12)

## Context
Users are logged out in the middle of uploads today.

## Approach
Renew from the upload worker, **not** from the router, because the worker outlives the page.

- One timer per upload, cleared in `finally`
  - this detail is left out
- The server answers 204, so nothing is parsed

```ts
const timer = setInterval(renew, 60_000)
```

## Decisions
The cookie stays http-only: the worker never sees the token.

## Files to modify
- `src/upload/worker.ts`

## Verification
npm test
"""
APPROVED = "User has approved your plan. You can now start coding.\n\n## Approved Plan:\n"


def test_the_lasting_part_of_a_plan() -> None:
    name, content = plan_digest(PLAN)
    assert name == "Renew sessions during uploads"
    assert content == (
        "Renew sessions during uploads.\n"
        "Renew from the upload worker, not from the router, because the worker outlives the page.\n"
        "- One timer per upload, cleared in `finally`\n"
        "- The server answers 204, so nothing is parsed\n"
        "The cookie stays http-only: the worker never sees the token."
    )


def test_an_approved_plan_is_kept() -> None:
    (found,) = Session().uses("ExitPlanMode", {"plan": PLAN}, APPROVED).found()
    assert (found.rule, found.tier, found.kind) == ("plan", "kept", "decision")
    assert found.title == "Renew sessions during uploads"


def test_a_plan_given_only_in_the_result_is_read_there() -> None:
    assert Session().uses("ExitPlanMode", {}, APPROVED + PLAN).found()


def test_a_plan_turned_down_is_none() -> None:
    stayed = Session().uses("ExitPlanMode", {"plan": PLAN}, "User chose to stay in plan mode")
    assert stayed.found() == []
    assert Session().uses("ExitPlanMode", {"plan": PLAN}, "rejected", failed=True).found() == []


def test_a_plan_of_files_and_steps_alone_says_nothing_that_lasts() -> None:
    plan = "# Plan\n\n## Files\n- a.py\n\n## Steps\n1. open it\n2. change it\n"
    session = Session().uses("ExitPlanMode", {"plan": plan}, APPROVED)
    assert session.found() == [] and session.extracted().refused == {"plan without an approach": 1}


def test_the_goal_stands_in_where_there_is_no_approach() -> None:
    plan = "# Add exports\n\n## Goal\n"
    plan += "Let accountants export invoices as CSV, one file a month, named by month."
    assert plan_digest(plan)[1].startswith("Add exports.\nLet accountants export")

"""What was wrong, heard from the answer at the end of a turn that changed files."""

from __future__ import annotations

import pytest

from tests.core.rules.session import Session

CAUSE = "The cause was a lock that the worker of the night never gave back."
FIX = "I release it when the worker stops."
EDIT = {"file_path": "/home/dev/shop/worker.py", "old_string": "a", "new_string": "b"}


def session(answer: str) -> Session:
    return Session().human("imports hang").uses("Edit", EDIT, "ok").says(answer)


@pytest.mark.parametrize("opening", ["", "Done.\n\n", "## Result\n\nImports finish.\n\n"])
def test_the_cause_and_what_was_done_are_suggested_together(opening: str) -> None:
    (found,) = session(f"{opening}{CAUSE} {FIX}\n\nAll tests pass.").found("fix")
    assert found.content == f"{CAUSE} {FIX}"
    assert (found.kind, found.tier, found.excerpt) == ("solution", "suggested", "imports hang")


def test_each_turn_is_judged_by_its_own_edits() -> None:
    assert len(session(CAUSE).human("thanks").found("fix")) == 1
    looked = session("Done.").human("and why?").says(CAUSE)
    assert not looked.found("fix")


@pytest.mark.parametrize(
    "answer",
    [
        "Imports finish again.",
        f"Step one.\n\nStep two.\n\nStep three.\n\n{CAUSE}",
        "The problem was this.",
        "Was the problem a lock that the worker never gave back?",
    ],
)
def test_what_names_no_cause_first_is_left(answer: str) -> None:
    assert not session(answer).found("fix")


def test_a_commit_says_it_better() -> None:
    message = f"Fix the lock of imports\n\n{CAUSE}"
    made = "[main 1a2b3c4] Fix the lock of imports\n 1 file changed"
    told = Session().human("imports hang").uses("Edit", EDIT, "ok")
    (found,) = told.runs(f"git commit -m '{message}'", made).says(CAUSE).found("fix")
    assert found.commit == "1a2b3c4"

"""Where a session stopped: one entry of the history, for sessions in which something was done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_core.extract.wording import LONGEST_TITLE
from cortex_core.language.statements import is_complete, is_short
from cortex_core.records.events import Candidate
from tests.core.rules.session import Session

FIX = "fix(auth): refresh the session before it expires"


def worked(answer: str = "The upload page now renews its session once a minute.") -> Session:
    session = Session(branch="feat/upload").human("uploads log me out after an hour")
    session.edits("src/upload.ts").human("make the worker renew the session")
    return session.edits("src/worker.ts").says(answer)


def end(session: Session) -> Candidate:
    (found,) = session.found("session-end")
    return found


def test_it_holds_the_last_prompt_the_last_answer_and_what_is_left() -> None:
    found = end(worked())
    assert found.title == "Stopped at “The upload page now renews its session once a minute”"
    assert found.content == (
        "Asked last: “make the worker renew the session”\n"
        "Answered: The upload page now renews its session once a minute.\n"
        "Branch: feat/upload"
    )
    assert (found.kind, found.tier, found.branch) == ("episode", "kept", "feat/upload")
    assert found.files == ("src/upload.ts", "src/worker.ts")
    assert found.details["event"] == "session:s1"
    assert found.details["stopped"] == {"next": ""}


def test_nothing_is_told_of_what_was_not_committed() -> None:
    """Another work tree, or a terminal, may have committed it since."""
    assert end(worked().commits(FIX).says("Pushed the branch.")).files == ()
    assert "commit" not in end(worked()).content


def test_without_work_there_is_nothing_to_go_on_with() -> None:
    asked = Session().human("how does the queue work?").says("It retries each job three times.")
    assert asked.human("and then?").says("Then it drops the job.").found("session-end") == []
    once = Session().human("rename x").edits("a.py").commits("refactor: rename x")
    assert once.says("The name is changed everywhere.").found("session-end") == []


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Let me look at the worker first.", "Stopped after “make the worker renew the session”"),
        (
            "All tests pass. The worker now owns the clock of every upload.",
            "Stopped at “The worker now owns the clock of every upload”",
        ),
        (
            "`1a2b3c4d5` is on the branch `feature/renewal`. The worker owns the clock of uploads.",
            "Stopped at “The worker owns the clock of uploads”",
        ),
        (
            "- Renewed the session\n- Added a test",
            "Stopped after “make the worker renew the session”",
        ),
        (
            "Воркер теперь продлевает сессию раз в минуту. Проверить на телефоне?",
            "Stopped at “Воркер теперь продлевает сессию раз в минуту”",
        ),
    ],
)
def test_the_title_is_a_whole_statement(said: str, title: str) -> None:
    assert end(worked(said)).title == title


def test_the_list_of_things_to_do_comes_first() -> None:
    todos = [
        {"content": "Renew the session", "status": "completed"},
        {"content": "Write the docs", "status": "pending"},
        {"content": "Test it on a phone", "status": "in_progress"},
    ]
    found = end(worked().uses("TodoWrite", {"todos": todos}, "ok"))
    assert found.details["stopped"]["next"] == "Still to do: Test it on a phone; Write the docs."


def test_tasks_are_followed_through_their_updates() -> None:
    session = worked()
    for number, subject in enumerate(("Write the docs", "Test it on a phone"), 1):
        result = f"Task #{number} created successfully: {subject}"
        session.uses("TaskCreate", {"subject": subject}, result)
    session.uses("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1")
    assert end(session).details["stopped"]["next"] == "Still to do: Test it on a phone."


def test_a_commit_says_where_it_stopped_unless_something_was_edited_since() -> None:
    session = worked().commits(FIX).says("All tests pass. The worker owns the clock of uploads.")
    assert end(session).title == "Stopped after “Refresh the session before it expires”"
    session.edits("src/clock.ts").says("The worker now owns the clock of every upload.")
    assert end(session).title == "Stopped at “The worker now owns the clock of every upload”"


def test_a_pull_request_is_open_until_it_is_merged() -> None:
    url = "https://github.com/dev/shop/pull/7"
    session = worked().commits(FIX).runs("gh pr create --title 'Renew sessions' --body x", url)
    assert end(session).details["stopped"]["next"] == "Still open: pull request 7."
    merged = session.runs("gh pr merge 7 --squash", "✓ Squashed and merged")
    assert end(merged).details["stopped"]["next"] == ""


def test_a_chore_is_not_what_was_asked() -> None:
    found = end(worked().human("commit and push").commits(FIX).says("Pushed."))
    assert found.content.startswith("Asked last: “make the worker renew the session”")


@given(
    answer=st.text(st.characters(codec="utf-8"), max_size=300),
    names=st.lists(
        st.from_regex(r"([a-z]{2,20}/){0,4}[a-z]{2,9}\.(py|ts)", fullmatch=True), max_size=9
    ),
)
def test_the_two_lines_are_short_and_ask_nothing(answer: str, names: list[str]) -> None:
    session = worked(answer)
    for name in names:
        session.edits(name)
    for found in session.found("session-end"):
        following = found.details["stopped"]["next"]
        assert len(found.title) <= LONGEST_TITLE and not found.title.rstrip("”").endswith("?")
        assert not following or (is_short(following) and is_complete(following))


SUMMARY = """This session is being continued from a previous conversation.

7. Pending Tasks:
   - Fix the retry in `src/worker.ts` that never stops
   - Give `src/clock.ts` a test of its own (in_progress)
   - Run all tests
   - The test store of #14 (line 20) needs a lock
   - No further tasks.

8. Current Work:
   The user wanted the worker fixed.
"""


def test_what_a_summary_calls_pending_stays_until_it_comes_up_again() -> None:
    session = worked().compacts(SUMMARY).human("go on with the worker")
    session.edits("src/worker.ts").says("The worker stops after three attempts.")
    expected = (
        "Still pending: Give `src/clock.ts` a test of its own (in_progress); "
        "test store of #14 needs a lock."
    )
    assert end(session).details["stopped"]["next"] == expected
    settled = session.human("the clock of #14 and src/clock.ts are done")
    assert "pending" not in end(settled).content


def test_a_later_summary_replaces_what_an_earlier_one_calls_pending() -> None:
    emptied = worked().compacts(SUMMARY).compacts("7. Pending Tasks:\n   - None\n")
    assert "pending" not in end(emptied).content


def test_work_that_a_commit_files_is_open() -> None:
    filed = "docs: add todos\n\nFor later:\n- Move the clock into the store\n- The docs are short"
    found = end(worked().commits(filed)).details["stopped"]
    assert found == {"next": "Filed for later: Move the clock into the store."}
    done = "fix: renew sessions\n\n- Move the clock into the store\n- Test the worker"
    assert "Filed" not in end(worked().commits(done)).content


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("#7 got merged an hour ago", "closed"),
        ("PR 7 is closed now", "closed"),
        ("go on after #7 is merged", "open"),
        ("#7 is not merged", "open"),
        ("#8 is merged", "open"),
    ],
)
def test_a_pull_request_is_closed_where_it_is_told(said: str, state: str) -> None:
    url = "https://github.com/dev/shop/pull/7"
    session = worked().commits(FIX).runs("gh pr create --title 'Renew sessions' --body x", url)
    is_open = "Still open: pull request 7." in end(session.human(said)).content
    assert is_open == (state == "open")


def test_a_pull_request_is_closed_where_the_forge_shows_it() -> None:
    url = "https://github.com/dev/shop/pull/7"
    session = worked().commits(FIX).runs("gh pr create --title 'Renew sessions' --body x", url)
    shown = session.runs("gh pr view 7 --json state --jq .state", "MERGED")
    assert "Still open" not in end(shown).content

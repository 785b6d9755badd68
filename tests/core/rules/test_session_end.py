"""Where a session stopped: one entry of the history, for sessions in which something was done."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

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
            "Воркер `worker.ts` продлевает сессию раз в минуту. Проверить на телефоне?",
            "Stopped at “Воркер `worker.ts` продлевает сессию раз в минуту”",
        ),
        (
            "I have fully completed the task. The worker owns the clock of uploads.",
            "Stopped at “The worker owns the clock of uploads”",
        ),
        (
            "The task is complete. The database has indexes.",
            "Stopped after “make the worker renew the session”",
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


def test_what_was_under_way_at_a_commit_is_not_told_as_still_to_do() -> None:
    todos = [
        {"content": "Renew the session", "status": "in_progress"},
        {"content": "Write the docs", "status": "pending"},
    ]
    found = end(worked().uses("TodoWrite", {"todos": todos}, "ok").commits(FIX).says("Pushed."))
    assert found.details["stopped"]["next"] == "Still to do: Write the docs."


def test_tasks_are_followed_through_their_updates() -> None:
    session = worked()
    for number, subject in enumerate(("Write the docs", "Test it on a phone"), 1):
        result = f"Task #{number} created successfully: {subject}"
        session.uses("TaskCreate", {"subject": subject}, result)
    session.uses("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1")
    assert end(session).details["stopped"]["next"] == "Still to do: Test it on a phone."


def test_a_commit_says_where_it_stopped_though_it_is_no_sentence() -> None:
    assert end(worked().commits("Fix cancel").says("ok")).title == "Stopped after “Fix cancel”"


def test_a_commit_says_where_it_stopped_unless_something_was_edited_since() -> None:
    session = worked().commits(FIX).says("All tests pass. The worker owns the clock of uploads.")
    assert end(session).title == "Stopped after “Refresh the session before it expires”"
    session.edits("src/clock.ts").says("The worker now owns the clock of every upload.")
    assert end(session).title == "Stopped at “The worker now owns the clock of every upload”"


@pytest.mark.parametrize(
    ("called", "title"),
    [
        ("Log-outs of uploads", "Log-outs of uploads: stopped at “The worker owns the clock”"),
        ("x" * 90, f"{'x' * 59}…: stopped at “The worker owns the clock”"),
        ("", "Stopped at “The worker owns the clock”"),
    ],
)
def test_the_name_of_the_session_leads(called: str, title: str) -> None:
    assert end(worked("The worker owns the clock.").titled(called)).title == title


def test_a_name_says_more_than_a_report() -> None:
    session = worked("The task is complete.").titled("Bugs").titled("Log-outs of uploads")
    assert end(session).title == "Stopped at “Log-outs of uploads”"


def test_what_a_subagent_is_called_is_not_the_name_of_the_session() -> None:
    session = worked("The worker owns the clock.").titled("Search for clocks", sidechain=True)
    assert end(session).title == "Stopped at “The worker owns the clock”"


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


def test_one_thing_to_do_that_is_too_long_is_named_up_to_a_word() -> None:
    content = "Move the parser of the old format into a package of its own " * 4
    todos = [{"content": content, "status": "pending"}]
    stopped = end(worked().uses("TodoWrite", {"todos": todos}, "ok")).details["stopped"]["next"]
    assert stopped.startswith("Still to do: Move the parser of the old format")
    assert len(stopped) < len(content)

"""What a message is worth remembering for: the cause of a fix, the reason of a decision."""

from __future__ import annotations

import re

import pytest

from tests.core.rules.session import Session

FIXES = {
    "fix(auth): refresh the session\n\nThe cookie was renewed only on navigation, so long uploads "
    "were logged out halfway.": "The cookie was renewed only on navigation",
    "Fix the totals of refunds\n\nRefunds are stored as negative cents, but the report took their "
    "amount for a count. This doubled every total.": "This doubled every total.",
    "fix: order the queue\n\n- Sort jobs by age\n- The queue had no order, so old jobs never ran\n"
    "- Add a test": "The queue had no order",
    "fix: вход\n\nСессия терялась, потому что cookie обновлялась только при переходе между "
    "страницами.": "Сессия терялась",
    "fix: таймаут оплаты задаётся в клиенте\n\nОбщий конфиг менять нельзя, потому что его читают "
    "все сервисы.": "его читают все сервисы",
    "fix: 支付超时\n\n公共配置由运维维护，因为所有服务都会读取它，所以超时写在客户端代码里，"
    "与其他服务无关。": "所有服务都会读取它",
}
DECISIONS = {
    "Keep jobs in SQLite\n\nRedis lost jobs when the machine restarted, because nothing wrote them "
    "to disk there.": "Redis lost jobs",
    "Log failed uploads\n\nThese are failures that won't go away on retry, so we log and go on "
    "rather than blocking the user.": "failures that won't go away",
}
ONLY_DONE = [
    "Add a status page\n\nThe page lists every queue and its length, and refreshes itself.",
    "fix: search\n\n- Strip the prefix of ids\n- Handle empty answers\n- Add tests",
    "fix: unused imports\n\nThey were left by the last move, because nothing checks for them.",
    "fix: accept both names\n\nInterim fix, because callers pass names that it did not know.",
    "feat: annotations\n\nAdd annotations instead of comments.\n\nThis enables review of "
    "transcripts without leaving the page.",
    "refactor: split the module\n\nPure refactor with no behavior changes.",
]


@pytest.mark.parametrize("message", FIXES)
def test_a_fix_is_worth_its_cause(message: str) -> None:
    (found,) = Session().commits(message).found("fix")
    assert FIXES[message] in found.content
    assert re.search("\n(?:Fix: |Исправление: |修复：)", found.content)
    assert (found.kind, found.tier, found.details) == (
        "solution",
        "suggested",
        {"of": "commit:1a2b3c4"},
    )


@pytest.mark.parametrize("message", DECISIONS)
def test_a_decision_is_worth_its_reason(message: str) -> None:
    (found,) = Session().commits(message).found("commit-decision")
    assert DECISIONS[message] in found.content and found.kind == "decision"


@pytest.mark.parametrize("message", ONLY_DONE)
def test_what_was_done_alone_is_history(message: str) -> None:
    (found,) = Session().commits(message).found()
    assert found.kind == "episode"


def test_a_short_cause_is_the_title_itself() -> None:
    (found,) = Session().commits("fix: x y\n\nThe worker never closed its log file.").found("fix")
    assert found.title == "The worker never closed its log file"


def test_a_later_commit_on_the_same_matter_replaces_what_an_earlier_one_taught() -> None:
    cause = "Workers lost their jobs when the queue restarted, because nothing wrote them to disk."
    session = Session().commits(f"fix: keep jobs of the queue\n\n{cause}", "aaaaaaa")
    session.commits(
        f"fix: keep jobs in SQLite\n\n{cause} The file alone was not enough.", "bbbbbbb"
    )
    (found,) = session.found("fix")
    assert found.commit == "bbbbbbb" and "not enough" in found.content
    assert len(session.found("commit")) == 2


def test_what_is_reverted_is_not_remembered_but_stays_history() -> None:
    message = next(iter(DECISIONS))
    session = Session().commits(message, "aaaaaaa")
    session.runs("git revert --no-edit aaaaaaa", '[main bbbbbbb] Revert "Keep jobs in SQLite"')
    assert session.found("commit-decision") == []
    titles = [one.title for one in session.found("commit")]
    assert titles == ["Keep jobs in SQLite", 'Revert "Keep jobs in SQLite"']
    by_hash = Session().commits(message, "aaaaaaa")
    by_hash.commits("Back to Redis\n\nThis reverts commit aaaaaaa0123456789.", "ccccccc")
    assert by_hash.found("commit-decision") == []

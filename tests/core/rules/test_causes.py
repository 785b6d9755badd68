"""Causes the agent named: they stand alone, are replaced or settled; limits outlast the session."""

from __future__ import annotations

import pytest

from cortex_core.records.events import Candidate
from tests.core.rules.session import Session

CAUSE = (
    "The upload stalls because `renewSession` runs only in the router's navigation hook, never in "
    "the worker."
)

LIMIT = (
    "The upload stalls because `renewSession` doesn't accept cookies that a worker sends, only "
    "those of a page."
)


def causes(session: Session, final: bool = True) -> list[Candidate]:
    return session.found("cause", final=final)


def test_a_cause_stands_at_the_sessions_end_only() -> None:
    session = Session().human("why does it stall?").says(f"Found it! {LIMIT} Let me fix that.")
    assert causes(session, final=False) == []
    (one,) = causes(session)
    assert (one.content, one.tier, one.kind) == (LIMIT, "suggested", "gotcha")
    assert one.excerpt == "why does it stall?" and not one.untrusted


@pytest.mark.parametrize(
    "said",
    [
        "The issue was that the client expects `content` as a plain string, not as an object with "
        "a key of its own.",
        "Turns out `npm ci` ignores the `overrides` field when the lock file was written by an "
        "older npm.",
        "`NUL` is a reserved device name on Windows, so `fs.unlink` resolves it to the device and "
        "never deletes the file, because the name wins.",
        "The compiler doesn't track aliases that are used only inside a `rescue` block, so "
        "`Tmux` is reported there.",
        "Das Problem ist, dass `renewSession` nur im Router läuft, weil der Worker es nie aufruft.",
        "Причина в том, что `renewSession` вызывается только из роутера, а воркер живёт отдельно.",
        "根本原因是 `renewSession` 只在路由钩子里调用，后台线程从来不会刷新会话。",
    ],
)
def test_mechanisms_are_found(said: str) -> None:
    assert len(causes(Session().human("x").says(said))) == 1


@pytest.mark.parametrize(
    "said",
    [
        "The issue might be that `renewSession` is not called often enough in the worker thread.",
        "I think the problem is that `renewSession` runs only in the router's navigation hook now.",
        "The problem is that I forgot to await `renewSession` in the worker before posting.",
        "The commit failed because the pre-commit hook `lint-staged` found formatting problems.",
        "All 12 tests pass because `renewSession` is called in the worker and not in the router.",
        "The issue is that it never returns because of the promise that is left open in there.",
        "The build is failing because the branch is behind `main` and needs to be rebased first.",
        "That is because `renewSession` runs only in the router's navigation hook, never here.",
        "What is the cause of `renewSession` running only in the router's navigation hook, then?",
        "Il problema è che `renewSession` non è chiamata dal worker, because il router è attivo.",
    ],
)
def test_what_is_hedged_passing_or_leaning_is_none(said: str) -> None:
    assert causes(Session().human("x").says(said)) == []


def test_a_later_diagnosis_of_the_same_names_replaces_it() -> None:
    later = LIMIT.replace("only those of a page", "nor those of a tab")
    session = Session().human("x").says(LIMIT).edits("a.ts").says(later)
    assert [one.content for one in causes(session)] == [later]


def test_what_was_wrong_here_is_repaired_by_then() -> None:
    session = Session().human("x").says(CAUSE)
    assert causes(session) == []
    assert session.extracted().refused["cause of what will be repaired"] == 1


def test_in_a_language_without_limits_an_edit_of_the_code_outdates_it() -> None:
    said = (
        "Причина в том, что `renewSession` вызывается только из роутера, а воркер живёт отдельно."
    )
    session = Session().human("x").says(said)
    assert len(causes(session)) == 1
    assert causes(session.edits("worker.ts", "", "renewSession()")) == []


def test_a_limit_outlives_the_edit() -> None:
    lasting = (
        "`npm ci` has a known bug in containers: it exits with “Exit handler never called!” when "
        "the cache is read-only."
    )
    session = Session().human("x").says(lasting).edits("Dockerfile", "npm ci", "npm install")
    assert len(causes(session)) == 1


SILENT = "fix: let uploads go on in the worker"


def test_a_fix_that_gives_no_cause_takes_the_one_named_before() -> None:
    session = Session().human("uploads log me out").says(f"Found it! {CAUSE}")
    session.edits("auth.ts", "x", "y").commits(SILENT)
    (found,) = session.found("fix")
    assert found.content == f"{CAUSE}\nFix: Let uploads go on in the worker."
    assert causes(session) == []


def test_a_fix_of_another_turn_does_not_take_it() -> None:
    session = Session().human("x").says(CAUSE).human("now the rounding")
    session.commits("fix: round the total of the session up")
    assert session.found("fix") == []


def test_a_commit_asked_for_afterwards_is_of_the_same_turn() -> None:
    session = Session().human("x").says(CAUSE).human("commit and push").commits(SILENT)
    assert len(session.found("fix")) == 1 and causes(session) == []


def test_words_of_a_document_are_marked() -> None:
    said = (
        "The documentation says `renewSession` doesn't support workers, because workers have no "
        "cookie jar of their own."
    )
    (one,) = causes(Session().human("x").says(said))
    assert one.untrusted


def test_sub_agents_reports_are_left_alone() -> None:
    assert causes(Session().human("x").says(CAUSE, sidechain=True)) == []

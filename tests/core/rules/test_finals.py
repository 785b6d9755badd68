"""Final answers: those that explain, where nothing was committed."""

from __future__ import annotations

from tests.core.rules.session import Session

ANSWER = (
    "## Why uploads log people out\n\n"
    "The session cookie is renewed by the router only, because `renewSession` hangs on its "
    "navigation hook. Uploads run in a worker that outlives the page, so nothing renews the cookie "
    "there.\n\nI looked at `worker.ts` and `router.ts`.\n\n"
    "`document.cookie` doesn't exist in workers, which means that the worker must ask the server "
    "for a new session instead of setting it."
)
BOAST = (
    "🎉 All done! Everything is production-ready and all tests pass. Let me know what is next!" * 3
)


def test_an_answer_that_explains_is_suggested_at_the_end() -> None:
    session = Session().human("why are people logged out?").says("Let me look.").says(ANSWER)
    assert session.found("final", final=False) == []
    (one,) = session.found("final")
    assert (one.tier, one.kind) == ("suggested", "summary")
    assert one.content.startswith("The session cookie is renewed by the router only")
    assert "I looked" not in one.content and one.excerpt == "why are people logged out?"


def test_the_answer_of_an_earlier_turn_is_pending_when_the_next_begins() -> None:
    session = Session().human("why?").says(ANSWER).human("thanks")
    assert session.found("final", final=False) == []
    pending = session.extracted(final=False).carry["pending"]
    assert [each["rule"] for each in pending] == ["final"]
    assert len(session.found("final")) == 1


def test_a_session_with_commits_keeps_answers_to_questions_only() -> None:
    commit = "feat: renew sessions\n\nThe worker renews the session once a minute during uploads."
    fixed = Session().human("fix the uploads").commits(commit).says(ANSWER)
    assert fixed.found("final") == []
    asked = Session().human("fix").commits(commit).human("why did it happen?").says(ANSWER)
    assert len(asked.found("final")) == 1


def test_boasts_questions_and_other_languages_are_none() -> None:
    assert Session().human("x").says(BOAST).found("final") == []
    assert Session().human("x").says(f"{ANSWER}\n\nShould I fix it?").found("final") == []
    german = "Die Sitzung wird nur vom Router erneuert, weil `renewSession` dort hängt. " * 4
    assert Session().human("warum?").says(german).found("final") == []
    assert Session().says(ANSWER).found("final") == []

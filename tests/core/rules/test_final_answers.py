"""What an agent marks as its final answer: causes, limits, and what the user agrees to."""

from __future__ import annotations

import pytest

from tests.core.rules.session import Session

CAUSE = (
    "The uploads are fixed.\n\n"
    "The error was the timeout of the proxy, not the worker. `proxy.conf` closes idle sockets "
    "after 30 seconds, so the worker lost its session.\n\n"
    "All tests pass."
)
CHOICE = (
    "There are two ways:\n- a table of sessions\n- one signed cookie\n\n"
    "I'd keep the sessions in Redis, because the worker and the page must see the same state. "
    "If you want, I can write it next."
)


def answered(text: str, reply: str = "ok, and the other page?", final: bool = True) -> Session:
    return Session().human("what is wrong with the uploads?").answers(text, final).human(reply)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            CAUSE,
            "The error was the timeout of the proxy, not the worker. `proxy.conf` closes idle "
            "sockets after 30 seconds, so the worker lost its session.",
        ),
        (
            "Fixed.\n\nCause:\n- `.gitignore` had `shop`\n- that matched `cmd/shop` as well;\n\n"
            "Change:\n- it is `/shop` there",
            "`.gitignore` had `shop`; that matched `cmd/shop` as well.",
        ),
        (
            "It works here.\n\nOne caveat: the layout of the sidebar is a choice of the editor.",
            "One caveat: the layout of the sidebar is a choice of the editor.",
        ),
    ],
)
def test_causes_and_limits_are_suggested(text: str, found: str) -> None:
    (heard,) = answered(text).found("finding")
    assert (heard.content, heard.kind, heard.tier) == (found, "gotcha", "suggested")
    assert heard.excerpt == "what is wrong with the uploads?" and heard.message == "u1"


@pytest.mark.parametrize(
    "text",
    [
        "I added the page and its tests. All of them pass.",
        "The error might be the proxy.",
        "1. High: the bug in `a.py` is a race.\n2. Low: the error is a typo.",
        "I fixed that by waiting for the lock.",
    ],
)
def test_reports_guesses_and_reviews_are_left(text: str) -> None:
    assert answered(text).found("finding") == []


def test_what_is_said_on_the_way_is_left() -> None:
    session = answered(CAUSE + "\n\n" + CHOICE, "Yes, let's do that.", final=False)
    assert session.found("finding", "agreed") == []


@pytest.mark.parametrize("reply", ["Yes, let's do that.", "go ahead", "ok", "do it, then commit"])
def test_what_the_user_agrees_to_is_a_decision(reply: str) -> None:
    (heard,) = answered(CHOICE, reply).found("agreed")
    assert (heard.kind, heard.tier, heard.excerpt) == ("decision", "suggested", reply)
    assert heard.content == (
        "I'd keep the sessions in Redis, because the worker and the page must see the same state."
    )


@pytest.mark.parametrize(
    "reply", ["No, use a cookie.", "Do it how?", "and the page?", "let's do that. " * 30]
)
def test_other_replies_decide_nothing(reply: str) -> None:
    assert answered(CHOICE, reply).found("agreed") == []


def test_agreement_to_an_answer_without_a_reason_decides_nothing() -> None:
    assert answered("Next I can add a test.", "do it").found("agreed") == []
    assert answered("Keep it optional, because it is slow.", "do it").found("agreed") == []

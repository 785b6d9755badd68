"""Answers to the agent's questions: decisions, once the agenda is out."""

from __future__ import annotations

import pytest

from cortex_core.language.detect import language
from cortex_core.language.signals import said
from tests.core.rules.session import Session

DECIDED = [
    ("Which package manager should the monorepo use?", "pnpm (Recommended)", "Packages"),
    ("How should expired sessions be handled?", "Redirect to login and keep the draft", "Sessions"),
    ("Where should uploaded files be stored?", "S3 with presigned URLs", "Storage"),
    ("Should refunds go through the queue or be synchronous?", "Queue", "Refunds"),
    ("Which Node versions must be supported?", "20 and 22", "Support"),
    ("What should the public API return for deleted items?", "410 Gone", "API"),
    ("Which database do the integration tests use?", "real Postgres in docker, no mocks", "Tests"),
    ("How should dates be shown in the export?", "ISO 8601, always UTC", "Dates"),
    ("Welche Datenbank sollen wir nehmen?", "Postgres, wegen der JSON-Spalten", "Datenbank"),
]

NOT_DECIDED = [
    ("How should we proceed?", "Fix the tests", "Next"),
    ("The hook fails on files we did not touch. How should I proceed?", "fix them", "Commit"),
    ("What would you like me to work on?", "The importer", "Task"),
    ("Should I commit these changes?", "Yes", "Commit"),
    ("Which task should I start with?", "shop-12", "Task"),
    ("Which areas should the review cover?", "Security, Tests, Docs", "Focus"),
    ("Which storage do you want?", "you decide", "Storage"),
    ("Which storage do you want?", "not sure", "Storage"),
    ("Which storage do you want?", "what are the trade-offs?", "Storage"),
    ("Which storage do you want?", "well, it depends...", "Storage"),
    ("Ready to implement?", "go", "Ready"),
    ("Does this look right?", "Yes, looks good", "Confirm"),
    ("There are uncommitted changes. What should happen with them?", "Stash them", "Changes"),
    ("How deep should the review go?", "Thorough", "Depth"),
    ("Is the dev server running?", "Yes", "Server"),
    ("Do you want me to open a PR?", "Later", "PR"),
]


@pytest.mark.parametrize(("question", "answer", "header"), DECIDED)
def test_an_answer_is_kept_with_its_question(question: str, answer: str, header: str) -> None:
    options = (answer,)
    (found,) = Session().human("go").asks(question, answer, header, options).found()
    assert (found.rule, found.tier, found.kind) == ("answer", "suggested", "decision")
    choice = answer.removesuffix(" (Recommended)")
    assert found.content == f"{question} {choice}."
    assert found.title == f"{question.rstrip('?')}: {choice}"


def test_an_answer_in_the_users_own_words_has_one_source() -> None:
    question, answer = "Where are the counters kept?", "Redis, because we run three instances of it"
    (found,) = Session().human("go").asks(question, answer, "Counters", ("Memory",)).found()
    assert (found.rule, found.content.split("\n")[0]) == ("answer", f"{question} {answer}.")
    asked = Session().asks("Anything else?", "Remember: staging runs Postgres 14", "More", ("No",))
    assert [one.rule for one in asked.found()] == ["prompt-remember"]


def test_an_option_called_none_that_is_offered_twice_leaves_what_was_said() -> None:
    session = Session().human("Remember: staging runs Postgres 14.")
    for question in ("Which cache?", "Which queue?"):
        session.asks(question, "None", question, ("None", "Redis"))
    assert "prompt-remember" in {found.rule for found in session.found()}


def test_a_long_question_is_told_below_its_heading() -> None:
    why = "Both keep the draft."
    question = f"{why} Where should the draft of an expired session be kept until the next login?"
    answer = "In the browser, encrypted with the key of the session"
    (found,) = Session().human("go").asks(question, answer, "Drafts", (answer,)).found()
    assert found.title == f"Drafts: {answer}"
    first, asked = found.content.split("\n")
    assert first == f"{question.removeprefix(why).strip()} {answer}."
    assert asked == said("asked", language(question), text=question)


@pytest.mark.parametrize(("question", "answer", "header"), NOT_DECIDED)
def test_the_agenda_is_no_decision(question: str, answer: str, header: str) -> None:
    assert Session().human("go").asks(question, answer, header, ("A", "B")).found() == []


def test_several_answers_and_what_the_option_adds() -> None:
    asked = [
        {
            "question": "Which cache?",
            "header": "Cache",
            "options": [{"label": "Redis", "description": "One more service to run"}],
        },
        {"question": "Which queue?", "header": "Queue", "options": []},
    ]
    result = (
        'User has answered your questions: "Which cache?"="Redis", "Which queue?"="none, cron is '
        "enough for now\". You can now continue with the user's answers in mind."
    )
    (found,) = Session().uses("AskUserQuestion", {"questions": asked}, result).found()
    assert found.content == "Which cache? Redis (One more service to run)"
    result = result.replace(" for now", "")
    both = Session().uses("AskUserQuestion", {"questions": asked}, result).found()
    assert [one.title for one in both] == [
        "Cache: Redis",
        "Queue: none, cron is enough",
    ]


def test_a_question_left_open_yields_nothing() -> None:
    declined = Session().uses(
        "AskUserQuestion",
        {"questions": [{"question": "Which cache?"}]},
        "The user doesn't want to proceed with this tool use.",
        failed=True,
    )
    assert declined.found() == []


PREVIEW = (
    'User has answered your questions: "Which padding?"="Outer gutter" selected preview:\n'
    'canvas = window\n| a |, "Where?"="Everywhere". You can now continue'
)


def test_an_answer_ends_before_its_preview() -> None:
    asked = [
        {"question": "Which padding?", "header": "Padding", "options": [{"label": "Outer gutter"}]},
        {"question": "Where?", "header": "Place", "options": [{"label": "Everywhere"}]},
    ]
    found = Session().uses("AskUserQuestion", {"questions": asked}, PREVIEW).found()
    assert [one.title for one in found] == ["Padding: Outer gutter", "Place: Everywhere"]
    assert "canvas" not in found[0].content


def test_the_options_that_were_not_chosen_are_told() -> None:
    options = ("Postgres", "Redis")
    (found,) = Session().asks("Where do jobs live?", "Postgres", "Jobs", options).found()
    assert found.content.endswith("\nChosen over: Redis.")


def test_a_later_answer_under_the_same_heading_stands() -> None:
    session = Session().asks("Which cache?", "Redis", "Cache", ("Redis", "None"))
    session.asks("Which cache should it be now?", "None at all", "Cache", ("Redis", "None at all"))
    assert [one.title for one in session.found()] == ["Which cache should it be now: None at all"]

"""Answers to the agent's questions: decisions, once the agenda is out."""

from __future__ import annotations

import pytest

from cortex_core.extract.phrases import said
from cortex_core.language.detect import language
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
    options = (answer, "Something else")
    (found,) = Session().human("go").asks(question, answer, header, options).found()
    assert (found.rule, found.tier, found.kind) == ("answer", "kept", "decision")
    asked = said("asked", language(question), text=question)
    assert found.content.startswith(f"{header}: ") and found.content.endswith(f"\n{asked}")
    assert found.title.startswith(f"{header}: ") and "Recommended" not in found.content


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
    assert found.content == "Cache: Redis (One more service to run)\nAsked: Which cache?"
    result = result.replace(" for now", "")
    both = Session().uses("AskUserQuestion", {"questions": asked}, result).found()
    assert [one.title for one in both] == ["Cache: Redis", "Queue: none, cron is enough"]


def test_a_question_left_open_yields_nothing() -> None:
    declined = Session().uses(
        "AskUserQuestion",
        {"questions": [{"question": "Which cache?"}]},
        "The user doesn't want to proceed with this tool use.",
        failed=True,
    )
    assert declined.found() == []


WAYS = (
    "There are two ways:\n\n1. **Keep the cache in memory** - lost on restart\n"
    "2. **Put the cache into Redis** - shared by the workers\n\nWhich do you want for the cache?"
)


@pytest.mark.parametrize(
    "reply",
    [
        "2",
        "2 please",
        "option 2",
        "yes, option 2",
        "let's go with 2",
        "I like option 2",
        "2 does seem like the decent one, though we might revisit it",
        "I'd go with option 2, yes",
    ],
)
def test_a_reply_that_names_an_option_decides_for_it(reply: str) -> None:
    (found,) = Session().human("add a cache").says(WAYS).human(reply).found("reply")
    assert found.title == "Put the cache into Redis" and found.tier == "suggested"
    assert found.content.startswith("Put the cache into Redis. Chosen over: Keep the cache in")


@pytest.mark.parametrize(
    "reply", ["2 tests fail now", "integer cents", "3", "what does 2 cost?", "can 2 wait?"]
)
def test_other_replies_are_prompts(reply: str) -> None:
    assert Session().human("add a cache").says(WAYS).human(reply).found("reply") == []


OPEN = (
    "Some things are open:\n\n1. **Rounding of amounts**: half up or half even?\n"
    "2. **Locking of the ledger**: files or rows?\n3. Retention of exports?\n4. The logo?"
)


@pytest.mark.parametrize(
    "reply",
    [
        "1. half even, as the bank does\n2. defer locking until we have SQLite\n3. yes\n4. why?",
        "1. half even, as the bank does, 2. defer locking until we have SQLite, 3. ok",
    ],
)
def test_numbered_replies_take_the_items_they_answer(reply: str) -> None:
    found = Session().human("what is open?").says(OPEN).human(reply).found("reply")
    assert [one.content for one in found] == [
        "Rounding of amounts: half even, as the bank does.",
        "Locking of the ledger: defer locking until we have SQLite.",
    ]
    assert found[0].title == "Rounding of amounts: half even, as the bank does"


def test_an_item_that_asks_is_told_by_its_topic() -> None:
    said = "Two things:\n\n1. Should the open ledger always be on the left, or last?\n2. The logo"
    (one,) = (
        Session()
        .human("x")
        .says(said)
        .human("1. left, as the old app has it\n2. ok")
        .found("reply")
    )
    assert one.content == (
        "Open ledger: left, as the old app has it.\n"
        "Asked: Should the open ledger always be on the left, or last?"
    )


@pytest.mark.parametrize(
    "answer", ["that is currently a problem and we need to fix it", "rows, by design I think"]
)
def test_a_guess_or_the_state_of_things_settles_no_item(answer: str) -> None:
    reply = f"1. half even, as the bank does\n2. {answer}"
    (one,) = Session().human("what is open?").says(OPEN).human(reply).found("reply")
    assert one.content.startswith("Rounding of amounts: ")


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("Which export format should we use?", "Export format"),
        ("Should the list view show drafts, or hide them?", "List view"),
        ("What naming convention resonates with you?", "Naming convention"),
        ("How do exports end?", "How do exports end"),
    ],
)
def test_under_a_header_that_fits_any_question_its_subject_is_the_topic(
    question: str, about: str
) -> None:
    (one,) = Session().asks(question, "Plain text", "Approach").found("answer")
    assert one.title == f"{about}: Plain text"


@pytest.mark.parametrize(
    "reply", ["yes", "ok go ahead", "why?", "commit it", "hmm wait", "sure. why?"]
)
def test_assent_is_no_answer(reply: str) -> None:
    session = Session().human("x").says("Which unit should the ledger store amounts in, then?")
    assert session.human(reply).found("reply") == []


def test_a_question_about_the_agenda_is_none() -> None:
    session = Session().human("x").says("Should I also check the importer for the same fault?")
    assert session.human("only the parser part of it").found("reply") == []

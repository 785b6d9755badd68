"""The questions about real sessions, and what the figures of finding them count."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import conversation_data as talks
from benchmarks.conversation_data import Asked
from benchmarks.conversations import Outcome, Shown, ranked, session_rank, summary
from benchmarks.data import Chat

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.mark.parametrize(("path", "count"), [(talks.ASKED, 50), (talks.UNSEEN, 25)])
def test_the_questions_hold_ids_and_words_of_their_own(path: Path, count: int) -> None:
    told = json.loads(path.read_text("utf-8"))
    assert len({one["question"] for one in told}) == count
    assert {*map(frozenset, told)} == {
        frozenset({"project", "session", "kind", "question", "answers"})
    }
    ids = [name for one in told for name in (one["session"], *one["answers"])]
    assert all(map(ID.fullmatch, ids))
    assert all(one["answers"] for one in told)
    assert max(len(one["question"]) for one in told) < 150


ASKED = Asked("why?", "s1", frozenset({"m1", "m2"}), "cause", "shop")


@pytest.mark.parametrize(
    ("hits", "rank"),
    [
        ([], None),
        ([Shown("s2", "m9")], None),
        ([Shown("s2", "m9"), Shown("s1", "m8")], 1),
        ([Shown("fork", "m2"), Shown("s1", "m8")], 0),
    ],
)
def test_the_right_session_is_the_one_that_answers_or_keeps_the_answer(
    hits: list[Shown], rank: int | None
) -> None:
    assert session_rank(ASKED, hits) == rank


def test_recall_is_strict_only_if_all_are_found() -> None:
    half = ranked(frozenset({"a", "b"}), ["x", "a", "a", "y"])
    assert half == Outcome(2, [1])
    whole = ranked(frozenset({"a"}), ["a"])
    found = summary([half, whole])
    assert (found["R@1"], found["R@3"], found["any@10"], found["all@10"], found["MRR"]) == (
        50,
        75,
        100,
        50,
        75,
    )


def test_a_chat_becomes_its_sessions() -> None:
    rows = [
        {
            "id": "1",
            "session": "a",
            "author": "Ann",
            "content": "Tea?",
            "created": "2026-11-05T10:00:00+00:00",
        },
        {"id": "2", "session": "a", "author": "Bob", "content": "Yes."},
        {"id": "3", "session": "b", "content": "Rain."},
    ]
    first, second = talks.of_chat(Chat(rows, []))
    assert [(each.kind, each.text, each.uuid) for each in first.drafts] == [
        ("user", "Ann: Tea?", "1"),
        ("agent", "Bob: Yes.", "2"),
    ]
    assert first.drafts[0].time == 1_793_872_800
    assert [each.text for each in second.drafts] == ["Rain."]

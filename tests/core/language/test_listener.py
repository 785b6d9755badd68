"""The listener hears what lasts, in sentences of a writer of whom it has learned other ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from cortex_core.language import listener

SAID = Path(__file__).with_name("said.jsonl")


def test_what_lasts_is_told_from_what_does_not() -> None:
    """Of 132 sentences in nine languages that were set aside."""
    count, heard = Counter[str](), Counter[str]()
    for row in map(json.loads, SAID.read_text("utf-8").splitlines()):
        count[row["label"]] += 1
        heard[row["label"]] += listener.heard(row["text"]).score >= listener.LASTS
    others = ("now", "question", "quoted", "task")
    assert heard["rule"] >= 0.55 * count["rule"]
    assert sum(heard[label] for label in others) <= 0.18 * sum(count[label] for label in others)


@pytest.mark.parametrize("text", ["", " ", "!", "好", "x" * 100_000, "é́" * 3000])
def test_any_text_has_a_score(text: str) -> None:
    assert 0 <= listener.heard(text).score <= 1


def test_a_sentence_without_a_known_word_is_not_worth_a_suggestion() -> None:
    assert listener.heard("blarg frobnik zzyzx").score < listener.LASTS

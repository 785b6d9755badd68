"""What a sentence is: a word counts by what it means in its clause."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cortex_core.extract import wording

SENSES: dict[Callable[[str], bool], tuple[tuple[str, ...], tuple[str, ...]]] = {
    wording.ONE_OFF.is_in: (
        (
            "Skip the export for now",
            "It is not ported yet",
            "Use the old queue this time",
            "I said so earlier",
        ),
        (
            "The endpoint isn't currently used",
            "The parser is simple yet robust",
            "Files of an earlier version are read",
            "Times are stored in the current time zone",
        ),
    ),
    wording.HEDGED.is_in: (
        (
            "It looks like a race",
            "I think the cache is stale",
            "It appears to be slow",
            "Maybe the router renews it",
            "The proxy might drop it",
        ),
        (
            "I think it's better not to keep mail addresses in the log",
            "I think we should keep amounts in cents",
            "Agents may not push",
            "A dialog appears when the import ends",
            "The key looks like `a:b`",
            "Any kind of file is taken",
        ),
    ),
}


@pytest.mark.parametrize("predicate", SENSES)
def test_a_word_counts_in_its_sense(predicate: Callable[[str], bool]) -> None:
    hold, fail = SENSES[predicate]
    assert [text for text in hold if not predicate(text)] == []
    assert [text for text in fail if predicate(text)] == []


FINISHED = {
    "so, the router renews the session": "The router renews the session.",
    "Also the router renews the session:": "The router renews the session.",
    "Actually, never push to main": "Never push to main.",
    "So that uploads survive, it is renewed": "So that uploads survive, it is renewed.",
    "Now that the worker renews it, go on": "Now that the worker renews it, go on.",
    "`npm ci` ignores overrides": "`npm ci` ignores overrides.",
    "提交前必须运行测试": "提交前必须运行测试。",
}


@pytest.mark.parametrize("text", FINISHED)
def test_finished(text: str) -> None:
    assert wording.finished(text) == FINISHED[text]
    assert wording.finished(FINISHED[text]) == FINISHED[text]

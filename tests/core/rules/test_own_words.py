"""Which part of a prompt the user wrote."""

from __future__ import annotations

import pytest

from cortex_core.extract.own_words import own_words

FILLER = "please look at what happens when the importer runs at night, it stops half way " * 6

PASTES = [
    "❯ ./run.sh\nalways use the cache\n",
    "2026-11-02 09:00:00 always use the cache",
    "Traceback (most recent call last):\n  always use the cache",
    "diff --git a/x b/x\n+   always use the cache",
    "npm ERR! always use the cache",
    "    at run (/srv/app.js:12:3)\nalways use the cache",
    "┌────┐\n│ always use the cache │",
    "ERROR always use the cache",
]


@pytest.mark.parametrize("paste", PASTES)
def test_a_long_prompt_ends_where_the_paste_begins(paste: str) -> None:
    assert own_words(f"{FILLER}\n{paste}\nnever do that").prose == FILLER.strip()


def test_a_short_prompt_loses_its_pasted_lines_alone() -> None:
    said = own_words("it fails:\nERROR always use x\nalways use y")
    assert said.prose == "it fails:\nalways use y"


def test_code_quotes_and_elements_are_out() -> None:
    text = "look:\n```\nalways use x\n```\n> never do y\n<log>\nalways z\n</log>\n[Image #1] thanks"
    assert own_words(text).prose.split() == ["look:", "thanks"]


@pytest.mark.parametrize(
    "review",
    [
        "pr feedback:\n\n1. Critical: always check the token",
        "Code Review for PR #7\nalways check the token",
        "In src/cart.ts around lines 76 to 82, always check the token",
        "Actionable comments posted: 3\nalways check the token",
        "(Medium) src/cart.ts:12 always check the token",
    ],
)
def test_reviews_are_not_the_users_words(review: str) -> None:
    assert "always check" not in own_words(review).prose


def test_what_stands_before_a_review_is() -> None:
    said = own_words("always run the tests\nreviewer feedback:\n1. x")
    assert said.prose == "always run the tests"


def test_very_long_prompts_and_briefs_are_left_out() -> None:
    assert own_words("always use x. " * 600).refusal == "pasted"
    assert own_words("# Goal\nx\n# Rules\nalways use x").refusal == "the brief of one task"
    assert own_words("always use x").prose == "always use x"

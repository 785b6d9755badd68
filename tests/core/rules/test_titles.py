"""Titles: what a user would write over a memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_core.extract.wording import LONGEST_TITLE, is_generic, title

TITLES = {
    "Always use pnpm, never npm, in this repository.": (
        "Always use pnpm, never npm, in this repository"),
    "always use pnpm": "Always use pnpm",
    "let's use uv instead of pip": "Let's use uv instead of pip",
    "git push only from CI": "git push only from CI",
    "useSession keeps the token in memory": "useSession keeps the token in memory",
    "`npm ci` ignores overrides. It always did.": "`npm ci` ignores overrides",
    "Perfect! The **worker** renews the session 🎉": "The worker renews the session",
    "OK so the worker renews the session": "The worker renews the session",
    "✅ **Root cause:** the router alone renews the session": "The router alone renews the session",
    "## Summary\n\nThe worker renews the session once a minute": (
        "The worker renews the session once a minute"),
    "- [x] see [the docs](https://example.org/a) for more": "See the docs for more",
    "Exclude **/node_modules/** and *.lock from the `**/*.ts` check": (
        "Exclude **/node_modules/** and *.lock from the `**/*.ts` check"),
    "The session cookie is renewed by the router only, so uploads that outlive the page are "
    "logged out": "The session cookie is renewed by the router only",
    "Renew the session from the upload worker — the router does not live as long as the page, the "
    "worker does": "Renew the session from the upload worker",
    "The importer takes an exclusive lock on the whole table because the bank's file has no keys "
    "of its own": "The importer takes an exclusive lock on the whole table",
    "Use a small, immutable value object for every amount of money that passes the ledger today": (
        "Use a small, immutable value object for every amount of money that passes the…"),
}  # fmt: skip


@pytest.mark.parametrize("content", TITLES)
def test_titles(content: str) -> None:
    assert title(content) == TITLES[content]


def test_a_generic_heading_takes_the_name_of_its_section() -> None:
    assert (
        title("Fix\n\nUse the worker", about="Session renewal") == "Session renewal: Use the worker"
    )
    assert title("Summary", about="Session renewal") == "Session renewal"
    assert title("Session renewal works", about="Session renewal") == "Session renewal works"
    assert (
        is_generic("**Key changes:**") and is_generic("## Overview") and not is_generic("Uploads")
    )


def test_nothing_to_name_is_untitled() -> None:
    assert title("") == title("\n\n") == title("🎉") == "Untitled"


@given(st.text(max_size=400), st.text(max_size=60))
def test_a_title_is_one_short_line(content: str, about: str) -> None:
    named = title(content, about)
    assert 0 < len(named) <= LONGEST_TITLE and len(named.splitlines()) == 1


@given(st.lists(st.from_regex(r"[a-z]{1,14}[,]?", fullmatch=True), min_size=3, max_size=40))
def test_no_word_is_cut(words: list[str]) -> None:
    named = title(" ".join(["renew", *words])).rstrip("…").casefold()
    whole = " ".join(["renew", *words])
    assert whole.startswith(named) and not whole[len(named) : len(named) + 1].isalpha()

"""Splitting prose: nothing is cut where no sentence ends."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core.language.sentences import cut, mask, sentences, split

SPLITS = [
    ("Use pnpm. Never npm.", ["Use pnpm.", "Never npm."]),
    ("use pnpm. never npm", ["use pnpm.", "never npm"]),
    ("Is it? Yes! Good…", ["Is it?", "Yes!", "Good…"]),
    (
        "Edit config.py and v1.2.3 of a.b.c too. Then stop.",
        ["Edit config.py and v1.2.3 of a.b.c too.", "Then stop."],
    ),
    (
        "Use a tool, e.g. Biome, i.e. no ESLint. Ok.",
        ["Use a tool, e.g. Biome, i.e. no ESLint.", "Ok."],
    ),
    ("See https://example.org/b?c=d. It works.", ["See https://example.org/b?c=d.", "It works."]),
    ("Run `a. B. c` first. Then go.", ["Run `a. B. c` first.", "Then go."]),
    ("Ask J. Smith about it. Then go.", ["Ask J. Smith about it.", "Then go."]),
    ("Wait... it works. Ok.", ["Wait... it works.", "Ok."]),
    ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
    ("It costs 1.5 ms vs. 2 ms. Fine.", ["It costs 1.5 ms vs. 2 ms.", "Fine."]),
]


@pytest.mark.parametrize(("line", "parts"), SPLITS)
def test_split(line: str, parts: list[str]) -> None:
    assert split(line) == parts


def test_bullets_headings_and_wrapped_lines() -> None:
    text = (
        "# Rules\n\n- never push to main\n- always run the tests before you say that it is all\n"
        "  done and good\n1. one\n\nThis line was wrapped by hand at about eighty characters, so\n"
        "it goes on here. And ends.\nA line of its own\nanother"
    )
    assert [one.text for one in sentences(text)] == [
        "never push to main",
        "always run the tests before you say that it is all done and good",
        "one",
        "This line was wrapped by hand at about eighty characters, so it goes on here.",
        "And ends.",
        "A line of its own",
        "another",
    ]
    assert [one.bullet for one in sentences(text)][:4] == [True, True, True, False]


@given(st.text(max_size=300))
def test_no_word_is_lost_or_added(text: str) -> None:
    line = " ".join(text.split())
    assert "".join("".join(split(line)).split()) == "".join(line.split())
    assert len(mask(line)) == len(line)


@given(st.text(max_size=300), st.integers(20, 120))
def test_a_cut_text_is_short_and_a_beginning(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert len(short) <= limit and text.strip().startswith(short.rstrip("…").rstrip())


def test_a_text_is_cut_after_a_sentence_and_not_after_an_abbreviation() -> None:
    assert cut("Run it in a pty (e.g. under script). Then read the log of it", 50).endswith(
        "script)."
    )
    assert cut("Run what needs a terminal (job notices, e.g. of a coproc) so", 50).endswith(
        "e.g. of…"
    )

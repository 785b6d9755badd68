"""What is embedded of a memory."""

from __future__ import annotations

from cortex_core.embeddings.stored import embedded_text, text_hash

MOMENT = 1_683_554_160.0
"""8 May 2023."""


def test_title_content_and_tags() -> None:
    found = embedded_text("Lockfile", "Use pnpm.", ("tools", "node"), "preference", "", MOMENT)
    assert found == "Lockfile\nUse pnpm.\ntools, node"


def test_a_title_that_says_nothing_more_is_left_out() -> None:
    assert embedded_text("Use pnpm…", "Use pnpm, never npm.", (), "fact", "", 0) == (
        "Use pnpm, never npm."
    )


def test_what_somebody_said_carries_date_and_name() -> None:
    found = embedded_text("I went home.", "I went home.", (), "fact", "Ada", MOMENT)
    assert found == "[8 May 2023] Ada: I went home."


def test_code_is_never_embedded() -> None:
    assert embedded_text("f", "def f(): ...", ("python",), "code", "Ada", MOMENT) == ""


def test_the_hash_tells_texts_apart() -> None:
    assert text_hash("a") == text_hash("a") != text_hash("b")
    assert len(text_hash("\ud800")) == 32

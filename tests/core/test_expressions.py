"""Expressions from outside: where they match in a long text, and what that costs."""

from __future__ import annotations

import pytest

from cortex_core.base import expressions

LONG = 5 * expressions.PIECE
KEY = "-----BEGIN KEY-----\n" + "0a\n" * 1200 + "-----END KEY-----"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"(?m)^pw (.*)$", "\npw ab" * LONG),
        (r"pw=.*", "a" * LONG + "pw=" + "b" * LONG + "\nc"),
        (r"\bkey-[0-9]{8}\b", "monkey-12345678 key-12345678, " * 3000),
        (r"^a+$", "a" * LONG),
        (r"^a+$", "a" * LONG + "b"),
        (r"-----BEGIN[\s\S]*?END KEY-----", f"{KEY} and " * 9),
        (r"日+", "日" * LONG + "本" + "日日"),
        (r"b*", "ab" * 5000),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_found_in_pieces_is_what_is_found_at_once(source: str, text: str) -> None:
    pattern = expressions.compiled(source)
    whole = [match.span(min(pattern.groups, 1)) for match in pattern.finditer(text)]
    assert [one for one in expressions.spans(pattern, text) if one[0] < len(text)] == [
        one for one in whole if one[0] < len(text)
    ]

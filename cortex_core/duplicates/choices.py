"""Choices: which tool a text says to use and which not, in one form however they are worded.

“Use pnpm, never npm” and “Always use pnpm instead of npm” differ in a negation and in words of
extent, and still say the same. The one form makes them comparable.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NAME = r"[`\"']?(?P<{}>[\w@+#-]+(?:[./][\w@+#-]+)*)[`\"']?"
_TAKE, _LEAVE = _NAME.format("take"), _NAME.format("leave")
_USE = r"(?:always |please |only )?(?:use|prefer|choose|pick|run)"
_NOT = r"(?:never|not|don't|do not|avoid)(?: use| using)?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_USE} {_TAKE},? (?:instead of|rather than|over|in place of) {_LEAVE}",
        rf"\b{_USE} {_TAKE}[,;:.]?(?: and| but)? {_NOT} {_LEAVE}",
        rf"\bprefer {_TAKE} to {_LEAVE}",
        rf"\b{_NOT} {_LEAVE}[,;:.]?(?: but)? {_USE} {_TAKE}(?: instead)?",
    )
)


def in_one_form(text: str) -> str:
    """`text` with each choice as “use X, never Y”."""
    return _in_one_form(text)[0]


def same(a: str, b: str) -> tuple[str, str] | None:
    """Both texts with their choices in one form; None where they do not choose the same."""
    (plain_a, chosen_a), (plain_b, chosen_b) = _in_one_form(a), _in_one_form(b)
    return (plain_a, plain_b) if chosen_a and chosen_a == chosen_b else None


@lru_cache(maxsize=1024)
def _in_one_form(text: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """`text` with each choice as “use X, never Y”, and what is chosen over what."""
    chosen: set[tuple[str, str]] = set()

    def one_form(match: re.Match[str]) -> str:
        take, leave = match["take"], match["leave"]
        chosen.add((take.casefold(), leave.casefold()))
        return f"use {take}, never {leave}"

    for form in _FORMS:
        text = form.sub(one_form, text)
    return text, frozenset(chosen)

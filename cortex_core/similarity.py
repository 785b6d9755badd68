"""When two memories say the same, by their words."""

from __future__ import annotations

from typing import NamedTuple

from cortex_core import text


class Likeness(NamedTuple):
    """How alike two texts are."""

    similarity: float
    same: bool
    propose: bool
    reasons: tuple[str, ...]
    conflicts: tuple[str, ...]


def compare(a: str, b: str, *, cosine: float | None = None) -> Likeness:
    """How alike `a` and `b` are."""
    one, two = set(text.content_words(a)), set(text.content_words(b))
    jaccard = len(one & two) / len(one | two) if one | two else 0.0
    return Likeness(jaccard, one == two, 0.7 <= jaccard < 1, (), ())

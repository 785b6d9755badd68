"""When two finds of a session say the same: by their content words and numbers."""

from __future__ import annotations

from typing import NamedTuple

from cortex_core.base.text import units

SAME_JACCARD = 0.6
"""Share of common words (Jaccard) from which two candidates say the same."""
SAME_CONTAINMENT = 0.8
"""Share of a candidate's words in another one, from which it adds nothing."""
MOST_ADDED = 0.5
"""Share of new words that a paraphrase may have."""
_FEWEST = 4
"""Words below which containment is chance."""


class Mark(NamedTuple):
    """What of a candidate is compared."""

    words: frozenset[str]
    rank: int
    """The rank of its rule; the lower one says it better."""


def fingerprint(text: str) -> frozenset[str]:
    """The content words by which two texts are compared."""
    return frozenset(units(text))


def says_no_more(text: Mark, other: Mark) -> bool:
    """Whether `text` says nothing that `other` does not: the same words, or all but a few of them.

    A number that `text` alone has keeps two texts of common words apart.
    """
    if not text.words or not other.words:
        return False
    shared = len(text.words & other.words)
    if shared >= SAME_JACCARD * len(text.words | other.words):
        return _numbers(text.words) <= _numbers(other.words)
    return len(text.words) >= _FEWEST and shared >= SAME_CONTAINMENT * len(text.words)


def say_the_same(known: str, other: str) -> bool:
    """Whether `other` says what `known` says in other words, and adds no more than a few."""
    old, new = Mark(fingerprint(known), 0), Mark(fingerprint(other), 0)
    if says_no_more(new, old):
        return True
    adds_little = len(new.words - old.words) <= MOST_ADDED * len(new.words)
    return adds_little and says_no_more(old, new) and _numbers(new.words) <= _numbers(old.words)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[:1].isdigit())

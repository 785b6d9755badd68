"""When two finds of a session say the same: by their content words and numbers."""

from cortex_core.base.text import units

SAME_JACCARD = 0.6
"""Share of common words (Jaccard) from which two candidates say the same."""
SAME_CONTAINMENT = 0.8
"""Share of a candidate's words in another one, from which it adds nothing."""
MOST_ADDED = 0.5
"""Share of new words that a paraphrase may have."""
_FEWEST = 4
"""Words below which containment is chance."""


def fingerprint(text: str) -> frozenset[str]:
    """The content words by which two texts are compared."""
    return frozenset(units(text))


def says_no_more(text: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the words of a text say nothing that those of the other do not: they are the same, or
    all but a few of them.

    A number that the text alone has keeps two texts of common words apart.
    """
    if not text or not other:
        return False
    shared = len(text & other)
    return (
        _numbers(text) <= _numbers(other)
        if shared >= SAME_JACCARD * len(text | other)
        else len(text) >= _FEWEST and shared >= SAME_CONTAINMENT * len(text)
    )


def say_the_same(known: str, other: str) -> bool:
    """Whether `other` says what `known` says in other words, and adds no more than a few."""
    old, new = fingerprint(known), fingerprint(other)
    return (says_no_more(new, old)) or (
        len(new - old) <= MOST_ADDED * len(new)
        and says_no_more(old, new)
        and _numbers(new) <= _numbers(old)
    )


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[:1].isdigit())

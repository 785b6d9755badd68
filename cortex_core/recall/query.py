"""A person's words as a search: always a valid FTS5 query, misspelt words corrected."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cortex_core.text import content_words, words

MOST_WORDS = 48
"""Different words of a query that are looked up: the first ones."""

SHORT = 6
"""Letters from which two slips are forgiven in a word, not one."""


def terms(text: str) -> list[str]:
    """The different words of `text` to search for, in order; all of them when none has content.

    A code word such as `a/b.py` stands for itself and for its parts.
    """
    found = content_words(text) or [word for word in words(text) if word]
    spread = [part for word in found for part in (word, *_parts(word))]
    return list(dict.fromkeys(spread))[:MOST_WORDS]


def match(found: Sequence[str]) -> str:
    """The FTS5 query that finds any of these words; empty when there are none."""
    return " OR ".join(quoted(word) for word in found)


def quoted(word: str) -> str:
    """`word` as an FTS5 string, whatever is in it."""
    return '"' + word.replace('"', '""').replace("\0", "") + '"'


def correct(
    found: Sequence[str],
    is_known: Callable[[str], bool],
    vocabulary: Callable[[str], Sequence[tuple[str, int]]],
) -> dict[str, str]:
    """Misspelt words and what they are read as.

    Args:
        is_known: whether the store holds a word, whatever its ending.
        vocabulary: the store's words, with their counts, that a misspelt word may have meant.
    """
    unknown = [word for word in found if _may_be_misspelt(word) and not is_known(word)]
    read = {word: _closest(word, vocabulary(word)) for word in unknown}
    return {word: best for word, best in read.items() if best}


def _closest(word: str, vocabulary: Sequence[tuple[str, int]]) -> str:
    """The most frequent of the nearest words within the cutoff; empty when none is."""
    from rapidfuzz.distance import OSA

    cutoff = 1 if len(word) < SHORT else 2
    best, rank = "", (cutoff + 1, 0)
    for known, count in vocabulary:
        distance = OSA.distance(word, known, score_cutoff=cutoff)
        if distance <= cutoff and (distance, -count) < rank:
            best, rank = known, (distance, -count)
    return best


def _may_be_misspelt(word: str) -> bool:
    return len(word) > 3 and word.isalpha()


def _parts(word: str) -> list[str]:
    if word.isalnum():
        return []
    folded = "".join(letter if letter.isalnum() else " " for letter in word)
    return [part for part in content_words(folded) if len(part) > 1]

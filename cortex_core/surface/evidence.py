"""What words tell: identifiers, and how much of one text's wording another shares. Pure."""

from __future__ import annotations

import re

from cortex_core import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_CODE = re.compile(r"[a-z0-9]+[A-Z]\w*|\w*_\w+|[\w-]+\.[A-Za-z]\w{0,8}\b|[\w.-]+/[\w./-]+")

MOST_WORDS = 48
"""Different content words of a text that are looked at."""

_ENDING = 3
"""Letters at a word's end that inflection may change."""

_STEM = 4
"""Letters of a word that must agree at least."""

COMMON_WEIGHT = 0.3
"""What a common word says, next to 1 for any other."""


def identifiers(words: str) -> set[str]:
    """The names that come from code in `words`, casefolded: `require_user`, `a/b.py`, `useRef`."""
    return {match.group().casefold().strip("./") for match in _CODE.finditer(words)} - {""}


def subjects(words: str) -> list[str]:
    """The different content words of `words`, in order, at most `MOST_WORDS`."""
    return list(dict.fromkeys(text.content_words(words)))[:MOST_WORDS]


def shared(asked: Sequence[str], told: Iterable[str]) -> list[str]:
    """Those of the words `asked` that are among the words `told`, whatever their ending."""
    known = set(told)
    return [word for word in asked if word in known or any(_akin(word, other) for other in known)]


def weights(asked: Sequence[str], rarity: Mapping[str, float], common: float) -> list[float]:
    """How much each of the words `asked` says: 1, or little for those that many memories hold.

    Args:
        rarity: inverse document frequency by word.
        common: the rarity below which a word is common.
    """
    return [COMMON_WEIGHT if rarity.get(word, common) < common else 1.0 for word in asked]


def _akin(one: str, other: str) -> bool:
    if len(one) < _STEM or len(other) < _STEM:
        return False
    return one.startswith(_stem(other)) or other.startswith(_stem(one))


def _stem(word: str) -> str:
    return word[: max(_STEM, len(word) - _ENDING)]

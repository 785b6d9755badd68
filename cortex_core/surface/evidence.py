"""How much of one text's wording another shares. Pure."""

from __future__ import annotations

from cortex_core import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

MOST_WORDS = 48
"""Different content words of a prompt that are looked at."""

_ENDING = 3
"""Letters at a word's end that inflection may change."""

_STEM = 4
"""Letters of a word that must agree at least."""

COMMON_WEIGHT = 0.3
"""What a common word says, next to 1 for any other."""

GENERIC = frozenset(
    """
    add again also another best better big bug build call change check clean code comment commit
    continue correct create delete detail different do doc docs done drop edit end error everything
    example explain fail fails file files find fine first fix function functions give go good happen
    help idea implement improve instead issue keep kind last less let like line lines list little
    long look looks make mean message method missing module move name need never new next nice no
    nothing now number ok okay old one open order other part print problem put question read really
    refactor remove rename replace result review rewrite right run same say section see sensible
    set short show simple single small something split start still stop sum sure take tell test
    tests text thank thanks thing things think three time times try turn two type update use used
    using value version wait want way well word words work works write wrong yes
    """.split()
)
"""Words of any request to a coding agent: they hardly say what it is about."""


def subjects(words: str, most: int = MOST_WORDS) -> list[str]:
    """The first `most` different content words of `words`, in order."""
    return list(dict.fromkeys(text.content_words(words)))[:most]


def shared(asked: Sequence[str], told: Iterable[str], exact: Container[str] = ()) -> list[str]:
    """Those of the words `asked` that are among the words `told`, whatever their ending.

    Args:
        exact: words, such as names from code, that must be the same to the letter.
    """
    known = set(told)
    plain = [word for word in known if word.isalpha()]

    def is_told(word: str) -> bool:
        if word in known or word in exact or not word.isalpha():
            return word in known
        return any(_akin(word, other) for other in plain)

    return [word for word in asked if is_told(word)]


def weights(asked: Sequence[str], rarity: Mapping[str, float], common: float) -> list[float]:
    """How much each of the words `asked` says: 1, or little for common ones and generic ones.

    Args:
        rarity: inverse document frequency by word.
        common: the rarity below which a word is common.
    """
    return [
        COMMON_WEIGHT if word in GENERIC or rarity.get(word, common) < common else 1.0
        for word in asked
    ]


def _akin(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _STEM or abs(len(one) - len(other)) > _ENDING:
        return False
    return one.startswith(_stem(other)) or other.startswith(_stem(one))


def _stem(word: str) -> str:
    # The prompt hook has no time to load the stemmer of `similarity.features`.
    return word[: max(_STEM, len(word) - _ENDING)]

"""The stems of words, by which forms of one word are compared."""

from collections.abc import Callable
from functools import cache, lru_cache

from cortex_core.language import verbs
from cortex_core.language.patterns import Pattern

_BRITISH = Pattern(
    "the British spelling of a verb in -ize and its forms",
    r"(?<=[a-z]{3}i)s(e[sdr]?|ing|ations?)\Z",
    finds="initialised",
    spares="rise",
    flags=0,
)
_OTHERS = (
    "child children,person people,man men,woman women,foot feet,index indices indexes,grey gray"
    ",licence license"
)
"""Nouns with a plural that no rule makes, and spellings of one word."""

_LEMMAS = {
    word: family[0]
    for family in (*verbs.IRREGULAR, *(family.split() for family in _OTHERS.split(",")))
    for word in family
}
"""Common form of irregular forms and alternative spellings."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of an English or Russian word in lower case; other words nearly as they are."""
    return (
        _stemmer("russian")(word)
        if is_cyrillic(word)
        else _stemmer("english")(_BRITISH.regex.sub(r"z\1", _LEMMAS.get(word, word)))
    )


def is_cyrillic(word: str) -> bool:
    """Whether a word begins with a letter of the Cyrillic script."""
    return "\u0400" <= word[:1] <= "\u04ff"


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    try:
        from py_rust_stemmers import SnowballStemmer
    except ImportError:
        # Windows on ARM has no wheel: there the forms of a word are different words.
        return str
    stemmed: Callable[[str], str] = SnowballStemmer(language).stem_word
    return stemmed

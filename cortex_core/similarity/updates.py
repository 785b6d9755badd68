"""When a newer text states another value of what an older one speaks of: 4,500 words, now 4,700.

Pure functions of two texts. Most pairs of numbers mean different things, so both sides must count
the same unit, in words that they share and that few memories hold, and the newer one must tell of
a change (`increased`, `now`, `moved`). benchmarks/duplicates.py measures it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from cortex_core.similarity import lexicon
from cortex_core.similarity.features import Token, features
from cortex_core.text import STOP_WORDS

LEAST_COSINE = 0.5
"""How near in meaning the two texts must be."""
LEAST_WEIGHT = 3.5
"""What the shared words around the values must weigh together."""
LEAST_WORDS = 2
MOST_RARITY = 3.5
"""What one word may weigh at most."""
NEAR, FAR, AROUND = 6, 0.6, 10
"""Tokens on each side of a value that count in full; what those further off count; how far."""
LONGEST = 6_000
"""Characters of a text that are looked at."""

CHANGES = frozenset(
    "increas adjust updat now recent extend reduc rais chang improv revis shorten move postpon new "
    "reach boost drop lower decreas upgrad switch reschedul expand grew grow actual shift bump cut "
    "latest current longer instead anymor previous".split()
)
"""Stems of words by which a text tells that something is not as it was."""

GENERAL = CHANGES | frozenset(
    "complet help curious wonder achiev start get want tri use sure work worri need plan goal "
    "target day week month year hour minut time today end first go make set good great think feel "
    "track follow thank ask question understand progress better best way well also like manag "
    "consid keep find found give still last next effect specif despit sinc prefer support focus "
    "alreadi".split()
)
"""Stems that say nothing about which value is meant."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_VALUE = re.compile(r"(?P<sign>[$€£]?)-?\d+(?:[,.:]\d+)*(?P<unit>[A-Za-z%°µ]{0,4}%?)\Z")
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_EMPTY = STOP_WORDS | lexicon.NEGATIONS | lexicon.CALENDAR.keys()
_ENDS_UNIT = frozenset({"and", "or", "but", "to"})


class Value(NamedTuple):
    """A number in a sentence, what it counts, and the words around it."""

    key: str
    written: str
    units: frozenset[str]
    around: Mapping[str, tuple[str, float]]
    """Stem → the word as it stands there, and how much its distance leaves of its weight."""
    is_changed: bool
    """Whether words near it tell of a change."""
    is_before: bool
    """Whether it is what something was: `from 4,500`."""


class Update(NamedTuple):
    """Two values of the same thing."""

    sentence: str
    weight: float
    """How much the words weigh that say that it is the same thing."""


def update(older: str, newer: str, rarity: Callable[[str], float]) -> Update | None:
    """The plainest change of a value from `older` to `newer`; None where there is none.

    Args:
        rarity: the weight of a word, in lower case: the logarithm of how few memories hold it.
    """
    before, after = values(older[:LONGEST]), values(newer[:LONGEST])
    known = {one.key for one in before}
    still = {one.key for one in after if not one.is_before}
    found = (
        _update(one, other, rarity)
        for one in before
        if one.key not in still
        for other in after
        if other.is_changed and other.key not in known and one.units & other.units
    )
    return max((made for made in found if made), key=lambda made: made.weight, default=None)


def _update(one: Value, other: Value, rarity: Callable[[str], float]) -> Update | None:
    shared = one.around.keys() & other.around.keys()
    if len(shared) < LEAST_WORDS:
        return None
    weight = sum(
        min(MOST_RARITY, rarity(other.around[key][0])) * one.around[key][1] * other.around[key][1]
        for key in shared
    )
    if weight < LEAST_WEIGHT:
        return None
    subject = ", ".join(sorted(other.around[key][0] for key in shared)[:5])
    return Update(f"Its value changed ({subject}): {one.written}, now {other.written}.", weight)


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """The numbers of `text` that count something: no dates, no code, no bare numbers."""
    sentences = _SENTENCE.split(_CODE.sub(" ", text))
    return tuple(
        value
        for sentence in sentences
        if any(map(str.isdigit, sentence))
        for value in _values(features(sentence).tokens)
    )


def _values(tokens: tuple[Token, ...]) -> Iterator[Value]:
    for place, token in enumerate(tokens):
        found = _VALUE.match(token.text) if token.kind == "number" else None
        if found is None or _is_date(tokens, place) or found["unit"].lower() in _ORDINAL:
            continue
        marks = {mark for mark in (found["sign"], found["unit"].lower()) if mark}
        units = marks or _counted(tokens, place)
        if units and not (_YEAR.match(token.key) and not marks):
            near = tokens[max(0, place - NEAR - 2) : place + NEAR + 1]
            yield Value(
                token.key, token.text, frozenset(units), _around(tokens, place),
                any(one.key in CHANGES for one in near),
                place > 0 and tokens[place - 1].lower == "from",
            )  # fmt: skip


def _is_date(tokens: tuple[Token, ...], place: int) -> bool:
    beside = (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    return any(one.lower in lexicon.CALENDAR and one.text[:1].isupper() for one in beside)


def _counted(tokens: tuple[Token, ...], place: int) -> Set[str]:
    """The stems of what a bare number counts: `10 classification problems`."""
    units = set()
    for token in tokens[place + 1 : place + 4]:
        if token.kind == "number" or token.lower in _ENDS_UNIT:
            break
        if token.lower in lexicon.UNITS or _is_subject(token):
            units.add(token.key)
    return units


def _around(tokens: tuple[Token, ...], place: int) -> dict[str, tuple[str, float]]:
    """The words that carry a subject, the nearest counting most."""
    found: dict[str, tuple[str, float]] = {}
    first = max(0, place - AROUND)
    for at, token in enumerate(tokens[first : place + AROUND + 1], first):
        if _is_subject(token) and token.key not in GENERAL:
            share = 1.0 if abs(at - place) <= NEAR else FAR
            if token.key not in found or found[token.key][1] < share:
                found[token.key] = (token.lower, share)
    return found


def _is_subject(token: Token) -> bool:
    """Whether it can say which thing is meant."""
    return token.kind == "code" or (token.kind == "word" and token.lower not in _EMPTY)

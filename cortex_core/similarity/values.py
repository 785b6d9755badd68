"""The values that a text states: numbers that count something, dates, times of day, versions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from cortex_core.similarity import lexicon
from cortex_core.similarity.features import Token, features
from cortex_core.text import STOP_WORDS

NEAR, FAR, AROUND = 6, 0.6, 10
"""Tokens on each side of a value that count in full; what those further off count; how far."""
CHANGES = frozenset(
    "increas adjust updat now recent extend reduc rais chang improv revis shorten move postpon new "
    "reach boost drop lower decreas upgrad switch reschedul expand grew grow actual shift bump cut "
    "latest current longer instead anymor previous".split()
)
"""Stems of words by which a text tells that something is not as it was."""

MOVES = frozenset(
    "reschedul postpon extend shift move push delay bump instead earlier later".split()
)
"""Stems of words by which a text tells that a date or a time is another: nearly every text that
names one says `now` or `new` of something else."""

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
_CLOCK = re.compile(r"\d{1,2}:\d\d\Z")
_ISO = re.compile(r"(?:19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\Z")
_VERSION = re.compile(r"[vV]?\d{1,3}(?:\.\d{1,4}){0,3}\Z")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_EMPTY = STOP_WORDS | lexicon.NEGATIONS | lexicon.CALENDAR.keys()
_ENDS_UNIT = frozenset({"and", "or", "but", "to"})


class Value(NamedTuple):
    """A number in a sentence, what it counts (or that it is a date), and the words around it."""

    key: str
    written: str
    units: frozenset[str]
    around: Mapping[str, tuple[str, float]]
    """Stem → the word as it stands there, and how much its distance leaves of its weight."""
    is_changed: bool
    """Whether words near it tell of a change."""
    is_before: bool
    """Whether it is what something was: `from 4,500`."""


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """What `text` states in numbers: dates, times, versions, how many of what; code aside."""
    sentences = _SENTENCE.split(_CODE.sub(" ", text))
    return tuple(
        value
        for sentence in sentences
        if any(map(str.isdigit, sentence))
        for value in _values(features(sentence).tokens)
    )


def _values(tokens: tuple[Token, ...]) -> Iterator[Value]:
    for place, token in enumerate(tokens):
        if token.kind != "number" and not _VERSION.match(token.text):
            continue
        found = _read(tokens, place)
        if found is not None:
            near = tokens[max(0, place - NEAR - 2) : place + NEAR + 1]
            telling = MOVES if found.units & {"date", "clock"} else CHANGES
            yield Value(
                found.key, found.written, found.units, _around(tokens, place),
                any(one.key in telling for one in near),
                place > 0 and tokens[place - 1].lower == "from",
            )  # fmt: skip


class _Read(NamedTuple):
    key: str
    written: str
    units: frozenset[str]


def _read(tokens: tuple[Token, ...], place: int) -> _Read | None:
    """What the number at `place` says: a date, a time of day, a version, or how many of what."""
    token = tokens[place]
    if (date := _date(tokens, place)) is not None:
        return _Read(date, date, frozenset({"date"}))
    after = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    if _CLOCK.match(token.text) or (after in ("am", "pm") and token.text.isdigit()):
        half = f" {after.upper()}" if after in ("am", "pm") else ""
        return _Read(f"{token.text}{half}", f"{token.text}{half}", frozenset({"clock"}))
    found = _VALUE.match(token.text)
    if found is not None and found["unit"].lower() in _ORDINAL:
        return None
    marks = {mark for mark in (found["sign"], found["unit"].lower()) if mark} if found else set()
    counted = marks or (_counted(tokens, place) if found else set())
    if _YEAR.match(token.key) and not marks:
        counted = set()
    if named := _named(tokens, place):
        written = token.text if counted else f"{tokens[place - 1].text} {token.text}"
        return _Read(token.key.lstrip("v"), written, frozenset({*counted, named}))
    return _Read(token.key, token.text, frozenset(counted)) if counted else None


def _date(tokens: tuple[Token, ...], place: int) -> str | None:
    """`April 5`, however it is written; None where no month stands beside the number."""
    token = tokens[place]
    if (written := _ISO.match(token.text)) is not None:
        return f"{_MONTHS[int(written[1]) - 1]} {int(written[2])}"
    day = token.text.rstrip("stndrh")
    if not day.isdigit() or not 1 <= int(day) <= 31:
        return None
    for at in (place - 1, place + 1):
        if 0 <= at < len(tokens) and tokens[at].text[:1].isupper():
            month = lexicon.CALENDAR.get(tokens[at].lower, "")
            if month in _MONTHS:
                return f"{month} {int(day)}"
    return None


def _named(tokens: tuple[Token, ...], place: int) -> str:
    """What the number at `place` is the version of (`Python 3.12`, `Node 20`), if of anything."""
    token, before = tokens[place], tokens[place - 1] if place else None
    if before is None or not _VERSION.match(token.text) or not _is_subject(before):
        return ""
    is_name = before.capital or before.kind == "code" or "." in token.text or place == 1
    return f"version of {before.key}" if is_name else ""


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

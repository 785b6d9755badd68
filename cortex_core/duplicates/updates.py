"""The values that a text states: numbers that count something, dates, times of day, versions.

What a text says has taken the place of something else: `moved from Redis to Valkey`. When a newer
text states another value of what an older one speaks of: 4,500 words, now 4,700.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from cortex_core.base.text import STOP_WORDS
from cortex_core.duplicates import lexicon
from cortex_core.duplicates.features import Features, Token, features

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
    """Stem → the word as it is there, and how much its distance leaves of its weight."""
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
    """`April 5`, however it is written; None if no month is next to the number."""
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


LONGEST_NAME = 4
"""Words that a name of what was replaced has at most."""

_ENDS = (
    "to by with for from in on at because so and or as since when while which that after before "
    "due but if now then where who is are was were has have will would can could instead rather"
)
_WORD = rf"(?<![^\s(\"“])(?!(?:{'|'.join(_ENDS.split())})\b)[^\s,;:!?()\"“”]+"
_NAME = rf"{_WORD}(?:[ ]{_WORD}){{0,{LONGEST_NAME - 1}}}"
_OLD, _NEW = rf"(?P<old>{_NAME})", rf"(?P<new>{_NAME})"
_MOVE = (
    r"(?:mov|switch|migrat|chang|upgrad|bump|port|convert|renam|went|go(?:es|ing)?\b|shift|rais"
    r"|lower|increas|reduc|updat)\w*"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_MOVE}\b[^.;!?]{{0,60}}?\bfrom {_OLD} (?:over )?to {_NEW}",
        rf"\brenam\w* {_OLD} (?:to|into) {_NEW}",
        rf"\breplac(?:e|ed|es|ing) {_OLD} (?:with|by) {_NEW}",
        rf"\bswap(?:ped|s|ping)? {_OLD} for {_NEW}",
        rf"{_OLD} (?:was|is|were|are|got|has been|have been) replaced (?:with|by) {_NEW}",
        rf"{_NEW} (?:has |have |now )*replace[sd]? {_OLD}",
        rf"{_NEW}(?: for [^,;.]{{1,40}}?)? (?:instead of|rather than|in place of) {_OLD}",
        rf"\bdrop(?:ped|s|ping)? {_OLD} (?:in favou?r of|for) {_NEW}",
        rf"\b(?:no longer|stopped|do not|don't) (?:us\w+|run\w*|need\w*|support\w*) {_OLD}",
    )
)
_ARROW = re.compile(rf"{_OLD} ?(?:→|->|=>) ?{_NEW}")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BEFORE = re.compile(
    r"(?:(?:the|a|an|our|my|your|its|all|any|we|i|use|uses|using|prefer|always|run|choose)\s+)+",
    re.IGNORECASE,
)


_MEASURES = frozenset(lexicon.UNITS) | {"am", "pm"}


class Replacement(NamedTuple):
    """Something that another thing took the place of."""

    old: str
    new: str
    """Empty where the text does not say what came in its place."""
    sentence: str
    old_keys: frozenset[str]
    """What the name is made of, as two texts share it."""
    new_keys: frozenset[str]


@lru_cache(maxsize=4096)
def replacements(text: str) -> tuple[Replacement, ...]:
    """What `text` says was replaced, each once."""
    found = dict.fromkeys(
        made
        for sentence in _SENTENCE.split(_FENCED.sub(" ", text).replace("`", ""))
        for made in _replacements(sentence)
    )
    return tuple(found)


def _replacements(sentence: str) -> Iterator[Replacement]:
    for form in (*_FORMS, _ARROW):
        for match in form.finditer(sentence):
            parts = match.groupdict()
            old, new = _name(parts["old"]), _name(parts.get("new") or "")
            old_keys, new_keys = _keys(old), _keys(new)
            if (
                any(not key[:1].isdigit() for key in old_keys - _MEASURES)
                and not old_keys <= new_keys
                and (new_keys or "new" not in parts)
            ):
                yield Replacement(old, new, sentence, old_keys, new_keys)


def _name(words: str) -> str:
    return _BEFORE.sub("", words.strip().rstrip("."), count=1)


def _keys(words: str) -> frozenset[str]:
    taken = features(words)
    return taken.keys | frozenset(taken.numbers)


LEAST_COSINE = 0.5
"""How near in meaning the two texts must be."""
LEAST_WEIGHT = 3.5
"""What the shared words around the values must weigh together."""
LEAST_WORDS = 2
MOST_RARITY = 3.5
"""What one word may weigh at most."""
LONGEST_COMPARED = 6_000
"""Characters of a text that are looked at."""
NAME_RARITY = 1.5
"""What a name that was replaced must weigh by itself."""
NAME_SUBJECT = 2.0
"""What the words must weigh that a text shares with one in which something was replaced."""
SHORT = 4
"""Words besides a name that was replaced, up to which a text is about it and nothing else."""


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
    older, newer = older[:LONGEST_COMPARED], newer[:LONGEST_COMPARED]
    found = (*_changed_values(older, newer, rarity), *_changed_names(older, newer, rarity))
    return max(found, key=lambda made: made.weight, default=None)


def _changed_values(older: str, newer: str, rarity: Callable[[str], float]) -> Iterator[Update]:
    before, after = values(older), values(newer)
    known = {one.key for one in before}
    still = {one.key for one in after if not one.is_before}
    for one in before:
        for other in after:
            is_new = other.is_changed and other.key not in known and one.key not in still
            if is_new and one.units & other.units and (made := _update(one, other, rarity)):
                yield made


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


def _changed_names(older: str, newer: str, rarity: Callable[[str], float]) -> Iterator[Update]:
    if not (made := replacements(newer)):
        return
    before, after = features(older), features(newer)
    held = before.keys | frozenset(before.numbers)
    for one in made:
        told = one.new_keys and one.new_keys <= held
        if one.old_keys <= held and not told:
            yield from _replaced(one, before, after, rarity)


def _replaced(
    one: Replacement, before: Features, after: Features, rarity: Callable[[str], float]
) -> Iterator[Update]:
    """The change of a name, where both texts are about the same thing."""
    words = {token.key: token.lower for token in after.content}
    name = max((rarity(words.get(key, key)) for key in one.old_keys), default=0.0)
    shared = (before.keys & after.keys) - one.old_keys - one.new_keys - GENERAL
    weight = sum(min(MOST_RARITY, rarity(words[key])) for key in shared)
    rest = len(before.keys - one.old_keys - GENERAL)
    if name < NAME_RARITY or (weight < NAME_SUBJECT and rest > SHORT):
        return
    subject = ", ".join(sorted(words[key] for key in shared)[:5])
    now = f"{one.old}, now {one.new}" if one.new else f"{one.old}, no longer"
    yield Update(f"What it names changed{f' ({subject})' if subject else ''}: {now}.",
                 name + weight)  # fmt: skip

"""Whether a newer text states another value of what an older one is about: 4,500 words, now 4,700.

Values are numbers that count something, dates, times of day and versions; names count where the
newer text says that one was replaced, as in `moved from Redis to Valkey`. What the bounds below
find among the changed values of BEAM is measured by `benchmarks/duplicates.py`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from cortex_core.base.text import STOP_WORDS
from cortex_core.duplicates import lexicon
from cortex_core.duplicates.features import Features, Token, features
from cortex_core.language import negation, sentences

CLOSE, DISTANT_WEIGHT, WINDOW = 6, 0.6, 10
"""Tokens on each side of a value that count in full; the weight of those further off; how far."""
CHANGES = frozenset(
    "increas adjust updat now recent extend reduc rais chang improv revis shorten move postpon new "
    "reach boost drop lower decreas upgrad switch reschedul expand grew grow actual shift bump cut "
    "latest current longer instead anymor previous".split()
)
"""Stems of words by which a text says that something changed."""

MOVES = frozenset(
    "reschedul postpon extend shift move push delay bump instead earlier later".split()
)
"""Stems of words by which a text says that a date or a time changed: nearly every text that names
one says `now` or `new` of something else."""

SET = frozenset("port timeout limit threshold quota budget ttl".split())
"""Stems of what has one value, which follows its name: `port 8080`."""

GENERAL = CHANGES | frozenset(
    "complet help curious wonder achiev start get want tri use sure work worri need plan goal "
    "target day week month year hour minut time today end first go make set good great think feel "
    "track follow thank ask question understand progress better best way well also like manag "
    "consid keep find found give still last next effect specif despit sinc prefer support focus "
    "alreadi".split()
)
"""Stems that say nothing about which value is meant."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_VALUE = re.compile(r"(?P<sign>[$€£]?)-?\d+(?:[,.:]\d+)*(?P<unit>[A-Za-z%°µ]{0,4}%?)\Z")
_CLOCK = re.compile(r"\d{1,2}:\d\d\Z")
_ISO = re.compile(r"(?:19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\Z")
_VERSION = re.compile(r"[vV]?\d{1,3}(?:\.\d{1,4}){0,3}\Z")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_EMPTY = STOP_WORDS | negation.NEGATIONS | lexicon.CALENDAR.keys()
_ENDS_UNIT = frozenset({"and", "or", "but", "to"})


class Value(NamedTuple):
    """A number in a sentence, what it counts (or that it is a date), and the words around it."""

    key: str
    written: str
    units: frozenset[str]
    around: Mapping[str, tuple[str, float]]
    """By stem: the word as it is written, and the share of its weight that its distance leaves."""
    is_changed: bool
    """Whether words near it say that it changed."""
    is_before: bool
    """Whether it is what something was: `from 4,500`."""


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """What `text` states in numbers outside of code: dates, times, versions, how many of what."""
    return tuple(
        value
        for sentence in sentences.in_lines(_CODE.sub(" ", text))
        if any(map(str.isdigit, sentence))
        for value in _values(features(sentence).tokens)
    )


def _values(tokens: tuple[Token, ...]) -> Iterator[Value]:
    for index, token in enumerate(tokens):
        is_candidate = token.kind == "number" or _VERSION.match(token.text)
        if not is_candidate or (number := _number(tokens, index)) is None:
            continue
        key, written, units = number
        nearby = tokens[max(0, index - CLOSE - 2) : index + CLOSE + 1]
        stems = MOVES if units & {"date", "clock"} else CHANGES
        yield Value(
            key,
            written,
            units,
            around=_around(tokens, index),
            is_changed=any(token.key in stems for token in nearby),
            is_before=index > 0 and tokens[index - 1].lower == "from",
        )


def _number(tokens: tuple[Token, ...], index: int) -> tuple[str, str, frozenset[str]] | None:
    """What the number at `index` says: a date, a time of day, a version, or how many of what; as
    it is compared, as it is written, and its units."""
    token = tokens[index]
    if (date := _date(tokens, index)) is not None:
        return date, date, frozenset({"date"})
    after = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    half = f" {after.upper()}" if after in ("am", "pm") else ""
    if _CLOCK.match(token.text) or (half and token.text.isdigit()):
        return f"{token.text}{half}", f"{token.text}{half}", frozenset({"clock"})
    parsed = _VALUE.match(token.text)
    if parsed is not None and parsed["unit"].lower() in _ORDINAL:
        return None
    marks = frozenset((parsed["sign"], parsed["unit"].lower()) if parsed else ()) - {""}
    is_year = not marks and _YEAR.match(token.key)
    counted = marks or (_counted(tokens, index) if parsed and not is_year else marks)
    if named := _named(tokens, index):
        written = token.text if counted else f"{tokens[index - 1].text} {token.text}"
        return token.key.lstrip("v"), written, counted | {named}
    return (token.key, token.text, counted) if counted else None


def _date(tokens: tuple[Token, ...], index: int) -> str | None:
    """`April 5`, however it is written; None if no month is next to the number."""
    token = tokens[index]
    if (written := _ISO.match(token.text)) is not None:
        return f"{_MONTHS[int(written[1]) - 1]} {int(written[2])}"
    day = token.text.rstrip("stndrh")
    if not day.isdecimal() or len(day) > 2 or not 1 <= int(day) <= 31:
        return None
    for neighbour in (index - 1, index + 1):
        if 0 <= neighbour < len(tokens) and tokens[neighbour].text[:1].isupper():
            month = lexicon.CALENDAR.get(tokens[neighbour].lower, "")
            if month in _MONTHS:
                return f"{month} {int(day)}"
    return None


def _named(tokens: tuple[Token, ...], index: int) -> str:
    """What the number at `index` is the version of (`Python 3.12`, `Node 20`) or the setting of
    (`port 8080`), if of anything."""
    token, before = tokens[index], tokens[index - 1] if index else None
    if before is None:
        return ""
    if before.key in SET and token.text.isdigit():
        return f"number of {before.key}"
    is_name = before.capital or before.kind == "code" or "." in token.text or index == 1
    is_version = is_name and _VERSION.match(token.text) and _is_subject(before)
    return f"version of {before.key}" if is_version else ""


def _counted(tokens: tuple[Token, ...], index: int) -> frozenset[str]:
    """The stems of what a bare number counts: `10 classification problems`."""
    following = itertools.takewhile(
        lambda token: token.kind != "number" and token.lower not in _ENDS_UNIT,
        tokens[index + 1 : index + 4],
    )
    return frozenset(
        token.key for token in following if token.lower in lexicon.UNITS or _is_subject(token)
    )


def _around(tokens: tuple[Token, ...], index: int) -> dict[str, tuple[str, float]]:
    """The content words around a value by stem, the nearest counting most."""
    words: dict[str, tuple[str, float]] = {}
    first = max(0, index - WINDOW)
    for position, token in enumerate(tokens[first : index + WINDOW + 1], first):
        if _is_subject(token) and token.key not in GENERAL:
            share = 1.0 if abs(position - index) <= CLOSE else DISTANT_WEIGHT
            if token.key not in words or words[token.key][1] < share:
                words[token.key] = (token.lower, share)
    return words


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
    """Something that was replaced by another thing."""

    old: str
    new: str
    """Empty where the text does not say what replaced it."""
    old_keys: frozenset[str]
    """The keys of its words and numbers, for comparison with another text."""
    new_keys: frozenset[str]


@lru_cache(maxsize=4096)
def replacements(text: str) -> tuple[Replacement, ...]:
    """What `text` says was replaced, each once."""
    unique = dict.fromkeys(
        replacement
        for sentence in sentences.in_lines(_FENCED.sub(" ", text).replace("`", ""))
        for replacement in _replacements(sentence)
    )
    return tuple(unique)


def _replacements(sentence: str) -> Iterator[Replacement]:
    for form in (*_FORMS, _ARROW):
        for match in form.finditer(sentence):
            names = match.groupdict()
            old, new = (
                _BEFORE.sub("", (names.get(name) or "").strip().rstrip("."), count=1)
                for name in ("old", "new")
            )
            old_keys, new_keys = _keys(features(old)), _keys(features(new))
            if (
                any(not key[:1].isdigit() for key in old_keys - _MEASURES)
                and not old_keys <= new_keys
                and (new_keys or "new" not in names)
            ):
                yield Replacement(old, new, old_keys, new_keys)


def _keys(taken: Features) -> frozenset[str]:
    return taken.keys | frozenset(taken.numbers)


LEAST_COSINE = 0.5
"""Cosine that the two texts must have."""
LEAST_WEIGHT = 3.5
"""What the shared words around the values must weigh together."""
LEAST_WORDS = 2
MOST_RARITY = 3.5
"""What one word may weigh at most."""
LEAST_RESTATED, MOST_LONGER = 3, 1.5
"""Content words that a restated text has besides its number, and how many times as many words the
newer one may have."""
LONGEST_COMPARED = 6_000
"""Characters of a text that are read."""
NAME_RARITY = 1.5
"""What a name that was replaced must weigh by itself."""
NAME_SUBJECT = 2.0
"""What the words must weigh that the two texts share, if something was replaced."""
SHORT_REST = 4
"""Content words, other than the replaced name, up to which a text is about that name alone."""


class Update(NamedTuple):
    """Two values of the same thing."""

    sentence: str
    weight: float
    """The weight of the shared words, by which both texts are about the same thing."""


def update(older: str, newer: str, rarity: Callable[[str], float]) -> Update | None:
    """The clearest change of a value from `older` to `newer`; None where there is none.

    Args:
        rarity: the weight of a word, in lower case: the logarithm of how few memories hold it.
    """
    older, newer = older[:LONGEST_COMPARED], newer[:LONGEST_COMPARED]
    changes = (*_changed_values(older, newer, rarity), *_changed_names(older, newer, rarity))
    return max(changes, key=lambda change: change.weight, default=None)


def _changed_values(older: str, newer: str, rarity: Callable[[str], float]) -> Iterator[Update]:
    before, after = values(older), values(newer)
    known = {old.key for old in before}
    still = {new.key for new in after if not new.is_before}
    restated = is_restated(older, newer)
    for old, new in itertools.product(before, after):
        is_new = new.key not in known and old.key not in still
        is_said = is_new and (new.is_changed or restated) and old.units & new.units
        if is_said and (change := _update(old, new, rarity)):
            yield change


def is_restated(older: str, newer: str) -> bool:
    """Whether the newer text is the older one with one number replaced, so that it needs no word
    to say that the number changed. It may add something, and does not number a list or an issue."""
    before, after = features(older), features(newer)
    gone, come = before.numbers - after.numbers, after.numbers - before.numbers
    shared = before.keys - set(before.numbers)
    return (
        gone.total() == come.total() == 1
        and len(shared) >= LEAST_RESTATED
        and shared <= after.keys
        and len(after.keys) <= MOST_LONGER * len(before.keys)
        and not any(token.text.startswith("#") for token in (*before.tokens, *after.tokens))
    )


def _update(old: Value, new: Value, rarity: Callable[[str], float]) -> Update | None:
    shared = old.around.keys() & new.around.keys()
    if len(shared) < LEAST_WORDS:
        return None
    weight = sum(
        min(MOST_RARITY, rarity(new.around[key][0])) * old.around[key][1] * new.around[key][1]
        for key in shared
    )
    if weight < LEAST_WEIGHT:
        return None
    subject = ", ".join(sorted(new.around[key][0] for key in shared)[:5])
    return Update(f"Its value changed ({subject}): {old.written}, now {new.written}.", weight)


def _changed_names(older: str, newer: str, rarity: Callable[[str], float]) -> Iterator[Update]:
    for replacement in replacements(newer):
        before, after = features(older), features(newer)
        is_known = replacement.new_keys and replacement.new_keys <= _keys(before)
        if replacement.old_keys <= _keys(before) and not is_known:
            yield from _replaced(replacement, before, after, rarity)


def _replaced(
    replacement: Replacement, before: Features, after: Features, rarity: Callable[[str], float]
) -> Iterator[Update]:
    """The change of a name, where both texts are about the same thing."""
    words = {token.key: token.lower for token in after.content}
    name_weight = max((rarity(words.get(key, key)) for key in replacement.old_keys), default=0.0)
    shared = (before.keys & after.keys) - replacement.old_keys - replacement.new_keys - GENERAL
    weight = sum(min(MOST_RARITY, rarity(words[key])) for key in shared)
    rest = len(before.keys - replacement.old_keys - GENERAL)
    if name_weight >= NAME_RARITY and (weight >= NAME_SUBJECT or rest <= SHORT_REST):
        subject = ", ".join(sorted(words[key] for key in shared)[:5])
        now = f"now {replacement.new}" if replacement.new else "no longer"
        about = f" ({subject})" if subject else ""
        said = f"What it names changed{about}: {replacement.old}, {now}."
        yield Update(said, name_weight + weight)

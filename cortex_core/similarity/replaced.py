"""What a text says has taken the place of something else: `moved from Redis to Valkey`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from cortex_core.similarity import lexicon
from cortex_core.similarity.features import features

LONGEST = 4
"""Words that a name of what was replaced has at most."""

_ENDS = (
    "to by with for from in on at because so and or as since when while which that after before "
    "due but if now then where who is are was were has have will would can could instead rather"
)
_WORD = rf"(?<![^\s(\"“])(?!(?:{'|'.join(_ENDS.split())})\b)[^\s,;:!?()\"“”]+"
_NAME = rf"{_WORD}(?:[ ]{_WORD}){{0,{LONGEST - 1}}}"
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
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
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

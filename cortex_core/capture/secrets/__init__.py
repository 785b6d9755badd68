"""What a secret is, and how it is taken out of a text before anything is hashed or written.

Two layers: formats known by sight (`patterns`) and values beside telling names (`assignments`,
`places`); and a measure of randomness (`tokens`). Git hashes, uuids, paths, addresses without
credentials, identifiers and placeholders stay. Hooks never call this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cortex_core.capture.secrets import tokens
from cortex_core.capture.secrets.assignments import assignments
from cortex_core.capture.secrets.formats import known_keys, private_keys
from cortex_core.capture.secrets.patterns import Find
from cortex_core.capture.secrets.places import places
from cortex_core.errors import ConfigError

_MARK = re.compile(r"\[redacted: [a-z0-9\-]+\]")
_PASSES = 8
"""Most times a text is gone over, until nothing more is found; two do nearly always."""
_JUDGED = 300
"""Characters of a long token that are looked at."""


class Redaction(NamedTuple):
    """A text without its secrets."""

    text: str
    found: tuple[str, ...]
    """What was taken out, one name for each: `aws-access-key`, `password` …"""


def redact(text: str, extra: Sequence[str] = ()) -> Redaction:
    """`text` with every secret replaced by `[redacted: its sort]`.

    Redacting again changes nothing. `extra` are regular expressions of the person's own; where one
    has a group, only the group is replaced.

    Raises:
        ConfigError: one of `extra` is no regular expression.
    """
    own = [_own_pattern(pattern) for pattern in extra]
    names: list[str] = []
    for _ in range(_PASSES):
        finds = _settle(_finds(text, own), text)
        if not finds:
            break
        names += [find.name for find in finds]
        text = _replace(text, finds)
    return Redaction(text, tuple(names))


def _own_pattern(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(
            f"redact.extra contains “{pattern}”, which is not a valid regular expression "
            f"({error}). Nothing was stored. Correct it with: cortex config set redact.extra …"
        ) from None


def _finds(text: str, own: Sequence[re.Pattern[str]]) -> Iterator[Find]:
    """Every find of every layer, in no order; they may overlap."""
    for pattern in own:
        for match in pattern.finditer(text):
            yield Find(*match.span(1 if pattern.groups else 0), "own-rule")
    if "PRIVATE KEY" in text or "PuTTY-User" in text:
        yield from private_keys(text)
    if odd := " ".join(filter(_is_odd, text.split())):
        yield from known_keys(text, odd)
        yield from _tokens(text)
    lower = _lower(text)
    yield from assignments(text, lower)
    yield from places(text, lower)


def _is_odd(word: str) -> bool:
    """Whether a key, or the half of one, could stand in `word`; prose has none such."""
    if len(word) < 8:
        return False
    plain = word.strip(".,;:!?()\"'*`")
    return len(word) >= 20 or not (plain.isalpha() and plain[1:].islower())


def _lower(text: str) -> str:
    """`text` in lower case, every character in its place."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(char.lower() if char.isascii() else char for char in text)
    return lower


def _settle(finds: Iterator[Find], text: str) -> list[Find]:
    """The finds in order, without overlaps, outside the marks that are there already."""
    marks = _MARK.finditer(text)
    mark = next(marks, None)
    settled: list[Find] = []
    for find in sorted(finds, key=lambda find: (find.start, -find.end)):
        while mark and mark.end() <= find.start:
            mark = next(marks, None)
        if find.end <= find.start or (mark and find.end > mark.start()):
            continue
        if settled and find.start < settled[-1].end:
            last = settled[-1]
            settled[-1] = last._replace(end=max(last.end, find.end))
        else:
            settled.append(find)
    return settled


def _replace(text: str, finds: Sequence[Find]) -> str:
    parts: list[str] = []
    position = 0
    for find in finds:
        parts += (text[position : find.start], f"[redacted: {find.name}]")
        position = find.end
    return "".join((*parts, text[position:]))


def _tokens(text: str) -> Iterator[Find]:
    """Long tokens that are too random to be anything else."""
    for start, end in tokens.long_tokens(text):
        token = text[start : min(end, start + _JUDGED)]
        if not tokens.is_candidate(token) or tokens.is_spared_by_place(text, start):
            continue
        if tokens.is_random(token):
            yield Find(start, end, "random-token")

"""What never reaches a store: secrets, `<private>` spans and the sessions of ignored folders.

Everything is removed from a text before it is hashed or stored.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from os.path import normpath
from pathlib import Path
from typing import NamedTuple

from cortex_core.base import expressions, globs
from cortex_core.base.errors import ConfigError, UsageError
from cortex_core.language.patterns import Pattern
from cortex_core.redaction.assignments import assignments
from cortex_core.redaction.command_lines import commands
from cortex_core.redaction.disguises import view
from cortex_core.redaction.evidence import evidence
from cortex_core.redaction.keys import (
    known_keys,
    private_keys,
    random_tokens,
    seed_phrases,
    whole_keys,
)
from cortex_core.redaction.spans import SearchedText, SecretSpan
from cortex_core.redaction.stated_secrets import statements
from cortex_core.redaction.values import STEMS, is_shown

FINDERS: tuple[Callable[[SearchedText], Iterator[SecretSpan]], ...] = (
    private_keys,
    commands,
    known_keys,
    whole_keys,
    random_tokens,
    assignments,
    evidence,
    statements,
)
"""Who looks for secrets, in this order: if two find the same part, the first one names it. Before
them, seed phrases are looked for in mere prose, too."""

PRIVATE_TAG = Pattern(
    "tag of a private span", r"<\s*(/?)\s*private\s*>", finds="</ private >", spares="<privates>"
)
_LITERAL = str.maketrans({"[": "[[]", "{": "[{]"})
"""Brackets and braces of a glob as themselves."""


def strip_private(text: str) -> str:
    """Remove everything between `<private>` and `</private>`, the tags included.

    Case does not matter, and spans may be nested. An unclosed span reaches to the end: a forgotten
    tag must hide too much rather than too little. A closing tag alone is removed.
    """
    kept, depth, position = list[str](), 0, 0
    for tag in PRIVATE_TAG.regex.finditer(text):
        if depth == 0:
            kept.append(text[position : tag.start()])
        depth, position = _depth_after(depth, tag), tag.end()
    return "".join((*kept, "" if depth else text[position:]))


def open_private(text: str) -> int:
    """How many private spans are still open where `text` ends."""
    return reduce(_depth_after, PRIVATE_TAG.regex.finditer(text), 0)


def _depth_after(depth: int, tag: re.Match[str]) -> int:
    return max(0, depth - 1) if tag[1] else depth + 1


def is_ignored(path: str | Path, patterns: Iterable[str]) -> bool:
    """Whether `path`, a file or folder, is matched by one of `patterns` or below one that is.

    A pattern is a folder (`~/clients`, `/srv/secret`), a glob for whole paths (`~/work/*-nda`), a
    glob for the last part of paths (`legal/drafts`, `**/legal/**`) or a name that counts anywhere
    in a path (`secret-*`), in the syntax of `base.globs`. `~` is the home folder; case matters.
    """
    if not str(path).strip():
        return False
    full = _absolute(str(path)).lstrip("/")
    return any(_covers(pattern.strip(), full) for pattern in patterns if pattern.strip())


def _absolute(path: str) -> str:
    """`path` from the root on, without `~` and `..`; links are not followed."""
    if path == "~" or path.startswith("~/"):
        path = f"{Path.home()}{path[1:]}"
    return normpath(Path(path).absolute())


def _covers(pattern: str, path: str) -> bool:
    glob = pattern.rstrip("/").removesuffix("/**")
    if pattern.startswith(("/", "~")):
        glob = _absolute(glob or "/")
    elif "/" in glob.strip("/"):
        glob = f"**/{glob.strip('/').removeprefix('**/')}"
    if not glob.strip("/"):
        return pattern.startswith("/")
    # A folder's name may contain brackets and braces. They match as written too, since a pattern
    # must hide too much rather than too little.
    return globs.matches(path, glob) or globs.matches(path, glob.translate(_LITERAL))


_PASSES = 8
"""Most passes over a text, until nothing more is found; two are nearly always enough."""


class Redaction(NamedTuple):
    """A text without its secrets."""

    text: str
    found: tuple[str, ...]
    """What was removed, one name for each: `aws-access-key`, `password` …"""


def redact(text: str, extra: Sequence[str] = ()) -> Redaction:
    """Replace every secret in `text` by `[redacted: NAME]`.

    Redacting again changes nothing.

    Args:
        extra: the user's own regular expressions (setting `redact.extra`); of one with a group,
            only the group is replaced.

    Raises:
        ConfigError: one of `extra` is not a valid regular expression.
    """
    return (_known if len(text) <= _REMEMBERED else _redacted)(text, tuple(extra))


def _redacted(text: str, extra: tuple[str, ...]) -> Redaction:
    own = [own_pattern(expression) for expression in extra]
    names: list[str] = []
    for _ in range(_PASSES):
        spans = _without_overlaps(_found_spans(text, own), text)
        if not spans:
            break
        names += [span.name for span in spans]
        # What was said to be a secret is one wherever else it stands: of many the first twenty.
        cut = {
            value: f"[redacted: {span.name}]"
            for span in spans[:20]
            for value in [text[span.start : span.end]]
            if len(value) >= 8 and is_shown(value, "password")
        }
        text = reduce(lambda kept, one: kept.replace(*one), cut.items(), _replace(text, spans))
    return Redaction(text, tuple(names))


_REMEMBERED = 2000
"""Most characters of a text whose redaction is remembered: sentences come again and again."""
_known = lru_cache(maxsize=2048)(_redacted)


def own_pattern(expression: str) -> re.Pattern[str]:
    """What matches one of the user's own regular expressions.

    Raises:
        ConfigError: it cannot be used.
    """
    try:
        return expressions.compiled(expression)
    except UsageError as error:
        raise ConfigError(
            f"The setting redact.extra has a mistake. {error} Correct it with: cortex config set "
            "redact.extra …"
        ) from None


def _found_spans(text: str, own: Sequence[re.Pattern[str]]) -> Iterator[SecretSpan]:
    """The secrets that every finder finds, in no order; they may overlap."""
    for pattern in own:
        for start, end in expressions.spans(pattern, text):
            yield SecretSpan(start, end, "own-rule")
    yield from _find(text)
    if seen := view(text):
        read, starts, ends = seen
        for span in _find(read):
            yield SecretSpan(starts[span.start], ends[span.end - 1], span.name)


def _find(text: str) -> Iterator[SecretSpan]:
    """The secrets in `text` as it is written."""
    words = text.split()
    yield from seed_phrases(text, words)
    if _is_mere_prose(text, words):
        return
    reading = SearchedText(text, words)
    for find in FINDERS:
        yield from find(reading)


SIGN = Pattern(
    "what a text contains that has a secret, unless one of the words below does",
    r"[0-9=@$%&\\|<+\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff\uff10-\uff5e]|://|\s-[a-zA-Z]"
    r"|\w-\w{3,}-\w|\w[#^~*!?]\w|[a-z][A-Z][a-z]{2,20}[A-Z]",
    finds="a key=value",
    spares="A sentence, as most are.",
    flags=0,
)
_TELLING = (
    *STEMS,
    "login",
    "mdp",
    "clave",
    "pin",
    "add_user",
    "identified",
    "getconnection",
    "mysqli",
    "phrase",
)
_LONG_WORD = 20


def _is_mere_prose(text: str, words: Sequence[str]) -> bool:
    """Whether `text` has nothing that a secret, but for a seed phrase, has: most sentences."""
    if SIGN.regex.search(text) or max(map(len, words), default=0) >= _LONG_WORD:
        return False
    lower = text.lower()
    return not any(word in lower for word in _TELLING)


def _without_overlaps(spans: Iterator[SecretSpan], text: str) -> list[SecretSpan]:
    """`spans` in order, overlapping ones joined, outside the marks that are there already."""
    marks = globs.MARK.finditer(text)
    mark = next(marks, None)
    joined: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while mark and mark.end() <= span.start:
            mark = next(marks, None)
        if span.end <= span.start or (mark and span.end > mark.start()):
            continue
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = last._replace(end=max(last.end, span.end))
        else:
            joined.append(span)
    return joined


def _replace(text: str, spans: Sequence[SecretSpan]) -> str:
    parts: list[str] = []
    position = 0
    for span in spans:
        parts += (text[position : span.start], f"[redacted: {span.name}]")
        position = span.end
    return "".join((*parts, text[position:]))

"""Secrets that something invisible, markup or a notation takes apart, read as a reader sees them.

A view is the text without zero-width characters and tags inside words, with entities and escapes
decoded. What is found in a view is found in the text: each character of a view knows its place.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence, Set
from functools import cache
from typing import NamedTuple

from cortex_core.redaction.keys import known_keys
from cortex_core.redaction.patterns import FORMATS, SecretSpan


class ReadText(NamedTuple):
    """A text as it is read, and where in the written text each of its characters is."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def written(self, span: SecretSpan) -> SecretSpan:
        """`span` of the view as a span of the written text."""
        return span._replace(start=self.starts[span.start], end=self.ends[span.end - 1])


_INVISIBLE = "[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]"
_WIDE = "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"
_TAG = (
    r"<(?<=[\w\-]<)/?(?:wbr|b|i|em|strong|span|code|mark|font|u|s|a|sup|sub|tt|kbd)"
    r"(?:[ /][^<>\n]{0,80})?>(?=[\w\-])"
)
_ENTITY = r"&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|quot|lt|gt|apos|shy|zwnj|zwj|ZeroWidthSpace);"
_PERCENT = r"%(?:2[dD]|5[fF]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])"
"""Letters, digits, dashes: nothing that a web address must encode."""
_ESCAPE = r"\\u00[2-7][0-9a-fA-F]"
_BACKSLASH = r"\\(?<=\w\\)(?=[_\-]\w)"
_BOLD = r"\*\*(?<=\w\*\*)(?=\w)"
_PIECE = re.compile(
    rf"(?P<none>{_INVISIBLE}|{_TAG}|{_BACKSLASH}|{_BOLD})|(?P<entity>{_ENTITY})|(?P<percent>{_PERCENT})"
    rf"|(?P<escape>{_ESCAPE})|(?P<wide>{_WIDE})"
)
_ONE_TAG, _ONE_ENTITY, _ONE_PERCENT = map(re.compile, (_TAG, _ENTITY, _PERCENT))
_ONE_ESCAPE, _ONE_BOLD = re.compile(f"{_ESCAPE}|{_BACKSLASH}"), re.compile(_BOLD)
_UNSEEN = re.compile(f"{_INVISIBLE}|{_WIDE}{{8}}")
_MOST = 200_000
"""Characters of a text of which a view is made."""


def view(text: str) -> ReadText | None:
    """The text as it is read; None if it is read as it is written, or too long."""
    if len(text) > _MOST or not _is_disguised(text):
        return None
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for match in _PIECE.finditer(text):
        read = _read(match)
        parts += (text[position : match.start()], read)
        starts += range(position, match.start())
        ends += range(position + 1, match.start() + 1)
        starts += [match.start()] * len(read)
        ends += [match.end()] * len(read)
        position = match.end()
    starts += range(position, len(text))
    ends += range(position + 1, len(text) + 1)
    return ReadText("".join((*parts, text[position:])), starts, ends)


def _is_disguised(text: str) -> bool:
    if not text.isascii() and _UNSEEN.search(text):
        return True
    return bool(
        ("<" in text and _ONE_TAG.search(text))
        or ("&" in text and _ONE_ENTITY.search(text))
        or ("%" in text and _ONE_PERCENT.search(text))
        or ("\\" in text and _ONE_ESCAPE.search(text))
        or ("**" in text and _ONE_BOLD.search(text))
    )


def _read(match: re.Match[str]) -> str:
    """What a reader sees of one piece."""
    piece = match.group()
    if match["entity"]:
        seen = html.unescape(piece)
        return "" if re.match(_INVISIBLE, seen) else seen
    if match["percent"]:
        return chr(int(piece[1:], 16))
    if match["escape"]:
        return chr(int(piece[2:], 16))
    return chr(ord(piece) - 0xFEE0) if match["wide"] else ""


_DOTTED = re.compile(r"(?<![\w.])[\w\-]{1,8}(?:\.[\w\-]{1,8}){4,200}(?![\w])")
_SPACED = re.compile(r"(?<![\w.])[\w\-]{4}(?: [\w\-]{4}){3,60}(?: [\w\-]{1,3})?(?![\w])")


_DOTS = re.compile(r"[\w\-]\.[\w\-]{1,8}\.[\w\-]{1,8}\.[\w\-]{1,8}\.")


def dotted_keys(text: str, unusual: str) -> Iterator[SecretSpan]:
    """Keys of known formats in groups with dots between them.

    `unusual` has the words of `text` that one can be in.
    """
    if _DOTS.search(unusual):
        yield from _parted(text, _DOTTED)


def spaced_keys(text: str, words: Set[str]) -> Iterator[SecretSpan]:
    """Keys of known formats in groups with spaces between them.

    `words` are the words of `text`, each once and without what opens a quotation.
    """
    if not _heads().isdisjoint(words):
        yield from _parted(text, _SPACED)


def _parted(text: str, pattern: re.Pattern[str]) -> Iterator[SecretSpan]:
    for run in pattern.finditer(text):
        whole = run.group().replace(".", "").replace(" ", "")
        for key in known_keys(whole, whole):
            if key.start == 0:
                yield SecretSpan(*run.span(), key.name)


_HEADS = frozenset("sk_l sk_t rk_l rk_t xoxb xoxp xoxa xapp glpa".split())
"""Heads that are no anchor, or are but look like a word."""


@cache
def _heads() -> frozenset[str]:
    """What the first four characters of keys are."""
    begun = {anchor[:4] for format in FORMATS for anchor in format.anchors if len(anchor) >= 4}
    return frozenset(head for head in begun if not (head.isalpha() and head.islower())) | _HEADS

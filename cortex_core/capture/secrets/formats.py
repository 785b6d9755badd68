"""Finding the keys whose format is known, whole, escaped, or broken over lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from cortex_core.capture.secrets.patterns import FORMATS, SHAPES, Find, Format
from cortex_core.capture.secrets.tokens import oddness

_ANCHORS = tuple((anchor, format) for format in FORMATS for anchor in format.anchors)
_FILLER = re.compile(r"(?-i:x{4}|X{4})|your|placeholder|redacted|\.{3}", re.I)
_JOINT = re.compile(
    r"[\"'`]?[ \t]{0,8}[+.\\]?[ \t]{0,8}(?:\\r)?(?:\\n|\r?\n)[ \t]{0,40}"
    r"(?:[>|#*+.]|//)?[ \t]{0,8}[\"'`]?"
    r"|([\"'`])[ \t]{0,4}[+.]?[ \t]{0,4}\1"
)
"""Between the halves of a key that was broken over lines or put together from strings."""
_JOINTS = 40
_KEY_BEGIN = re.compile(r"-{2,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_KEY_END = re.compile(r"-{2,5} ?END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_KEY_BODY = re.compile(
    r"(?:[A-Za-z0-9+/=\s\\\"',>|*#.]|(?:Version|Comment|Proc-Type|DEK-Info): ?[^\n]{0,80})*"
)
_KEY_LENGTH = 20_000
_PUTTY = re.compile(r"Private-Lines: ?\d{1,3}\s{1,4}(?P<v>(?:[A-Za-z0-9+/=]{10,80}\s{0,4}){1,80})")


def known_keys(text: str, odd: str) -> Iterator[Find]:
    """Keys whose format is known; `odd` holds those words of `text` that one could stand in."""
    for shape in SHAPES:
        if shape.anchor in odd:
            for match in _compiled(shape.pattern).finditer(text):
                yield Find(*match.span(), shape.name)
    for format in dict.fromkeys(format for anchor, format in _ANCHORS if anchor in odd):
        yield from _keys_of(format, text)


def private_keys(text: str) -> Iterator[Find]:
    """Private key blocks, cut off ones to where their lines end."""
    end = 0
    closing: re.Match[str] | None = None
    exhausted = False
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < end:
            continue
        if not exhausted and (closing is None or closing.start() < begin.end()):
            closing = _KEY_END.search(text, begin.end())
            exhausted = closing is None
        if closing and closing.start() - begin.end() <= _KEY_LENGTH:
            end = closing.end()
        else:
            body = _KEY_BODY.match(text, begin.end())
            end = begin.end() + len(body.group().rstrip()) if body else begin.end()
        yield Find(begin.start(), end, "private-key")
    if "PuTTY-User" in text:
        for match in _PUTTY.finditer(text):
            yield Find(*match.span("v"), "private-key")


def _keys_of(format: Format, text: str) -> Iterator[Find]:
    """The keys of one format, also where they were broken over lines."""
    head, run, position = _compiled(format.head), _compiled(f"[{format.body}]+"), 0
    while match := head.search(text, position):
        position = max(match.end(), match.start() + 1)
        if not format.inside and not _begins_word(text, match.start()):
            continue
        body, end, broken = _body(format, run, text, match.end())
        if body and format.needs not in body[:-1]:
            position = end
            continue
        if body and not _is_filler(body, broken):
            yield Find(match.start(), end, format.name)
            position = end


def _begins_word(text: str, start: int) -> bool:
    """Whether no word runs into `start`; an escape such as `\\n` or `%3D` before it is no word."""
    if not text[start - 1 : start].isalnum():
        return True
    return text[max(0, start - 2) : start] in ("\\n", "\\r", "\\t") or (
        text[max(0, start - 3) : start - 2] == "%" and start >= 3
    )


def _body(format: Format, run: re.Pattern[str], text: str, start: int) -> tuple[str, int, bool]:
    """A key's random part, where it ends, and whether it was broken before it could be told.

    Empty when there is no key. Where the length is fixed a broken key is as sure as a whole one.
    """
    body, end, joints = "", start, 0
    while joints < _JOINTS:
        if piece := run.match(text, end, end + format.most - len(body)):
            body, end = body + piece.group(), piece.end()
        if len(body) >= format.least:
            break
        joint = _JOINT.match(text, end) if len(body) >= 4 else None
        if joint is None:
            return "", start, False
        end, joints = joint.end(), joints + 1
    if len(body) < format.least or (format.least == format.most and text[end : end + 1].isalnum()):
        return "", start, False
    trimmed = body.rstrip(".-") if len(body.rstrip(".-")) >= format.least else body
    if trimmed != body or format.least == format.most:
        return trimmed, end - (len(body) - len(trimmed)), joints > 0 and trimmed != body
    return body, _continued(run, text, end), joints > 0


def _continued(run: re.Pattern[str], text: str, end: int) -> int:
    """Where the key that reached `end` really ends, if lines of random characters go on with it."""
    for _ in range(_JOINTS):
        joint = _JOINT.match(text, end)
        piece = run.match(text, joint.end()) if joint else None
        if piece is None:
            break
        cut_off = text[end - 1] in "-._" and len(piece.group()) >= 8
        if not cut_off and not _goes_on(piece.group(), text[piece.end() : piece.end() + 1]):
            break
        end = piece.end()
    return end


def _goes_on(piece: str, after: str) -> bool:
    """Whether a line that begins with `piece` continues the key of the line before."""
    mixed = any(map(str.isdigit, piece)) and any(map(str.isalpha, piece))
    open_end = after in ("", "\n", "\r", "\\", '"', "'", "`")
    return len(piece) >= 8 and mixed and open_end and oddness(piece) >= 0.4


def _is_filler(body: str, broken: bool) -> bool:
    """Whether what follows a key's head is a placeholder or words."""
    if len(set(body)) <= 3 or _FILLER.search(body):
        return True
    digits, odd = any(map(str.isdigit, body)), oddness(body)
    return (not digits and odd < 0.15) or (broken and odd < (0.1 if digits else 0.2))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

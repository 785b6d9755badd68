"""Keys that are recognised by themselves: known formats, private key blocks, random tokens.

A key of a known format is found also where it is broken over lines or put together from strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from cortex_core.redaction.assignments import (
    is_candidate,
    is_hash_like,
    is_random,
    is_random_word,
    is_spared_by_context,
    long_tokens,
    names_issuer,
    oddness,
)
from cortex_core.redaction.patterns import FORMATS, SHAPES, Format, SecretSpan

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


def known_keys(text: str, unusual: str) -> Iterator[SecretSpan]:
    """Keys whose format is known; `unusual` has the words of `text` that one can be in."""
    for format in dict.fromkeys(_present(unusual)):
        yield from _keys_of(format, text)


_BEGINNING = re.compile(r"(?=([A-Za-z0-9][\w.\-+]{2}))[A-Za-z0-9]++")
"""The first three characters of what looks like a word: most keys begin with theirs."""
_ESCAPES = re.compile(r"\\[nrt]|%[0-9A-Fa-f]{2}")
"""What a key can follow in the middle of a word."""


def _present(unusual: str) -> Iterator[Format]:
    """The formats of which `unusual` has an anchor. Looking for each one in turn costs too much."""
    begun, anywhere = _anchors()
    if "\\" in unusual or "%" in unusual:
        unusual = _ESCAPES.sub(" ", unusual)
    beginnings = _BEGINNING.findall(unusual)
    for beginning in set(beginnings) & begun.keys():
        for anchor, format in begun[beginning]:
            if anchor in unusual:
                yield format
    for anchor, format in anywhere:
        if anchor in unusual:
            yield format


@cache
def _anchors() -> tuple[dict[str, list[tuple[str, Format]]], list[tuple[str, Format]]]:
    """The anchors with which a key begins, by their first three characters, and the others."""
    begun: dict[str, list[tuple[str, Format]]] = {}
    anywhere: list[tuple[str, Format]] = []
    for format in FORMATS:
        for anchor in format.anchors:
            if _begins(format, anchor):
                begun.setdefault(anchor[:3], []).append((anchor, format))
            else:
                anywhere.append((anchor, format))
    return begun, anywhere


def _begins(format: Format, anchor: str) -> bool:
    """Whether every key of `format` with `anchor` begins with it, where a word begins."""
    if format.inside or not _BEGINNING.match(anchor):
        return False
    head = format.head.replace("\\", "")
    firsts = head[3:].partition(")")[0].split("|") if head.startswith("(?:") else [head]
    return any(first[:2] == anchor[:2] for first in firsts)


def private_keys(text: str) -> Iterator[SecretSpan]:
    """Private key blocks; one without its closing line extends to its last line of base64."""
    end = 0
    closing: re.Match[str] | None = None
    exhausted = False  # searching once more for a closing line would take quadratic time
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
        yield SecretSpan(begin.start(), end, "private-key")
    if "PuTTY-User" in text:
        for match in _PUTTY.finditer(text):
            yield SecretSpan(*match.span("v"), "private-key")


def _keys_of(format: Format, text: str) -> Iterator[SecretSpan]:
    """The keys of one format, also where they were broken over lines."""
    head, run, position = compiled(format.head), compiled(f"[{format.body}]+"), 0
    while match := head.search(text, position):
        position = max(match.end(), match.start() + 1)
        if not format.inside and not _begins_word(text, match.start()):
            continue
        body, end, broken = _body(format, run, text, match.end())
        if body and format.needs not in body[:-1]:
            position = end
            continue
        if body and not _is_filler(body, broken):
            yield SecretSpan(match.start(), end, format.name)
            position = end


def _begins_word(text: str, start: int) -> bool:
    """Whether a word can begin at `start`: escapes such as `\\n` or `%3D` may precede it."""
    if not text[start - 1 : start].isalnum():
        return True
    return text[max(0, start - 2) : start] in ("\\n", "\\r", "\\t") or (
        text[max(0, start - 3) : start - 2] == "%" and start >= 3
    )


def _body(format: Format, run: re.Pattern[str], text: str, start: int) -> tuple[str, int, bool]:
    """A key's random part, where it ends, and whether a line break splits it.

    Empty when there is no key. A broken key of a fixed length is as certain as a whole one.
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
    """Where the key that reached `end` really ends: following lines may continue it."""
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


_WORD = re.compile(r"[^\s?&\"'`<>()\[\]{},;：，。；、（）「」\\]{14,}")
_DIGIT = re.compile("[0-9]")
_SHORTEST_WORD = 14
_WORD_ENDS = ".:!?=*|"
_LONGEST_WORD = 400


_JUDGED = 300
"""Characters of a long token that are judged."""


def whole_keys(text: str, words: Sequence[str]) -> Iterator[SecretSpan]:
    """Keys that are words of their own: without a fixed head, or short ones that look random.

    `words` are the words of `text` that one can be in, in order.
    """
    position = 0
    for word in words:
        if len(word) < _SHORTEST_WORD or not _DIGIT.search(word):
            continue
        position = text.index(word, position)
        for match in _WORD.finditer(word):
            if match.end() - match.start() <= _LONGEST_WORD:
                yield from _whole_keys_of(text, position + match.start(), match.group())
        position += len(word)


def _whole_keys_of(text: str, start: int, word: str) -> Iterator[SecretSpan]:
    for first in {0, word.find("=") + 1, word.rstrip("=").rfind("=") + 1}:
        body = word[first:].rstrip(_WORD_ENDS)
        name = _whole_key(body)
        if name and is_spared_by_context(text, start + first):
            name = ""
        if name := name or _named_key(text, start + first, body):
            yield SecretSpan(start + first, start + first + len(body), name)


def _whole_key(word: str) -> str:
    """The name of the key that `word` is; empty if it is none."""
    if len(word) < _SHORTEST_WORD or not _DIGIT.search(word):
        return ""
    if match := _shapes().fullmatch(word):
        return SHAPES[(match.lastindex or 1) - 1].name
    return "random-token" if is_random_word(word) else ""


@cache
def _shapes() -> re.Pattern[str]:
    return re.compile("|".join(f"({shape.pattern})" for shape in SHAPES))


_KEY_WORD = re.compile(
    r"key|token|secret|passw|pwd|api[_\-. ]?hash|contribsys|(?P<id>(?:client|access)[_\-. ]?id)",
    re.I,
)
_LONGEST_ID = 32
_BEFORE = 70
"""Characters before a key in which its issuer and a word for key are looked for."""


def _named_key(text: str, start: int, word: str) -> str:
    """`key` if `word` is a hash, a UUID or a number that the words before it call a key.

    The id of a client, which some issuers treat as a secret, may be short.
    """
    is_hash = is_hash_like(word)
    if not is_hash and not (len(word) <= _LONGEST_ID and word.isalnum()):
        return ""
    before = text[max(0, start - _BEFORE) : start]
    before = before[before.rfind("\n", 0, before.rfind("\n")) + 1 :]  # this line and the last
    named = _KEY_WORD.search(before)
    if named is None or not (is_hash or named["id"]):
        return ""
    return "key" if names_issuer(before) else ""


def random_tokens(text: str, words: Sequence[str]) -> Iterator[SecretSpan]:
    """Long tokens that are too random to be anything else."""
    for start, end in long_tokens(text, words):
        token = text[start : min(end, start + _JUDGED)]
        if is_candidate(token) and not is_spared_by_context(text, start) and is_random(token):
            yield SecretSpan(start, end, "random-token")


@cache
def compiled(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """`pattern` compiled at first use: all of them take longer than most texts do."""
    return re.compile(pattern, flags)

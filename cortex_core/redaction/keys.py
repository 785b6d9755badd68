"""Keys that are recognised by themselves: known formats, private key blocks, random tokens, and the
seed phrases of wallets.

A key of a known format is found also where it is broken over lines, put together from strings or
written in groups. Seed phrases are 12 to 24 words of the list that BIP-39 defines, a file next to
this module, which is read with the first text of that many words.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from cortex_core.language.patterns import Pattern
from cortex_core.redaction.key_formats import FORMATS, WHOLE_KEYS, Format
from cortex_core.redaction.spans import SearchedText, SecretSpan
from cortex_core.redaction.values import (
    is_candidate,
    is_hash_like,
    is_mixed,
    is_random,
    is_random_word,
    is_spared_by_context,
    long_tokens,
    names_issuer,
    oddness,
    parts,
)

FILLER = Pattern(
    "what fills the place of a key",
    r"(?-i:x{4}|X{4})|your|placeholder|redacted|\.{3}",
    finds="sk-xxxxYk2",
    spares="sk-xXxXYk2",
)
JOINT = Pattern(
    "what is between the halves of a key that was broken over lines or put together from strings",
    r"[\"'`]?[ \t]{0,8}[+.\\]?[ \t]{0,8}(?:\\r)?(?:\\n|\r?\n)[ \t]{0,40}"
    r"(?:[>|#*+.]|//)?[ \t]{0,8}[\"'`]?"
    r"|([\"'`])[ \t]{0,4}[+.]?[ \t]{0,4}\1",
    finds="' + '",
    spares="' + name",
    flags=0,
)
_JOINTS = 40
KEY_EDGE = Pattern(
    "the first or the last line of a private key",
    r"-{2,5} ?(?:(?P<begin>BEGIN)|END) (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{2,5}",
    finds=("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
    spares="-----BEGIN PUBLIC KEY-----",
    flags=0,
)
KEY_BODY = Pattern(
    "what is between them",
    r"(?:[A-Za-z0-9+/=\s\\\"',>|*#.]|(?:Version|Comment|Proc-Type|DEK-Info): ?[^\n]{0,80})+",
    finds="Proc-Type: 4,ENCRYPTED",
    spares="{}",
    flags=0,
)
_KEY_LENGTH = 20_000


def known_keys(reading: SearchedText) -> Iterator[SecretSpan]:
    """Keys whose format is known, and those that spaces or dots part into groups."""
    text, unusual = reading.text, reading.unusual_once
    if not _HEADS.isdisjoint(reading.vocabulary):
        yield from _parted(text, SPACED)
    if unusual:
        yield from _known_keys(text, unusual)
        if any(word.count(".") >= _FEWEST_DOTS for word in reading.unusual):
            yield from _parted(text, DOTTED)


def _known_keys(text: str, unusual: str) -> Iterator[SecretSpan]:
    """The keys of known formats; `unusual` has the words of `text` that one can be in."""
    for format in dict.fromkeys([format for anchor, format in _ANCHORS if anchor in unusual]):
        yield from _keys_of(format, text)


_ANCHORS = tuple((anchor, format) for format in FORMATS for anchor in format.anchors)
"""What every key of a format contains, and the format."""


DOTTED = Pattern(
    "groups with dots between them",
    r"(?<![\w.])[\w\-]{1,8}(?:\.[\w\-]{1,8}){4,200}(?![\w])",
    finds="sk_l.ive_.x7Yk.2mZk.9QvT",
    spares="www.example.test",
    flags=0,
)
SPACED = Pattern(
    "groups of four with spaces between them",
    r"(?<![\w.])[\w\-]{4}(?: [\w\-]{4}){3,60}(?: [\w\-]{1,3})?(?![\w])",
    finds="sk_l ive_ x7Yk 2mZk",
    spares="this is some text",
    flags=0,
)
_FEWEST_DOTS = 4
"""Dots of a word that such groups may be."""
_HEADS = {
    head
    for anchor, _ in _ANCHORS
    if len(head := anchor[:4]) == 4 and not (head.isalpha() and head.islower())
} | {*"sk_l sk_t rk_l rk_t xoxb xoxp xoxa xapp glpa".split()}
"""What the first four characters of keys are, without those that look like a word."""


def _parted(text: str, groups: Pattern) -> Iterator[SecretSpan]:
    for run in groups.regex.finditer(text):
        whole = run.group().replace(".", "").replace(" ", "")
        for key in _known_keys(whole, whole):
            if key.start == 0:
                yield SecretSpan(*run.span(), key.name)


def private_keys(reading: SearchedText) -> Iterator[SecretSpan]:
    """Private key blocks; one without its closing line extends to its last line of base64."""
    text, end = reading.text, 0
    edges = list(KEY_EDGE.regex.finditer(text))
    ends = deque(edge for edge in edges if not edge["begin"])
    for begin in edges:
        if not begin["begin"] or begin.start() < end:
            continue
        while ends and ends[0].start() < begin.end():
            ends.popleft()
        closing = ends[0] if ends else None
        if closing and closing.start() - begin.end() <= _KEY_LENGTH:
            end = closing.end()
        else:
            body = KEY_BODY.regex.match(text, begin.end())
            end = begin.end() + len(body.group().rstrip()) if body else begin.end()
        yield SecretSpan(begin.start(), end, "private-key")


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
    before = text[max(0, start - 3) : start]
    is_escaped = before.endswith(("\\n", "\\r", "\\t")) or (len(before) == 3 and before[0] == "%")
    return is_escaped or not (before[-1:].isascii() and before[-1:].isalnum())


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
        joint = JOINT.regex.match(text, end) if len(body) >= 4 else None
        if joint is None:
            return "", start, False
        end, joints = joint.end(), joints + 1
    # Chinese may follow a key without a space.
    goes_on = text[end : end + 1].isalnum() and text[end].isascii()
    if len(body) < format.least or (goes_on and format.least == format.most):
        return "", start, False
    trimmed = body.rstrip(".-") if len(body.rstrip(".-")) >= format.least else body
    if trimmed != body or format.least == format.most:
        return trimmed, end - (len(body) - len(trimmed)), joints > 0 and trimmed != body
    return body, _continued(run, text, end), joints > 0


def _continued(run: re.Pattern[str], text: str, end: int) -> int:
    """Where the key that reached `end` really ends: following lines may continue it."""
    for _ in range(_JOINTS):
        joint = JOINT.regex.match(text, end)
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
    open_end = after in ("", "\n", "\r", "\\", '"', "'", "`")
    return len(piece) >= 8 and is_mixed(piece) and open_end and oddness(piece) >= 0.4


def _is_filler(body: str, broken: bool) -> bool:
    """Whether what follows a key's head is a placeholder or words."""
    digits, odd = any(map(str.isdigit, body)), oddness(body)
    is_words = (not digits and odd < 0.15) or (broken and odd < (0.1 if digits else 0.2))
    return is_words or len(set(body)) <= 3 or bool(FILLER.regex.search(body))


WHOLE = Pattern(
    "a word that can be a key",
    r"[^\s?&\"'`<>()\[\]{},;：，。；、（）「」\\]{10,}",
    finds="vzolfg7yrq",
    spares="vzolfg,yrqqfjb",
    flags=0,
)
_SHORTEST_WORD = 10
_SHORTEST_HASH = 14
_WORD_ENDS = ".:!?=*|"
_LONGEST_WORD = 400
_DIGITS = frozenset("0123456789")
_JUDGED = 300
"""Characters of a long token that are judged."""


def whole_keys(reading: SearchedText) -> Iterator[SecretSpan]:
    """Keys that are words of their own: without a fixed head, or short ones that look random."""
    position = 0
    for word in reading.unusual:
        if len(word) < _SHORTEST_WORD or _DIGITS.isdisjoint(word):
            continue
        position = reading.text.index(word, position)
        for match in WHOLE.regex.finditer(word):
            if match.end() - match.start() <= _LONGEST_WORD:
                yield from _whole_keys_of(reading.text, position + match.start(), match.group())
        position += len(word)


def _whole_keys_of(text: str, start: int, word: str) -> Iterator[SecretSpan]:
    least = word.find("=") + 1 if word.partition("=")[0].replace("_", "").isalpha() else 0
    for first in {least, word.find("=") + 1, word.rstrip("=").rfind("=") + 1}:
        body = word[first:].rstrip(_WORD_ENDS)
        shape = _whole_key(body)
        is_spared = bool(shape) and is_spared_by_context(text, start + first)
        if name := (not is_spared and shape) or _named_key(text, start + first, body):
            yield SecretSpan(start + first, start + first + len(body), name)


_SHAPES = "|".join(f"({one.head}[{one.body}]{{{one.least},{one.most}}})" for one in WHOLE_KEYS)


def _whole_key(word: str) -> str:
    """The name of the key that `word` is; empty if it is none."""
    if len(word) < _SHORTEST_WORD or not is_mixed(word):
        return ""
    if match := compiled(_SHAPES).fullmatch(word):
        return WHOLE_KEYS[(match.lastindex or 1) - 1].name
    return "random-token" if is_random_word(word) else ""


KEY_WORD = Pattern(
    "a word for key, or the id of a client",
    r"key|token|secret|passw|pwd|api[_\-. ]?hash|contribsys"
    r"|(?P<id>(?<!azure[_\-. ])(?:client|access)[_\-. ]?id)",
    finds="CLIENT_ID=",
    spares="CLIENT=",
)
_LONGEST_ID = 32
_BEFORE = 70
"""Characters before a key in which its issuer and a word for key are looked for."""


def _named_key(text: str, start: int, word: str) -> str:
    """`key` if `word` is a hash, a UUID or a number that the words before it call a key.

    The id of a client, which some issuers treat as a secret, may be short.
    """
    is_hash = len(word) >= _SHORTEST_HASH and is_hash_like(word)
    if not is_hash and not (_SHORTEST_HASH <= len(word) <= _LONGEST_ID and word.isalnum()):
        return ""
    before = text[max(0, start - _BEFORE) : start]
    before = before[before.rfind("\n", 0, before.rfind("\n")) + 1 :]  # this line and the last
    named = KEY_WORD.regex.search(before)
    is_key = named and (is_hash or named["id"]) and names_issuer(parts(before))
    return "key" if is_key else ""


def random_tokens(reading: SearchedText) -> Iterator[SecretSpan]:
    """Long tokens that are too random to be anything else."""
    text = reading.text
    for start, end in long_tokens(text, reading.unusual):
        token = text[start : min(end, start + _JUDGED)]
        if is_candidate(token) and not is_spared_by_context(text, start) and is_random(token):
            yield SecretSpan(start, end, "random-token")


@cache
def compiled(part: str) -> re.Pattern[str]:
    """A part of a format, compiled at first use: all of them take longer than most texts do."""
    return re.compile(part)


FEWEST = 12
"""Words of the shortest seed phrase."""
_MOST = 30
"""Words of the longest, with words of the sentence around it. A longer row is a list."""
_RUN_INSIDE = b"\1" * (FEWEST - 2)
"""Words of a phrase one after the other; quotes may be a part of the first and the last."""
SEED_RUN = Pattern(
    "a dozen short words in a row",
    r"[a-z]{3,8}"
    r"(?:(?:[ \t]*,)?[ \t\r\n]{1,4}(?:\d{1,2}[.)][ \t]{1,4})?[a-z]{3,8}(?![a-z])){11,}+",
    finds="legal " * 12,
    spares="legal " * 11,
    flags=0,
)
SEED_WORD = Pattern("a word of a phrase", "[a-z]+", finds="2. legal", spares="2. ", flags=0)


def seed_phrases(text: str, words: Sequence[str]) -> Iterator[SecretSpan]:
    """Every run of at least 12 words of the list in `text`, which consists of `words`."""
    if len(words) >= FEWEST and _RUN_INSIDE in bytes(map(_seed_parts().__contains__, words)):
        for run in SEED_RUN.regex.finditer(text):
            yield from _phrases(run.group(), run.start())


def _phrases(run: str, offset: int) -> Iterator[SecretSpan]:
    of_list = bytes(map(_seed_words().__contains__, SEED_WORD.regex.findall(run)))
    rows = [len(row) for row in of_list.split(b"\0")]
    if any(FEWEST <= row <= _MOST for row in rows):
        words = SEED_WORD.regex.finditer(run)
        for row in rows:
            # The row, and the word that ends it.
            found = [word for _, word in zip(range(row + 1), words, strict=False)][:row]
            if FEWEST <= row <= _MOST and len({each.group() for each in found}) >= FEWEST - 2:
                yield SecretSpan(offset + found[0].start(), offset + found[-1].end(), "seed-phrase")


@cache
def _seed_words() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("seed_words.txt").read_text("ascii").split())


@cache
def _seed_parts() -> frozenset[str]:
    """The words of the list as they are written in a phrase, and the numbers before them."""
    return _seed_words().union(
        (f"{word}," for word in _seed_words()),
        (f"{number}{mark}" for number in range(1, 25) for mark in ".)"),
    )

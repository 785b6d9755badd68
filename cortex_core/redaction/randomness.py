"""Which long tokens are too random to be words: the entropy rule, and what it spares.

Words of any European language, identifiers and paths are made of letter pairs that follow each
other often; keys are not. The share of odd neighbours separates the two far better than Shannon's
entropy does, which a path of thirty letters reaches as easily as a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

LEAST = 20
"""Shortest token judged; below it chance alone makes words look random and keys look like words."""

FOLLOWERS = {
    "a": "bcdfgiklmnprstuvwxy", "b": "aceijlorsuy", "c": "acehiklorstuy", "d": "adeilorstuy",
    "e": "abcdefgilmnopqrstvwxy", "f": "aefilorstuy", "g": "aeghilnorsu", "h": "aeiortu",
    "i": "abcdefgklmnoprstvxz", "j": "eou", "k": "einsw", "l": "adefilopstuy", "m": "abeimopsu",
    "n": "acdefgiklnopstuvy", "o": "abcdefgiklmnoprstuvwx", "p": "adeiloprstuy", "q": "u",
    "r": "abcdefgiklmnoprstuvwy", "s": "acefhiklmnopstuwy", "t": "acdefhilmoprstuwy",
    "u": "abcdefgilmnprst", "v": "aeio", "w": "aehinors", "x": "aceiptx", "y": "einopst", "z": "e",
}  # fmt: skip
"""The letters that often follow each letter: 300 pairs hold 98 % of those in English and code."""

_PAIRS = frozenset(first + second for first, follow in FOLLOWERS.items() for second in follow)
_TOKEN = re.compile(rf"[A-Za-z0-9+/_\-]{{{LEAST},}}={{0,2}}")
_PIECE = re.compile(r"[A-Za-z0-9]+")
_WORDS = re.compile(r"(?=.{3})(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+)++\Z")
_HEX = re.compile(r"(?:[0-9a-f]{6,}|[0-9A-F]{6,}|[0-9]+)\Z")
_URL_HEAD = re.compile(r"[a-z][a-z0-9+.\-]{1,20}://[^\s\"'<>?]*\Z|\bwww\.[^\s\"'<>?]*\Z", re.I)
_SPARED_HEAD = re.compile(
    r"(?:sha-?\d{1,3}|md5|integrity|checksum|digest|hash|etag|fingerprint|base64|h1|"
    r"ssh-(?:rsa|ed25519|dss)|ecdsa-[\w\-]+|signature)[\"'\]]{0,2}[\s:=,\-\"'(]{0,4}\Z",
    re.I,
)
_SPARED = re.compile(
    r"(?:AAAA[BCE][23]Nza"  # public SSH keys
    r"|(?:srv|mcp)?toolu_|(?:agent_)?msg_|req_|session_|call_|chatcmpl-|resp_|asst_|thread_|run_"
    r"|evt_|cus_|acct_|price_|prod_|PVT[A-Z]*_|sha\d+[-_]|0[0-7][0-9A-HJKMNP-TV-Z]{24}\Z"
    r"|age1[a-z0-9]{58}\Z|c[a-z0-9]{24}\Z|iVBORw0KGgo|pk_(?:live|test)_|ph[cx]-"
    r"|/(?:tmp|home|Users|var|usr|private|opt|etc|nix|proc|mnt|root|workspaces?)/)"
)
"""Ids of conversations and payments, public keys, pictures, sortable ids, file trees."""
_LOOK_BACK = 240


def long_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every token in `text` that is long enough to be judged."""
    if max(map(len, text.split()), default=0) < LEAST:
        return
    for match in _TOKEN.finditer(text):
        start = match.start()
        if text.startswith("\x1b[", start - 2):  # the colour code of a terminal
            start = text.find("m", start, match.end()) + 1 or start
        yield start, match.end()


def is_candidate(token: str) -> bool:
    """Whether `token` is worth a second look: more than hashes and words, and no known id."""
    if len(set(token)) < 8 or _SPARED.match(token):
        return False
    return len(_without_words(token)) >= 16


def is_random(token: str) -> bool:
    """Whether `token` looks drawn by chance: at least 20 characters once hashes and words are out.

    Hashes, uuids, dates, identifiers, file paths and base64 of plain text are not.
    """
    rest = _without_words(token)
    if len(rest) < LEAST or _SPARED.match(token) or _is_encoded_text(token):
        return False
    if ("/" in token and token[-1] != "=" and is_path(token)) or _is_alphabet(token):
        return False
    limit = 0.40 if len(rest) < 28 else 0.36
    return oddness(rest) >= limit + (0.0 if any(map(str.isdigit, rest)) else 0.06)


def oddness(token: str) -> float:
    """The share of neighbouring characters that words seldom have, 0 to 1; random text has 0.7."""
    odd = usual = 0
    for first, second in pairwise(token):
        if not (first.isalnum() and second.isalnum()) or (first.islower() and second.isupper()):
            continue
        if (first.isdigit() and second.isdigit()) or (first + second).lower() in _PAIRS:
            usual += 1
        else:
            odd += 1
    return odd / (odd + usual) if odd + usual else 0.0


def is_spared_by_place(text: str, start: int) -> bool:
    """Whether the text before `start` announces a checksum or a web address."""
    before = text[max(0, start - _LOOK_BACK) : start]
    near = before[-40:]
    return bool(_SPARED_HEAD.search(near)) or ("/" in before and bool(_URL_HEAD.search(before)))


def _without_words(token: str) -> str:
    """`token` without the pieces between its separators that are hashes, numbers or words."""
    kept = [piece for piece in _PIECE.findall(token) if not (_HEX.match(piece) or _is_word(piece))]
    return "-".join(kept)


@lru_cache(maxsize=4096)
def _is_word(piece: str) -> bool:
    return bool(_WORDS.match(piece)) and oddness(piece) <= 0.15 and _vowels(piece)


def _vowels(piece: str) -> bool:
    return 0.15 <= sum(letter in "aeiouyAEIOUY" for letter in piece) / len(piece) <= 0.75


def is_path(token: str) -> bool:
    """Whether words of four letters and more hold a fifth of `token`."""
    segments = _PIECE.findall(token)
    return sum(len(s) for s in segments if len(s) >= 4 and _is_word(s)) >= len(token) / 5


def _is_alphabet(token: str) -> bool:
    """Whether most characters of `token` follow the one before: `abcdefgh…`, `0123456789abc…`."""
    steps = sum(ord(second) - ord(first) == 1 for first, second in pairwise(token))
    return steps >= len(token) * 0.8


def _is_encoded_text(token: str) -> bool:
    """Whether `token` is base64 of printable text: an example, a cursor or a data field."""
    import base64
    import binascii

    body = token.rstrip("=")
    folded = body.replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(folded + "=" * (-len(folded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    printable = sum(32 <= byte < 127 or byte in (9, 10, 13) for byte in raw)
    return bool(raw) and printable >= 0.9 * len(raw)

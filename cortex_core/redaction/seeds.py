"""Seed phrases of wallets: 12 to 24 words of the list that BIP-39 defines, one after the other.

The list is a file next to this module. It is read with the first text of that many words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from cortex_core.redaction.patterns import SecretSpan

FEWEST = 12
"""Words of the shortest seed phrase."""

_MOST = 30
"""Words of the longest, with words of the sentence around it. A longer row is a list."""

_RUN = re.compile(
    r"[a-z]{3,8}(?:(?:[ \t]*,)?[ \t\r\n]{1,4}(?:\d{1,2}[.)][ \t]{1,4})?[a-z]{3,8}(?![a-z])){11,}+"
)
_SEED_WORD = re.compile("[a-z]+")


def seed_phrases(text: str, words: Sequence[str]) -> Iterator[SecretSpan]:
    """Every run of at least 12 words of the list in `text`; `words` are its words."""
    if len(words) >= FEWEST and _RUN_INSIDE in bytes(map(_written().__contains__, words)):
        for run in _RUN.finditer(text):
            yield from _phrases(run.group(), run.start())


_RUN_INSIDE = b"\1" * (FEWEST - 2)
"""Words of a phrase one after the other; quotes may be a part of the first and the last."""


def _phrases(run: str, offset: int) -> Iterator[SecretSpan]:
    listed = _words()
    found: list[re.Match[str]] = []
    for word in (*_SEED_WORD.finditer(run), None):
        if word is not None and word.group() in listed:
            if len(found) <= _MOST:  # more is a list, however long
                found.append(word)
            continue
        if FEWEST <= len(found) <= _MOST and len({each.group() for each in found}) >= FEWEST - 2:
            yield SecretSpan(offset + found[0].start(), offset + found[-1].end(), "seed-phrase")
        found = []


@cache
def _words() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("seed_words.txt").read_text("ascii").split())


@cache
def _written() -> frozenset[str]:
    """The words of the list as they are written in a phrase, and the numbers before them."""
    numbers = {f"{number}{mark}" for number in range(1, 25) for mark in ".)"}
    return _words() | {f"{word}," for word in _words()} | numbers

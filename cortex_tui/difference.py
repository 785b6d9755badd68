"""Which words of two texts differ. Values in, values out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

Fate = Literal["same", "other", "only"]
"""On both sides; another word stands in its place over there; nothing does."""

LONGEST = 800
"""Words of a side that are compared; longer texts are shown unmarked."""

_WORD = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+(?:[.'/_-]\w+)*|[^\w\s]+")
"""Blanks; one sign of a script without blanks; a word, path or number; punctuation."""


class Piece(NamedTuple):
    """A stretch of one side."""

    text: str
    fate: Fate = "same"


def pieces(text: str, other: str) -> tuple[Piece, ...]:
    """`text` in stretches: what `other` has too, and what it has not; joined they are `text`.

    Letter case and the width of blanks make no difference.
    """
    mine, theirs = _WORD.findall(text), _WORD.findall(other)
    if max(len(mine), len(theirs)) > 2 * LONGEST:
        return (Piece(text),)
    keys, others = ([_key(word) for word in words] for words in (mine, theirs))
    matcher = SequenceMatcher(None, keys, others, autojunk=False)
    return tuple(_joined(_pieces(mine, matcher.get_opcodes())))


def _key(word: str) -> str:
    return " " if word.isspace() else word.casefold()


def _pieces(
    words: Sequence[str], operations: Sequence[tuple[str, int, int, int, int]]
) -> Iterator[Piece]:
    """Blanks at the ends of a changed stretch stay outside it, so that marks hug the words."""
    fates: dict[str, Fate] = {"equal": "same", "replace": "other", "delete": "only"}
    for tag, start, end, _, _ in operations:
        stretch = "".join(words[start:end])
        core = stretch.strip()
        if tag == "equal" or not core:
            yield Piece(stretch)
        else:
            left, _, right = stretch.partition(core)
            yield Piece(left)
            yield Piece(core, fates[tag])
            yield Piece(right)


def _joined(found: Iterator[Piece]) -> Iterator[Piece]:
    """Neighbours of one fate as one; changed words with only a blank between them too."""
    held: list[Piece] = []
    for piece in found:
        if not piece.text:
            continue
        if held and held[-1].fate == piece.fate:
            held[-1] = Piece(held[-1].text + piece.text, piece.fate)
        elif len(held) > 1 and held[-1].text == " " and held[-2].fate == piece.fate != "same":
            held[-2:] = [Piece(f"{held[-2].text} {piece.text}", piece.fate)]
        else:
            held.append(piece)
    yield from held

"""How well the words of two texts cover each other: each word's best partner on the other side.

Words are matched by stem, and by the vectors that are stored with a memory: its wordpieces, with
one sign bit per dimension. `benchmarks/duplicates.py` measures what the bounds below merge and
propose.
"""

import json
from array import array
from collections.abc import Sequence
from functools import lru_cache
from math import pi, sin
from typing import NamedTuple

from cortex_core.duplicates import lexicon
from cortex_core.duplicates.features import Features, Token
from cortex_core.embeddings.local import SHIPPED_FOLDER
from cortex_core.embeddings.protocol import Vector
from cortex_core.language import negation

PARTNER = 0.80
"""From this agreement on, two different words count as partners."""
LAST_LATIN = "\u024f"
LEAST_SPELLED = 0.5
LITERAL = 0.30
"""Most that unequal numbers, code words, negations and words of order agree."""


class TokenVectors(NamedTuple):
    """The vectors of the words of one text."""

    words: tuple[str, ...]
    """In lower case, one for each row; a word may have several rows."""
    vectors: Vector
    """float32, one row a word, unit length."""


class Alignment(NamedTuple):
    """How well the content words of two texts cover each other."""

    coverage: float
    """0 to 1: how well the words agree with their partners, on the worse side."""
    least: int
    """Content words of the shorter text."""
    unmatched_a: tuple[str, ...]
    """Content words of the first text that the second does not have, the worst aligned first."""
    unmatched_b: tuple[str, ...]
    covers: tuple[float, float]
    """0 to 1: how much of the first the second says, and how much of the second the first says."""
    strangers: frozenset[str]
    """Content words of either text, in lower case, without a partner in the other."""


def from_stored(pieces: bytes | Sequence[int], sign_bits: bytes) -> TokenVectors | None:
    """The word vectors of a memory embedded with the shipped model; None where none are stored.

    Args:
        pieces: the numbers of the wordpieces, or their bytes as they are stored (uint16).
        sign_bits: 48 bytes for each of them.

    Raises:
        ValueError: there are not as many bytes for each piece.
    """
    import numpy as np

    if not pieces or not sign_bits:
        return None
    if isinstance(pieces, bytes):
        pieces = array("H", pieces)
    packed = np.frombuffer(sign_bits, np.uint8).reshape(len(pieces), -1)
    signs = np.unpackbits(packed, axis=1).astype(np.float32) * 2 - 1
    names = _vocabulary()
    words: list[str] = []
    sums: list[Vector] = []
    for number, sign in zip(pieces, signs, strict=True):
        piece = names.get(number, "[UNK]")
        if piece.startswith("##") and words:
            words[-1], sums[-1] = words[-1] + piece[2:], sums[-1] + sign
        else:
            words.append(piece)
            sums.append(sign)
    matrix = np.array(sums, np.float32)
    # Summed and made one long again: a word counts once, of however many pieces.
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return TokenVectors(tuple(words), matrix / np.maximum(norms, 1e-9))


@lru_cache(maxsize=1)
def _vocabulary() -> dict[int, str]:
    """The wordpieces by number; read in 20 ms, once a process."""
    model = json.loads((SHIPPED_FOLDER / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    return {number: piece for piece, number in model["vocab"].items()}


def align(
    a: Features, b: Features, vectors: tuple[TokenVectors, TokenVectors] | None = None
) -> Alignment:
    """The alignment of two texts, by stems alone or with `vectors` of both."""
    covered_a, strangers_a, unmatched_a = _side(a, b, vectors)
    back = (vectors[1], vectors[0]) if vectors else None
    covered_b, strangers_b, unmatched_b = _side(b, a, back)
    return Alignment(
        coverage=min(covered_a, covered_b),
        least=min(len(a.content), len(b.content)),
        unmatched_a=unmatched_a,
        unmatched_b=unmatched_b,
        covers=(covered_a, covered_b),
        strangers=frozenset((*strangers_a, *strangers_b)),
    )


def _side(
    a: Features, b: Features, vectors: tuple[TokenVectors, TokenVectors] | None
) -> tuple[float, list[str], tuple[str, ...]]:
    """How much of `a` is said in `b`, its words without a partner there, and those that `b` does
    not have, the worst aligned first."""
    scores = [_score(token, b, vectors) for token in a.content]
    covered = sum(scores) / len(scores) if scores else 1.0
    scored = list(zip(scores, a.content, strict=True))
    strangers = [token.lower for score, token in scored if score < PARTNER]
    lacking = sorted(
        (score, index, token.text)
        for index, (score, token) in enumerate(scored)
        if token.key not in b.keys
    )
    return covered, strangers, tuple(dict.fromkeys(text for *_, text in lacking))


def _score(token: Token, b: Features, vectors: tuple[TokenVectors, TokenVectors] | None) -> float:
    """How well the best partner of a word in `b` agrees with it, 0 to 1."""
    if token.key in b.keys:
        return 1.0
    if is_foreign(token.lower):
        return _best_spelled(token, b)
    best = _best(token, b, vectors) if vectors else 0.0
    return min(best, LITERAL) if _is_literal(token) else best


def is_foreign(word: str) -> bool:
    """Whether the shipped model knows no more of a word than its letters, since it is not Latin.

    The vectors of any two such words are similar, so they say nothing.
    """
    return not word.isascii() and max(word) > LAST_LATIN


def _best_spelled(token: Token, b: Features) -> float:
    """The greatest agreement in spelling with a word of `b`, which for a clause that is written
    without spaces is how much of it is the same; 0 under a half."""
    from rapidfuzz import fuzz

    denials = [denial for denial in negation.DENYING if denial in token.lower]
    others = (
        other.lower
        for other in b.content
        if is_foreign(other.lower)
        and denials == [denial for denial in negation.DENYING if denial in other.lower]
    )
    best = max((fuzz.ratio(token.lower, other) for other in others), default=0.0) / 100
    return best if best >= LEAST_SPELLED else 0.0


def _best(token: Token, b: Features, vectors: tuple[TokenVectors, TokenVectors]) -> float:
    import numpy as np

    own, theirs = vectors
    own_rows = [row for row, word in enumerate(own.words) if word == token.lower]
    wanted = {other.lower for other in b.content if not _is_literal(other)}
    other_rows = [row for row, word in enumerate(theirs.words) if word in wanted]
    if not own_rows or not other_rows:
        return 0.0
    agreement = float(np.max(own.vectors[own_rows] @ theirs.vectors[other_rows].T))
    return sin(pi / 2 * max(0.0, min(1.0, agreement)))  # sign bits understate the cosine


@lru_cache(maxsize=8192)
def _is_literal(token: Token) -> bool:
    """Whether similar vectors mean nothing here: numbers, code, negations, words of order."""
    word = token.lower
    return (
        token.kind != "word"
        or word in negation.NEGATIONS
        or word in negation.DENIALS
        or lexicon.SCOPES.get(word) in lexicon.STRICT_SCOPES
        or word in lexicon.CALENDAR
    )

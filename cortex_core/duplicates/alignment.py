"""How well the words of two texts cover each other: each word's best partner on the other side.

Words are matched by stem, and by the vectors that are stored with a memory: its wordpieces, with
one sign bit per dimension.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.duplicates import lexicon
from cortex_core.duplicates.features import Features, Token
from cortex_core.embeddings.local import SHIPPED_FOLDER
from cortex_core.language import negation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

_COMMON = 1000
"""Wordpieces below this number are marks and single letters; from here on they grow rarer."""

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
    vectors: Matrix
    """float32, one row a word, unit length."""
    rarity: Mapping[str, float]
    """How rare a word is, above 0; what is missing counts as 1."""


class Alignment(NamedTuple):
    """How well the content words of two texts cover each other."""

    coverage: float
    """0 to 1: how well the words agree with their partners, by their rarity, on the worse side."""
    extra: int
    """Content words without a partner, on the worse side."""
    least: int
    """Content words of the shorter text."""
    unmatched_a: tuple[str, ...]
    """Content words of the first text that the second does not have, the worst aligned first."""
    unmatched_b: tuple[str, ...]
    covers: tuple[float, float]
    """0 to 1: how much of the first the second says, and how much of the second the first says."""
    strangers: frozenset[str]
    """Content words of either text, in lower case, without a partner in the other."""


def token_vectors(
    pieces: Sequence[str], sign_bits: bytes, rarity: Sequence[float] = ()
) -> TokenVectors:
    """The vectors of the words that stored wordpieces spell.

    Args:
        pieces: the wordpieces as strings, `##` in front of those that continue a word.
        sign_bits: 48 bytes for each piece, as they are stored.
        rarity: one weight for each piece; a word has its rarest piece's.

    Raises:
        ValueError: there are not 48 bytes for each piece.
    """
    import numpy as np

    if len(sign_bits) % max(len(pieces), 1) or (pieces and not sign_bits):
        raise ValueError(f"{len(sign_bits)} bytes are not the vectors of {len(pieces)} wordpieces")
    packed = np.frombuffer(sign_bits, np.uint8).reshape(max(len(pieces), 1), -1)
    signs = np.unpackbits(packed, axis=1).astype(np.float32) * 2 - 1
    words: list[str] = []
    sums: list[Matrix] = []
    weights: dict[str, float] = {}
    for index, piece in enumerate(pieces):
        weight = rarity[index] if rarity else 1.0
        if piece.startswith("##") and words:
            whole = words[-1] + piece[2:]
            weight = max(weight, weights.get(words[-1], 0.0))
            words[-1], sums[-1] = whole, sums[-1] + signs[index]
        else:
            words.append(piece)
            sums.append(signs[index])
        weights[words[-1]] = weight
    matrix = np.array(sums, np.float32).reshape(len(words), -1)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return TokenVectors(tuple(words), matrix / np.maximum(norms, 1e-9), weights)


def from_stored(pieces: bytes | Sequence[int], sign_bits: bytes) -> TokenVectors | None:
    """The word vectors of a memory embedded with the shipped model; None where none are stored.

    The vocabulary is sorted by frequency, so a piece's number says how rare it is.

    Args:
        pieces: the numbers of the wordpieces, or their bytes as they are stored (uint16).
        sign_bits: 48 bytes for each of them.
    """
    if not pieces or not sign_bits:
        return None
    if isinstance(pieces, bytes):
        pieces = array("H", pieces)
    names = _vocabulary()
    rarity = [log(max(piece - _COMMON, 2)) for piece in pieces]
    return token_vectors([names.get(piece, "[UNK]") for piece in pieces], sign_bits, rarity)


@lru_cache(maxsize=1)
def _vocabulary() -> dict[int, str]:
    """The wordpieces by number; read in 20 ms, once a process."""
    model = json.loads((SHIPPED_FOLDER / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    return {number: piece for piece, number in model["vocab"].items()}


def align(
    a: Features, b: Features, vectors: tuple[TokenVectors, TokenVectors] | None = None
) -> Alignment:
    """The alignment of two texts, by stems alone or with `vectors` of both."""
    forth = _scores(a, b, vectors)
    back = _scores(b, a, (vectors[1], vectors[0]) if vectors else None)
    weight_a, weight_b = _weights(a, vectors and vectors[0]), _weights(b, vectors and vectors[1])
    covers = _mean(forth, weight_a), _mean(back, weight_b)
    return Alignment(
        min(covers),
        max(_missing(forth), _missing(back)),
        min(len(a.content), len(b.content)),
        _worst_first(a, b, forth, weight_a),
        _worst_first(b, a, back, weight_b),
        covers,
        frozenset((*_strangers(a, forth), *_strangers(b, back))),
    )


def _scores(
    a: Features, b: Features, vectors: tuple[TokenVectors, TokenVectors] | None
) -> list[float]:
    """For each content word of `a`, how well its best partner in `b` agrees, 0 to 1."""
    scores = [1.0 if token.key in b.keys else 0.0 for token in a.content]
    for index, token in enumerate(a.content):
        if not scores[index] and is_foreign(token.lower):
            scores[index] = _best_spelled(token, b)
        elif not scores[index] and vectors is not None:
            best = _best(token, b, vectors)
            scores[index] = min(best, LITERAL) if _is_literal(token) else best
    return scores


def is_foreign(word: str) -> bool:
    """Whether the shipped model knows no more of a word than its letters, since it is not Latin.

    The vectors of any two such words are similar, so they say nothing.
    """
    return not word.isascii() and max(word) > LAST_LATIN


def _denials(word: str) -> list[str]:
    return [denial for denial in negation.DENYING if denial in word]


def _best_spelled(token: Token, b: Features) -> float:
    """The greatest agreement in spelling with a word of `b`, which for a clause that is written
    without spaces is how much of it is the same; 0 under a half."""
    from rapidfuzz import fuzz

    others = (
        other.lower
        for other in b.content
        if is_foreign(other.lower) and _denials(other.lower) == _denials(token.lower)
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
    return min(1.0, max(0.0, _cosine_of(agreement)))


def _cosine_of(agreement: float) -> float:
    """The cosine of vectors whose signs agree to this degree: sign bits understate it."""
    from math import pi, sin

    return sin(pi / 2 * max(-1.0, min(1.0, agreement)))


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


def _weights(a: Features, vectors: TokenVectors | None) -> list[float]:
    if vectors is None:
        return [1.0] * len(a.content)
    return [vectors.rarity.get(token.lower, 1.0) for token in a.content]


def _mean(scores: list[float], weights: list[float]) -> float:
    total = sum(weights)
    return (
        sum(score * weight for score, weight in zip(scores, weights, strict=True)) / total
        if total
        else 1.0
    )


def _missing(scores: list[float]) -> int:
    return sum(score < PARTNER for score in scores)


def _strangers(a: Features, scores: list[float]) -> list[str]:
    pairs = zip(a.content, scores, strict=True)
    return [token.lower for token, score in pairs if score < PARTNER]


def _worst_first(
    a: Features, b: Features, scores: list[float], weights: list[float]
) -> tuple[str, ...]:
    lacking = [
        (score, -weight, index, token.text)
        for index, (token, score, weight) in enumerate(zip(a.content, scores, weights, strict=True))
        if token.key not in b.keys
    ]
    return tuple(dict.fromkeys(text for *_, text in sorted(lacking)))

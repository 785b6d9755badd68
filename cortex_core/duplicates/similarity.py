"""What follows from the measures: the same, to be merged, to be shown to a user, or neither.

The weights were fitted on paraphrase corpora (`benchmarks/duplicates.py` measures them); the rule
of merging was chosen so that not one of a thousand edited sentences passes it.

When two memories say the same, how sure that is, and why not.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import NamedTuple

from cortex_core.base.text import content_hash
from cortex_core.duplicates import gates
from cortex_core.duplicates.alignment import Alignment, TokenVectors, align, token_vectors
from cortex_core.duplicates.features import Features, features

__all__ = ["Likeness", "TokenVectors", "compare", "containment", "token_vectors"]

LEAST_COSINE = 0.80
LEAST_COVERAGE = 0.80
SURE = 1.85
"""What cosine and coverage, less a fifth of the unmatched words' share, must sum to."""
ENOUGH = 5
"""Fewest content words of a text that may gain a word when it is merged."""
LEAST_WORDS = 3
"""Fewest content words by which texts are called alike without vectors."""

ALIKE = 0.75
"""Similarity from which a pair without a raised gate says the same more often than not: 84 of 100
times in news sentences, 78 in captions; at 0.7 it is 65 and 43."""


class SimilarityWeights(NamedTuple):
    """A linear rule: the pair is proposed when the sum reaches 0."""

    cosine: float
    coverage: float
    base: float


WITH_TOKENS = SimilarityWeights(8.91, 3.86, -9.42)
WITH_COSINE = SimilarityWeights(6.23, 3.37, -6.67)
WITH_WORDS = SimilarityWeights(0.0, 6.75, -4.60)
ANTONYMS = -5.15
NUMBERS = -1.51


def proposal_score(cosine: float | None, aligned: Alignment, *, with_tokens: bool) -> float:
    """How strongly the pair asks for a user's eye, before `penalty`: from 0 on it does."""
    if cosine is None:
        weights = WITH_WORDS
        if aligned.least < LEAST_WORDS:
            return -1.0
    else:
        weights = WITH_TOKENS if with_tokens else WITH_COSINE
    known = weights.cosine * (cosine or 0.0) + weights.coverage * aligned.coverage
    return known + weights.base


def penalty(raised: Set[str]) -> float:
    """What the gates that were raised take from the score, 0 or less."""
    return ANTONYMS * ("antonyms" in raised) + NUMBERS * ("numbers" in raised)


def is_same(a: Features, b: Features, raised: Set[str]) -> bool:
    """Whether every content word has its like on the other side and no gate is raised."""
    return not raised and bool(a.keys) and a.keys == b.keys


def may_merge(cosine: float | None, aligned: Alignment, raised: Set[str]) -> bool:
    """Whether the pair may be merged unasked; the caller has seen to it that words have vectors."""
    if raised or cosine is None or not aligned.least:
        return False
    if cosine < LEAST_COSINE or aligned.coverage < LEAST_COVERAGE:
        return False
    if aligned.extra == 0:
        return True
    sureness = cosine + aligned.coverage - 0.2 * aligned.extra / aligned.least
    return aligned.least >= ENOUGH and sureness >= SURE


def similarity(cosine: float | None, aligned: Alignment) -> float:
    """One number, 0 to 1, for sorting and showing: the mean of what is known."""
    known = aligned.coverage if cosine is None else (cosine + aligned.coverage) / 2
    return min(1.0, max(0.0, known))


def reasons(cosine: float | None, aligned: Alignment, *, equal: bool) -> tuple[str, ...]:
    """Why the two are alike, one sentence each."""
    if equal:
        return ("The texts are equal but for case and spacing.",)
    own = max(len(aligned.unmatched_a), len(aligned.unmatched_b))
    said = [
        f"{own} words of one side are not on the other." if own > 1
        else "One word of one side is not on the other." if own
        else "Every word that carries a subject is on both sides."
    ]  # fmt: skip
    if cosine is not None:
        said.append(f"Their meaning is {_close(cosine)} (cosine {cosine:.2f}).")
        said.append(f"Word for word they cover each other to {aligned.coverage:.0%}.")
    return tuple(said)


def _close(cosine: float) -> str:
    if cosine >= 0.9:
        return "all but equal"
    return "close" if cosine >= 0.7 else "related"


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How alike two texts are."""

    similarity: float
    """0 to 1: the mean of cosine and coverage, or of what is known."""
    same: bool
    """Whether they say the same word for word, but for spelling, endings and small words."""
    may_merge: bool
    """Whether they may be merged unasked; never true without cosine and word vectors."""
    propose: bool
    """Whether a user should be asked."""
    reasons: tuple[str, ...]
    """Why they are alike, one sentence each."""
    conflicts: tuple[str, ...]
    """What speaks against it, one sentence a raised gate; not looked for where nothing is alike."""
    unmatched_a: tuple[str, ...]
    """Content words of the first that the second lacks, the worst aligned first."""
    unmatched_b: tuple[str, ...]
    """The same of the second."""


def compare(
    a: str,
    b: str,
    *,
    cosine: float | None = None,
    tokens: tuple[TokenVectors, TokenVectors] | None = None,
) -> Likeness:
    """How alike `a` and `b` are.

    Args:
        cosine: of the two texts' vectors, where both have one.
        tokens: the vectors of their words, where both have them; see `token_vectors`.
    """
    one, other = features(a), features(b)
    aligned = align(one, other, tokens)
    equal = a == b or content_hash(a) == content_hash(b)
    with_tokens = tokens is not None
    score = proposal_score(cosine, aligned, with_tokens=with_tokens)
    conflicts: tuple[gates.Conflict, ...] = ()
    if not equal and (score >= 0 or one.keys == other.keys):
        conflicts = gates.raised(one, other)
    raised = {conflict.gate for conflict in conflicts}
    return Likeness(
        similarity=1.0 if equal else similarity(cosine, aligned),
        same=equal or is_same(one, other, raised),
        may_merge=with_tokens and (equal or may_merge(cosine, aligned, raised)),
        propose=equal or score + penalty(raised) >= 0,
        reasons=reasons(cosine, aligned, equal=equal),
        conflicts=tuple(conflict.sentence for conflict in conflicts),
        unmatched_a=aligned.unmatched_a,
        unmatched_b=aligned.unmatched_b,
    )


def containment(a: str, b: str) -> float:
    """How much of the shorter text's words the longer one has, 0 to 1; stems count."""
    one, other = features(a).keys, features(b).keys
    least = min(len(one), len(other))
    return len(one & other) / least if least else float(a == b)

"""Whether two texts say the same, how sure that is, and what speaks against it.

The weights were fitted on paraphrase corpora (`benchmarks/duplicates.py` measures them). The rule
for merging was chosen so that none of a thousand edited sentences passes it.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import NamedTuple

from cortex_core.base.text import content_hash
from cortex_core.duplicates import gates
from cortex_core.duplicates.alignment import Alignment, TokenVectors, align
from cortex_core.duplicates.features import Features, features

LEAST_COSINE = 0.80
LEAST_COVERAGE = 0.80
LEAST_SURENESS = 1.85
"""What cosine and coverage, less a fifth of the unmatched words' share, must sum to."""
LEAST_WORDS_TO_GAIN = 5
"""Fewest content words of a text that may gain a word when it is merged."""
LEAST_WORDS = 3
"""Fewest content words for texts to be proposed without vectors."""

PROBABLY_SAME = 0.75
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How similar two texts are, and what follows from it."""

    similarity: float
    """0 to 1: the mean of cosine and coverage, or of what is known."""
    same: bool
    """Whether they say the same word for word, but for spelling, endings and small words."""
    may_merge: bool
    """Whether they may be merged without review; never true without cosine and word vectors."""
    propose: bool
    """Whether a user should be asked."""
    reasons: tuple[str, ...]
    """Why they may say the same, one sentence each."""
    conflicts: tuple[str, ...]
    """What speaks against it, one sentence a raised gate; not looked for in dissimilar texts."""
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
) -> Comparison:
    """Compare two texts.

    Args:
        cosine: of the two texts' vectors, where both have one.
        tokens: the vectors of their words, where both have them; see `alignment.from_stored`.
    """
    features_a, features_b = features(a), features(b)
    aligned = align(features_a, features_b, tokens)
    equal = a == b or content_hash(a) == content_hash(b)
    with_tokens = tokens is not None
    score = proposal_score(cosine, aligned, with_tokens=with_tokens)
    conflicts: tuple[gates.Conflict, ...] = ()
    if not equal and (score >= 0 or features_a.keys == features_b.keys):
        conflicts = gates.raised(features_a, features_b)
    raised = {conflict.gate for conflict in conflicts}
    return Comparison(
        similarity=1.0 if equal else similarity(cosine, aligned),
        same=equal or is_same(features_a, features_b, raised),
        may_merge=with_tokens and (equal or may_merge(cosine, aligned, raised)),
        propose=equal or score + penalty(raised) >= 0,
        reasons=reasons(cosine, aligned, equal=equal),
        conflicts=tuple(conflict.sentence for conflict in conflicts),
        unmatched_a=aligned.unmatched_a,
        unmatched_b=aligned.unmatched_b,
    )


def containment(a: str, b: str) -> float:
    """How much of the shorter text's words the longer one has, 0 to 1; stems count."""
    keys_a, keys_b = features(a).keys, features(b).keys
    shorter = min(len(keys_a), len(keys_b))
    return len(keys_a & keys_b) / shorter if shorter else float(a == b)


def proposal_score(cosine: float | None, aligned: Alignment, *, with_tokens: bool) -> float:
    """How strongly a pair calls for review, before `penalty`: it is proposed from 0 on."""
    if cosine is None:
        weights = WITH_WORDS
        if aligned.least < LEAST_WORDS:
            return -1.0
    else:
        weights = WITH_TOKENS if with_tokens else WITH_COSINE
    known = weights.cosine * (cosine or 0.0) + weights.coverage * aligned.coverage
    return known + weights.base


def penalty(raised: Set[str]) -> float:
    """What the raised gates take from the score, 0 or less."""
    return ANTONYMS * ("antonyms" in raised) + NUMBERS * ("numbers" in raised)


def is_same(a: Features, b: Features, raised: Set[str]) -> bool:
    """Whether both texts have the same content words and no gate is raised."""
    return not raised and bool(a.keys) and a.keys == b.keys


def may_merge(cosine: float | None, aligned: Alignment, raised: Set[str]) -> bool:
    """Whether a pair may be merged without review; the caller checks for word vectors."""
    if raised or cosine is None or not aligned.least:
        return False
    if cosine < LEAST_COSINE or aligned.coverage < LEAST_COVERAGE:
        return False
    if aligned.extra == 0:
        return True
    sureness = cosine + aligned.coverage - 0.2 * aligned.extra / aligned.least
    return aligned.least >= LEAST_WORDS_TO_GAIN and sureness >= LEAST_SURENESS


def similarity(cosine: float | None, aligned: Alignment) -> float:
    """The mean of cosine and coverage, or coverage alone without vectors, 0 to 1."""
    known = aligned.coverage if cosine is None else (cosine + aligned.coverage) / 2
    return min(1.0, max(0.0, known))


def reasons(cosine: float | None, aligned: Alignment, *, equal: bool) -> tuple[str, ...]:
    """Why two texts may say the same, one sentence each."""
    if equal:
        return ("The texts are equal but for case and spacing.",)
    unmatched = max(len(aligned.unmatched_a), len(aligned.unmatched_b))
    sentences = [
        f"{unmatched} words of one side are not on the other." if unmatched > 1
        else "One word of one side is not on the other." if unmatched
        else "Every word that carries a subject is on both sides."
    ]  # fmt: skip
    if cosine is not None:
        sentences.append(f"Their meaning is {_close(cosine)} (cosine {cosine:.2f}).")
        sentences.append(f"Word for word they cover each other to {aligned.coverage:.0%}.")
    return tuple(sentences)


def _close(cosine: float) -> str:
    if cosine >= 0.9:
        return "all but equal"
    return "close" if cosine >= 0.7 else "related"

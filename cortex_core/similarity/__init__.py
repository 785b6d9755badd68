"""When two memories say the same, how sure that is, and why not.

Pure functions of two texts, with the cosine of their vectors and the vectors of their words where
these are known. Three answers: `same` (so plainly that the second is a repetition), `may_merge`
(safe enough to be merged unasked, where that is switched on) and `propose` (a person should see it).
"""

from __future__ import annotations

from dataclasses import dataclass

from cortex_core.similarity import gates
from cortex_core.similarity.alignment import Alignment, TokenVectors, align, token_vectors
from cortex_core.similarity.features import Features, features
from cortex_core.text import content_hash, content_words

__all__ = [
    "Likeness", "TokenVectors", "compare", "containment", "token_jaccard", "token_vectors",
]  # fmt: skip

LEAST_COSINE = 0.80
LEAST_COVERAGE = 0.80
SURE = 1.83
"""What cosine and coverage, less 0.2 for each unmatched word's share, must sum to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How alike two texts are."""

    similarity: float
    """0 to 1: the mean of cosine and coverage, or of what is known."""
    same: bool
    """Whether they say the same word for word, but for spelling, endings and small words."""
    may_merge: bool
    """Whether they may be merged unasked; never without cosine and word vectors."""
    propose: bool
    """Whether a person should be asked."""
    reasons: tuple[str, ...]
    """Why they are alike, one sentence each."""
    conflicts: tuple[str, ...]
    """What speaks against it, one sentence a raised gate."""
    unmatched_a: tuple[str, ...]
    """Content words of the first that the second lacks, the worst aligned first."""
    unmatched_b: tuple[str, ...]


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
    equal = content_hash(a) == content_hash(b)
    conflicts = () if equal else gates.raised(one, other)
    raised = {conflict.gate for conflict in conflicts}
    score = proposal_score(cosine, aligned, raised, with_vectors=tokens is not None)
    return Likeness(
        similarity=1.0 if equal else _similarity(cosine, aligned),
        same=equal or _is_same(one, other, raised),
        may_merge=equal or _may_merge(cosine, aligned, raised, with_vectors=tokens is not None),
        propose=equal or score >= PROPOSE,
        reasons=_reasons(cosine, aligned, equal),
        conflicts=tuple(conflict.sentence for conflict in conflicts),
        unmatched_a=aligned.unmatched_a,
        unmatched_b=aligned.unmatched_b,
    )


PROPOSE = -1.0
"""Score from which a person is asked."""

PENALTIES = {"antonyms": 5.15, "numbers": 1.51}
"""What a raised gate takes off the score; the others are for a person to weigh."""


def proposal_score(
    cosine: float | None, aligned: Alignment, raised: set[str], *, with_vectors: bool
) -> float:
    """How much speaks for asking a person: a logistic regression on labelled pairs.

    Without vectors the words stand in for the meaning, and must agree the more.
    """
    meaning = aligned.coverage - 0.1 if cosine is None else cosine
    return (
        8.91 * meaning
        + 3.86 * aligned.coverage
        - sum(weight for gate, weight in PENALTIES.items() if gate in raised)
        - 10.42
    )


def _is_same(a: Features, b: Features, raised: set[str]) -> bool:
    aligned = align(a, b, None)
    return not raised and aligned.extra == 0 and aligned.least > 0


def _may_merge(
    cosine: float | None, aligned: Alignment, raised: set[str], *, with_vectors: bool
) -> bool:
    if cosine is None or not with_vectors or raised:
        return False
    if cosine < LEAST_COSINE or aligned.coverage < LEAST_COVERAGE:
        return False
    share = aligned.extra / max(aligned.least, 1)
    return aligned.extra == 0 or cosine + aligned.coverage - 0.2 * share >= SURE


def _similarity(cosine: float | None, aligned: Alignment) -> float:
    known = aligned.coverage if cosine is None else (cosine + aligned.coverage) / 2
    return max(0.0, min(1.0, known))


def _reasons(cosine: float | None, aligned: Alignment, equal: bool) -> tuple[str, ...]:
    if equal:
        return ("The same text.",)
    found = [] if cosine is None else [f"Meaning {cosine:.2f} alike."]
    return (*found, f"{aligned.coverage:.0%} of the words have a partner.")


def token_jaccard(a: str, b: str) -> float:
    """Share of the content words of either text that both have, 0 to 1."""
    one, other = set(content_words(a)), set(content_words(b))
    return len(one & other) / len(one | other) if one | other else 0.0


def containment(a: str, b: str) -> float:
    """Share of the shorter text's content words that the other has, 0 to 1."""
    one, other = set(content_words(a)), set(content_words(b))
    shorter = min(len(one), len(other))
    return len(one & other) / shorter if shorter else 0.0

"""When two memories say the same, how sure that is, and why not.

Pure functions of two texts, with the cosine of their vectors and the vectors of their words where
these are known. Three answers: `same` (so plainly that the second is a repetition), `may_merge`
(safe enough to be merged unasked, where that is switched on), `propose` (a person should see it).
"""

from __future__ import annotations

from dataclasses import dataclass

from cortex_core.similarity import gates, verdict
from cortex_core.similarity.alignment import TokenVectors, align, token_vectors
from cortex_core.similarity.features import features
from cortex_core.text import content_hash

__all__ = [
    "Likeness", "TokenVectors", "compare", "containment", "token_vectors",
]  # fmt: skip


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
    """Whether a person should be asked."""
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
    score = verdict.proposal_score(cosine, aligned, with_tokens=with_tokens)
    conflicts: tuple[gates.Conflict, ...] = ()
    if not equal and (score >= 0 or one.keys == other.keys):
        conflicts = gates.raised(one, other)
    raised = {conflict.gate for conflict in conflicts}
    return Likeness(
        similarity=1.0 if equal else verdict.similarity(cosine, aligned),
        same=equal or verdict.is_same(one, other, raised),
        may_merge=with_tokens and (equal or verdict.may_merge(cosine, aligned, raised)),
        propose=equal or score + verdict.penalty(raised) >= 0,
        reasons=verdict.reasons(cosine, aligned, equal=equal),
        conflicts=tuple(conflict.sentence for conflict in conflicts),
        unmatched_a=aligned.unmatched_a,
        unmatched_b=aligned.unmatched_b,
    )


def containment(a: str, b: str) -> float:
    """How much of the shorter text's words the longer one has, 0 to 1; stems count."""
    one, other = features(a).keys, features(b).keys
    least = min(len(one), len(other))
    return len(one & other) / least if least else float(a == b)

"""Whether two texts say the same, how sure that is, and what speaks against it.

The rule for proposing was chosen on pairs of statements from real sessions, the one for merging so
that none of a thousand edited sentences passes it (`benchmarks/duplicates.py` measures both).
"""

from dataclasses import dataclass
from typing import Literal

from cortex_core.base.text import content_hash
from cortex_core.duplicates import gates
from cortex_core.duplicates.alignment import Alignment, TokenVectors, align
from cortex_core.duplicates.contradictions import contradictions
from cortex_core.duplicates.features import features
from cortex_core.language import sentences

LEAST_COSINE = 0.80
LEAST_COVERAGE = 0.80
"""What two texts need, each word with a partner, to be merged without review."""
LIKELY_SUM, LIKELY_COVERAGE = 1.5, 0.70
"""What cosine and coverage must sum to, and the coverage, for two texts that do not contradict each
other to say the same more often than not."""
CONTAINED, CONTAINED_COSINE = 0.95, 0.80
"""The same for a text of which the other says nearly every word, and more."""
LIKELY_WORDS, LIKELY_BY_WORDS = 3, 0.75
"""Fewest content words, and the coverage, without vectors."""
EXAMINED = 0.60
"""Coverage from which two texts are searched for differences, also where they are not likely the
same."""
FULLER = 0.90
"""Share of a text's words that another one must say to be the fuller of the two."""


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
    """Whether a user should be asked: they are likely to say the same, or one a part of it."""
    is_clear: bool
    """Whether no gate is raised; True of dissimilar texts, where none is looked for."""
    fuller: Literal["", "a", "b"]
    """Which text says all that the other says, and more."""
    reasons: tuple[str, ...]
    """Why they may say the same, one sentence each."""
    conflicts: tuple[str, ...]
    """What both say differently, a sentence each; not looked for in dissimilar texts."""
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
    is_close = is_likely(cosine, aligned)
    raised: dict[str, str] = {}
    conflicts: dict[str, str] = {}
    # Of dissimilar texts nobody asks what they say differently, and to look for it is slow.
    if not equal and (is_close or aligned.coverage >= EXAMINED):
        raised = gates.raised(features_a, features_b)
        conflicts = contradictions(features_a, features_b, raised, aligned.strangers)
    return Comparison(
        similarity=1.0 if equal else similarity(cosine, aligned),
        same=equal or (not raised and bool(features_a.keys) and features_a.keys == features_b.keys),
        may_merge=tokens is not None and (equal or (not raised and may_merge(cosine, aligned))),
        propose=equal or (is_close and not conflicts),
        is_clear=not raised,
        fuller=fuller(aligned),
        reasons=reasons(cosine, aligned, equal=equal),
        conflicts=tuple(conflicts.values()),
        unmatched_a=aligned.unmatched_a,
        unmatched_b=aligned.unmatched_b,
    )


def is_part(text: str, whole: str) -> bool:
    """Whether each sentence of `text` is one of `whole`, so that it says no more."""
    said = set(map(content_hash, sentences.in_lines(whole)))
    return said.issuperset(map(content_hash, sentences.in_lines(text)))


def containment(a: str, b: str) -> float:
    """How much of the shorter text's words the longer one has, 0 to 1; stems count."""
    keys_a, keys_b = features(a).keys, features(b).keys
    shorter = min(len(keys_a), len(keys_b))
    return len(keys_a & keys_b) / shorter if shorter else float(a == b)


def is_likely(cosine: float | None, aligned: Alignment) -> bool:
    """Whether two texts that do not contradict each other are likely to say the same."""
    if cosine is None:
        return aligned.least >= LIKELY_WORDS and aligned.coverage >= LIKELY_BY_WORDS
    if max(aligned.covers) >= CONTAINED and cosine >= CONTAINED_COSINE:
        return True
    return aligned.coverage >= LIKELY_COVERAGE and cosine + aligned.coverage >= LIKELY_SUM


def fuller(aligned: Alignment) -> Literal["", "a", "b"]:
    """Which text says all that the other says, and more; none where they say as much."""
    of_a, of_b = aligned.covers
    if max(of_a, of_b) < FULLER or not (aligned.unmatched_a or aligned.unmatched_b):
        return ""
    return "b" if of_a > of_b else "a" if of_b > of_a else ""


def may_merge(cosine: float | None, aligned: Alignment) -> bool:
    """Whether two texts that raise no gate may be merged without review."""
    if cosine is None or not aligned.least or aligned.strangers:
        return False
    return cosine >= LEAST_COSINE and aligned.coverage >= LEAST_COVERAGE


def similarity(cosine: float | None, aligned: Alignment) -> float:
    """The mean of cosine and coverage, or coverage alone without vectors, 0 to 1."""
    known = aligned.coverage if cosine is None else (cosine + aligned.coverage) / 2
    return min(1.0, max(0.0, known))


def reasons(cosine: float | None, aligned: Alignment, *, equal: bool) -> tuple[str, ...]:
    """Why two texts may say the same, one sentence each."""
    if equal:
        return ("The texts are equal but for case and spacing.",)
    unmatched = max(len(aligned.unmatched_a), len(aligned.unmatched_b))
    words = {
        0: "Every word that carries a subject is on both sides.",
        1: "One word of one side is not on the other.",
    }.get(unmatched, f"{unmatched} words of one side are not on the other.")
    if cosine is None:
        return (words,)
    close = "all but equal" if cosine >= 0.9 else "close" if cosine >= 0.7 else "related"
    return (
        words,
        f"Their meaning is {close} (cosine {cosine:.2f}).",
        f"Word for word they cover each other to {aligned.coverage:.0%}.",
    )

"""Which memories fit a prompt by words: what needs no model.

Where words leave it open, the model decides (`meaning`). No score is a dependable gate, so both
bars stand where few prompts that nothing fits pass (benchmarks/prompts.py).
"""

from __future__ import annotations

from math import log

from cortex_core.recall import model_free, pool
from cortex_core.surface import evidence
from cortex_core.surface.ranking import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

    from cortex_core.recall.fusion import Score
    from cortex_core.recall.keyword import Words
    from cortex_core.storage.light import Light, Row

POOL = 48
"""The best of a store without the model that are looked at more closely."""

SHARE = 0.4
"""Share of the prompt's words that a memory must hold to fit by words."""

LEAST, ENOUGH = 1.5, 5.0
"""Words that it must hold at least, and that are enough however long the prompt is."""

LEAST_OF_PROCEDURE, SHARE_OF_PROCEDURE = 1.0, 0.5
"""The same for a procedure, which a task often names by one word."""

MOST_WORDS = 300
"""Different content words of a memory that are looked at."""

FEW = 50
"""Memories below which no word counts as common."""

COMMON = 10
"""Where one in so many memories holds a word, it is common."""


class Pool:
    """One store's memories that may fit, and how."""

    __slots__ = ("allowed", "best", "store", "words")

    def __init__(self, store: Light, prompt: str) -> None:
        self.allowed = pool.Allowed(
            "m.status = 'active' AND m.giving <> 'never' AND m.kind <> 'code'"
        )
        found = model_free.rank(
            store, prompt, database=store.path, scope=store.scope, identity=store.identity,
            allowed=self.allowed,
        )  # fmt: skip
        self.store = store
        self.words: Words = found.words
        self.best: list[Score] = found.scores[:POOL]

    def with_words(self) -> list[Row]:
        """Those memories that hold a word of the prompt, the best first."""
        return self.store.numbered([one.number for one in self.best if one.candidate.keyword > 0])


def by_words(found: Pool, prompt: str, away: Set[str]) -> list[Candidate]:
    """What fits the prompt plainly: it names what the prompt does, or shares enough words."""
    asked = evidence.subjects(prompt)
    names = evidence.identifiers(prompt)
    common = log(COMMON) if found.words.total >= FEW else -1.0
    said = dict(zip(asked, evidence.weights(asked, found.words.rarity, common), strict=True))
    whole = sum(said.values())
    made = []
    for row in found.with_words():
        told = evidence.subjects(f"{row.title}\n{row.content}", most=MOST_WORDS)
        held = evidence.shared(asked, told, names) if row.id not in away else []
        weight = sum(said[word] for word in held)
        named = any(word in names and said[word] == 1.0 for word in held)
        if named or (whole and _is_enough(weight, whole, row.kind)):
            made.append(Candidate(row, {"words": weight / whole}))
    return made


def _is_enough(weight: float, whole: float, kind: str) -> bool:
    """Whether words of `weight`, out of `whole` in the prompt, tell that a memory fits."""
    if kind == "procedure":
        return weight >= min(max(LEAST_OF_PROCEDURE, SHARE_OF_PROCEDURE * whole), ENOUGH)
    return weight >= min(max(LEAST, SHARE * whole), ENOUGH) or weight == whole >= 1.0

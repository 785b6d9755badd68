"""Which memories fit a prompt: by words where these are plain, by meaning where they are not.

Words and the bits of wordpieces need no model. Only where they leave it open is the model loaded,
which takes a third of a second; then the cosine decides. No score is a dependable gate, so both
bars stand where few prompts that nothing fits pass (benchmarks/prompts).
"""

from __future__ import annotations

from math import log, log2

from cortex_core.embedding.names import SHIPPED_TAG
from cortex_core.recall import model_free, pool
from cortex_core.storage.light import GIVEABLE
from cortex_core.surface import evidence
from cortex_core.surface.ranking import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from cortex_core.recall.fusion import Score
    from cortex_core.recall.keyword import Words
    from cortex_core.storage.light import Light, Row

POOL = 48
"""The best of a store without the model that are looked at more closely."""

NEWEST = 300
"""Memories looked at by meaning where neither words nor signs have found `POOL` of them."""

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

CROWD = 0.01
"""What is added to the floor each time a store doubles beyond a hundred memories: the more there
are, the nearer comes the nearest that means nothing."""


class Pool:
    """One store's memories that may fit, and how."""

    __slots__ = ("best", "store", "words")

    def __init__(self, store: Light, prompt: str) -> None:
        allowed = pool.Allowed("m.status = 'active' AND m.giving <> 'never' AND m.kind <> 'code'")
        found = model_free.rank(
            store, prompt, database=store.path, scope=store.scope, identity=store.identity,
            allowed=allowed,
        )  # fmt: skip
        self.store = store
        self.words: Words = found.words
        self.best: list[Score] = found.scores[:POOL]

    def with_words(self) -> list[Row]:
        """Those memories that hold a word of the prompt, the best first."""
        return self.store.numbered([one.number for one in self.best if one.keyword > 0])

    def all(self) -> list[Row]:
        """The memories; where words alone found few of them, the newest ones besides."""
        numbers = [one.number for one in self.best]
        if len(numbers) < POOL:
            newest = f"SELECT number FROM memory WHERE {GIVEABLE} ORDER BY number DESC LIMIT ?"
            numbers += [number for (number,) in self.store.rows(newest, (NEWEST,))]
        return self.store.numbered(list(dict.fromkeys(numbers)))


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


def by_meaning(found: Sequence[Pool], prompt: str, floor: float, away: Set[str]) -> list[Candidate]:
    """What fits the prompt by the embedding model: a cosine of at least about `floor`.

    Raises:
        ModelUnavailable: the model cannot be loaded.
    """
    held = [(one, row, vector) for one in found for row, vector in _vectors(one)]
    if not held:
        return []
    from cortex_core.embedding.shipped import shipped

    asked = shipped().query(prompt).vector.tolist()
    made = []
    for one, row, vector in held:
        bar = floor + CROWD * max(0.0, log2(max(1, one.words.total) / 100))
        cosine = _product(asked, vector)
        if row.id not in away and cosine >= bar:
            made.append(Candidate(row, {"meaning": cosine}))
    return made


def _vectors(found: Pool) -> list[tuple[Row, bytes]]:
    rows = found.all()
    marks = ",".join("?" * len(rows))
    known = dict(
        found.store.rows(
            f"SELECT number, vector FROM embedding WHERE model = ? AND number IN ({marks})",
            (SHIPPED_TAG, *(row.number for row in rows)),
        )
    )
    return [(row, known[row.number]) for row in rows if row.number in known]


def _product(asked: Sequence[float], vector: bytes) -> float:
    return sum(a * b for a, b in zip(asked, memoryview(vector).cast("f"), strict=True))

"""How much of one text's wording another shares. Pure.

Which memories fit a prompt, as far as words can decide without the model: by words, and by what its
wordpieces mean together.
"""

from __future__ import annotations

from math import log, log2

from cortex_core.base import text
from cortex_core.base.text import identifiers
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.search import pool
from cortex_core.surface.prompt_recall import ranking
from cortex_core.surface.ranking import SurfaceCandidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence, Set

    from cortex_core.search.fusion import Score
    from cortex_core.search.keyword import Words
    from cortex_core.store.surface_reader import SurfaceReader, SurfaceRow

MOST_PROMPT_WORDS = 48
"""Different content words of a prompt that are looked at."""

_ENDING = 3
"""Letters at a word's end that inflection may change."""

_STEM = 4
"""Letters of a word that must agree at least."""

COMMON_WEIGHT = 0.3
"""What a common word says, next to 1 for any other."""

GENERIC = frozenset(
    """
    add again also another best better big bug build call change check clean code comment commit
    continue correct create delete detail different do doc docs done drop edit end error everything
    example explain fail fails file files find fine first fix function functions give go good happen
    help idea implement improve instead issue keep kind last less let like line lines list little
    long look looks make mean message method missing module move name need never new next nice no
    nothing now number ok okay old one open order other part print problem put question read really
    refactor remove rename replace result review rewrite right run same say section see sensible
    set short show simple single small something split start still stop sum sure take tell test
    tests text thank thanks thing things think three time times try turn two type update use used
    using value version wait want way well word words work works write wrong yes
    """.split()
)
"""Words of any request to a coding agent: they hardly say what it is about."""


def subjects(words: str, most: int = MOST_PROMPT_WORDS) -> list[str]:
    """The first `most` different content words of `words`, in order."""
    return list(dict.fromkeys(text.content_words(words)))[:most]


def shared_words(
    asked: Sequence[str], told: Iterable[str], exact: Container[str] = ()
) -> list[str]:
    """Those of the words `asked` that are among the words `told`, whatever their ending.

    Args:
        exact: words, such as names from code, that must be the same to the letter.
    """
    known = set(told)
    plain = [word for word in known if word.isalpha()]

    def is_told(word: str) -> bool:
        if word in known or word in exact or not word.isalpha():
            return word in known
        return any(_same_stem(word, other) for other in plain)

    return [word for word in asked if is_told(word)]


def weights(asked: Sequence[str], rarity: Mapping[str, float], common: float) -> list[float]:
    """How much each of the words `asked` says: 1, or little for common ones and generic ones.

    Args:
        rarity: inverse document frequency by word.
        common: the rarity below which a word is common.
    """
    return [
        COMMON_WEIGHT if word in GENERIC or rarity.get(word, common) < common else 1.0
        for word in asked
    ]


def _same_stem(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _STEM or abs(len(one) - len(other)) > _ENDING:
        return False
    return one.startswith(_stem(other)) or other.startswith(_stem(one))


def _stem(word: str) -> str:
    # The prompt hook has no time to load the stemmer of `similarity.features`.
    return word[: max(_STEM, len(word) - _ENDING)]


POOL_SIZE = 48
"""The best of a store without the model that are looked at more closely."""

SHARE = 0.4
"""Share of the prompt's words that a memory must hold to fit by words."""

LEAST, ENOUGH = 1.5, 5.0
"""Words that it must hold at least, and that are enough however long the prompt is."""

LEAST_OF_PROCEDURE, SHARE_OF_PROCEDURE = 1.0, 0.5
"""The same for a procedure, which a task often names by one word."""

MOST_MEMORY_WORDS = 300
"""Different content words of a memory that are looked at."""

SMALL_STORE = 50
"""Memories below which no word counts as common."""

COMMON = 10
"""Where one in so many memories holds a word, it is common."""

CROWD, CROWDED = 0.015, 100
"""What is added to the bar each time a store doubles from so many memories, and taken away each
time it halves: the more there are, the nearer comes the nearest that means nothing."""

LOWEST_THRESHOLD = 0.1
"""The bar never lies below."""

SHARE_OF_BEST = 0.25
"""Share of the best similarity that another memory needs to be injected with it."""

HIGHEST_SCORE = 10.0
"""About the highest score that recall gives."""


class PromptPool:
    """One store's memories that may fit, and how."""

    __slots__ = ("allowed", "best", "ordinary", "store", "words")

    def __init__(self, store: SurfaceReader, prompt: str) -> None:
        self.allowed = pool.Allowed(
            "m.status = 'active' AND m.inject <> 'never' AND m.kind <> 'code'"
        )
        found = ranking.rank(store, prompt, allowed=self.allowed)
        self.store = store
        self.words: Words = found.words
        self.best: list[Score] = found.scores[:POOL_SIZE]
        self.ordinary = found.ordinary
        """How near the most alike ordinary request is; 0 where meaning could not be looked at."""

    def with_words(self) -> list[SurfaceRow]:
        """Those memories that hold a word of the prompt, the best first."""
        return self.store.numbered([one.number for one in self.best if one.candidate.keyword > 0])

    @property
    def has_vectors(self) -> bool:
        """Whether any memory of the store has one."""
        return bool(self.ordinary) or self.store.has_vectors(SHIPPED_TAG)

    def near(self, away: Set[str]) -> list[PromptMatch]:
        """The memories that have a vector, but those called `away`, the best first."""
        least = threshold(self.ordinary, self.words.total)
        scores = {one.number: one for one in self.best if one.candidate.cosine is not None}
        return [
            PromptMatch(row, one.total / HIGHEST_SCORE, (one.candidate.cosine or 0.0) / least)
            for row in self.store.numbered(list(scores))
            if row.id not in away and (one := scores[row.number])
        ]


class PromptMatch:
    """A memory, and how near it comes to a prompt."""

    __slots__ = ("nearness", "row", "score")

    def __init__(self, row: SurfaceRow, score: float, nearness: float) -> None:
        self.row = row
        self.score = score
        """As recall ranks it, about 0 to 1."""
        self.nearness = nearness
        """How near it is, as a share of the bar."""


def threshold(ordinary: float, total: int) -> float:
    """How near a memory has to be: as the most alike ordinary request, nearer in a crowd.

    Args:
        ordinary: how near that request is.
        total: how many memories the store has.
    """
    return max(ordinary + CROWD * log2(max(1, total) / CROWDED), LOWEST_THRESHOLD)


def within_reach(near: Sequence[PromptMatch], floor: float) -> list[SurfaceCandidate]:
    """Those of the memories that fit, in no order: none where the nearest is not near enough.

    Args:
        floor: how near the nearest must be.
    """
    nearest = max((one.nearness for one in near), default=0.0)
    if nearest < floor:
        return []
    least = SHARE_OF_BEST * nearest
    return [
        SurfaceCandidate(one.row, {"meaning": one.score}) for one in near if one.nearness >= least
    ]


def by_words(found: PromptPool, prompt: str, away: Set[str]) -> list[SurfaceCandidate]:
    """What fits the prompt plainly: it names what the prompt does, or shares enough words."""
    asked = subjects(prompt)
    names = identifiers(prompt)
    common = log(COMMON) if found.words.total >= SMALL_STORE else -1.0
    said = dict(zip(asked, weights(asked, found.words.rarity, common), strict=True))
    whole = sum(said.values())
    made = []
    for row in found.with_words():
        told = subjects(f"{row.title}\n{row.content}", most=MOST_MEMORY_WORDS)
        held = shared_words(asked, told, names) if row.id not in away else []
        weight = sum(said[word] for word in held)
        named = any(word in names and said[word] == 1.0 for word in held)
        if named or (whole and _is_enough(weight, whole, row.kind)):
            made.append(SurfaceCandidate(row, {"words": weight / whole}))
    return made


def _is_enough(weight: float, whole: float, kind: str) -> bool:
    """Whether words of `weight`, out of `whole` in the prompt, tell that a memory fits."""
    if kind == "procedure":
        return weight >= min(max(LEAST_OF_PROCEDURE, SHARE_OF_PROCEDURE * whole), ENOUGH)
    return weight >= min(max(LEAST, SHARE * whole), ENOUGH) or weight == whole >= 1.0

"""Which memories of a store match a prompt, decided without the model.

A memory matches by words if it shares enough of the prompt's content words, and by meaning if it is
about as similar to the prompt as the most similar generic prompt is. What was compared and does not
match is returned too, with the reason, for whoever asks.
"""

from collections.abc import Container, Iterable, Mapping, Sequence, Set
from math import log, log2

from cortex_core.base import scripts, text
from cortex_core.base.authorship import applies_always
from cortex_core.language.generic_words import GENERIC
from cortex_core.search.keyword import QueryWords
from cortex_core.search.pool import Allowed
from cortex_core.store.surface_reader import UP_TO_DATE, SurfaceReader, SurfaceRow
from cortex_core.surface.choosing import SurfaceCandidate
from cortex_core.surface.prompt_recall import ranking

POOL_SIZE = 48
"""The best memories of a store that are compared more closely."""

SHARE = 0.4
"""Share of the prompt's words that a memory must hold to match by words."""

LEAST, ENOUGH = 1.5, 5.0
"""Weight of words that it must hold at least, and that is enough for a prompt of any length."""

LEAST_OF_PROCEDURE, SHARE_OF_PROCEDURE = 1.0, 0.5
"""The same limits for a procedure, which a task often names by one word."""

NAMED, FEWEST_NAMED = 0.6, 2
"""Share, and number, of the words of a user's rule by which a prompt names what the rule is about.
Of 21 rules typed by hand two are named by one each of 40 ordinary prompts, and both fit it."""

_HOW_OFTEN = frozenset(
    """
    always anything directly don't every everywhere need never new only without
    auf das den der die direkt im immer kein keine nicht nie niemals nur ohne
    de des du jamais la le les ne pas sans seulement toujours
    el en las los nunca siempre sin solo da do não sempre sem mai non senza
    без в на не нельзя никогда только всегда
    """.split()
)
"""Words of rules that name nothing to do."""

MOST_MEMORY_WORDS = 300
"""Different content words of a memory that are compared."""

SMALL_STORE = 50
"""Number of memories below which no word counts as common."""

COMMON = 10
"""A word is common if one memory in this many holds it."""

CROWD, CROWDED = 0.015, 100
"""What the threshold rises by for each doubling of a store beyond this many memories, and falls by
for each halving: the more memories there are, the more similar is the best unrelated one."""

STANDS_OUT = 0.2
"""What the threshold lies at least above the similarity of the store's typical memory. To a long
prompt all memories of a project are similar. Without it 44 of 330 real prompts are given something
that does not fit, with it 21; of 140 made-up ones none loses what fits."""

LONG = 200
"""Characters from which a memory is long, and takes as much more for each e-fold: the vector of a
long text is near to whatever is asked. Of 97 real prompts 24 are near enough to something that
does not fit without it, with it 9; of 100 made-up ones none loses what fits."""

LOWEST_THRESHOLD = 0.1
"""The threshold is never lower."""

SHARE_OF_BEST = 0.6
"""Share of the best similarity that another memory needs to be injected as well. Of 100 made-up
prompts 28 are given what fits, with 0.75 27 in 21 lines fewer of 137; of 15 lines for real ones,
none of which fits, 4 fewer are given then."""

MOST_PROMPT_WORDS = 48
"""Different content words of a prompt that are compared."""

_ENDING = 3
"""Letters at a word's end that inflection may change."""

_STEM = 4
"""Fewest letters at the beginning of two words that must agree."""

COMMON_WEIGHT = 0.3
"""Weight of a common or generic word; any other weighs 1."""

PAIR_WEIGHT, WHOLE_PAIRS = 0.75, 0.5
"""Of two neighbouring letters in a script without blanks: a word of three letters has two such
pairs. And what of that counts towards the whole prompt: every other pair straddles two words."""

LONGER_PAIR_WEIGHT = 0.3
"""The same in Thai and its like, whose words are four or five letters long."""

_SHORT_WORDS = "\u3005"
"""The first letter of the scripts whose words are about two letters long."""


class PromptPool:
    """The memories of one store that may match a prompt."""

    def __init__(self, store: SurfaceReader, prompt: str) -> None:
        self.allowed = Allowed(
            "m.status = 'active' AND m.inject <> 'never' AND NOT m.withheld "
            f"AND m.kind NOT IN ('code', 'episode') AND {UP_TO_DATE}"
        )
        ranked = ranking.rank(store, prompt, allowed=self.allowed)
        self.store = store
        self.words: QueryWords = ranked.words
        self.best = ranked.candidates[:POOL_SIZE]
        self.generic_similarity = ranked.generic_similarity
        """The similarity of the most similar generic prompt; 0 if meaning was not compared."""
        self.typical_similarity = ranked.typical_similarity

    def by_meaning(self, excluded: Set[str]) -> list[SurfaceCandidate]:
        """The memories that have a vector, best first, without the ids in `excluded`.

        Their score is their similarity to the prompt as a share of the threshold.
        """
        usual = threshold(self.generic_similarity, self.words.total)
        least = max(usual, self.typical_similarity + STANDS_OUT)
        cosines = {one.number: one.cosine for one in self.best if one.cosine is not None}
        return [
            SurfaceCandidate(
                row,
                {
                    "meaning": cosines[row.number]
                    / (least * (1 + log(max(LONG, len(row.content)) / LONG)))
                },
            )
            for row in self.store.numbered(list(cosines))
            if row.id not in excluded
        ]


def threshold(generic_similarity: float, total: int) -> float:
    """The similarity of a related memory: that of a generic prompt, more in a large store.

    Any sentence is somewhat similar to any other, and how much depends on the sentence. What the
    prompt has in common with generic prompts measures it.

    Args:
        generic_similarity: the similarity of the prompt to the most similar generic prompt.
        total: how many memories the store has.
    """
    return max(generic_similarity + CROWD * log2(max(1, total) / CROWDED), LOWEST_THRESHOLD)


def above_floor(matches: list[SurfaceCandidate], floor: float) -> list[SurfaceCandidate]:
    """`matches` by meaning, of which all are refused if the best is below `floor`.

    Args:
        floor: a share of the threshold.
    """
    best = max((match.score for match in matches), default=0.0)
    least = SHARE_OF_BEST * best if best >= floor else floor
    for match in matches:
        if match.score < least:
            share = max(0.0, match.score / least)
            match.refused = f"its meaning is too far away: {share:.0%} of what this prompt takes"
    return matches


def by_words(pool: PromptPool, prompt: str, excluded: Set[str]) -> list[SurfaceCandidate]:
    """The memories that share words with the prompt.

    Those that share neither a name from code nor enough words are refused, but for rules of the
    user that name what the prompt is about to do.

    Args:
        excluded: ids of memories that must not be injected.
    """
    asked = subjects(prompt)
    names = text.identifiers(prompt)
    # In a small store every word is rare, so that rarity says nothing there.
    common = log(COMMON) if pool.words.total >= SMALL_STORE else -1.0
    weight_of = dict(zip(asked, weights(asked, pool.words.rarity, common), strict=True))
    whole = sum(
        n * (WHOLE_PAIRS if _pair(word) == PAIR_WEIGHT else 1) for word, n in weight_of.items()
    )
    matches = []
    for row in pool.store.numbered([one.number for one in pool.best if one.keyword > 0]):
        if row.id in excluded:
            continue
        words = subjects(f"{row.title}\n{row.content}", most=MOST_MEMORY_WORDS)
        shared = shared_words(asked, words, names)
        weight = sum(weight_of[word] for word in shared)
        is_named = any(word in names and weight_of[word] == 1.0 for word in shared)
        candidate = SurfaceCandidate(row, {"words": min(1.0, weight / whole) if whole else 0.0})
        is_near = is_named or bool(whole and _is_enough(weight, whole, row.kind))
        if not is_near and not _names_the_deed(row, asked):
            candidate.refused = (
                f"shares too few words: {', '.join(shared)}"
                if shared
                else "shares no word that counts"
            )
        matches.append(candidate)
    return matches


def _names_the_deed(row: SurfaceRow, asked: Sequence[str]) -> bool:
    """Whether a memory is a rule of the user that names what the prompt is about to do."""
    if row.kind not in ("policy", "preference") or not applies_always(row.rule):
        return False
    words = [word for word in subjects(row.title.replace("-", " ")) if word not in _HOW_OFTEN]
    return len(shared_words(words, asked)) >= max(FEWEST_NAMED, NAMED * len(words))


def _is_enough(weight: float, whole: float, kind: str) -> bool:
    """Whether shared words of `weight`, out of `whole` in the prompt, make a memory match."""
    if kind == "procedure":
        return weight >= min(max(LEAST_OF_PROCEDURE, SHARE_OF_PROCEDURE * whole), ENOUGH)
    return weight >= min(max(LEAST, SHARE * whole), ENOUGH) or weight >= whole >= 1.0


def subjects(words: str, most: int = MOST_PROMPT_WORDS) -> list[str]:
    """The first `most` different content words of `words`, in order."""
    runs, rest = scripts.apart(words)
    found = text.content_words(rest)
    for run in runs:
        found += scripts.pairs(run) or [run]
    return list(dict.fromkeys(found))[:most]


def shared_words(
    words: Sequence[str], others: Iterable[str], exact: Container[str] = ()
) -> list[str]:
    """Those of `words` that are among `others`, whatever their endings.

    Args:
        exact: words, such as names from code, that must be the same to the letter.
    """
    known = set(others)
    plain = [word for word in known if word.isalpha()]

    def is_shared(word: str) -> bool:
        if word in known or word in exact or len(word) < _STEM or not word.isalpha():
            return word in known
        return any(_same_stem(word, other) for other in plain)

    return [word for word in words if is_shared(word)]


def weights(words: Sequence[str], rarity: Mapping[str, float], common: float) -> list[float]:
    """How much each of `words` says about the subject: 1, or little if it is common or generic;
    less for a pair of letters.

    Args:
        rarity: inverse document frequency by word.
        common: the rarity below which a word is common.
    """
    return [
        (COMMON_WEIGHT if word in GENERIC or rarity.get(word, common) < common else 1.0)
        * _pair(word)
        for word in words
    ]


def _pair(word: str) -> float:
    """What a pair of letters weighs; 1 for a word."""
    if len(word) > 2 or word[0] < scripts.FIRST:
        return 1.0
    return PAIR_WEIGHT if word[0] >= _SHORT_WORDS else LONGER_PAIR_WEIGHT


def _same_stem(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _STEM or abs(len(one) - len(other)) > _ENDING:
        return False
    return one.startswith(_stem(other)) or other.startswith(_stem(one))


def _stem(word: str) -> str:
    # The prompt hook has no time to load the stemmer of `duplicates/features.py`.
    return word[: max(_STEM, len(word) - _ENDING)]

"""Search by words: a user's text as a valid FTS5 query, misspelt words corrected, and its bm25.

The rarity of each word in a store says how much a match is worth.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log

from cortex_core.base import scripts
from cortex_core.base.hook_io import LightRecord
from cortex_core.base.text import content_words, units, words
from cortex_core.embeddings.pieces import Pieces
from cortex_core.store.reader import BM25, Reader

MOST_WORDS = 48
"""Different words of a query that are looked up, from its beginning."""

_BEYOND_LATIN = "\u0370"
"""The first letter, a Greek one, that is not Latin."""

SHORT = 6
"""Letters from which two slips in a word are corrected; in a shorter one, one."""


def terms(text: str) -> list[str]:
    """The different words of `text` to search for, in order; all of them when none has content.

    A code word such as `a/b.py` counts as itself and as its parts, a run of letters without blanks
    as itself, as its words and as each pair of its letters. A single letter counts where nothing
    else is asked: it is in very many texts.
    """
    runs, rest = scripts.apart(text)
    content = content_words(rest) or [word for word in words(rest) if word and not runs]
    spread = [part for word in content for part in (word, *_parts(word))]
    for run in runs:
        spread += [run.replace(" ", ""), *run.split(" "), *scripts.pairs(run)]
    several = [word for word in spread if not runs or len(word) > 1]
    return list(dict.fromkeys(several or spread))[:MOST_WORDS]


def match(words: Sequence[str]) -> str:
    """The FTS5 query that finds any of these words; empty when there are none."""
    return " OR ".join(quoted(word) for word in words)


class Beginning(str):
    """A word to search for that may go on."""

    __slots__ = ()


def quoted(word: str) -> str:
    """`word` as an FTS5 string, whatever is in it; a run of letters as the phrase that finds it."""
    if scripts.is_run(word):
        return scripts.phrase(word)
    string = '"' + word.replace('"', '""').replace("\0", "") + '"'
    return f"{string}*" if isinstance(word, Beginning) else string


def correct(
    words: Sequence[str],
    is_known: Callable[[str], bool],
    vocabulary: Callable[[str], Sequence[tuple[str, int]]],
) -> dict[str, str]:
    """Misspelt words and what they are read as.

    Args:
        is_known: whether the store has a word, whatever its ending.
        vocabulary: the store's words, with their counts, that a misspelt word may have meant.
    """
    unknown = [
        word
        for word in words
        if len(word) > 3 and word.isalpha() and not scripts.is_run(word) and not is_known(word)
    ]
    read = {word: _closest(word, vocabulary(word)) for word in unknown}
    return {word: best for word, best in read.items() if best}


def is_read(words: Sequence[str]) -> bool:
    """Whether the shipped model knows any of `words` as a word.

    It reads others by their pieces, which resemble anything by chance.
    """
    with Pieces() as known:
        return any(map(known.is_word, words))


def is_legible(text: str) -> bool:
    """Whether the shipped model reads most of `text`: of other letters than Latin ones it knows few
    and no words, and so finds any two texts in them similar."""
    if text.isascii():
        return True
    foreign = [max(word) >= _BEYOND_LATIN for word in units(text)]
    return 2 * sum(foreign) < len(foreign) or not foreign


def _closest(word: str, vocabulary: Sequence[tuple[str, int]]) -> str:
    """The most frequent of the nearest words within the cutoff, rather one of which letters are
    missing: “wher” is “where” before “when”. Empty when none is."""
    from rapidfuzz.distance import OSA

    cutoff = 1 if len(word) < SHORT else 2
    distances = (
        (OSA.distance(word, known, score_cutoff=cutoff), len(known) <= len(word), -count, known)
        for known, count in vocabulary
    )
    near = (one for one in distances if one[0] <= cutoff)
    return min(near, key=lambda one: one[:3], default=(0, False, 0, ""))[3]


def _parts(word: str) -> list[str]:
    if word.isalnum():
        return []
    folded = "".join(letter if letter.isalnum() else " " for letter in word)
    return [part for part in content_words(folded) if len(part) > 1]


COMMON = 8
"""Words are searched for, the rarest first, until one in so many memories matches them. The common
ones that are left out say little, and cost most of the time in a large store."""

LEAST = 2
"""Words that are searched for however common they are."""

MATCHES = 8000
"""Matches that are searched for anyway, because they cost next to nothing."""


class WordIndex(LightRecord):
    """The tables of one index for full-text search."""

    table: str
    vocabulary: str
    """The table of its words, of fts5vocab."""
    bm25: str
    """The function that scores a match: lower, below zero, is better."""
    total: str
    """The SQL that counts its rows."""
    common: int = COMMON
    """Words are searched for, the rarest first, until one in so many rows matches them."""
    least: int = LEAST
    """Words that are searched for however common they are."""


MEMORIES = WordIndex("memory_fts", "word", BM25, "SELECT count(*) FROM memory")


class QueryWords(LightRecord):
    """The words of a query in one store."""

    terms: tuple[str, ...]
    """Those searched for."""
    rarity: dict[str, float]
    """The inverse document frequency of every word of the query, those left out included."""
    total: int
    """Memories in the store."""

    @property
    def weight(self) -> float:
        """The sum of the rarities of all words, including those that no memory has: a match of one
        known word says little if ten others are unknown."""
        return sum(self.rarity.values())


def corrections(stores: Sequence[Reader], terms: Sequence[str]) -> dict[str, str]:
    """Misspelt words and what they are read as.

    A word is misspelt if no store has it in any form and it is no common word either: a store
    about water has nothing to say about winter.
    """
    with Pieces() as common:
        return correct(
            terms,
            lambda word: any(has(store, word) for store in stores) or common.is_word(word),
            lambda word: [known for store in stores for known in similar(store, word)],
        )


def prepare(
    store: Reader, terms: Sequence[str], fewer: int = 1, index: WordIndex = MEMORIES
) -> QueryWords:
    """Those of `terms` that are worth searching this store for, and how rare they are.

    Args:
        fewer: by what the matches that are searched for are divided, where little time is left.
    """
    total = int(store.rows(index.total)[0][0] or 0)
    most = max(MATCHES, total // index.common)
    counts = {word: _count(store, word, most + 1, index) for word in terms}
    return counted(counts, total, most // fewer, index.least)


def counted(counts: Mapping[str, int], total: int, most: int, least: int = LEAST) -> QueryWords:
    """The words of a query of which it is known how many memories hold each.

    Args:
        total: how many memories there are.
        most: words are searched for, the rarest first, until so many memories match.
        least: words that are searched for however common they are.
    """
    searched: list[str] = []
    matches = 0
    for word in sorted((word for word in counts if counts[word]), key=lambda word: counts[word]):
        matches += counts[word]
        if matches <= most or len(searched) < least:
            searched.append(word)
    return QueryWords(
        tuple(searched), {word: rarity(total, count) for word, count in counts.items()}, total
    )


def search(
    store: Reader, words: QueryWords, limit: int, index: WordIndex = MEMORIES
) -> list[tuple[int, float]]:
    """Number and bm25 (higher is better) of the rows with any of the words, best first."""
    if not words.terms:
        return []
    found = store.rows(
        f"SELECT rowid, -{index.bm25} FROM {index.table} WHERE {index.table} MATCH ? "
        f"ORDER BY {index.bm25} LIMIT ?",
        (match(words.terms), limit),
    )
    return [(number, score) for number, score in found]


def rarity(total: int, count: int) -> float:
    """FTS5's inverse document frequency of a word that `count` of `total` memories have."""
    return max(log((total - count + 0.5) / (count + 0.5)), 1e-6)


def has(store: Reader, word: str, index: WordIndex = MEMORIES) -> bool:
    """Whether a row has the word, whatever its ending."""
    return _count(store, word, 1, index) > 0


def _count(store: Reader, word: str, most: int, index: WordIndex) -> int:
    """How many rows have the word; counting stops at `most`."""
    counted = store.rows(
        f"SELECT count(*) FROM (SELECT 1 FROM {index.table} WHERE {index.table} MATCH ? LIMIT ?)",
        (quoted(word), most),
    )
    return int(counted[0][0])


def similar(store: Reader, word: str, index: WordIndex = MEMORIES) -> list[tuple[str, int]]:
    """Words of the index that begin as this one does, or as it would with its first two swapped."""
    similar: list[tuple[str, int]] = []
    for first in dict.fromkeys((word[0], word[1])):
        rows = store.rows(
            f"SELECT term, doc FROM {index.vocabulary} WHERE term >= ? AND term < ?",
            (first, first + "\U0010ffff"),
        )
        similar += [(term, count) for term, count in rows]
    return similar

"""Recall without the embedding model, for the prompt hook: loading the model would take 0.3 s.

The wordpieces of the prompt are looked up in a table (`embeddings/pieces.py`). Each contributes to
the meaning of the sentence; the signs of the sum are compared with the signs of the memories'
vectors. What remains is counting equal bits, which the standard library does fast enough. Comparing
each word as well (MaxSim) and a session's other memories puts no more right memories among the two
that are injected (benchmarks/prompts.py: 36 of 100 against 38). Standard library only.
"""

import re
from collections.abc import Iterable, Sequence
from math import sqrt
from operator import add

from cortex_core.base.hook_io import LightRecord
from cortex_core.base.text import STOP_WORDS
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.embeddings.pieces import TABLE, WIDTH, Pieces
from cortex_core.search import keyword, pool
from cortex_core.search.fusion import SearchCandidate, absolute
from cortex_core.store import vector_file
from cortex_core.store.reader import Reader

DEPTH = 100
"""Memories taken from each way of searching."""

MOST_COMPARED = 64
"""The best of them, which are returned."""

FEWEST_TYPICAL = 5
"""Memories that a store needs for one of them to be typical."""

FEWER = 8
"""What part of the words' matches that recall searches for is enough here: measured on LoCoMo, the
rarer words alone find as much."""

MOST_VECTORS = 20_000
"""Vectors whose sign bits are compared one by one; a larger store is searched by words alone."""

FRESH = 300
"""Most vectors that are read from the store because the file lacks them, 0.03 ms each."""

MOST_PIECES = 24
"""Wordpieces of a prompt that are compared: the rarest."""

HALF = 4 * WIDTH
"""Half of the bits: two vectors that differ in this many are unrelated."""

UNKNOWN = 9
"""What a wordpiece without a known contribution adds to each dimension, up or down: a little less
than what others add."""

_WORD = re.compile(r"[^\W_]+")


class QueryMeaning:
    """About the direction of a sentence's vector: its sign bits, and the strong dimensions."""

    def __init__(self, contributions: Iterable[Sequence[int]]) -> None:
        """`contributions`: what each wordpiece of the sentence adds."""
        values = [0] * (8 * WIDTH)
        for each in contributions:
            values = list(map(add, values, each))
        strength = sum(map(abs, values)) / max(1, len(values))
        self._signs = _packed(value > 0 for value in values)
        self._strong = _packed(abs(value) > strength for value in values)
        self.half = HALF + self._strong.bit_count()
        """Half of the bits, strong dimensions counted thrice."""

    def differences(self, signs: bytes) -> list[int]:
        """How many sign bits of each vector differ; strong dimensions count thrice.

        Args:
            signs: of the vectors, one after the other.
        """
        found = []
        for at in range(0, len(signs), WIDTH):
            unequal = int.from_bytes(signs[at : at + WIDTH], "big") ^ self._signs
            found.append(unequal.bit_count() + 2 * (unequal & self._strong).bit_count())
        return found

    def similarity(self, difference: int) -> float:
        """What replaces the cosine of two vectors: -1 if all bits differ, 1 if none does."""
        return 1 - difference / self.half


class Ranking(LightRecord):
    """The memories of one store in the order in which they may answer a prompt."""

    candidates: list[SearchCandidate]
    """Best first."""
    words: keyword.QueryWords
    generic_similarity: float = 0.0
    """The similarity of the prompt to the most similar generic prompt, on the scale of the
    candidates' cosines; 0 if meaning was not compared."""
    typical_similarity: float = 0.0
    """The similarity of the prompt to the memory in the middle: half of the store is more similar.
    0 if meaning was not compared, or among so few that none is typical."""


def rank(
    store: Reader,
    text: str,
    *,
    allowed: pool.Allowed | None = None,
    table: str = TABLE,
) -> Ranking:
    """The memories of one store that may answer `text`.

    Args:
        allowed: which memories may be returned; the active ones when None.

    Raises:
        sqlite3.Error: the store cannot be read.
    """
    allowed = allowed or pool.Allowed()
    words = keyword.prepare(store, keyword.terms(text), FEWER)
    pieces = _contributions(text, words, table)
    meant = QueryMeaning(pieces)
    numbers, signs = _sign_bits(store) if pieces else ([], b"")
    # Every memory is compared, a few bytes each: what shares no word with the prompt is found only
    # so.
    differences = dict(zip(numbers, meant.differences(signs), strict=True))
    # All differences are sorted as plain numbers, which is faster than as pairs.
    order = sorted(differences.values())
    (by_words, by_meaning), _ = pool.allowed_first(
        store,
        allowed,
        DEPTH,
        [
            lambda limit: keyword.search(store, words, limit),
            lambda limit: _closest(differences, order[:limit]),
        ],
    )

    def similarity(number: int) -> float:
        return meant.similarity(differences.get(number, meant.half))

    candidates = [
        SearchCandidate(
            number,
            keyword=absolute(by_words.get(number, 0.0), words.weight),
            cosine=similarity(number) if number in differences else None,
        )
        for number in pool.best_first(by_words, by_meaning, similarity)[:MOST_COMPARED]
    ]
    if not order:
        return Ranking(candidates, words)
    with Pieces(table) as known:
        generic = meant.differences(b"".join(known.generic_prompts()))
    similar = meant.similarity(min(generic, default=meant.half))
    is_handful = len(order) < FEWEST_TYPICAL
    typical = 0.0 if is_handful else meant.similarity(order[len(order) // 2])
    return Ranking(candidates, words, similar, typical)


def _contributions(prompt: str, words: keyword.QueryWords, table: str) -> list[Sequence[int]]:
    """What the wordpieces of `prompt` whose words are the rarest add to its meaning; none where the
    model does not read it."""
    if not keyword.is_legible(prompt):
        return []
    with Pieces(table) as known:
        pieces = [
            (sqrt(words.rarity.get(word, 1.0)) or 1e-3, text, vector)
            for word in _content(prompt)
            for text, vector in known.parts(word)
        ]
        pieces.sort(key=lambda piece: -piece[0])
        rarest = pieces[:MOST_PIECES]
        added = known.added([text for _, text, _ in rarest])
    return [contribution(vector, added.get(text, b"")) for _, text, vector in rarest]


def _content(text: str) -> list[str]:
    """The different words of `text` as the model's tokenizer sees them: no case, no accents."""
    plain = text.lower()
    if not plain.isascii():
        import unicodedata

        plain = unicodedata.normalize("NFD", plain)
        plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")
    content = [word for word in _WORD.findall(plain) if word not in STOP_WORDS]
    return list(dict.fromkeys(content))[: keyword.MOST_WORDS]


def _sign_bits(store: Reader) -> tuple[list[int], bytes]:
    """Numbers of memories and the sign bits of their vectors; none if too many to compare.

    They are kept in a file next to the store; those of the newest vectors are read from the store.
    """
    path, identity = vector_file.place(store.file, store.scope), store.identity
    numbers, signs = vector_file.read(path, identity, SHIPPED_TAG, MOST_VECTORS)
    since = vector_file.stamp(path, identity, SHIPPED_TAG)
    if since >= 0 and not numbers:
        return [], b""
    fresh = store.vectors_since(since, SHIPPED_TAG, FRESH + 1)
    if len(fresh) > FRESH:
        return [], b""
    numbers += [number for number, _ in fresh]  # the last of a number is the one that counts
    return numbers, signs + b"".join(vector_file.signs(vector) for _, vector in fresh)


def contribution(vector: bytes, added: bytes) -> Sequence[int]:
    """What a wordpiece adds to each dimension; if that is unknown, the same up or down to all.

    Args:
        vector: its bits, by which what it adds is guessed where that is unknown.
        added: what it adds, a signed byte a dimension; empty if that is unknown.
    """
    if added:
        return memoryview(added).cast("b")
    bits = format(int.from_bytes(vector, "big"), f"0{8 * WIDTH}b")
    return [UNKNOWN if bit == "1" else -UNKNOWN for bit in bits]


def _packed(flags: Iterable[bool]) -> int:
    """The flags as bits, the first one as the highest."""
    return int("".join("1" if flag else "0" for flag in flags), 2)


def _closest(differences: dict[int, int], least: Sequence[int]) -> list[tuple[int, float]]:
    """The numbers of the memories that differ least, and minus how much they differ.

    Args:
        least: the smallest of the differences, in order: as many as are wanted.
    """
    closest = (
        (differing, number) for number, differing in differences.items() if differing <= least[-1]
    )
    return [(number, -differing) for differing, number in sorted(closest)[: len(least)]]

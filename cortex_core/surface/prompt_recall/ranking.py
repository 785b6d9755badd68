"""Recall without the embedding model, for where its 0.3 s to load are too much: the prompt hook.

The same late interaction as with the model. The wordpieces of the question are looked up in a table
(`embeddings/pieces.py`): their constant bits, which meet the bits that memories keep of theirs, and
what each adds to the meaning of the whole, which meets the signs of the memories' vectors. What
remains is counting equal bits, which the standard library does fast enough. Standard library only.
"""

from __future__ import annotations

import re
import unicodedata
from math import sqrt
from operator import add

from cortex_core.base.text import STOP_WORDS
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.embeddings.pieces import TABLE, WIDTH, Pieces
from cortex_core.search import keyword, pool
from cortex_core.search.fusion import LIGHT, Score, SearchCandidate, absolute, fuse
from cortex_core.store import vector_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cortex_core.search.pool import Allowed
    from cortex_core.store.reader import Reader

DEPTH = 100
"""Memories taken from each way of searching."""

MOST_VECTORS = 20_000
"""Vectors whose signs are compared one by one; a larger store is searched by words alone."""

FRESH = 300
"""Vectors that are not in the file yet and are looked at all the same, 0.03 ms each."""

MOST_PIECES = 24
"""Wordpieces of a question that are compared: the rarest."""

MOST_TOKENS = 160
"""Wordpieces of a memory that are compared: its first ones."""

HALF = 4 * WIDTH
"""Half the bits: two vectors that differ in so many have nothing to do with each other."""

UNKNOWN = 9
"""What a wordpiece that none of the sentences had adds to each dimension, up or down: a little less
than what others add."""

_WORD = re.compile(r"[^\W_]+")


class QueryPiece:
    """A wordpiece of the question."""

    __slots__ = ("added", "bits", "importance")

    def __init__(self, bits: int, importance: float, added: bytes = b"") -> None:
        self.bits = bits
        self.importance = importance
        self.added = added
        """What it adds to the meaning, a signed byte a dimension; empty where that is not known."""


class QueryMeaning:
    """Nearly the direction of a sentence's vector: its signs, and which dimensions are strong."""

    __slots__ = ("scale", "signs", "strong")

    def __init__(self, values: Sequence[int]) -> None:
        strength = sum(map(abs, values)) / max(1, len(values))
        self.signs = _packed(value > 0 for value in values)
        self.strong = _packed(abs(value) > strength for value in values)
        self.scale = 2 * HALF / (2 * HALF + 2 * self.strong.bit_count())

    def differ(self, held: Sequence[int]) -> list[float]:
        """How many of the signs of each of `held` differ; strong dimensions count three times."""
        signs, strong, scale = self.signs, self.strong, self.scale
        return [
            scale * ((other := one ^ signs).bit_count() + 2 * (other & strong).bit_count())
            for one in held
        ]


class Ranking:
    """What recall without the model says of one store."""

    __slots__ = ("ordinary", "scores", "words")

    def __init__(self, scores: list[Score], words: keyword.Words, ordinary: float = 0.0) -> None:
        self.scores = scores
        """Best first."""
        self.words = words
        self.ordinary = ordinary
        """How similar the question is to the most similar generic prompt (`generic_prompts`),
        on the scale of its candidates' cosines; 0 where neither was looked at."""


def rank(
    store: Reader,
    text: str,
    *,
    allowed: Allowed | None = None,
    table: str = TABLE,
) -> Ranking:
    """The memories of one store that may answer `text`.

    Args:
        allowed: which memories may be returned; the active ones when None.

    Raises:
        sqlite3.Error: the store cannot be read.
    """
    allowed = allowed or pool.Allowed()
    words = keyword.prepare(store, keyword.terms(text))
    names = pool.authors(store)
    pieces = _pieces(text, words, table)
    meant = meaning(pieces)
    held = _sign_bits(store) if pieces else {}
    differ = dict(zip(held, meant.differ(list(held.values())), strict=True))
    (found, near), placed = pool.allowed_first(
        store, allowed, DEPTH,
        [lambda limit: keyword.search(store, words, limit), lambda limit: _closest(differ, limit)],
    )  # fmt: skip
    known = pool.with_neighbours(store, list(dict.fromkeys((*found, *near))), placed, allowed)
    tokens = _maxsim(store, pieces, list(known))
    named = pool.the_one_named(text, names)
    candidates = [
        SearchCandidate(
            number, keyword=absolute(found.get(number, 0.0), words.weight),
            cosine=_similarity(differ.get(number, HALF)) if number in tokens else None,
            tokens=tokens.get(number, ()), session=at.session, place=at.place,
            author=named is not None and at.author == named, asks=at.asks, instructs=at.instructs,
        )
        for number, at in known.items()
    ]  # fmt: skip
    scores = fuse(candidates, [piece.importance for piece in pieces], LIGHT)
    return Ranking(scores, words, _generic_similarity(meant, table) if differ else 0.0)


def _pieces(prompt: str, words: keyword.Words, table: str) -> list[QueryPiece]:
    """The wordpieces of `prompt` that have content, weighed by how rare their words are."""
    with Pieces(table) as known:
        cut = [
            (_rarity(word, words), text, bits)
            for word in _content(prompt)
            for text, bits in known.parts(word)
        ]
        cut.sort(key=lambda part: -part[0])
        kept = cut[:MOST_PIECES]
        added = known.added([text for _, text, _ in kept])
    whole = sum(weight for weight, _, _ in kept) or 1.0
    return [
        QueryPiece(int.from_bytes(bits, "big"), weight / whole, added.get(text, b""))
        for weight, text, bits in kept
    ]


def _content(text: str) -> list[str]:
    """The different words of `text` as the model's tokenizer sees them: no case, no accents."""
    plain = unicodedata.normalize("NFD", text.lower())
    plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")
    found = [word for word in _WORD.findall(plain) if word not in STOP_WORDS]
    return list(dict.fromkeys(found))[: keyword.MOST_WORDS]


def _rarity(word: str, words: keyword.Words) -> float:
    """The square root of how rare the word is in the store, as `semantic.importance` has it."""
    return sqrt(words.rarity.get(word, 1.0)) or 1e-3


def _sign_bits(store: Reader) -> dict[int, int]:
    """The signs of each memory's vector, by number; none when there are too many to look at.

    They lie in a file next to the store; those of the newest vectors are read from the store.
    """
    path, identity = vector_file.place(store.file, store.scope), store.identity
    held = dict(zip(*vector_file.read(path, identity, SHIPPED_TAG, MOST_VECTORS), strict=True))
    since = vector_file.stamp(path, identity, SHIPPED_TAG)
    if since >= 0 and not held:
        return {}
    fresh = store.vectors_since(since, SHIPPED_TAG, FRESH + 1)
    if len(fresh) > FRESH:
        return {}
    return held | {number: vector_file.packed(vector) for number, vector in fresh}


def _generic_similarity(meant: QueryMeaning, table: str) -> float:
    with Pieces(table) as known:
        held = [int.from_bytes(bits, "big") for bits in known.ordinary()]
    return _similarity(min(meant.differ(held))) if held else 0.0


def _similarity(differing: float) -> float:
    """The replacement of the cosine: -1 where all bits differ, 1 where none does."""
    return 1 - differing / HALF


def meaning(pieces: Sequence[QueryPiece]) -> QueryMeaning:
    """What the wordpieces mean together."""
    sums = [0] * (8 * WIDTH)
    for piece in pieces:
        sums = list(
            map(add, sums, memoryview(piece.added or _contribution_of(piece.bits)).cast("b"))
        )
    return QueryMeaning(sums)


def _contribution_of(bits: int) -> bytes:
    """What a wordpiece of which only the bits are known adds: all dimensions alike."""
    up, down = UNKNOWN.to_bytes(1, "big"), (256 - UNKNOWN).to_bytes(1, "big")
    return b"".join(up if bit == "1" else down for bit in format(bits, f"0{8 * WIDTH}b"))


def _packed(flags: Iterable[bool]) -> int:
    """The flags as one integer; the first leads."""
    return int("".join("1" if flag else "0" for flag in flags), 2)


def _closest(differ: dict[int, float], limit: int) -> list[tuple[int, float]]:
    """The `limit` memories that differ least."""
    if not differ:
        return []
    most = sorted(differ.values())[:limit][-1]
    near = [(differing, number) for number, differing in differ.items() if differing <= most]
    return [(number, _similarity(differing)) for differing, number in sorted(near)[:limit]]


def _maxsim(
    store: Reader, pieces: Sequence[QueryPiece], numbers: Sequence[int]
) -> dict[int, list[float]]:
    """For each memory that has bits, the best match of every piece."""
    wanted = [piece.bits for piece in pieces]
    found = store.token_bits(numbers, SHIPPED_TAG)
    convert = int.from_bytes
    made: dict[int, list[float]] = {}
    for number, blob in found:
        tokens = [
            convert(blob[at : at + WIDTH], "big")
            for at in range(0, min(len(blob), WIDTH * MOST_TOKENS), WIDTH)
        ]
        if tokens:
            made[number] = [
                _similarity(min([(bits ^ token).bit_count() for token in tokens]))
                for bits in wanted
            ]
    return made

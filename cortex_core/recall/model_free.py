"""Recall without the embedding model, for where its 0.3 s to load are too much: the prompt hook.

The same late interaction as with the model. The wordpieces of the question are looked up in a table
of constant bits (`embedding/pieces.db`); memories keep the bits of theirs. What remains is counting
equal bits, which the standard library does fast enough. Standard library only.
"""

from __future__ import annotations

import re
import unicodedata
from math import sqrt

from cortex_core import lean
from cortex_core.embedding.names import SHIPPED_TAG
from cortex_core.embedding.pieces import TABLE, WIDTH, Pieces
from cortex_core.recall import keyword, pool, query
from cortex_core.recall.fusion import LIGHT, Candidate, Score, absolute, fuse
from cortex_core.storage import signs
from cortex_core.text import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cortex_core.recall.pool import Allowed
    from cortex_core.storage.reads import Reads

DEEP = 100
"""Memories taken from each way of searching."""

MOST_SIGNS = 20_000
"""Vectors whose signs are compared one by one; a larger store is searched by words alone."""

MOST_PIECES = 24
"""Wordpieces of a question that are compared: the rarest."""

MOST_TOKENS = 160
"""Wordpieces of a memory that are compared: its first ones."""

HALF = 4 * WIDTH
"""Half the bits: two vectors that differ in so many have nothing to do with each other."""

_WORD = re.compile(r"[^\W_]+")


class Piece:
    """A wordpiece of the question."""

    __slots__ = ("bits", "importance")

    def __init__(self, bits: int, importance: float) -> None:
        self.bits = bits
        self.importance = importance


class Ranked:
    """What recall without the model says of one store."""

    __slots__ = ("scores", "words")

    def __init__(self, scores: list[Score], words: keyword.Words) -> None:
        self.scores = scores
        """Best first."""
        self.words = words


def rank(
    store: Reads,
    text: str,
    *,
    database: str,
    scope: str,
    identity: str,
    allowed: Allowed | None = None,
    table: str = TABLE,
) -> Ranked:
    """The memories of one store that may answer `text`.

    Args:
        database: the store's file; the signs of its vectors lie beside it.
        identity: of the store.
        allowed: which memories may be returned; the active ones when None.

    Raises:
        sqlite3.Error: the store cannot be read.
    """
    allowed = allowed or pool.Allowed()
    words = keyword.prepare(store, query.terms(text))
    names = pool.authors(store)
    pieces = _pieces(text, words, table)
    differ = _differ(pieces, signs.place(database, scope), identity)
    (found, near), placed = pool.allowed_first(
        store, allowed, DEEP,
        [lambda limit: keyword.search(store, words, limit), lambda limit: _first(differ, limit)],
    )  # fmt: skip
    known = pool.with_neighbours(store, list(dict.fromkeys((*found, *near))), placed, allowed)
    tokens = _late(store, pieces, list(known))
    named = pool.the_one_named(text, names)
    candidates = [
        Candidate(
            number, keyword=absolute(found.get(number, 0.0), words.weight),
            cosine=_alike(differ.get(number, HALF)) if number in tokens else None,
            tokens=tokens.get(number, ()), session=at.session, place=at.place,
            author=named is not None and at.author == named, asks=at.asks, instructs=at.instructs,
        )
        for number, at in known.items()
    ]  # fmt: skip
    return Ranked(fuse(candidates, [piece.importance for piece in pieces], LIGHT), words)


def _pieces(text: str, words: keyword.Words, table: str) -> list[Piece]:
    """The wordpieces of `text` that have content, weighed by how rare their words are."""
    with Pieces(table) as known:
        cut = [(bits, _rarity(word, words)) for word in _content(text) for bits in known.cut(word)]
    cut.sort(key=lambda pair: -pair[1])
    kept = cut[:MOST_PIECES]
    whole = sum(weight for _, weight in kept) or 1.0
    return [Piece(int.from_bytes(bits, "big"), weight / whole) for bits, weight in kept]


def _content(text: str) -> list[str]:
    """The different words of `text` as the model's tokenizer sees them: no case, no accents."""
    plain = unicodedata.normalize("NFD", text.lower())
    plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")
    found = [word for word in _WORD.findall(plain) if word not in STOP_WORDS]
    return list(dict.fromkeys(found))[: query.MOST_WORDS]


def _rarity(word: str, words: keyword.Words) -> float:
    """The square root of how rare the word is in the store, as `semantic.importance` has it."""
    return sqrt(words.rarity.get(word, 1.0)) or 1e-3


def _differ(pieces: Sequence[Piece], path: str, identity: str) -> dict[int, int]:
    """In how many signs each memory's vector differs from the question's, by number."""
    numbers, held = signs.read(path, identity, SHIPPED_TAG, MOST_SIGNS) if pieces else ([], [])
    meant = _majority(pieces)
    return dict(zip(numbers, [(one ^ meant).bit_count() for one in held], strict=True))


def _alike(differing: int) -> float:
    """What stands in place of the cosine: -1 where all bits differ, 1 where none does."""
    return 1 - differing / HALF


def _majority(pieces: Sequence[Piece]) -> int:
    """For each dimension what most of the pieces say, by importance."""
    sums = [0.0] * (8 * WIDTH)
    for piece in pieces:
        text = format(piece.bits, f"0{8 * WIDTH}b")
        weight = piece.importance
        sums = [
            old + weight if bit == "1" else old - weight
            for old, bit in zip(sums, text, strict=True)
        ]
    return int("".join("1" if value > 0 else "0" for value in sums), 2)


def _first(differ: dict[int, int], limit: int) -> list[tuple[int, float]]:
    """The `limit` memories that differ least."""
    if not differ:
        return []
    most = sorted(differ.values())[:limit][-1]
    near = [(differing, number) for number, differing in differ.items() if differing <= most]
    return [(number, _alike(differing)) for differing, number in sorted(near)[:limit]]


def _late(store: Reads, pieces: Sequence[Piece], numbers: Sequence[int]) -> dict[int, list[float]]:
    """For each memory that has bits, the best match of every piece."""
    wanted = [piece.bits for piece in pieces]
    found = store.rows(
        "SELECT number, bits FROM embedding WHERE model = ? "
        "AND number IN (SELECT value FROM json_each(?))",
        (SHIPPED_TAG, lean.dumps(list(numbers))),
    )
    convert = int.from_bytes
    made: dict[int, list[float]] = {}
    for number, blob in found:
        tokens = [
            convert(blob[at : at + WIDTH], "big")
            for at in range(0, min(len(blob), WIDTH * MOST_TOKENS), WIDTH)
        ]
        if tokens:
            made[number] = [
                _alike(min([(bits ^ token).bit_count() for token in tokens])) for bits in wanted
            ]
    return made

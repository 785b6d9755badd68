"""The vectors of an archive: what a model makes of the prose of conversations, kept small.

A message has one bit a dimension for its meaning as a whole, and as many for each of its first
content tokens. Those for the whole are kept by conversation, so that all of them can be read at
once and compared with a query (benchmarks/conversations.py measures what is found and how large
they are).
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from cortex_core.archive.archive import Archive
from cortex_core.base.one_thread import load_numpy
from cortex_core.base.text import units
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.records.conversation import PROSE
from cortex_core.search import candidates, keyword
from cortex_core.store import vector_search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cortex_core.embeddings.protocol import Embedder, Encoded, Vector

FEWEST_WORDS = 3
"""Content words from which on a message has a vector: a shorter one is found by its words."""

MOST_TOKENS = 24
"""Tokens of a message that are kept. All of them would take twice the room, and find no more."""

BATCH = 16
"""Messages that are encoded between two short transactions."""

SAMPLE = 256
"""Messages in which it is counted how common a token is."""

UNFINISHED = -1
"""The number of messages of a conversation that still waits for vectors."""

_PENDING = """
SELECT c.number, c.messages FROM conversation c
LEFT JOIN conversation_vectors v ON v.conversation = c.number
WHERE v.model IS NOT ? OR v.messages <> c.messages ORDER BY c.ended DESC, c.number DESC
"""

_PROSE = f"""
SELECT number, text FROM message WHERE conversation = ?
AND kind IN (SELECT value FROM json_each('{json.dumps(PROSE)}')) ORDER BY number
"""

_SAVE = """
INSERT INTO conversation_vectors (conversation, model, messages, numbers, signs)
SELECT number, ?, ?, ?, ? FROM conversation WHERE number = ? ON CONFLICT (conversation) DO UPDATE
SET model = excluded.model, messages = excluded.messages, numbers = excluded.numbers,
    signs = excluded.signs
"""

_COUNT_UP = """
INSERT INTO meta (key, value) VALUES ('vectors', '1')
ON CONFLICT (key) DO UPDATE SET value = value + 1
"""


# --- computing them


def embed(
    archive: Archive, embedder: Embedder, should_continue: Callable[[], bool] = lambda: True
) -> int:
    """Compute the vectors that are missing, newest conversations first; how many there were.

    No transaction is open while the model works. What is interrupted goes on where it ended.

    Raises:
        ModelUnavailable: the model fails.
        StoreError: the archive cannot be written.
    """
    done = 0
    for conversation, messages in archive.rows(_PENDING, (embedder.name,)):
        if not should_continue():
            break
        done += _embed(archive, conversation, messages, embedder, should_continue)
    return done


def _embed(
    archive: Archive,
    conversation: int,
    messages: int,
    embedder: Embedder,
    should_continue: Callable[[], bool],
) -> int:
    """Compute the missing vectors of one conversation that has so many messages."""
    known = _known(archive, conversation, embedder.name)
    is_shipped = embedder.name == SHIPPED_TAG  # which reads English alone
    missing = [
        (number, words)
        for number, words in archive.rows(_PROSE, (conversation,))
        if number not in known
        and not (is_shipped and not keyword.is_legible(words))
        and len(units(words)) >= FEWEST_WORDS
    ]
    done = 0
    for start in range(0, max(1, len(missing)), BATCH):
        if not should_continue():
            break
        encoded = {
            number: (words, embedder.encode(words))
            for number, words in missing[start : start + BATCH]
        }
        covered = messages if start + BATCH >= len(missing) else UNFINISHED
        done += _save(archive, conversation, embedder.name, covered, encoded)
    return done


def _known(archive: Archive, conversation: int, model: str) -> dict[int, bytes]:
    """The signs of the messages of a conversation that have vectors of `model`."""
    known: dict[int, bytes] = {}
    for numbers, signs in archive.rows(
        "SELECT numbers, signs FROM conversation_vectors WHERE conversation = ? AND model = ?",
        (conversation, model),
    ):
        listed = memoryview(numbers).cast("q").tolist()
        width = len(signs) // max(1, len(listed))
        known |= {number: signs[at * width :][:width] for at, number in enumerate(listed)}
    return known


def _save(
    archive: Archive,
    conversation: int,
    model: str,
    covered: int,
    encoded: dict[int, tuple[str, Encoded]],
) -> int:
    """Save vectors in one short transaction; how many were saved.

    Those of a message that is gone, or whose text has changed since, are dropped.
    """
    import numpy as np

    with archive.write():
        rows = archive.rows(
            "SELECT number, text FROM message WHERE number IN (SELECT value FROM json_each(?))",
            (json.dumps(list(encoded)),),
        )
        current: dict[int, str] = {row["number"]: row["text"] for row in rows}
        # The model worked outside of the transaction, so a text may have changed meanwhile.
        valid = {
            number: vectors
            for number, (words, vectors) in encoded.items()
            if current.get(number) == words
        }
        known = _known(archive, conversation, model)
        known.update((n, np.packbits(new.vector > 0).tobytes()) for n, new in valid.items())
        numbers = sorted(known)
        signs = b"".join(known[number] for number in numbers)
        archive.execute(_SAVE, (model, covered, array("q", numbers).tobytes(), signs, conversation))
        for number, vectors in valid.items():
            # The first tokens, each once.
            first = {piece: at for at, piece in reversed(list(enumerate(vectors.pieces)))}
            chosen = sorted(first.values())[:MOST_TOKENS]
            width = len(vectors.bits) // max(1, len(vectors.pieces))
            archive.execute(
                "INSERT OR REPLACE INTO message_tokens (number, pieces, bits) VALUES (?, ?, ?)",
                (
                    number,
                    array("H", [vectors.pieces[at] for at in chosen]).tobytes(),
                    b"".join(vectors.bits[at * width :][:width] for at in chosen),
                ),
            )
        archive.execute(_COUNT_UP)
    return len(valid)


# --- comparing them


class Signs(NamedTuple):
    """One bit a dimension for the meaning of each message of an archive, in rows."""

    model: str
    stamp: int
    numbers: NDArray[np.int64]
    owners: NDArray[np.int64]
    """The conversation of each."""
    positions: NDArray[np.int64]
    """The index of each among those of its conversation."""
    columns: NDArray[np.uint8]
    """The first byte of each row, then the second of each, and so on."""
    order: NDArray[np.int64]
    """The rows in the order of the numbers."""
    common: Counter[int]
    """In how many messages of a sample each wordpiece occurs."""
    sampled: int

    def cosines(self, query: Vector) -> Vector:
        """The cosine of `query` (unit length) with every row."""
        return candidates.dot_products(query[None], self.columns)[:, 0]

    def rows_of(self, numbers: Sequence[int]) -> dict[int, int]:
        """The row of each of these messages that has one, by its number."""
        import numpy as np

        wanted = np.array(numbers, np.int64)
        if not len(wanted) or not len(self.numbers):
            return {}
        at = np.searchsorted(self.numbers, wanted, sorter=self.order)
        rows = self.order[np.minimum(at, len(self.order) - 1)]
        found = self.numbers[rows] == wanted
        return dict(zip(wanted[found].tolist(), rows[found].tolist(), strict=True))

    def weights(self, pieces: Sequence[int]) -> list[float]:
        """How much each of a query's wordpieces counts, by its rarity; the shares sum to 1."""
        return candidates.piece_weights([self.common[piece] for piece in pieces], self.sampled)


_held: WeakKeyDictionary[Archive, Signs] = WeakKeyDictionary()


def signs(archive: Archive, model: str) -> Signs | None:
    """The signs that `model` gave the messages; None where there are none."""
    stamp = vector_search.stamp(archive)
    held = _held.get(archive)
    if held is None or (held.model, held.stamp) != (model, stamp):
        held = _held[archive] = _read(archive, model, stamp)
    return held if len(held.numbers) else None


def _read(archive: Archive, model: str, stamp: int) -> Signs:
    load_numpy()
    import numpy as np

    rows = archive.rows(
        "SELECT conversation, numbers, signs FROM conversation_vectors WHERE model = ? "
        "ORDER BY conversation",
        (model,),
    )
    numbers = np.frombuffer(b"".join(row["numbers"] for row in rows), np.int64)
    packed = np.frombuffer(b"".join(row["signs"] for row in rows), np.uint8)
    lengths = np.array([len(row["numbers"]) // 8 for row in rows], np.int64)
    starts = np.cumsum(lengths) - lengths
    # How common a piece is shows in a sample: reading all would take too long.
    sample = numbers[:: max(1, len(numbers) // SAMPLE)]
    counted = [pieces for _, pieces in tokens(archive, sample.tolist()).values()]
    return Signs(
        model,
        stamp,
        numbers,
        np.repeat(np.array([row["conversation"] for row in rows], np.int64), lengths),
        np.arange(len(numbers)) - np.repeat(starts, lengths),
        np.ascontiguousarray(packed.reshape(max(1, len(numbers)), -1).T),
        np.argsort(numbers, kind="stable"),
        Counter(piece for pieces in counted for piece in set(memoryview(pieces).cast("H"))),
        len(counted),
    )


def tokens(archive: Archive, numbers: Sequence[int]) -> dict[int, tuple[bytes, bytes]]:
    """Token bits and wordpiece ids (uint16) of these messages, by number."""
    found = archive.rows(
        "SELECT number, bits, pieces FROM message_tokens "
        "WHERE number IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    return {number: (bits, pieces) for number, bits, pieces in found}

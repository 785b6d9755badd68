"""The vectors of a store's memories: which are missing, and how they are saved.

A row of `embedding` always belongs to its memory's present text: a trigger removes it when that
changes, and `save` refuses a vector of a text that has changed meanwhile. Search
reads them through a compact file beside the database (`matrix`, `vector_cache`), which may be
deleted at any time.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cortex_core.embedding.text import embedded_text, text_hash
from cortex_core.kinds import CODE
from cortex_core.storage.matrix import PENDING
from cortex_core.storage.matrix import Matrix as Matrix
from cortex_core.storage.matrix import forget_held as forget_held
from cortex_core.storage.matrix import matrix as matrix
from cortex_core.storage.matrix import read_matrix as read_matrix
from cortex_core.storage.matrix import refresh as refresh
from cortex_core.storage.matrix import stamp as stamp
from cortex_core.storage.matrix import waiting as waiting

if TYPE_CHECKING:
    from cortex_core.embedding.protocol import Embedder, Encoded
    from cortex_core.storage.reader import Reader
    from cortex_core.storage.store import Store

BATCH = 64
"""Vectors saved in one transaction: well under a second of work is lost to a killed worker."""

THREADS = 2
"""Texts encoded at a time, each on one core."""

TURNS_BEFORE = 2
"""Turns of a conversation that the model reads along before the one it embeds."""

_SAVE = """
INSERT INTO embedding (number, model, dimension, text_hash, vector, bits, pieces, stamp)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET model = excluded.model, dimension = excluded.dimension,
    text_hash = excluded.text_hash, vector = excluded.vector, bits = excluded.bits,
    pieces = excluded.pieces, stamp = excluded.stamp
"""


class Text(NamedTuple):
    """What is to be embedded for one memory."""

    number: int
    text: str
    hash: str
    before: str = ""
    """What was said just before it in a conversation; read along by the model."""


def pending(store: Store, model: str, limit: int | None = None) -> list[int]:
    """Numbers of the memories without a vector of `model`, newest first. Raw code needs none."""
    tail = "" if limit is None else f" LIMIT {int(limit)}"
    return [number for (number,) in store.rows(PENDING + tail, (model, CODE))]


def has_arrivals(store: Store) -> bool:
    """Whether memories came after the newest one that has a vector. Cheap at any size."""
    found = store.rows(
        "SELECT coalesce((SELECT max(number) FROM memory WHERE kind <> ?), 0) > "
        "coalesce((SELECT max(number) FROM embedding), 0)",
        (CODE,),
    )
    return bool(found[0][0])


def texts(store: Store, numbers: Sequence[int]) -> list[Text]:
    """The embedded texts of these memories; numbers that are gone are left out."""
    found = store.rows(
        "SELECT number, title, content, tags, kind, author, created, session, place FROM memory "
        "WHERE number IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    return [_text(store, row) for row in found]


def save(store: Store, vectors: Iterable[tuple[Text, Encoded]], model: str, dimension: int) -> int:
    """Store vectors in one short transaction; how many were stored.

    A vector whose memory is gone, or says something else by now, is dropped: the memory stays
    pending.
    """
    made = list(vectors)
    with store.write():
        number = _raise_stamp(store)
        current = {text.number: text.hash for text in texts(store, [t.number for t, _ in made])}
        fitting = [(text, one) for text, one in made if current.get(text.number) == text.hash]
        for text, one in fitting:
            store.execute(_SAVE, _row(text, one, model, dimension, number))
    return len(fitting)


def embed(
    store: Store,
    embedder: Embedder,
    *,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    keep_on: Callable[[], bool] = lambda: True,
) -> int:
    """Give every pending memory its vector, newest first; how many were stored.

    No transaction is open while the model thinks.

    Args:
        embedder: may be asked from several threads at once.
        limit: most memories to embed in this call.
        progress: told after each batch how many of how many are done.
        keep_on: asked before each batch; False ends the call early.
    """
    from concurrent.futures import ThreadPoolExecutor

    def encode(text: Text) -> tuple[Text, Encoded]:
        return text, embedder.encode(text.text, text.before)

    numbers = pending(store, embedder.name, limit)
    done = 0
    with ThreadPoolExecutor(THREADS) as pool:
        for at in range(0, len(numbers), BATCH):
            if not keep_on():
                break
            encoded = list(pool.map(encode, texts(store, numbers[at : at + BATCH])))
            done += save(store, encoded, embedder.name, embedder.dimension)
            if progress is not None:
                progress(min(at + BATCH, len(numbers)), len(numbers))
    return done


def drop(store: Store) -> None:
    """Remove every vector, so that all memories wait for one again."""
    with store.write():
        store.execute("DELETE FROM embedding")


def tokens_of(store: Reader, numbers: Sequence[int], model: str) -> dict[int, tuple[bytes, bytes]]:
    """Token bits and piece ids (uint16) of these memories, by number, of `model` alone."""
    found = store.rows(
        "SELECT number, bits, pieces FROM embedding WHERE model = ? "
        "AND number IN (SELECT value FROM json_each(?))",
        (model, json.dumps(list(numbers))),
    )
    return {number: (bytes(bits), bytes(pieces)) for number, bits, pieces in found}


class StoredVector(NamedTuple):
    """What a model made of a memory."""

    model: str
    vector: bytes
    """float32, unit length."""
    bits: bytes
    pieces: bytes


def stored(store: Reader, id: str) -> StoredVector | None:
    """The vector and the tokens of the memory called `id`; None where there are none."""
    found = store.rows(
        "SELECT e.model, e.vector, e.bits, e.pieces FROM embedding e "
        "JOIN memory m ON m.number = e.number WHERE m.id = ?",
        (id,),
    )
    return StoredVector(*found[0]) if found else None


def vector_of(store: Reader, number: int) -> bytes | None:
    """The vector (float32) of the memory with this row number."""
    found: bytes | None = store.value("SELECT vector FROM embedding WHERE number = ?", (number,))
    return found


def saved_since(store: Reader, stamp: int, model: str) -> list[int]:
    """Numbers of the memories whose vectors of `model` were saved after this stamp, ascending."""
    found = store.rows(
        "SELECT number FROM embedding WHERE stamp > ? AND model = ? ORDER BY number",
        (stamp, model),
    )
    return [row["number"] for row in found]


def of_newer(store: Reader, number: int, model: str) -> list[tuple[int, bytes]]:
    """Number and vector of the memories that came after the one with this number, ascending."""
    found = store.rows(
        "SELECT number, vector FROM embedding WHERE model = ? AND number > ? ORDER BY number",
        (model, number),
    )
    return [(row["number"], row["vector"]) for row in found]


def count(store: Reader, model: str) -> int:
    """How many memories have a vector of `model`."""
    return int(store.value("SELECT count(*) FROM embedding WHERE model = ?", (model,)))


def _raise_stamp(store: Store) -> int:
    store.execute(
        "INSERT INTO meta (key, value) VALUES ('vectors', '1') "
        "ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )
    return stamp(store)


def _text(store: Store, row: tuple[Any, ...]) -> Text:
    number, title, content, tags, kind, author, created, session, place = row
    text = embedded_text(title, content, json.loads(tags), kind, author, created)
    spoken = bool(author and session) and place is not None
    return Text(number, text, text_hash(text), _before(store, session, place) if spoken else "")


def _before(store: Store, session: str, place: int) -> str:
    """What was said in the two places before this one."""
    said = store.rows(
        "SELECT author, content FROM memory WHERE session = ? AND place >= ? AND place < ? "
        "AND kind <> ? ORDER BY place",
        (session, place - TURNS_BEFORE, place, CODE),
    )
    return " ".join(f"{author}: {content}" for author, content in said)


def _row(text: Text, one: Encoded, model: str, dimension: int, stamp: int) -> tuple[Any, ...]:
    pieces = array("H", one.pieces).tobytes()
    vector = one.vector.astype("<f4").tobytes()
    return (text.number, model, dimension, text.hash, vector, one.bits, pieces, stamp)

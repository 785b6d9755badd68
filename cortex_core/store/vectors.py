"""The vectors of a store's memories: which are missing, and how they are saved.

A row of `embedding` always belongs to its memory's present text: a trigger removes it when that
changes, and `embedding.stored.save` refuses one of a text that has changed meanwhile. Search
reads them through a compact file next to the database (`vector_search`), which may be
deleted at any time.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from cortex_core.base.kinds import CODE
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store
from cortex_core.store.vector_search import PENDING, stamp

_SAVE = """
INSERT INTO embedding (number, model, dimension, text_hash, vector, bits, pieces, stamp)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET model = excluded.model, dimension = excluded.dimension,
    text_hash = excluded.text_hash, vector = excluded.vector, bits = excluded.bits,
    pieces = excluded.pieces, stamp = excluded.stamp
"""

_ARRIVALS = """
SELECT EXISTS (
    SELECT 1 FROM (SELECT number, kind, status FROM memory ORDER BY number DESC LIMIT 1000) m
    WHERE m.kind <> ? AND m.status <> 'pruned'
    AND NOT EXISTS (SELECT 1 FROM embedding e WHERE e.number = m.number))
"""
"""Of the last thousand: a search embeds some of many, and leaves a gap that the next one fills."""


def pending(store: Store, model: str, limit: int | None = None) -> list[int]:
    """Numbers of the memories without a vector of `model`, newest first. Raw code needs none."""
    tail = "" if limit is None else f" LIMIT {int(limit)}"
    return store.column(PENDING + tail, (model, CODE))


def has_arrivals(store: Store) -> bool:
    """Whether one of the last memories has no vector. Cheap at any size."""
    return bool(store.value(_ARRIVALS, (CODE,)))


def sources(store: Reader, numbers: Sequence[int]) -> list[Any]:
    """Number, title, content, tags, kind, author, created, session and place of these memories.

    Numbers that are gone are left out.
    """
    return store.rows(
        "SELECT number, title, content, tags, kind, author, created, session, place FROM memory "
        "WHERE number IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )


def turns_before(store: Reader, session: str, place: int, count: int) -> list[tuple[str, str]]:
    """Author and content of what was said in the `count` places of a session before `place`."""
    return [
        (author, content)
        for author, content in store.rows(
            "SELECT author, content FROM memory WHERE session = ? AND place >= ? AND place < ? "
            "AND kind <> ? ORDER BY place",
            (session, place - count, place, CODE),
        )
    ]


_COLUMNS = "number, model, dimension, text_hash, vector, bits, pieces"


def insert(store: Store, rows: Iterable[tuple[Any, ...]]) -> None:
    """Save vectors under a new stamp, within a transaction of the caller.

    A memory's vector of another model is put aside and not lost: the model may come back.

    Args:
        rows: number, model, dimension, hash of the text, vector, bits and pieces of each.
    """
    store.execute(
        "INSERT INTO meta (key, value) VALUES ('vectors', '1') "
        "ON CONFLICT (key) DO UPDATE SET value = value + 1"
    )
    number = stamp(store)
    for row in rows:
        store.execute(
            f"INSERT OR REPLACE INTO kept_vector ({_COLUMNS}) SELECT {_COLUMNS} FROM embedding "
            "WHERE number = ? AND model <> ?",
            row[:2],
        )
        store.execute(_SAVE, (*row, number))


def kept(store: Reader, numbers: Sequence[int], model: str) -> dict[int, tuple[Any, ...]]:
    """The vectors of `model` that were put aside for these memories, by number, as `insert` takes
    them."""
    found = store.rows(
        f"SELECT {_COLUMNS} FROM kept_vector WHERE model = ? "
        "AND number IN (SELECT value FROM json_each(?))",
        (model, json.dumps(list(numbers))),
    )
    return {row["number"]: tuple(row) for row in found}


def drop_kept(store: Store, but: Sequence[str]) -> None:
    """Remove the vectors that were put aside, except those of these models."""
    chosen = "FROM kept_vector WHERE model NOT IN (SELECT value FROM json_each(?))"
    if store.rows(f"SELECT 1 {chosen} LIMIT 1", (json.dumps(list(but)),)):
        with store.write():
            store.execute(f"DELETE {chosen}", (json.dumps(list(but)),))


def drop(store: Store) -> None:
    """Remove every vector, so that all memories wait for one again."""
    with store.write():
        store.execute("DELETE FROM embedding")
        store.execute("DELETE FROM kept_vector")


def tokens_of(store: Reader, numbers: Sequence[int], model: str) -> dict[int, tuple[bytes, bytes]]:
    """Token bits and piece ids (uint16) of these memories, by number, of `model` alone."""
    found = store.rows(
        "SELECT number, bits, pieces FROM embedding WHERE model = ? "
        "AND number IN (SELECT value FROM json_each(?))",
        (model, json.dumps(list(numbers))),
    )
    return {number: (bytes(bits), bytes(pieces)) for number, bits, pieces in found}


def stored(store: Reader, id: str) -> tuple[str, bytes, bytes, bytes] | None:
    """Of the memory called `id` the model, the vector (float32, unit length), and the bits and the
    wordpieces of its tokens; None where there are none."""
    found = store.rows(
        "SELECT e.model, e.vector, e.bits, e.pieces FROM embedding e "
        "JOIN memory m ON m.number = e.number WHERE m.id = ?",
        (id,),
    )
    return tuple(found[0]) if found else None


def vector_of(store: Reader, number: int) -> bytes | None:
    """The vector (float32) of the memory with this row number."""
    return store.value("SELECT vector FROM embedding WHERE number = ?", (number,)) or None


def saved_since(store: Reader, stamp: int, model: str) -> list[int]:
    """Numbers of the memories whose vectors of `model` were saved after this stamp, ascending."""
    return store.column(
        "SELECT number FROM embedding WHERE stamp > ? AND model = ? ORDER BY number",
        (stamp, model),
    )


def of_newer(store: Reader, number: int, model: str) -> list[int]:
    """Numbers of the memories with a vector of `model` that came after the one with this number,
    ascending."""
    return store.column(
        "SELECT number FROM embedding WHERE model = ? AND number > ? ORDER BY number",
        (model, number),
    )


def dimension(store: Reader, model: str) -> int:
    """The components of a vector of `model`; 0 where there is none."""
    return store.value("SELECT dimension FROM embedding WHERE model = ? LIMIT 1", (model,)) or 0


def count(store: Reader, model: str) -> int:
    """How many memories have a vector of `model`."""
    return int(store.value("SELECT count(*) FROM embedding WHERE model = ?", (model,)))

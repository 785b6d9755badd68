"""Whether what belongs to the memories of a store agrees with them: links, sources, hashes, the
search indexes, vectors and the cache file of the vectors. Nothing is written.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cortex_core.base import text
from cortex_core.base.kinds import CODE
from cortex_core.base.one_thread import load_numpy
from cortex_core.records.changes import Difference
from cortex_core.store import health, vector_search
from cortex_core.store.reader import Reader
from cortex_core.store.verify import Checked

UNIT = 0.01
"""How far the length of a vector may be from 1."""

# --- links, sources, content

_ENDS = """
SELECT 'edge' AS "table", id AS row, 'source' AS column, source AS memory FROM edge
WHERE source NOT IN (SELECT id FROM memory)
UNION ALL SELECT 'edge', id, 'target', target FROM edge
WHERE target NOT IN (SELECT id FROM memory)
UNION ALL SELECT 'source', id, 'memory', memory FROM source
WHERE memory NOT IN (SELECT id FROM memory)
"""


def links(store: Reader) -> Checked:
    """Whether both ends of every link are there, and the memory of every source."""
    checked = Checked()
    checked.counts["links"] = int(store.value("SELECT count(*) FROM edge"))
    checked.differences += [
        Difference(table, str(row), column, "names a memory that is not there", None, memory)
        for table, row, column, memory in store.rows(_ENDS)
    ]
    return checked


def in_both(one: Reader, other: Reader) -> list[str]:
    """The ids of the memories that two stores hold, sorted: after one of them alone was put back,
    what was moved between them since is in both."""
    ids = [{str(row["id"]) for row in each.rows("SELECT id FROM memory")} for each in (one, other)]
    return sorted(ids[0] & ids[1])


def contents(store: Reader) -> Checked:
    """Whether the hash of every content fits, and whether the trash can be read."""
    checked = Checked()
    for id, content, found in store.connection.execute(
        "SELECT id, content, content_hash FROM memory"
    ):
        expected = text.content_hash(content)
        if expected != found:
            problem = "does not fit the content"
            checked.differences.append(
                Difference("memory", id, "content_hash", problem, expected, found)
            )
    for memory, packed in store.connection.execute("SELECT memory, rows FROM trash"):
        try:
            json.loads(zlib.decompress(packed))
        except (zlib.error, ValueError, TypeError):
            checked.differences.append(Difference("trash", memory, "rows", "cannot be read"))
    return checked


# --- search indexes


def indexes(store: Reader) -> Checked:
    """Whether the search indexes list exactly the memories, and exactly their words.

    SQLite compares the words itself, under the lock for writing and without writing; of a store
    that can only be read, or that another process writes to, they are not checked.
    """
    checked = Checked()
    for index in health.INDEXES:
        listed = int(store.value(f"SELECT count(*) FROM {index}_docsize"))
        fits = health.index_fits(Path(store.file), index)
        if fits is None:
            checked.unchecked[index] = listed
        else:
            checked.counts[index] = listed
        faults = list(_unlisted(store, index))
        if fits is False and not faults:
            faults = [Difference(index, "", "", "has other words than the memories")]
        checked.differences += faults
    return checked


def _unlisted(store: Reader, index: str) -> Iterator[Difference]:
    for (id,) in store.rows(
        f"SELECT id FROM memory WHERE number NOT IN (SELECT id FROM {index}_docsize)"
    ):
        yield Difference(index, id, "", "is missing, so words do not find this memory")
    for (number,) in store.rows(
        f"SELECT id FROM {index}_docsize WHERE id NOT IN (SELECT number FROM memory)"
    ):
        yield Difference(index, str(number), "", "lists a memory that is not there")


# --- vectors

_VECTORS = """
SELECT e.number, m.id, m.title, m.content, m.tags, m.kind, m.author, m.created, e.model,
    e.dimension, e.text_hash, e.vector, e.bits, e.pieces
FROM embedding e LEFT JOIN memory m ON m.number = e.number
"""


def vectors(store: Reader, hash_of: Callable[[sqlite3.Row], str]) -> Checked:
    """Whether every vector is of its memory's present text, whole, and one model's.

    Args:
        hash_of: the hash of the text that is embedded, from the columns of the memory.
    """
    checked = Checked()
    dimensions: dict[str, int] = {}
    for row in store.connection.execute(_VECTORS):
        checked.counts["vectors"] += 1
        usual = dimensions.setdefault(row["model"], row["dimension"])
        checked.differences += [
            Difference("embedding", row["id"] or str(row["number"]), *fault)
            for fault in _of_vector(row, usual, hash_of)
        ]
    return checked


def _of_vector(
    row: sqlite3.Row, usual: int, hash_of: Callable[[sqlite3.Row], str]
) -> Iterator[tuple[str, str, Any, Any]]:
    """Column, problem and both values of what is wrong with one vector."""
    dimension = row["dimension"]
    if row["id"] is None:
        yield "number", "belongs to no memory", None, row["number"]
        return
    if row["kind"] == CODE:
        yield "vector", "is a vector of raw code, which never has one", None, None
    elif (expected := hash_of(row)) != row["text_hash"]:
        yield "text_hash", "is of another text than the memory's", expected, row["text_hash"]
    if dimension != usual:
        yield "dimension", "differs from other vectors of its model", usual, dimension
    elif len(row["vector"]) != 4 * dimension:
        yield "vector", "is not as long as it says", 4 * dimension, len(row["vector"])
    elif abs(_length(row["vector"]) - 1) > UNIT:
        yield "vector", "is damaged: its length is not 1", 1.0, round(_length(row["vector"]), 3)
    if row["bits"] and 16 * len(row["bits"]) != len(row["pieces"]) * dimension:
        yield "bits", "are not as many as the words", len(row["pieces"]), len(row["bits"])


def _length(vector: bytes) -> float:
    load_numpy()
    import numpy as np

    return float(np.linalg.norm(np.frombuffer(vector, np.float32).astype(np.float64)))


def cache(store: Reader) -> Checked:
    """Whether the cache file has the vectors that the store has.

    A file that is of no use is rebuilt and therefore no fault, and what was saved after it was
    written is not in it.
    """
    checked = Checked()
    path = vector_search.cache_path(Path(store.file), store.scope)
    label = vector_search.label_of(path)
    found = None if label is None else vector_search.read_cache(path, label)
    if label is None or found is None or label.identity != store.identity:
        return checked
    block, stamp = found
    places = {number: place for place, number in enumerate(block.numbers.tolist())}
    signs = vector_search.read_signs(path, label, len(places))
    checked.counts["cached vectors"] = len(places)
    for number, vector in store.connection.execute(
        "SELECT number, vector FROM embedding WHERE model = ? AND dimension = ? AND stamp <= ?",
        (label.model, label.dimension, stamp),
    ):
        at = places.get(number)
        if at is None or (block.vectors[at].tobytes(), signs[at]) != (vector, _signs(vector)):
            problem = "differs from the vector in the store"
            checked.differences.append(Difference(path.name, str(number), "", problem))
    return checked


def _signs(vector: bytes) -> bytes:
    import numpy as np

    return np.packbits(np.frombuffer(vector, np.float32) > 0).tobytes()

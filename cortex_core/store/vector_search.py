"""The exact search over every vector of a store, and the cache file that makes it quick.

A matrix is the cache file next to the store, mapped, and what came since. The file is derived:
whatever does not fit the store next to it (identity, model, size) is ignored and rewritten,
in one atomic replacement. Layout (see `vector_file`): a JSON header; how many memories hold each
wordpiece (int32); the numbers (int64, ascending); the vectors' signs (one bit a dimension); the
vectors (float32).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from cortex_core.base import hook_io
from cortex_core.base.kinds import CODE
from cortex_core.base.one_thread import load_numpy
from cortex_core.store import leftovers, vector_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cortex_core.embeddings.protocol import Vector
    from cortex_core.store.reader import Reader
    from cortex_core.store.store import Store

CHUNK = 2048
"""Rows worked on at a time."""


FEW = 1000
"""Vectors that are read row by row before the cache file is rewritten."""

PENDING = """
SELECT m.number FROM memory m WHERE m.number IN (
    SELECT number FROM memory EXCEPT SELECT number FROM embedding WHERE model = ?)
AND m.kind <> ? AND m.status <> 'pruned' ORDER BY m.number DESC
"""
"""The memories without a vector of a model, raw code aside, newest first."""

_OF_MODEL = "FROM embedding WHERE model = ? AND dimension = ?"
_COUNT = f"SELECT count(*) {_OF_MODEL}"
_EVERY = f"SELECT number, vector, pieces {_OF_MODEL} ORDER BY number"
_SINCE = f"SELECT number, vector, pieces {_OF_MODEL} AND stamp > ? ORDER BY +number"
"""`+` keeps SQLite from walking through every vector for the sake of the order."""

_COUNT_ALL = "SELECT count(*) FROM embedding"
"""Of every model, which an index answers."""


class Block(NamedTuple):
    """Vectors in rows, ascending by number."""

    numbers: NDArray[np.int64]
    vectors: Vector
    counts: NDArray[np.int32]
    """In how many of these memories each wordpiece occurs."""


class Label(NamedTuple):
    """Whose vectors a file holds."""

    identity: str
    """The store's."""
    model: str
    dimension: int


def stamp(store: Reader) -> int:
    """A number that grows whenever a vector of this store is saved or removed."""
    return int(store.meta("vectors") or 0)


def waiting(store: Reader, model: str) -> int:
    """How many memories have no vector of `model`."""
    return int(store.rows(f"SELECT count(*) FROM ({PENDING})", (model, CODE))[0][0])


class Cosines:
    """The cosine of one query with every vector of a matrix."""

    def __init__(self, numbers: NDArray[np.int64], values: Vector, split: int) -> None:
        self._numbers = numbers
        self._values = values
        self._split = split
        """Where the base ends; both stretches ascend by number."""

    def best(self, count: int) -> list[tuple[int, float]]:
        """The `count` memories of highest cosine, best first, as (number, cosine)."""
        import numpy as np

        values = self._values
        some = np.arange(len(values))
        if count < len(values):
            some = np.argpartition(values, -count)[-count:]
        some = some[np.argsort(-values[some], kind="stable")]
        return [(int(self._numbers[i]), float(values[i])) for i in some if values[i] >= -1.5]

    def of(self, numbers: Sequence[int]) -> dict[int, float]:
        """The cosine of each of these memories that has a vector, by number."""
        import numpy as np

        wanted = np.array(sorted(set(numbers)), dtype=np.int64)
        found: dict[int, float] = {}
        for start, end in ((0, self._split), (self._split, len(self._numbers))):
            held = self._numbers[start:end]
            if len(held) and len(wanted):
                at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
                hit = held[at] == wanted
                values = self._values[start + at[hit]]
                found.update(zip(wanted[hit].tolist(), values.tolist(), strict=True))
        return found


class Matrix:
    """Every vector of one store and model: what the cache file held, and what came since."""

    def __init__(self, label: Label, base: Block, recent: Block, stamp: int, total: int) -> None:
        import numpy as np

        self.label = label
        self.base = base
        self.recent = recent
        self.stamp = stamp
        self.total = total
        """How many vectors the store has."""
        self._waiting: int | None = None
        self.counts: NDArray[np.int32] = base.counts + recent.counts
        """In how many memories each wordpiece occurs, by its id."""
        self._numbers = np.concatenate([base.numbers, recent.numbers])
        self._outdated = np.flatnonzero(np.isin(base.numbers, recent.numbers))

    @property
    def loose(self) -> int:
        """Rows that the cache file lacks, or holds in vain."""
        return 2 * len(self.recent.numbers) + len(self.base.numbers) - self.total

    def __len__(self) -> int:
        return len(self._numbers) - len(self._outdated)

    def waiting(self, store: Reader) -> int:
        """Memories without a vector, counted when it is first asked."""
        if self._waiting is None:
            self._waiting = waiting(store, self.label.model)
        return self._waiting

    def search(self, query: Vector) -> Cosines:
        """The cosine of `query` (unit length) with every vector."""
        import numpy as np

        values = np.concatenate([self.base.vectors @ query, self.recent.vectors @ query])
        values[self._outdated] = -3.0
        return Cosines(self._numbers, values, len(self.base.numbers))

    def nearest(self, queries: Vector, count: int) -> list[list[tuple[int, float]]]:
        """The `count` memories of highest cosine with each of `queries` (unit length, one a row),
        best first, as (number, cosine): as `search` finds them one by one, in a sixth of the time.
        """
        import numpy as np

        cosines, indexes = [], []
        for start, vectors in self._chunks():
            values = queries @ vectors.T
            gone = self._outdated[
                (self._outdated >= start) & (self._outdated < start + len(vectors))
            ]
            values[:, gone - start] = -3.0
            some = np.argpartition(values, -min(count, len(vectors)), axis=1)[:, -count:]
            cosines.append(np.take_along_axis(values, some, axis=1))
            indexes.append(some + start)
        if not cosines:
            return [[] for _ in queries]
        found, at = np.hstack(cosines), np.hstack(indexes)
        order = np.lexsort((at, -found), axis=1)[:, :count]
        found, at = (np.take_along_axis(each, order, axis=1) for each in (found, at))
        rows = zip(self._numbers[at].tolist(), found.tolist(), strict=True)
        return [[pair for pair in zip(*row, strict=True) if pair[1] >= -1.5] for row in rows]

    def _chunks(self) -> Iterator[tuple[int, Vector]]:
        """Every vector, a few at a time, and the index of their first."""
        begun = 0
        for block in (self.base.vectors, self.recent.vectors):
            for start in range(0, len(block), CHUNK):
                yield begun + start, block[start : start + CHUNK]
            begun += len(block)


_lock = threading.Lock()
_held: dict[tuple[str, str], Matrix] = {}


def matrix(store: Store, model: str, dimension: int) -> Matrix:
    """Every vector of `model`, current to the last one saved. Safe from several threads."""
    label = Label(store.identity, model, dimension)
    key = (str(store.path), model)
    with _lock:
        held = _held.get(key)
        if held is None or held.label != label or held.stamp != stamp(store):
            path = cache_path(store.path, store.scope)
            held = read_matrix(store, path, label)
            if held.loose > max(FEW, len(held) // 10) and _rebuild(store, label):
                held = read_matrix(store, path, label)
            _held[key] = held
        return held


def refresh(store: Store, model: str, dimension: int) -> bool:
    """Bring the cache file up to the last vector saved; whether it is now."""
    label, path = Label(store.identity, model, dimension), cache_path(store.path, store.scope)
    found = read_cache(path, label)
    return (found is not None and found[1] == stamp(store)) or _rebuild(store, label)


def read_matrix(store: Reader, path: Path, label: Label) -> Matrix:
    """Every vector of one model: what the cache file at `path` holds, and what came since.

    Writes nothing, and needs no more of the store than to read it by SQL.
    """
    now = stamp(store)
    base, since = read_cache(path, label) or (_empty(label.dimension), -1)
    if since > now:
        base, since = _empty(label.dimension), -1
    if since == now:
        return Matrix(label, base, _empty(label.dimension), now, len(base.numbers))
    asked = (_EVERY, label[1:]) if since < 0 else (_SINCE, (*label[1:], since))
    recent = _block(store.rows(*asked), label.dimension)
    return Matrix(label, base, recent, now, int(store.rows(_COUNT_ALL)[0][0]))


def _rebuild(store: Store, label: Label) -> bool:
    """Write the cache file from one snapshot of the store."""
    with store.snapshot() as connection:
        total = int(store.value(_COUNT, label[1:]))
        rows = connection.execute(_EVERY, label[1:])
        return _write_cache(cache_path(store.path, store.scope), label, stamp(store), total, rows)


# --- the cache file


def cache_path(database: Path, scope: str) -> Path:
    """Where the file of the store at `database` is."""
    return Path(vector_file.place(str(database), scope))


def _empty(dimension: int) -> Block:
    """A block without rows. Numpy is loaded by `read_cache`, which comes before all else."""
    import numpy as np

    return Block(
        np.empty(0, np.int64),
        np.empty((0, dimension), np.float32),
        np.zeros(vector_file.PIECES, np.int32),
    )


def _block(rows: Iterable[Sequence[Any]], dimension: int) -> Block:
    """A block of rows (number, vector, pieces), which come in ascending order."""
    import numpy as np

    made = list(rows)
    vectors = np.frombuffer(b"".join(vector for _, vector, _ in made), np.float32)
    numbers = np.array([number for number, _, _ in made], np.int64)
    counts = _counts([pieces for _, _, pieces in made])
    return Block(numbers, vectors.reshape(len(made), dimension), counts)


def read_cache(path: Path, label: Label) -> tuple[Block, int] | None:
    """The block in the file, mapped, and the stamp it was written at; None where it is no use."""
    import mmap

    load_numpy()
    import numpy as np

    try:
        with path.open("rb") as file:
            head = vector_file.header(file.read(vector_file.HEAD))
            if head.get("label") != list(label):
                return None
            count, stamp = int(head["count"]), int(head["stamp"])
            end = _vectors_at(count, label.dimension) + 4 * count * label.dimension
            if count < 1 or os.fstat(file.fileno()).st_size != end:
                return None
            held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    counts = np.frombuffer(held, np.int32, vector_file.PIECES, vector_file.HEAD)
    numbers = np.frombuffer(held, np.int64, count, vector_file.NUMBERS_AT)
    start = _vectors_at(count, label.dimension)
    vectors = np.frombuffer(held, np.float32, count * label.dimension, start)
    return Block(numbers, vectors.reshape(count, label.dimension), counts), stamp


def _write_cache(
    path: Path, label: Label, stamp: int, count: int, rows: Iterable[tuple[int, bytes, bytes]]
) -> bool:
    """Write `count` rows (number, vector, pieces; ascending) in place of the file.

    Returns False, with the old file untouched, where the folder or the disk does not allow it.
    """
    try:
        hook_io.private_folder(str(path.parent))
        with leftovers.partial(path) as unfinished:
            with unfinished.open("wb") as file:
                _fill(file, label, stamp, count, rows)
            unfinished.replace(path)
    except OSError:
        return False
    return True


def _fill(
    file: BinaryIO,
    label: Label,
    stamp: int,
    count: int,
    rows: Iterable[tuple[int, bytes, bytes]],
) -> None:
    """Write everything but the vectors last: it is known only when they have all gone by."""
    import numpy as np

    counts, numbers, packed = np.zeros(vector_file.PIECES, np.int32), [], []
    file.seek(_vectors_at(count, label.dimension))
    ahead = iter(rows)
    while some := list(islice(ahead, CHUNK)):
        vectors = b"".join(vector for _, vector, _ in some)
        file.write(vectors)
        # One bit for each number: the rough search compares signs alone.
        above = np.frombuffer(vectors, np.float32).reshape(len(some), label.dimension) > 0
        packed.append(np.packbits(above, axis=1).tobytes())
        numbers += [number for number, _, _ in some]
        counts += _counts([pieces for _, _, pieces in some])
    if len(numbers) != count:
        raise OSError("the rows are not as many as announced")
    header = json.dumps({"label": list(label), "stamp": stamp, "count": count})
    file.seek(0)
    file.write((vector_file.MAGIC + header.encode()).ljust(vector_file.HEAD))
    file.write(counts.tobytes())
    file.write(np.array(numbers, np.int64).tobytes())
    file.write(b"".join(packed))


def _vectors_at(count: int, dimension: int) -> int:
    """Offset of the first vector, on a border that suits the processor."""
    return (
        -(-(vector_file.NUMBERS_AT + count * (8 + vector_file.signs_width(dimension))) // 64) * 64
    )


def _counts(blobs: Sequence[bytes]) -> NDArray[np.int32]:
    """In how many of these memories each wordpiece occurs."""
    import numpy as np

    pieces = np.frombuffer(b"".join(blobs), np.uint16).astype(np.int64)
    owner = np.repeat(np.arange(len(blobs)), [len(blob) // 2 for blob in blobs])
    keys = np.sort(owner * vector_file.PIECES + pieces)
    # np.unique would say it shorter, and load numpy.ma: 15 ms of a cold recall.
    once = keys[np.flatnonzero(np.diff(keys, prepend=-1))] % vector_file.PIECES
    return np.bincount(once, minlength=vector_file.PIECES).astype(np.int32)

"""The compact file beside a store that holds its vectors in one piece, ready to be mapped.

It is derived: whatever does not fit the store it lies beside (identity, model, size) is ignored and
written anew, in one atomic replacement. Layout (`signs` owns it): a JSON header; how many memories
hold each wordpiece (int32); the numbers (int64, ascending); the vectors' signs (one bit a
dimension); the vectors (float32).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from cortex_core.one_thread import load_numpy
from cortex_core.storage import signs
from cortex_core.storage.signs import HEAD, MAGIC, NUMBERS_AT, PIECES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cortex_core.embedding.protocol import Vector

CHUNK = 2048
"""Rows worked on at a time."""


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


def place(database: Path, scope: str) -> Path:
    """Where the file of the store at `database` lies."""
    return Path(signs.place(str(database), scope))


def empty(dimension: int) -> Block:
    """A block without rows."""
    load_numpy()
    import numpy as np

    return Block(
        np.empty(0, np.int64), np.empty((0, dimension), np.float32), np.zeros(PIECES, np.int32)
    )


def block(rows: Iterable[tuple[int, bytes, bytes]], dimension: int) -> Block:
    """A block of rows (number, vector, pieces), which come in ascending order."""
    load_numpy()
    import numpy as np

    made = list(rows)
    vectors = np.frombuffer(b"".join(vector for _, vector, _ in made), np.float32)
    numbers = np.array([number for number, _, _ in made], np.int64)
    counts = _counts([pieces for _, _, pieces in made])
    return Block(numbers, vectors.reshape(len(made), dimension), counts)


def read(path: Path, label: Label) -> tuple[Block, int] | None:
    """The block in the file, mapped, and the stamp it was written at; None where it is no use."""
    import mmap

    load_numpy()
    import numpy as np

    try:
        with path.open("rb") as file:
            head = signs.header(file.read(HEAD))
            if head.get("label") != list(label):
                return None
            count, stamp = int(head["count"]), int(head["stamp"])
            end = _vectors_at(count, label.dimension) + 4 * count * label.dimension
            if count < 1 or os.fstat(file.fileno()).st_size != end:
                return None
            held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    counts = np.frombuffer(held, np.int32, PIECES, HEAD)
    numbers = np.frombuffer(held, np.int64, count, NUMBERS_AT)
    start = _vectors_at(count, label.dimension)
    vectors = np.frombuffer(held, np.float32, count * label.dimension, start)
    return Block(numbers, vectors.reshape(count, label.dimension), counts), stamp


def write(
    path: Path, label: Label, stamp: int, count: int, rows: Iterable[tuple[int, bytes, bytes]]
) -> bool:
    """Write `count` rows (number, vector, pieces; ascending) in place of the file.

    Returns False, with the old file untouched, where the folder or the disk does not allow it.
    """
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "wb") as file:
                _fill(file, label, stamp, count, rows)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink()
            raise
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
    load_numpy()
    import numpy as np

    counts, numbers, packed = np.zeros(PIECES, np.int32), [], []
    file.seek(_vectors_at(count, label.dimension))
    ahead = iter(rows)
    while some := list(islice(ahead, CHUNK)):
        vectors = b"".join(vector for _, vector, _ in some)
        file.write(vectors)
        above = np.frombuffer(vectors, np.float32).reshape(len(some), label.dimension) > 0
        packed.append(np.packbits(above, axis=1).tobytes())
        numbers += [number for number, _, _ in some]
        counts += _counts([pieces for _, _, pieces in some])
    if len(numbers) != count:
        raise OSError("the rows are not as many as announced")
    file.seek(0)
    file.write(_header(label, stamp, count))
    file.write(counts.tobytes())
    file.write(np.array(numbers, np.int64).tobytes())
    file.write(b"".join(packed))


def _header(label: Label, stamp: int, count: int) -> bytes:
    told = json.dumps({"label": list(label), "stamp": stamp, "count": count})
    return (MAGIC + told.encode()).ljust(HEAD)


def _vectors_at(count: int, dimension: int) -> int:
    """Offset of the first vector, on a border that suits the processor."""
    return -(-(NUMBERS_AT + count * (8 + dimension // 8)) // 64) * 64


def _counts(blobs: Sequence[bytes]) -> NDArray[np.int32]:
    """In how many of these memories each wordpiece occurs."""
    import numpy as np

    pieces = np.frombuffer(b"".join(blobs), np.uint16).astype(np.int64)
    owner = np.repeat(np.arange(len(blobs)), [len(blob) // 2 for blob in blobs])
    keys = np.sort(owner * PIECES + pieces)
    # np.unique would say it shorter, and load numpy.ma: 15 ms of a cold recall.
    once = keys[np.flatnonzero(np.diff(keys, prepend=-1))] % PIECES
    return np.bincount(once, minlength=PIECES).astype(np.int32)

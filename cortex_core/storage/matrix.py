"""The exact search over every vector of a store: the cache file, mapped, and what came since."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.kinds import CODE
from cortex_core.storage.vector_cache import Block, Label, block, empty, place, read, write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cortex_core.embedding.protocol import Vector
    from cortex_core.storage.reader import Reader
    from cortex_core.storage.store import Store

FEW = 1000
"""Vectors that are read row by row before the cache file is written anew."""

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


def stamp(store: Reader) -> int:
    """A number that grows whenever a vector of this store is saved or removed."""
    found = store.rows("SELECT value FROM meta WHERE key = 'vectors'")
    return int(found[0][0]) if found else 0


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


_lock = threading.Lock()
_held: dict[tuple[str, str], Matrix] = {}


def matrix(store: Store, model: str, dimension: int) -> Matrix:
    """Every vector of `model`, current to the last one saved. Safe from several threads."""
    label = Label(store.identity, model, dimension)
    key = (str(store.path), model)
    with _lock:
        held = _held.get(key)
        if held is None or held.label != label or held.stamp != stamp(store):
            path = place(store.path, store.scope)
            held = read_matrix(store, path, label)
            if held.loose > max(FEW, len(held) // 10) and _rebuild(store, label):
                held = read_matrix(store, path, label)
            _held[key] = held
        return held


def forget_held() -> None:
    """Let go of every matrix, as a new process would begin."""
    with _lock:
        _held.clear()


def refresh(store: Store, model: str, dimension: int) -> bool:
    """Bring the cache file up to the last vector saved; whether it is now."""
    label, path = Label(store.identity, model, dimension), place(store.path, store.scope)
    found = read(path, label)
    return (found is not None and found[1] == stamp(store)) or _rebuild(store, label)


def read_matrix(store: Reader, path: Path, label: Label) -> Matrix:
    """Every vector of one model: what the cache file at `path` holds, and what came since.

    Writes nothing, and needs no more of the store than to read it by SQL.
    """
    now = stamp(store)
    base, since = read(path, label) or (empty(label.dimension), -1)
    if since > now:
        base, since = empty(label.dimension), -1
    if since == now:
        return Matrix(label, base, empty(label.dimension), now, len(base.numbers))
    asked = (_EVERY, label[1:]) if since < 0 else (_SINCE, (*label[1:], since))
    recent = block(store.rows(*asked), label.dimension)
    return Matrix(label, base, recent, now, int(store.rows(_COUNT_ALL)[0][0]))


def _rebuild(store: Store, label: Label) -> bool:
    """Write the cache file from one snapshot of the store."""
    with store.snapshot() as connection:
        total = int(store.value(_COUNT, label[1:]))
        rows = connection.execute(_EVERY, label[1:])
        return write(place(store.path, store.scope), label, stamp(store), total, rows)

"""The vectors of a store's memories: which are missing, how they are saved, and the exact search
over all of them.

A row of `embedding` always belongs to its memory's present text: a trigger removes it when that
changes, and `save` refuses a vector of a text that has changed meanwhile. Search reads them through
a compact file beside the database (`vector_cache`), which may be deleted at any time.
"""

from __future__ import annotations

import json
import threading
from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cortex_core.embedding.text import embedded_text, text_hash
from cortex_core.kinds import CODE
from cortex_core.storage.vector_cache import Block, Label, block, empty, place, read, write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cortex_core.embedding.protocol import Embedder, Encoded, Vector
    from cortex_core.storage.reads import Reads
    from cortex_core.storage.store import Store

BATCH = 64
"""Vectors saved in one transaction: well under a second of work is lost to a killed worker."""

THREADS = 2
"""Texts encoded at a time, each on one core."""

TURNS_BEFORE = 2
"""Turns of a conversation that the model reads along before the one it embeds."""

FEW = 1000
"""Vectors that are read row by row before the cache file is written anew."""

_PENDING = """
SELECT m.number FROM memory m WHERE m.number IN (
    SELECT number FROM memory EXCEPT SELECT number FROM embedding WHERE model = ?)
AND m.kind <> ? AND m.status <> 'pruned' ORDER BY m.number DESC
"""

_SAVE = """
INSERT INTO embedding (number, model, dimension, text_hash, vector, bits, pieces, stamp)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET model = excluded.model, dimension = excluded.dimension,
    text_hash = excluded.text_hash, vector = excluded.vector, bits = excluded.bits,
    pieces = excluded.pieces, stamp = excluded.stamp
"""

_OF_MODEL = "FROM embedding WHERE model = ? AND dimension = ? AND stamp > ?"
_COUNT_SINCE = f"SELECT count(*) {_OF_MODEL}"
_SINCE = f"SELECT number, vector, pieces {_OF_MODEL} ORDER BY number"


class Text(NamedTuple):
    """What is to be embedded for one memory."""

    number: int
    text: str
    hash: str
    before: str = ""
    """What was said just before it in a conversation; read along by the model."""


def stamp(store: Reads) -> int:
    """A number that grows whenever a vector of this store is saved or removed."""
    found = store.rows("SELECT value FROM meta WHERE key = 'vectors'")
    return int(found[0][0]) if found else 0


def pending(store: Store, model: str, limit: int | None = None) -> list[int]:
    """Numbers of the memories without a vector of `model`, newest first. Raw code needs none."""
    tail = "" if limit is None else f" LIMIT {int(limit)}"
    return [number for (number,) in store.rows(_PENDING + tail, (model, CODE))]


def waiting(store: Reads, model: str) -> int:
    """How many memories have no vector of `model`."""
    return int(store.rows(f"SELECT count(*) FROM ({_PENDING})", (model, CODE))[0][0])


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
            store.database.execute_sql(_SAVE, _row(text, one, model, dimension, number))
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
        store.database.execute_sql("DELETE FROM embedding")


def tokens_of(store: Reads, numbers: Sequence[int], model: str) -> dict[int, tuple[bytes, bytes]]:
    """Token bits and piece ids (uint16) of these memories, by number, of `model` alone."""
    found = store.rows(
        "SELECT number, bits, pieces FROM embedding WHERE model = ? "
        "AND number IN (SELECT value FROM json_each(?))",
        (model, json.dumps(list(numbers))),
    )
    return {number: (bytes(bits), bytes(pieces)) for number, bits, pieces in found}


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

    def __init__(
        self, label: Label, base: Block, recent: Block, stamp: int, total: int, waiting: int
    ) -> None:
        import numpy as np

        self.label = label
        self.base = base
        self.recent = recent
        self.stamp = stamp
        self.total = total
        self.waiting = waiting
        """Memories without a vector when this was read."""
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


def read_matrix(store: Reads, path: Path, label: Label) -> Matrix:
    """Every vector of one model: what the cache file at `path` holds, and what came since.

    Writes nothing, and needs no more of the store than to read it by SQL.
    """
    now = stamp(store)
    base, since = read(path, label) or (empty(label.dimension), -1)
    if since > now:
        base, since = empty(label.dimension), -1
    recent = block(store.rows(_SINCE, (*label[1:], since)), label.dimension)
    total = int(store.rows(_COUNT_SINCE, (*label[1:], -1))[0][0])
    return Matrix(label, base, recent, now, total, waiting(store, label.model))


def _rebuild(store: Store, label: Label) -> bool:
    """Write the cache file from one snapshot of the store."""
    with store.database.atomic():
        total = int(store.rows(_COUNT_SINCE, (*label[1:], -1))[0][0])
        rows = store.database.execute_sql(_SINCE, (*label[1:], -1))
        return write(place(store.path, store.scope), label, stamp(store), total, rows)


def _raise_stamp(store: Store) -> int:
    store.database.execute_sql(
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

"""Computing the vectors of stored memories, batch by batch: which text is embedded, and its hash.

The hash shows when the text has changed since its vector was computed.
"""

import hashlib
import json
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from cortex_core.base.kinds import CODE
from cortex_core.base.text import words
from cortex_core.embeddings.protocol import Embedder, Encoded
from cortex_core.store import vectors
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store


def embedded_text(
    title: str, content: str, tags: Sequence[str], kind: str, author: str, created: float
) -> str:
    """The text of a memory that is embedded; empty for raw code.

    It has title, content and tags. If it has an author, the date and the name come first, because
    questions about conversations ask who and when. A title that adds nothing to the content is
    left out.

    Args:
        created: Unix seconds.
    """
    if kind == CODE:
        return ""
    is_repeated = set(words(title)) <= set(words(content))
    body = content if is_repeated else f"{title}\n{content}"
    if tags:
        body = f"{body}\n{', '.join(tags)}"
    day = time.gmtime(created)
    date = f"{day.tm_mday} {time.strftime('%B %Y', day)}"
    return f"[{date}] {author}: {body}" if author else body


def text_hash(text: str) -> str:
    """32 hex digits of an embedded text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


BATCH = 64
"""Vectors saved in one transaction; a killed worker loses less than a second of work."""

THREADS = 2
"""Texts encoded at a time, each on one core."""

TURNS_BEFORE = 2
"""Preceding turns of a conversation that the model reads as context."""


class EmbeddedText(NamedTuple):
    """The text to be embedded for one memory."""

    number: int
    text: str
    hash: str
    before: str = ""
    """What was said just before it in a conversation."""


def texts(store: Reader, numbers: Sequence[int]) -> list[EmbeddedText]:
    """The embedded texts of these memories; numbers that are gone are left out."""
    return [_text(store, row) for row in vectors.sources(store, numbers)]


def save(
    store: Store, encoded: Iterable[tuple[EmbeddedText, Encoded]], model: str, dimension: int
) -> int:
    """Store vectors in one short transaction; how many were stored.

    The vector of a memory that is gone, or whose text has changed since, is dropped; the memory
    stays pending.
    """
    pairs = list(encoded)
    with store.write():
        current = {text.number: text.hash for text in texts(store, [t.number for t, _ in pairs])}
        valid = [pair for pair in pairs if current.get(pair[0].number) == pair[0].hash]
        vectors.insert(store, [_row(text, one, model, dimension) for text, one in valid])
    return len(valid)


def bring_back(store: Store, batch: Sequence[EmbeddedText], model: str) -> set[int]:
    """Use the vectors of `model` again that were put aside for these texts; returns the numbers."""
    kept = vectors.kept(store, [text.number for text in batch], model)
    fit = {text.number for text in batch if text.hash in kept.get(text.number, ())}
    if fit:
        with store.write():
            vectors.insert(store, [kept[number] for number in sorted(fit)])
    return fit


def embed(
    store: Store,
    embedder: Embedder,
    *,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    should_continue: Callable[[], bool] = lambda: True,
) -> int:
    """Compute and store the vector of every pending memory, newest first; how many were stored.

    No transaction is open while the model works.

    Args:
        embedder: may be asked from several threads at once.
        limit: most memories to embed in this call.
        progress: called after each batch with the number of finished ones, and of all.
        should_continue: asked before each batch; False ends the call early.
    """
    from concurrent.futures import ThreadPoolExecutor

    def encode(text: EmbeddedText) -> tuple[EmbeddedText, Encoded]:
        return text, embedder.encode(text.text, text.before)

    numbers = vectors.pending(store, embedder.name, limit)
    done = 0
    with ThreadPoolExecutor(THREADS) as pool:
        for at in range(0, len(numbers), BATCH):
            if not should_continue():
                break
            batch = texts(store, numbers[at : at + BATCH])
            # Whoever goes back to an earlier model uses the vectors that were put aside.
            back = bring_back(store, batch, embedder.name)
            done += len(back)
            if missing := [text for text in batch if text.number not in back]:
                encoded = list(pool.map(encode, missing))
                done += save(store, encoded, embedder.name, embedder.dimension)
            if progress is not None:
                progress(min(at + BATCH, len(numbers)), len(numbers))
    return done


def _text(store: Reader, row: tuple[Any, ...]) -> EmbeddedText:
    number, title, content, tags, kind, author, created, session, position = row
    text = embedded_text(title, content, json.loads(tags), kind, author, created)
    spoken = bool(author and session) and position is not None
    said = vectors.turns_before(store, session, position, TURNS_BEFORE) if spoken else ()
    return EmbeddedText(
        number, text, text_hash(text), " ".join(f"{author}: {content}" for author, content in said)
    )


def piece_bytes(encoded: Encoded) -> bytes:
    """The ids of a text's wordpieces as they are stored: uint16."""
    return array("H", encoded.pieces).tobytes()


def _row(text: EmbeddedText, encoded: Encoded, model: str, dimension: int) -> tuple[Any, ...]:
    pieces = piece_bytes(encoded)
    vector = encoded.vector.astype("<f4").tobytes()
    return (text.number, model, dimension, text.hash, vector, encoded.bits, pieces)

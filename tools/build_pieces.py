"""Builds the table of wordpieces that recall uses without the model.

    python -m tools.build_pieces [OUT]

Every wordpiece is encoded alone by the shipped model; what is kept of its vector is, for each
dimension, whether it lies above the mean of all wordpieces that are no stop words. What a wordpiece
adds to the meaning of a sentence is learned (`distill`). The generic prompts are kept by the
signs of their vectors.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cortex_core.embeddings.local import SHIPPED_FOLDER, ShippedModel, has_content
from tools.distill import learn, requests, sentences

TABLE = SHIPPED_FOLDER.with_name("pieces.db")


UNIT = 0.25 / 127
"""What one step of a signed byte represents in a unit vector's dimension."""

_SCHEMA = """
PRAGMA page_size = 4096;
CREATE TABLE piece (text TEXT PRIMARY KEY, id INTEGER NOT NULL, bits BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE meaning (text TEXT PRIMARY KEY, added BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE ordinary (bits BLOB NOT NULL);
"""


def build(out: Path) -> int:
    """Write the table to `out`; returns the number of wordpieces."""
    model = ShippedModel()
    pieces = [(text, place) for text, place in model.vocabulary() if not text.startswith("[")]
    out.unlink(missing_ok=True)
    database = sqlite3.connect(out)
    database.executescript(_SCHEMA)
    rows = _bits(model, pieces)
    database.executemany("INSERT INTO piece VALUES (?, ?, ?)", sorted(rows))
    database.executemany("INSERT INTO meaning VALUES (?, ?)", sorted(_added(model, pieces)))
    database.executemany("INSERT INTO ordinary VALUES (?)", _generic_prompts(model))
    database.commit()
    database.execute("VACUUM")
    database.close()
    return len(rows)


def _bits(model: ShippedModel, pieces: Sequence[tuple[str, int]]) -> list[tuple[str, int, bytes]]:
    states = np.array([model.piece(number) for _, number in pieces])
    mean = states[[has_content(text) for text, _ in pieces]].mean(axis=0)
    return [
        (text, place, np.packbits(state > mean).tobytes())
        for (text, place), state in zip(pieces, states, strict=True)
    ]


def _added(model: ShippedModel, pieces: Sequence[tuple[str, int]]) -> list[tuple[str, bytes]]:
    learned = learn(model, sentences())
    texts = {place: text for text, place in pieces}
    return [
        (texts[place], np.clip(np.rint(vector / UNIT), -127, 127).astype(np.int8).tobytes())
        for place, vector in learned.items()
        if place in texts
    ]


def _generic_prompts(model: ShippedModel) -> list[tuple[bytes]]:
    return [(np.packbits(model.query(one).vector > 0).tobytes(),) for one in requests()]


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE
    print(f"{build(place)} wordpieces written to {place}")

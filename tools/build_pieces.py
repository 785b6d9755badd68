"""Builds the table of wordpieces that recall uses where it may load no model.

    python -m tools.build_pieces [OUT]

Every wordpiece is encoded alone by the shipped model; what is kept of its vector is, for each
dimension, whether it lies above the mean of all wordpieces that are no stop words.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import numpy as np

from cortex_core.embedding.shipped import FOLDER, ShippedModel, has_content

TABLE = FOLDER.with_name("pieces.db")


def build(out: Path) -> int:
    """Write the table to `out`; how many wordpieces it holds."""
    model = ShippedModel()
    pieces = [(text, place) for text, place in model.vocabulary() if not text.startswith("[")]
    states = np.array([model.piece(place) for _, place in pieces])
    mean = states[[has_content(text) for text, _ in pieces]].mean(axis=0)
    rows = [
        (text, place, np.packbits(state > mean).tobytes())
        for (text, place), state in zip(pieces, states, strict=True)
    ]
    out.unlink(missing_ok=True)
    database = sqlite3.connect(out)
    database.execute("PRAGMA page_size = 4096")
    database.execute(
        "CREATE TABLE piece (text TEXT PRIMARY KEY, id INTEGER NOT NULL, bits BLOB NOT NULL) "
        "WITHOUT ROWID"
    )
    database.executemany("INSERT INTO piece VALUES (?, ?, ?)", sorted(rows))
    database.commit()
    database.execute("VACUUM")
    database.close()
    return len(rows)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE
    print(f"{build(place)} wordpieces written to {place}")

"""Texts as the words that the index of a store has for them: without endings, case and accents."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

_TABLES = """
CREATE VIRTUAL TABLE probe USING fts5(text, content='', detail=none,
    tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE stem USING fts5vocab(probe, 'instance');
"""


def stems(texts: Sequence[str]) -> list[list[str]]:
    """The different words of each text, in the order of their letters."""
    found: list[list[str]] = [[] for _ in texts]
    with closing(sqlite3.connect(":memory:")) as probe:
        probe.executescript(_TABLES)
        probe.executemany("INSERT INTO probe (rowid, text) VALUES (?, ?)", enumerate(texts))
        for stem, at in probe.execute("SELECT DISTINCT term, doc FROM stem ORDER BY term"):
            found[at].append(stem)
    return found

"""Whether a store holds what its journal says: every row of a journalled table must be what its
changes made of it, one after the other. Nothing is written.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby

from cortex_core.store import journal
from cortex_core.store.journal import KEYS, LOST
from cortex_core.store.reader import Reader
from cortex_core.store.rows import Row, without_index_words


def differences(store: Reader) -> list[str]:
    """What the journal does not explain, in words that begin with the table and the key of a row.

    What was scrubbed or deleted for good is not compared, nor how often and when a memory was used.
    """
    store.connection.execute("SAVEPOINT verify")  # one state, whatever others write meanwhile
    try:
        return [problem for table in KEYS for problem in _of_table(store.connection, table)]
    finally:
        store.connection.execute("RELEASE verify")


def _of_table(store: sqlite3.Connection, table: str) -> Iterator[str]:
    known = set()
    written = store.execute(
        'SELECT key, before, after FROM journal_row WHERE "table" = ? ORDER BY key, entry, place',
        (table,),
    )
    for name, changes in groupby(written, key=lambda change: change["key"]):
        key = json.loads(name)
        known.add(key)
        found = store.execute(f'SELECT * FROM "{table}" WHERE "{KEYS[table]}" = ?', (key,))
        row = found.fetchone()
        there = None if row is None else without_index_words(table, dict(row))
        yield from (f"{table} {key} {problem}" for problem in _of_row(table, changes, there))
    for (key,) in store.execute(f'SELECT "{KEYS[table]}" FROM "{table}"'):
        if key not in known:
            yield f"{table} {key} was added by no change"


def _of_row(table: str, changes: Iterable[sqlite3.Row], there: Row | None) -> Iterator[str]:
    """What is wrong with one row.

    Args:
        changes: what the journal keeps of it, the oldest first.
        there: the row as it is; None for none.
    """
    state: Row | None = None
    for _, before, after in changes:
        try:
            state = journal.applied(state, before, after)
        except (ValueError, TypeError, AttributeError):
            yield "cannot be compared: the journal is damaged there"
            return
    if state is LOST:
        return
    if state is None or there is None:
        if state is not there:
            yield "is there, although a change removed it" if there else "is missing"
        return
    for column in sorted(journal.differing(table, state, there)):
        yield f"has another {column} than the journal says"

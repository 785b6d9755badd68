"""Finding and removing secrets in a store's file: every table, the journal and the trash included.

The step is journalled but keeps nothing of what it removed, so it cannot be undone; no snapshot is
taken before it, since that would keep the secret. It is safe all the same: it is one transaction,
and a secret's place says what sort it was. Afterwards the file is written anew (VACUUM), so that
neither freed pages nor the write-ahead log nor the search index hold what was removed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core import fields
from cortex_core.curation.wash import Redact, Washer
from cortex_core.memory import Actor
from cortex_core.storage import scrubbing
from cortex_core.storage.reader import Reader
from cortex_core.storage.store import Store

COLUMNS: dict[str, tuple[str, ...]] = {
    "memory": (*(column for column, one in fields.COLUMNS.items() if one.words), "context"),
    "source": ("author",),
    "edge": ("context",),
    "proposal": ("reasons", "conflicts", "text"),
    "cursor": ("carry", "error"),
    "ledger": ("refused", "error"),
    "receipt": ("evidence",),
    "trash": ("title", "rows"),
    "journal": ("label",),
    "journal_row": ("before", "after"),
}  # fmt: skip
"""The columns that hold words of people, tools or files."""

PASSES = 4
"""Most times a store is gone over, should somebody write meanwhile."""


class Find(NamedTuple):
    """One row with a secret in it."""

    table: str
    row: int
    sorts: tuple[str, ...]
    new: dict[str, Any]
    """The columns that change, and what they become."""
    memory: str
    """The memory's id where the row is of one; else empty."""


def finds(reader: Reader, redact: Redact, tables: Sequence[str] = tuple(COLUMNS)) -> Iterator[Find]:
    """Every row of `tables` that holds a secret."""
    washer = Washer(redact)
    for table in tables:
        hashed = ("content_hash",) if table == "memory" else ()
        for row, memory, cells in scrubbing.words(reader, table, (*COLUMNS[table], *hashed)):
            washer.found = []
            made = washer.row(cells)
            new = {name: value for name, value in made.items() if value != cells[name]}
            if new:
                yield Find(table, row, tuple(dict.fromkeys(washer.found)), new, memory)


def scrub(store: Store, redact: Redact, actor: Actor) -> list[Find]:
    """Take every secret out of the store for good; what was found.

    Raises:
        StoreError: the store cannot be written; nothing was changed.
    """
    done: list[Find] = []
    for _ in range(PASSES):
        found = list(finds(store, redact))
        if not found:
            break
        _write(store, found, actor)
        done += found
    if done:
        scrubbing.rewrite_file(store)
    return done


def _write(store: Store, found: Sequence[Find], actor: Actor) -> None:
    scrubbing.overwrite_freed_pages(store)
    label = f"scrub secrets out of {len(found):,} place{'s' * (len(found) > 1)}"
    with store.change("scrub", label, actor) as change:
        change.kept = True
        for one in found:
            scrubbing.overwrite(store, one.table, one.row, one.new)
        scrubbing.rebuild_indexes(store)


def leftovers(store: Store) -> str:
    """Why old pages of the store may still be on the disk; empty when they are not."""
    if log := scrubbing.log_in_use(store):
        return (
            f"{log} is in use by another process and may still contain old pages. End that "
            "process, then run cortex secrets scrub again."
        )
    return ""


def in_copy(path: Path, redact: Redact) -> list[Find] | None:
    """What a snapshot holds; None where it cannot be read."""
    try:
        with Reader(str(path), "project") as copy:
            return list(finds(copy, redact))
    except sqlite3.Error:
        return None

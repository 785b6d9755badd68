"""Checks of what keeps a store's tables together: schema, search index, write-ahead log."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cache

import peewee

from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    Opened,
    failed,
    over_stores,
    warning,
    writing,
)
from cortex_core.storage import schema

LONG_WAL = 64 << 20
"""Bytes of a write-ahead log that nobody has cut back."""

MOST_COMPARED = 25_000
"""Memories up to which the whole index is compared; that holds the write lock for two seconds."""

SAMPLE = 300

INDEXES = ("memory_fts", "memory_words")

FIX = "Run: cortex doctor --fix"


def _schema(_case: Case, store: Opened) -> Iterator[Finding]:
    missing = expected() - _objects(store.connection)
    if not missing:
        return
    named = ", ".join(sorted(f"the {kind} {name}" for kind, name in missing)[:4])
    if any(kind in ("table", "column") for kind, _ in missing):
        yield failed(
            f"{store.path} lacks {named}.",
            "Go back to the last snapshot: cortex snapshot restore 1",
        )
    else:
        yield failed(f"{store.path} lacks {named}.", FIX, fixable=True)


@cache
def expected() -> frozenset[tuple[str, str]]:
    """Type and name of all that a store of this schema has."""
    database = peewee.SqliteDatabase(":memory:")
    schema.create(database, schema.tables(database))
    try:
        return frozenset(_objects(database.connection()))
    finally:
        database.close()


def _objects(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    found = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
    objects = {(kind, name) for kind, name in found if not name.startswith("sqlite_")}
    tables = [name for kind, name in objects if kind == "table" and "_" not in name]
    columns = {
        ("column", f"{table}.{row[1]}")
        for table in tables
        for row in connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    }
    return objects | columns


def create_missing(case: Case) -> str:
    """Create lost triggers and indexes again, and bring the search index in step."""
    with case.opened() as stores:
        for store in stores:
            database = peewee.SqliteDatabase(str(store.path))
            try:
                with database.atomic("IMMEDIATE"):
                    schema.create(database, schema.tables(database))
            finally:
                database.close()
    return f"Created what was missing. {rebuild_index(case)}"


def _in_step(_case: Case, store: Opened) -> Iterator[Finding]:
    rows = store.one("SELECT count(*) FROM memory")
    for index in INDEXES:
        listed = store.one(f"SELECT count(*) FROM {index}_docsize")
        look = _whole_fault if rows <= MOST_COMPARED else _sample_fault
        reason = f"{listed:,} of {rows:,} memories" if listed != rows else look(store, index)
        if reason:
            yield failed(
                f"The search index of {store.path} is out of step ({index}: {reason}), so words "
                "find too little.",
                FIX,
                fixable=True,
            )


def _sample_fault(store: Opened, index: str) -> str:
    """Whether memories picked at random are found by a word of theirs; it takes no lock."""
    missed = 0
    for number, title in store.all(
        "SELECT number, title FROM memory ORDER BY random() LIMIT ?", SAMPLE
    ):
        word = next((word for word in title.split() if word.isascii() and word.isalnum()), "")
        if word:
            missed += not store.all(
                f"SELECT 1 FROM {index} WHERE rowid = ? AND {index} MATCH ?", number, f'"{word}"'
            )
    return f"{missed:,} of {SAMPLE:,} memories are not found by their own words" if missed else ""


def _whole_fault(store: Opened, index: str) -> str:
    """What SQLite finds wrong with an index, compared with the rows; it writes nothing."""
    try:
        with writing(store.path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                command = f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)"
                connection.execute(command)
            finally:
                connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return ""  # locked or read-only: stores-open tells
    except sqlite3.DatabaseError:
        return "other words than the memories"
    return ""


def rebuild_index(case: Case) -> str:
    """Build both indexes anew from the memories."""
    with case.opened() as stores:
        for store in stores:
            with writing(store.path) as connection:
                for index in INDEXES:
                    connection.execute(f"INSERT INTO {index}({index}) VALUES ('rebuild')")
    return "Built the search index anew."


def _wal(_case: Case, store: Opened) -> Iterator[Finding]:
    log = store.path.with_name(store.path.name + "-wal")
    size = log.stat().st_size if log.exists() else 0
    if size > LONG_WAL:
        yield warning(
            f"{log} has grown to {size / 1e6:.0f} MB, which makes everything slow.",
            FIX,
            fixable=True,
        )


def cut_wal(case: Case) -> str:
    """Carry what the logs hold into the stores, and cut them to nothing."""
    with case.opened() as stores:
        paths = [store.path for store in stores]
    left = 0
    for path in paths:
        with writing(path) as connection:
            left += connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if left:
        return "Another process still reads the store, so its log could not be cut back."
    return "Cut the write-ahead logs back."


CHECKS = (
    Check("schema", "stores", over_stores(_schema, "Nothing is missing in them."), create_missing),
    Check(
        "search-index", "stores", over_stores(_in_step, "The search index is in step."),
        rebuild_index,
    ),
    Check("write-ahead-log", "stores", over_stores(_wal, "Their logs are short."), cut_wal),
)  # fmt: skip

"""Checks of a store's internals: schema, search index, write-ahead log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    failed,
    over_stores,
    warning,
)
from cortex_core.storage import health
from cortex_core.storage.reader import Reader

LONG_WAL = 64 << 20
"""Size in bytes above which a write-ahead log is too long."""

MOST_COMPARED = 25_000
"""Maximum number of memories for a full comparison, which holds the write lock for two seconds."""

SAMPLE = 300

FIX = "Run: cortex doctor --fix"


def _schema(_case: Case, store: Reader) -> Iterator[Finding]:
    missing = health.missing(store)
    if not missing:
        return
    named = ", ".join([f"the {kind} {name}" for kind, name in missing][:4])
    if any(kind in ("table", "column") for kind, _ in missing):
        yield failed(
            f"{store.file} lacks {named}.",
            "Restore the last snapshot: cortex snapshot restore 1",
        )
    else:
        yield failed(f"{store.file} lacks {named}.", FIX, fixable=True)


def create_missing(case: Case) -> str:
    """Create lost triggers and indexes again, and rebuild the search index."""
    with case.opened() as stores:
        for store in stores:
            health.create_missing(Path(store.file))
    return f"Created the missing parts. {rebuild_index(case)}"


def _in_step(_case: Case, store: Reader) -> Iterator[Finding]:
    rows = health.memories(store)
    for index in health.INDEXES:
        listed = health.indexed(store, index)
        look = _whole_fault if rows <= MOST_COMPARED else _sample_fault
        reason = f"{listed:,} of {rows:,} memories" if listed != rows else look(store, index)
        if reason:
            yield failed(
                f"The search index of {store.file} is incomplete ({index}: {reason}), so search by "
                "words finds too little.",
                FIX,
                fixable=True,
            )


def _sample_fault(store: Reader, index: str) -> str:
    """Whether random memories are found by one of their words; this takes no lock."""
    missed = health.missed(store, index, SAMPLE)
    return f"{missed:,} of {SAMPLE:,} memories are not found by their own words" if missed else ""


def _whole_fault(store: Reader, index: str) -> str:
    """Compare an index with the rows through SQLite, without writing; why they differ, or ""."""
    differs = health.index_differs(Path(store.file), index)
    return "its words differ from the memories" if differs else ""


def rebuild_index(case: Case) -> str:
    """Rebuild both indexes from the memories."""
    with case.opened() as stores:
        for store in stores:
            health.rebuild_indexes(Path(store.file))
    return "Rebuilt the search index."


def _wal(_case: Case, store: Reader) -> Iterator[Finding]:
    log = Path(f"{store.file}-wal")
    size = log.stat().st_size if log.exists() else 0
    if size > LONG_WAL:
        yield warning(
            f"{log} has grown to {size / 1e6:.0f} MB, which slows everything down.",
            FIX,
            fixable=True,
        )


def cut_wal(case: Case) -> str:
    """Write the content of the logs to the stores, and truncate the logs."""
    with case.opened() as stores:
        paths = [Path(store.file) for store in stores]
    cut = [health.cut_log(path) for path in paths]
    if not all(cut):
        return "Another process is reading the store, so its log could not be truncated."
    return "Truncated the write-ahead logs."


CHECKS = (
    Check("schema", "stores", over_stores(_schema, "The stores are complete."), create_missing),
    Check(
        "search-index", "stores", over_stores(_in_step, "The search index is complete."),
        rebuild_index,
    ),
    Check("write-ahead-log", "stores", over_stores(_wal, "The logs are short."), cut_wal),
)  # fmt: skip

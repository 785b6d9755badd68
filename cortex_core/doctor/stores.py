"""Checks of the stores: whether they open, are intact and are trusted."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    failed,
    over_stores,
    skipped,
    together,
    warning,
)  # fmt: skip
from cortex_core.storage import health, snapshots
from cortex_core.storage.reader import SCHEMA_VERSION, Reader
from cortex_core.surface import trust

FIX = "Run: cortex doctor --fix"


def stores_open(case: Case) -> Finding:
    """Whether each store can be opened, read and written."""
    if not case.files:
        return skipped("There is no store yet.")
    opened = " and ".join(case.files)
    return together(
        (found for path in case.files.values() if (found := _opening(path))),
        f"The {opened} store opens." if len(case.files) == 1 else f"The {opened} stores open.",
    )


def _opening(path: Path) -> Finding | None:
    if path.is_dir():
        return failed(f"{path} is a folder, but should be a store.", "Move the folder away.")
    if not os.access(path, os.R_OK):
        return failed(f"{path} cannot be read: permission denied.", f"Run: chmod 600 {path}")
    try:
        version = health.version(path)
    except sqlite3.Error as error:
        return _unreadable(path, str(error))
    if version > SCHEMA_VERSION:
        return failed(
            f"{path} was written by a newer Cortex (schema {version}, this one supports "
            f"{SCHEMA_VERSION}).",
            "Upgrade: pipx upgrade cortex-memory",
        )
    if version < SCHEMA_VERSION:
        return warning(
            f"{path} was written by an older Cortex (schema {version}). The next command that "
            "opens it migrates it, after a snapshot.",
            "Run: cortex status",
        )
    return _held(path)


def _unreadable(path: Path, reason: str) -> Finding:
    if "locked" in reason or "busy" in reason:
        return warning(f"{path} is locked by another process.", "Try again in a moment.")
    copies = snapshots.taken(path)
    if "no such table" in reason and not path.stat().st_size:
        return warning(f"{path} is empty.", "Nothing to do: it is set up when something is stored.")
    return failed(
        f"{path} is damaged, or not a store ({reason}).",
        "Restore the last snapshot: cortex snapshot restore 1"
        if copies
        else "There is no snapshot. Move it away to start with an empty store: "
        f"mv {path} {path}.broken",
    )


def _held(path: Path) -> Finding | None:
    """Whether the store is read-only or locked for writing."""
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return warning(
            f"{path} is read-only, so nothing new is stored.",
            "Make the file and its folder writable.",
        )
    if reason := health.why_not_writable(path):
        return warning(
            f"{path} is not writable at the moment ({reason}).",
            "Wait for the program that uses it, or end it. To find it: fuser "
            f"{path} or lsof {path}",
        )
    return None


def _whole(_case: Case, store: Reader) -> Iterator[Finding]:
    if fault := health.damage(store):
        copies = snapshots.taken(Path(store.file))
        yield failed(
            f"{store.file} is damaged: {fault.splitlines()[-1]}.",
            "Restore the last snapshot: cortex snapshot restore 1"
            if copies
            else "Save what is readable: cortex export jsonl FILE. Then move the store away and "
            "import the file.",
        )
    if orphans := health.orphans(store):
        yield failed(
            f"{store.file} has {orphans:,} vectors or journal rows without a memory or entry.",
            FIX,
            fixable=True,
        )


def drop_orphans(case: Case) -> str:
    """Remove rows that belong to no memory and no journal entry."""
    with case.opened() as stores:
        count = sum(health.drop_orphans(Path(store.file)) for store in stores)
    return f"Removed {count:,} orphaned rows."


def _trusted(case: Case, store: Reader) -> Iterable[Finding]:
    if store.scope == "project" and not trust.trusted(case.project, store.identity):
        yield warning(
            "The project store comes from elsewhere (a clone, a copy, a move), so its memories "
            "are not injected.",
            "Read it (cortex list), then run: cortex trust",
        )


CHECKS = (
    Check("stores-open", "stores", stores_open),
    Check("integrity", "stores", over_stores(_whole, "The stores are intact."), drop_orphans),
    Check("trust", "stores", over_stores(_trusted, "The stores are your own.")),
)  # fmt: skip

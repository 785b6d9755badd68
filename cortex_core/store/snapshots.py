"""Whole copies of a store, taken before large changes with SQLite's backup interface."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from cortex_core.base.errors import NotFound, StoreError

KEEP = 10
"""Newest snapshots of a store that stay."""

_NAME = re.compile(r"(?P<stem>.+)\.(?P<time>\d{8}T\d{6})\.(?P<count>\d{3})\.(?P<why>[\w-]+)\.db")


class Snapshot(NamedTuple):
    """One copy of a store."""

    path: Path
    time: str
    """UTC, `YYYYMMDDTHHMMSS`."""
    why: str
    size: int
    """Bytes."""


def folder(store: Path) -> Path:
    """Where the snapshots of `store` lie."""
    return store.parent / "snapshots"


def take(store: Path, why: str) -> Snapshot:
    """Copy `store` as it is now; the oldest copies beyond `KEEP` go.

    Raises:
        StoreError: the copy could not be written; the store itself is untouched.
    """
    target, partial = folder(store), None
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    try:
        target.mkdir(mode=0o700, exist_ok=True)
        count = sum(1 for _ in target.glob(f"{store.stem}.{stamp}.*"))
        path = target / f"{store.stem}.{stamp}.{count:03}.{why}.db"
        partial = path.with_suffix(".partial")
        partial.touch(mode=0o600)
        with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(partial)) as copy:
            source.backup(copy)
        partial.replace(path)
    except (OSError, sqlite3.Error) as error:
        if partial is not None:
            partial.unlink(missing_ok=True)
        raise StoreError(
            f"The snapshot of {store} failed ({error}). Nothing was changed. Free some space, or "
            "make its folder writable."
        ) from error
    for old in taken(store)[KEEP:]:
        old.path.unlink(missing_ok=True)
    return _described(path)


def taken(store: Path) -> list[Snapshot]:
    """The snapshots of `store`, newest first."""
    found = [path for path in folder(store).glob(f"{store.stem}.*.db") if _NAME.match(path.name)]
    return [_described(path) for path in sorted(found, reverse=True)]


def restore(store: Path, number: int) -> Snapshot:
    """Put the store back to its `number`th newest snapshot, from 1; the present becomes one too.

    Raises:
        NotFound: there is no such snapshot.
        StoreError: it could not be copied back.
    """
    known = taken(store)
    if not 1 <= number <= len(known):
        raise NotFound(
            f"There is no snapshot {number}. Nothing was changed. See: cortex snapshot list"
        )
    chosen = known[number - 1]
    kept = chosen.path.with_suffix(".restoring")
    try:
        chosen.path.replace(kept)
        if store.exists():
            _take_if_sound(store)
        with closing(sqlite3.connect(kept)) as source, closing(sqlite3.connect(store)) as target:
            newest = _revision(target)
            source.backup(target)
            # Whatever was made for a revision in between must not be taken for the present.
            target.execute(
                "UPDATE meta SET value = max(value + 0, ?) + 1 WHERE key = 'revision'", (newest,)
            )
            target.commit()
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"The snapshot could not be restored ({error}). The store and its snapshots were not "
            f"changed. Close other programs that use {store} and try again."
        ) from error
    finally:
        if kept.exists():
            kept.replace(chosen.path)
    return chosen


def _revision(store: sqlite3.Connection) -> int:
    """The store's revision; 0 where there is none to read."""
    try:
        found = store.execute("SELECT value FROM meta WHERE key = 'revision'").fetchone()
    except sqlite3.DatabaseError:
        return 0
    return int(found[0]) if found else 0


def _take_if_sound(store: Path) -> None:
    try:
        take(store, "before-restore")
    except StoreError:
        broken = store.with_name(store.name + ".broken")
        store.replace(broken)
        for tail in ("-wal", "-shm"):
            store.with_name(store.name + tail).unlink(missing_ok=True)


def _described(path: Path) -> Snapshot:
    match = _NAME.match(path.name)
    if match is None:
        raise StoreError(f"{path} is not a snapshot. Nothing was changed.")
    return Snapshot(path, match["time"], match["why"], path.stat().st_size)

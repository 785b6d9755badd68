"""Whole copies of a store, taken before large changes with SQLite's backup interface, and the way
back to one of them, which happens whole or not at all.
"""

import calendar
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.base import hook_io, trust
from cortex_core.base.errors import NotFound, StoreError
from cortex_core.store import foreign, leftovers, reader

KEEP = 10
"""Newest snapshots of a store that stay."""

PATIENCE = 5.0
"""Seconds that another process may hold a store before a copy is given up."""

_NAME = re.compile(r"(?P<stem>.+)\.(?P<time>\d{8}T\d{6})\.(?P<count>\d{3})\.(?P<why>[\w-]+)\.db")

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Snapshot(NamedTuple):
    """One copy of a store."""

    path: Path
    time: str
    """UTC, `YYYYMMDDTHHMMSS`."""
    why: str
    size: int
    """Bytes."""

    @property
    def moment(self) -> float:
        """When it was taken, Unix seconds."""
        return calendar.timegm(time.strptime(self.time, "%Y%m%dT%H%M%S"))


def folder(store: Path) -> Path:
    """Where the snapshots of `store` are."""
    return store.parent / "snapshots"


def take(store: Path, why: str) -> Snapshot:
    """Copy `store` as it is now; the oldest copies beyond `KEEP` go.

    None goes for the copy of a store that is damaged: the sound ones are the way back.

    Raises:
        StoreError: the copy could not be written; the store itself is untouched.
    """
    try:
        with closing(sqlite3.connect(store, timeout=PATIENCE)) as source:
            made = _take(source, store, why)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"The snapshot of {store} failed ({error}). Nothing was changed. Free some space, or "
            "make its folder writable."
        ) from error
    if not _fault(made.path, "quick_check"):
        _drop_oldest(store)
    return made


def take_daily(store: Path, why: str) -> None:
    """Copy `store` before the first step of a kind in a day (UTC); see `take`.

    Small steps are undone one by one: a copy for each would drive out those of large steps.
    """
    today = time.strftime("%Y%m%d", time.gmtime())
    if not any(one.why == why and one.time.startswith(today) for one in taken(store)):
        take(store, why)


def taken(store: Path) -> list[Snapshot]:
    """The snapshots of `store`, newest first."""
    found = [path for path in folder(store).glob(f"{store.stem}.*.db") if _NAME.match(path.name)]
    return [_described(path) for path in sorted(found, reverse=True)]


def numbered(store: Path, number: int) -> Snapshot:
    """The `number`th newest snapshot of `store`, from 1.

    Raises:
        NotFound: there is no such snapshot.
    """
    known = taken(store)
    if not 1 <= number <= len(known):
        raise NotFound(
            f"There is no snapshot {number}. Nothing was changed. See: cortex snapshot list"
        )
    return known[number - 1]


def copies(store: Path) -> list[Path]:
    """Every copy next to `store`: snapshots, whole or not, and stores that a restore replaced."""
    names = (f"{store.stem}.*.{tail}" for tail in ("db", "restoring", "partial"))
    found = sorted(path for name in names for path in folder(store).glob(name))
    return [*found, *sorted(store.parent.glob(f"{store.name}.broken*"))]


def restore(
    store: Path,
    number: int,
    note: str = "",
) -> Snapshot:
    """Put the store back to its `number`th newest snapshot, from 1; the present becomes one too.

    The snapshot is copied and checked first. Then, with the store locked for other writers, the
    present state is copied and checked, and the snapshot's pages are written into the store in one
    transaction of SQLite: a process that is killed, or a disk that is full, leaves the store as it
    was, and what other processes have open stays the store. A present state that is damaged is
    kept next to the store as `….broken`, not as a snapshot.

    Args:
        note: says which files are this user's own; what becomes the store, or its log, is added to
            it before anything is written there. Empty: nobody asks.

    Raises:
        NotFound: there is no such snapshot.
        StoreError: it could not be restored; the store and its snapshots are as they were.
    """
    foreign.refuse(store)
    leftovers.sweep(store.parent)
    chosen = numbered(store, number)
    try:
        with prepared_copy(store, chosen) as prepared:
            if not _written_into(store, prepared, note):
                if note:
                    trust.note_file(note, trust.DATABASE, str(prepared))
                _put_in_place(store, prepared)
    except (OSError, sqlite3.Error) as error:
        is_held = "locked" in str(error) or "busy" in str(error)
        step = (
            f"Close other programs that use {store}"
            if is_held
            else f"Free some space, or make {store.parent} writable"
        )
        left = "The store and its snapshots are as they were"
        # SQLite may find all of it there later, where the disk failed at the last sync alone.
        if getattr(error, "sqlite_errorname", "") == "SQLITE_IOERR_FSYNC":
            left = "The store is whole, and has its own state or the snapshot's: see cortex list"
        raise StoreError(
            f"The snapshot could not be restored ({error}). {left}. {step}, then try again."
        ) from error
    # The vectors in the cache are those of the state before.
    for cache in store.parent.glob("cache/vectors-*.bin"):
        cache.unlink(missing_ok=True)
    _drop_oldest(store, but=chosen)
    return chosen


# --- copies


def _take(source: sqlite3.Connection, store: Path, why: str) -> Snapshot:
    """A new snapshot of what `source` reads."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    known = [_NAME.match(path.name) for path in folder(store).glob(f"{store.stem}.{stamp}.*")]
    count = max((int(match["count"]) + 1 for match in known if match), default=0)
    path = folder(store) / f"{store.stem}.{stamp}.{count:03}.{why}.db"
    hook_io.private_folder(str(path.parent))
    with leftovers.partial(path) as unfinished:
        copy(source, unfinished)
        unfinished.replace(path)
    return _described(path)


def copy(source: sqlite3.Connection, path: Path) -> None:
    """Write one state of a database to `path`, in a file of its own without a log.

    Raises:
        sqlite3.Error: another process holds the database, it is damaged, or the disk is full.
    """
    with closing(sqlite3.connect(path)) as target:
        source.backup(target, progress=_unless_locked)
        target.execute("PRAGMA journal_mode = delete")


def _unless_locked(status: int, _remaining: int, _total: int) -> None:
    """End a copy whose database another process holds: SQLite would go on trying for ever."""
    if status in _BUSY:
        raise sqlite3.OperationalError("database is locked")


def _drop_oldest(store: Path, but: Snapshot | None = None) -> None:
    for old in taken(store)[KEEP:]:
        if but is None or old.path != but.path:
            old.path.unlink(missing_ok=True)


def _described(path: Path) -> Snapshot:
    match = _NAME.match(path.name)
    if match is None:
        raise StoreError(f"{path} is not a snapshot. Nothing was changed.")
    return Snapshot(path, match["time"], match["why"], path.stat().st_size)


# --- the way back


@contextmanager
def prepared_copy(store: Path, chosen: Snapshot) -> Iterator[Path]:
    """A checked copy of a snapshot next to the store, removed at the end where it is still there.

    Raises:
        StoreError: the snapshot is damaged.
    """
    with leftovers.partial(store) as made:
        with closing(_only_read(chosen.path)) as source:
            copy(source, made)
        with closing(sqlite3.connect(made)) as copied:
            # Else the first to open it in the store's place would need a rollback journal there.
            copied.execute("PRAGMA journal_mode = wal")
        if fault := _fault(made):
            raise StoreError(
                f"The snapshot {chosen.path} is damaged ({fault}). Nothing was changed. Choose "
                "another one: cortex snapshot list"
            )
        with closing(_only_read(made)) as copied:
            if (version := reader.version(copied)) < reader.OLDEST_VERSION:
                raise StoreError(
                    f"The snapshot {chosen.path} was written by an earlier development version of "
                    f"Cortex (schema {version}). Nothing was changed. Choose another one: cortex "
                    "snapshot list"
                )
        yield made


def _written_into(store: Path, prepared: Path, note: str) -> bool:
    """Write the prepared pages into the store in one transaction; False where it is no database.

    The first page locks the store for writers, so the present state is kept between the first and
    the second: nobody can write anything that would be in neither.
    """
    if not store.exists():
        return False
    try:
        with (
            closing(sqlite3.connect(prepared)) as source,
            closing(sqlite3.connect(store, timeout=PATIENCE)) as target,
        ):
            target.execute("PRAGMA journal_mode = wal")
            if note:
                trust.note_logs(note, str(store))
            source.backup(target, pages=1, progress=_keeping(store, source))
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return False
    return True


def _keeping(store: Path, source: sqlite3.Connection) -> Callable[[int, int, int], None]:
    """What happens between the pages: after the first, the present state is kept."""
    kept: list[Path] = []

    def after_page(status: int, remaining: int, total: int) -> None:
        _unless_locked(status, remaining, total)
        if not kept:
            kept.append(_keep_present(store))
            _carry_over(source, kept[0])

    return after_page


def _keep_present(store: Path) -> Path:
    """Copy the store to a snapshot, or next to it where it is damaged; the copy's path."""
    with closing(sqlite3.connect(store, timeout=PATIENCE)) as present:
        made = _take(present, store, "before-restore").path
    if _fault(made):
        made = made.replace(_broken_name(store))
    return made


def _carry_over(restored: sqlite3.Connection, present: Path) -> None:
    """Let the numbers that only grow go on from the present state.

    What was made for a revision or a vector of the time in between must not be taken for the
    restored one, and no number of a row is given twice.
    """
    with closing(_only_read(present)) as current:
        for key in ("revision", "vectors"):
            for (value,) in _rows(current, "SELECT value + 0 FROM meta WHERE key = ?", key):
                restored.execute(
                    "UPDATE meta SET value = max(value + 0, ?) + 1 WHERE key = ?", (value, key)
                )
        for table, highest in _rows(current, "SELECT name, seq FROM sqlite_sequence"):
            if _rows(restored, "SELECT 1 FROM sqlite_sequence WHERE name = ?", table):
                restored.execute(
                    "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (highest, table)
                )
    restored.commit()


def _rows(database: sqlite3.Connection, sql: str, *values: str) -> list[tuple[Any, ...]]:
    """The rows of a statement; none where an older schema or damage does not let them be read."""
    try:
        return database.execute(sql, values).fetchall()
    except sqlite3.DatabaseError:
        return []


def _put_in_place(store: Path, prepared: Path) -> None:
    """Make the prepared copy the store, in place of a file that is missing or no database.

    What was there is kept with its log as `….broken`. The log goes before the copy comes: SQLite
    would take it for the copy's.
    """
    broken = _broken_name(store)
    if store.exists():
        try:
            os.link(store, broken)
        except OSError:
            shutil.copy2(store, broken)
    for tail in ("-wal", "-journal"):
        log = store.with_name(store.name + tail)
        if log.exists():
            log.replace(broken.with_name(broken.name + tail))
    store.with_name(f"{store.name}-shm").unlink(missing_ok=True)
    prepared.replace(store)


def _broken_name(store: Path) -> Path:
    """A free name for a store that is damaged."""
    count = 1
    while (path := store.with_name(f"{store.name}.broken{f'-{count}' * (count > 1)}")).exists():
        count += 1
    return path


def _only_read(path: Path) -> sqlite3.Connection:
    """A connection to a copy that nobody changes; it leaves no files next to it."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _fault(path: Path, check: str = "integrity_check") -> str:
    """The first fault that a check of SQLite names; empty where the copy is whole.

    Args:
        check: `quick_check` leaves out whether the indexes fit the tables.
    """
    try:
        with closing(_only_read(path)) as made:
            found = str(made.execute(f"PRAGMA {check}(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else found.splitlines()[-1]

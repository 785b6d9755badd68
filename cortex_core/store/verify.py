"""Whether a store holds what its journal says: every row of a journalled table must be what the
changes made of it.

Each row has a chain of changes of its own, which is followed back from the present: what an update
set must be found on the way, what an insertion added must have its fingerprint, and what was there
when the oldest snapshot was taken must be in it. Nothing is written.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.store import journal, reader, snapshots
from cortex_core.store.journal import (
    EMPTIED,
    INSERTED,
    KEYS,
    LOST,
    UNCOUNTED,
    UNNAMED,
    is_insertion,
)
from cortex_core.store.reader import OLDEST_VERSION, SCHEMA_VERSION, Reader
from cortex_core.store.rows import Row, without_index_words


class Fault(NamedTuple):
    """One thing that is not as it should be."""

    table: str
    row: str
    """The key of the row."""
    column: str
    """Empty where it is the row as a whole."""
    problem: str
    """Continues “memory 1f3a9c20 …”."""
    expected: Any = None
    found: Any = None


class Copy(NamedTuple):
    """A snapshot of which the present store is a later state."""

    path: Path
    connection: sqlite3.Connection
    last: int
    """The last change that it has."""


@dataclass(slots=True)
class Checked:
    """What was compared, and what differs."""

    counts: Counter[str] = field(default_factory=Counter)
    """Rows that were compared, by table."""
    unchecked: Counter[str] = field(default_factory=Counter)
    """Rows, by table, of which nothing says what they were when they were added."""
    faults: list[Fault] = field(default_factory=list)


# --- the snapshot


def oldest_copy(store: Reader) -> Copy | None:
    """The oldest snapshot that the journal leads back to; the caller closes its connection.

    Scrubbing rewrites rows and journal alike, so an earlier snapshot cannot be compared.
    """
    scrubbed = store.value("SELECT max(number) FROM journal WHERE verb = 'scrub'") or 0
    for taken in reversed(snapshots.taken(Path(store.file))):
        with suppress(sqlite3.Error):
            connection = reader.connect(str(taken.path))
            last = _last_shared(store, connection)
            if last is not None and last >= scrubbed:
                return Copy(taken.path, connection, last)
            connection.close()
    return None


def _last_shared(store: Reader, copy: sqlite3.Connection) -> int | None:
    """The last change in a copy; None where the store went another way since."""
    is_ours = OLDEST_VERSION <= reader.version(copy) <= SCHEMA_VERSION
    if not is_ours or reader.state(copy)[0] != store.identity:
        return None
    newest = copy.execute(f"{_ENTRIES} ORDER BY number DESC LIMIT 1").fetchone()
    if newest is None:
        return 0
    here = store.rows(f"{_ENTRIES} WHERE number = ?", (newest[0],))
    return int(newest[0]) if here and _is_same_entry(here[0], newest) else None


# --- rows


def rows(store: Reader, copy: Copy | None) -> Checked:
    """Follow the chain of every row of the journalled tables."""
    checked = Checked()
    emptied = _emptied(store)
    for table in KEYS:
        for key, changes in _keys(store, table, copy):
            chain = _Chain(table, key, _row(store.connection, table, key))
            if table == "trash" and chain.state is None and key in emptied:
                continue
            checked.counts[table] += chain.state is not None
            _follow(chain, changes, copy)
            checked.unchecked[table] += chain.unchecked
            checked.faults += chain.faults
    return checked


def _emptied(store: Reader) -> set[str]:
    """The memories that were deleted for good."""
    asked = "SELECT DISTINCT memory FROM journal_row WHERE before = ?"
    return {memory for (memory,) in store.rows(asked, (EMPTIED,))}


def _keys(
    store: Reader, table: str, copy: Copy | None
) -> Iterator[tuple[Any, Sequence[sqlite3.Row]]]:
    """Every row that is, was or should be in a table, with its changes, the newest first."""
    written = store.connection.execute(
        'SELECT key, entry, before, after FROM journal_row WHERE "table" = ? '
        "ORDER BY key, entry DESC, place DESC",
        (table,),
    )
    known = set()
    for name, changes in groupby(written, key=lambda row: row["key"]):
        key = _parsed(name)
        known.add(key)
        yield key, list(changes)
    places = [store.connection, *([copy.connection] if copy else [])]
    there = {
        key for place in places if _has(place, table) for (key,) in place.execute(_listing(table))
    }
    yield from ((key, ()) for key in sorted(there - known))


def _has(place: sqlite3.Connection, table: str) -> bool:
    """Whether a database has a table; one of an older schema may not."""
    asked = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return place.execute(asked, (table,)).fetchone() is not None


def _listing(table: str) -> str:
    return f'SELECT "{KEYS[table]}" FROM "{table}"'


def _parsed(name: str) -> Any:
    """The key that the journal keeps as JSON; as it is where it is none."""
    try:
        key = json.loads(name)
    except ValueError:
        return name
    return key if isinstance(key, str | int) else name


def _row(connection: sqlite3.Connection, table: str, key: Any) -> Row | None:
    asked = f'SELECT * FROM "{table}" WHERE "{KEYS[table]}" = ?'
    found = connection.execute(asked, (key,)).fetchone()
    return None if found is None else without_index_words(table, dict(found))


def _follow(chain: _Chain, changes: Sequence[sqlite3.Row], copy: Copy | None) -> None:
    """Take back the changes of a row, and compare it with the copy on the way."""
    last = copy.last if copy else 0
    for change in changes:
        if change["entry"] > last:
            chain.take_back(change, is_covered=False)
    if copy:
        chain.compare(_row(copy.connection, chain.table, chain.key), copy.path.name)
    for change in changes:
        if change["entry"] <= last:
            chain.take_back(change, is_covered=True)
    if not copy:
        chain.must_be_absent()


@dataclass(slots=True)
class _Chain:
    """One row on its way back through the journal."""

    table: str
    key: Any
    state: Row | None
    """The row as it was after the changes that are not taken back yet; None: it was not there."""
    faults: list[Fault] = field(default_factory=list)
    unchecked: bool = False

    def take_back(self, change: sqlite3.Row, *, is_covered: bool) -> None:
        """Check what a change says of the row, and make `state` what it was before.

        Args:
            is_covered: whether a snapshot has the row as it was later.
        """
        number, after = change["entry"], change["after"]
        try:
            before = journal.noted(self.table, change["before"])
            new = None if after is None or is_insertion(after) else journal.noted(self.table, after)
        except (ValueError, TypeError, AttributeError):
            self._fault(f"cannot be compared: change {number} is unreadable in the journal")
            self.state = LOST
            return
        if is_insertion(after):
            self._check_insertion(number, after, is_covered=is_covered)
        elif new is None:
            self._check_deletion(number)
        else:
            self._check_update(number, new)
        if new and self.state and not before:  # scrubbed: what these columns held, nothing says
            self.state = {name: cell for name, cell in self.state.items() if name not in new}
        else:
            self.state = journal.taken_back(self.state, before, after)

    def compare(self, there: Row | None, name: str) -> None:
        """Compare with the row in a snapshot."""
        if self.state is LOST or (self.state is None and there is None):
            return
        if self.state is None:
            self._fault(f"was removed by no change since the snapshot {name}")
            self.state = LOST
        elif there is None:
            self._fault(f"was added by no change since the snapshot {name}")
            self.state = LOST
        else:
            self._compare(there, f"is not what the snapshot {name} has")

    def must_be_absent(self) -> None:
        """Nothing is there before the first change."""
        if self.state is not None and self.state is not LOST:
            self._fault("was added by no change")

    def _check_insertion(self, number: int, after: str, *, is_covered: bool) -> None:
        wanted = after.removeprefix(INSERTED)
        if self.state is None:
            self._fault(f"is missing: change {number} added it, and none removed it")
        elif self.state is not LOST and wanted:
            if journal.fingerprint(self.table, self.state) != wanted:
                self._fault(f"is not what change {number} added")
        elif self.state is not LOST:
            self.unchecked = not is_covered

    def _check_deletion(self, number: int) -> None:
        if self.state is not None and self.state is not LOST:
            self._fault(f"is there, although change {number} removed it")

    def _check_update(self, number: int, after: Row) -> None:
        if self.state is None:
            self._fault(f"is missing: change {number} changed it, and none removed it")
        elif self.state is not LOST:
            self._compare(after, f"is not what change {number} set")

    def _compare(self, wanted: Row, problem: str) -> None:
        state = self.state or {}
        for name in wanted.keys() & state.keys() - UNCOUNTED - {KEYS[self.table]}:
            if journal.comparable(wanted[name]) != journal.comparable(state[name]):
                self._fault(problem, name, wanted[name], state[name])

    def _fault(
        self, problem: str, column: str = "", expected: Any = None, found: Any = None
    ) -> None:
        row = str(self.key)
        self.faults.append(Fault(self.table, row, column, problem, expected, found))


# --- the journal itself

_ENTRIES = "SELECT number, time, actor, verb, label, action FROM journal"
_ROWS = 'SELECT entry, place, "table", key, memory, before, after FROM journal_row'
_UNPAIRED = """
SELECT a.number, a.undone_by AS other FROM journal a LEFT JOIN journal b ON b.number = a.undone_by
WHERE a.undone_by IS NOT NULL AND (b.number IS NULL OR b.undoes IS NOT a.number)
UNION ALL
SELECT a.number, a.undoes FROM journal a LEFT JOIN journal b ON b.number = a.undoes
WHERE a.undoes IS NOT NULL AND (b.number IS NULL OR b.number >= a.number)
"""


def entries(store: Reader, copy: Copy | None) -> Checked:
    """Whether the journal is whole in itself, and what it was in the snapshot."""
    checked = Checked()
    checked.counts["journal"] = int(store.value("SELECT count(*) FROM journal"))
    checked.faults += _gaps(store)
    for number, other in store.rows(_UNPAIRED):
        problem = f"names change {other} as its undo or redo, which does not name it"
        checked.faults.append(Fault("journal", str(number), "", problem))
    if copy:
        checked.faults += _changed_entries(store, copy)
    return checked


def _gaps(store: Reader) -> Iterator[Fault]:
    """Changes that lack a row, and rows of no change. A whole change that is gone shows in the rows
    that it wrote."""
    counted = "SELECT entry FROM journal_row GROUP BY entry HAVING count(*) <> max(place) + 1"
    for (entry,) in store.rows(counted):
        yield Fault("journal_row", str(entry), "", "lacks some of what the change wrote")
    stray = (
        "SELECT DISTINCT entry FROM journal_row WHERE entry NOT IN (SELECT number FROM journal) "
        'OR "table" NOT IN (SELECT value FROM json_each(?))'
    )
    for (entry,) in store.rows(stray, (json.dumps(list(KEYS)),)):
        yield Fault("journal_row", str(entry), "", "belongs to no change or no table")


def _changed_entries(store: Reader, copy: Copy) -> Iterator[Fault]:
    """What was changed in the journal since the snapshot: it is only ever added to."""
    for table, asked, order in (
        ("journal", _ENTRIES, "number"),
        ("journal_row", _ROWS, "entry, place"),
    ):
        tail = f" WHERE {order.partition(',')[0]} <= {copy.last} ORDER BY {order}"
        here = store.connection.execute(asked + tail)
        for now, then in zip_longest(here, copy.connection.execute(asked + tail)):
            if now is None or then is None or not _is_same_entry(now, then):
                yield Fault(
                    table,
                    str((now or then)[0]),
                    "",
                    f"is not what the snapshot {copy.path.name} has",
                )
                break


def _is_same_entry(now: sqlite3.Row, then: sqlite3.Row) -> bool:
    """Whether two entries are the same, apart from what was destroyed on purpose."""
    return all(
        new == old
        or (name in ("before", "after") and new in (EMPTIED, INSERTED))
        or (name == "label" and new == f"{now['verb']}{UNNAMED}")
        for name, new, old in zip(now.keys(), now, then, strict=True)
    )

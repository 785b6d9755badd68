"""Whether a store holds what its journal says: every row of a journalled table must be what the
changes made of it.

Each row has a chain of changes of its own, which is followed from its insertion: what a change says
of the row before it must be found on the way, what was there when the oldest snapshot was taken
must be in it, and it must lead to what is there now. Nothing is written.
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

from cortex_core.records.changes import Difference
from cortex_core.store import journal, reader, snapshots
from cortex_core.store.journal import EMPTIED, KEYS, LOST, UNNAMED
from cortex_core.store.reader import OLDEST_VERSION, SCHEMA_VERSION, Reader
from cortex_core.store.rows import Row, without_index_words


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
    """Rows, by table, of which nothing says any more what they were when they were added."""
    differences: list[Difference] = field(default_factory=list)


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
    asked = "SELECT DISTINCT memory FROM journal_row WHERE before = ?"
    destroyed = {memory for (memory,) in store.rows(asked, (EMPTIED,))}
    for table in KEYS:
        for key, changes in _keys(store, table, copy):
            there = _row(store.connection, table, key)
            # Leaving the trash for good is no change: it cannot be undone.
            if table == "trash" and there is None and key in destroyed:
                continue
            chain = _Chain(table, key)
            chain.follow(changes, copy)
            chain.end(there)
            if there is not None:
                checked.counts[table] += 1
                checked.unchecked[table] += chain.state is LOST
            checked.differences += chain.differences
    return checked


def _keys(
    store: Reader, table: str, copy: Copy | None
) -> Iterator[tuple[Any, Sequence[sqlite3.Row]]]:
    """Every row that is, was or should be in a table, with its changes, the oldest first."""
    written = store.connection.execute(
        'SELECT key, entry, before, after FROM journal_row WHERE "table" = ? '
        "ORDER BY key, entry, place",
        (table,),
    )
    known = set()
    for name, changes in groupby(written, key=lambda row: row["key"]):
        key = _parsed(name)
        known.add(key)
        yield key, list(changes)
    places = [store.connection, *([copy.connection] if copy else [])]
    listing = f'SELECT "{KEYS[table]}" FROM "{table}"'
    there = {key for place in places for (key,) in place.execute(listing)}
    yield from ((key, ()) for key in sorted(there - known))


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


@dataclass(slots=True)
class _Chain:
    """One row on its way through the journal."""

    table: str
    key: Any
    state: Row | None = None
    """The row after the changes so far: None for no row, `LOST` where nothing says what it is."""
    last: str = "was added by no change"
    """What is wrong if the row is otherwise there, or not there: what the last change did."""
    setters: dict[str, str] = field(default_factory=dict)
    """By column what it must be: what the change that set it last did, after “is not what”."""
    differences: list[Difference] = field(default_factory=list)

    def follow(self, changes: Sequence[sqlite3.Row], copy: Copy | None) -> None:
        """Apply the changes of a row, the oldest first, and compare it with the copy on the way."""
        covered = copy.last if copy else 0
        for change in changes:
            if change["entry"] <= covered:
                self.apply(change)
        if copy:
            self.pass_copy(_row(copy.connection, self.table, self.key), copy.path.name)
        for change in changes:
            if change["entry"] > covered:
                self.apply(change)

    def apply(self, change: sqlite3.Row) -> None:
        """Check what a change says of the row before it, and make `state` what it was after it."""
        number, before, after = change["entry"], change["before"], change["after"]
        try:
            noted, new = journal.noted(before), journal.noted(after)
            state = journal.applied(self.state, before, after)
        except (ValueError, TypeError, AttributeError):
            self._differs(f"cannot be compared: change {number} is unreadable in the journal")
            self.state = LOST
            return
        if (before is None) != (self.state is None):
            self._differs(self.last)
        self._compare(noted)
        self.state = state
        if after is None:
            self.last = f"is there, although change {number} removed it"
            return
        done = "added" if before is None else "set"
        self.setters.update(dict.fromkeys(new, f"change {number} {done}"))
        verb = "added" if before is None else "changed"
        self.last = f"is missing: change {number} {verb} it, and none removed it"

    def pass_copy(self, there: Row | None, name: str) -> None:
        """Compare with the row in a snapshot, which says from here on what the row was."""
        self.end(there)
        self.state = there
        self.setters = dict.fromkeys(there or (), f"the snapshot {name} has")
        done = "added" if there is None else "removed"
        self.last = f"was {done} by no change since the snapshot {name}"

    def end(self, there: Row | None) -> None:
        """Compare with the row that is there after the changes so far."""
        if self.state is not LOST and (self.state is None) != (there is None):
            self._differs(self.last)
        self._compare(there or {})

    def _compare(self, found: Row) -> None:
        state = self.state or {}
        for name in journal.differing(self.table, state, found):
            self._differs(f"is not what {self.setters[name]}", name, state[name], found[name])

    def _differs(
        self, problem: str, column: str = "", expected: Any = None, found: Any = None
    ) -> None:
        row = str(self.key)
        self.differences.append(Difference(self.table, row, column, problem, expected, found))


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
    checked.differences += _gaps(store)
    for number, other in store.rows(_UNPAIRED):
        problem = f"names change {other} as its undo or redo, which does not name it"
        checked.differences.append(Difference("journal", str(number), "", problem))
    if copy:
        checked.differences += _changed_entries(store, copy)
    return checked


def _gaps(store: Reader) -> Iterator[Difference]:
    """Changes that lack a row, and rows of no change. A whole change that is gone shows in the rows
    that it wrote."""
    counted = "SELECT entry FROM journal_row GROUP BY entry HAVING count(*) <> max(place) + 1"
    for (entry,) in store.rows(counted):
        yield Difference("journal_row", str(entry), "", "lacks some of what the change wrote")
    for (entry,) in store.rows(
        "SELECT DISTINCT entry FROM journal_row WHERE entry NOT IN (SELECT number FROM journal) "
        'OR "table" NOT IN (SELECT value FROM json_each(?))',
        (json.dumps(list(KEYS)),),
    ):
        yield Difference("journal_row", str(entry), "", "belongs to no change or no table")


def _changed_entries(store: Reader, copy: Copy) -> Iterator[Difference]:
    """What was changed in the journal since the snapshot: it is only ever added to."""
    for table, asked, order in (
        ("journal", _ENTRIES, "number"),
        ("journal_row", _ROWS, "entry, place"),
    ):
        tail = f" WHERE {order.partition(',')[0]} <= {copy.last} ORDER BY {order}"
        here = store.connection.execute(asked + tail)
        for now, then in zip_longest(here, copy.connection.execute(asked + tail)):
            if now is None or then is None or not _is_same_entry(now, then):
                yield Difference(
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
        or (name in ("before", "after") and new == EMPTIED)
        or (name == "label" and new == f"{now['verb']}{UNNAMED}")
        for name, new, old in zip(now.keys(), now, then, strict=True)
    )

"""From the journal to entries for other machines: what changed here since they last heard of it.

Each entry finds its rows as they were when it had written them: the journal says it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from cortex_core.base.text import counted
from cortex_core.records.changes import JournalEntry
from cortex_core.store import journal, synced
from cortex_core.store.rows import Row
from cortex_core.store.store import Store
from cortex_core.sync import registers, stamps
from cortex_core.sync.entries import MOST_IN_ENTRY, Entry, portions, weight_of
from cortex_core.sync.registers import CONTENTIOUS, EDITED, Operation, Registers, merged

SHARE = "share"
"""The verb of an entry about what was there before."""

BY_HAND = ("person", "agent")
"""Whose edits bring a memory back that another machine removed before."""


class Outgoing:
    """Stamps what is new in a store's journal, in one open transaction."""

    def __init__(self, store: Store, writer: str, ticks: int) -> None:
        """Args:
        ticks: the latest stamp that is known here.
        """
        self._store = store
        self._writer = writer
        self._held: dict[str, Registers] = {}
        self._rows: dict[str, Row | None] = {}
        self.ticks = ticks
        """The latest stamp that is known then."""

    def everything(self) -> list[Entry]:
        """Entries that add all that is there: what a store's first file says."""
        now = self._store.clock()
        added = [
            Operation(
                object=synced.object_of(table, row),
                kind="add",
                columns=synced.shared(table, row),
                stamp=stamps.stamp(
                    # When it was written, as far as it says so.
                    stamps.ticks_at(
                        min(row.get("updated") or row.get("created") or row.get("time") or 0.0, now)
                    ),
                    self._writer,
                ),
            )
            for table in synced.TABLES
            for row in synced.all_rows(self._store, table)
        ]
        self._read(each.object for each in added)
        operations = [self._stamped(each) for each in added]
        self._write_back()
        found = list(map(self._opening, portions(operations, MOST_IN_ENTRY, weight_of)))
        # What is written later in an action that goes on meanwhile becomes an entry of its own.
        synced.set_stamps(self._store, {journal.newest(self._store): self._stamp})
        return found

    def since(self, number: int) -> list[Entry]:
        """What the entries beyond the one called `number` changed, oldest first, and what was
        deleted for good."""
        unsent = synced.unsent(self._store, number)
        written: dict[int, list[journal.RowChange]] = defaultdict(list)
        for change in journal.row_changes(self._store, number, synced.TABLES):
            written[change.entry].append(change)
        found = self._gone()
        sent: dict[int, str] = {}
        for entry, known_as in unsent:
            self._next(entry.time)
            operations = tuple(self._operations(written[entry.number], entry))
            if operations or entry.verb in journal.FOR_GOOD:
                sent[entry.number] = self._stamp
                undoes = sent.get(entry.undoes, known_as) if entry.undoes is not None else ""
                found += _entries(entry, self._stamp, operations, undoes)
        self._write_back()
        synced.set_stamps(self._store, sent)
        return found

    def scrubbed(self, columns: Mapping[str, Sequence[str]]) -> list[Entry]:
        """An entry by which the others take these columns of memories as they are here, without the
        secrets that only the patterns here find; nothing for memories that are gone."""
        operations = []
        for name, changed in columns.items():
            stamp = self._next(self._store.clock())
            id_ = name.partition(":")[2]
            for row in journal.whole_rows(self._store, "memory", "id = ?", id_):
                values = {column: row[column] for column in changed}
                operation = Operation(object=name, kind="set", columns=values, stamp=stamp)
                operations.append(self._stamped(operation))
        self._write_back()
        if not operations:
            return []
        return [
            Entry(
                stamp=self._stamp,
                time=self._store.clock(),
                actor="worker",
                verb="scrub",
                label="remove secrets",
                operations=tuple(operations),
            )
        ]

    def _opening(self, operations: Sequence[Operation]) -> Entry:
        number = sum(each.table == "memory" for each in operations)
        what = counted(number, "memory", "memories") if number else "sources and links"
        return Entry(
            stamp=self._next(self._store.clock()),
            time=self._store.clock(),
            actor="worker",
            verb=SHARE,
            label=f"share what was there: {what}",
            operations=tuple(operations),
        )

    def _gone(self) -> list[Entry]:
        gone = synced.gone_here(self._store)
        if not gone:
            return []
        stamp = self._next(self._store.clock())
        operations = [Operation(object=name, kind="destroy", stamp=stamp) for name in gone]
        for operation in operations:
            self._stamped(operation)
        return [
            Entry(
                stamp=stamp,
                time=self._store.clock(),
                actor="person",
                verb="empty",
                label="delete memories for good",
                operations=tuple(operations),
            )
        ]

    def _operations(
        self, changes: Sequence[journal.RowChange], entry: JournalEntry
    ) -> Iterator[Operation]:
        """What an entry did, in order; what it wrote twice has a later stamp the second time."""
        written: set[str] = set()
        for row in changes:
            for operation in _of_row(row, entry.actor in BY_HAND):
                # A row that was removed may be there all the same: as another one that is alike.
                is_plain = row.table in ("source", "verdict") and operation.kind == "remove"
                if is_plain and synced.same_rows(self._store, row.table, row.before or {}):
                    continue
                if operation.object in written:
                    self._next(0)
                written.add(operation.object)
                yield self._stamped(replace(operation, stamp=self._stamp), row.before)

    def _stamped(self, operation: Operation, before: Row | None = None) -> Operation:
        """The operation, with the stamps of the content that it writes over and of the deletion
        that it comes after; what is known of its row is brought up to date."""
        if operation.object not in self._held:
            self._read([operation.object])
        held = self._held[operation.object]
        operation = replace(operation, after=held.destroyed or stamps.NONE)
        self._held[operation.object] = merged(held, operation)[0]
        is_hidden = operation.kind == "remove" and before not in (None, journal.LOST)
        kept = synced.shared(operation.table, before or {}) if is_hidden else None
        self._rows[operation.object] = kept
        if operation.table != "memory" or CONTENTIOUS not in operation.columns:
            return operation
        return replace(operation, over=held.stamp_of(CONTENTIOUS))

    def _read(self, objects: Iterable[str]) -> None:
        """Read what is known of rows."""
        named = list(objects)
        known = synced.held(self._store, named)
        for name in named:
            self._held[name] = registers.unpacked(known[name][0]) if name in known else Registers()

    def _write_back(self) -> None:
        for name, held in self._held.items():
            synced.hold(self._store, name, held.packed(), self._rows.get(name))

    def _next(self, time: float) -> str:
        # What was written while the clock was ahead is stamped with the present.
        self.ticks = stamps.next_ticks(self.ticks, min(time, self._store.clock()))
        return self._stamp

    @property
    def _stamp(self) -> str:
        return stamps.stamp(self.ticks, self._writer)


def _entries(
    entry: JournalEntry, stamp: str, operations: Sequence[Operation], undoes: str
) -> Iterator[Entry]:
    """What an entry is for others; one that is large, in several parts."""
    parts = list(portions(operations, MOST_IN_ENTRY, weight_of)) or [[]]
    for number, part in enumerate(parts):
        yield Entry(
            stamp=stamp,
            time=entry.time,
            actor=entry.actor,
            verb=entry.verb,
            label=entry.label,
            action=entry.action,
            undoes=undoes,
            continues=number > 0,
            operations=tuple(part),
        )


def _of_row(row: journal.RowChange, by_hand: bool) -> Iterator[Operation]:
    """The operations, not stamped yet, that make of a row what the entry made of it.

    None where nothing says what that was, because it was destroyed since.
    """
    table = row.table
    was = synced.object_of(table, row.before) if row.before else ""
    name = synced.object_of(table, row.after) if row.after else ""
    is_renamed = bool(was and name and was != name)
    if was and (is_renamed or row.after is None):
        yield Operation(object=was, kind="remove", stamp=stamps.NONE)
    if not row.after:
        return
    if is_renamed or row.before is None:
        yield Operation(
            object=name, kind="add", stamp=stamps.NONE, columns=synced.shared(table, row.after)
        )
    elif columns := synced.shared(table, row.set):
        revives = table == "memory" and by_hand and not EDITED.isdisjoint(columns)
        # What was forgotten elsewhere before is in force again, too.
        columns |= {"status": row.after["status"]} if revives else {}
        yield Operation(
            object=name, kind="set", stamp=stamps.NONE, columns=columns, revives=revives
        )

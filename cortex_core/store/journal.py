"""The journal: every change as rows with before and after, in the change's own transaction.

An insertion keeps the whole row as `after` and nothing as `before`, an update the changed columns
as both, a deletion the whole row as `before`. So what a row was at any moment follows from its
changes in order (`applied`). Undo is the inverse, written as a new entry.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cortex_core.base.errors import NotFound, UndoConflict
from cortex_core.records.changes import JournalEntry as Entry
from cortex_core.records.memory import Actor, Memory
from cortex_core.store.rows import Row, dumps, with_index_words, without_index_words

if TYPE_CHECKING:
    from cortex_core.store.database import DatabaseFile
    from cortex_core.store.reader import Reader
    from cortex_core.store.table_models import StoreTable

KEYS = {
    "memory": "id",
    "source": "id",
    "edge": "id",
    "proposal": "number",
    "verdict": "id",
    "trash": "memory",
    "forgotten": "session",
}
"""The journalled tables and the column that names a row."""

UNCOUNTED = frozenset({"access_count", "last_access", "looks", "number", "updated", "reinforced"})
"""Columns that may differ without standing in an undo's way, and stay as they are then:
bookkeeping, not changes."""

DEPENDENT = ("source", "edge")
"""Tables of rows that go with a memory: one that is gone already is not in an undo's way."""

PASSED_OVER = ("undo", "redo", "open", "scrub", "erase")
"""Verbs that a plain undo does not take back: nobody means them by it."""

INVERSES = ("undo", "redo")
"""Verbs of entries that take another one back, or bring it back into force."""

FOR_GOOD = ("scrub", "erase")
"""Verbs that cannot be taken back at all: what they removed is kept nowhere."""

EMPTIED = "{}"
"""Replaces what the journal keeps of a row whose content was destroyed permanently."""

UNNAMED = " a memory that is deleted for good"
"""Ends, after the verb, the label of a change whose only memory was destroyed permanently."""

LOST: Final[Row] = {}
"""The state of a row whose content is kept nowhere, such as of what was deleted for good."""

_GONE = """
SELECT 1 FROM journal_row r WHERE r.entry = j.number AND r."table" = 'memory'
AND r.before IS {} NULL AND r.after IS NOT NULL
AND {} EXISTS (SELECT 1 FROM memory m WHERE m.id = r.memory)
"""
_REACHABLE = f"""
NOT EXISTS ({_GONE.format("NOT", "NOT")}) AND (
    EXISTS ({_GONE.format("", "")}) OR NOT EXISTS (
        SELECT 1 FROM journal_row r WHERE r.entry = j.number AND r."table" = 'memory'
        AND r.before IS NULL))
"""
"""Whether every memory that an entry changed is still there, and one at least of those that it
added: the others went for good, or to the other store, and what became of them there cannot be
taken back here."""


class Change:
    """One open change: the only way to write the journalled tables."""

    def __init__(self, store: DatabaseFile, entry: int, time: float, written: int) -> None:
        """Made by `Store.change`.

        Args:
            written: how many rows the entry has already, where it is resumed.
        """
        self.store = store
        self.number = entry
        """The journal entry's number."""
        self.time = time
        self.kept = False
        """Whether the entry stays even if nothing is written."""
        self.written = written
        """How many rows the entry has."""

    def insert(self, table: str, row: Row) -> Any:
        """Add `row`, without secrets, and return its key."""
        row = {**_defaults(table), **self.store.filtered(table, row)}
        number = "number" if table == "memory" else KEYS[table]
        whole = {number: self._insert(table, row), **row}
        self._note(table, whole[KEYS[table]], row, before=None, after=dumps(_text(whole)))
        return whole[KEYS[table]]

    def update(self, table: str, key: Any, columns: Row) -> bool:
        """Set `columns`, without secrets, of the row called `key`; False when nothing differs or no
        row is there."""
        old, columns = self.read(table, key), self.store.filtered(table, columns)
        changed = {name: value for name, value in columns.items() if old and old[name] != value}
        if old is None or not changed:
            return False
        written = with_index_words(table, changed, old)
        names = ", ".join(f'"{name}" = ?' for name in written)
        # As text: thousands of rows at once are no rarity, and building a query takes ten times as
        # long as running it.
        where = f'WHERE "{KEYS[table]}" = ?'
        self.store.execute(f'UPDATE "{table}" SET {names} {where}', (*written.values(), key))
        before = {name: old[name] for name in changed}
        self._note(table, key, old, before=dumps(_text(before)), after=dumps(_text(changed)))
        return True

    def delete(self, table: str, key: Any) -> bool:
        """Remove the row called `key`, a memory with its edges and sources; False if not there."""
        old = self.read(table, key)
        if old is None:
            return False
        if table == "memory":
            for row in self.edges_of(key):
                self.delete("edge", row["id"])
            for row in self.belonging("source", key):
                self.delete("source", row["id"])
        self.store.execute(f'DELETE FROM "{table}" WHERE "{KEYS[table]}" = ?', (key,))
        self._note(table, key, old, before=dumps(_text(old)), after=None)
        return True

    def note_scrubbed(self, memory: str, columns: Row) -> None:
        """Note that these columns of a memory were overwritten, and nothing of what they held:
        other machines learn from it what to overwrite."""
        plain = without_index_words("memory", columns)
        self._note("memory", memory, {"id": memory}, before=EMPTIED, after=dumps(_text(plain)))

    def edges_of(self, memory: str) -> list[Row]:
        """The rows of every edge that begins or ends at `memory`."""
        return whole_rows(
            self.store, "edge", "source = ? OR target = ? ORDER BY id", memory, memory
        )

    def mark_undone(self, entry: Entry, verb: str) -> None:
        """Note that this change takes back `entry`; what that one took back is in force again where
        `verb` is "redo"."""
        marked = "UPDATE journal SET undone_by = ? WHERE number = ?"
        self.store.execute(marked, (self.number, entry.number))
        self.store.execute(
            "UPDATE journal SET undoes = ? WHERE number = ?", (entry.number, self.number)
        )
        if verb == "redo" and entry.undoes is not None:
            self.store.execute(marked, (None, entry.undoes))

    def read(self, table: str, key: Any) -> Row | None:
        """The row called `key` as it is now."""
        return next(iter(whole_rows(self.store, table, f'"{KEYS[table]}" = ?', key)), None)

    def proposal_on(self, pair: str) -> Row | None:
        """The proposal on `pair` (two ids in order), whatever came of it."""
        return next(iter(whole_rows(self.store, "proposal", "pair = ?", pair)), None)

    def proposals_with(self, memory: str) -> list[Row]:
        """The rows of every proposal that `memory` is a member of."""
        found = whole_rows(self.store, "proposal", "instr(pair, ?) ORDER BY number", memory)
        return [row for row in found if memory in json.loads(row["members"])]

    def edge_of(self, source: str, target: str, type: str) -> int | None:
        """The number of the edge with these ends and this type; None where there is none."""
        asked = "source = ? AND target = ? AND type = ?"
        found = whole_rows(self.store, "edge", asked, source, target, type)
        return int(found[0]["id"]) if found else None

    def belonging(self, table: str, memory: str) -> list[Row]:
        """The rows of `source` or `verdict` that are about `memory`."""
        return whole_rows(self.store, table, f'memory = ? ORDER BY "{KEYS[table]}"', memory)

    def _insert(self, table: str, row: Row) -> Any:
        filled = with_index_words(table, row)
        names = ",".join(f'"{name}"' for name in filled)
        return self.store.execute(
            f'INSERT INTO "{table}" ({names}) VALUES ({",".join("?" * len(filled))})',
            tuple(filled.values()),
        ).lastrowid

    def _note(
        self, table: str, key: Any, row: Row, *, before: str | None, after: str | None
    ) -> None:
        memory = row.get("id" if table == "memory" else "source" if table == "edge" else "memory")
        self._insert(
            "journal_row",
            {
                "entry": self.number,
                "place": self.written,
                "table": table,
                "key": dumps(key),
                "memory": str(memory or ""),
                "before": before,
                "after": after,
            },
        )
        self.written += 1


def whole_rows(store: Reader, table: str, where: str, *values: Any) -> list[Row]:
    """The rows of a table that meet the SQL condition `where`, as the model of the table reads
    them and as the journal keeps them."""
    fields = model(table)._meta.sorted_fields
    names = ", ".join(f'"{field.column_name}"' for field in fields)
    return [
        without_index_words(
            table,
            {
                field.column_name: field.python_value(value)
                for field, value in zip(fields, row, strict=True)
            },
        )
        for row in store.rows(f'SELECT {names} FROM "{table}" WHERE {where}', values)
    ]


def model(table: str) -> type[StoreTable]:
    """The model of a table. What reads no journalled rows is spared peewee."""
    from cortex_core.store import table_models

    return table_models.BY_NAME[table]


@cache
def _defaults(table: str) -> Row:
    return {field.column_name: value for field, value in model(table)._meta.defaults.items()}


def comparable(value: Any) -> Any:
    """A cell in a form that does not depend on whether SQLite or Python had it last."""
    if isinstance(value, int | float):
        return None if value != value else float(value)  # SQLite stores NaN as NULL
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else value


def noted(written: str | None) -> Row:
    """The columns that an entry notes as `before` or as `after`; empty for none, and where they
    were destroyed permanently.

    Raises:
        ValueError, TypeError, AttributeError: the journal is damaged there.
    """
    return {} if written is None else unpacked(json.loads(written))


def applied(state: Row | None, before: str | None, after: str | None) -> Row | None:
    """What a row is after a change: None where it is not there, `LOST` where nothing says it.

    Args:
        state: what the row was before the change.
        before: what the entry notes as `before`; None for an insertion.
        after: what it notes as `after`; None for a deletion.
    """
    if after is None:
        return None
    if before is None:
        return noted(after) or LOST
    return {**state, **noted(after)} if state else LOST


class RowChange(NamedTuple):
    """What an entry made of one row."""

    entry: int
    table: str
    before: Row | None
    """The row before it: None where it was not there, `LOST` where nothing says it."""
    after: Row | None
    set: Row
    """The columns that an update set; empty for an insertion and a deletion."""


def row_changes(store: Reader, since: int, tables: Sequence[str]) -> Iterator[RowChange]:
    """What the entries beyond the one called `since` made of rows of these tables, in order."""
    states: dict[tuple[str, str], Row | None] = {}
    # Whole rows are in their insertions alone, so every changed row is read from its beginning; by
    # the index on the memory, since there is none on the key.
    for entry, table, key, before, after in store.rows(
        'SELECT entry, "table", key, before, after FROM journal_row '
        "WHERE memory IN (SELECT memory FROM journal_row WHERE entry > ?) "
        'AND ("table", key) IN (SELECT "table", key FROM journal_row WHERE entry > ?) '
        'AND "table" IN (SELECT value FROM json_each(?)) ORDER BY entry, place',
        (since, since, dumps(list(tables))),
    ):
        was = states.get((table, key))
        states[table, key] = now = applied(was, before, after)
        if entry > since:
            is_update = before is not None and after is not None
            yield RowChange(entry, table, was, now, noted(after) if is_update else {})


def differing(table: str, noted: Row, row: Row) -> Iterator[str]:
    """The columns of a noted row that a row of the table has otherwise, the `UNCOUNTED` aside."""
    for name in noted.keys() & row.keys() - UNCOUNTED - {KEYS[table]}:
        if comparable(noted[name]) != comparable(row[name]):
            yield name


def invert(store: Reader, change: Change, entry: Entry) -> None:
    """Write the inverse of `entry` into `change`.

    Raises:
        UndoConflict: a row it wrote has been changed since; the caller's transaction rolls back.
    """
    written = 'SELECT "table", key, before, after FROM journal_row WHERE entry = ?'
    rows_of_entry = store.rows(f"{written} ORDER BY place DESC", (entry.number,))
    for row in rows_of_entry:
        _invert_row(change, row, entry.label)
    for row in rows_of_entry:
        if row["table"] in DEPENDENT:
            _drop_if_loose(change, row["table"], json.loads(row["key"]))


def _drop_if_loose(change: Change, table: str, key: Any) -> None:
    """Remove an edge or a source that came back although a memory it belongs to was pruned or moved
    since: had it been there, it would have gone with the memory."""
    row = change.read(table, key)
    ends = ("source", "target") if table == "edge" else ("memory",)
    if row and any(change.read("memory", row[end]) is None for end in ends):
        change.delete(table, key)


def _invert_row(change: Change, row: sqlite3.Row, label: str) -> None:
    table, key = row["table"], json.loads(row["key"])
    now = change.read(table, key)
    if row["before"] is None:
        if now is None and table not in DEPENDENT:
            raise conflict(label)
        change.delete(table, key)
    elif row["after"] is None:
        if now is not None or row["before"] == EMPTIED:
            raise conflict(label)
        before = noted(row["before"])
        if not _has_room(change, table, before):
            raise conflict(label)
        change.insert(table, before)
    else:
        before, after = json.loads(row["before"]), json.loads(row["after"])
        watched = {name: value for name, value in after.items() if name not in UNCOUNTED}
        if now is None or any(_text(now)[name] != value for name, value in watched.items()):
            raise conflict(label)
        stays = {name for name, value in after.items() if _text(now)[name] != value}
        back = unpacked({k: v for k, v in before.items() if k not in stays})
        if not _has_room(change, table, {**now, **back}):
            raise conflict(label)
        change.update(table, key, back)


def _has_room(change: Change, table: str, row: Row) -> bool:
    """Whether a row can be as it was: no other has taken its place meanwhile."""
    if table == "edge":
        return change.edge_of(row["source"], row["target"], row["type"]) in (None, row.get("id"))
    if table == "proposal":
        other = change.proposal_on(row["pair"])
        return other is None or other["number"] == row.get("number")
    return True


def conflict(label: str) -> UndoConflict:
    """The refusal to undo or redo what is called `label`."""
    return UndoConflict(
        f"“{label}” cannot be undone, because a later change touched the same data. Nothing was "
        "changed. Undo the later change first; see: cortex log"
    )


def entries(
    store: Reader,
    limit: int,
    memory: str | None = None,
    *,
    words: str = "",
    actors: Sequence[Actor] = (),
) -> list[Entry]:
    """The newest `limit` journal entries, newest first; see `Store.log`."""
    chosen: list[str] = []
    values: list[Any] = []
    if memory is not None:
        chosen.append("number IN (SELECT entry FROM journal_row WHERE memory = ?)")
        values.append(memory)
    for word in words.split():
        chosen.append("instr(lower(label || ' ' || verb || ' ' || number), lower(?))")
        values.append(word)
    if actors:
        chosen.append("actor IN (SELECT value FROM json_each(?))")
        values.append(dumps(list(actors)))
    where = f"WHERE {' AND '.join(chosen)} " if chosen else ""
    return _entries(store, f"{where}ORDER BY number DESC LIMIT ?", *values, limit)


def last(
    store: Reader, verb: str, actors: Iterable[Actor], origin: str | None, action: str | None = None
) -> Entry | None:
    """The newest entry that can be undone (`verb` = "undo") or redone ("redo"); none that another
    machine made.

    Args:
        origin: the mark of the project that made it, "" outside of any; None for any.
        action: only entries of this action.
    """
    chosen = (
        "undone_by IS NULL AND machine IS NULL AND coalesce(?, origin, '') = coalesce(origin, '')"
    )
    newest = "ORDER BY number DESC LIMIT 1"
    # Whoever undid may redo, whatever it was that was undone.
    if verb == "redo":
        found = _entries(store, f"WHERE {chosen} AND verb = 'undo' {newest}", origin)
    else:
        found = _entries(
            store,
            f"WHERE {chosen} AND verb NOT IN (SELECT value FROM json_each(?)) "
            "AND actor IN (SELECT value FROM json_each(?)) AND coalesce(?, action) = action "
            f"AND {_REACHABLE} {newest}",
            origin,
            dumps(PASSED_OVER),
            dumps(list(actors)),
            action,
        )
    return found[0] if found else None


def spans(store: Reader, number: int) -> bool:
    """Whether an entry is a part of an action in both stores."""
    return bool(store.value("SELECT spans FROM journal WHERE number = ?", (number,)))


def origin(store: Reader, number: int) -> str:
    """The mark of the project that made an entry; empty outside of any, or where unknown."""
    return str(store.value("SELECT origin FROM journal WHERE number = ?", (number,)) or "")


def entry(store: Reader, number: int) -> Entry:
    """The entry called `number`.

    Raises:
        NotFound: there is none.
    """
    found = _entries(store, "WHERE number = ?", number)
    if not found:
        raise NotFound(f"There is no change {number}. Nothing was changed. See: cortex log")
    return found[0]


def resumable(store: Reader, action: str, machine: str | None = None) -> tuple[int, int] | None:
    """The number of the newest entry and how many rows it has, if it is of this action and in
    force: more of the action can be written under it. Not under one that other machines have.

    Args:
        machine: the writer on another machine whose action it is.
    """
    found = store.rows(
        "SELECT number, (SELECT coalesce(max(place) + 1, 0) FROM journal_row WHERE entry = number) "
        "FROM journal WHERE number = (SELECT max(number) FROM journal) AND action = ? "
        "AND undone_by IS NULL AND machine IS ? AND (machine IS NOT NULL OR stamp IS NULL)",
        (action, machine),
    )
    return (found[0][0], found[0][1]) if found else None


def newest_time(store: Reader) -> float:
    """When the newest entry was made, 0 without any."""
    return float(store.value("SELECT time FROM journal ORDER BY number DESC LIMIT 1") or 0)


def newest(store: Reader) -> int:
    """The number of the newest entry, 0 without any."""
    return int(store.value("SELECT max(number) FROM journal") or 0)


def of_action(store: Reader, action: str, after: int = 0) -> list[int]:
    """The numbers of the entries of an action in this store beyond `after`, newest first."""
    return store.column(
        "SELECT number FROM journal WHERE action = ? AND number > ? ORDER BY number DESC",
        (action, after),
    )


def in_force(store: Reader, action: str) -> list[int]:
    """The numbers of the entries of an action in this store that are not undone."""
    return store.column(
        "SELECT number FROM journal WHERE action = ? AND undone_by IS NULL", (action,)
    )


def mark_spanning(store: DatabaseFile, numbers: Iterable[int]) -> None:
    """Note that these entries are parts of an action in both stores."""
    for number in numbers:
        store.execute("UPDATE journal SET spans = 1 WHERE number = ?", (number,))


def brings_back(store: Reader, numbers: Sequence[int]) -> bool:
    """Whether taking these entries back adds memories to the store."""
    return any(
        store.value(
            "SELECT 1 FROM journal_row WHERE entry = ? AND \"table\" = 'memory' AND after IS NULL",
            (number,),
        )
        for number in numbers
    )


def original(store: Reader, found: Entry) -> Entry:
    """The entry that a redo brought back into force; any other entry itself."""
    if found.verb != "redo" or found.undoes is None:
        return found
    undone = entry(store, found.undoes).undoes
    return found if undone is None else entry(store, undone)


def adds(store: Reader, numbers: Sequence[int]) -> list[tuple[str, Row]]:
    """The memories that these entries added: the id, and the row; `LOST` where it was destroyed."""
    asked = (
        "SELECT memory, after FROM journal_row WHERE entry = ? "
        "AND \"table\" = 'memory' AND before IS NULL"
    )
    return [
        (row["memory"], noted(row["after"]))
        for number in numbers
        for row in store.rows(asked, (number,))
    ]


def erase(change: Change, entry: Entry) -> None:
    """Remove an entry and the open `change`, which has inverted it, from the journal: it is as if
    neither had ever been."""
    change.store.execute("UPDATE journal SET undone_by = NULL WHERE undone_by = ?", (entry.number,))
    if entry.verb == "redo":
        change.store.execute(
            "UPDATE journal SET undone_by = ? "
            "WHERE number = (SELECT undoes FROM journal WHERE number = ?)",
            (entry.undoes, entry.undoes),
        )
    numbers = (entry.number, change.number)
    change.store.execute("DELETE FROM journal_row WHERE entry IN (?, ?)", numbers)
    change.store.execute("DELETE FROM journal WHERE number IN (?, ?)", numbers)


_PUT_AWAY = """
SELECT {} FROM journal_row r JOIN journal j ON j.number = r.entry
WHERE r.memory = ? AND j.verb IN ('forget', 'discard', 'archive', 'merge')
AND j.undone_by IS NULL ORDER BY j.number DESC LIMIT 1
"""


def put_away_by(store: Reader, memory: str) -> Actor | None:
    """Who put a memory away last, as far as that is in force."""
    return store.value(_PUT_AWAY.format("j.actor"), (memory,)) or None


def guarded_by(store: Reader, memory: str, guard: str) -> tuple[Actor, float] | None:
    """Who set the guard that a memory has, and when; None where no change in force did."""
    found = store.rows(
        "SELECT j.actor, j.time FROM journal_row r JOIN journal j ON j.number = r.entry "
        "WHERE r.memory = ? AND r.\"table\" = 'memory' AND j.undone_by IS NULL "
        "AND CASE WHEN r.before IS NOT NULL THEN json_extract(r.after, '$.guard') END = ? "
        "ORDER BY j.number DESC LIMIT 1",
        (memory, guard),
    )
    return (found[0]["actor"], found[0]["time"]) if found else None


def has_faded(store: Reader, memory: str) -> bool:
    """Whether it was decay that put a memory away last, as far as that is in force."""
    return bool(store.value(_PUT_AWAY.format("j.verb = 'archive'"), (memory,)))


def forget_values(change: Change, memory: str, columns: Mapping[str, Any]) -> None:
    """Let no entry know what these columns of a memory held before, nor be called by its title.

    Args:
        columns: what they hold now.
    """
    for entry, place, before, after in change.store.rows(
        "SELECT entry, place, before, after FROM journal_row WHERE memory = ? "
        "AND \"table\" = 'memory'",
        (memory,),
    ):
        change.store.execute(
            "UPDATE journal_row SET before = ?, after = ? WHERE entry = ? AND place = ?",
            (_without(before, columns), _without(after, columns), entry, place),
        )
    change.store.execute(
        "UPDATE journal SET label = verb || ' a memory that secrets were removed from' "
        "WHERE number IN (SELECT entry FROM journal_row WHERE memory = ?) AND NOT EXISTS ("
        "SELECT 1 FROM journal_row WHERE entry = number AND memory <> ?)",
        (memory, memory),
    )


def _without(written: str | None, columns: Mapping[str, Any]) -> str | None:
    """What an entry notes, with the values of `columns` in place of older ones."""
    if written is None:
        return None
    held = json.loads(written)
    return dumps({**held, **{name: value for name, value in columns.items() if name in held}})


def judged(store: Reader, limit: int) -> dict[int, Entry]:
    """The newest verdicts on proposals that are in force: the proposal's number, and the entry."""
    found = store.rows(
        "SELECT r.key, max(j.number) AS number FROM journal_row r JOIN journal j "
        "ON j.number = r.entry JOIN proposal p ON p.number = CAST(r.key AS INTEGER) "
        "WHERE r.\"table\" = 'proposal' AND p.status <> 'open' AND j.undone_by IS NULL "
        "AND CASE WHEN r.before IS NOT NULL THEN json_extract(r.after, '$.status') END "
        "= p.status GROUP BY r.key ORDER BY number DESC LIMIT ?",
        (limit,),
    )
    return {int(key): entry(store, number) for key, number in found}


def changed_by_hand(
    store: Reader, memory: str, actors: Sequence[Actor] = ("person", "agent")
) -> bool:
    """Whether the user or an agent has changed or put away a memory, as far as that is in force."""
    return bool(
        store.value(
            "SELECT 1 FROM journal_row r JOIN journal j ON j.number = r.entry WHERE r.memory = ? "
            "AND r.\"table\" = 'memory' AND r.before IS NOT NULL AND r.after IS NOT NULL "
            "AND j.undone_by IS NULL "
            "AND j.verb NOT IN ('undo', 'redo', 'open') "
            "AND j.actor IN (SELECT value FROM json_each(?)) LIMIT 1",
            (memory, dumps(list(actors))),
        )
    )


def is_decided(store: Reader, memory: Memory) -> bool:
    """Whether the user has done something with a memory: pinned or changed it, or put it away."""
    return memory.pinned or changed_by_hand(store, memory.id, ("person",))


def arrivals(store: Reader, since: float) -> dict[str, float]:
    """The memories that were written for the first time since a moment, and when."""
    return store.pairs(
        "SELECT r.memory, max(j.time) AS time FROM journal j "
        "JOIN journal_row r ON r.entry = j.number "
        "WHERE j.time >= ? AND r.\"table\" = 'memory' AND r.before IS NULL GROUP BY r.memory",
        (since,),
    )


def merges(store: Reader) -> int:
    """How many merges are in force."""
    return int(store.value("SELECT count(*) FROM journal WHERE verb='merge' AND undone_by IS NULL"))


def last_consolidated(store: Reader) -> float | None:
    """When memories were last merged or compared with each other."""
    return (
        store.value("SELECT max(time) FROM journal WHERE verb IN ('merge', 'consolidate')") or None
    )


def _entries(store: Reader, chosen: str, *values: Any) -> list[Entry]:
    return [
        Entry(scope=store.scope, memories=_touched(store, row["number"]), **dict(row))
        for row in store.rows(
            "SELECT number, time, actor, verb, label, action, undoes, undone_by, "
            "coalesce(machine, '') AS machine, CASE verb "
            "WHEN 'undo' THEN undoes WHEN 'redo' THEN (SELECT u.undoes FROM journal u "
            f"WHERE u.number = j.undoes) END AS 'of' FROM journal j {chosen}",
            values,
        )
    ]


def _touched(store: Reader, number: int) -> tuple[str, ...]:
    """The ids of the memories that an entry touched, in order, each once."""
    asked = "SELECT memory FROM journal_row WHERE entry = ? ORDER BY place"
    return tuple(dict.fromkeys(memory for (memory,) in store.rows(asked, (number,)) if memory))


def _text(row: Row) -> Row:
    return {
        name: {"hex": bytes(value).hex()} if isinstance(value, bytes | memoryview) else value
        for name, value in row.items()
    }


def unpacked(row: Row) -> Row:
    """A row that the journal keeps, with its blobs as they are in the table."""
    return {
        name: bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
        for name, value in row.items()
    }

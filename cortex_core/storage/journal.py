"""The journal: every change as rows with before and after, in the change's own transaction.

An insert keeps no copy of the row (it is read when it is undone), an update the changed columns,
a deletion the whole row. Undo is the inverse, written as a new entry.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from peewee import SQL

from cortex_core.errors import NotFound, UndoConflict
from cortex_core.memory import Actor
from cortex_core.records import Change as Entry
from cortex_core.storage.rows import Row, dumps
from cortex_core.storage.schema import Tables

KEYS = {
    "memory": "id", "source": "id", "edge": "id", "proposal": "number", "verdict": "id",
    "trash": "memory",
}  # fmt: skip
"""The journalled tables and the column that names a row."""

UNCOUNTED = frozenset({"access_count", "last_access", "number", "updated", "reinforced"})
"""Columns that may differ without standing in an undo's way, and stay as they are then:
bookkeeping, not changes."""

PASSED_OVER = ("undo", "redo", "open", "scrub")
"""Verbs that a plain undo does not take back: nobody means them by it."""

FOR_GOOD = ("scrub",)
"""Verbs that cannot be taken back at all: what they removed is kept nowhere."""

EMPTIED = "{}"
"""Stands in place of a deleted row whose content was destroyed for good."""

_INSERTED = "+"

_REACHABLE = """
NOT EXISTS (
    SELECT 1 FROM journal_row r WHERE r.entry = t1.number AND r."table" = 'memory'
    AND r.after <> '+' AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.id = r.memory))
"""
"""Whether every memory that an entry changed is still there: the others went for good, or to the
other store, and what became of them there cannot be taken back here."""


class Change:
    """One open change: the only way to write the journalled tables."""

    def __init__(self, tables: Tables, entry: int, time: float) -> None:
        self._tables = tables
        self._entry = entry
        self.time = time
        self.kept = False
        """Whether the entry stays even if nothing is written."""
        self._place = 0

    @property
    def number(self) -> int:
        """The journal entry's number."""
        return self._entry

    @property
    def empty(self) -> bool:
        """Whether nothing has been written yet."""
        return self._place == 0

    def insert(self, table: str, row: Row) -> Any:
        """Add `row` and return its key."""
        key = row.get(KEYS[table], self._insert(table, row))
        self._note(table, key, row, before=None, after=_INSERTED)
        return key

    def update(self, table: str, key: Any, columns: Row) -> bool:
        """Set `columns` of the row called `key`; False when nothing differs or no row is there."""
        old = self.read(table, key)
        changed = {name: value for name, value in columns.items() if old and old[name] != value}
        if old is None or not changed:
            return False
        names = ", ".join(f'"{name}" = ?' for name in changed)
        self._run(table, f'UPDATE "{table}" SET {names}', key, *changed.values())
        before = {name: old[name] for name in changed}
        self._note(table, key, old, before=dumps(_text(before)), after=dumps(_text(changed)))
        return True

    def delete(self, table: str, key: Any) -> bool:
        """Remove the row called `key`, a memory with its edges and sources; False if not there."""
        old = self.read(table, key)
        if old is None:
            return False
        if table == "memory":
            self._delete_dependents(key)
        self._run(table, f'DELETE FROM "{table}"', key)
        self._note(table, key, old, before=dumps(_text(old)), after=None)
        return True

    def edges_of(self, memory: str) -> list[Row]:
        """The rows of every edge that begins or ends at `memory`."""
        edge = self._tables.edge
        ends = (edge.source == memory) | (edge.target == memory)
        return list(edge.select().where(ends).order_by(edge.id).dicts())

    def _delete_dependents(self, memory: str) -> None:
        source = self._tables.source
        for row in self.edges_of(memory):
            self.delete("edge", row["id"])
        for (number,) in list(source.select(source.id).where(source.memory == memory).tuples()):
            self.delete("source", number)

    def read(self, table: str, key: Any) -> Row | None:
        """The row called `key` as it is now."""
        fields = getattr(self._tables, table)._meta.sorted_fields
        names = ", ".join(f'"{field.column_name}"' for field in fields)
        found = self._run(table, f'SELECT {names} FROM "{table}"', key).fetchone()
        if found is None:
            return None
        return {
            field.column_name: field.python_value(value)
            for field, value in zip(fields, found, strict=True)
        }

    def proposal_on(self, pair: str) -> Row | None:
        """The proposal on `pair` (two ids in order), whatever came of it."""
        table = self._tables.proposal
        found: Row | None = table.select().where(table.pair == pair).dicts().first()
        return found

    def proposals_with(self, memory: str) -> list[Row]:
        """The rows of every proposal that `memory` is a member of."""
        table = self._tables.proposal
        found = table.select().where(table.pair.contains(memory)).order_by(table.number).dicts()
        return [row for row in found if memory in json.loads(row["members"])]

    def known_edge(self, source: str, target: str, type: str) -> bool:
        """Whether this edge is there."""
        edge = self._tables.edge
        same = (edge.source == source) & (edge.target == target) & (edge.type == type)
        return bool(edge.select(edge.id).where(same).exists())

    def _insert(self, table: str, row: Row) -> Any:
        model = getattr(self._tables, table)
        filled = {**_defaults(model), **row}
        names = ",".join(f'"{name}"' for name in filled)
        return model._meta.database.execute_sql(
            f'INSERT INTO "{table}" ({names}) VALUES ({",".join("?" * len(filled))})',
            tuple(filled.values()),
        ).lastrowid

    def _run(self, table: str, sql: str, key: Any, *values: Any) -> Any:
        """Run `sql` on the row called `key`. As text: thousands of rows at once are no rarity, and
        building a query takes ten times as long as running it."""
        database = getattr(self._tables, table)._meta.database
        return database.execute_sql(f'{sql} WHERE "{KEYS[table]}" = ?', (*values, key))

    def _note(
        self, table: str, key: Any, row: Row, *, before: str | None, after: str | None
    ) -> None:
        memory = row.get("id" if table == "memory" else "source" if table == "edge" else "memory")
        row = {
            "entry": self._entry, "place": self._place, "table": table, "key": dumps(key),
            "memory": str(memory or ""), "before": before, "after": after,
        }  # fmt: skip
        self._insert("journal_row", row)
        self._place += 1


@cache
def _defaults(model: Any) -> Row:
    return {field.column_name: value for field, value in model._meta.defaults.items()}


def invert(change: Change, tables: Tables, entry: int, label: str) -> None:
    """Write the inverse of `entry` into `change`.

    Raises:
        UndoConflict: a row it wrote has been changed since; the caller's transaction rolls back.
    """
    table = tables.journal_row
    for row in table.select().where(table.entry == entry).order_by(table.place.desc()).dicts():
        _invert_row(change, row, label)


def _invert_row(change: Change, row: Row, label: str) -> None:
    table, key = row["table"], json.loads(row["key"])
    now = change.read(table, key)
    if row["after"] == _INSERTED:
        if now is not None:
            change.delete(table, key)
    elif row["after"] is None:
        if now is not None or row["before"] == EMPTIED:
            raise _conflict(label)
        change.insert(table, _bytes(json.loads(row["before"])))
    else:
        before, after = json.loads(row["before"]), json.loads(row["after"])
        watched = {name: value for name, value in after.items() if name not in UNCOUNTED}
        if now is None or any(_text(now)[name] != value for name, value in watched.items()):
            raise _conflict(label)
        stays = {name for name, value in after.items() if _text(now)[name] != value}
        change.update(table, key, _bytes({k: v for k, v in before.items() if k not in stays}))


def _conflict(label: str) -> UndoConflict:
    return UndoConflict(
        f"“{label}” cannot be taken back: what it wrote has been changed since. Nothing was "
        "changed. Undo the later change first (see: cortex log)."
    )


def entries(tables: Tables, limit: int, memory: str | None = None) -> list[Row]:
    """The newest `limit` journal entries, newest first, of one memory if `memory` is given."""
    journal, row = tables.journal, tables.journal_row
    query = journal.select().order_by(journal.number.desc()).limit(limit)
    if memory is not None:
        touched = row.select(row.entry).where(row.memory == memory)
        query = query.where(journal.number.in_(touched))
    return list(query.dicts())


def last(tables: Tables, verbs: str, actors: Iterable[Actor]) -> Row | None:
    """The newest entry that can be undone (`verbs` = "undo") or redone ("redo")."""
    journal = tables.journal
    query = journal.select().where(journal.undone_by.is_null())
    if verbs == "redo":
        query = query.where(journal.verb == "undo")
    else:
        query = query.where(
            journal.verb.not_in(PASSED_OVER), journal.actor.in_(list(actors)), SQL(_REACHABLE)
        )
    found: Row | None = query.order_by(journal.number.desc()).dicts().first()
    return found


def get(tables: Tables, number: int) -> Row:
    """The entry called `number`.

    Raises:
        NotFound: there is none.
    """
    found: Row | None = (
        tables.journal.select().where(tables.journal.number == number).dicts().first()
    )
    if found is None:
        raise NotFound(f"There is no change {number}. Nothing was changed. See: cortex log.")
    return found


def touched(tables: Tables, number: int) -> tuple[str, ...]:
    """The ids of the memories that an entry touched, in order, each once."""
    table = tables.journal_row
    rows = table.select(table.memory).where(table.entry == number).order_by(table.place).tuples()
    return tuple(dict.fromkeys(memory for (memory,) in rows if memory))


def to_entry(tables: Tables, row: Row, scope: Any) -> Entry:
    """A journal row as it crosses the border."""
    return Entry(
        number=row["number"], time=row["time"], actor=row["actor"], verb=row["verb"],
        label=row["label"], scope=scope, action=row["action"],
        memories=touched(tables, row["number"]), undoes=row["undoes"], undone_by=row["undone_by"],
    )  # fmt: skip


def _text(row: Row) -> Row:
    return {
        name: {"hex": bytes(value).hex()} if isinstance(value, bytes | memoryview) else value
        for name, value in row.items()
    }


def _bytes(row: Row) -> Row:
    return {
        name: bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
        for name, value in row.items()
    }

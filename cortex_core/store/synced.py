"""What machines share of a store: the rows, by names that hold on each of them, what sync knows of
each, and the journal entries that no other machine has yet.

A row that is not in its table, because a memory that it belongs to was removed or because it was
removed itself, is kept here: a later change of another machine may bring it back.
"""

import json
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

from cortex_core.base import text
from cortex_core.base.hook_io import sha256
from cortex_core.records.changes import JournalEntry
from cortex_core.records.fields import COLUMNS
from cortex_core.store import journal, rows
from cortex_core.store.reader import Reader, marks
from cortex_core.store.store import Store

META = "sync"
"""The meta row with what a store knows of its exchange."""

TABLES = ("memory", "source", "edge", "proposal", "verdict")
"""The tables whose rows machines share, in the order in which their rows can be added."""

_OWN = {
    "memory": frozenset(
        {"number", "access_count", "last_access", "looks", "outdated", "content_hash", "context"}
    ),
    "source": frozenset({"id"}),
    "edge": frozenset({"id"}),
    "proposal": frozenset({"number"}),
    "verdict": frozenset({"id"}),
}
"""By table, the columns that each machine has its own values of: numbers, what was used how often
there, what the files there say, and what follows from other columns."""

_HIDDEN = " UNION ".join(
    "SELECT object, stamps, row FROM synced INDEXED BY synced_hidden "
    f"WHERE row IS NOT NULL AND {of}"
    for of in (
        "object > 'source:' || ? || ' ' AND object < 'source:' || ? || '!'",
        "object > 'edge:' || ? || ' ' AND object < 'edge:' || ? || '!'",
        "object > 'edge:' AND object < 'edge;' AND instr(object, ' ' || ? || ' ')",
    )
)
"""The rows in no table that belong to a memory: by ranges of the index, but for links to it."""

GONE_HERE = '{"x":""}'
"""What is noted of a memory that was deleted for good here, until other machines know."""


def object_of(table: str, row: Mapping[str, Any]) -> str:
    """The name of a row on every machine."""
    if table == "memory":
        return f"memory:{row['id']}"
    if table == "edge":
        return f"edge:{_word(row['source'])} {_word(row['target'])} {row['type']}"
    if table == "proposal":
        return f"proposal:{row['pair']}"
    held = json.dumps(shared(table, row), sort_keys=True)
    return f"{table}:{_word(row['memory'])} {sha256(held)[:16]}"


def _word(memory: str) -> str:
    """The id of a memory as one word: one that was imported may have blanks."""
    return memory.replace("%", "%25").replace(" ", "%20")


def _plain(word: str) -> str:
    return word.replace("%20", " ").replace("%25", "%")


def shared(table: str, row: Mapping[str, Any]) -> rows.Row:
    """The columns of a row that machines share."""
    return {name: value for name, value in row.items() if name not in _OWN[table]}


def memories_of(object: str) -> tuple[str, ...]:
    """The memories without which a row is in no table: the ends of an edge, what a source is of."""
    table, _, name = object.partition(":")
    return tuple(map(_plain, name.split(" ")[: {"edge": 2, "source": 1}.get(table, 0)]))


def completed(table: str, columns: rows.Row, old: Mapping[str, Any] = {}) -> rows.Row:
    """Shared columns with those that follow from them.

    Args:
        old: the row as it was, where some columns of it change.
    """
    if table != "memory":
        return columns
    row = {**old, **columns}
    added: rows.Row = {}
    if "content" in columns:
        added["content_hash"] = text.content_hash(columns["content"])
    if not columns.keys().isdisjoint(("created", "author", "branch", "files")):
        files = tuple(json.loads(row.get("files", "[]")))
        added["context"] = rows.context_words(
            row["created"], row.get("author", ""), row.get("branch", ""), files
        )
    return {**columns, **added}


@cache
def column_names(table: str) -> frozenset[str]:
    """The columns of a table that machines share."""
    return frozenset(journal.model(table)._meta.columns) - _OWN[table]


@cache
def nullable(table: str) -> frozenset[str]:
    """The columns of a table that may be without a value."""
    fields = journal.model(table)._meta.columns
    return frozenset(name for name, field in fields.items() if field.null)


@cache
def forms(table: str) -> Mapping[str, str]:
    """By column, what a value of it may be: a form of `fields.Form`, of a memory; else `text`,
    `texts`, `number`, `whole` or `flag`, by the column's type."""
    kinds = {"FLOAT": "number", "INT": "whole", "BOOL": "flag"}
    found = {
        name: "texts"
        if name in ("members", "reasons", "conflicts")
        else kinds.get(field.field_type, "text")
        for name, field in journal.model(table)._meta.columns.items()
    }
    if table == "memory":
        found |= {name: one.form for name, one in COLUMNS.items()}
    return found


def find(change: journal.Change, object: str) -> rows.Row | None:
    """The row of this name in its table; None where it is not there."""
    table, _, name = object.partition(":")
    if table == "memory":
        return change.read("memory", name)
    if table == "proposal":
        return change.proposal_on(name)
    if table == "edge":
        source, target = memories_of(object)
        number = change.edge_of(source, target, name.rpartition(" ")[2])
        return None if number is None else change.read("edge", number)
    memory = _plain(name.partition(" ")[0])
    found = (row for row in change.belonging(table, memory) if object_of(table, row) == object)
    return next(found, None)


def same_rows(store: Reader, table: str, row: Mapping[str, Any]) -> list[Any]:
    """The keys of every row that is the same on other machines: a memory may have been learned
    twice from one place."""
    key = journal.KEYS[table]
    if table not in ("source", "verdict"):
        return [row[key]]
    name = object_of(table, row)
    equal = journal.whole_rows(store, table, "memory = ?", row["memory"])
    return [each[key] for each in equal if object_of(table, each) == name]


def has_memories(store: Reader, object: str) -> bool:
    """Whether every memory is there without which a row is in no table."""
    ids = memories_of(object)
    asked = f"SELECT count(*) FROM memory WHERE id IN ({marks(ids)})"
    return not ids or store.value(asked, ids) == len(set(ids))


def all_rows(store: Reader, table: str) -> list[rows.Row]:
    """Every row of a table that machines share."""
    return journal.whole_rows(store, table, f'true ORDER BY "{journal.KEYS[table]}"')


def bring_back(change: journal.Change, now: Reader, then: Reader) -> None:
    """Let the rows that machines share be those of a copy that the store has of itself.

    What was deleted for good on any machine stays gone.
    """
    gone = {name for name, _ in destroyed(now)}
    for table in TABLES:  # memories first: their links and sources go and come with them
        here, there = (
            {object_of(table, row): row for row in all_rows(of, table)} for of in (now, then)
        )
        for name in here.keys() - there.keys():
            change.delete(table, here[name][journal.KEYS[table]])
        for name, row in there.items():
            if not gone.isdisjoint((name, *(f"memory:{each}" for each in memories_of(name)))):
                continue
            if name in here:
                key = here[name][journal.KEYS[table]]
                change.update(table, key, completed(table, shared(table, row), row))
            else:
                change.insert(table, row)
                change.delete("trash", row.get("id"))


def machine_names(store: Reader) -> dict[str, str]:
    """What the user calls the other machines that the store heard of, by writer."""
    known = json.loads(store.meta(META) or "{}").get("machines", {})
    return {writer: str(machine["name"]) for writer, machine in known.items()}


def count_unsent(store: Reader, after: int) -> int:
    """How many entries made here beyond the one called `after` other machines will read."""
    return int(
        store.value(
            "SELECT count(*) FROM journal WHERE number > ? AND machine IS NULL AND "
            f"(verb IN ({marks(journal.FOR_GOOD)}) OR EXISTS (SELECT 1 FROM journal_row "
            f'WHERE entry = number AND "table" IN ({marks(TABLES)})))',
            (after, *journal.FOR_GOOD, *TABLES),
        )
    )


def waiting_versions(store: Reader) -> int:
    """How many texts that lost against another machine's wait in the review."""
    return int(
        store.value(
            "SELECT count(*) FROM proposal p WHERE p.status = 'open' AND EXISTS (SELECT 1 FROM "
            "json_each(p.members) j JOIN memory m ON m.id = j.value WHERE m.status = 'suggested' "
            "AND json_extract(m.origin, '$.type') = 'sync')"
        )
    )


# --- what sync knows of rows


_HELD = "SELECT object, stamps, row FROM synced WHERE object IN (SELECT value FROM json_each(?))"


def held(store: Reader, objects: Collection[str]) -> dict[str, tuple[str, rows.Row | None]]:
    """What is known of rows: their stamps, and the row where it is in no table. Rows of which
    nothing is known are left out."""
    found = store.rows(_HELD, (rows.dumps(list(objects)),)) if objects else ()
    return {name: (stamps, None if row is None else json.loads(row)) for name, stamps, row in found}


def hold(store: Store, object: str, stamps: str, row: rows.Row | None) -> None:
    """Note what is known of a row, inside an open transaction."""
    cells = store.filtered("synced", {"row": None if row is None else rows.dumps(row)})
    store.execute(
        "INSERT INTO synced (object, stamps, row) VALUES (?, ?, ?) ON CONFLICT (object) "
        "DO UPDATE SET stamps = excluded.stamps, row = excluded.row",
        (object, stamps, cells["row"]),
    )


def all_stamps(store: Reader) -> list[str]:
    """Every text of the store with stamps: what is known of each row, and of each journal entry."""
    return store.column(
        "SELECT stamps FROM synced UNION ALL SELECT stamp FROM journal WHERE stamp <> ''"
    )


def restamp(store: Store, change: Callable[[str], str]) -> None:
    """Change the stamps that the store knows, inside an open transaction."""
    for table, column in (("synced", "stamps"), ("journal", "stamp")):
        for row, held in store.rows(f"SELECT rowid, {column} FROM {table} WHERE {column} <> ''"):
            if (made := change(held)) != held:
                store.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (made, row))


def rename(store: Store, names: Mapping[str, str]) -> None:
    """Let what is known of rows be known by new names, inside an open transaction."""
    for old, new in names.items():
        store.execute("UPDATE OR REPLACE synced SET object = ? WHERE object = ?", (new, old))


def hidden(store: Reader, memory: str) -> list[tuple[str, str, rows.Row]]:
    """The rows that are in no table and belong to a memory: name, stamps and row."""
    return [
        (name, stamps, json.loads(row))
        for name, stamps, row in store.rows(_HIDDEN, (_word(memory),) * 5)
        if memory in memories_of(name)
    ]


def mark_gone(store: Store, memory: str) -> None:
    """Note that a memory was deleted for good, and keep nothing of it and of what belongs to it,
    inside an open transaction. Nothing happens where machines do not share it, and where it came
    back by another way than out of the trash."""
    if store.rows("SELECT 1 FROM memory WHERE id = ?", (memory,)):
        return
    for name, stamps, _ in hidden(store, memory):
        hold(store, name, stamps, None)
    store.execute(
        "UPDATE synced SET stamps = ?, row = NULL WHERE object = 'memory:' || ?",
        (GONE_HERE, memory),
    )


def gone_here(store: Reader) -> list[str]:
    """The memories that were deleted for good here, which no other machine knows."""
    return store.column("SELECT object FROM synced WHERE stamps = ?", (GONE_HERE,))


def destroyed(store: Reader) -> list[tuple[str, str]]:
    """The memories that were deleted for good on any machine: name and stamps."""
    asked = "SELECT object, stamps FROM synced WHERE instr(stamps, '\"x\"')"
    return [(object, stamps) for object, stamps in store.rows(asked)]


# --- the journal


def unsent(store: Reader, after: int) -> list[tuple[JournalEntry, str]]:
    """The entries made here beyond the one called `after`, oldest first, each with the stamp by
    which other machines know the one that it takes back; empty if they do not."""
    asked = (
        "SELECT coalesce(u.stamp, ''), j.number, j.time, j.actor, j.verb, j.label, j.action, "
        "j.undoes FROM journal j LEFT JOIN journal u ON u.number = j.undoes "
        "WHERE j.number > ? AND j.machine IS NULL ORDER BY j.number"
    )
    names = ("number", "time", "actor", "verb", "label", "action", "undoes")
    return [
        (JournalEntry(**dict(zip(names, entry, strict=True))), stamp)
        for stamp, *entry in store.rows(asked, (after,))
    ]


def set_stamps(store: Store, stamps: Mapping[int, str]) -> None:
    """Note by which stamps other machines know entries, inside an open transaction."""
    for number, stamp in stamps.items():
        store.execute(
            "UPDATE journal SET stamp = ? WHERE number = ? AND machine IS NULL", (stamp, number)
        )


def repeat_undo(store: Store, change: journal.Change, verb: str, undone: str) -> None:
    """Let `change`, which repeats an undo or a redo of another machine, take back here what it
    took back there, if that is known."""
    asked = "SELECT number FROM journal WHERE stamp = ?"
    numbers = store.column(asked, (undone,)) if undone else []
    if not numbers:
        return
    entry = store.entry(numbers[0])
    if entry.undone_by is None:
        change.mark_undone(entry, verb)

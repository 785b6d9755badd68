"""How a memory changed over time, and what one change did to each memory, by the journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from cortex_core.records.changes import (
    FieldChange,
    MemoryChange,
    Revision,
)
from cortex_core.records.fields import COLUMNS
from cortex_core.store import journal
from cortex_core.store.journal import EMPTIED, is_insertion
from cortex_core.store.reader import CHUNK
from cortex_core.store.rows import Row
from cortex_core.store.store import Store

_UNTOLD = frozenset(
    {
        "content_hash",
        "updated",
        "reinforced",
        "context",
        "access_count",
        "last_access",
        "looks",
        "number",
    }
)
"""Columns that follow from others, or only say when."""
_LISTS = frozenset(name for name, one in COLUMNS.items() if one.form in ("texts", "mapping"))
_MARKS = frozenset(name for name, one in COLUMNS.items() if one.form == "flag")


class MemoryState(NamedTuple):
    """What decay counted from, from some moment on."""

    since: float
    reinforced: float
    initial: float
    pinned: bool


def of_memory(store: Store, name: str, limit: int = 50) -> list[Revision]:
    """The newest changes of a memory, newest first."""
    entries = store.log(limit, name)
    written = _rows(store, name, [entry.number for entry in entries])
    return [
        Revision(change=entry, fields=tuple(_fields(store, written.get(entry.number, ()))))
        for entry in entries
    ]


def of_entry(store: Store, number: int, most: int = 100) -> list[MemoryChange]:
    """What the entry called `number` did to each memory, in order; the first `most` of them."""
    written: dict[str, list[Row]] = {}
    names = ("memory", "table", "key", "before", "after")
    for values in store.rows(
        'SELECT memory, "table", "key", before, after FROM journal_row '
        "WHERE entry = ? AND memory <> '' ORDER BY place",
        (number,),
    ):
        written.setdefault(values[0], []).append(dict(zip(names, values, strict=True)))
    shown = list(written)[:most]
    titles = {memory.id: memory.title for memory in store.memories(shown)}
    return [
        MemoryChange(
            id=name,
            title=titles.get(name) or _title_before(store, name, written[name]),
            fate=_fate(written[name]),
            fields=tuple(_fields(store, written[name])),
        )
        for name in shown
    ]


def _fate(written: Sequence[Row]) -> Literal["made", "removed", "changed"]:
    """What became of the memory that the rows `written` are about."""
    ends = [row["after"] for row in written if row["table"] == "memory"]
    if any(map(is_insertion, ends)):
        return "made"
    return "removed" if None in ends else "changed"


def _title_before(store: Store, name: str, written: Sequence[Row]) -> str:
    """The title of a memory that is not there any more: of the trash, else of what was removed."""
    kept = store.value("SELECT title FROM trash WHERE memory = ?", (name,))
    removed = [_values(row, "before").get("title") for row in written if row["table"] == "memory"]
    return str(kept or next(filter(None, removed), ""))


def states(store: Store, name: str, limit: int = 500) -> list[MemoryState]:
    """From what a memory's confidence was counted, the oldest state first.

    Read backwards from what is stored now; the newest `limit` changes are looked at.
    """
    found = store.rows(
        "SELECT created, reinforced, initial_confidence, pinned FROM memory WHERE id = ?", (name,)
    )
    if not found:
        return []
    created, reinforced, initial, pinned = found[0]
    made: list[MemoryState] = []
    entries = store.log(limit, name)
    written = _rows(store, name, [entry.number for entry in entries])
    for entry in entries:
        for row in reversed(written.get(entry.number, ())):
            before = _values(row, "before") if row["table"] == "memory" else {}
            if {"reinforced", "initial_confidence", "pinned"} & before.keys():
                made.append(MemoryState(entry.time, reinforced, initial, bool(pinned)))
                reinforced = before.get("reinforced", reinforced)
                initial = before.get("initial_confidence", initial)
                pinned = before.get("pinned", pinned)
    made.append(MemoryState(created, reinforced, initial, bool(pinned)))
    return made[::-1]


def _rows(store: Store, name: str, entries: Sequence[int]) -> dict[int, list[Row]]:
    """What each entry wrote that belongs to the memory, in the order it was written."""
    names = ("entry", "table", "key", "before", "after")
    found: dict[int, list[Row]] = {}
    for start in range(0, len(entries), CHUNK):
        part = entries[start : start + CHUNK]
        marks = ",".join("?" * len(part))
        for values in store.rows(
            'SELECT entry, "table", "key", before, after FROM journal_row '
            f"WHERE memory = ? AND entry IN ({marks}) ORDER BY place",
            (name, *part),
        ):
            found.setdefault(values[0], []).append(dict(zip(names, values, strict=True)))
    return found


def _fields(store: Store, written: Sequence[Row]) -> Iterator[FieldChange]:
    """What a change set; nothing where it made the memory or removed it whole."""
    whole = any(
        row["table"] == "memory" and (row["after"] is None or is_insertion(row["after"]))
        for row in written
    )
    for row in () if whole else written:
        yield from _told(store, row)


def _told(store: Store, row: Row) -> Iterator[FieldChange]:
    table, was_made = str(row["table"]), is_insertion(row["after"])
    before = _values(row, "before")
    if table == "memory":
        after = _values(row, "after")
        for name in before:
            if name not in _UNTOLD:
                yield FieldChange(
                    name=COLUMNS[name].name if name in COLUMNS else name,
                    before=_plain(name, before[name]),
                    after=_plain(name, after[name]),
                )
    elif describe := _DESCRIBED.get(table):
        old = {} if was_made else before
        new = {} if row["after"] is None else _now(store, table, row, before)
        yield FieldChange(
            name=_NAMES.get(table, table),
            before=describe(old) if old else None,
            after=describe(new) if new else None if row["after"] is None else "",
        )


def _now(store: Store, table: str, row: Row, before: Row) -> Row:
    """The row as the change left it; of an insertion what is still there."""
    if not is_insertion(row["after"]):
        return {**before, **_values(row, "after")}
    columns = _COLUMNS[table]
    found = store.rows(
        f'SELECT {", ".join(columns)} FROM "{table}" WHERE "{journal.KEYS[table]}" = ?',
        (json.loads(row["key"]),),
    )
    return dict(zip(columns, found[0], strict=True)) if found else {}


def _values(row: Row, side: str) -> Row:
    written = row[side]
    if written in (None, EMPTIED) or is_insertion(written):
        return {}
    return dict(json.loads(str(written)))


def _plain(name: str, value: Any) -> Any:
    """A column's value as a user means it."""
    if name in _LISTS and isinstance(value, str):
        return json.loads(value)
    return bool(value) if name in _MARKS else value


def _edge(row: Row) -> str:
    return f"{row['source']} {row['type']} {row['target']}"


def _source(row: Row) -> str:
    session = f", session {row['session'][:8]}" if row.get("session") else ""
    return f"{row.get('rule', '')}{session}"


def _verdict(row: Row) -> str:
    return "kept" if row.get("kept") else "discarded"


def _forgotten(row: Row) -> str:
    return f"{str(row.get('session', ''))[:8]} {row.get('title', '')}".strip()


_DESCRIBED: dict[str, Callable[[Row], str]] = {
    "edge": _edge,
    "source": _source,
    "verdict": _verdict,
    "forgotten": _forgotten,
}
_NAMES = {"edge": "link", "forgotten": "forgotten session"}
_COLUMNS = {
    "edge": ("source", "target", "type"),
    "source": ("rule", "session"),
    "verdict": ("kept",),
    "forgotten": ("session", "title"),
}

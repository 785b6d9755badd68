"""How a memory changed over time, and what one change did to each memory, by the journal."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from cortex_core.records.changes import (
    FieldChange,
    MemoryChange,
    Revision,
)
from cortex_core.records.fields import COLUMNS
from cortex_core.store import journal
from cortex_core.store.rows import Row, dumps
from cortex_core.store.store import Store

_NOT_SHOWN = frozenset(
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


def of_memory(store: Store, name: str, limit: int = 50) -> list[Revision]:
    """The newest changes of a memory, newest first."""
    entries = store.log(limit, name)
    numbers = dumps([entry.number for entry in entries])
    written = _written(
        store, "entry", "memory = ? AND entry IN (SELECT value FROM json_each(?))", name, numbers
    )
    return [
        Revision(change=entry, fields=tuple(_fields(written.get(entry.number, ()))))
        for entry in entries
    ]


def of_entry(store: Store, number: int, most: int = 100) -> list[MemoryChange]:
    """What the entry called `number` did to each memory, in order; the first `most` of them."""
    written = _written(store, "memory", "entry = ? AND memory <> ''", number)
    shown = list(written)[:most]
    titles = {memory.id: memory.title for memory in store.memories(shown)}
    return [
        MemoryChange(
            id=name,
            title=titles.get(name) or _title_before(store, name, written[name]),
            fate=_fate(written[name]),
            fields=tuple(_fields(written[name])),
        )
        for name in shown
    ]


def _fate(written: Sequence[Row]) -> Literal["made", "removed", "changed"]:
    """What became of the memory that the rows `written` are about."""
    of_memory = [row for row in written if row["table"] == "memory"]
    if any(row["before"] is None for row in of_memory):
        return "made"
    return "removed" if any(row["after"] is None for row in of_memory) else "changed"


def _title_before(store: Store, name: str, written: Sequence[Row]) -> str:
    """The title of a memory that is not there any more: of the trash, else of what was removed."""
    kept = store.value("SELECT title FROM trash WHERE memory = ?", (name,))
    removed = [
        journal.noted(row["before"]).get("title") for row in written if row["table"] == "memory"
    ]
    return str(kept or next(filter(None, removed), ""))


def _written(store: Store, by: str, where: str, *values: object) -> dict[Any, list[Row]]:
    """What the rows of the journal that meet a condition say, in the order in which they were
    written, by their entry or by their memory."""
    found: dict[Any, list[Row]] = {}
    columns = f'{by} AS "by", "table", key, before, after'
    for row in store.rows(
        f"SELECT {columns} FROM journal_row WHERE {where} ORDER BY place", values
    ):
        found.setdefault(row["by"], []).append(dict(row))
    return found


def _fields(written: Sequence[Row]) -> Iterator[FieldChange]:
    """What a change set; nothing where it made the memory or removed it whole."""
    whole = any(
        row["table"] == "memory" and None in (row["before"], row["after"]) for row in written
    )
    for row in () if whole else written:
        yield from _field_changes(row)


def _field_changes(row: Row) -> Iterator[FieldChange]:
    table = str(row["table"])
    before, after = journal.noted(row["before"]), journal.noted(row["after"])
    if table == "memory":
        for name in before:
            if name not in _NOT_SHOWN:
                yield FieldChange(
                    name=COLUMNS[name].name if name in COLUMNS else name,
                    before=_plain(name, before[name]),
                    after=_plain(name, after[name]),
                )
    elif describe := _DESCRIBED.get(table):
        is_removed = row["after"] is None
        new = {} if is_removed else {**before, **after}
        yield FieldChange(
            name=_NAMES.get(table, table),
            before=describe(before) if before else None,
            after=describe(new) if new else None if is_removed else "",
        )


def _plain(name: str, value: Any) -> Any:
    """A column's value as a user means it."""
    if name in _LISTS and isinstance(value, str):
        return json.loads(value)
    return bool(value) if name in _MARKS else value


_DESCRIBED: dict[str, Callable[[Row], str]] = {
    "edge": lambda row: f"{row['source']} {row['type']} {row['target']}",
    "source": lambda row: (
        row.get("rule", "") + (f", session {row['session'][:8]}" if row.get("session") else "")
    ),
    "verdict": lambda row: "kept" if row.get("kept") else "discarded",
    "forgotten": lambda row: f"{row.get('session', '')[:8]} {row.get('title', '')}".strip(),
}
"""What users read of a row of these tables."""
_NAMES = {"edge": "link", "forgotten": "forgotten session"}

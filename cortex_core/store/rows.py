"""Turning memories into rows and rows into memories."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from cortex_core.base import decay, scripts, text
from cortex_core.base.kinds import DEFAULT, Kinds
from cortex_core.records import fields
from cortex_core.records.memory import Context, Edge, Memory, Scope, Source

Row = dict[str, Any]

COLUMNS = ("number", *fields.COLUMNS, "content_hash")
"""What a memory is read from, in order."""

EDGE_COLUMNS = tuple(Edge.__dataclass_fields__)
"""What an edge is read from, in order."""

SELECT = "SELECT " + ", ".join(f'm."{column}"' for column in COLUMNS) + " FROM memory m"


_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: `json.dumps` makes one for each value, which takes longer than a short value does."""


def dumps(value: Any) -> str:
    """`value` as compact JSON."""
    return _COMPACT.encode(value)


def context_words(created: float, author: str, branch: str, files: tuple[str, ...]) -> str:
    """The date, author, branch and file names, as words for the index."""
    day = time.gmtime(created)
    date = f"{day.tm_mday} {time.strftime('%B %Y %Y-%m-%d', day)}"
    names = " ".join(f"{path} {PurePath(path).name}" for path in files)
    return text.one_line(f"{date} {author} {branch} {names}")


def to_row(memory: Memory) -> Row:
    """The row that stores `memory`, without its number."""
    return _storable(
        {
            **{
                column: write(get(memory)) if write else get(memory)
                for column, get, write in _WRITTEN
            },
            "context": context_words(
                memory.created, memory.source.author, memory.context.branch, memory.context.files
            ),
            "content_hash": text.content_hash(memory.content),
        }
    )


_INDEXED = ("title", "content", "tags")


def with_index_words(table: str, columns: Row, old: Mapping[str, Any] = {}) -> Row:
    """Columns of a row as the table gets them: a memory's context is followed by a line of the
    words that the index needs besides, where its texts are in a script without blanks.

    Neither the journal nor the trash keeps that line.

    Args:
        old: the whole row as it was, where some columns of it change.
    """
    if table != "memory" or columns.keys().isdisjoint((*_INDEXED, "context")):
        return columns
    row = {**old, **columns}
    line = row.get("context", "")
    words = scripts.index_words("\n".join((*(row.get(name, "") for name in _INDEXED), line)))
    return {**columns, "context": f"{line}\n{words}" if words else line}


def without_index_words(table: str, row: Row) -> Row:
    """A row of a table without the line that `with_index_words` added."""
    line, added, _ = row.get("context", "").partition("\n") if table == "memory" else ("", "", "")
    return {**row, "context": line} if added else row


def _storable(row: Row) -> Row:
    return {
        name: text.storable(value) if isinstance(value, str) else value
        for name, value in row.items()
    }


def source_of(row: Mapping[str, Any]) -> Source:
    """The source that a memory's or a source's row describes."""
    return Source(
        **{name: row[column] for name, column in fields.SOURCE if name != "time"},
        time=row.get("time", row.get("created")),
    )


def source_row(memory: str, source: Source) -> Row:
    """The row of one source of a memory."""
    return _storable({"memory": memory, **fields.source_values(source)})


def to_edge(values: Sequence[Any]) -> Edge:
    """The edge in `values` (as `EDGE_COLUMNS`)."""
    row = dict(zip(EDGE_COLUMNS, values, strict=True))
    return Edge(**row | {"directed": bool(row["directed"])})


def edge_row(edge: Edge) -> Row:
    """The row that stores `edge`, without its number."""
    return {name: getattr(edge, name) for name in EDGE_COLUMNS}


def to_memory(
    values: Sequence[Any],
    scope: Scope,
    now: float,
    *,
    kinds: Kinds = DEFAULT,
    centrality: float = 0.0,
    sources: tuple[Source, ...] = (),
) -> Memory:
    """The memory in `values` (as `COLUMNS`), its confidence decayed to `now`."""
    row = dict(zip(COLUMNS, values, strict=True))
    for column, read in _READ:
        row[column] = read(row[column])
    # Computed at each reading: a stored confidence would be out of date at once.
    confidence = decay.confidence(
        row["initial_confidence"],
        row["reinforced"],
        now,
        kinds.pace(row["kind"], row["origin"].get("type")),
        priority=row["priority"],
        access_count=row["access_count"],
        centrality=centrality,
        pinned=row["pinned"],
    )
    return Memory(
        **{name: row[column] for name, column in _PLAIN},
        scope=scope,
        confidence=confidence,
        source=source_of(row),
        sources=sources,
        context=Context(**{name: row[column] for name, column in _CONTEXT}),
        content_hash=row["content_hash"],
    )


def column_definition(field: fields.Field) -> str:
    """The SQL that defines the column of a field with `since`, in new stores and in migrated ones.

    The default is part of it: rows that the journal or the trash bring back from an older schema
    have no value for the column.
    """
    kind = {"number": "REAL", "time": "REAL", "whole": "INTEGER", "flag": "INTEGER"}
    name = f'"{field.column}" {kind.get(field.form, "TEXT")}'
    if field.default is None:
        return name
    default = stored_default(field)
    literal = f"'{default}'" if isinstance(default, str) else f"{default + 0}"
    return f"{name} NOT NULL DEFAULT {literal}"


def stored_default(field: fields.Field) -> Any:
    """What the column of a field holds in a memory that says nothing about it."""
    encode = _ENCODERS.get(field.form)
    return encode(field.default) if encode and field.default is not None else field.default


_ENCODERS: dict[str, Callable[[Any], str]] = {
    "texts": lambda value: dumps(list(value)),
    "mapping": lambda value: dumps(dict(value)),
}
_DECODERS: dict[str, Callable[[Any], Any]] = {
    "texts": lambda value: () if value == "[]" else tuple(json.loads(value)),
    "mapping": lambda value: {} if value == "{}" else json.loads(value),
    "flag": bool,
}

# Made once, since a list reads and an import writes them a hundred thousand times.
_STORED = tuple(fields.COLUMNS.values())
_WRITTEN = tuple((each.column, each.get, _ENCODERS.get(each.form)) for each in _STORED)
_READ = tuple((each.column, _DECODERS[each.form]) for each in _STORED if each.form in _DECODERS)
_PLAIN = tuple((each.attribute, each.column) for each in _STORED if not each.part)
_CONTEXT = tuple((each.attribute, each.column) for each in _STORED if each.part == "context")

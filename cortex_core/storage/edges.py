"""The edges of a store: links between two of its memories."""

from __future__ import annotations

from collections.abc import Iterable

from cortex_core.memory import Edge
from cortex_core.storage import rows
from cortex_core.storage.reader import Reader

_COLUMNS = ", ".join(rows.EDGE_COLUMNS)
_THESE = "(SELECT value FROM json_each(?1))"


def touching(store: Reader, names: Iterable[str]) -> list[Edge]:
    """The edges that lead to or from any of the memories called `names`, strongest first."""
    where = f"source IN {_THESE} OR target IN {_THESE} ORDER BY strength DESC, id"
    found = store.rows(f"SELECT {_COLUMNS} FROM edge WHERE {where}", (rows.dumps(list(names)),))
    return [rows.to_edge(values) for values in found]


def among(store: Reader, names: Iterable[str]) -> list[Edge]:
    """The edges between two of the memories called `names`."""
    where = f"source IN {_THESE} AND target IN {_THESE}"
    found = store.rows(f"SELECT {_COLUMNS} FROM edge WHERE {where}", (rows.dumps(list(names)),))
    return [rows.to_edge(values) for values in found]


def every(store: Reader) -> list[Edge]:
    """All edges of the store, in the order in which they were drawn."""
    found = store.rows(f"SELECT {_COLUMNS} FROM edge ORDER BY id")
    return [rows.to_edge(values) for values in found]


def numbered(store: Reader, sources: Iterable[str]) -> dict[tuple[str, str, str], tuple[int, Edge]]:
    """The edges that lead away from `sources`, with their numbers, by source, target and type."""
    found = store.rows(
        f"SELECT id, {_COLUMNS} FROM edge WHERE source IN {_THESE}", (rows.dumps(list(sources)),)
    )
    drawn = ((number, rows.to_edge(values)) for number, *values in found)
    return {(edge.source, edge.target, edge.type): (number, edge) for number, edge in drawn}

"""Long lists of memories in an order, of which only row numbers are read."""

import json
from collections.abc import Iterator, Sequence
from sqlite3 import Row
from typing import Any

from cortex_core.base import decay
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store

# --- long lists, of which only numbers are read


ORDERS = {
    "updated": ("updated", "DESC"),
    "created": ("created", "DESC"),
    "priority": ("priority", "DESC"),
    "title": ("title", "COLLATE NOCASE"),
    "kind": ("kind", ""),
    "access": ("access_count", "DESC"),
}
"""By the name that a user gives an order, the column and how SQL sorts by it."""


def but_for(numbers: Sequence[int], where: str, values: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """A condition of `Filters.where` that the memories with these row numbers do not meet."""
    if not numbers:
        return where, values
    asked = f"({where}) AND m.number NOT IN (SELECT value FROM json_each(?))"
    return asked, (*values, json.dumps(numbers))


def any_of(store: Reader, where: str, values: Sequence[Any]) -> bool:
    """Whether any memory meets a condition of `Filters.where`."""
    return bool(store.rows(f"SELECT 1 FROM memory m WHERE {where} LIMIT 1", values))


def count_of(store: Reader, where: str, values: Sequence[Any]) -> int:
    """How many memories meet a condition of `Filters.where`."""
    return int(store.value(f"SELECT count(*) FROM memory m WHERE {where}", values))


def ordered(
    store: Reader,
    where: str,
    values: Sequence[Any],
    sort: str,
    limit: int | None,
    *,
    ranked: bool = False,
) -> tuple[list[int], list[Any]]:
    """The row numbers of the memories that meet a condition of `Filters.where`, in one of `ORDERS`,
    and what they are sorted by.

    All come in one row, since a step of the database for each of 100,000 takes three times as long.

    Args:
        ranked: whether to read what they are sorted by, too.
    """
    column, direction = ORDERS[sort]
    columns = ("number", column) if ranked else ("number",)
    lists = ", ".join(f"json_group_array({name})" for name in columns)
    inner = ", ".join(f"m.{name}" for name in columns)
    # The newer number decides between equals, so that pages do not overlap.
    (found,) = store.rows(
        f"SELECT {lists} FROM (SELECT {inner} FROM memory m WHERE {where} "
        f"ORDER BY m.{column} {direction}, m.number DESC LIMIT ?)",
        (*values, -1 if limit is None else limit),
    )
    return json.loads(found[0]), json.loads(found[1]) if ranked else []


def weighed(store: Store, where: str, values: Sequence[Any]) -> Iterator[tuple[Row, float, float]]:
    """The memories that meet a condition of `Filters.where`: number, id, initial confidence, day
    zero, kind, access count, pinned, priority, branch, title and how it came, in this order;
    centrality; and confidence now.
    """
    found = store.rows(
        "SELECT m.number, m.id, m.initial_confidence, m.reinforced, m.kind, m.access_count, "
        "m.pinned, m.priority, m.branch, m.title, json_extract(m.origin, '$.type') "
        f"FROM memory m WHERE {where}",
        values,
    )
    now, centrality = store.clock(), store.centrality([row["id"] for row in found])
    # As `rows.to_memory` computes it, without the rest of the memory.
    for row in found:
        _, name, initial, reinforced, kind, read, pinned, priority, _, _, came_as = row
        central = centrality.get(name, 0.0)
        yield (
            row,
            central,
            decay.confidence(
                initial,
                reinforced,
                now,
                store.kinds.pace(kind, came_as),
                priority=priority,
                access_count=read,
                centrality=central,
                pinned=bool(pinned),
            ),
        )

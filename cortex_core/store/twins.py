"""Memories that the team's store and one of the user's own both have: the user's own counts.

A memory keeps its id when it is proposed, so its author has it twice as soon as it is approved; and
somebody may have learned what the team says too. The own one can be changed, pinned and kept from
sessions, so it is listed, found and injected, and the team's is not, as long as it is active.

The hooks load this module: nothing is imported here that they do not need.
"""

from __future__ import annotations

from cortex_core.base import hook_io
from cortex_core.store.reader import Reader, marks, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence, Set
    from typing import Any, TypeVar

    from cortex_core.records.memory import Memory
    from cortex_core.store.surface_reader import SurfaceRow

    Row = Memory | SurfaceRow
    Item = TypeVar("Item")


def said(
    store: Reader,
    ids: Iterable[str],
    hashes: Iterable[str],
    where: str = "1",
    values: Sequence[Any] = (),
) -> set[str]:
    """Which of these ids and content hashes the active memories of a store have.

    Args:
        where: what else these must be, as `Filters.where` says it, with its `values`.
    """
    found: set[str] = set()
    for column, names in (("id", ids), ("content_hash", hashes)):
        for part in parts(list(names)):
            asked = (
                f"SELECT m.id, m.content_hash FROM memory m WHERE m.{column} IN ({marks(part)}) "
                f"AND +m.status = 'active' AND ({where})"
            )
            found.update(value for row in store.rows(asked, (*part, *values)) for value in row)
    return found


def without(items: Iterable[Item], own: Set[str], row: Callable[[Item], Row]) -> list[Item]:
    """Those of `items` that are not the team's, or that none of the user's own says.

    Args:
        own: ids and content hashes of the user's own memories.
        row: the memory of an item.
    """
    return [
        item
        for item in items
        if (one := row(item)).scope != "team" or own.isdisjoint((one.id, one.content_hash))
    ]


def once(items: Collection[Item], row: Callable[[Item], Row]) -> list[Item]:
    """The `items` without those of the team that others of them, the user's own, say too."""
    own = {
        value
        for item in items
        if (one := row(item)).scope != "team"
        for value in (one.id, one.content_hash)
    }
    return without(items, own, row)


def hidden(
    team: Reader, own: Collection[Reader], where: str = "1", values: Sequence[Any] = ()
) -> list[int]:
    """The row numbers of the team's active memories that one of the user's own stores has too.

    Args:
        where: what both must be, as `Filters.where` says it, with its `values`.
    """
    if not own:
        return []
    asked = (
        "SELECT m.number, m.id, m.content_hash FROM memory m "
        f"WHERE m.status = 'active' AND ({where})"
    )
    rows = [tuple(row) for row in team.rows(asked, values)]
    known = set().union(*(_known(store, rows) for store in own))
    rows = [row for row in rows if not known.isdisjoint(row)] if known else []
    ids, hashes = [row[1] for row in rows], [row[2] for row in rows]
    both = set().union(*(said(store, ids, hashes, where, values) for store in own))
    return [row[0] for row in rows if not both.isdisjoint(row)]


def _known(store: Reader, rows: Sequence[tuple[int, str, str]]) -> set[str]:
    """Which ids and content hashes of `rows` memories of any status have here: by the indexes
    alone, because most are in neither."""
    return {
        row[0]
        for column, values in (
            ("id", [row[1] for row in rows]),
            ("content_hash", [row[2] for row in rows]),
        )
        for row in store.rows(
            f"SELECT value FROM json_each(?) WHERE value IN (SELECT {column} FROM memory)",
            (hook_io.dumps(values),),
        )
    }


def shared(team: Reader, own: Sequence[Row]) -> dict[str, dict[str, str]]:
    """By the id of a user's own memory that the team has too: the `team`, who `approved_by`, and
    the team's `content`, where that is in other words."""
    found: dict[str, dict[str, str]] = {}
    by_hash: dict[str, list[Row]] = {}
    for row in own:
        by_hash.setdefault(row.content_hash, []).append(row)
    for column, names in (("id", {row.id: [row] for row in own}), ("content_hash", by_hash)):
        for name, known, content, called, approver in team.rows(
            f"SELECT {column}, content_hash, content, json_extract(origin, '$.team'), "
            f"json_extract(origin, '$.approved_by') FROM memory WHERE {column} IN "
            "(SELECT value FROM json_each(?)) AND +status = 'active'",
            (hook_io.dumps(list(names)),),
        ):
            about = {"team": called or "", "approved_by": approver or ""}
            for row in names[name]:
                other = {} if known == row.content_hash else {"content": content}
                found[row.id] = about | other
    return found

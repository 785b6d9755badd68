"""How many memories have each status, kind or value, and how each rule's finds were judged."""

import json
from collections.abc import Sequence

from cortex_core.store import ordering
from cortex_core.store.reader import Reader, marks
from cortex_core.store.store import Store

# --- counting


def by_status_and_kind(store: Reader, without: Sequence[int] = ()) -> list[tuple[str, str, int]]:
    """Each status and kind with the number of its memories, but those with these row numbers."""
    where, values = ordering.but_for(without, "1", ())
    asked = f"SELECT status, kind, count(*) FROM memory m WHERE {where} GROUP BY status, kind"
    return [(status, kind, number) for status, kind, number in store.rows(asked, values)]


def by_status(store: Reader) -> dict[str, int]:
    """How many memories there are of each status."""
    return store.pairs("SELECT status, count(*) AS number FROM memory GROUP BY status")


def active_since(store: Reader, number: int) -> int:
    """How many active memories came after the one with this row number."""
    return int(
        store.value("SELECT count(*) FROM memory WHERE number > ? AND status = 'active'", (number,))
    )


def of_statuses(store: Reader, statuses: Sequence[str]) -> int:
    """How many memories have one of these statuses."""
    return int(
        store.value(f"SELECT count(*) FROM memory WHERE status IN ({marks(statuses)})", statuses)
    )


def by_value(store: Reader, column: str, statuses: Sequence[str]) -> dict[str, int]:
    """How many memories of these statuses have each value of a column of text, empty aside."""
    return store.pairs(
        f"SELECT {column} AS value, count(*) AS number FROM memory WHERE {column} <> '' "
        f"AND status IN ({marks(statuses)}) GROUP BY {column}",
        statuses,
    )


def tag_lists(store: Reader, statuses: Sequence[str]) -> list[tuple[list[str], int]]:
    """The lists of tags that memories of these statuses have, and how many have each list."""
    found = store.rows(
        "SELECT tags, count(*) AS number FROM memory WHERE tags <> '[]' "
        f"AND status IN ({marks(statuses)}) GROUP BY tags",
        statuses,
    )
    return [(json.loads(row["tags"]), row["number"]) for row in found]


NOT_MINE = "json_extract(m.origin, '$.mine') IS NULL"
"""The SQL condition for what the team has that the user neither proposed nor approved."""


def seen_and_unseen(store: Store) -> tuple[int, int]:
    """How many active memories the team's store has, and how many of them are of other members and
    were never opened or found here (`Memory.is_unseen`)."""
    (row,) = store.rows(
        f"SELECT count(*) AS total, coalesce(sum(m.looks = 0 AND {NOT_MINE}), 0) AS unseen "
        "FROM memory m WHERE m.status = 'active'"
    )
    return row["total"], row["unseen"]


# --- verdicts


def verdicts_by_rule(store: Reader) -> list[tuple[str, int, int]]:
    """Each rule with how many of its finds were kept, and how many were judged."""
    asked = "SELECT rule, sum(kept), count(*) FROM verdict GROUP BY rule"
    return [(rule, kept, total) for rule, kept, total in store.rows(asked)]

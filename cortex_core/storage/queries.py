"""Questions about memories that several parts ask: how many there are of which, and which ones."""

from __future__ import annotations

from collections.abc import Iterable

from cortex_core.memory import Source
from cortex_core.storage import rows
from cortex_core.storage.reader import Reader


def statuses(store: Reader) -> dict[str, int]:
    """How many memories there are of each status."""
    found = store.rows("SELECT status, count(*) AS number FROM memory GROUP BY status")
    return {row["status"]: row["number"] for row in found}


def giveable(store: Reader) -> int:
    """How many memories may be given to Claude freely."""
    asked = "SELECT count(*) FROM memory WHERE status = 'active' AND inject = 'normal'"
    return int(store.value(asked))


def known_ids(store: Reader, names: Iterable[str]) -> set[str]:
    """Those of `names` that are ids of memories here."""
    asked = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))"
    return {row["id"] for row in store.rows(asked, (rows.dumps(list(names)),))}


def ids(store: Reader) -> list[str]:
    """The ids of all memories, in the order in which they came."""
    return [row["id"] for row in store.rows("SELECT id FROM memory ORDER BY number")]


def sources(store: Reader) -> dict[str, tuple[Source, ...]]:
    """Every memory's sources by its id, oldest first, in one read."""
    found: dict[str, list[Source]] = {}
    for row in store.rows("SELECT * FROM source ORDER BY id"):
        found.setdefault(row["memory"], []).append(rows.source_of(dict(row)))
    return {name: tuple(listed) for name, listed in found.items()}


def vector(store: Reader, name: str) -> tuple[str, bytes] | None:
    """The model and the vector (float32) of a memory, None where it has none."""
    asked = (
        "SELECT e.model, e.vector FROM embedding e JOIN memory m ON m.number = e.number "
        "WHERE m.id = ?"
    )
    found = store.rows(asked, (name,))
    return (found[0]["model"], found[0]["vector"]) if found else None

"""Questions about memories that several parts ask: how many there are of which, and which ones."""

from __future__ import annotations

from cortex_core.storage.reader import Reader


def statuses(store: Reader) -> dict[str, int]:
    """How many memories there are of each status."""
    found = store.rows("SELECT status, count(*) AS number FROM memory GROUP BY status")
    return {row["status"]: row["number"] for row in found}


def giveable(store: Reader) -> int:
    """How many memories may be given to Claude freely."""
    asked = "SELECT count(*) FROM memory WHERE status = 'active' AND inject = 'normal'"
    return int(store.value(asked))

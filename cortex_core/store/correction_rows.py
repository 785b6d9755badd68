"""What users corrected and stated as rules, and what a store knew at the time."""

import json
from collections.abc import Iterable, Sequence

from cortex_core.store.reader import Reader
from cortex_core.store.store import Store

_REPEATED = "repeated"
"""The key of the moments at which something was said again lately, after that of the count."""


def mentioning(store: Reader, query: str, most: int) -> list[str]:
    """The ids of at most so many memories that an FTS5 query finds, whatever their status; no
    history."""
    return store.column(
        "SELECT memory.id FROM memory_fts JOIN memory ON memory.number = memory_fts.rowid "
        "WHERE memory_fts MATCH ? AND memory.kind <> 'episode' ORDER BY bm25(memory_fts) LIMIT ?",
        (query, most),
    )


def stored_at(store: Reader, ids: Iterable[str]) -> dict[str, float]:
    """When each memory came into the store: an import makes memories of what was said long ago."""
    return store.pairs(
        "SELECT r.memory, min(j.time) FROM journal_row r JOIN journal j ON j.number = r.entry "
        "WHERE r.\"table\" = 'memory' AND r.memory IN (SELECT value FROM json_each(?)) "
        "GROUP BY r.memory",
        (json.dumps(sorted(ids)),),
    )


def repeated(store: Reader, since: float) -> tuple[float, list[float]]:
    """Until when it was last counted when something was said again, and when it was since that
    moment."""
    until, *moments = json.loads(store.meta(_REPEATED) or "[0]")
    return until, [moment for moment in moments if moment >= since]


def save_repeated(store: Store, until: float, moments: Sequence[float]) -> None:
    """Save when something was said again lately, counted until a moment, inside a transaction."""
    store.set_meta(_REPEATED, json.dumps([until, *moments]))

"""How one memory takes the place of another, which is kept as superseded."""

from __future__ import annotations

from cortex_core.store.journal import Change
from cortex_core.types import Memory


def retire(change: Change, newer: Memory, older: Memory) -> None:
    """Mark `older` as superseded by `newer`, link the two, and close an open proposal on them."""
    columns = {
        "status": "superseded", "valid_until": max(newer.created, older.created),
        "updated": change.time,
    }  # fmt: skip
    change.update("memory", older.id, columns)
    if not change.known_edge(newer.id, older.id, "supersedes"):
        change.insert(
            "edge",
            {"source": newer.id, "target": older.id, "type": "supersedes", "created": change.time},
        )
    known = change.proposal_on(" ".join(sorted((newer.id, older.id))))
    if known is not None and known["status"] == "open":
        change.update("proposal", known["number"], {"status": "approved"})

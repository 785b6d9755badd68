"""How far transcripts have been read, as the store keeps it."""

from __future__ import annotations

from cortex_core.storage.reader import Reader


def offsets(store: Reader) -> dict[str, int]:
    """By transcript, the bytes that have been read."""
    found = store.rows('SELECT transcript, "offset" FROM cursor')
    return {row["transcript"]: int(row["offset"]) for row in found}

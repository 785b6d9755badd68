"""What of transcripts has been read, as the store keeps it: offsets, and keys of records."""

from __future__ import annotations

from cortex_core.storage.reader import Reader


def offsets(store: Reader) -> dict[str, int]:
    """By transcript, the bytes that have been read."""
    found = store.rows('SELECT transcript, "offset" FROM cursor')
    return {row["transcript"]: int(row["offset"]) for row in found}


def is_read(store: Reader, key: int) -> bool:
    """Whether a record with `key` was read before, in whatever file: forks and resumes repeat them.

    For the dozens of records that a Stop brings: the table holds those of every session there was.
    """
    return bool(store.value("SELECT 1 FROM seen WHERE key = ?", (key,)))


def read_keys(store: Reader) -> set[int]:
    """The keys of all records read before, for whoever asks for very many (see `is_read`)."""
    return {key for (key,) in store.rows("SELECT key FROM seen")}

"""How far transcripts have been read, and which of their records, as the store keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.storage.reader import Reader, parts

if TYPE_CHECKING:
    from cortex_core.storage.store import Store


class SavedCursor(NamedTuple):
    """A position in a transcript."""

    offset: int
    """Bytes that have been read."""
    head: str
    """Hash of the first bytes: a replaced file starts again."""
    carry: str
    """JSON that the extraction goes on from."""
    final: bool


def read(store: Reader, transcript: str) -> SavedCursor | None:
    """The saved position in a transcript; None where it was never read."""
    found = store.rows(
        'SELECT "offset", head, carry, final FROM cursor WHERE transcript = ?', (transcript,)
    )
    if not found:
        return None
    offset, head, carry, final = found[0]
    return SavedCursor(offset, head, carry, bool(final))


def save(store: Store, transcript: str, session: str, cursor: SavedCursor) -> None:
    """Write the position in a transcript, inside an open transaction."""
    store.execute(
        'INSERT INTO cursor (transcript, session, "offset", head, carry, final, updated, error) '
        "VALUES (?, ?, ?, ?, ?, ?, ?, '') ON CONFLICT (transcript) DO UPDATE SET "
        'session = excluded.session, "offset" = excluded."offset", head = excluded.head, '
        "carry = excluded.carry, final = excluded.final, updated = excluded.updated, error = ''",
        (
            transcript, session, cursor.offset, cursor.head, cursor.carry, cursor.final,
            store.clock(),
        ),
    )  # fmt: skip


def forget(store: Store, transcript: str) -> None:
    """Have a transcript read from its beginning, inside an open transaction."""
    store.execute("DELETE FROM cursor WHERE transcript = ?", (transcript,))


def offsets(store: Reader) -> dict[str, int]:
    """By transcript, the bytes that have been read."""
    found = store.rows('SELECT transcript, "offset" FROM cursor')
    return {row["transcript"]: int(row["offset"]) for row in found}


def of_session(store: Reader, beginning: str) -> list[str]:
    """The transcripts of the sessions whose ids begin so, the last read first."""
    found = store.rows(
        "SELECT transcript FROM cursor WHERE substr(session, 1, length(?1)) = ?1 "
        "ORDER BY updated DESC",
        (beginning,),
    )
    return [row["transcript"] for row in found]


def is_read(store: Reader, key: int) -> bool:
    """Whether a record with `key` was read before, in whatever file: forks and resumes repeat them.

    For the dozens of records that a Stop brings: the table holds those of every session there was.
    """
    return bool(store.value("SELECT 1 FROM seen WHERE key = ?", (key,)))


def read_keys(store: Reader) -> set[int]:
    """The keys of all records read before, for whoever asks for very many (see `is_read`)."""
    return {key for (key,) in store.rows("SELECT key FROM seen")}


def note_read(store: Store, keys: Sequence[int]) -> None:
    """Remember the keys of records that were read, inside an open transaction."""
    for part in parts(keys):
        store.execute(f"INSERT OR IGNORE INTO seen VALUES {','.join(['(?)'] * len(part))}", part)

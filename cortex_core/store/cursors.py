"""How far the transcripts of sessions were read, and which of their records."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cortex_core.records.events import START, ReadPosition
from cortex_core.store.reader import Reader, parts
from cortex_core.store.store import Store


class Cursor(NamedTuple):
    """How far a transcript was read; as it is here, one that was never read."""

    position: ReadPosition = START
    carry: str = "{}"
    """JSON that the rules carry over to the next reading."""
    final: bool = False
    """Whether the session had ended."""


def load(store: Store, transcript: Path | str) -> Cursor | None:
    """The saved position in a transcript; None where it was never read."""
    for offset, head, carry, final in store.rows(
        'SELECT "offset", head, carry, final FROM cursor WHERE transcript = ?',
        (store.clean(str(transcript)),),
    ):
        return Cursor(ReadPosition(offset, head), carry, bool(final))
    return None


def transcript_of(store: Store, session: str, last: str) -> str:
    """The transcript that showed a session: `last`, the one read last, if it did."""
    return str(
        store.value(
            "SELECT transcript FROM cursor WHERE session = ? ORDER BY transcript = ? DESC",
            (session, store.clean(last)),
        )
        or last
    )


def save(store: Store, transcript: Path | str, session: str, cursor: Cursor) -> None:
    """Write the position in a transcript, inside an open transaction."""
    own = {"transcript": str(transcript), "session": session, "carry": cursor.carry}
    own = store.filtered("cursor", own)
    store.execute(
        'INSERT INTO cursor (transcript, session, "offset", head, carry, final, updated, error) '
        "VALUES (?, ?, ?, ?, ?, ?, ?, '') ON CONFLICT (transcript) DO UPDATE SET "
        'session = excluded.session, "offset" = excluded."offset", head = excluded.head, '
        "carry = excluded.carry, final = excluded.final, updated = excluded.updated, error = ''",
        (
            own["transcript"],
            own["session"],
            *cursor.position,
            own["carry"],
            cursor.final,
            store.clock(),
        ),
    )


def reset(store: Store, transcript: Path | str) -> None:
    """Have a transcript read from its beginning, inside an open transaction."""
    transcript = store.clean(str(transcript))
    store.execute(
        "DELETE FROM observation "
        "WHERE session IN (SELECT session FROM cursor WHERE transcript = ?)",
        (transcript,),
    )
    store.execute("DELETE FROM cursor WHERE transcript = ?", (transcript,))


def pending_finds(store: Reader) -> int:
    """How many finds wait for the end of their session."""
    return int(store.value("SELECT total(json_array_length(carry, '$.pending')) FROM cursor") or 0)


def offsets(store: Reader) -> dict[str, int]:
    """By transcript, the bytes that have been read."""
    return store.pairs('SELECT transcript, "offset" FROM cursor')


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

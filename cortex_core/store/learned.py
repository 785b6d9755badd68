"""Which memories were learned in a session, and from which of its messages; which sessions the user
forgot.
"""

from collections.abc import Sequence
from pathlib import Path
from sqlite3 import Error

from cortex_core.store import journal, rows
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store

_KEPT = "m.status NOT IN ('pruned')"


def counts(reader: Reader, sessions: Sequence[str]) -> dict[str, int]:
    """How many memories were learned in each of `sessions` and not forgotten; sessions without any
    are left out."""
    return reader.pairs(
        "SELECT s.session, count(DISTINCT s.memory) FROM source s JOIN memory m "
        "ON m.id = s.memory WHERE m.status NOT IN ('pruned', 'archived') "
        "AND s.session IN (SELECT value FROM json_each(?)) GROUP BY s.session",
        (rows.dumps(list(sessions)),),
    )


def by_message(reader: Reader, session: str) -> list[tuple[str, str]]:
    """The id of each memory that was learned in a session, and the uuid of the message it came
    from."""
    found = reader.rows(
        "SELECT s.memory, s.message FROM source s JOIN memory m ON m.id = s.memory "
        f"WHERE {_KEPT} AND s.session = ? AND s.message <> '' ORDER BY m.number",
        (session,),
    )
    return [(memory, message) for memory, message in found]


def only_from(reader: Reader, session: str, *, any_status: bool = False) -> list[str]:
    """The ids of the memories that were learned in this session alone, the oldest first; archived
    and superseded ones only with `any_status`."""
    return reader.column(
        "SELECT m.id FROM memory m WHERE (? OR m.status IN ('active', 'suggested', 'quarantined'))"
        " AND EXISTS (SELECT 1 FROM source s WHERE s.memory = m.id AND s.session = ?) "
        "AND NOT EXISTS (SELECT 1 FROM source s WHERE s.memory = m.id AND s.session <> ?) "
        "ORDER BY m.number",
        (any_status, session, session),
    )


def copy_knows(path: Path, session: str) -> bool:
    """Whether a copy of a store has a memory or a transcript of this session; True where that
    cannot be read."""
    try:
        with Reader(str(path), "project") as copy:
            return bool(
                copy.value("SELECT 1 FROM source WHERE session = ? LIMIT 1", (session,))
                or copy.value("SELECT 1 FROM cursor WHERE session = ? LIMIT 1", (session,))
            )
    except Error:
        return True


def forgotten(reader: Reader) -> dict[str, float]:
    """The sessions whose conversations the user forgot, and when."""
    return reader.pairs("SELECT session, time FROM forgotten")


def erased(store: Reader) -> list[str]:
    """The sessions that were erased for good, of which transcripts were read, by the journal."""
    labels = store.column("SELECT label FROM journal WHERE verb = 'erase'")
    begun = tuple(label.rpartition(" ")[2] for label in labels)
    return [
        session
        for session in store.column("SELECT DISTINCT session FROM cursor")
        if session.startswith(begun)
    ]


def erase_words(store: Store, session: str) -> None:
    """Remove what the store keeps of a session's words besides memories, inside a transaction:
    what was counted in it, what its rules carry over, and the journal's notes of it."""
    for table in ("observation", "occasion", "receipt"):
        store.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    store.execute("UPDATE cursor SET carry = '{}' WHERE session = ?", (session,))
    noted = "\"table\" = 'forgotten' AND key = json_quote(?)"
    store.execute(
        "UPDATE journal SET label = verb || ' session ' || substr(?, 1, 8) "
        f"WHERE number IN (SELECT entry FROM journal_row WHERE {noted})",
        (session, session),
    )
    store.execute(
        "UPDATE journal_row SET before = CASE WHEN before IS NOT NULL THEN ? END, "
        f"after = CASE WHEN after IS NOT NULL THEN ? END WHERE {noted}",
        (journal.EMPTIED, journal.EMPTIED, session),
    )

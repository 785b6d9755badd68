"""What sessions were given, as the store keeps it.

The ledger: one row a hook firing and a capture; what capture health and replay read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from cortex_core.records.captures import LedgerEntry
from cortex_core.records.surfaces import Receipt
from cortex_core.store import rows
from cortex_core.store.reader import Reader, marks
from cortex_core.store.store import Store


class Handed(NamedTuple):
    """A memory that a session was given."""

    session: str
    event: str
    memory: str
    time: float


def of_sessions(store: Reader, sessions: Iterable[str]) -> set[Handed]:
    """What these sessions were given."""
    names = sorted(sessions)
    asked = f"SELECT session, event, memory, time FROM receipt WHERE session IN ({marks(names)})"
    return {Handed(*row) for row in store.rows(asked, names)}


def add(store: Store, given: Iterable[tuple[Handed, int]]) -> None:
    """Note what was given and in how many tokens, inside an open transaction."""
    for handed, tokens in given:
        store.execute(
            "INSERT INTO receipt (session, event, memory, time, tokens, evidence) "
            "VALUES (?, ?, ?, ?, ?, '')",
            (*_filtered(store, handed), tokens),
        )


def _filtered(store: Store, handed: Handed) -> Handed:
    return handed._replace(session=store.clean(handed.session), event=store.clean(handed.event))


def unknown_use(store: Store, session: str) -> dict[str, float]:
    """The memories that a session was given and is not known to have used, and since when."""
    found = store.rows(
        "SELECT memory, min(time) AS first FROM receipt WHERE session = ? GROUP BY memory "
        "HAVING coalesce(max(used), 0) = 0",
        (store.clean(session),),
    )
    return {row["memory"]: row["first"] for row in found}


def note_used(store: Store, session: str, evidence: Mapping[str, str]) -> None:
    """Mark memories as used by a session, inside an open transaction.

    Args:
        evidence: the words that show it, by the memory's id.
    """
    for memory, words in evidence.items():
        store.execute(
            "UPDATE receipt SET used = 1, evidence = ? WHERE session = ? AND memory = ?",
            (store.clean(words), store.clean(session), memory),
        )


def note_unused(store: Store, session: str, memories: Iterable[str]) -> None:
    """Mark memories as not used by a session, inside an open transaction."""
    for memory in memories:
        store.execute(
            "UPDATE receipt SET used = 0, evidence = '' WHERE session = ? AND memory = ?",
            (store.clean(session), memory),
        )


def note_unknowable(store: Store, session: str, why: str) -> None:
    """Write `why` to what a session was given whose use is not known, inside a transaction."""
    store.execute(
        "UPDATE receipt SET evidence = ? WHERE session = ? AND used IS NULL",
        (why, store.clean(session)),
    )


_COLUMNS = (
    "number",
    "time",
    "event",
    "session",
    "transcript",
    "extractor",
    "bytes_read",
    "candidates",
    "stored",
    "suggested",
    "merged",
    "refused",
    "tokens",
    "cost",
    "seconds",
    "error",
)

_FAILED = (
    "SELECT l.session, l.error, max(l.number) FROM (SELECT max(number) AS number FROM ledger "
    "WHERE time >= ? AND transcript <> '' AND extractor <> '' "
    "GROUP BY transcript, extractor = 'rules') "
    "last JOIN ledger l ON l.number = last.number WHERE l.error <> '' "
    "GROUP BY l.transcript ORDER BY max(l.number) DESC"
)
"""Session, error and number of the last failure of each transcript whose last capture since a
moment failed, by the rules or by a model; the newest first."""


_WAITS = (
    "extractor = '' AND transcript <> '' AND NOT EXISTS (SELECT 1 FROM ledger c "
    "WHERE c.session = l.session AND c.extractor <> '' AND c.error = '' AND c.time >= l.time - 1)"
)
"""Whether a row is a hook's report of a session that was not read since."""


class Failure(NamedTuple):
    """A capture that failed."""

    session: str
    error: str


def record(store: Store, entry: LedgerEntry) -> None:
    """Write `entry` (its number is given by the store), inside an open transaction or alone."""
    from cortex_core.store.models import LedgerTable

    row = {name: getattr(entry, name) for name in _COLUMNS if name != "number"}
    row["refused"] = rows.dumps(dict(entry.refused))
    LedgerTable.insert(store.filtered("ledger", row)).execute(store.database)


def entries(store: Store, limit: int, where: str = "1") -> list[LedgerEntry]:
    """The newest rows, newest first."""
    columns = (*_COLUMNS, "waits")
    found = store.rows(
        f"SELECT {', '.join(_COLUMNS)}, {_WAITS} FROM ledger l WHERE {where} "
        "ORDER BY number DESC LIMIT ?",
        (limit,),
    )
    return [_entry(dict(zip(columns, values, strict=True))) for values in found]


def captures(store: Store, limit: int) -> list[LedgerEntry]:
    """The newest captures that kept or suggested something."""
    return entries(store, limit, "extractor <> '' AND error = '' AND stored + suggested > 0")


def failures(store: Store, since: float) -> int:
    """Transcripts whose last capture since that moment failed, by the rules or by a model."""
    return len(failed(store, since))


def failed(store: Reader, since: float) -> list[Failure]:
    """The last failure of each of these transcripts, the newest first."""
    return [Failure(row["session"], row["error"]) for row in store.rows(_FAILED, (since,))]


def last_capture(store: Reader) -> float | None:
    """The moment of the newest successful capture."""
    found: float | None = store.value(
        "SELECT max(time) FROM ledger WHERE extractor <> '' AND error = ''"
    )
    return found


def newest_number(store: Reader) -> int:
    """The number of the newest row; 0 where there is none."""
    return store.value("SELECT max(number) FROM ledger") or 0


def fruitful_since(store: Reader, number: int) -> int:
    """How many captures after the row `number` stored something."""
    asked = "SELECT count(*) FROM ledger WHERE number > ? AND extractor <> '' AND stored > 0"
    return int(store.value(asked, (number,)))


def sessions(store: Store, since: float) -> tuple[set[str], set[str]]:
    """The sessions that were heard of since that moment, and those that were read."""
    found = store.rows(
        "SELECT session, max(extractor <> '' AND error = '') FROM ledger "
        "WHERE time >= ? AND session <> '' GROUP BY session",
        (since,),
    )
    return {name for name, _ in found}, {name for name, read in found if read}


def heard(store: Store) -> bool:
    """Whether a hook has ever reported to this store. The names of its events alone are
    capitalised."""
    return bool(
        store.value(
            "SELECT EXISTS (SELECT 1 FROM ledger WHERE event GLOB '[A-Z]*') "
            "OR EXISTS (SELECT 1 FROM receipt)"
        )
    )


def cost(store: Store, since: float) -> float:
    """US dollars that captures since that moment have cost."""
    rows = store.rows("SELECT coalesce(sum(cost), 0.0) FROM ledger WHERE time >= ?", (since,))
    return float(rows[0][0])


def _entry(row: rows.Row) -> LedgerEntry:
    values = {**row, "refused": json.loads(row["refused"]), "waits": bool(row["waits"])}
    return LedgerEntry(**values)


def receipts(
    store: Store, *, session: str = "", memory: str = "", limit: int = 1000
) -> list[Receipt]:
    """What was given to Claude, newest first; in one session or of one memory where one is named.

    What was given at one moment is in the order in which it was given.

    Args:
        session: the beginning of its id.
        limit: most receipts; -1 for all.
    """
    named = {"substr(session, 1, length(?1)) = ?1": session, "memory = ?": memory}
    wanted = {condition: value for condition, value in named.items() if value}
    where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
    found = store.rows(
        "SELECT session, event, memory, time, tokens, used, evidence FROM receipt "
        f"{where} ORDER BY time DESC, id LIMIT ?",
        (*wanted.values(), limit),
    )
    return [
        Receipt(
            session=session,
            event=event,
            memory=memory,
            time=time,
            tokens=tokens,
            used=None if used is None else bool(used),
            evidence=evidence,
        )
        for session, event, memory, time, tokens, used, evidence in found
    ]

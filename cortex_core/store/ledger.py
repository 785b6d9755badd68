"""The ledger: one row a hook event and a capture; what capture health and replay read."""

import json

from cortex_core.base import agent_names
from cortex_core.records.captures import LedgerEntry
from cortex_core.store import rows
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store

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


def record(store: Store, entry: LedgerEntry) -> None:
    """Write `entry` (its number is given by the store), inside an open transaction or alone."""
    from cortex_core.store.table_models import LedgerTable

    row = {name: getattr(entry, name) for name in _COLUMNS if name != "number"}
    row["refused"] = rows.dumps(dict(entry.refused))
    LedgerTable.insert(store.filtered("ledger", row)).execute(store.database)


def entries(store: Store, limit: int, agent: str | None = None) -> list[LedgerEntry]:
    """The newest rows, newest first; of one agent where it is named."""
    return _entries(store, limit, agent_names.condition("transcript", agent) if agent else "1")


def _entries(store: Store, limit: int, where: str) -> list[LedgerEntry]:
    found = store.rows(
        f"SELECT {', '.join(_COLUMNS)}, {_WAITS} AS waits FROM ledger l WHERE {where} "
        "ORDER BY number DESC LIMIT ?",
        (limit,),
    )
    return [
        LedgerEntry(**{**row, "refused": json.loads(row["refused"]), "waits": bool(row["waits"])})
        for row in map(dict, found)
    ]


def captures(store: Store, limit: int) -> list[LedgerEntry]:
    """The newest captures that kept or suggested something."""
    return _entries(store, limit, "extractor <> '' AND error = '' AND stored + suggested > 0")


def reported(store: Reader) -> set[str]:
    """The sessions in which hooks have reported an event."""
    return set(store.column("SELECT DISTINCT session FROM ledger WHERE extractor = ''"))


def failed(store: Reader, since: float) -> list[tuple[str, str]]:
    """Session and error of the last failure of each of these transcripts, the newest first."""
    return [(row["session"], row["error"]) for row in store.rows(_FAILED, (since,))]


def last_capture(store: Reader) -> float | None:
    """The moment of the newest successful capture."""
    return store.value("SELECT max(time) FROM ledger WHERE extractor <> '' AND error = ''") or None


def newest_number(store: Reader) -> int:
    """The number of the newest row; 0 where there is none."""
    return store.value("SELECT max(number) FROM ledger") or 0


def fruitful_since(store: Reader, number: int) -> int:
    """How many captures after the row `number` stored something."""
    return int(
        store.value(
            "SELECT count(*) FROM ledger WHERE number > ? AND extractor <> '' AND stored > 0",
            (number,),
        )
    )


def sessions(store: Store, since: float) -> tuple[set[str], set[str]]:
    """The sessions that were heard of since that moment, and those that were read."""
    found = store.rows(
        "SELECT session, max(extractor <> '' AND error = '') FROM ledger "
        "WHERE time >= ? AND session <> '' GROUP BY session",
        (since,),
    )
    return {name for name, _ in found}, {name for name, read in found if read}


def has_hook_reports(store: Store) -> bool:
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
    return float(
        store.value("SELECT coalesce(sum(cost), 0.0) FROM ledger WHERE time >= ?", (since,))
    )

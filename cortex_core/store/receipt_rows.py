"""Receipts: which memories each session was given, and whether it used them."""

from collections.abc import Iterable, Mapping
from typing import Any

from cortex_core.base import agent_names
from cortex_core.records.surfaces import Receipt
from cortex_core.store.reader import Reader, marks, parts
from cortex_core.store.store import Store


def of_sessions(store: Reader, sessions: Iterable[str]) -> list[Receipt]:
    """What these sessions were given."""
    return [
        receipt
        for part in parts(sorted(set(sessions)))
        for receipt in _selected(store, f"WHERE session IN ({marks(part)})", *part)
    ]


def counted(
    store: Reader, memories: Iterable[str], since: float, span: float
) -> list[tuple[str, int, int]]:
    """Memory, number of the span of so many seconds, and how many sessions were given it then."""
    return [
        (memory, number, sessions)
        for part in parts(sorted(set(memories)))
        for memory, number, sessions in store.rows(
            "SELECT memory, CAST((time - ?) / ? AS INTEGER), count(DISTINCT session) FROM receipt "
            f"WHERE memory IN ({marks(part)}) AND time >= ? GROUP BY 1, 2",
            (since, span, *part, since),
        )
    ]


def add(store: Store, given: Iterable[Receipt]) -> None:
    """Note what was given and in how many tokens, inside an open transaction."""
    for one in given:
        store.execute(
            "INSERT INTO receipt (session, event, memory, time, tokens, evidence) "
            "VALUES (?, ?, ?, ?, ?, '')",
            (store.clean(one.session), store.clean(one.event), one.memory, one.time, one.tokens),
        )


def unknown_use(store: Store, session: str) -> dict[str, float]:
    """The memories that a session was given and is not known to have used, and since when."""
    return store.pairs(
        "SELECT memory, min(time) AS first FROM receipt WHERE session = ? GROUP BY memory "
        "HAVING coalesce(max(used), 0) = 0",
        (store.clean(session),),
    )


def note_use(store: Store, session: str, evidence: Mapping[str, str]) -> None:
    """Mark memories as used by a session or as not used, inside an open transaction.

    Args:
        evidence: the words that show the use, by the memory's id; empty: it was not used.
    """
    for memory, words in evidence.items():
        store.execute(
            "UPDATE receipt SET used = ?, evidence = ? WHERE session = ? AND memory = ?",
            (bool(words), store.clean(words), store.clean(session), memory),
        )


def note_unknowable(store: Store, session: str, why: str) -> None:
    """Write `why` to what a session was given whose use is not known, inside a transaction."""
    store.execute(
        "UPDATE receipt SET evidence = ? WHERE session = ? AND used IS NULL",
        (why, store.clean(session)),
    )


def listed(
    store: Store, *, session: str = "", memory: str = "", limit: int = 1000
) -> list[Receipt]:
    """What was given to Claude, newest first; in one session or of one memory where one is named.

    What was given at one moment is in the order in which it was given.

    Args:
        session: the beginning of its id.
        limit: most receipts; -1 for all.
    """
    # Users name a session by the beginning of its id.
    named = {"instr(session, ?) = 1": session, "memory = ?": memory}
    wanted = {condition: value for condition, value in named.items() if value}
    where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
    return _selected(store, f"{where} ORDER BY time DESC, id LIMIT ?", *wanted.values(), limit)


def _selected(store: Reader, tail: str, *values: Any) -> list[Receipt]:
    return [
        Receipt(
            session=session,
            event=event,
            memory=memory,
            time=time,
            tokens=tokens,
            used=None if used is None else bool(used),
            evidence=evidence,
            agent=agent_names.of_key(transcript or ""),
        )
        for session, event, memory, time, tokens, used, evidence, transcript in store.rows(
            "SELECT session, event, memory, time, tokens, used, evidence, (SELECT transcript "
            f"FROM cursor WHERE cursor.session = receipt.session LIMIT 1) FROM receipt {tail}",
            values,
        )
    ]

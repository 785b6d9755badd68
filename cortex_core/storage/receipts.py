"""What sessions were given, as the store keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.storage.reader import Reader, marks

if TYPE_CHECKING:
    from cortex_core.storage.store import Store


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
            (*handed, tokens),
        )


def unknown_use(store: Reader, session: str) -> dict[str, float]:
    """The memories that a session was given and may have used, and when it was first given each."""
    found = store.rows(
        "SELECT memory, min(time) AS first FROM receipt WHERE session = ? GROUP BY memory "
        "HAVING count(used) = 0",
        (session,),
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
            (words, session, memory),
        )

"""Which memories were learned in a session, and from which of its messages."""

from __future__ import annotations

from collections.abc import Sequence

from cortex_core.store.reader import Reader, marks, parts

_KEPT = "m.status NOT IN ('pruned')"


def counts(reader: Reader, sessions: Sequence[str]) -> dict[str, int]:
    """How many memories were learned in each of `sessions`; sessions without any are left out."""
    found: dict[str, int] = {}
    for part in parts(sessions):
        rows = reader.rows(
            "SELECT s.session, count(DISTINCT s.memory) FROM source s JOIN memory m "
            f"ON m.id = s.memory WHERE {_KEPT} AND s.session IN ({marks(part)}) GROUP BY s.session",
            part,
        )
        found.update((session, number) for session, number in rows)
    return found


def by_message(reader: Reader, session: str) -> list[tuple[str, str]]:
    """The id of each memory that was learned in a session, and the uuid of the message it came
    from."""
    rows = reader.rows(
        "SELECT s.memory, s.message FROM source s JOIN memory m ON m.id = s.memory "
        f"WHERE {_KEPT} AND s.session = ? AND s.message <> '' ORDER BY m.number",
        (session,),
    )
    return [(memory, message) for memory, message in rows]

"""What came up in sessions and counts only over several of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.store.reader import Reader

if TYPE_CHECKING:
    from cortex_core.records.events import Observation
    from cortex_core.store.store import Store


def add(store: Store, observations: Iterable[Observation]) -> None:
    """Add up what a part of a session adds to the counts, inside an open transaction."""
    names = ("key", "session", "text", "message", "branch")
    for each in observations:
        own = store.filtered("observation", {name: getattr(each, name) for name in names})
        store.execute(
            "INSERT INTO observation (topic, key, session, succeeded, failed, text, message, "
            '"offset", time, branch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) '
            "ON CONFLICT (topic, key, session) DO UPDATE SET "
            "succeeded = succeeded + excluded.succeeded, failed = failed + excluded.failed, "
            'text = excluded.text, message = excluded.message, "offset" = excluded."offset", '
            "time = excluded.time, branch = excluded.branch",
            (
                each.topic,
                own["key"],
                own["session"],
                each.succeeded,
                not each.succeeded,
                own["text"],
                own["message"],
                each.offset,
                each.time,
                own["branch"],
            ),
        )


class Observed(NamedTuple):
    """How often something came up in one session, and its newest form."""

    topic: str
    key: str
    session: str
    succeeded: int
    failed: int
    text: str
    message: str
    offset: int
    time: float | None
    branch: str


SAID = "topic IN ('correction', 'instruction') AND time IS NOT NULL"
"""The SQL condition for what users corrected and stated as rules."""


def said(store: Reader) -> list[Observed]:
    """What users corrected and stated as rules, the oldest first."""
    return _selected(store, SAID)


def newest(store: Reader, topic: str, sessions: int) -> list[Observed]:
    """What came up in the newest sessions of a store, at most so many, the oldest first."""
    newest = "SELECT session FROM observation GROUP BY session ORDER BY max(time) DESC, 1 LIMIT ?"
    return _selected(store, f"topic = ? AND session IN ({newest})", topic, sessions)


def _selected(store: Reader, where: str, *values: object) -> list[Observed]:
    found = store.rows(
        'SELECT topic, key, session, succeeded, failed, text, message, "offset", time, branch '
        f"FROM observation WHERE {where} ORDER BY time, session, key",
        values,
    )
    return [Observed(*row) for row in found]

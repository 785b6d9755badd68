"""What came up in sessions and counts only over several of them."""

from collections.abc import Iterable
from typing import NamedTuple

from cortex_core.records.events import Observation
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store


def add(store: Store, observations: Iterable[Observation]) -> None:
    """Add up what a part of a session adds to the counts, inside an open transaction."""
    names = ("key", "session", "text", "message", "branch")
    known = "SELECT 1 FROM observation WHERE topic = 'dead end' AND key = ?"
    for each in observations:
        own = store.filtered("observation", {name: getattr(each, name) for name in names})
        # That a way works says something only of one that failed before.
        if each.topic == "dead end" and each.succeeded and not store.value(known, (own["key"],)):
            continue
        store.execute(
            "INSERT INTO observation (topic, key, session, succeeded, failed, text, message, "
            '"offset", time, branch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) '
            "ON CONFLICT (topic, key, session) DO UPDATE SET "
            "succeeded = succeeded + excluded.succeeded, failed = failed + excluded.failed, "
            'text = excluded.text, message = excluded.message, "offset" = excluded."offset", '
            "time = excluded.time, branch = excluded.branch, vector = NULL",
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
    vector: bytes = b""
    """Of what the user said; empty until the worker has made it."""


_SAID = "topic IN ('order', 'correction', 'instruction') AND time IS NOT NULL"


def said(store: Reader) -> list[Observed]:
    """What the user ordered, corrected and stated as rules, the oldest first."""
    return _selected(store, _SAID)


def without_vector(store: Reader) -> list[tuple[int, str]]:
    """The row numbers and texts of what the user said that has no vector yet."""
    return [
        (row[0], row[1])
        for row in store.rows(
            f"SELECT rowid, text FROM observation WHERE vector IS NULL AND {_SAID}"
        )
    ]


def save_vectors(store: Store, vectors: Iterable[tuple[int, bytes]]) -> None:
    """Save vectors by row number, inside an open transaction."""
    for number, vector in vectors:
        store.execute("UPDATE observation SET vector = ? WHERE rowid = ?", (vector, number))


def newest(store: Reader, topic: str, sessions: int) -> list[Observed]:
    """What came up in the newest sessions of a store, at most so many, the oldest first."""
    newest = "SELECT session FROM observation GROUP BY session ORDER BY max(time) DESC, 1 LIMIT ?"
    return _selected(store, f"topic = ? AND session IN ({newest})", topic, sessions)


def _selected(store: Reader, where: str, *values: object) -> list[Observed]:
    found = store.rows(
        'SELECT topic, key, session, succeeded, failed, text, message, "offset", time, branch, '
        f"coalesce(vector, x'') FROM observation WHERE {where} ORDER BY time, session, key",
        values,
    )
    return [Observed(*row) for row in found]

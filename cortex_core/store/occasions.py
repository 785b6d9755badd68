"""The record of keeping: at which calls of past sessions a rule was kept or broken.

It is worked out of transcripts and can be worked out again, so it is no part of the journal. How
far it goes is kept too: each rule has a number, and each transcript the newest number it was read
for.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from cortex_core.store import rows
from cortex_core.store.reader import Reader, marks
from cortex_core.store.store import Store

_RULE, _READ = "kept rule ", "kept session "
"""How the keys of the notes begin: before a memory's id, and before a transcript's path."""


class NotedOccasion(NamedTuple):
    """One occasion, as the store keeps it."""

    memory: str
    use: int
    """63 bits of the hash of the call's id: a fork of a session repeats its calls."""
    session: str
    time: float
    turn: int
    message: str
    offset: int
    transcript: str
    call: str
    kept: bool


Extent = tuple[int, int]
"""How far a transcript was read for the record: bytes of it and its sub-agents' transcripts then,
and the newest rule that was looked for."""


def transcripts(store: Reader) -> list[tuple[str, bool]]:
    """The transcripts that capture has read, the newest first, and whether the session ended."""
    return [
        (row["transcript"], bool(row["final"]))
        for row in store.rows("SELECT transcript, final FROM cursor ORDER BY updated DESC")
    ]


def extents(store: Reader) -> dict[str, Extent]:
    """By transcript, how far it was read for the record."""
    return {
        key.removeprefix(_READ): (int(value.split()[0]), int(value.split()[1]))
        for key, value in store.metas(_READ).items()
    }


def numbered(store: Reader) -> dict[str, tuple[int, str]]:
    """The rules that were looked for, by memory: the number of each, and the hash of what was
    looked for."""
    found: dict[str, tuple[int, str]] = {}
    for key, value in store.metas(_RULE).items():
        number, hashed, *_ = value.split(" ")
        found[key.removeprefix(_RULE)] = int(number), hashed
    return found


def number_rules(store: Store, rules: Mapping[str, str]) -> dict[str, int]:
    """Give each rule that is new or has changed the next number; the numbers of all.

    What was recorded of a changed rule goes.

    Args:
        rules: by memory, the hash of what is looked for.
    """
    known = numbered(store)
    highest = max((number for number, _ in known.values()), default=0)
    fresh = [id for id, hashed in rules.items() if id not in known or known[id][1] != hashed]
    gone = [id for id in known if id not in rules]
    if fresh or gone:
        with store.write():
            for number, id in enumerate(fresh, highest + 1):
                known[id] = number, rules[id]
                store.set_meta(f"{_RULE}{id}", f"{number} {rules[id]}")
            for id in gone:
                store.drop_meta(f"{_RULE}{id}")
            forget(store, [*fresh, *gone])
    return {id: known[id][0] for id in rules}


def forget(store: Store, memories: Sequence[str]) -> None:
    """Remove what was recorded of these memories, inside an open transaction."""
    store.execute(
        "DELETE FROM occasion WHERE memory IN (SELECT value FROM json_each(?))",
        (rows.dumps(list(memories)),),
    )


def rerecord(
    store: Store,
    path: str,
    files: Iterable[str],
    memories: Sequence[str],
    noted: Iterable[NotedOccasion],
    extent: Extent,
) -> None:
    """Record what a session shows of these memories in place of what was recorded of them.

    All of it or nothing; done twice, it is the same.

    Args:
        path: the session's transcript, as the store keeps it.
        files: the transcript and those of its sub-agents.
    """
    with store.write():
        # What was recorded of these memories goes first, so that doing it twice changes nothing.
        for file in files:
            store.execute(
                "DELETE FROM occasion WHERE transcript = ? AND memory IN "
                "(SELECT value FROM json_each(?))",
                (store.clean(file), rows.dumps(list(memories))),
            )
        for one in noted:
            row = store.filtered("occasion", one._asdict())
            store.execute(
                f"INSERT OR IGNORE INTO occasion ({', '.join(_COLUMNS)}) "
                f"VALUES ({marks(NotedOccasion._fields)})",
                tuple(row[name] for name in NotedOccasion._fields),
            )
        store.set_meta(f"{_READ}{path}", f"{extent[0]} {extent[1]}")


_COLUMNS = tuple(f'"{name}"' for name in NotedOccasion._fields)


def tallies(store: Reader, since: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """How often each of these memories was kept and broken, as `RuleKept` has it.

    Args:
        since: by memory, from when on it is a rule, Unix seconds.
    """
    asked = (
        "SELECT count(CASE WHEN kept AND time >= start THEN 1 END) AS kept, "
        "count(CASE WHEN NOT kept AND time >= start THEN 1 END) AS broken, "
        "count(CASE WHEN kept AND time < start THEN 1 END) AS kept_before, "
        "count(CASE WHEN NOT kept AND time < start THEN 1 END) AS broken_before, "
        "max(CASE WHEN NOT kept AND time >= start THEN time END) AS last_breach "
        "FROM (SELECT ? AS start), occasion WHERE memory = ?"
    )
    return {id: dict(store.rows(asked, (moment, id))[0]) for id, moment in since.items()}


def breaches(store: Reader, memory: str, limit: int) -> list[NotedOccasion]:
    """The calls that broke a rule, the newest first."""
    found = store.rows(
        f"SELECT {', '.join(_COLUMNS)} FROM occasion WHERE memory = ? AND NOT kept "
        'ORDER BY time DESC, "offset" DESC LIMIT ?',
        (memory, limit),
    )
    return [NotedOccasion(*row)._replace(kept=False) for row in found]


_REWORDED = """
SELECT r.memory, max(j.time) AS time FROM journal_row r JOIN journal j ON j.number = r.entry
WHERE r."table" = 'memory' AND r.before IS NOT NULL AND r.after IS NOT NULL
AND j.undone_by IS NULL AND j.verb NOT IN ('undo', 'redo')
AND r.memory IN (SELECT value FROM json_each(?))
AND json_extract(r.before, '$.triggers') IS NOT NULL
AND json_extract(r.before, '$.content') IS NOT NULL GROUP BY r.memory
"""


def reworded(store: Reader, memories: Sequence[str]) -> dict[str, float]:
    """When the words of these memories last changed so that they are about other calls."""
    return store.pairs(_REWORDED, (rows.dumps(list(memories)),))


def kept_after_injection(store: Reader, since: float) -> list[float]:
    """When rules were kept since that moment, in sessions into which they had been injected."""
    return store.column(
        "SELECT o.time FROM occasion o WHERE o.kept = 1 AND o.time >= ? AND EXISTS (SELECT 1 "
        "FROM receipt r WHERE r.session = o.session AND r.memory = o.memory AND r.time <= o.time)",
        (since,),
    )

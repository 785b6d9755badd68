"""What the memories of a store name of their project, as the store keeps it.

Bookkeeping that can be found again: it is in no journal. That a memory is out of date is a field of
the memory, and a change like others.
"""

from collections.abc import Iterable, Sequence

from cortex_core.records.project_code import Anchor
from cortex_core.store.reader import Reader, marks, parts
from cortex_core.store.store import Store

UNNAMED = "none"
"""The kind of the row that says that a memory was looked at and names nothing."""

_COLUMNS = (
    "memory",
    "kind",
    "name",
    "key",
    "value",
    "path",
    "line",
    "commit",
    "state",
    "since",
    "now",
)
_NAMES = ", ".join(f'"{column}"' for column in _COLUMNS)
_LIST = ", ".join(f'anchor."{column}"' for column in _COLUMNS)

_IN_FORCE = "m.status IN ('active', 'suggested')"


def not_searched(store: Reader, but_kinds: Sequence[str]) -> list[str]:
    """The ids of memories whose present text nobody has searched for names, but for these kinds."""
    return store.column(
        f"SELECT m.id FROM memory m WHERE {_IN_FORCE} AND m.kind NOT IN ({marks(but_kinds)}) "
        "AND NOT EXISTS (SELECT 1 FROM anchor a WHERE a.memory = m.id "
        "AND a.content_hash = m.content_hash)",
        tuple(but_kinds),
    )


def of_memories_in_force(store: Reader) -> list[Anchor]:
    """The anchors of active and suggested memories, by memory."""
    found = store.rows(
        f"SELECT {_LIST} FROM anchor JOIN memory m ON m.id = anchor.memory "
        f"WHERE anchor.kind <> ? AND {_IN_FORCE} ORDER BY m.number, anchor.rowid",
        (UNNAMED,),
    )
    return [Anchor(**dict(row)) for row in found]


def of(store: Reader, names: Sequence[str]) -> list[Anchor]:
    """The anchors of these memories."""
    return [
        Anchor(**dict(row))
        for part in parts(names)
        for row in store.rows(
            f"SELECT {_LIST} FROM anchor WHERE memory IN ({marks(part)}) AND kind <> ? "
            "ORDER BY rowid",
            (*part, UNNAMED),
        )
    ]


def replace(store: Store, memory: str, content_hash: str, found: Iterable[Anchor]) -> None:
    """Keep these anchors and no others of a memory with this text, inside an open transaction."""
    store.execute("DELETE FROM anchor WHERE memory = ?", (memory,))
    nothing = Anchor(memory=memory, kind="file", name="", key="")
    listed = list(found)
    for each in listed or [nothing]:
        row = store.filtered("anchor", {name: getattr(each, name) for name in _COLUMNS})
        kind = row["kind"] if listed else UNNAMED
        store.execute(
            f"INSERT OR IGNORE INTO anchor ({_NAMES}, content_hash) VALUES ({marks(_COLUMNS)}, ?)",
            (*({**row, "kind": kind}[name] for name in _COLUMNS), content_hash),
        )


def update(store: Store, found: Iterable[Anchor]) -> None:
    """Write what has become of anchors, inside an open transaction."""
    changing = ("path", "line", "commit", "state", "since", "now")
    sets = ", ".join(f'"{name}" = ?' for name in changing)
    for each in found:
        row = store.filtered("anchor", {name: getattr(each, name) for name in changing})
        store.execute(
            f"UPDATE anchor SET {sets} WHERE memory = ? AND kind = ? AND name = ?",
            (*(row[name] for name in changing), each.memory, each.kind, each.name),
        )


def corrections(store: Reader, rule: str) -> list[tuple[str, str, str, str]]:
    """The corrections that wait for a verdict or were decided against.

    Each is the suggestion with the value that a file states now, the memory that says the old one,
    the status of the proposal to supersede it, and what makes that memory out of date.

    Args:
        rule: the one that wrote them.
    """
    found = store.rows(
        "SELECT s.id, m.id, p.status, m.outdated FROM memory s "
        "JOIN proposal p ON json_extract(p.members, '$[0]') = s.id "
        "JOIN memory m ON m.id = json_extract(p.members, '$[1]') "
        "WHERE s.rule = ? AND s.status = 'suggested'",
        (rule,),
    )
    return [tuple(row) for row in found]


def forget_orphans(store: Store) -> None:
    """Drop the rows of memories that are gone, inside an open transaction."""
    store.execute("DELETE FROM anchor WHERE memory NOT IN (SELECT id FROM memory)")


def outdated(store: Reader) -> dict[str, str]:
    """By id, what is said of the memories that are out of date."""
    return store.pairs("SELECT id, outdated FROM memory WHERE outdated <> ''")

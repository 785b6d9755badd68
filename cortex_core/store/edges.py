"""The edges of a store: links between two of its memories.

The graph of a store: neighbours of a memory, and edges drawn by similarity.
"""

from collections.abc import Iterable
from sqlite3 import Row

from cortex_core.records.memory import Edge, Neighbour
from cortex_core.store import rows
from cortex_core.store.journal import Change
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store

_COLUMNS = ", ".join(rows.EDGE_COLUMNS)
_THESE = "(SELECT value FROM json_each(?))"


def touching(store: Reader, names: Iterable[str]) -> list[Edge]:
    """The edges that lead to or from any of the memories called `names`, strongest first."""
    ids = rows.dumps(list(names))
    return _selected(
        store,
        f"WHERE source IN {_THESE} OR target IN {_THESE} ORDER BY strength DESC, id",
        ids,
        ids,
    )


def among(store: Reader, names: Iterable[str]) -> list[Edge]:
    """The edges between two of the memories called `names`."""
    ids = rows.dumps(list(names))
    return _selected(store, f"WHERE source IN {_THESE} AND target IN {_THESE}", ids, ids)


def every(store: Reader) -> list[Edge]:
    """All edges of the store, in the order in which they were drawn."""
    return _selected(store, "ORDER BY id")


def _selected(store: Reader, tail: str, *values: str) -> list[Edge]:
    return [
        rows.to_edge(each) for each in store.rows(f"SELECT {_COLUMNS} FROM edge {tail}", values)
    ]


def numbered(store: Reader, sources: Iterable[str]) -> dict[tuple[str, str, str], tuple[int, Edge]]:
    """The edges that lead away from `sources`, with their numbers, by source, target and type."""
    found = store.rows(
        f"SELECT id, {_COLUMNS} FROM edge WHERE source IN {_THESE}", (rows.dumps(list(sources)),)
    )
    drawn = ((number, rows.to_edge(values)) for number, *values in found)
    return {(edge.source, edge.target, edge.type): (number, edge) for number, edge in drawn}


def between(store: Reader, source: str, target: str) -> list[tuple[int, str]]:
    """Row number and type of the links that lead from one memory to another."""
    asked = "SELECT id, type FROM edge WHERE source = ? AND target = ?"
    return [(row["id"], row["type"]) for row in store.rows(asked, (source, target))]


def code_of(store: Reader, descriptions: Iterable[str], kind: str) -> list[str]:
    """The ids of the memories of `kind` that hold what these descriptions describe."""
    return store.column(
        "SELECT e.target FROM edge e JOIN memory m ON m.id = e.target WHERE m.kind = ? "
        "AND e.type = 'source_of' AND e.source IN (SELECT value FROM json_each(?))",
        (kind, rows.dumps(list(descriptions))),
    )


def untyped(store: Reader, after: int, but_kind: str, limit: int) -> list[Row]:
    """The next links after the row number `after` that nobody has given a type or a reason yet:
    number, source, target, and title and content of both.

    Args:
        but_kind: the kind of memory whose links do not count.
    """
    return store.rows(
        "SELECT e.id, e.source, e.target, a.title, a.content, b.title, b.content FROM edge e "
        "JOIN memory a ON a.id = e.source JOIN memory b ON b.id = e.target "
        "WHERE e.id > ? AND e.type = 'relates_to' AND e.context = '' "
        "AND a.status = 'active' AND b.status = 'active' AND a.kind <> ? AND b.kind <> ? "
        "ORDER BY e.id LIMIT ?",
        (after, but_kind, but_kind, limit),
    )


def is_untyped(store: Reader, number: int, source: str, target: str) -> bool:
    """Whether this link is still there as it was drawn."""
    return bool(
        store.rows(
            "SELECT 1 FROM edge WHERE id = ? AND source = ? AND target = ? "
            "AND type = 'relates_to' AND context = ''",
            (number, source, target),
        )
    )


DEEPEST = 4
"""Steps a walk may take."""


def links(store: Store, name: str) -> list[Neighbour]:
    """Every edge of one memory with the memory at its other end, strongest first.

    Two memories may be linked more than once, in either direction; each edge is listed.
    """
    found = touching(store, [name])
    ends = {edge.target if edge.source == name else edge.source for edge in found}
    there = {memory.id: memory for memory in store.memories(sorted(ends))}
    return [
        Neighbour(memory=there[other], edge=edge, depth=1, outgoing=edge.source == name)
        for edge in found
        if (other := edge.target if edge.source == name else edge.source) in there
    ]


def neighbours(store: Store, name: str, depth: int = 1) -> list[Neighbour]:
    """The memories reached from `name` in at most `depth` steps, nearest and strongest first.

    Each is listed once, with the edge by which it was first reached.
    """
    reached: dict[str, tuple[Edge, int, bool]] = {}
    frontier = {name}
    for step in range(1, min(depth, DEEPEST) + 1):
        following: set[str] = set()
        for edge in touching(store, frontier):
            outgoing = edge.source in frontier
            other = edge.target if outgoing else edge.source
            if other != name and other not in reached:
                reached[other] = (edge, step, outgoing)
                following.add(other)
        frontier = following
    found = {memory.id: memory for memory in store.memories(list(reached))}
    return [
        Neighbour(memory=found[other], edge=edge, depth=step, outgoing=outgoing)
        for other, (edge, step, outgoing) in reached.items()
        if other in found
    ]


def connect(store: Store, change: Change, name: str, near: Iterable[tuple[str, float]]) -> int:
    """Draw a `relates_to` edge from `name` to each memory of `near` (id, strength 0 to 1) that it
    has no edge with yet; how many were drawn."""
    known = {end for edge in touching(store, [name]) for end in (edge.source, edge.target)}
    drawn = 0
    for other, strength in near:
        if other != name and other not in known:
            change.insert(
                "edge",
                {
                    "source": name,
                    "target": other,
                    "type": "relates_to",
                    "strength": max(0.0, min(strength, 1.0)),
                    "directed": False,
                    "created": change.time,
                },
            )
            drawn += 1
    return drawn

"""The graph of a store: neighbours of a memory, and edges drawn by similarity."""

from __future__ import annotations

from collections.abc import Iterable

from cortex_core.store import edges as stored_edges
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.types import Edge, Neighbour

DEEPEST = 4
"""Steps a walk may take."""


def edges(store: Store, name: str) -> tuple[Edge, ...]:
    """The edges of one memory, strongest first."""
    return tuple(stored_edges.touching(store, [name]))


def links(store: Store, name: str) -> list[Neighbour]:
    """Every edge of one memory with the memory at its other end, strongest first.

    Two memories may be linked more than once, in either direction; each edge is listed.
    """
    found = edges(store, name)
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
        for edge in stored_edges.touching(store, frontier):
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
    known = {end for edge in edges(store, name) for end in (edge.source, edge.target)}
    drawn = 0
    for other, strength in near:
        if other != name and other not in known:
            change.insert(
                "edge",
                {
                    "source": name, "target": other, "type": "relates_to",
                    "strength": max(0.0, min(strength, 1.0)), "directed": False,
                    "created": change.time,
                },
            )  # fmt: skip
            drawn += 1
    return drawn

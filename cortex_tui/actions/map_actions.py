"""What the map asks of the stores: where memories are, what links them, the way between two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cortex_core.records.memory import Edge, EdgeType, Key, Memory
from cortex_tui.queries import Done, ListQuery, Revision
from cortex_tui.session import StoreSession

MOST_PLACED = 10_000
"""Memories on a map at most, the newest."""

MapLink = tuple[int, int, EdgeType]
"""The numbers of two memories of a map, and how they are linked."""


class MapPoint(NamedTuple):
    """What is drawn of a memory, and its place, both coordinates from 0 to 1."""

    key: Key
    id: str
    title: str
    kind: str
    band: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """Memories in their places, as of one revision."""

    points: Sequence[MapPoint]
    links: Sequence[MapLink]
    revision: Revision


def survey(stores: StoreSession, query: ListQuery) -> MemoryMap:
    """The memories of `query` in their places, and the links among them."""
    stores.check()
    found = stores.find(query)
    outlines, places, edges = stores.cortex.graph.map(found.order[:MOST_PLACED])
    points = [MapPoint(*one, *place) for one, place in zip(outlines, places, strict=True)]
    numbers = {point.id: number for number, point in enumerate(points)}
    links = [
        (numbers[edge.source], numbers[edge.target], edge.type)
        for edge in edges
        if edge.source in numbers and edge.target in numbers
    ]
    return MemoryMap(points, links, found.revision)


def way(links: Sequence[MapLink], begin: int, end: int) -> list[int]:
    """The shortest way over links from one memory to another, both ends included; empty where
    there is none."""
    linked: dict[int, list[int]] = {}
    for first, second, _ in links:
        linked.setdefault(first, []).append(second)
        linked.setdefault(second, []).append(first)
    known = reached = {begin: [begin]}
    while reached and end not in known:
        reached = {
            other: [*before, other]
            for here, before in reached.items()
            for other in linked.get(here, ())
            if other not in known
        }
        known.update(reached)
    return known.get(end, [])


MOST_CANDIDATES = 50
"""Most memories offered for a new link."""


def candidates(stores: StoreSession, words: str, of: Memory) -> list[Memory]:
    """The other memories of the store of `of` that hold `words`, the newest ones when there are
    none."""
    stores.check()
    memories, most = stores.cortex.memories, 2 * MOST_CANDIDATES
    keys = (
        memories.search_ids(words).keys
        if words.strip()
        else memories.index(scope=of.scope, limit=most)
    )
    found = stores.rows([key for key in keys if key[0] == of.scope][:most]).values()
    active = [one for one in found if one.status == "active" and one.id != of.id]
    return active[:MOST_CANDIDATES]


def link(stores: StoreSession, source: Memory, target: Memory, type: EdgeType) -> Done:
    """Draw an edge from `source` to `target`."""
    return stores.note(
        "link",
        lambda cortex: cortex.graph.link(source.id, target.id, type),
        f"Linked: {source.title} {type} {target.title}",
    )


def unlink(stores: StoreSession, edge: Edge) -> Done:
    """Take an edge away."""
    return stores.note(
        "unlink",
        lambda cortex: cortex.graph.unlink(edge.source, edge.target, edge.type, directed=True),
        f"The link {edge.type} is removed",
    )

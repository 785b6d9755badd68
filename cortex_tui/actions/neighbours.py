"""What the neighbours ask of the stores: a memory, and what is linked with it, in some steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.types import Edge, EdgeType, Key, Memory, Neighbour, Scope
from cortex_tui.actions.detail import keys_of
from cortex_tui.queries import Done, Revision
from cortex_tui.session import StoreSession

if TYPE_CHECKING:
    from cortex_core import Cortex

DEEPEST = 3
"""Most steps that are shown."""
FOUND = 50
"""Most memories offered for a new link."""


class Spot(NamedTuple):
    """One neighbour and its position."""

    near: Neighbour
    depth: int
    """Steps from the middle, 1 to `DEEPEST`."""
    last: bool
    """Whether it is the last one of its parent."""
    trail: tuple[bool, ...] = ()
    """Of each spot above it, the nearest last: whether more follow that one."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A memory and what is linked with it, as of one revision."""

    key: Key
    memory: Memory
    incoming: tuple[Spot, ...]
    """Direct neighbours that lead here, each followed by what lies behind it."""
    outgoing: tuple[Spot, ...]
    edges: int
    """Edges of the memory itself."""
    keys: Mapping[str, Key]
    """Store and row number of every neighbour, by its id."""
    depth: int
    revision: Revision

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Every neighbour, the incoming ones first."""
        return self.incoming + self.outgoing


def neighbourhood(stores: StoreSession, key: Key, depth: int, *, afresh: bool = False
                  ) -> Neighbourhood | None:  # fmt: skip
    """The neighbours of the memory behind `key`; None when it is no longer there.

    Args:
        afresh: whether the stores are opened again first.
    """
    if afresh:
        stores.reopen()
    stores.check()
    cortex = stores.cortex
    rows = cortex.memories.rows([key])
    if not rows:
        return None
    revision, name = cortex.workspace.revision(), rows[0].id
    links = cortex.graph.links(name)
    far = (
        [near for near in cortex.graph.neighbours(name, depth) if near.depth > 1]
        if depth > 1
        else []
    )
    return Neighbourhood(
        key=key, memory=rows[0],
        incoming=tuple(spots([near for near in links if not near.outgoing], far)),
        outgoing=tuple(spots([near for near in links if near.outgoing], far)),
        edges=len(links), keys=keys_of(stores, (*links, *far)), depth=depth, revision=revision,
    )  # fmt: skip


def spots(direct: Sequence[Neighbour], far: Iterable[Neighbour]) -> list[Spot]:
    """The direct neighbours in their order, each followed by what was reached through it.

    Contradictions come first. What can be reached through several comes after the first of them.
    """
    behind: dict[str, list[Neighbour]] = {}
    for near in far:
        ends = {near.edge.source, near.edge.target} - {near.memory.id}
        for parent in ends:
            behind.setdefault(parent, []).append(near)
    made: list[Spot] = []

    def walk(found: Sequence[Neighbour], depth: int, trail: tuple[bool, ...]) -> None:
        for index, near in enumerate(found):
            last = index == len(found) - 1
            made.append(Spot(near, depth, last, trail))
            walk(behind.pop(near.memory.id, ()), depth + 1, (*trail, not last))

    walk(sorted(direct, key=lambda near: near.edge.type != "contradicts"), 1, ())
    return made


def candidates(
    stores: StoreSession, words: str, scope: Scope, but: str
) -> list[tuple[Key, Memory]]:
    """The memories of one store that hold `words`, the newest ones when there are none.

    Args:
        but: the id of the memory that is left out.
    """
    stores.check()
    cortex = stores.cortex
    if words.strip():
        keys = cortex.memories.search_ids(words).keys
    else:
        keys = cortex.memories.index(scope=scope, limit=2 * FOUND)
    mine = [key for key in keys if key[0] == scope][: 2 * FOUND]
    found = stores.rows(mine)
    return [
        (key, found[key]) for key in mine
        if key in found and found[key].status == "active" and found[key].id != but
    ][:FOUND]  # fmt: skip


def link(stores: StoreSession, source: Memory, target: Memory, type: EdgeType) -> Done:
    """Draw an edge from `source` to `target`."""
    edge = (source.id, target.id, type)
    sentence = f"Linked: {source.title} {type} {target.title}"

    def task(cortex: Cortex) -> tuple[Memory, ...]:
        cortex.graph.link(*edge)
        return ()

    return stores.change("link", task, sentence)


def unlink(stores: StoreSession, edge: Edge) -> Done:
    """Take an edge away."""
    ends = (edge.source, edge.target, edge.type)
    sentence = f"The link {edge.type} is taken away"

    def task(cortex: Cortex) -> tuple[Memory, ...]:
        cortex.graph.unlink(*ends, directed=True)
        return ()

    return stores.change("unlink", task, sentence)


def retype(stores: StoreSession, edge: Edge, type: EdgeType, *, turned: bool) -> Done:
    """Give an edge another type, and another direction if it is to be turned."""
    sentence = f"The link is {type} now; it was {edge.type}"
    ends = (edge.source, edge.target, type)

    def task(cortex: Cortex) -> tuple[Memory, ...]:
        cortex.graph.retype(*ends, old=edge.type, turned=turned)
        return ()

    return stores.change("retype", task, sentence)

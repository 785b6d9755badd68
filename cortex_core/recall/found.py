"""A memory on its way to being a hit: from the scores of each store to what the graph and the code
add to them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.kinds import CODE
from cortex_core.memory import Memory
from cortex_core.results import Hit

if TYPE_CHECKING:
    from cortex_core.recall.pool import Allowed
    from cortex_core.storage.store import Store

ATTENUATION = 0.5
"""What is left of a hit's score for a neighbour over an edge of full strength, for each step."""

DEPTH = 2
"""Edges that a neighbour may be away."""

Key = tuple[Path, int]
"""A memory's store and row number."""

_LINKS = """
SELECT m.number, o.number, e.strength, e.type
FROM json_each(?) j JOIN memory o ON o.number = j.value
JOIN edge e ON e.source = o.id OR e.target = o.id
JOIN memory m ON m.id = CASE e.source WHEN o.id THEN e.target ELSE e.source END
WHERE m.kind <> ? AND
"""

_CODE = """
SELECT source, target FROM edge WHERE type = 'source_of' AND (source IN (SELECT value FROM
json_each(?1)) OR target IN (SELECT value FROM json_each(?1)))
"""

_PAIRS = """
SELECT members FROM proposal WHERE status = 'open' AND type = 'merge' AND EXISTS (
    SELECT 1 FROM json_each(members) WHERE value IN (SELECT value FROM json_each(?)))
"""


class Found(NamedTuple):
    """A memory and the shares of its score."""

    store: Store
    number: int
    keyword: float
    semantic: float
    graph: float
    why: str = ""

    @property
    def total(self) -> float:
        """The whole score so far."""
        return self.keyword + self.semantic + self.graph


def with_neighbours(found: Sequence[Found], first: int, allowed: Allowed) -> list[Found]:
    """What was found and, with an attenuated score, what the graph links to the `first` of it.

    A memory that was found by itself is raised to what its neighbour lends it, never lowered.
    """
    best = {(one.store.path, one.number): one for one in found}
    frontier = list(found[:first])
    for _ in range(DEPTH):
        reached = {}
        for key, new in _lent(frontier, allowed):
            known = best.get(key)
            if known is None or known.total < new.graph:
                own = 0.0 if known is None else known.keyword + known.semantic
                new = (known or new)._replace(graph=new.graph - own, why=new.why)
                best[key] = reached[key] = new
        frontier = list(reached.values())
    return sorted(best.values(), key=lambda one: -one.total)


def _lent(lenders: Sequence[Found], allowed: Allowed) -> Iterator[tuple[Key, Found]]:
    """The direct neighbours of these memories, each with what it is lent in `graph`."""
    for store in {one.store.path: one.store for one in lenders}.values():
        totals = {one.number: one.total for one in lenders if one.store is store}
        rows = store.rows(
            _LINKS + allowed.condition, (json.dumps(list(totals)), CODE, *allowed.values)
        )
        for number, lender, strength, type in rows:
            share = ATTENUATION * strength * totals[lender]
            if share > 0:
                yield (
                    (store.path, number),
                    Found(store, number, 0.0, 0.0, share, f"linked ({type})"),
                )


def better_ones(stores: Sequence[Store], hits: Sequence[Hit]) -> list[Hit]:
    """The hits, and of those that may say the same the better one alone, where the first stood.

    What may say the same an open proposal tells; it names the better memory first.
    """
    named = {hit.memory.id: hit for hit in hits}
    better: dict[str, str] = {}
    for store in stores:
        for (members,) in store.rows(_PAIRS, (json.dumps(list(named)),)):
            first, *others = json.loads(members)
            if first in named:
                better.update(dict.fromkeys(others, first))
    shown = dict.fromkeys(better.get(name, name) for name in named)
    return [named[name] for name in shown]


def with_code(stores: Sequence[Store], hits: Sequence[Hit], *, instead: bool = True) -> list[Hit]:
    """Hits with the code that they describe; code that comes with its prose is no hit itself.

    Args:
        instead: whether code that was found by itself gives its place to its description.
    """
    names = {hit.memory.id for hit in hits}
    linked: dict[str, str] = {}
    ends: dict[str, Memory] = {}
    for store in stores:
        pairs = store.rows(_CODE, (json.dumps(sorted(names)),))
        ends |= {
            memory.id: memory
            for memory in store.memories(sorted({name for pair in pairs for name in pair}))
        }
        for source, target in pairs:
            is_code = target in ends and ends[target].kind == CODE
            linked |= {source: target} if is_code else {target: source}
    code = {name: memory for name, memory in ends.items() if memory.kind == CODE}
    if instead:
        hits = _told(hits, names, linked, ends)
        names = {hit.memory.id for hit in hits}
    brought = {linked[name] for name in names if linked.get(name) in code}
    return [
        _bring(hit, code.get(linked.get(hit.memory.id, "")))
        for hit in hits
        if hit.memory.id not in brought
    ]


def _told(
    hits: Sequence[Hit], names: set[str], linked: Mapping[str, str], ends: Mapping[str, Memory]
) -> list[Hit]:
    """The hits, code in the words of its description where that was not found itself."""
    prose = {
        target: ends[source]
        for source, target in linked.items()
        if source in ends and source not in names and ends[source].status == "active"
    }
    return [
        replace(hit, memory=prose[hit.memory.id], why=f"{hit.why} (in its code)".strip())
        if hit.memory.id in prose
        else hit
        for hit in hits
    ]


def _bring(hit: Hit, code: Memory | None) -> Hit:
    if code is None or hit.memory.kind == CODE:
        return hit
    return Hit(memory=hit.memory, score=hit.score, parts=hit.parts, code=code, why=hit.why)

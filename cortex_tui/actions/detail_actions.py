"""What detail and neighbours ask of the stores: all about a memory, and what is linked with it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.records.changes import Revision
from cortex_core.records.conversation import Turn
from cortex_core.records.kept_rules import Breach, Repeat, RuleKept
from cortex_core.records.memory import Edge, EdgeType, Key, Memory, Neighbour, Scope
from cortex_core.records.project_code import Anchor, LinkedCode
from cortex_core.records.surfaces import Outlook
from cortex_core.records.upkeep import Detail
from cortex_tui.queries import Done
from cortex_tui.queries import Revision as StoreRevision
from cortex_tui.session import StoreSession

if TYPE_CHECKING:
    from cortex_core import Cortex

STEPS = 160
"""Points of the course of its confidence."""
RECORDING = 5.0
"""Seconds in which past sessions are read for a rule that was not counted yet."""
MOST_BREACHES = 50
"""Breaches of a rule that are shown here; the command line lists more."""
MOST_LINKS = 40
"""Links that are shown here; the neighbours show them all."""
DAY = 86_400.0
AHEAD = 30 * DAY
"""How far the course goes at least beyond today, seconds."""
FARTHEST = 3 * 365 * DAY


@dataclass(frozen=True, slots=True)
class Portrait:
    """Everything about one memory, as of one revision."""

    key: Key
    detail: Detail
    links: tuple[Neighbour, ...]
    link_keys: Mapping[str, Key]
    """Store and row number of the first `MOST_LINKS` linked memories, by their ids."""
    revisions: tuple[Revision, ...]
    code: tuple[LinkedCode, ...]
    anchors: tuple[Anchor, ...]
    """What it names of the project, and what has become of it."""
    course: tuple[float | None, ...]
    """Its confidence at even steps of `span`."""
    span: tuple[float, float]
    most: Mapping[str, float]
    """The most that each part of its importance can be."""
    root: str
    """The project's folder."""
    threshold: float
    """The confidence below which it is archived after a while."""
    half_life: float | None
    """Days; None: its kind does not fade."""
    now: float
    revision: StoreRevision
    kept: RuleKept | None = None
    """How it was kept; None: it has no triggers."""
    breaches: tuple[Breach, ...] = ()
    """The newest `MOST_BREACHES` calls that broke it."""


def portrait(
    stores: StoreSession, key: Key, name: str = "", *, opens: bool, reopen: bool = False
) -> Portrait | None:
    """Everything about the memory behind `key`; None when it is no longer there.

    Args:
        name: its id, where it is known: it is found again when it has moved.
        opens: whether the user looks at it, which is counted.
        reopen: whether the stores are opened again first.
    """
    if reopen:
        stores.reopen()
    stores.check()
    cortex = stores.cortex
    current = _found(stores, key, name)
    if current is None:
        return None
    key, name = current
    if opens:
        stores.cortex.memories.record_view(name)
    # The revision is read before the rest: what is written meanwhile is then seen as newer, and
    # read again.
    revision = cortex.workspace.revision()
    detail = cortex.memories.details(name)
    memory, now = detail.memory, stores.clock()
    span = _span(memory.created, detail.fades, now)
    moments = [span[0] + (span[1] - span[0]) * step / (STEPS - 1) for step in range(STEPS)]
    links = tuple(cortex.graph.links(name))
    keeping = cortex.memories.triggers.keeping if memory.triggers else None
    return Portrait(
        key=key,
        detail=detail,
        links=links,
        link_keys=keys_of(stores, links[:MOST_LINKS]),
        revisions=tuple(cortex.memories.revisions(name)),
        code=tuple(cortex.memories.code_of(name)),
        anchors=cortex.code.anchors.list(name)[0].anchors,
        course=tuple(cortex.memories.confidence_at(name, moments)),
        span=span,
        most=detail.most_importance,
        root=cortex.project.root or "",
        threshold=cortex.config.archive_below,
        half_life=cortex.config.kinds.known(memory.kind).half_life,
        now=now,
        revision=revision,
        kept=keeping.get(name) if keeping else None,
        breaches=tuple(keeping.breaches(name, MOST_BREACHES)) if keeping else (),
    )


def outlook(stores: StoreSession, name: str) -> Outlook | None:
    """Whether the next session start injects the memory called `name`; None when it is gone."""
    return next(iter(stores.cortex.sessions.outlooks([name])), None)


def keys_of(stores: StoreSession, neighbours: Iterable[Neighbour]) -> dict[str, Key]:
    """Store and row number of the memories at the other ends, by their ids."""
    return stores.cortex.memories.keys_of(one.memory.id for one in neighbours)


def keeping(stores: StoreSession, name: str) -> tuple[RuleKept, tuple[Breach, ...]]:
    """How a rule was kept and its newest breaches, after reading past sessions for a while."""
    stores.check()
    record = stores.cortex.memories.triggers.keeping
    end = time.monotonic() + RECORDING
    record.record(should_continue=lambda: time.monotonic() < end)
    return record.get(name), tuple(record.breaches(name, MOST_BREACHES))


def turn(stores: StoreSession, of: Memory | Repeat, index: int = 0, breach: int = 0) -> Turn:
    """The turn that the source `index` of a memory names, or in which the rule was broken; or the
    one in which the user said something again.

    Args:
        breach: the number of the breach to show instead; 0 for none.

    Raises:
        CortexError: there is none any more; the message says why.
    """
    stores.check()
    if isinstance(of, Repeat):
        return stores.cortex.sessions.turn(of.source)
    return stores.cortex.memories.turn_of(of.id, index, breach=breach)


def _found(stores: StoreSession, key: Key, name: str) -> tuple[Key, str] | None:
    cortex = stores.cortex
    if name:
        there = cortex.memories.keys_of([name]).get(name)
        return (there, name) if there else None
    rows = cortex.memories.rows([key])
    return (key, rows[0].id) if rows else None


def _span(created: float, fades: float | None, now: float) -> tuple[float, float]:
    """From the day a memory was made to well after today, and after it has faded."""
    first = min(created, now)
    ahead = max(now + AHEAD, now + (now - first) / 2)
    if fades is not None and fades > now:
        ahead = max(ahead, fades + (fades - first) / 8)
    return first, min(ahead, now + FARTHEST)


DEEPEST = 3
"""Most steps that are shown."""
MOST_CANDIDATES = 50
"""Most memories offered for a new link."""


class Spot(NamedTuple):
    """One neighbour and its position."""

    neighbour: Neighbour
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
    """Direct neighbours that lead here, each followed by what is behind it."""
    outgoing: tuple[Spot, ...]
    edges: int
    """Edges of the memory itself."""
    keys: Mapping[str, Key]
    """Store and row number of every neighbour, by its id."""
    depth: int
    revision: StoreRevision

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Every neighbour, the incoming ones first."""
        return self.incoming + self.outgoing


def neighbourhood(
    stores: StoreSession, key: Key, depth: int, *, reopen: bool = False
) -> Neighbourhood | None:
    """The neighbours of the memory behind `key`; None when it is no longer there.

    Args:
        reopen: whether the stores are opened again first.
    """
    if reopen:
        stores.reopen()
    stores.check()
    cortex = stores.cortex
    rows = cortex.memories.rows([key])
    if not rows:
        return None
    # As in `portrait`, the revision comes first, so that a change while reading is not missed.
    revision, name = cortex.workspace.revision(), rows[0].id
    links = cortex.graph.links(name)
    far = (
        [neighbour for neighbour in cortex.graph.neighbours(name, depth) if neighbour.depth > 1]
        if depth > 1
        else []
    )
    return Neighbourhood(
        key=key,
        memory=rows[0],
        incoming=tuple(spots([neighbour for neighbour in links if not neighbour.outgoing], far)),
        outgoing=tuple(spots([neighbour for neighbour in links if neighbour.outgoing], far)),
        edges=len(links),
        keys=keys_of(stores, (*links, *far)),
        depth=depth,
        revision=revision,
    )


def spots(direct: Sequence[Neighbour], far: Iterable[Neighbour]) -> list[Spot]:
    """The direct neighbours in their order, each followed by what was reached through it.

    Contradictions come first. What can be reached through several comes after the first of them.
    """
    behind: dict[str, list[Neighbour]] = {}
    for neighbour in far:
        ends = {neighbour.edge.source, neighbour.edge.target} - {neighbour.memory.id}
        for parent in ends:
            behind.setdefault(parent, []).append(neighbour)
    ordered: list[Spot] = []

    def walk(level: Sequence[Neighbour], depth: int, trail: tuple[bool, ...]) -> None:
        for index, neighbour in enumerate(level):
            last = index == len(level) - 1
            ordered.append(Spot(neighbour, depth, last, trail))
            walk(behind.pop(neighbour.memory.id, ()), depth + 1, (*trail, not last))

    walk(sorted(direct, key=lambda neighbour: neighbour.edge.type != "contradicts"), 1, ())
    return ordered


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
        keys = cortex.memories.index(scope=scope, limit=2 * MOST_CANDIDATES)
    keys_here = [key for key in keys if key[0] == scope][: 2 * MOST_CANDIDATES]
    memories = stores.rows(keys_here)
    return [
        (key, memories[key])
        for key in keys_here
        if key in memories and memories[key].status == "active" and memories[key].id != but
    ][:MOST_CANDIDATES]


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
    sentence = f"The link {edge.type} is removed"

    def task(cortex: Cortex) -> tuple[Memory, ...]:
        cortex.graph.unlink(*ends, directed=True)
        return ()

    return stores.change("unlink", task, sentence)

"""What the detail of a memory asks of the stores: everything about one of them, in one go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cortex_core.base.errors import CortexError
from cortex_core.reports import Detail, LinkedCode, Revision, Turn
from cortex_core.types import Key, Neighbour
from cortex_tui.queries import Revision as StoreRevision
from cortex_tui.session import StoreSession

STEPS = 160
"""Points of the course of its confidence."""
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


def portrait(stores: StoreSession, key: Key, name: str = "", *, opens: bool, afresh: bool = False
             ) -> Portrait | None:  # fmt: skip
    """Everything about the memory behind `key`; None when it is no longer there.

    Args:
        name: its id, where it is known: it is found again when it has moved.
        opens: whether this is the user's look, which keeps a memory from fading.
        afresh: whether the stores are opened again first.
    """
    if afresh:
        stores.reopen()
    stores.check()
    cortex = stores.cortex
    found = _found(stores, key, name)
    if found is None:
        return None
    key, name = found
    if opens:
        _open(stores, name)
    revision = cortex.workspace.revision()
    detail = cortex.memories.details(name)
    memory, now = detail.memory, stores.clock()
    span = _span(memory.created, detail.fades, now)
    moments = [span[0] + (span[1] - span[0]) * step / (STEPS - 1) for step in range(STEPS)]
    links = tuple(cortex.graph.links(name))
    return Portrait(
        key=key, detail=detail, links=links, link_keys=keys_of(stores, links[:MOST_LINKS]),
        revisions=tuple(cortex.memories.revisions(name)), code=tuple(cortex.memories.code_of(name)),
        course=tuple(cortex.memories.confidence_at(name, moments)), span=span,
        most=cortex.memories.most_importance(), root=cortex.project.root or "",
        threshold=cortex.config.archive_below,
        half_life=cortex.config.kinds.known(memory.kind).half_life, now=now, revision=revision,
    )  # fmt: skip


def keys_of(stores: StoreSession, near: Iterable[Neighbour]) -> dict[str, Key]:
    """Store and row number of the memories at the other ends, by their ids."""
    return stores.cortex.memories.keys_of(one.memory.id for one in near)


def turn(stores: StoreSession, name: str, place: int) -> Turn:
    """The turn that the source `place` of a memory names.

    Raises:
        CortexError: there is none any more; the message says why.
    """
    stores.check()
    return stores.cortex.memories.turn_of(name, place)


def _found(stores: StoreSession, key: Key, name: str) -> tuple[Key, str] | None:
    cortex = stores.cortex
    if name:
        there = cortex.memories.keys_of([name]).get(name)
        return (there, name) if there else None
    rows = cortex.memories.rows([key])
    return (key, rows[0].id) if rows else None


def _open(stores: StoreSession, name: str) -> None:
    """Note that the user looks at it; that this cannot be written never costs the look."""
    try:
        stores.cortex.memories.record_view(name)
    except CortexError:
        return


def _span(created: float, fades: float | None, now: float) -> tuple[float, float]:
    """From the day a memory was made to well after today, and after it has faded."""
    first = min(created, now)
    ahead = max(now + AHEAD, now + (now - first) / 2)
    if fades is not None and fades > now:
        ahead = max(ahead, fades + (fades - first) / 8)
    return first, min(ahead, now + FARTHEST)

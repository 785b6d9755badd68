"""Taking what importers of Markdown bring into a store: by id or by what it says, held back where
it gives orders, never over a newer state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from cortex_core import decay
from cortex_core.config import Config
from cortex_core.errors import UsageError
from cortex_core.exchange import intake
from cortex_core.exchange.markdown.format import alike, stamp
from cortex_core.kinds import Kinds
from cortex_core.memory import LONGEST, Edge, Memory
from cortex_core.reports.exchange import Arrival
from cortex_core.storage import rows
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One memory on its way in."""

    memory: Memory
    place: str
    """The file it stands in."""
    named: bool = False
    """Whether it came with an id: it stays a row of its own, and the same id again updates it."""
    by_person: bool = True
    """Whether a person wrote it, or keeps it as their own; else no order to the agent passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Everything that one import brings."""

    pieces: Sequence[Piece] = ()
    edges: Sequence[Edge] = ()
    """Links; the surest statement of each comes first."""
    gone: Sequence[Arrival] = ()
    problems: Sequence[str] = ()
    left_out: int = 0
    """Pieces of notes that were too little to make sense."""
    files: int = 0
    size: int = 0
    """Bytes read."""


class Held(NamedTuple):
    """A link that the store has."""

    number: int
    row: rows.Row
    created: float


def pure(memory: Memory, config: Config) -> Memory:
    """The memory without secrets and private spans.

    Raises:
        UsageError: nothing is left of its content, or it is too long.
    """
    if len(memory.content) > LONGEST:
        raise UsageError(f"has {len(memory.content):,} characters; a memory holds {LONGEST:,}")
    return intake.purified(memory, config)


def fresh_enough(memory: Memory, kinds: Kinds, now: float) -> Memory:
    """A memory written long ago, started at most one half-life old, as capture does it."""
    half_life = (kinds.known(memory.kind).half_life or 0.0) * decay.DAY
    return replace(memory, reinforced=min(now, max(memory.created, now - half_life)))


def receive(
    store: Store, change: Change, piece: Piece, old: Memory | None, *, force: bool
) -> Arrival:
    """Take one piece in, and tell what came of it.

    Args:
        old: the memory of its id, if the store has one.
        force: take a file's state although the store's is newer.
    """
    memory = piece.memory
    if piece.named and old is not None:
        return _told(piece, _update(change, old, memory, store.kinds, force=force))
    outcome = intake.take(
        store, change, memory, named=piece.named, rule="prompt" if piece.by_person else "import"
    )
    what = {"stored": "new", "quarantined": "quarantined"}.get(outcome, "known")
    return _told(piece, what, reinforced=outcome == "merged")


def connect(store: Store, change: Change, edges: Iterable[Edge]) -> int:
    """Draw links, and bring those there are to what was edited by hand; how many changed.

    A link is stated up to three times, by its own file and at both ends: the first of `edges`
    counts.
    """
    stated: dict[tuple[str, str, str], Edge] = {}
    for edge in edges:
        stated.setdefault((edge.source, edge.target, edge.type), edge)
    if not stated:
        return 0
    known = {name for (name,) in store.rows("SELECT id FROM memory")}
    held = {
        (source, target, type_): Held(
            number, {"strength": strength, "directed": bool(directed), "context": context}, created
        )
        for number, source, target, type_, strength, directed, context, created in store.rows(
            "SELECT id, source, target, type, strength, directed, context, created FROM edge"
        )
    }
    return sum(
        _connect(change, edge, held.get(key))
        for key, edge in stated.items()
        if edge.source != edge.target and {edge.source, edge.target} <= known
    )


def _told(piece: Piece, what: str, *, reinforced: bool = False) -> Arrival:
    memory = piece.memory
    return Arrival(
        what="known" if reinforced else what,  # type: ignore[arg-type]
        title=memory.title, kind=memory.kind, scope=memory.scope, place=piece.place, id=memory.id,
    )  # fmt: skip


def _update(change: Change, old: Memory, memory: Memory, kinds: Kinds, *, force: bool) -> str:
    used = max(old.reinforced, memory.reinforced)
    if alike(old, memory, kinds):
        if used - old.reinforced > 1:
            change.update("memory", memory.id, {"reinforced": used})
        return "known"
    if not force and stamp(memory.updated) < stamp(old.updated):
        return "newer here"
    kept = {"id", "access_count", "last_access"}
    moment = memory.updated if memory.updated > old.updated else change.time
    row = rows.to_row(replace(memory, updated=moment, reinforced=used))
    change.update("memory", memory.id, {name: row[name] for name in row if name not in kept})
    return "edited"


def _connect(change: Change, edge: Edge, held: Held | None) -> bool:
    row: rows.Row = {
        "strength": edge.strength, "directed": edge.directed, "context": edge.context,
    }  # fmt: skip
    if held is None:
        named = {"source": edge.source, "target": edge.target, "type": edge.type}
        change.insert("edge", row | named | {"created": edge.created or change.time})
        return True
    is_older = 0 < edge.created < held.created - 1
    if is_older or row == held.row:
        return False
    return change.update("edge", held.number, row)

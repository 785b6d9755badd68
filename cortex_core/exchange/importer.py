"""The importer: memories from files into the stores as one undoable step, or a rehearsal of that.

Whatever form the files have, a memory goes to the store that has its id already, else to the one it
names. It passes redaction and the quarantine, and one that says what is known reinforces that.
"""

from __future__ import annotations

import secrets
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cortex_core.base.config import Config
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import Kinds
from cortex_core.capture import admission
from cortex_core.exchange.markdown.format import alike, stamp
from cortex_core.extract import wording
from cortex_core.fields import COLUMNS, FIELDS
from cortex_core.reports import ImportOutcome, ImportReport, report
from cortex_core.store import edges as stored_edges
from cortex_core.store import queries, rows
from cortex_core.store.history import Snapshots
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace
from cortex_core.types import LONGEST, Edge, Memory, Scope

_WORDS = dict.fromkeys([*(one.part or one.name for one in FIELDS if one.free_text), "sources"])
"""What of a memory holds words, sources and context whole."""

_KEPT = frozenset({"id", "access_count", "last_access"})
"""The columns of a memory in the store that no import changes."""

_CONTEXT = frozenset({"context", "files"} | {one.name for one in FIELDS if one.part == "context"})
_STATED_BY: dict[str, frozenset[str]] = {
    "context": _CONTEXT,
    **{
        column: _CONTEXT if one.part == "context" else frozenset(one.names)
        for column, one in COLUMNS.items()
        if column not in _KEPT and one.name != "content"
    },
}
"""The columns that a JSON line may leave out, and the names by which it states them."""

Taken = Literal["new", "edited", "known", "reinforced", "quarantined", "newer here"]
"""What came of an item; `reinforced`: it says what is known, and strengthened that."""

_COUNTED: dict[Taken, str] = {
    "new": "stored", "edited": "updated", "known": "merged", "reinforced": "merged",
    "quarantined": "quarantined", "newer here": "newer_here",
}  # fmt: skip
"""As what a report counts each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportItem:
    """One memory on its way in."""

    memory: Memory
    place: str = ""
    """The file it comes from."""
    named: bool = False
    """Whether it came with an id: it stays a row of its own, and the same id again updates it."""
    by_user: bool = True
    """Whether a user wrote it, or keeps it as their own; else no order to the agent passes."""
    stated: Collection[str] | None = None
    """The names of the fields that an update takes over, whichever state is newer; None: all, and a
    newer state in the store stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBatch:
    """Everything that one import brings."""

    items: Sequence[ImportItem] = ()
    edges: Sequence[Edge] = ()
    """Links; the surest statement of each comes first."""
    adjusts_edges: bool = True
    """Whether links that are there already take over what is stated."""
    missing: Sequence[ImportOutcome] = ()
    """What the store has and the files no longer."""
    problems: Sequence[str] = ()
    left_out: int = 0
    """Pieces of notes that were too little to make sense."""
    files: int = 0
    size: int = 0
    """Bytes read."""
    itemized: bool = True
    """Whether the report lists every memory; of JSON lines there may be a hundred thousand."""


class Importer:
    """Takes batches into the stores of a workspace."""

    def __init__(self, workspace: Workspace, snapshots: Snapshots) -> None:
        self._workspace = workspace
        self._snapshots = snapshots

    def run(
        self, batch: ImportBatch, label: str, *, force: bool = False, dry_run: bool = False,
        started: float,
    ) -> ImportReport:  # fmt: skip
        """Take a batch in as one undoable step, or rehearse it on a copy of the stores.

        Args:
            label: what the journal calls it.
            force: take a file's state although the store's is newer.
            started: the performance counter at its beginning.
        """
        if not dry_run:
            self._snapshots.before_import()
            return _taken(self._workspace, batch, label, force, started)
        with tempfile.TemporaryDirectory(prefix="cortex-") as folder:
            copy = self._workspace.copy_to(folder)
            try:
                return replace(_taken(copy, batch, label, force, started), dry_run=True)
            finally:
                copy.close()


def purified(memory: Memory, config: Config) -> Memory:
    """The memory without secrets and private spans.

    Raises:
        UsageError: nothing is left of its content, or it is too long.
    """
    if len(memory.content) > LONGEST:
        raise UsageError(f"has {len(memory.content):,} characters; the maximum is {LONGEST:,}")
    content = admission.redacted(memory.content, config)
    if not content:
        raise UsageError("its whole content is private")
    rest = {name: admission.redacted_all(getattr(memory, name), config) for name in _WORDS}
    return replace(memory, **rest | {"content": content})


def _taken(
    workspace: Workspace, batch: ImportBatch, label: str, force: bool, started: float
) -> ImportReport:
    action = secrets.token_hex(8)
    counts: Counter[str] = Counter(
        files=batch.files, bytes_read=batch.size, candidates=len(batch.items)
    )
    outcomes: list[ImportOutcome] = []
    placed = _placed(workspace, batch.items)
    ends: set[Scope] = {store.scope for store in workspace.stores} if batch.edges else set()
    for scope in sorted(placed.keys() | ends, reverse=True):
        store, items = workspace.store(scope), placed.get(scope, [])
        with store.change("import", label, "import", action) as change:
            newest_wins = [one.memory.id for one in items if one.named and one.stated is None]
            held = {one.id: one for one in store.memories(newest_wins)}
            for item in items:
                taken = _take(store, change, item, held.get(item.memory.id), force=force)
                counts[_counted(taken, batch)] += 1
                if batch.itemized:
                    outcomes.append(_outcome(item, taken))
            counts["linked"] += _connect(store, change, batch)
    refused = {"too little to make sense alone": batch.left_out} if batch.left_out else {}
    return report(
        counts, refused=refused, problems=batch.problems, outcomes=[*outcomes, *batch.missing],
        started=started,
    )  # fmt: skip


def _placed(workspace: Workspace, items: Sequence[ImportItem]) -> dict[Scope, list[ImportItem]]:
    """The items by store: the one that has their id already, else the one they name."""
    named = [item.memory.id for item in items if item.named]
    there = {store.scope: queries.known_ids(store, named) for store in workspace.stores}
    placed: dict[Scope, list[ImportItem]] = {}
    for item in items:
        name, scope = item.memory.id, item.memory.scope
        if item.named and name not in there.get(scope, ()):
            scope = next((other for other, ids in there.items() if name in ids), scope)
        placed.setdefault(scope, []).append(item)
    return placed


def _take(
    store: Store, change: Change, item: ImportItem, old: Memory | None, *, force: bool
) -> Taken:
    """Take one item in; what came of it."""
    memory = item.memory
    if item.named and old is not None:
        return _update_to_newest(change, old, memory, store.kinds, force=force)
    if item.named and item.stated is not None:
        row = change.read("memory", memory.id)
        if row is not None:
            return _update_stated(change, row, memory, item.stated)
    known, near = admission.compare_with_store(store, memory)
    if known and not item.named:
        return "reinforced" if admission.reinforce(store, change, known, memory) else "known"
    memory = admission.quarantined_if_needed(memory, "prompt" if item.by_user else "import")
    change.insert("memory", rows.to_row(memory))
    for source in memory.sources or (memory.source,):
        change.insert("source", rows.source_row(memory.id, source))
    admission.propose_all(change, memory, near)
    return "quarantined" if memory.status == "quarantined" else "new"


def _update_stated(change: Change, old: rows.Row, memory: Memory, stated: Collection[str]) -> Taken:
    """Bring a row to what a JSON line states, and leave the rest of it."""
    if memory.content != old["content"]:
        memory = admission.quarantined_if_needed(memory)
    names = set(stated)
    kept = set(_KEPT) | {column for column, by in _STATED_BY.items() if not names & by}
    # A title that was made from the old content follows the new one; an order that came with the
    # new content is held back whatever the line leaves out.
    if old["title"] == wording.title(old["content"]):
        kept.discard("title")
    if memory.status == "quarantined":
        kept -= {"status", "details"}
    columns = {name: value for name, value in rows.to_row(memory).items() if name not in kept}
    return "edited" if change.update("memory", memory.id, columns) else "known"


def _update_to_newest(
    change: Change, old: Memory, memory: Memory, kinds: Kinds, *, force: bool
) -> Taken:
    """Bring a memory to the state of its file, unless the store's is newer."""
    used = max(old.reinforced, memory.reinforced)
    if alike(old, memory, kinds):
        if used - old.reinforced > 1:
            change.update("memory", memory.id, {"reinforced": used})
        return "known"
    if not force and stamp(memory.updated) < stamp(old.updated):
        return "newer here"
    moment = memory.updated if memory.updated > old.updated else change.time
    row = rows.to_row(replace(memory, updated=moment, reinforced=used))
    change.update("memory", memory.id, {name: row[name] for name in row if name not in _KEPT})
    return "edited"


def _counted(taken: Taken, batch: ImportBatch) -> str:
    """As what a report counts an item; what JSON lines do not change, they skip."""
    return "skipped" if taken == "known" and not batch.itemized else _COUNTED[taken]


def _outcome(item: ImportItem, taken: Taken) -> ImportOutcome:
    memory = item.memory
    return ImportOutcome(
        what="known" if taken == "reinforced" else taken, title=memory.title, kind=memory.kind,
        scope=memory.scope, file=item.place, id=memory.id,
    )  # fmt: skip


def _connect(store: Store, change: Change, batch: ImportBatch) -> int:
    """Draw links, and bring those there are to what is stated; how many changed.

    A vault states a link up to three times, in its own file and at both ends: the first counts.
    """
    stated: dict[tuple[str, str, str], Edge] = {}
    for edge in batch.edges:
        stated.setdefault((edge.source, edge.target, edge.type), edge)
    known = queries.known_ids(store, _ends(stated.values()))
    held = stored_edges.numbered(store, [source for source, *_ in stated]) if stated else {}
    changed = 0
    for key, edge in stated.items():
        if edge.source == edge.target or not {edge.source, edge.target} <= known:
            continue
        if key not in held:
            change.insert("edge", rows.edge_row(replace(edge, created=edge.created or change.time)))
            changed += 1
        elif batch.adjusts_edges:
            changed += _adjust(change, edge, *held[key])
    return changed


def _ends(edges: Iterable[Edge]) -> list[str]:
    return [end for edge in edges for end in (edge.source, edge.target)]


def _adjust(change: Change, edge: Edge, number: int, here: Edge) -> bool:
    """Bring a link to what is stated, unless the statement is older than the link itself."""
    is_older = 0 < edge.created < here.created - 1
    columns = ("strength", "directed", "context")
    row = {name: getattr(edge, name) for name in columns}
    if is_older or row == {name: getattr(here, name) for name in columns}:
        return False
    return change.update("edge", number, row)

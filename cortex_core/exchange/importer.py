"""The importer: memories of any file format into the stores, as one undoable step or a dry run.

A memory goes to the store that has its id already, else to the one it names. It passes redaction
and the quarantine; one that says what is known reinforces the known memory.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Literal

from cortex_core.admission import apply, checks, lookup
from cortex_core.admission.batch_index import BatchIndex
from cortex_core.base.authorship import CONFIRMED, IMPORTED
from cortex_core.base.errors import StoreError
from cortex_core.base.kinds import EPISODE, UNLIKE, Kinds
from cortex_core.exchange.markdown.format import stamp, substance
from cortex_core.extract import wording
from cortex_core.records.captures import ImportOutcome, ImportReport, report
from cortex_core.records.fields import COLUMNS, FIELDS
from cortex_core.records.memory import Edge, Memory, Scope
from cortex_core.redaction import quarantine
from cortex_core.store import edges as stored_edges, memory_lookup, rows
from cortex_core.store.journal import Change
from cortex_core.store.snapshot_service import Snapshots
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace
from cortex_core.triggers import assigning

_KEPT = frozenset({"id", "access_count", "last_access", "looks"})
"""The columns of a stored memory that no import changes."""

_CONTEXT = frozenset({"context", "files"} | {one.name for one in FIELDS if one.part == "context"})
_STATED_BY: dict[str, frozenset[str]] = {
    "context": _CONTEXT,
    **{
        column: _CONTEXT if one.part == "context" else frozenset(one.names)
        for column, one in COLUMNS.items()
        if column not in _KEPT and one.name != "content"
    },
}
"""The columns that a JSON line may leave out, and the names under which it gives them."""

PART = 1000
"""Memories that one transaction writes. A batch of at most as many is imported whole or not at
all."""

Progress = Callable[[int, int], object]
"""Called with what is done, and of how much."""

Effect = Literal["new", "edited", "known", "reinforced", "quarantined", "newer here"]
"""What importing an item did; `reinforced`: it says what is known, and reinforced that."""

_COUNTED_AS: dict[Effect, str] = {
    "new": "stored",
    "edited": "updated",
    "known": "merged",
    "reinforced": "merged",
    "quarantined": "quarantined",
    "newer here": "newer_here",
}
"""The name under which a report counts each effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportItem:
    """One memory to import."""

    memory: Memory
    file: str = ""
    """The file it comes from."""
    named: bool = False
    """Whether it came with an id: it gets a row of its own, and the same id again updates that."""
    by_user: bool = False
    """Whether it is the user's own: exported by this user and not changed since, or said to be
    theirs. Otherwise orders to the agent go to the quarantine, and what the file says of who wrote
    it, and of pins, is only a claim."""
    stated: Collection[str] | None = None
    """Names of the fields that an update takes over; None: all of them. Where the state in the
    store is newer than the file's, by `updated`, it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBatch:
    """Everything that one import brings."""

    items: Sequence[ImportItem] = ()
    edges: Sequence[Edge] = ()
    """Links; the most reliable statement of each comes first."""
    adjusts_edges: bool = True
    """Whether existing links are updated to what is stated."""
    missing: Sequence[ImportOutcome] = ()
    """What the store has and the files no longer have."""
    problems: Sequence[str] = ()
    left_out: int = 0
    """Pieces of notes that were too little to make sense."""
    files: int = 0
    size: int = 0
    """Bytes read."""
    itemized: bool = True
    """Whether the report lists every memory; an export in JSON lines may have 100,000."""
    texts: Collection[tuple[str, str]] = ()
    """Path and text of each file of a vault, its other notes aside."""


def run(
    workspace: Workspace,
    snapshots: Snapshots,
    batch: ImportBatch,
    label: str,
    *,
    force: bool = False,
    dry_run: bool = False,
    started: float,
    progress: Progress | None = None,
) -> ImportReport:
    """Import a batch as one undoable step; a dry run imports it into a copy of the stores.

    Args:
        label: the label of the step in the journal.
        force: take the state of a file even where the store's is newer.
        started: the performance counter when the import began, in seconds.
        progress: called with how many memories are written, and of how many.
    """
    if not dry_run:
        snapshots.before_import()
        return _Import(workspace, batch, label, force, progress).done(started)
    with workspace.rehearsal() as copy:
        done = _Import(copy, batch, label, force, progress).done(started)
    return replace(done, dry_run=True)


class _Import:
    """One import at work, one undoable action: at most `PART` memories in one transaction."""

    def __init__(
        self,
        workspace: Workspace,
        batch: ImportBatch,
        label: str,
        force: bool,
        progress: Progress | None,
    ) -> None:
        self._workspace = workspace
        self._batch = batch
        self._label = label
        self._force = force
        self._progress = progress
        self._items, self._teams = _by_store(workspace, batch.items)
        # A link may lead to a store that gets no memory: it is written as well.
        ends: set[Scope] = {store.scope for store in workspace.own_stores} if batch.edges else set()
        scopes = sorted(self._items.keys() | ends, reverse=True)
        self._stores = [workspace.store(scope) for scope in scopes]
        self._action = secrets.token_hex(8)
        self._done = 0
        self._counts: Counter[str] = Counter(
            files=batch.files, bytes_read=batch.size, candidates=len(batch.items)
        )
        self._outcomes: list[ImportOutcome] = []

    def done(self, started: float) -> ImportReport:
        """Import everything; `started` is the performance counter when the import began.

        Raises:
            StoreError: a store cannot be written; the message says what has been imported.
        """
        if len(self._batch.items) <= PART:
            self._together()
        else:
            self._in_parts()
        for item in self._teams:
            self._note(item, "known")
        left_out = self._batch.left_out
        return report(
            self._counts,
            started=started,
            problems=self._batch.problems,
            refused={"too little to make sense alone": left_out} if left_out else {},
            outcomes=[*self._outcomes, *self._batch.missing],
        )

    def _together(self) -> None:
        """Import a small batch into both stores at once: all of it or nothing."""
        with self._workspace.together(self._stores, self._action):
            for store in self._stores:
                index = BatchIndex(memory_lookup.newest_number(store))
                with store.change("import", self._label, "import", self._action) as change:
                    self._write(store, change, self._items.get(store.scope, []), index)
                    self._counts["linked"] += _connect(store, change, self._batch)

    def _in_parts(self) -> None:
        try:
            for store in self._stores:
                self._fill(store)
        except StoreError as error:
            raise error.after(self._so_far()) from error
        except KeyboardInterrupt as stop:
            stop.add_note(self._so_far())
            raise

    def _fill(self, store: Store) -> None:
        """Write the parts that belong to a store, each in one transaction, then its links."""
        items = self._items.get(store.scope, [])
        index = BatchIndex(memory_lookup.newest_number(store))
        for start in range(0, len(items), PART):
            part = items[start : start + PART]
            with self._part(store, f", the first {self._done + len(part):,}") as change:
                self._write(store, change, part, index)
            self._done += len(part)
            if self._progress:
                self._progress(self._done, len(self._batch.items))
        with self._part(store) as change:
            self._counts["linked"] += _connect(store, change, self._batch)

    def _part(self, store: Store, so_far: str = "") -> AbstractContextManager[Change]:
        """A part of the one change; `so_far` is added to its label until the store has all."""
        return store.change("import", self._label + so_far, "import", self._action, resumes=True)

    def _write(
        self, store: Store, change: Change, items: Sequence[ImportItem], index: BatchIndex
    ) -> None:
        # What `items` bring again: there the newest state wins.
        again = [one.memory.id for one in items if one.named and one.stated is None]
        known = {one.id: one for one in store.memories(again)}
        for item in items:
            self._note(
                item,
                _import_item(
                    store, change, item, known.get(item.memory.id), index, force=self._force
                ),
            )

    def _note(self, item: ImportItem, effect: Effect) -> None:
        """Count an item, and list it where the report lists every memory."""
        if not self._batch.itemized:  # unchanged JSON lines count as skipped
            self._counts["skipped" if effect == "known" else _COUNTED_AS[effect]] += 1
            return
        memory = item.memory
        self._counts[_COUNTED_AS[effect]] += 1
        self._outcomes.append(
            ImportOutcome(
                what="known" if effect == "reinforced" else effect,
                title=memory.title,
                kind=memory.kind,
                scope=memory.scope,
                file=item.file,
                id=memory.id,
            )
        )

    def _so_far(self) -> str:
        if not self._done:
            return "Nothing was changed."
        return (
            f"{self._done:,} of {len(self._batch.items):,} memories are imported and stay; cortex "
            "undo takes them back. Import the same again to bring the rest."
        )


def _by_store(
    workspace: Workspace, items: Sequence[ImportItem]
) -> tuple[dict[Scope, list[ImportItem]], list[ImportItem]]:
    """The items by scope: of the store that has their id already, or gets it with an earlier item,
    else of the one they name; and those that the team has, which no import changes.

    What a team had where it was exported goes to the default store where there is no such team.
    """
    named = [item.memory.id for item in items if item.named]
    there = {store.scope: memory_lookup.known_ids(store, named) for store in workspace.own_stores}
    team = workspace.existing("team")
    theirs = memory_lookup.known_ids(team, named) if team is not None else set()
    placed: dict[Scope, list[ImportItem]] = {}
    unchanged: list[ImportItem] = []
    for item in items:
        name, scope = item.memory.id, item.memory.scope
        if item.named and name in theirs and not any(name in ids for ids in there.values()):
            unchanged.append(item)
            continue
        scope = workspace.default_scope() if scope == "team" else scope
        if item.named and name not in there.get(scope, ()):
            scope = next((other for other, ids in there.items() if name in ids), scope)
            there.setdefault(scope, set()).add(name)
        placed.setdefault(scope, []).append(item)
    return placed, unchanged


def _import_item(
    store: Store,
    change: Change,
    item: ImportItem,
    old: Memory | None,
    added: BatchIndex,
    *,
    force: bool,
) -> Effect:
    """Import one item; returns what that did."""
    memory = item.memory
    if item.named and old is not None:
        return _update_to_newest(change, old, item, store.kinds, force=force)
    if item.named and item.stated is not None:
        row = change.read("memory", memory.id)
        if row is not None:
            return _update_stated(change, row, item, item.stated, force=force)
    memory = replace(memory, claimed=not item.by_user)
    is_apart = item.named and memory.kind == EPISODE  # it needs no other entry of its event
    known, similar, _ = (
        (None, [], []) if is_apart else lookup.compare_with_store(store, memory, added)
    )
    if known and not item.named:
        return "reinforced" if apply.reinforce(store, change, known, memory) else "known"
    memory = checks.quarantined_if_needed(memory, by_user=item.by_user)
    # A page of a vault, or a row with an id, stays as it was written.
    row = rows.to_row(memory if item.named else assigning.with_own(memory))
    change.insert("memory", row)
    for source in memory.sources or (memory.source,):
        change.insert("source", rows.source_row(memory.id, source))
    apply.propose_all(change, memory, similar)
    if memory.kind not in UNLIKE and memory.status in lookup.KNOWN_STATUSES:
        added.add(memory)
    return "quarantined" if memory.status == "quarantined" else "new"


def _weighed(item: ImportItem, columns: rows.Row, old: rows.Row) -> rows.Row:
    """The columns to update, with those that say how much weight the row has then."""
    if item.by_user:
        return {**columns, **CONFIRMED}
    changed = {**old, **columns}
    words = (changed["title"], changed["content"], changed["excerpt"], changed["details"])
    # New words of a file that anyone may have written are not the user's, and neither are a pin or
    # an author that came with it.
    is_pinned = bool(changed["pinned"] and not old["pinned"])
    is_other = any(changed[name] != old[name] for name in ("content", "title", "rule"))
    is_claim = bool(old["claimed"]) or is_other or is_pinned
    return {
        **columns,
        "claimed": is_claim,
        "withheld": is_claim and checks.is_withheld(words, IMPORTED),
    }


def _update_stated(
    change: Change, old: rows.Row, item: ImportItem, stated: Collection[str], *, force: bool
) -> Effect:
    """Update a row to what a JSON line states, and leave the rest of it.

    A line that says when its memory was updated changes none that was updated later.
    """
    memory = item.memory
    if not force and "updated" in stated and stamp(memory.updated) < stamp(old["updated"]):
        return "newer here"
    if any(getattr(memory, name) != old[name] for name in ("content", "title")):
        memory = checks.quarantined_if_needed(memory, by_user=item.by_user)
    kept = set(_KEPT) | {column for column, by in _STATED_BY.items() if by.isdisjoint(stated)}
    # A title that was made from the old content follows the new one; an order that came with the
    # new content is held back whatever the line leaves out.
    if old["title"] == wording.title(old["content"]):
        kept.discard("title")
    if memory.status == "quarantined":
        kept -= {"status", "details"}
    columns = {name: value for name, value in rows.to_row(memory).items() if name not in kept}
    is_changed = change.update("memory", memory.id, _weighed(item, columns, old))
    return "edited" if is_changed else "known"


def _update_to_newest(
    change: Change, old: Memory, item: ImportItem, kinds: Kinds, *, force: bool
) -> Effect:
    """Update a memory to the state of its file, unless the store's is newer."""
    memory = item.memory
    used = max(old.reinforced, memory.reinforced)
    if substance(old, kinds) == substance(memory, kinds):
        if used - old.reinforced > 1:
            change.update("memory", memory.id, {"reinforced": used})
        return "known"
    if not force and stamp(memory.updated) < stamp(old.updated):
        return "newer here"
    memory = checks.quarantined_if_needed(memory, by_user=item.by_user)
    by_hand = memory.updated <= old.updated  # Cortex would have noted when it changed it
    moment = change.time if by_hand else memory.updated
    used = change.time if by_hand else used
    row = rows.to_row(replace(memory, updated=moment, reinforced=used))
    columns = {name: row[name] for name in row if name not in _KEPT}
    change.update("memory", memory.id, _weighed(item, columns, rows.to_row(old)))
    return "edited"


def _connect(store: Store, change: Change, batch: ImportBatch) -> int:
    """Draw new links, and update existing ones to what is stated; returns how many changed.

    A vault states a link up to three times, in its own file and at both ends: the first counts.
    """
    stated: dict[tuple[str, str, str], Edge] = {}
    for edge in batch.edges:
        stated.setdefault((edge.source, edge.target, edge.type), edge)
    known = memory_lookup.known_ids(store, [end for ends in stated for end in ends[:2]])
    existing = stored_edges.numbered(store, [source for source, *_ in stated]) if stated else {}
    changed = 0
    for key, edge in stated.items():
        if edge.source == edge.target or not {edge.source, edge.target} <= known:
            continue
        if quarantine.reason_of((edge.context,), by_user=False):
            edge = replace(edge, context="")
        if key not in existing:
            change.insert("edge", rows.edge_row(replace(edge, created=edge.created or change.time)))
            changed += 1
        elif batch.adjusts_edges:
            number, here = existing[key]
            row = {name: getattr(edge, name) for name in ("strength", "directed", "context")}
            # A statement that is older than the link changes nothing.
            is_older = 0 < edge.created < here.created - 1
            if not is_older and row != {name: getattr(here, name) for name in row}:
                changed += change.update("edge", number, row)
    return changed

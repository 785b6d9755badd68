"""From other machines' entries to the store: each is written as a change of its own, journalled
and undoable, and of what two machines wrote at once the later is kept.
"""

import re
import secrets
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from cortex_core.base import text
from cortex_core.base.decay import DAY
from cortex_core.base.globs import MARK
from cortex_core.duplicates.similarity import compare
from cortex_core.store import journal, rows, synced, trash
from cortex_core.store.store import BY_HAND, Store
from cortex_core.sync import registers, stamps
from cortex_core.sync.entries import REQUIRED, BadFile, Entry
from cortex_core.sync.registers import CONTENTIOUS, Operation, Registers, merged

FURTHEST = DAY
"""Seconds by which another machine's clock may be ahead; what is later waits."""

SHORTEST_SECRET = 6
"""Characters of a secret that is searched for where no pattern finds it."""

MOST_MARKS = 20
"""Secrets of one text that are searched for so."""

_NAMESPACE = uuid.UUID("6a3dd8ea-5a0c-4f5f-9c56-0d3b4f0a4c7e")


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """A text of a memory that two machines wrote at once, and that the later one replaced."""

    memory: str
    stamp: str
    content: str
    title: str

    @property
    def id(self) -> str:
        """The id of the memory that keeps it, the same on every machine."""
        return str(uuid.uuid5(_NAMESPACE, f"{self.memory} {self.stamp}"))


_OPPOSITE = ({"approved", "rejected"}, {"approved", "distinct"})
"""Verdicts on a proposal that contradict each other."""


class Incoming:
    """Writes entries of other machines to a store, inside an open transaction."""

    def __init__(self, store: Store, writer: str) -> None:
        """Args:
        writer: by what other machines know this store.
        """
        self._store = store
        self._writer = writer
        self.versions: dict[str, list[OtherVersion]] = {}
        """By memory, the texts that later ones replaced."""
        self.opposed: list[Entry] = []
        """Verdicts of other machines on what this one decided otherwise."""
        self.secrets: set[str] = set()
        """What other machines scrubbed, as far as texts here say what it was."""
        self.redacted: dict[str, list[str]] = {}
        """By memory that the patterns here found a secret in, the columns that have none here and
        still have it elsewhere."""
        self.destroyed: set[str] = set()
        """The memories that were deleted for good."""

    def apply(self, entry: Entry) -> None:
        """Write what an entry changed.

        Raises:
            BadFile: it adds a row without all that it needs.
        """
        with self._store.change(
            entry.verb,
            entry.label,
            entry.actor,
            entry.action or secrets.token_hex(8),
            resumes=entry.continues,
            machine=stamps.writer_of(entry.stamp),
            stamp=entry.stamp,
        ) as change:
            change.kept = entry.verb in ("undo", "redo")
            for operation in entry.operations:
                self._apply(change, operation, entry)
            synced.repeat_undo(self._store, change, entry.verb, entry.undoes)

    def _apply(self, change: journal.Change, operation: Operation, entry: Entry) -> None:
        name = operation.object
        known = synced.held(self._store, [name]).get(name)
        held = registers.unpacked(known[0]) if known else Registers()
        hidden = known[1] if known else None
        row = synced.find(change, name)
        # Who had seen a verdict would have opened the proposal again before giving another.
        verdicts = {(row or {}).get("status"), operation.columns.get("status")}
        if operation.table == "proposal" and verdicts in _OPPOSITE:
            self.opposed.append(entry)
        if entry.verb == "scrub":
            # What was scrubbed elsewhere, as far as the text here says what it was.
            for column, value in operation.columns.items():
                self.secrets.update(_scrubbed((row or hidden or {}).get(column), value))
        after, won = merged(held, operation)
        if after.destroyed is not None and after.destroyed != held.destroyed:
            self._destroy(change, operation.name, after.destroyed, row)
            row = hidden = None
        elif row is not None and entry.verb != "scrub" and not held.outlived(operation):
            self._compare(operation, held, row, entry)
        kept = self._place(change, operation, after, row, {**(hidden or {}), **won}, won)
        if operation.table == "memory" and won:
            here = self._store.filtered("memory", dict(won))
            if changed := [column for column in won if here[column] != won[column]]:
                self.redacted[name] = changed
        synced.hold(self._store, name, after.packed(), kept)
        if entry.verb == "scrub" and operation.table == "memory":
            # Nothing is kept of what these columns held.
            now = change.read("memory", operation.name) or {}
            columns = synced.completed("memory", dict(operation.columns), now)
            journal.forget_values(change, operation.name, columns)

    def _place(
        self,
        change: journal.Change,
        operation: Operation,
        held: Registers,
        row: rows.Row | None,
        whole: rows.Row,
        won: registers.Row,
    ) -> rows.Row | None:
        """Bring the row to where it belongs; what is to be kept of it where that is no table.

        Args:
            row: as it is in its table.
            whole: as far as it is known where it is not there.
            won: the columns that change.
        """
        table = operation.table
        belongs = held.is_alive and has_memories(self._store, operation.object, held)
        if belongs and row is not None:
            change.update(table, row[journal.KEYS[table]], synced.completed(table, dict(won), row))
            return None
        # It is not in its table, so it is put there whole.
        if belongs:
            self._add(change, table, whole)
            return None
        if row is not None:
            self._take_out(change, table, row)
            return {**synced.shared(table, row), **won}
        return whole or None

    def _add(self, change: journal.Change, table: str, row: rows.Row) -> None:
        """Add a row, and of a memory what belongs to it and was kept meanwhile."""
        if missing := [name for name in REQUIRED[table] if row.get(name) is None]:
            raise BadFile(f"A row of another machine has no {', '.join(missing)}.")
        if table == "memory":
            change.delete("trash", row["id"])
        change.insert(table, synced.completed(table, row))
        if table == "memory":
            bring_dependents(self._store, change, row["id"])

    def _take_out(self, change: journal.Change, table: str, row: rows.Row) -> None:
        """Take a row out of its table; a memory goes to the trash, and what belongs to it is kept
        for the case that it comes back."""
        if table != "memory":
            for same in synced.same_rows(self._store, table, row):
                change.delete(table, same)
            return
        edges = [("edge", each) for each in change.edges_of(row["id"])]
        sources = [("source", each) for each in change.belonging("source", row["id"])]
        for of, each in edges + sources:
            name = synced.object_of(of, each)
            if known := synced.held(self._store, [name]).get(name):
                synced.hold(self._store, name, known[0], synced.shared(of, each))
        change.delete("trash", row["id"])  # an import may have brought it back meanwhile
        trash.put(self._store, change, row["id"])

    def _destroy(
        self, change: journal.Change, memory: str, stamp: str, row: rows.Row | None
    ) -> None:
        """Delete a memory for good; what was added to it later is kept, for the case that it was
        made again."""
        if row is not None:
            self._take_out(change, "memory", row)
        later = [
            each
            for each in synced.hidden(self._store, memory)
            if registers.unpacked(each[1]).added > stamp
        ]
        trash.destroy(self._store, [memory])
        for each in later:
            synced.hold(self._store, *each)
        self.destroyed.add(memory)

    # --- two texts of one memory

    def _compare(self, operation: Operation, held: Registers, row: rows.Row, entry: Entry) -> None:
        """Note the text that is replaced, if neither was written over the other."""
        theirs = operation.columns.get(CONTENTIOUS)
        if operation.table != "memory" or theirs is None or theirs == row[CONTENTIOUS]:
            return
        ours = held.stamp_of(CONTENTIOUS)
        versions = self.versions.setdefault(operation.name, [])
        versions[:] = [each for each in versions if each.stamp != operation.over]
        if operation.over == ours:
            return
        if operation.stamp > ours:
            # Another machine's text is taken for one that was written by hand.
            is_ours = stamps.writer_of(ours) == self._writer
            if not is_ours or journal.changed_by_hand(self._store, operation.name):
                versions.append(OtherVersion(operation.name, ours, row[CONTENTIOUS], row["title"]))
        elif entry.actor in BY_HAND:  # whose version is kept for the review
            title = operation.columns.get("title", row["title"])
            versions.append(OtherVersion(operation.name, operation.stamp, theirs, title))


def has_memories(store: Store, object: str, held: Registers) -> bool:
    """Whether every memory is there without which a row is in no table; what was added before a
    memory was deleted for good does not belong to one that has its id since."""
    known = synced.held(store, [f"memory:{name}" for name in synced.memories_of(object)])
    ends = (registers.unpacked(packed).destroyed or stamps.NONE for packed, _ in known.values())
    return synced.has_memories(store, object) and held.added > max(ends, default=stamps.NONE)


def _scrubbed(before: object, after: object) -> Iterator[str]:
    """The secrets in a text in whose places a later form of it has marks.

    The other machine may know by a pattern of its own what a secret is.
    """
    if not isinstance(before, str) or not isinstance(after, str):
        return
    pieces = MARK.split(after)
    if not 2 <= len(pieces) <= MOST_MARKS:
        return
    found = re.fullmatch("(.+?)".join(map(re.escape, pieces)), before, re.DOTALL)
    for secret in found.groups() if found else ():
        if len(secret) >= SHORTEST_SECRET and not MARK.search(secret):
            yield secret


def bring_dependents(store: Store, change: journal.Change, memory: str) -> None:
    """Add the sources and edges of a memory that came back, which other machines added or kept
    while it was away."""
    for name, packed, kept in synced.hidden(store, memory):
        held = registers.unpacked(packed)
        if held.is_alive and has_memories(store, name, held):
            change.insert(name.partition(":")[0], kept)
            synced.hold(store, name, packed, None)


def keep_versions(
    store: Store, versions: Iterable[OtherVersion], named: Callable[[str], str]
) -> int:
    """Propose for review each text that was replaced, with the one that replaced it; how many.

    Args:
        named: the name of the machine of a writer.
    """
    kept = 0
    for version in versions:
        for current in store.memories([version.memory]):
            machine = named(stamps.writer_of(version.stamp))
            label = f"keep the version of “{current.title}” that was written on {machine} meanwhile"
            with store.change("propose", label, "worker") as change:
                kept += _keep(change, version, machine)
    return kept


def _keep(change: journal.Change, version: OtherVersion, machine: str) -> bool:
    row = change.read("memory", version.memory)
    if row is None or row["content"] == version.content or change.read("memory", version.id):
        return False
    written = min(stamps.time_of(version.stamp), change.time) if version.stamp else change.time
    # The other text is a memory of its own, which the user merges, takes or drops.
    shared = synced.shared("memory", row)
    columns = shared | {
        "id": version.id,
        "content": version.content,
        "title": version.title,
        "status": "suggested",
        "pinned": False,
        "updated": written,
        "origin": rows.dumps({"type": "sync", "machine": machine}),
    }
    change.insert("memory", synced.completed("memory", columns))
    pair, contents = [version.memory, version.id], sorted((row["content"], version.content))
    if change.proposal_on(" ".join(sorted(pair))) is None:
        proposal = {
            "type": "supersede",
            "members": rows.dumps(pair),
            "status": "open",
            "pair": " ".join(sorted(pair)),
            "similarity": compare(*contents).similarity,
            "reasons": rows.dumps([f"both were written at the same time, the second on {machine}"]),
            "conflicts": "[]",
            "fingerprint": text.content_hash("\0".join(contents)),
            "created": change.time,
        }
        change.insert("proposal", proposal)
    return True

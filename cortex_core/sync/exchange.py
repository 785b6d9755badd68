"""One store's part in an exchange: its own files, what it has read of others', and both in step.

A file is written before it is noted and noted before it is sent, and another machine's file is read
in one transaction with the note that it was: whatever is killed, the next run goes on from there.
"""

import json
import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from cortex_core import __version__
from cortex_core.base import hook_io, identity
from cortex_core.base.decay import DAY
from cortex_core.base.text import counted
from cortex_core.redaction import redactor
from cortex_core.store import journal, memory_counts, scrubbing, synced, text_columns
from cortex_core.store.store import Store
from cortex_core.sync import entries as files, incoming, registers, stamps
from cortex_core.sync.outgoing import SHARE, Outgoing

FOLDER = "sync"
"""The folder next to a store with its own files."""


ReadFile = tuple[files.FileHead, list[files.Entry]]
"""What a file says of itself, and its entries."""

Scrub = Callable[[Store, Sequence[str]], object]
"""Removes secrets from a store for good: what patterns find, and these texts."""


@dataclass(slots=True)
class SeenMachine:
    """What is known of another writer."""

    name: str
    heard: float
    """When its newest file was made, Unix seconds."""
    version: str
    files: int
    """How many of its files were read."""


@dataclass(slots=True)
class ExchangeState:
    """How far a store's exchange has come."""

    writer: str = ""
    """By what other machines know this store; empty before it is shared."""
    sequence: int = 0
    """How many files it has written."""
    upto: int = 0
    """The newest journal entry that they hold."""
    ticks: int = 0
    """The latest stamp that is known here."""
    machines: dict[str, SeenMachine] = field(default_factory=dict)
    """By writer."""
    rewrite: dict[str, list[str]] | None = None
    """Where own files must be written again without what was scrubbed or deleted for good: by row,
    the columns that were scrubbed. None where they need not."""
    redacted: dict[str, list[str]] = field(default_factory=dict)
    """By memory, the columns in which a secret was found here; others still have them with it."""
    scrub_due: bool = False
    """Whether the store is still to be searched for what another machine scrubbed."""
    problems: dict[str, str] = field(default_factory=dict)
    """By writer, why its next file was not read."""
    origins: list[str] = field(default_factory=list)
    """The keys of the addresses that the project has or had at its git host, or that the user said
    are the same project's."""
    restamped: dict[str, str] = field(default_factory=dict)
    """By stamp of the future that own files still hold, the one that the store has in its place."""


def state_of(store: Store) -> ExchangeState:
    """How far a store's exchange has come."""
    held = json.loads(store.meta(synced.META) or "{}")
    machines = {name: SeenMachine(**one) for name, one in held.pop("machines", {}).items()}
    return ExchangeState(**held, machines=machines)


def count_unsent(store: Store) -> int:
    """The changes of a store that were not written for other machines yet; before it is shared,
    its memories."""
    state = state_of(store)
    if not state.writer:
        return sum(memory_counts.by_status(store).values())
    return synced.count_unsent(store, state.upto)


def changes_in(found: Iterable[files.Entry]) -> int:
    """Counts entries as users see them: one per change, and one per memory in the first share."""
    return sum(
        sum(each.table == "memory" and each.kind == "add" for each in entry.operations)
        if entry.verb == SHARE
        else int(not entry.continues)
        for entry in found
    )


class StoreExchange:
    """The exchange of one store with other machines, whatever carries the files."""

    def __init__(
        self, store: Store, machine: str, *, scrub: Scrub | None = None, origin: str = ""
    ) -> None:
        """Args:
        machine: what its user calls this machine.
        origin: the key of the project's address at its git host; empty where it has none.
        scrub: removes secrets from the store for good, those that patterns find and those
            given; called where another machine did.
        """
        self._store = store
        self._machine = machine
        self._scrub = scrub
        self._secrets: set[str] = set()
        self._folder = Path(store.path).parent / FOLDER / store.scope
        self.state = state_of(store)
        self.sent = 0
        """Changes written to files for others, see `changes_in`."""
        self.received: Counter[str] = Counter()
        """Changes read from others' files, by the name of the machine."""
        self.versions = 0
        """Texts that lost against later ones and wait in the review."""
        self.problems: list[str] = []
        """Why changes wait, the store has a new name, or verdicts differ, in sentences."""
        if origin and origin not in self.state.origins:
            self.state.origins.append(origin)

    # --- own files

    def own_files(self) -> dict[str, Path]:
        """The files that this store has written, by name."""
        place = self._folder / self.state.writer
        if not self.state.writer or not place.is_dir():
            return {}
        return {
            f"{self.state.writer}/{path.name}": path
            for path in sorted(place.iterdir())
            # A process that was killed leaves an unfinished file, whose name has a dot.
            if "." not in path.name and files.number_of(path.name) <= self.state.sequence
        }

    def write(self) -> None:
        """Write what is new in the journal to files of this store's own."""
        with self._store.write():
            self._leave_the_future()
            if is_first := not self.state.writer:
                self.state.writer = uuid.uuid4().hex[:12]
            outgoing = Outgoing(self._store, self.state.writer, self.state.ticks)
            newest = journal.newest(self._store)
            found = outgoing.everything() if is_first else outgoing.since(self.state.upto)
            found += outgoing.scrubbed(self.state.redacted)
            self.state.redacted = {}
            self.state.ticks, self.state.upto = outgoing.ticks, newest
            self._note_rewrite(found)
            # Memories that came back here get what other machines know of them besides. As an entry
            # of this writer that is not sent: the others have these rows.
            label = "add what other machines know of memories that came back"
            with self._store.change(SHARE, label, "worker", machine=self.state.writer) as change:
                for operation in (each for entry in found for each in entry.operations):
                    if operation.kind == "add" and operation.table == "memory":
                        incoming.bring_dependents(self._store, change, operation.name)
            for part in files.portions(found, files.MOST_IN_FILE, lambda each: each.weight):
                self.state.sequence += 1
                head = files.FileHead(
                    writer=self.state.writer,
                    sequence=self.state.sequence,
                    machine=self._machine,
                    made=self._store.clock(),
                    upto=self.state.upto,
                    version=__version__,
                    seen={name: one.files for name, one in self.state.machines.items()},
                    origins=self.state.origins,
                )
                self._put(head, part)
            self.sent += changes_in(found)
            self._save()
        self._rewrite()

    def _leave_the_future(self) -> None:
        """Stamp changes again that were made while the clock was ahead by more than others accept,
        in their order; own files follow. Otherwise each later change would be of the future too.

        Where another machine that was read is as far ahead, it is this clock that is wrong: behind.
        """
        limit = self._store.clock() + incoming.FURTHEST
        ahead = stamps.time_of_ticks(self.state.ticks) - self._store.clock()
        if ahead <= incoming.FURTHEST or any(
            one.heard > limit for one in self.state.machines.values()
        ):
            return
        # Of each change, what the store knows and what its file says have to stay one stamp.
        held = synced.all_stamps(self._store)
        for path in self.own_files().values():
            held += [each for entry in files.opened(path)[1] for each in entry.stamps]
        ticks = 0
        for each in sorted({each for text in held for each in stamps.found_in(text)}):
            if stamps.time_of(each) <= limit:
                ticks = stamps.ticks_of(each)
                continue
            ticks = stamps.next_ticks(ticks, self._store.clock())
            self.state.restamped[each] = stamps.stamp(ticks, stamps.writer_of(each))
        synced.restamp(self._store, self._restamped)
        self.state.ticks = ticks
        self.state.rewrite = self.state.rewrite or {}
        self.problems.append(
            f"The clock of this machine was {ahead / DAY:,.0f} days ahead in an exchange. The "
            "changes made then are dated again, so that your other machines read them."
        )

    def _restamped(self, text: str) -> str:
        return stamps.rewritten(text, self.state.restamped)

    def _put(self, head: files.FileHead, found: Sequence[files.Entry]) -> None:
        """Write one file, in place of an older one of its number."""
        data = files.packed(head, found)
        path = self._folder / files.name_of(head.writer, head.sequence, data)
        hook_io.private_folder(str(path.parent))
        hook_io.replace(str(path), data)
        for other in path.parent.iterdir():
            if files.number_of(other.name) == head.sequence and other != path:
                other.unlink()

    # --- others' files

    def settle_identity(self, names: Iterable[str], read: Callable[[str], bytes]) -> None:
        """Take a new name as a writer if another store writes under this one's: a copy of it, or
        itself before it was restored from a backup.

        Args:
            names: every file of the store that is carried.
            read: the content of one of them.
        """
        state = self.state
        own, known = state.writer, set(self.own_files())
        strangers = [
            name
            for name in names
            if own
            and name.startswith(f"{own}/")
            and name not in known
            and self._is_strange(name, read)
        ]
        if not strangers:
            return
        # Up to there both had the same files: what followed is not shared.
        shared = min(min(map(files.number_of, strangers)) - 1, state.sequence)
        with self._store.write():
            state.machines[own] = SeenMachine(self._machine, self._store.clock(), "", shared)
            last = self._own_file(shared)
            state.upto = files.opened(last)[0].upto if last else 0
            state.writer, state.sequence = uuid.uuid4().hex[:12], 0
            synced_from = state.upto
            self._save()
        self.problems.append(
            "Another copy of this store has written under the same name, or it was restored from "
            f"a backup. It goes on under a new name, from change {synced_from}."
        )

    def _is_strange(self, name: str, read: Callable[[str], bytes]) -> bool:
        """Whether a file of this store's name is of another: not one that was only written again
        since, without what was scrubbed."""
        if files.number_of(name) > self.state.sequence:
            return True
        mine = self._own_file(files.number_of(name))
        if mine is None:
            return True
        try:
            return files.unpacked(read(name), name)[0].made != files.opened(mine)[0].made
        except files.BadFile:
            return False

    def _own_file(self, sequence: int) -> Path | None:
        """The file of this number that this store has written."""
        own = self.own_files().items()
        return next((path for name, path in own if files.number_of(name) == sequence), None)

    def wanted(self, names: Iterable[str]) -> list[str]:
        """Those of the files that are carried which this store has not read."""
        read = {writer: one.files for writer, one in self.state.machines.items()}
        read[self.state.writer] = files.BEYOND
        return [
            name for name in names if files.number_of(name) > read.get(name.partition("/")[0], 0)
        ]

    def is_unlike(self, found: Mapping[str, bytes], *, same: bool = False) -> bool:
        """Whether files are of a project with the same first commit that lies elsewhere at a host:
        a fork, or one that was made from the same template.

        Args:
            same: the user says that they are one project all the same.
        """
        known = set(self.state.origins)
        for name, data in sorted(found.items()):
            with suppress(files.BadFile, files.NewerFile):
                theirs = set(files.unpacked(data, name)[0].origins)
                if not same and identity.are_unlike(known, theirs):
                    return True
                known |= theirs
        self.state.origins = sorted(known)
        return False

    def merge(self, found: Mapping[str, bytes], unreadable: Mapping[str, str] = {}) -> None:
        """Read files of other machines, each after those that its writer had read.

        Args:
            unreadable: why the next file of a writer is not among them, by writer.
        """
        self.state.problems = dict(unreadable)
        waiting = self._unpacked(found)
        merging = incoming.Incoming(self._store, self.state.writer)
        while ready := list(filter(None, (self._next(waiting, writer) for writer in waiting))):
            head, entries = min(ready, key=lambda one: one[1][0].stamp if one[1] else "")
            del waiting[head.writer][head.sequence]
            try:
                self._merge_file(merging, head, entries)
            except files.BadFile as error:
                self.state.problems[head.writer] = str(error)
                del waiting[head.writer]
        for writer, left in waiting.items():
            if left:
                self.state.problems.setdefault(
                    writer,
                    f"{counted(len(left), 'file')} of another machine wait for an earlier one that "
                    "has not arrived.",
                )
        # What follows from all that was read: texts for the review, secrets removed here too.
        with self._store.write():
            self._save()
            if merging.destroyed:
                scrubbing.rebuild_indexes(self._store)  # they would keep the words of what is gone
            listed = [each for versions in merging.versions.values() for each in versions]
            self.versions += incoming.keep_versions(self._store, listed, self.name_of)
        self._secrets |= merging.secrets
        self._rewrite()
        self.problems += self.state.problems.values()
        self.problems += (
            f"On {self.name_of(stamps.writer_of(each.stamp))} another verdict was given than here: "
            f"{each.label}. The later one holds, and what was merged or replaced stays so until "
            "you take that back. See: cortex log"
            for each in merging.opposed
        )

    def _unpacked(self, found: Mapping[str, bytes]) -> dict[str, dict[int, ReadFile]]:
        waiting: dict[str, dict[int, ReadFile]] = defaultdict(dict)
        for name, data in sorted(found.items()):
            writer = name.partition("/")[0]
            try:
                head, listed = files.unpacked(data, name)
                latest = max((stamps.time_of(entry.stamp) for entry in listed), default=0.0)
                ahead = latest - self._store.clock()
                if ahead > incoming.FURTHEST:
                    raise files.BadFile(
                        f"Changes of {head.machine} are {ahead / DAY:,.0f} days ahead of this "
                        "machine's clock, and wait. Set the clock that is wrong; then run cortex "
                        f"sync on {head.machine}, which dates them again, and here."
                    )
                waiting[writer][head.sequence] = head, listed
            except (files.BadFile, files.NewerFile) as error:
                self.state.problems.setdefault(writer, str(error))
        return waiting

    def _next(self, waiting: Mapping[str, Mapping[int, ReadFile]], writer: str) -> ReadFile | None:
        """The next file of a writer, if all that its writer had read was read here."""
        have = dict.fromkeys(waiting, 0)
        have |= {of: one.files for of, one in self.state.machines.items()}
        found = waiting[writer].get(have[writer] + 1)
        seen = found[0].seen.items() if found else ()
        return found if all(have.get(of, number) >= number for of, number in seen) else None

    def _merge_file(
        self, merging: incoming.Incoming, head: files.FileHead, listed: Sequence[files.Entry]
    ) -> None:
        before = replace(self.state, machines=dict(self.state.machines))
        try:
            with self._store.write():
                for entry in listed:
                    merging.apply(entry)
                latest = max((stamps.ticks_of(entry.stamp) for entry in listed), default=0)
                self.state.ticks = max(self.state.ticks, latest)
                self.state.machines[head.writer] = SeenMachine(
                    head.machine, head.made, head.version, head.sequence
                )
                self._note_rewrite(listed)
                self.state.redacted |= merging.redacted
                self.state.scrub_due |= any(entry.verb == "scrub" for entry in listed)
                self._save()
        except BaseException:
            self.state = before
            raise
        self.received[head.machine] += changes_in(listed)

    def name_of(self, writer: str) -> str:
        """What the user calls the machine of a writer."""
        if writer == self.state.writer:
            return self._machine
        known = self.state.machines.get(writer)
        return known.name if known else "another machine"

    # --- what must not stay in own files

    def _note_rewrite(self, found: Iterable[files.Entry]) -> None:
        """Note that own files must be written again, if entries scrubbed or destroyed something."""
        for entry in found:
            destroys = any(each.kind == "destroy" for each in entry.operations)
            if entry.verb != "scrub" and not destroys:
                continue
            noted = self.state.rewrite = self.state.rewrite or {}
            if entry.verb == "scrub":
                for each in entry.operations:
                    noted[each.object] = sorted({*noted.get(each.object, ()), *each.columns})

    def _rewrite(self) -> None:
        """Remove from the store what another machine scrubbed, and write own files again without
        what was scrubbed or deleted for good, if that is due."""
        if self.state.scrub_due:
            scrubbing.overwrite_freed_pages(self._store)
            if self._scrub is not None:
                self._scrub(self._store, sorted(self._secrets))
        if (noted := self.state.rewrite) is not None:
            # By scrubbed row, what its columns hold now; nothing of what is no memory, or gone.
            now: dict[str, registers.Row] = {object: {} for object in noted}
            for object in filter(lambda each: each.startswith("memory:"), noted):
                name = object.removeprefix("memory:")
                for row in journal.whole_rows(self._store, "memory", "id = ?", name):
                    now[object] = {column: row[column] for column in noted[object]}
            names = self._rewrite_files(now)
            with self._store.write():
                synced.rename(self._store, names)
                self.state.rewrite, self.state.scrub_due = None, False
                self.state.restamped = {}
                self._save()

    def _rewrite_files(self, now: Mapping[str, registers.Row]) -> Mapping[str, str]:
        """Write own files again.

        Returns:
            The new names of rows: that of a source is made of what it says.
        """
        gone = {
            object: registers.unpacked(packed).destroyed or stamps.NONE
            for object, packed in synced.destroyed(self._store)
        }
        cleaned = []
        for head, found in map(files.opened, self.own_files().values()):
            restamped = (files.restamped(entry, self._restamped) for entry in found)
            cleaned.append((head, [self._without_past(each, now, gone) for each in restamped]))
        # A source is named by what it says, so without a secret it has another name.
        names = {
            each.object: name
            for _, found in cleaned
            for entry in found
            for each in entry.operations
            if each.kind == "add"
            and (name := synced.object_of(each.table, each.columns)) != each.object
        }
        for head, found in cleaned:
            renamed = (
                [replace(one, object=names.get(one.object, one.object)) for one in entry.operations]
                for entry in found
            )
            pairs = zip(found, renamed, strict=True)
            self._put(head, [replace(entry, operations=tuple(made)) for entry, made in pairs])
        return names

    def _without_past(
        self, entry: files.Entry, now: Mapping[str, registers.Row], gone: Mapping[str, str]
    ) -> files.Entry:
        """An entry without what was scrubbed and destroyed.

        Args:
            now: by scrubbed row, what its columns hold now.
            gone: by memory that was deleted for good, the stamp of that.
        """
        known, kept = redactor.shared(tuple(map(re.escape, sorted(self._secrets)))), []
        for one in entry.operations:
            if not _is_gone(one, gone):
                current = now.get(one.object, {})
                columns = {name: current.get(name, value) for name, value in one.columns.items()}
                without = text_columns.filtered(known, one.table, columns)
                kept.append(replace(one, columns=self._store.filtered(one.table, without)))
        is_whole = len(kept) == len(entry.operations) and not any(
            each.object in now for each in kept
        )
        label = self._store.clean(entry.label) if is_whole else entry.verb
        return replace(entry, operations=tuple(kept), label=label)

    def _save(self) -> None:
        self._store.set_meta(synced.META, json.dumps(asdict(self.state), separators=(",", ":")))


def _is_gone(operation: registers.Operation, gone: Mapping[str, str]) -> bool:
    """Whether an operation is about a memory that was deleted for good since."""
    if operation.table == "memory":
        end = gone.get(operation.object, stamps.NONE)
        return operation.kind != "destroy" and operation.after < end
    memories = (f"memory:{name}" for name in synced.memories_of(operation.object))
    return any(operation.stamp < gone.get(memory, stamps.NONE) for memory in memories)

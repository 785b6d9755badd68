"""One exchange through one remote: fetch, then merge into each store, then send in one step."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from cortex_core.base.errors import SyncError
from cortex_core.records.machines import SyncedRemote, SyncedStore
from cortex_core.records.memory import OwnScope
from cortex_core.store.workspace import Workspace
from cortex_core.sync import entries as files
from cortex_core.sync.carriers.protocol import is_entry
from cortex_core.sync.encryption import Cipher
from cortex_core.sync.exchange import Scrub, StoreExchange, changes_in, count_unsent
from cortex_core.sync.remotes import Remote, Remotes


class TakingPart(NamedTuple):
    """A store that takes part in a remote."""

    scope: OwnScope
    keys: tuple[str, ...]
    """By which machines know it, the best first. Another machine may know some of them only, so it
    is read from and written to all of them that are there."""
    origin: str = ""
    """The key of the project's address at its git host; empty where it has none."""


class RemoteRun:
    """Exchanges stores with what is at one remote."""

    def __init__(
        self,
        workspace: Workspace,
        remotes: Remotes,
        remote: Remote,
        cipher: Cipher,
        scrub: Scrub,
        *,
        same: bool = False,
    ) -> None:
        """Args:
        scrub: removes secrets from a store for good.
        same: the user says that projects of one first commit and different origins are one.
        """
        self._same = same
        self._workspace = workspace
        self._remotes = remotes
        self._remote = remote
        self._cipher = cipher
        self._scrub = scrub
        self._carrier = remotes.carrier(remote)
        self._machine = remotes.machine().name

    def exchanged(self, stores: Iterable[TakingPart]) -> SyncedRemote:
        """Exchange what is new; what came of it.

        Raises:
            SyncError: the remote cannot be used; what was merged before that stays.
            StoreError: a store cannot be written.
        """
        self._carrier.fetch()
        done: list[SyncedStore] = []
        put: dict[str, Path] = {}
        remove: list[str] = []
        for each in stores:
            report, (its_put, its_remove) = self._exchange_store(each)
            done.append(report)
            put |= its_put
            remove += its_remove
        return SyncedRemote(
            name=self._remote.name, stores=tuple(done), kept=self._publish(put, remove)
        )

    def rehearsed(self, stores: Iterable[TakingPart]) -> SyncedRemote:
        """What an exchange would do, without doing it."""
        self._carrier.fetch()
        return SyncedRemote(
            name=self._remote.name, stores=tuple(self._rehearse_store(each) for each in stores)
        )

    # --- one store

    def _exchange_store(
        self, part: TakingPart
    ) -> tuple[SyncedStore, tuple[dict[str, Path], list[str]]]:
        store = self._workspace.store(part.scope)
        one = StoreExchange(store, self._machine, scrub=self._scrub, origin=part.origin)
        there = self._there(part)
        one.settle_identity(there, lambda name: self._read_own(there[name]))
        found, unreadable = self._read({name: there[name] for name in one.wanted(there)})
        # Before anything is written: what two projects learned is not to be taken apart again.
        if one.is_unlike(found, same=self._same):
            return self._refused(part), ({}, [])
        before = one.state.sequence
        one.write()
        one.merge(found, unreadable)
        one.write()  # the versions for the review
        outbox = self._outbox(part, one)
        sent = one.sent + _late(outbox[0], before, there)
        return SyncedStore(
            scope=part.scope,
            sent=sent,
            received=dict(one.received),
            versions=one.versions,
            problems=tuple(dict.fromkeys(one.problems)),
        ), outbox

    def _refused(self, part: TakingPart) -> SyncedStore:
        name = self._remote.name
        said = (
            f"Another project takes part in {name} that has the same first commit and another "
            "origin: a fork, or made from one template. Nothing of this one was exchanged. If they "
            f"are one project: cortex sync run {name} --same. If not: cortex sync add {name} --as "
            "NAME"
        )
        return SyncedStore(scope=part.scope, problems=(said,), unlike=True)

    def _rehearse_store(self, part: TakingPart) -> SyncedStore:
        store = self._workspace.existing(part.scope)
        there = self._there(part)
        one = StoreExchange(store, self._machine, origin=part.origin) if store else None
        wanted = one.wanted(there) if one else list(there)
        found, problems = self._read({name: there[name] for name in wanted})
        if one is not None and one.is_unlike(found):
            return self._refused(part)
        received: dict[str, int] = {}
        for name, data in found.items():
            try:
                head, listed = files.unpacked(data, name)
            except SyncError as error:
                problems[name.partition("/")[0]] = str(error)
                continue
            received[head.machine] = received.get(head.machine, 0) + changes_in(listed)
        own = one.own_files() if one else {}
        unsent = {name: path for name, path in own.items() if name not in there}
        written = one.state.sequence if one else 0
        return SyncedStore(
            scope=part.scope,
            received=received,
            problems=tuple(problems.values()),
            sent=(count_unsent(store) if store else 0) + _late(unsent, written, there),
        )

    # --- what is at the other end

    @cached_property
    def _names(self) -> list[str]:
        return [name for name in self._carrier.names() if is_entry(name)]

    def _there(self, part: TakingPart) -> dict[str, str]:
        """The files of a store: by their names below its key, where they are."""
        found: dict[str, str] = {}
        for name in self._names:
            key, _, rest = name.partition("/")
            if key in part.keys:
                found.setdefault(rest, name)
        return found

    def _read(self, names: Mapping[str, str]) -> tuple[dict[str, bytes], dict[str, str]]:
        """Files by their names below the key of their store, and, by writer, why one cannot be
        read."""
        short = {whole: name for name, whole in names.items()}
        found: dict[str, bytes] = {}
        unreadable: dict[str, str] = {}
        for whole, data in self._carrier.read(names.values()):
            try:
                found[short[whole]] = self._cipher.open(data)
            except SyncError as error:
                unreadable[short[whole].partition("/")[0]] = str(error)
        return found, unreadable

    def _read_own(self, name: str) -> bytes:
        try:
            return self._cipher.open(dict(self._carrier.read([name])).get(name, b""))
        except SyncError as error:
            raise files.BadFile(str(error)) from error

    # --- sending

    def _outbox(self, part: TakingPart, one: StoreExchange) -> tuple[dict[str, Path], list[str]]:
        own = one.own_files()
        used = {name.partition("/")[0] for name in self._names}.intersection(part.keys)
        put: dict[str, Path] = {}
        remove: list[str] = []
        for key in used or {part.keys[0]}:
            begin = f"{key}/{one.state.writer}/"
            there = {name for name in self._names if name.startswith(begin)}
            mine = {f"{key}/{name}": path for name, path in own.items()}
            put |= {name: path for name, path in mine.items() if name not in there}
            remove += sorted(there.difference(mine))
        return put, remove

    def _publish(self, put: Mapping[str, Path], remove: Sequence[str]) -> str:
        """Send own files; what the other end still keeps of those that were written again."""
        if remove and not self._remote.keeps_past:
            self._remote = self._remotes.note(self._remote.name, keeps_past=True)
        if put or remove:
            self._carrier.publish(
                {name: self._cipher.seal(path.read_bytes()) for name, path in put.items()}, remove
            )
        if not self._remote.keeps_past:
            return ""
        kept = self._carrier.forget_past()
        self._remotes.note(self._remote.name, keeps_past=False)
        return kept


def _late(put: Mapping[str, Path], sequence: int, there: Iterable[str]) -> int:
    """The changes in files that were written in an earlier run, up to `sequence`, and reach the
    other end only now: it was out of reach, or is new."""
    known = {_number(name) for name in there}
    paths = {
        path
        for name, path in put.items()
        if _number(name) not in known and files.number_of(path.name) <= sequence
    }
    return sum(changes_in(files.opened(path)[1]) for path in paths)


def _number(name: str) -> str:
    """Writer and number of a file, which it keeps when it is written again."""
    return "/".join(name.split("/")[-2:]).partition("-")[0]

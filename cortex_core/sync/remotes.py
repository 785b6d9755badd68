"""Which remotes this machine exchanges files with, which stores take part, and who it is itself.

The list is on the global side, never in a project: a cloned project sends no memory anywhere.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from cortex_core.base import hook_io
from cortex_core.base.errors import NotFound, SyncError, UsageError
from cortex_core.base.project import REMOTES
from cortex_core.sync.carriers.protocol import Carrier
from cortex_core.sync.carriers.targets import Kind, Target, carrier_of

VERSION = 1

LONGEST_NAME = 32

_NAME = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_NAME - 1}}}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """This machine, as the others know it."""

    id: str
    """32 hex digits; random, so that it says nothing of the machine."""
    name: str
    """What a user calls it: at first its host name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A place through which one's machines exchange files. Times are Unix seconds."""

    name: str
    kind: Kind
    address: str
    """May contain a password: show `target.shown`."""
    is_encrypted: bool
    added: float
    stores: Mapping[str, str] = field(default_factory=dict)
    """What each store that takes part is called, by its key: a project's, or `global`."""
    succeeded: float | None = None
    """When everything was exchanged the last time; None: never."""
    error: str = ""
    """Why the last exchange failed; empty if it did not."""
    keeps_past: bool = False
    """Whether old versions of this machine's files are there that must become unreachable."""

    @property
    def target(self) -> Target:
        """Where it is."""
        return Target(self.kind, self.address)


@dataclass(frozen=True, slots=True)
class _Contents:
    """What the file of remotes holds."""

    machine: Machine
    remotes: tuple[Remote, ...] = ()


class Remotes:
    """The remotes of this machine, in one file below the global side."""

    def __init__(self, home: str | Path) -> None:
        """Use the global side `home`; nothing is written before it is needed."""
        self._path = Path(home, REMOTES)
        self._folder = self._path.parent

    # --- this machine

    def machine(self) -> Machine:
        """This machine; its id is made when it is asked for the first time."""
        if not self._path.exists():
            self._change(lambda found: found)
        return self._read().machine

    def rename_machine(self, name: str) -> Machine:
        """Call this machine `name` from now on.

        Raises:
            UsageError: nothing of the name can be printed.
        """
        cleaned = _cleaned(name)
        if not cleaned:
            raise UsageError(f"{name!r} is no name for a machine. Nothing was changed.")
        return self._change(
            lambda found: replace(found, machine=replace(found.machine, name=cleaned))
        ).machine

    def renew_machine(self) -> Machine:
        """Give this machine another id: where its folders were copied from another one."""
        return self._change(
            lambda found: replace(found, machine=replace(found.machine, id=uuid.uuid4().hex))
        ).machine

    # --- remotes

    def all(self) -> list[Remote]:
        """All remotes, in the order they were added."""
        return list(self._read().remotes) if self._path.exists() else []

    def get(self, name: str) -> Remote:
        """The remote called `name`.

        Raises:
            NotFound: there is none.
        """
        return self._find(self._read() if self._path.exists() else None, name)

    def add(self, name: str, target: Target, *, encrypted: bool, now: float) -> Remote:
        """Add a remote that no store takes part in yet.

        Raises:
            UsageError: the name is taken or no name, or another remote has this target.
        """
        made = Remote(
            name=_valid(name),
            kind=target.kind,
            address=target.address,
            is_encrypted=encrypted,
            added=now,
        )

        def change(found: _Contents) -> _Contents:
            for other in found.remotes:
                if other.name == name or other.target == target:
                    raise UsageError(
                        f"There is a remote {other.name} already, with {other.target.shown}. "
                        "Nothing was changed. Remove it first, or choose another name or target."
                    )
            return replace(found, remotes=(*found.remotes, made))

        self._change(change)
        return made

    def remove(self, name: str) -> Remote:
        """Forget a remote, its key and what was fetched from it; what is there stays there."""
        gone = self.get(name)
        self._change(
            lambda found: replace(
                found, remotes=tuple(other for other in found.remotes if other.name != name)
            )
        )
        self.discard(name)
        return gone

    def discard(self, name: str) -> None:
        """Remove what was fetched from a remote, and its key."""
        self.key_path(name).unlink(missing_ok=True)
        shutil.rmtree(self._cache(name), ignore_errors=True)

    def attach(self, name: str, store: str, label: str) -> Remote:
        """Let the store with the key `store`, which a user knows as `label`, take part."""
        return self._update(
            name, lambda found: replace(found, stores={**found.stores, store: label})
        )

    def detach(self, name: str, store: str) -> Remote:
        """Let a store take part no longer; what it sent stays at the other end."""
        return self._update(
            name,
            lambda found: replace(
                found, stores={key: label for key, label in found.stores.items() if key != store}
            ),
        )

    def note_success(self, name: str, now: float) -> Remote:
        """Note that everything was exchanged."""
        return self._update(name, lambda found: replace(found, succeeded=now, error=""))

    def note_failure(self, name: str, error: str) -> Remote:
        """Note why an exchange failed; when the last one succeeded stays."""
        return self._update(name, lambda found: replace(found, error=error))

    def note_past(self, name: str, kept: bool) -> Remote:
        """Note whether old versions of this machine's files are there that must not stay."""
        return self._update(name, lambda found: replace(found, keeps_past=kept))

    # --- what belongs to a remote

    def carrier(self, remote: Remote) -> Carrier:
        """What carries its files."""
        return carrier_of(remote.target, self._cache(remote.name), self.machine().id)

    def key_path(self, name: str) -> Path:
        """The file of the key that its files are encrypted with."""
        return self._folder / "keys" / _valid(name)

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Hold all remotes for this process; False where another one is exchanging files."""
        with self._locked("exchange.lock", wait=False) as held:
            yield held

    def _cache(self, name: str) -> Path:
        return self._folder / f"{_valid(name)}.git"

    # --- the file

    def _update(self, name: str, change: Callable[[Remote], Remote]) -> Remote:
        def change_one(found: _Contents) -> _Contents:
            self._find(found, name)
            return replace(
                found,
                remotes=tuple(
                    change(other) if other.name == name else other for other in found.remotes
                ),
            )

        return self._find(self._change(change_one), name)

    def _find(self, found: _Contents | None, name: str) -> Remote:
        remotes = found.remotes if found else ()
        for remote in remotes:
            if remote.name == name:
                return remote
        known = ", ".join(remote.name for remote in remotes) or "none"
        raise NotFound(f"There is no remote {name!r}. Nothing was changed. Remotes: {known}")

    def _change(self, change: Callable[[_Contents], _Contents]) -> _Contents:
        """Read the file, change what it holds, and write it, as one step among all processes."""
        with self._locked("remotes.lock", wait=True):
            made = change(self._read() if self._path.exists() else _new())
            try:
                hook_io.replace(str(self._path), _text(made))
            except OSError as error:
                raise self._unusable(error) from error
        return made

    def _read(self) -> _Contents:
        try:
            data = self._path.read_bytes()
        except OSError as error:
            raise self._unusable(error) from error
        try:
            return _parsed(json.loads(data))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise self._damaged() from error

    def _damaged(self) -> SyncError:
        """Keep a damaged file under another name, so that the next command can begin."""
        aside = self._path.with_name(f"remotes.json.damaged-{os.urandom(3).hex()}")
        self._path.rename(aside)
        return SyncError(
            f"The list of remotes was damaged and is kept as {aside}. Nothing else was changed. "
            "Add the remotes again with: cortex sync add"
        )

    @contextmanager
    def _locked(self, name: str, *, wait: bool) -> Iterator[bool]:
        try:
            hook_io.private_folder(str(self._folder))
            descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            yield hook_io.lock(descriptor, wait=wait)
        finally:
            os.close(descriptor)

    def _unusable(self, error: OSError) -> SyncError:
        return SyncError(
            f"The list of remotes in {self._folder} cannot be used: {error.strerror}. Nothing was "
            "changed. Make the folder writable, or choose another one with CORTEX_HOME."
        )


def _valid(name: str) -> str:
    """`name`, which also names files.

    Raises:
        UsageError: it is not short, or has other letters than small ones, digits and hyphens.
    """
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"{name!r} is no name for a remote: up to {LONGEST_NAME} small letters, digits and "
            "hyphens. Nothing was changed."
        )
    return name


def _cleaned(name: str) -> str:
    """The name of a machine without its domain, blanks around it and what cannot be printed."""
    shown = "".join(letter for letter in name if letter.isprintable())
    return shown.strip().removesuffix(".local")[:LONGEST_NAME]


def _new() -> _Contents:
    host = _cleaned(socket.gethostname().partition(".")[0])
    return _Contents(Machine(id=uuid.uuid4().hex, name=host or "machine"))


def _text(contents: _Contents) -> str:
    made = {
        "version": VERSION,
        "machine": asdict(contents.machine),
        "remotes": [asdict(remote) for remote in contents.remotes],
    }
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _parsed(data: Mapping[str, Any]) -> _Contents:
    """What the file holds.

    Raises:
        SyncError: a newer Cortex wrote it.
        ValueError, TypeError, KeyError, AttributeError: it is damaged.
    """
    if data["version"] > VERSION:
        raise SyncError(
            "The list of remotes was written by a newer Cortex. Nothing was changed. Update this "
            "one."
        )
    machine = Machine(**data["machine"])
    if re.fullmatch(r"[0-9a-f]{32}", machine.id) is None:
        raise ValueError("not an id of a machine")
    return _Contents(machine, tuple(_remote(each) for each in data["remotes"]))


def _remote(each: Mapping[str, Any]) -> Remote:
    made = Remote(**each)
    if _NAME.fullmatch(made.name) is None or made.kind not in get_args(Kind):
        raise ValueError("not a remote")
    return replace(made, stores={str(key): str(label) for key, label in made.stores.items()})

"""Which remotes this machine exchanges files with, which stores take part, and who it is itself.

The list is on the global side, never in a project: a cloned project sends no memory anywhere.
"""

import json
import os
import shutil
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from cortex_core.base import hook_io
from cortex_core.base.errors import NotFound, SyncError, UsageError
from cortex_core.base.project import REMOTES
from cortex_core.base.text import is_hex
from cortex_core.sync.carriers.protocol import Carrier, is_folder
from cortex_core.sync.carriers.targets import Kind, Target, carrier_of

VERSION = 1

LONGEST_NAME = 32


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
            self._change(lambda held: held)
        return self._read().machine

    def rename_machine(self, name: str) -> Machine:
        """Call this machine `name` from now on.

        Raises:
            UsageError: nothing of the name can be printed.
        """
        cleaned = _cleaned(name)
        if not cleaned:
            raise UsageError(f"{name!r} is no name for a machine. Nothing was changed.")
        return self._change_machine(name=cleaned)

    def renew_machine(self) -> Machine:
        """Give this machine another id: where its folders were copied from another one."""
        return self._change_machine(id=uuid.uuid4().hex)

    def _change_machine(self, **values: str) -> Machine:
        return self._change(
            lambda held: replace(held, machine=replace(held.machine, **values))
        ).machine

    # --- remotes

    def all(self) -> list[Remote]:
        """All remotes, in the order they were added."""
        return list(self._read().remotes)

    def get(self, name: str) -> Remote:
        """The remote called `name`.

        Raises:
            NotFound: there is none.
        """
        return _named(self._read(), name)

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
            lambda held: replace(
                held, remotes=tuple(other for other in held.remotes if other.name != name)
            )
        )
        self.discard(name)
        return gone

    def discard(self, name: str) -> None:
        """Remove what was fetched from a remote, and its key."""
        self.key_path(name).unlink(missing_ok=True)
        shutil.rmtree(self._cache(name), ignore_errors=True)

    def note(self, name: str, stores: Mapping[str, str | None] = {}, **values: Any) -> Remote:
        """Note something of a remote; returns it as it is then.

        Args:
            stores: what users call each store that takes part from now on, by its key; None: it
                takes part no longer, and what it sent stays at the other end.
            values: other fields of `Remote`.

        Raises:
            NotFound: there is no such remote.
        """

        def change(held: _Contents) -> _Contents:
            wanted = _named(held, name)
            taking = {**wanted.stores, **stores}
            kept = {key: label for key, label in taking.items() if label is not None}
            noted = replace(wanted, stores=kept, **values)
            found = (noted if each is wanted else each for each in held.remotes)
            return replace(held, remotes=tuple(found))

        return _named(self._change(change), name)

    # --- what belongs to a remote

    def carrier(self, remote: Remote) -> Carrier:
        """What carries its files."""
        return carrier_of(remote.target, self._cache(remote.name), self.machine().id)

    def key_path(self, name: str) -> Path:
        """The file of the key that its files are encrypted with."""
        return self._folder / "keys" / _valid(name)

    def lock(self) -> AbstractContextManager[bool]:
        """Hold all remotes for this process; False where another one is exchanging files."""
        return self._locked("exchange.lock", wait=False)

    def _cache(self, name: str) -> Path:
        return self._folder / f"{_valid(name)}.git"

    # --- the file

    def _change(self, change: Callable[[_Contents], _Contents]) -> _Contents:
        """Read the file, change what it holds, and write it, as one step among all processes."""
        with self._locked("remotes.lock", wait=True):
            made = change(self._read())
            shape = {"version": VERSION, **asdict(made)}
            try:
                hook_io.replace(str(self._path), json.dumps(shape, indent=2, ensure_ascii=False))
            except OSError as error:
                raise self._unusable(error) from error
        return made

    def _read(self) -> _Contents:
        """What the file holds; before the first remote, a machine with another id each time."""
        try:
            return _parsed(json.loads(self._path.read_bytes()))
        except FileNotFoundError:
            host = _cleaned(socket.gethostname().partition(".")[0])
            return _Contents(Machine(id=uuid.uuid4().hex, name=host or "machine"))
        except OSError as error:
            raise self._unusable(error) from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            # Under another name, so that the next command can begin.
            aside = self._path.with_name(f"remotes.json.damaged-{os.urandom(3).hex()}")
            self._path.rename(aside)
            raise SyncError(
                f"The list of remotes was damaged and is kept as {aside}. Nothing else was "
                "changed. Add the remotes again with: cortex sync add"
            ) from error

    @contextmanager
    def _locked(self, name: str, *, wait: bool) -> Iterator[bool]:
        try:
            hook_io.private_folder(str(self._folder))
            descriptor = hook_io.opened(str(self._folder / name), os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise self._unusable(error) from error
        with os.fdopen(descriptor):
            yield hook_io.lock(descriptor, wait=wait)

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
    if not (is_folder(name) and len(name) <= LONGEST_NAME):
        raise UsageError(
            f"{name!r} is no name for a remote: up to {LONGEST_NAME} small letters, digits and "
            "hyphens. Nothing was changed."
        )
    return name


def _cleaned(name: str) -> str:
    """The name of a machine without its domain, blanks around it and what cannot be printed."""
    shown = "".join(letter for letter in name if letter.isprintable())
    return shown.strip().removesuffix(".local")[:LONGEST_NAME]


def _named(held: _Contents, name: str) -> Remote:
    """The remote called `name`.

    Raises:
        NotFound: there is none.
    """
    for remote in held.remotes:
        if remote.name == name:
            return remote
    known = ", ".join(remote.name for remote in held.remotes) or "none"
    raise NotFound(
        f"There is no remote {name!r}. Nothing was changed. Remotes: {known}. To add one: "
        "cortex sync add NAME TARGET, a git repository, host:folder or a folder"
    )


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
    if len(machine.id) != 32 or not is_hex(machine.id):
        raise ValueError("not an id of a machine")
    remotes = tuple(Remote(**each) for each in data["remotes"])
    for one in remotes:
        is_named = is_folder(one.name) and len(one.name) <= LONGEST_NAME
        if not (is_named and one.kind in get_args(Kind) and isinstance(one.stores, dict)):
            raise ValueError("not a remote")
    return _Contents(machine, remotes)

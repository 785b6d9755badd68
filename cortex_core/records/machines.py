"""What the exchange between machines returns: what it did, and how far it has come."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from cortex_core.base import text
from cortex_core.records.as_json import Moment
from cortex_core.records.memory import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncedStore:
    """What an exchange with other machines did to one store, or would do."""

    scope: Scope
    sent: int = 0
    """Changes that are new to the remote: one per change, and one per memory when a store is shared
    for the first time."""
    received: Mapping[str, int] = field(default_factory=dict)
    """Changes that came, by the name of the machine."""
    versions: int = 0
    """Memories that were written on two machines at once and wait in the review."""
    problems: tuple[str, ...] = ()
    """Why changes of some machines wait, the store's name is new, or verdicts differ."""
    unlike: bool = False
    """Whether nothing was exchanged, because another project has the same first commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncedRemote:
    """What came of the exchange through one remote."""

    name: str
    stores: tuple[SyncedStore, ...] = ()
    error: str = ""
    """Why it failed; empty where it did not."""
    kept: str = ""
    """After a scrub or a deletion: what the remote may still keep, and how to take it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What came of an exchange through every remote."""

    JSON: ClassVar = ("sent", "received", "versions", "failed", "dry_run", "remotes")

    remotes: tuple[SyncedRemote, ...]
    dry_run: bool = False

    @property
    def stores(self) -> tuple[SyncedStore, ...]:
        """What was done to the stores, by remote."""
        return tuple(store for remote in self.remotes for store in remote.stores)

    @property
    def sent(self) -> int:
        """Changes that were sent; what several remotes were sent counts once."""
        most: dict[Scope, int] = {}
        for store in self.stores:
            most[store.scope] = max(most.get(store.scope, 0), store.sent)
        return sum(most.values())

    @property
    def received(self) -> Mapping[str, int]:
        """Changes that came, by the name of the machine."""
        found: dict[str, int] = {}
        for store in self.stores:
            for machine, number in store.received.items():
                found[machine] = found.get(machine, 0) + number
        return found

    @property
    def versions(self) -> int:
        """Memories that were written on two machines at once and wait in the review."""
        return sum(store.versions for store in self.stores)

    @property
    def sentence(self) -> str:
        """What came of it: “Sent 12 changes, received 3 from laptop.”"""
        sent = text.counted(self.sent, "change") if self.sent else "nothing"
        came = [f"{number:,} from {name}" for name, number in self.received.items() if number]
        received = ", ".join(came) or "nothing"
        if self.dry_run:
            return f"Would send {sent}, and receive {received}."
        # Where something waits or was refused, nobody knows whether all is the same.
        if not self.sent and not came and not any(store.problems for store in self.stores):
            return "Nothing is new, here and there."
        return f"Sent {sent}, received {received}."

    @property
    def failed(self) -> bool:
        """Whether a remote could not be used."""
        return any(remote.error for remote in self.remotes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteState:
    """A place through which the user's machines exchange files. Times are Unix seconds."""

    name: str
    kind: Literal["git", "ssh", "folder"]
    address: str
    """Without a password."""
    encrypted: bool
    added: Moment
    succeeded: Moment | None
    """When everything was exchanged the last time; None: never."""
    error: str
    """Why the last exchange failed; empty if it did not."""
    stores: tuple[str, ...]
    """What takes part: the names of projects, and `global`."""
    here: tuple[Scope, ...]
    """The stores of this project that take part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherMachine:
    """Another machine of the user, as one store knows it."""

    name: str
    scope: Scope
    heard: Moment
    """When it wrote the newest of its files that was read here, Unix seconds, by its clock."""
    version: str
    """The version of Cortex that it has."""
    problem: str = ""
    """Why its next changes wait; empty if they do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncStatus:
    """Through which remotes this machine exchanges memories, and how far that has come."""

    machine: str
    """What this machine is called; empty before the first remote is added."""
    remotes: tuple[RemoteState, ...]
    waiting: Mapping[Scope, int]
    """By store that takes part, the changes that were not written for other machines yet."""
    machines: tuple[OtherMachine, ...]
    after_session: bool
    """Whether the worker exchanges after a session's end."""
    versions: int = 0
    """Memories that were written on two machines at once and wait in the review."""

    @property
    def remotes_here(self) -> tuple[RemoteState, ...]:
        """The remotes in which a store of this project takes part."""
        return tuple(remote for remote in self.remotes if remote.here)

    @property
    def is_used(self) -> bool:
        """Whether anything here takes part in a remote."""
        return bool(self.remotes_here)

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of those of them with which the last exchange failed."""
        return tuple(remote.name for remote in self.remotes_here if remote.error)

    @property
    def last(self) -> float:
        """Since when everything was exchanged with each of them, Unix seconds; 0: never."""
        return min((remote.succeeded or 0.0 for remote in self.remotes_here), default=0.0)

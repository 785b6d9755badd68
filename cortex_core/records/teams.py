"""The frozen dataclasses that a hub and those who use it exchange.

Times are Unix seconds of the server's clock. Ids are UUIDs in their usual form.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from cortex_core.records.as_json import Moment
from cortex_core.records.memory import Memory

Rights = Literal["member", "maintainer"]
RequestKind = Literal["add", "change", "remove", "revert"]
RequestStatus = Literal["open", "approved", "rejected", "withdrawn"]
Verdict = Literal["approved", "rejected", "withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HubIdentity:
    """Which hub this is; a replica follows one identity and one epoch."""

    id: str
    epoch: int
    """Raised by the owner of the database after a backup was restored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamState:
    """A team of the user."""

    id: str
    name: str
    created: Moment
    sequence: int
    """The number of the last entry of its log; 0 before the first."""
    rights: Rights
    """The user's own."""
    members: int
    open_requests: int
    self_approval: bool
    """Whether members may approve what they propose; a member who is alone may always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member of a team, of today or of the past."""

    role: str
    """The login in PostgreSQL: author and approver are named by it."""
    display: str
    rights: Rights
    joined: Moment
    departed: Moment | None = None
    version: str = ""
    """The version of Cortex that they used last."""
    seen: Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory of a request or of a log entry: as it is written, or that it is removed."""

    id: str
    memory: Mapping[str, Any] | None
    """Its whole shape, by the names of `fields.py`, without what the hub states itself (author,
    scope); None: it is removed."""
    base: int = 0
    """The number of the entry that wrote the memory as it was before; 0: it was not there."""
    author: str = ""
    """Of an entry: who proposed this memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A memory pull request."""

    id: str
    """Made by whoever proposes: the same id again is the same request."""
    team: str
    project: str
    """The key of the project; empty: the memories are for every project of the team."""
    kind: RequestKind
    reason: str
    items: tuple[Item, ...]
    author: str = ""
    created: Moment = 0.0
    status: RequestStatus = "open"
    decided_by: str = ""
    decided: Moment | None = None
    note: str = ""
    sequence: int | None = None
    """The entry that carried it out."""


HELD = "It reads like an order to an agent, so it would wait in quarantine."
"""What is said of a memory that the receiving side would not trust."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """One memory of a request, for whoever decides on it."""

    before: Memory | None
    """As the replica has it; None: it is new here."""
    after: Memory | None
    """As an approval would let it arrive here, checked like all that arrives; None: it is removed,
    or refused."""
    problem: str = ""
    """Why it would be refused on its arrival; empty where it would not."""

    @property
    def title(self) -> str:
        """What it is called."""
        named = self.after or self.before
        return named.title if named else "a memory that is not here"

    @property
    def warning(self) -> str:
        """What speaks against it, in a sentence; empty if nothing."""
        is_held = self.after is not None and self.after.status == "quarantined"
        return self.problem or (HELD if is_held else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestReview:
    """A request with all that a decision on it needs."""

    request: Request
    team: str
    """The team's name."""
    memories: tuple[Proposed, ...]
    reach: Literal["project", "team", "elsewhere"]
    """For whom its memories are: this project, every project of the team, or another project."""
    is_mine: bool
    """Whether the user made it."""

    @property
    def title(self) -> str:
        """What it is called: its first memory."""
        return self.memories[0].title if self.memories else "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class HubEntry:
    """One entry of a team's log."""

    sequence: int
    """From 1, without gaps."""
    time: Moment
    author: str
    approver: str
    request: str
    verb: Literal["add", "change", "remove", "revert", "erase"]
    project: str
    audience: str
    """Whom it concerns: the project, or everyone (empty) where other projects had a memory of it
    before. Each audience's entries are a chain."""
    edited: bool
    """Whether the approver changed what was proposed."""
    erased: bool
    """Whether texts in it were erased later; its digest is still that of the first form."""
    items: tuple[Item, ...]
    hash: bytes
    proof: tuple[bytes, bytes] = field(repr=False)
    """What the hash is made of after the previous hash: the digest, and the rest in one text."""
    items_digest: bytes = field(repr=False)
    """The digest of the items as they arrived."""
    problem: str = ""
    """Why some of it is not among `items`; empty where all is."""

    def follows(self, previous: bytes) -> bool:
        """Whether it is its audience's entry after the one with the hash `previous` (empty: the
        first).

        False means that the hub's past is another one: a backup was restored, or the log was
        edited.
        """
        from hashlib import sha256

        digest, rest = self.proof
        made = sha256(previous + digest + rest).digest()
        return made == self.hash and (self.erased or self.items_digest == digest)


class Place(NamedTuple):
    """How far an audience's entries go."""

    sequence: int
    """Of the last one."""
    hash: bytes
    """Of that one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubMemory:
    """A memory as a hub states it."""

    id: str
    memory: Mapping[str, Any]
    """Its whole shape, as in an `Item`."""
    author: str
    approver: str
    request: str
    """The id of the request that brought it so."""
    project: str
    """The key of its project; empty: it is for every project of the team."""
    sequence: int
    """The number of the entry that wrote it."""
    time: Moment
    """When that was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsearchable:
    """A memory on a hub whose words or vectors nobody sent."""

    id: str
    sequence: int
    """The number of the entry that wrote it."""
    title: str
    content: str
    tags: tuple[str, ...]
    kind: str
    has_words: bool
    has_vectors: bool
    """Whether it has vectors, or needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubHit:
    """A memory on a hub that answers a query."""

    id: str
    memory: Mapping[str, Any]
    """Its whole shape, as in an `Item`; it was not checked as what arrives in a replica is."""
    project: str
    """The key of its project; empty: it is for every project of the team."""
    author: str
    approver: str
    sequence: int
    """The number of the entry that wrote it."""
    updated: Moment
    score: float
    """As recall scores: about 0 to 1, and comparable with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamStatus:
    """The team that a project follows, and how far its replica has come."""

    team: str
    """Its name."""
    hub: str
    """Where the hub is, without a password."""
    role: str
    """The user's login there."""
    sequence: int
    """The last entry of the team's log that concerns this project and was read."""
    read: Moment | None
    """When the hub was asked last; None: never."""
    memories: int
    """Active memories in the replica."""
    unseen: int
    """Those of other members that nobody has opened here."""
    waiting: int | None = None
    """Open requests; None where the hub was not asked."""
    behind: int | None = None
    """Entries that the replica lacks; None where the hub was not asked."""
    problem: str = ""
    """Why the hub could not be read from last; empty where it could."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalReport:
    """A request that was sent."""

    request: str
    """Its id."""
    team: str
    """The team's name."""
    kind: RequestKind
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PullReport:
    """What was read from a hub."""

    team: str
    """The team's name."""
    changed: int
    """Memories that were added, changed or removed here."""
    sequence: int
    """The last entry that was read."""
    problems: tuple[str, ...] = ()
    """What was refused, in sentences."""
    resent: str = ""
    """The request that other words became instead of being approved: another member decides it."""

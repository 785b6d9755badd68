"""What memories name of a project's files, and what indexing its code did."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from cortex_core.records.as_json import Moment
from cortex_core.records.memory import Memory

AnchorKind = Literal["file", "symbol", "command", "version", "setting"]

AnchorState = Literal["fresh", "moved", "gone", "contradicted", "confirmed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """Something of the project that a memory names, and what has become of it."""

    memory: str
    kind: AnchorKind
    name: str
    """As the memory writes it: `src/api.py`, `parse_time()`, `npm run e2e`, `Node 20`."""
    key: str
    """By what it is looked up: a path, a dotted name, `npm e2e`, `node`, the key of a setting."""
    value: str = ""
    """The value that the memory states, of a version or a setting; of a command what it ran."""
    path: str = ""
    """The file where it was found, relative to the project's root; empty where there were several.
    """
    line: int = 0
    """From 1; 0 for a file."""
    commit: str = ""
    """The commit that was checked out when it was found last; empty without git."""
    state: AnchorState = "fresh"
    """`fresh`: it is there, which does not make the memory true; `confirmed`: it is not, and the
    user says that the memory holds all the same."""
    since: Moment = 0.0
    """When it came into that state."""
    now: str = ""
    """Where it is now, if it moved; what is stated instead and where, if it is contradicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchoredMemory:
    """A memory, and what it names of its project."""

    JSON: ClassVar = ("memory.id as memory", "memory.title", "memory.outdated", "anchors")

    memory: Memory
    anchors: tuple[Anchor, ...] = ()
    """None: it names nothing that the project had, or nobody has looked yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorReport:
    """What a check of the memories against the project's files found."""

    looked_at: int = 0
    """Memories that were searched for names for the first time."""
    checked: int = 0
    """Names that were looked up again."""
    changed: tuple[Anchor, ...] = ()
    """Names of which something else is true than before."""
    outdated: tuple[Memory, ...] = ()
    """The memories that are marked as out of date now and were not, or with other words."""
    complete: bool = True
    """False: the project has more files than are read, so nothing in them is called gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCode:
    """The raw code that a memory describes, as it was stored."""

    memory: Memory
    path: str
    """The file it was read from; "" if unknown."""
    first: int = 1
    """The number of its first line."""
    stale: str = ""
    """Why it may be out of date, in a few words; empty if the file has not changed."""

    @property
    def last(self) -> int:
        """The number of its last line."""
        return self.first + max(1, len(self.memory.content.splitlines())) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReport:
    """What indexing code did, or would do."""

    indexed: tuple[Memory, ...] = ()
    """The new descriptions."""
    files: tuple[str, ...] = ()
    """The files that were, or would be, indexed."""
    unchanged: int = 0
    """Files that have not changed since they were indexed."""
    replaced: int = 0
    """Descriptions that were superseded."""
    gone: tuple[Memory, ...] = ()
    """Descriptions of files that are no longer there."""
    problems: tuple[str, ...] = ()
    """One sentence for each file that was left out, or described in less detail."""
    dry_run: bool = False

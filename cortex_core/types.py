"""The frozen dataclasses that packages exchange: memories, what a store keeps besides, and what
recall and the surface return.

Times are Unix seconds (UTC, float); `text.iso` prints them. No database row and no widget is ever
passed between packages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypedDict, get_args

from cortex_core.base import decay

Scope = Literal["project", "global", "team"]
OwnScope = Literal["project", "global"]
Status = Literal["active", "superseded", "archived", "pruned", "suggested", "quarantined"]
Guard = Literal["remind", "ask", "deny"]
"""What becomes of a tool call that a rule is about: it runs and the agent is reminded of the rule,
Claude Code asks the user, or it does not run."""
TriggersBy = Literal["", "words", "user"]
InjectionPolicy = Literal["normal", "demoted", "never"]
EdgeType = Literal[
    "relates_to",
    "derived_from",
    "contradicts",
    "exemplifies",
    "refines",
    "supersedes",
    "source_of",
    "SOLVES",
    "CAUSES",
    "BUILDS_ON",
    "ALTERNATIVE_TO",
    "REQUIRES",
    "FOLLOWS",
]
Actor = Literal["person", "agent", "worker", "import", "team"]
Key = tuple[Scope, int]
"""A memory's store and row number there."""
Where = Scope | Literal["all"]
"""The stores to search or list."""
Sort = Literal[
    "updated", "created", "priority", "title", "kind", "access", "standing", "confidence"
]
"""The order of a list of memories; `standing` is by importance."""
New = Literal["others", "team", "machines"]
"""From whom memories came that nobody has opened here, nor found: the user's team, their other
machines, or both."""
RecallMode = Literal["hybrid", "keyword", "semantic"]
"""By words and meaning, by words alone, or by meaning alone."""


class FilterOptions(TypedDict, total=False):
    """Which memories a search or a list may return; an option that is left out asks for nothing."""

    kinds: Iterable[str]
    """Names or aliases of kinds, one of which a memory has."""
    tags: Iterable[str]
    """All of them."""
    statuses: Iterable[Status]
    """Only active memories where this is left out."""
    branch: str | None
    session: str | None
    """The beginning of a session's id: memories learned or confirmed in it."""
    imported: str | None
    """The beginning of an import's id (`ImportReport.id`): memories that it brought."""
    new: New | None
    """Memories that came from there, and that nobody has opened here, nor found by a recall."""
    file: str | None
    """A path: memories that apply to it or were learned in it."""
    since: str | float | None
    """Created then or later: Unix seconds, a date, or a span such as `2w`."""
    until: str | float | None
    history: bool
    """Whether the history (kind `episode`) is among them where neither a kind nor a file is asked
    for. Where this is left out, a search finds it and a list does without."""


LONGEST = 200_000
"""Characters of one memory's content."""

SCOPES: tuple[Scope, ...] = get_args(Scope)
"""The stores that are read, in the order in which one wins over the next."""

OWN_SCOPES: tuple[OwnScope, ...] = get_args(OwnScope)
"""The stores that a user's own actions change; the team's is a copy that only its hub changes."""

ACTORS: tuple[Actor, ...] = get_args(Actor)
GUARDS: tuple[Guard, ...] = get_args(Guard)
STATUSES: tuple[Status, ...] = get_args(Status)
INJECTION_POLICIES: tuple[InjectionPolicy, ...] = get_args(InjectionPolicy)
EDGE_TYPES: tuple[EdgeType, ...] = get_args(EdgeType)
KEPT: tuple[Status, ...] = ("active", "archived")
"""The statuses of what is known about a topic: what is in force, and what has decayed."""
SORTS: tuple[Sort, ...] = get_args(Sort)
NEWS: tuple[New, ...] = get_args(New)
RECALL_MODES: tuple[RecallMode, ...] = get_args(RecallMode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory, or one of the memories merged into it, was learned."""

    rule: str = "person"
    """Who wrote it: `person`, `agent`, `rule:NAME`, `model:NAME@PROMPT`, `import:FORMAT`."""
    author: str = ""
    """Who said it, where several people speak."""
    session: str = ""
    position: int | None = None
    """Position within the session, counted from 0; neighbours differ by one. JSON: `place`."""
    message: str = ""
    """The transcript record's uuid."""
    offset: int | None = None
    """Byte offset of that record in the transcript."""
    transcript: str = ""
    time: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What surrounded a memory when it was learned."""

    branch: str = ""
    commit: str = ""
    folder: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing worth knowing."""

    id: str
    content: str
    title: str
    """One line."""
    kind: str
    scope: Scope
    tags: tuple[str, ...] = ()
    initial_confidence: float = 0.8
    """0 to 1, as it was on day zero."""
    confidence: float = 0.8
    """0 to 1, decayed to the moment it was read."""
    priority: int = 5
    """1 to 10."""
    pinned: bool = False
    status: Status = "active"
    inject: InjectionPolicy = "normal"
    """Whether it may be injected without being asked for."""
    claimed: bool = field(default=False, compare=False)
    """Whether who wrote it and that it is pinned are only claimed: by a file that is no unchanged
    export of this user, or by an agent. Neither has weight until the user edits or pins it."""
    withheld: bool = field(default=False, compare=False)
    """Whether it may mean to steer an agent and is not in the user's words: it is found when it is
    asked for, and not injected until the user edits or pins it."""
    source: Source = field(default_factory=Source)
    sources: tuple[Source, ...] = ()
    """Every source, including the first, if several were merged; read by `show` only."""
    context: Context = field(default_factory=Context)
    globs: tuple[str, ...] = ()
    """The files it applies to."""
    triggers: tuple[str, ...] = ()
    """The tool calls at which it is recalled, in the form of `extract.triggers`."""
    triggers_by: TriggersBy = ""
    """Who says so: its own words, or the user; empty: nobody has looked yet."""
    guard: Guard = field(default="remind", compare=False)
    """What becomes of such a call; only the user changes it."""
    outdated: str = field(default="", compare=False)
    """What it names that the project no longer has, or states otherwise, in words that follow
    “it”; empty where nothing is known of that, which does not make it true."""
    access_count: int = 0
    """How many sessions used it."""
    last_access: float | None = None
    """When a session last used it."""
    looks: int = field(default=0, compare=False)
    """How often it was opened, or found by a recall. It ranks nothing and keeps nothing alive."""
    created: float = 0.0
    updated: float = 0.0
    reinforced: float = 0.0
    """Day zero of the decay: the last reinforcement, else the creation."""
    valid_from: float | None = None
    valid_until: float | None = None
    content_hash: str = ""
    excerpt: str = ""
    """Words of the turn it came from, without secrets."""
    origin: Mapping[str, Any] = field(default_factory=dict)
    """The type and fields that it had where it was imported from."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What only its kind has: a procedure's steps and success count, an episode's outcome."""

    @property
    def is_unseen(self) -> bool:
        """Whether the team sent it, and the user has neither proposed nor approved it (`mine`), nor
        opened it here, nor found it by a recall."""
        return self.scope == "team" and not self.looks and not self.origin.get("mine")

    @property
    def shared_by(self) -> str:
        """Whose it is, of the team's: “team payments, by ada, approved by grace”; of the user's
        own, where it was read in a list or by itself, “shared with team payments, …” if the team
        has it too; else empty."""
        is_teams = self.scope == "team"
        known: Mapping[str, Any] = self.origin if is_teams else self.details.get("shared") or {}
        if not (is_teams or known):
            return ""
        team, approver = known.get("team", ""), known.get("approved_by", "")
        author = self.source.author if is_teams else ""
        return ", ".join(
            (
                f"{'' if is_teams else 'shared with '}team {team}".rstrip(),
                *([f"by {author}"] if author else []),
                *([f"approved by {approver}"] if approver else []),
                *(["in other words"] if self.shared_words else []),
            )
        )

    @property
    def shared_words(self) -> str:
        """What the team's copy of a memory of the user's own says, where that is something else."""
        return str((self.details.get("shared") or {}).get("content", ""))

    @property
    def band(self) -> str:
        """The name of its confidence, one of `decay.BANDS`; a pinned one does not decay."""
        return decay.BANDS[0][1] if self.pinned else decay.band(self.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relation between two memories of one store."""

    source: str
    target: str
    type: EdgeType
    strength: float = 1.0
    """0 to 1."""
    directed: bool = True
    context: str = ""
    created: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A memory reached over edges, and by which one."""

    memory: Memory
    edge: Edge
    depth: int
    """1 for a direct neighbour."""
    outgoing: bool
    """Whether the edge leads away from the memory asked about."""


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
    since: float = 0.0
    """When it came into that state."""
    now: str = ""
    """Where it is now, if it moved; what is stated instead and where, if it is contradicted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One entry of the journal."""

    number: int
    time: float
    actor: Actor
    verb: str
    label: str
    """What was done, in words for users."""
    scope: Scope = "project"
    """The scope of the journal; numbers count per store."""
    action: str = ""
    """Shared by the entries of one action that touched both stores; they are undone together."""
    memories: tuple[str, ...] = ()
    undoes: int | None = None
    """The entry that this one takes back: of a redo, the undo."""
    undone_by: int | None = None
    of: int | None = None
    """The change that an undo or a redo is about."""
    elsewhere: str = ""
    """Where it was made if not here: “on laptop”; of the global store also “in lighthouse”."""
    machine: str = ""
    """By what the store knows the machine it was made on; empty if it was made on this one."""
    here: bool = False
    """Whether it was made through the `Cortex` that lists it."""

    @property
    def sentence(self) -> str:
        """What was done; an undo and a redo name the change that they are about."""
        is_inverse = self.verb in ("undo", "redo") and self.of is not None
        return f"{self.verb} of {self.of} ({self.label})" if is_inverse else self.label

    @property
    def is_setting(self) -> bool:
        """Whether it set something that no journal records; such an entry has the number 0."""
        return self.number == 0

    @property
    def is_undone(self) -> bool:
        """Whether it is not in force any more."""
        return self.undone_by is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Two or more memories that may say the same, or of which one may replace another."""

    number: int
    type: Literal["merge", "supersede"]
    members: tuple[str, ...]
    """Memory ids, the better one first."""
    similarity: float
    reasons: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    text: str = ""
    fingerprint: str = ""
    """Hash of the members' content at the time it was proposed."""
    status: Literal["open", "approved", "rejected", "distinct"] = "open"
    created: float = 0.0


@dataclass(frozen=True, slots=True)
class QueuedProposal:
    """An open proposal in a list of many: what it is known by, and what a row of it shows."""

    scope: Scope
    number: int
    title: str
    """The title of its first member."""
    similarity: float
    conflicts: int
    """How many conflicts are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One hook event or one capture, and its result."""

    number: int
    time: float
    event: str
    session: str = ""
    transcript: str = ""
    extractor: str = ""
    bytes_read: int = 0
    candidates: int = 0
    stored: int = 0
    suggested: int = 0
    merged: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    """Counts by reason."""
    tokens: int = 0
    cost: float = 0.0
    """US dollars."""
    seconds: float = 0.0
    error: str = ""
    waits: bool = False
    """Whether it is a hook's report of a session that was not read since."""
    title: str = ""
    """The first words of the session; empty if they are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One memory injected into one session."""

    session: str
    event: str
    memory: str
    time: float
    tokens: int
    used: bool | None = None
    """None: not known yet, or it cannot be known."""
    evidence: str = ""
    """The words of the agent that show the use; where it cannot be known, that."""

    @property
    def use(self) -> str:
        """Whether it was used, in words."""
        if self.used is None:
            return self.evidence or "not known yet"
        return "used" if self.used else "not used"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts a hit's score is made of; they sum to it."""

    keyword: float = 0.0
    semantic: float = 0.0
    graph: float = 0.0
    importance: float = 0.0
    """What the memory counts by itself, apart from the query. JSON: `standing`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer to a recall."""

    memory: Memory
    score: float
    parts: Parts
    code: Memory | None = None
    """The raw code that the memory describes."""
    why: str = ""
    """One line: which words matched, or which neighbour."""
    project: str = ""
    """The folder of the other project whose memory it is; empty for this one's and global ones."""
    revived: bool = False
    """Whether it had faded, and is active again because nothing active answered the query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer to one query: hits in order, and how they were found; iterable over its hits."""

    query: str
    hits: tuple[Hit, ...]
    mode: RecallMode
    degraded: str = ""
    """Why search by meaning was not complete, in one sentence; empty if it was."""
    corrected: Mapping[str, str] = field(default_factory=dict)
    """Misspelt query words and what they were read as."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


class WordHits(NamedTuple):
    """The memories that fit every typed word, best first."""

    keys: Sequence[Key]
    corrected: Mapping[str, str]
    """Misspelt words and how they were read."""
    complete: bool = True
    """False: these are the first ones, and there may be more."""
    similar: frozenset[Key] = frozenset()
    """Those found by similar words of their titles alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMemories:
    """The memories that an id or some words may mean."""

    memories: tuple[Memory, ...]
    """Best first; none: nothing fits."""
    certain: bool = False
    """Whether it is one memory, by its id or by words that it alone has."""
    read: Mapping[str, str] = field(default_factory=dict)
    """Words that no memory has, and how they were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceLine:
    """One line of the injected text, or of what narrowly missed it."""

    id: str
    text: str
    kind: str
    score: float
    parts: Mapping[str, float]
    """Named shares of the score: confidence, priority, centrality, access, branch; kind, learned,
    said and works, which speak for a memory in the hand-over note."""
    tokens: int
    why: str = ""
    """Why it is in (pinned, rank) or out (budget of its kind, injection policy …)."""
    section: str = ""
    """The heading above it in the hand-over note; empty elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The injected text, exact to the byte, and how it was chosen."""

    text: str
    lines: tuple[SurfaceLine, ...] = ()
    missed: tuple[SurfaceLine, ...] = ()
    tokens: int = 0
    units: int = 0
    """UTF-16 code units of `text`; never above `most_units`."""
    budget: int = 0
    """Tokens to fill; pinned memories may exceed it."""
    most_units: int = 9_500
    """The number at which Claude Code would cut it off."""

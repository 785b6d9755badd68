"""What a memory is: its words, where they came from, its links, and which memories a list may hold.

Times are Unix seconds (UTC, float); `text.iso` prints them. Records are frozen: no database row
and no widget is ever passed between packages.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypedDict, get_args

from cortex_core.base import agent_names, decay
from cortex_core.records.as_json import Moment

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
    agent: str | None
    """The name of an agent: memories learned in its sessions."""
    imported: str | None
    """The beginning of an import's id (`ImportReport.id`): memories that it brought."""
    new: New | None
    """Memories that came from there, and that nobody has opened here, nor found by a recall."""
    file: str | None
    """A path: memories that apply to it or were learned in it."""
    since: str | float | None
    """Created then or later: Unix seconds, a date, or a span such as `2w`."""
    until: str | float | None
    asof: str | float | None
    """There at that moment, also if replaced or archived since, where `statuses` has these."""
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

    JSON: ClassVar = ("*", "position as place", "agent")

    rule: str = "person"
    """Who wrote it: `person`, `agent`, `rule:NAME`, `model:NAME@PROMPT`, `import:FORMAT`."""
    author: str = ""
    """Who said it, where several people speak."""
    session: str = ""
    position: int | None = None
    """Position within the session, counted from 0; neighbours differ by one."""
    message: str = ""
    """The transcript record's uuid."""
    offset: int | None = None
    """Byte offset of that record in the transcript."""
    transcript: str = ""
    """The key of the session: with Claude Code the file."""
    time: Moment | None = None

    @property
    def agent(self) -> str:
        """The agent in whose session it was learned; empty for what comes from none."""
        return agent_names.of_key(self.transcript)

    @property
    def turn(self) -> int:
        """Which turn of its session it is, from 1, where the source itself says so; else 0.

        What was imported names the turn; of what was captured, `position` is among the memories of
        its session, and the archive knows the turn.
        """
        return 0 if self.position is None or self.offset is not None else self.position + 1


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

    JSON: ClassVar = (
        "id",
        "title",
        "content",
        "kind",
        "scope",
        "status",
        "tags",
        "priority",
        "pinned",
        "confidence",
        "band",
        "initial_confidence",
        "inject",
        "globs",
        "source",
        "sources",
        "context",
        "*",
        "-content_hash",
    )

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
    access_count: int = 0
    """How many sessions used it."""
    last_access: Moment | None = None
    """When a session last used it."""
    looks: int = field(default=0, compare=False)
    """How often it was opened, or found by a recall. It ranks nothing and keeps nothing alive."""
    triggers: tuple[str, ...] = ()
    """The tool calls at which it is recalled, in the form that `triggers.syntax` reads."""
    triggers_by: TriggersBy = ""
    """Who says so: its own words, or the user; empty: nobody has looked yet."""
    guard: Guard = field(default="remind", compare=False)
    """What becomes of such a call; only the user changes it."""
    outdated: str = field(default="", compare=False)
    """What it names that the project no longer has, or states otherwise, in words that follow
    “it”; empty where nothing is known of that, which does not make it true."""
    until: str = ""
    """How long it holds: for good if empty, else for its `session`, on its `branch`, or up to and
    with a day, written `2026-11-27`."""
    created: Moment = 0.0
    updated: Moment = 0.0
    reinforced: Moment = 0.0
    """Day zero of the decay: the last reinforcement, else the creation."""
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
    def holds(self) -> str:
        """How long it holds, in words; empty where it holds for good."""
        terms = {"": "", "session": "for its session", "branch": "on its branch"}
        return terms.get(self.until, f"until {self.until}")

    @property
    def named(self) -> tuple[str, ...]:
        """Those of its triggers that an agent named: they remind, whatever its guard is."""
        from cortex_core.base import authorship  # a recall does without it

        return authorship.named_by_agents(
            self.triggers, self.triggers_by, self.details.get(authorship.PROPOSED)
        )

    def action(self, lines: Iterable[str]) -> Guard:
        """What becomes of a call that these of its triggers match."""
        return "remind" if set(lines).issubset(self.named) else self.guard

    @property
    def how_recalled(self) -> str:
        """What is unusual of its triggers, in brackets: an agent named some of them, they do not
        remind."""
        guard = "" if self.guard == "remind" else self.guard
        part = "" if self.named == self.triggers else "in part "
        named = f"named {part}by the agent{', which only reminds' if guard else ''}"
        said = "; ".join(filter(None, (guard, named if self.named else "")))
        return f" ({said})" if said else ""

    @property
    def band(self) -> str:
        """The name of its confidence, one of `decay.BANDS`; a pinned one does not decay."""
        return decay.BANDS[0][1] if self.pinned else decay.band(self.confidence)


MemoryList = list[Memory]
"""For classes that have a method `list`."""


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
    created: Moment = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A memory reached over edges, and by which one."""

    memory: Memory
    edge: Edge
    depth: int
    """1 for a direct neighbour."""
    outgoing: bool
    """Whether the edge leads away from the memory asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledMemory:
    """A memory in a list over all projects."""

    JSON: ClassVar = ("memory.*", "project")

    memory: Memory
    project: str = ""
    """The folder of the other project that it belongs to; empty for this one's and global ones."""


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
class Facets:
    """What memories can be filtered by: the number of each value, the most frequent first."""

    kinds: Mapping[str, int]
    tags: Mapping[str, int]
    statuses: Mapping[str, int]
    scopes: Mapping[str, int]
    branches: Mapping[str, int]
    new: Mapping[str, int] = field(default_factory=dict)
    """Active memories that came from the team or from other machines, and that nobody has seen."""

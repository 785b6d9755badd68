"""What the larger verbs answer with: states, details and counts, for every interface to format.

What long lists are made of. What the stores say of themselves: their state at a glance, and what
there is to filter by. Reports about one memory: its parts, its history, the turn and the
code it came from. What curation proposes, forecasts and has learned: reviews, fading, rules. What
is told of upkeep: models, settings, checks, indexed code, secrets. What comes in and goes out:
imports and exports. Reports about practice: procedures that fit, themes, what recurs, the core.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from cortex_core.types import Edge, JournalEntry, Key, LedgerEntry, Memory, Proposal, Receipt, Scope


class WordHits(NamedTuple):
    """The memories that hold every typed word, best first."""

    keys: Sequence[Key]
    corrected: Mapping[str, str]
    """Misspelt words and how they were read."""
    complete: bool = True
    """False: these are the first ones, and there may be more."""


NO_VECTORS_YET = "have no vector yet"
"""Part of the sentence in `Status.degraded` about memories that wait for their vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How a project's memory is doing."""

    project: str
    """The project's name; empty where only the global store is used."""
    root: str
    branch: str
    stores: Mapping[Scope, str]
    """The files of the stores that exist."""
    counts: Mapping[str, int]
    """Memories by status, both stores."""
    kinds: Mapping[str, int]
    """Active memories by kind, both stores."""
    to_review: int
    """Open merge and supersede proposals."""
    pending_embeddings: int
    queue: int
    """Hook records that wait for a worker."""
    last_capture: LedgerEntry | None
    failures: int
    """Captures in the last 7 days that failed and have not succeeded since."""
    sessions: int = 0
    """Sessions that hooks or imports have seen in the last 30 days."""
    captured: int = 0
    """Those of them that were read without an error."""
    spent: float = 0.0
    """US dollars that capture here has cost since midnight."""
    extractor: str = "rules"
    """The user's choice: rules, api, claude or auto."""
    for_model: int = 0
    """Sessions of which the language model has yet to read a part."""
    spent_everywhere: float = 0.0
    """US dollars that language models have cost since midnight, over all projects."""
    daily_cap: float = 0.0
    """US dollars a day at which none is asked any more."""
    paused: bool
    trusted: bool
    """False: the project's store came from elsewhere and is not given to Claude."""
    degraded: tuple[str, ...] = ()
    """Sentences on what works only in part, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """What memories can be filtered by: the number of each value, the most frequent first."""

    kinds: Mapping[str, int]
    tags: Mapping[str, int]
    statuses: Mapping[str, int]
    scopes: Mapping[str, int]
    branches: Mapping[str, int]


SaidBy = Literal["person", "assistant", "tool", "result", "summary", "note"]
"""tool: what the agent called; result: what came of it; note: Claude Code's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Everything about one memory."""

    memory: Memory
    edges: tuple[Edge, ...]
    history: tuple[JournalEntry, ...]
    receipts: tuple[Receipt, ...]
    importance: Mapping[str, float]
    """The parts of its importance by name, as `search.importance.parts`. JSON: `standing`."""
    fades: float | None
    """When its confidence reaches the archiving threshold, Unix seconds; None: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One value that a change of a memory set."""

    name: str
    """A field's name, or `link` (id, type, id), `source`, `verdict`."""
    before: Any = None
    """None: it was not there."""
    after: Any = None
    """None: it is not there any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One change of a memory with what it was before and after."""

    change: JournalEntry
    fields: tuple[FieldChange, ...] = ()
    """Empty where it was made, removed whole, or only reinforced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One block of a conversation, without its secrets."""

    by: SaidBy
    text: str
    time: float | None = None
    here: bool = False
    """Whether it is what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The turn of a session that a memory came from, with those around it."""

    transcript: str
    """The file it was read from."""
    session: str
    said: tuple[Said, ...]
    moved: bool = False
    """Whether the transcript lies elsewhere than when it was read."""
    differs: bool = False
    """Whether the file holds something else at this place now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCode:
    """The raw code that a memory describes, as it was stored."""

    memory: Memory
    path: str
    """Where it stood, "" where that is not known."""
    first: int = 1
    """The number of its first line."""
    stale: str = ""
    """Why it may no longer be so, in a few words; empty when the file still holds it."""

    @property
    def last(self) -> int:
        """The number of its last line."""
        return self.first + max(1, len(self.memory.content.splitlines())) - 1


RuleTier = Literal["kept", "suggested", "off"]
"""kept: a memory at once; suggested: waits for a verdict; off: finds nothing."""
RuleSetting = Literal["auto", "kept", "suggested", "off"]
"""What a user sets for a rule: a tier, or `auto`, which follows the user's verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A proposal with all that a verdict on it needs."""

    proposal: Proposal
    scope: Scope
    """Whose store it is in; numbers count per store."""
    members: tuple[Memory, ...]
    text: str
    """What an approved merge would say."""
    lost: tuple[str, ...]
    """Numbers, paths and identifiers of the members that `text` lacks; empty: approvable."""
    heir: Memory
    """What the survivor of an approved merge inherits."""
    edges: int
    """Edges that move to the survivor."""
    advice: Literal["approve", "supersede", "distinct"]
    """The verdict that the flags suggest."""
    changed: bool
    """Whether a member has changed since this was proposed; reasons and text are of today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationReport:
    """What a consolidation compared and proposed, or would."""

    compared: int = 0
    """Pairs of memories."""
    proposed: tuple[Proposal, ...] = ()
    merged: tuple[Memory, ...] = ()
    """What was merged by itself, in the mode `auto` alone."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fading:
    """One memory that decay will carry below the archiving threshold."""

    memory: Memory
    fades: float
    """Unix seconds."""
    archives: float
    """Unix seconds, if nothing reinforces it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleReport:
    """What decay archived, pruned and let go, or would."""

    archived: tuple[Memory, ...] = ()
    pruned: tuple[Memory, ...] = ()
    expired: tuple[Memory, ...] = ()
    """Suggestions nobody decided on in time."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRecord:
    """An extraction rule, where its finds go, and how a user has judged them."""

    name: str
    help: str
    tier: RuleTier
    """In force now."""
    setting: RuleSetting
    default: RuleTier
    kept: int
    """Finds a user kept."""
    discarded: int
    lower: float
    """Lower 80 % bound of its acceptance, 0 to 1."""
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """An embedding model and its state."""

    name: str
    dimension: int
    active: bool
    embedded: int
    """Memories with a vector of this model."""
    pending: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRecord:
    """A setting, its value in force, and which file says so."""

    name: str
    help: str
    kind: type
    """The type of its value; tuple for a list of texts."""
    allowed: str
    """The values it takes, in words."""
    choices: tuple[str, ...]
    value: Any
    """In force now."""
    default: Any
    written: Mapping[Scope, Any]
    """What the files say; the project's goes before the global one."""

    @property
    def origin(self) -> Literal["default", "global", "project"]:
        """Where the value in force comes from."""
        if "project" in self.written:
            return "project"
        return "global" if "global" in self.written else "default"


CheckState = Literal["ok", "warning", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What the doctor found in one respect."""

    name: str
    group: str
    """machine, folders, stores, meaning, capture, upkeep or client."""
    state: CheckState
    """`skipped` where there is nothing to look at."""
    sentence: str
    next_step: str = ""
    """What to do about it; empty where all is well."""
    fixable: bool = False
    """Whether the doctor can repair it."""
    fixed: str = ""
    """What it has done to repair it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReport:
    """What indexing code did, or would do."""

    indexed: tuple[Memory, ...] = ()
    """The new descriptions."""
    files: tuple[str, ...] = ()
    """The files that were, or would be, indexed."""
    unchanged: int = 0
    """Files that were indexed before and are as they were."""
    replaced: int = 0
    """Descriptions whose place was taken."""
    gone: tuple[Memory, ...] = ()
    """Descriptions of files that are no longer there."""
    problems: tuple[str, ...] = ()
    """One sentence a file that was left out, or described in a lesser way."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretFind:
    """One place that contains, or contained, a secret. The secret itself is never printed."""

    location: str
    """In words: `memory 1f3a9c20 (content), project store`, or a file. JSON: `place`."""
    types: tuple[str, ...]
    """`aws-access-key`, `password` …; `unreadable` for a copy that could not be looked into.
    JSON: `sorts`."""
    memory: str = ""
    """The memory's id, where it is in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsReport:
    """What looking for secrets found, or what taking them out did."""

    found: tuple[SecretFind, ...] = ()
    """What a scan found, or what was taken out."""
    left: tuple[str, ...] = ()
    """Sentences on what could not be taken out, and why."""
    removed: tuple[str, ...] = ()
    """Snapshots that were removed."""
    dry_run: bool = False


OutcomeKind = Literal[
    "new", "edited", "known", "quarantined", "newer here", "file is gone", "left out"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """One memory that an import of Markdown brought, or would."""

    what: OutcomeKind
    """`newer here`: changed in the store since the file was written; `file is gone`: still in the
    store, and staying there; `left out`: not enough of it to make sense alone."""
    title: str
    kind: str
    scope: Scope
    file: str
    """The file it comes from, relative to the folder. JSON: `place`."""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, or would do."""

    files: int = 0
    """Files read."""
    skipped: int = 0
    """Files with nothing new."""
    bytes_read: int = 0
    candidates: int = 0
    stored: int = 0
    suggested: int = 0
    quarantined: int = 0
    merged: int = 0
    updated: int = 0
    newer_here: int = 0
    """Memories left as they are, because the store's state is newer than the file's."""
    linked: int = 0
    """Links drawn or changed."""
    refused: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """One sentence a file that could not be read, or was read only in part."""
    elsewhere: tuple[str, ...] = ()
    """Projects found whose folder is gone."""
    outcomes: tuple[ImportOutcome, ...] = ()
    """What came of each memory, from importers of Markdown alone. JSON: `arrivals`."""
    dry_run: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """What an export to a folder wrote."""

    folder: str
    memories: int
    written: int
    """Files rewritten."""
    unchanged: int
    """Files that were as they should be."""
    removed: tuple[str, ...] = ()
    """Files of an earlier export that are no longer needed."""
    left: tuple[str, ...] = ()
    """Files with memories that no store here holds, left where they are."""


COUNTED = (
    "files", "skipped", "bytes_read", "candidates", "stored", "suggested", "quarantined", "merged",
    "updated", "newer_here", "linked",
)  # fmt: skip
"""The counts of an import report."""


def report(
    counts: Mapping[str, int],
    *,
    refused: Mapping[str, int] | None = None,
    problems: Sequence[str] = (),
    elsewhere: Sequence[str] = (),
    outcomes: Sequence[ImportOutcome] = (),
    dry_run: bool = False,
    started: float,
) -> ImportReport:
    """An import report from its counts; `started` is the performance counter at its beginning."""
    made = ImportReport(
        refused=dict(refused or {}), problems=tuple(problems), elsewhere=tuple(elsewhere),
        outcomes=tuple(outcomes), dry_run=dry_run, seconds=time.perf_counter() - started,
    )  # fmt: skip
    counted: dict[str, Any] = {name: counts.get(name, 0) for name in COUNTED}
    return replace(made, **counted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureMatch:
    """A procedure that fits a task, and how well following it has worked."""

    memory: Memory
    fit: float
    """How well it fits the task, 0 to 1; 1 where no task was asked about."""
    reliability: float
    """How likely it is to succeed the next time, 0 to 1; untried: 0.5."""
    successes: int
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Two tags that stand together on several memories."""

    tags: tuple[str, str]
    count: int
    """Active memories with both."""
    examples: tuple[str, ...]
    """Titles of a few of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """Something that more than one project has learned."""

    memory: Memory
    """This project's wording."""
    projects: tuple[str, ...]
    """The other projects' names."""
    suggestion: str = ""
    """The id of what is suggested for the global store; empty where nothing is, or was before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """What a project's memory says when it is looked at from a distance."""

    themes: tuple[Theme, ...]
    """The pairs of tags that stand together most often, the most frequent first."""
    shared_tags: Mapping[str, Mapping[str, int]]
    """Tags of more than one project: how many active memories each project has with it."""
    recurrences: tuple[Recurrence, ...]
    most_used: tuple[Memory, ...]
    insights: tuple[Memory, ...]
    """The newest insights, newest first."""
    merges: int
    """Merges in force."""
    superseded: int
    """Memories that a newer one has replaced."""
    to_review: int
    """Open proposals."""
    last_consolidation: float | None
    projects: tuple[str, ...] = ()
    """The other projects that were looked at."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """The memories of the highest standing, grouped by kind."""

    text: str
    """Markdown."""
    memories: tuple[str, ...]
    """Ids, in the order of the text."""
    tokens: int
    active: int
    """Active memories of which these were chosen."""

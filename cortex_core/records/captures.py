"""What capture and imports did, and the state of a project's memory."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cortex_core.base import agent_names
from cortex_core.base.kinds import EPISODE
from cortex_core.records.as_json import Moment
from cortex_core.records.memory import Scope

Progress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and the name of what is being worked on."""


def unwatched(done: int, total: int, name: str) -> None:
    """The progress of work that nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One hook event or one capture, and its result."""

    JSON: ClassVar = ("*", "agent")

    number: int
    time: Moment
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
    """What the session is called, else its first words; empty if neither is known."""

    @property
    def agent(self) -> str:
        """The agent whose session it was; empty where that is not known."""
        return agent_names.of_key(self.transcript)


HOOKS_GONE = "The hooks name an interpreter that is not there"
"""How `ProjectStatus.problem` begins where installed hooks cannot run."""

TRIGGERS_OFF = "Triggers are off: no tool call recalls a rule, and no guard holds."
"""How the sentence in `Status.degraded` about that begins."""

NO_VECTORS_YET = "no vector yet"
"""Part of the sentence in `Status.degraded` about memories that wait for their vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectStatus:
    """The state of a project's memory."""

    project: str
    """The project's name; empty where only the global store is used."""
    root: str
    branch: str
    stores: Mapping[Scope, str]
    """The files of the stores that exist."""
    counts: Mapping[str, int]
    """Memories by status, both stores."""
    kinds: Mapping[str, int]
    """Active memories by kind, both stores; of the kind `episode`: the entries of the history."""
    to_review: int
    """Open merge and supersede proposals."""
    pending_embeddings: int
    queue: int
    """Hook records that wait for the worker."""
    pending: int = 0
    """Finds that wait for the end of their session."""
    last_capture: LedgerEntry | None
    """The newest capture that kept or suggested something."""
    last_reading: Moment | None = None
    """When a session was last read, whatever came of it, Unix seconds."""
    connected: bool = True
    """Whether hooks of Claude Code have reported from here."""
    failures: int
    """Captures in the last 7 days that failed and have not succeeded since."""
    sessions: int = 0
    """Sessions that hooks or imports have seen in the last 30 days."""
    captured: int = 0
    """Those of them that were read without an error."""
    again: int = 0
    """How often in 30 days the user said something again, as it was last counted."""
    conversations: int = 0
    """Conversations that the archive holds."""
    archive_bytes: int = 0
    """The size of its files."""
    spent: float = 0.0
    """US dollars that capture here has cost since midnight."""
    extractor: str = "rules"
    """The user's choice: rules, api, claude, codex or auto."""
    for_model: int = 0
    """Sessions of which the language model has yet to read a part."""
    spent_everywhere: float = 0.0
    """US dollars that language models have cost since midnight, over all projects."""
    unpriced_tokens: int = 0
    """Tokens that Codex has used since midnight, over all projects: its price depends on the plan,
    and `spent_everywhere` counts them at the dearest price of the default model."""
    daily_cap: float = 0.0
    """US dollars a day after which no model is asked."""
    paused: bool
    trusted: bool
    """False: the project's store came from elsewhere, so its memories are not injected."""
    problem: str = ""
    """Why the worker captured nothing when it last ran; empty where it did its work."""
    degraded: tuple[str, ...] = ()
    """Sentences about what works only partly, and why."""

    @property
    def history(self) -> int:
        """Entries of the history, which are active too but are listed only where asked for."""
        return self.kinds.get(EPISODE, 0)

    @property
    def listed(self) -> int:
        """Active memories without the history: as many as a list without filters shows."""
        return self.counts.get("active", 0) - self.history


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """What happened in one week, or one day."""

    start: Moment
    """Midnight where the user is, of a Monday if it is a week."""
    sessions: int = 0
    """Sessions that hooks or imports have seen."""
    captured: int = 0
    """Those of them that were read without an error."""
    learned: int = 0
    """Memories whose turn was then, or that were written then; history and suggestions are none."""
    injected: int = 0
    """Memories injected into sessions; one counts again in each session."""
    tokens: int = 0
    """Of what was injected."""
    used: int = 0
    """Injected memories that were used."""
    unused: int = 0
    cost: float = 0.0
    """US dollars that models have cost here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What happened over time."""

    unit: Literal["day", "week"]
    periods: tuple[Period, ...]
    """Oldest first; the last one is not over yet."""


RuleTier = Literal["kept", "suggested", "off"]
"""kept: stored at once; suggested: waits for a verdict; off: does not search."""

RuleSetting = Literal["auto", "kept", "suggested", "off"]
"""What a user sets for a rule: a tier, or `auto`, which follows the user's verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRecord:
    """An extraction rule, where its finds go, and how the user has judged them."""

    name: str
    help: str
    tier: RuleTier
    """In effect now."""
    setting: RuleSetting
    default: RuleTier
    kept: int
    """Finds that the user kept."""
    discarded: int
    lower: float
    """Lower 80 % bound of its acceptance, 0 to 1."""
    upper: float


OutcomeKind = Literal[
    "new", "edited", "known", "quarantined", "newer here", "file is gone", "left out"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """The result for one memory of a Markdown import, or what it would be."""

    JSON: ClassVar = ("*", "file as place")

    what: OutcomeKind
    """`newer here`: changed in the store since the file was written; `file is gone`: the memory
    stays in the store; `left out`: too little to make sense alone."""
    title: str
    kind: str
    scope: Scope
    file: str
    """The file it comes from, relative to the folder."""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedProject:
    """What an import of the sessions of all projects did, or would do, in one of them."""

    folder: str
    files: int
    """Sessions read."""
    stored: int
    suggested: int
    quarantined: int
    id: str
    """What lists that are filtered know it by, in that project; empty for a rehearsal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, or would do."""

    JSON: ClassVar = ("*", "outcomes as arrivals")

    files: int = 0
    """Files read."""
    skipped: int = 0
    """Files with nothing new; of JSON lines, memories."""
    bytes_read: int = 0
    candidates: int = 0
    stored: int = 0
    suggested: int = 0
    quarantined: int = 0
    merged: int = 0
    updated: int = 0
    newer_here: int = 0
    """Memories left unchanged, because the store's version is newer than the file's."""
    linked: int = 0
    """Links added or changed."""
    refused: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """One sentence for each file that could not be read, or only partly, and one if the language
    model did not read what it should."""
    elsewhere: tuple[str, ...] = ()
    """Folders of projects that no longer exist."""
    outcomes: tuple[ImportOutcome, ...] = ()
    """What came of each memory, from importers of Markdown alone."""
    dry_run: bool = False
    seconds: float = 0.0
    id: str = ""
    """What lists that are filtered know it by; empty where several projects or nothing was read."""
    projects: tuple[ImportedProject, ...] = ()
    """What came of the sessions of each project, where those of all were imported."""


COUNTED = (
    "files",
    "skipped",
    "bytes_read",
    "candidates",
    "stored",
    "suggested",
    "quarantined",
    "merged",
    "updated",
    "newer_here",
    "linked",
)
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
    counted: dict[str, Any] = {name: counts.get(name, 0) for name in COUNTED}
    return ImportReport(
        **counted,
        refused=dict(refused or {}),
        problems=tuple(problems),
        elsewhere=tuple(elsewhere),
        outcomes=tuple(outcomes),
        dry_run=dry_run,
        seconds=time.perf_counter() - started,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """What an export to a folder wrote."""

    folder: str
    memories: int
    written: int
    """Files rewritten."""
    unchanged: int
    """Files that were up to date."""
    removed: tuple[str, ...] = ()
    """Files of an earlier export that are no longer needed."""
    left: tuple[str, ...] = ()
    """Files with memories that are in no store here; they were not changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionAnswer:
    """Why a memory is as it is, or what would become of a text."""

    title: str
    decision: str
    """The status of a memory; of a text, what would be done: insert, reinforce, refuse ..."""
    known: str = ""
    """The id of the memory, or of the stored one that says what the text says."""
    reasons: tuple[str, ...]
    """Why, a sentence each."""
    compared: tuple[str, ...] = ()
    """Memories that a text is compared with: id, similarity, first words."""

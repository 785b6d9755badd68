"""What the larger verbs return, for every interface to format: states, details and counts.

They cover the status, details about one memory, reviews and curation, maintenance, imports and
exports, and practice (procedures and reflection). Times are Unix seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal, NamedTuple

from cortex_core.base import text
from cortex_core.base.kinds import EPISODE
from cortex_core.types import (
    Anchor,
    Edge,
    JournalEntry,
    LedgerEntry,
    Memory,
    Proposal,
    Receipt,
    Scope,
    Source,
    Surface,
)

NO_VECTORS_YET = "no vector yet"
"""Part of the sentence in `Status.degraded` about memories that wait for their vectors."""


Progress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and the name of what is being worked on."""


class TakenBack(list[JournalEntry]):
    """What an undo or a redo wrote: an entry for each store that an action changed."""

    passed_over: str = ""
    """What it left as it is, because another project made it: a sentence, empty if nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
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
    last_reading: float | None = None
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
    """The user's choice: rules, api, claude or auto."""
    for_model: int = 0
    """Sessions of which the language model has yet to read a part."""
    spent_everywhere: float = 0.0
    """US dollars that language models have cost since midnight, over all projects."""
    daily_cap: float = 0.0
    """US dollars a day after which no model is asked."""
    paused: bool
    trusted: bool
    """False: the project's store came from elsewhere, so its memories are not injected."""
    problem: str = ""
    """Why the worker captured nothing when it last ran; empty where it did its work."""
    degraded: tuple[str, ...] = ()
    """Sentences about what works only partly, and why."""
    rules: KeepingTotals = field(default_factory=lambda: KeepingTotals())
    """How the rules were kept, as far as that is recorded."""

    @property
    def history(self) -> int:
        """Entries of the history, which are active too but are listed only where asked for."""
        return self.kinds.get(EPISODE, 0)

    @property
    def listed(self) -> int:
        """Active memories without the history: as many as a list without filters shows."""
        return self.counts.get("active", 0) - self.history


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchoredMemory:
    """A memory, and what it names of its project."""

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
    opposites: int = 0
    """New proposals, because a file of rules says the opposite of a memory."""
    complete: bool = True
    """False: the project has more files than are read, so nothing in them is called gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """What happened in one week, or one day."""

    start: float
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
class HookTime:
    """How long the hooks of one event took that injected something, without starting Python."""

    event: str
    count: int
    mean: float
    """Seconds."""
    slowest: float
    """Seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What is stored, and what happened over time."""

    unit: Literal["day", "week"]
    periods: tuple[Period, ...]
    """Oldest first; the last one is not over yet."""
    memories: int
    """Active ones."""
    stored_tokens: int
    """About how many tokens the active memories have."""
    hooks: tuple[HookTime, ...]


RepeatOutcome = Literal["not learned", "not given", "not followed"]
"""What had become of something by the time the user had to say it again. not learned: no memory
said it; not given: a memory did, and was not injected into that session; not followed: the agent
had it, from a memory or from the user in the same session."""

Repair = Literal[
    "remember", "keep", "release", "restore", "inject", "trigger", "guard", "pin", "edit", "floor"
]
"""What can be done so that it need not be said again: remember it, keep or release or restore the
memory, let it be injected, set its triggers, guard its calls, pin it, edit its words, or lower the
similarity from which memories are injected with a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One time at which the user said something again."""

    time: float
    session: str
    said: str
    """The user's sentence, without secrets."""
    rule: str = ""
    """What of it could be remembered: without “no, …” or “I asked you to …”."""
    source: Source
    """The turn in which they said it."""
    before: str = ""
    """The newest earlier sentence of the user that says the same; empty if only a memory does."""
    before_time: float | None = None
    outcome: RepeatOutcome
    why: str
    """Why it came to that, as far as it is known: “it waits as a suggestion”."""
    memory: str = ""
    """The id of the memory that says it; of one learned since, where none said it then."""
    title: str = ""
    repairs: tuple[Repair, ...] = ()
    """The most promising first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatMonth:
    """How often something was corrected in a month."""

    month: str
    """`YYYY-MM`, where the user is."""
    first: int = 0
    """Corrections of what had not been said before."""
    not_learned: int = 0
    not_given: int = 0
    not_followed: int = 0
    followed: int = 0
    """Tool calls that kept a rule after it was injected; of rules that can be checked only."""

    @property
    def again(self) -> int:
        """How often something was said again."""
        return self.not_learned + self.not_given + self.not_followed


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatReport:
    """What the user had to say again."""

    since: float
    months: tuple[RepeatMonth, ...]
    """Those in which something was corrected, or a rule followed; the oldest first."""
    cases: tuple[Repeat, ...]
    """The newest first."""
    unread: int = 0
    """Sessions that were read before corrections were noted, and still have to be read again."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Whether a memory is injected next, and why."""

    memory: str
    """Its id."""
    line: int = 0
    """Its line in what is injected, counted from 1; 0: it is not injected."""
    lines: int = 0
    """How many lines are injected."""
    rank: int = 0
    """By score among all that were compared, 1 is the best; 0: it was not compared."""
    score: float = 0.0
    """0 where it was not compared."""
    reason: str
    """Why, in words."""

    @property
    def words(self) -> str:
        """The answer in one line: `no: …`, or `yes, line 3 of 14: …`."""
        return (
            f"yes, line {self.line} of {self.lines}: {self.reason}"
            if self.line
            else (f"no: {self.reason}")
        )


MemoryFate = Literal[
    "unchanged",
    "edited",
    "suggested",
    "quarantined",
    "archived",
    "superseded",
    "pruned",
    "removed",
    "destroyed",
    "unknown",
]
"""What has become of a memory since a session. pruned: it is in the trash; removed: the change that
made it was undone; destroyed: its content of that time is kept nowhere; unknown: no journal says
that it was there."""

Basis = Literal["handed over", "rebuilt"]
"""handed over: receipts say what a session was given; rebuilt: nothing says that it was given
anything, and the journal says what it would have been given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedMemory:
    """One memory that a session was given, with the words that it had then."""

    receipt: Receipt
    kind: str = ""
    title: str = ""
    content: str = ""
    """Empty, as kind and title, where the words of that time are not known any more."""
    since: MemoryFate

    @property
    def remark(self) -> str:
        """What has become of it since, in words; empty where it is as it was."""
        return _SINCE[self.since]


_SINCE: Mapping[MemoryFate, str] = {
    "unchanged": "",
    "edited": "edited since",
    "suggested": "suggested again since",
    "quarantined": "in quarantine since",
    "archived": "archived since",
    "superseded": "superseded since",
    "pruned": "in the trash since",
    "removed": "taken back since",
    "destroyed": "deleted for good: its words are kept nowhere",
    "unknown": "in no journal: its words are not known",
}

_OCCASIONS = {
    "SessionStart": "at the start",
    "UserPromptSubmit": "with a prompt",
    "PreToolUse": "about a file",
    "Trigger": "for a tool call",
}


class HandedOccasion(NamedTuple):
    """What a session was given at one moment."""

    time: float
    event: str
    memories: tuple[HandedMemory, ...]

    @property
    def words(self) -> str:
        """What it was and how much, in words: `with a prompt, 2 memories, 48 tokens`."""
        tokens = sum(one.receipt.tokens for one in self.memories)
        when = _OCCASIONS.get(self.event, self.event)
        return f"{when}, {text.memories(len(self.memories))}, {text.counted(tokens, 'token')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSurface:
    """What a session was given, as far as it is known."""

    session: str
    title: str
    """The first words of the session; empty where they are not known."""
    began: float
    branch: str
    """The branch that the session began on; empty where it is not known, or on none."""
    folder: str
    """The folder that it ran in; empty where it is not known."""
    basis: Basis
    note: Surface | None
    """The hand-over note, rebuilt from the journal. None where the receipts of the session's start
    name other memories, another order or another length: then only `handed` is certain."""
    handed: tuple[HandedMemory, ...]
    """What receipts name, in order of time."""
    limits: tuple[str, ...]
    """Sentences on what may have been otherwise, and why."""

    @property
    def certainty(self) -> str:
        """What the data shows of the note at the session's start, and what it does not."""
        at_start = any(one.event == "SessionStart" for one in self.occasions)
        if self.basis == "rebuilt":
            return (
                "Rebuilt: no receipt says that this session was given anything. By the journal, "
                "this is what its note would have been."
            )
        if not at_start:
            return "Handed over: no receipt is of its start, only of what came later."
        if self.note is None:
            return (
                "Handed over: receipts name the memories. The note itself is not known: the one "
                "that can be rebuilt has other memories, another order or another length."
            )
        return (
            "Handed over: receipts name the memories of this note, in this order. Its words are "
            "rebuilt from the journal, and have the length that the receipts give."
        )

    @property
    def occasions(self) -> list[HandedOccasion]:
        """What receipts name, moment by moment."""
        return [
            HandedOccasion(time, event, tuple(items))
            for (time, event), items in groupby(
                self.handed, key=lambda one: (one.receipt.time, one.receipt.event)
            )
        ]

    @property
    def listed(self) -> list[HandedOccasion]:
        """The moments whose memories are not in the note."""
        return self.occasions[1:] if self.handed and self.note else self.occasions


SaidBy = Literal["person", "assistant", "tool", "result", "summary", "note"]
"""tool: what the agent called; result: what it returned; note: text by Claude Code itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Everything about one memory."""

    memory: Memory
    edges: tuple[Edge, ...]
    history: tuple[JournalEntry, ...]
    receipts: tuple[Receipt, ...]
    importance: Mapping[str, float]
    """The parts of its importance by name, as `search.importance.parts`. JSON: `standing`."""
    most_importance: Mapping[str, float]
    """The highest that each part can be."""
    fades: float | None
    """When its confidence reaches the archiving threshold, Unix seconds; None: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One value that a change of a memory set."""

    name: str
    """A field's name, or `link` (id, type, id), `source`, `verdict`."""
    before: Any = None
    """None: it did not exist."""
    after: Any = None
    """None: it no longer exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One change of a memory with what it was before and after."""

    change: JournalEntry
    fields: tuple[FieldChange, ...] = ()
    """Empty if the memory was created, removed as a whole, or only reinforced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """What one change did to one memory."""

    id: str
    title: str
    """As it is now, else as it was before; empty where nothing knows it any more."""
    fate: Literal["made", "removed", "changed"]
    fields: tuple[FieldChange, ...] = ()
    """Empty if the memory was made, removed as a whole, or only reinforced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something in a store that its journal does not explain, or that does not fit the rest."""

    table: str
    row: str
    """The key of the row, such as a memory's id; empty where it is the table as a whole."""
    column: str
    """Empty where it is the row as a whole."""
    problem: str
    """Continues the name of the row: “is not what change 4 set”."""
    expected: str = ""
    """Without secrets, on one line, shortened; empty where there is no value to show."""
    found: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A store compared with its journal."""

    scope: Scope
    file: str
    snapshot: str
    """The oldest snapshot that the journal led back to; empty: it leads back to the start."""
    changes: int
    """Changes that were followed back."""
    compared: Mapping[str, int]
    """What was compared, by table or name: rows, links, vectors."""
    unchecked: Mapping[str, int]
    """What could not be compared, by table or index."""
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One block of a conversation, without its secrets."""

    by: SaidBy
    text: str
    time: float | None = None
    here: bool = False
    """Whether the memory came from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The turn of a session that a memory came from, with those around it."""

    transcript: str
    """The file it was read from."""
    session: str
    said: tuple[Said, ...]
    moved: bool = False
    """Whether the transcript is in another folder than when it was read."""
    differs: bool = False
    """Whether the file has other content at this offset now."""
    archived: bool = False
    """Whether the transcript is gone, and this is what the archive keeps of it."""


RuleState = Literal[
    "kept and broken", "only breaches", "no occasion yet", "not counted yet", "cannot be checked"
]
"""What is known of how a rule was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleKept:
    """How often a rule was kept, by the transcripts that were read."""

    memory: Memory
    checkable: bool
    """Whether a tool call can show that it was kept or broken."""
    countable: bool
    """Whether calls that keep it can be seen; otherwise only breaches are counted."""
    since: float
    """From when on it is a rule, Unix seconds."""
    counted: bool = True
    """Whether sessions were read for it."""
    kept: int = 0
    """Occasions since then at which it was kept."""
    broken: int = 0
    kept_before: int = 0
    """The same before it was a rule."""
    broken_before: int = 0
    last_breach: float | None = None
    """Since it is a rule, Unix seconds."""
    right_ways: tuple[str, ...] = ()
    """The commands that count as keeping it."""

    @property
    def occasions(self) -> int:
        """Occasions since it is a rule of which it is known whether it was kept."""
        return self.kept + self.broken

    @property
    def state(self) -> RuleState:
        """What is known of it."""
        if not self.checkable:
            return "cannot be checked"
        if not self.counted:
            return "not counted yet"
        if not self.countable:
            return "only breaches"
        return "kept and broken" if self.occasions else "no occasion yet"

    @property
    def words(self) -> str:
        """How often it was kept: `kept 41 of 43`; never a share where occasions are not seen."""
        if self.state == "only breaches":
            often = text.counted(self.broken, "time")
            said = f"broken {often}" if self.broken else "never broken"
            return f"{said}; occasions cannot be counted"
        return f"kept {self.kept:,} of {self.occasions:,}" if self.occasions else self.state

    @property
    def count(self) -> str:
        """`words` where `kept` is said already: `41 of 43`."""
        return self.words.partition(";")[0].removeprefix("kept ")

    @property
    def before(self) -> str:
        """How it was before it was a rule: `broken 5 of 9`; empty where there was no occasion."""
        occasions = self.kept_before + self.broken_before
        if not occasions:
            return ""
        if not self.countable:
            return f"broken {text.counted(self.broken_before, 'time')}"
        return f"broken {self.broken_before:,} of {occasions:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A call that broke a rule."""

    memory: str
    """The rule's id."""
    number: int
    """Its place among the breaches of the rule, the newest 1."""
    session: str
    turn: int
    """The number of its turn in the session, counted from 1."""
    time: float
    call: str
    """The beginning of what was called, without secrets."""
    before: bool
    """Whether it was before the rule was one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepingTotals:
    """How the active rules were kept, as far as it is recorded."""

    checked: int = 0
    """Rules that can be checked."""
    kept: int = 0
    occasions: int = 0
    """Occasions of the rules whose occasions can be counted."""
    breaches: int = 0
    """Breaches of the other rules."""


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


RuleTier = Literal["kept", "suggested", "off"]
"""kept: stored at once; suggested: waits for a verdict; off: does not search."""
RuleSetting = Literal["auto", "kept", "suggested", "off"]
"""What a user sets for a rule: a tier, or `auto`, which follows the user's verdicts."""


Advice = Literal["approve", "left", "right", "supersede", "distinct"]
"""approve: merge them; left, right: the first, or last, says all that the other does, so keep it;
supersede: the newer one states another value; distinct: a conflict says that they are two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A proposal with everything needed for a verdict."""

    proposal: Proposal
    scope: Scope
    """The scope of its store; numbers count per store."""
    members: tuple[Memory, ...]
    text: str
    """What an approved merge would say."""
    lost: tuple[str, ...]
    """Numbers, paths and identifiers of the members that `text` lacks; empty: approvable."""
    heir: Memory
    """What the new memory of an approved merge inherits."""
    edges: int
    """Number of edges that move to the new memory."""
    advice: Advice
    """The verdict that the evidence speaks for; `distinct` only where a conflict is named."""
    changed: bool
    """Whether a member has changed since this was proposed; reasons and text are up to date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationReport:
    """What a consolidation compared and proposed, or would."""

    compared: int = 0
    """Pairs of memories."""
    proposed: tuple[Proposal, ...] = ()
    merged: tuple[Memory, ...] = ()
    """What was merged automatically, in the mode `auto` only."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fading:
    """One memory whose confidence will fall below the archiving threshold."""

    memory: Memory
    fades: float
    """When it falls below the threshold."""
    archives: float
    """When it is archived if nothing reinforces it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleReport:
    """What was archived, pruned and discarded because of decay, or would be."""

    archived: tuple[Memory, ...] = ()
    pruned: tuple[Memory, ...] = ()
    expired: tuple[Memory, ...] = ()
    """Suggestions without a verdict in time."""
    dry_run: bool = False


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
    """A setting, its value in effect, and the file that sets it."""

    name: str
    help: str
    kind: type
    """The type of its value; tuple for a list of texts."""
    allowed: str
    """The values it takes, in words."""
    choices: tuple[str, ...]
    value: Any
    """In effect now."""
    default: Any
    written: Mapping[Scope, Any]
    """The values in the files; the project's takes precedence over the global one."""

    @property
    def origin(self) -> Literal["default", "global", "project"]:
        """Where the value in effect comes from."""
        if "project" in self.written:
            return "project"
        return "global" if "global" in self.written else "default"


CheckState = Literal["ok", "warning", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check of the doctor."""

    name: str
    group: str
    """machine, folders, stores, meaning, capture, upkeep, team or client (Claude Code)."""
    state: CheckState
    """`skipped`: there is nothing to check."""
    sentence: str
    next_step: str = ""
    """What to do about it; of a check that passed, about what it lists."""
    fixable: bool = False
    """Whether the doctor can repair it."""
    fixed: str = ""
    """What the doctor did to repair it."""


@dataclass(frozen=True, slots=True)
class TriggerLine:
    """A line that may be a trigger, and what it means."""

    line: str
    meaning: str = ""
    """In a sentence; empty if the line is no trigger."""
    problem: str = ""
    """Why it is no trigger, in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionPreview:
    """What connecting Cortex with Claude Code would change."""

    settings: str
    """The settings file of Claude Code."""
    diff: str
    """The change of that file as a unified diff; empty if the hooks are in it already."""
    server: str
    """The command that registers the MCP server, as it is typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """What connecting Cortex with Claude Code did."""

    settings: str
    """The settings file of Claude Code."""
    changed: bool
    """False: the hooks were in it already."""
    backup: str | None
    """The copy of the file from before the change; None if there was no file, or no change."""
    caution: str
    """What keeps the hooks from running, or should be known; otherwise empty."""
    by_hand: str = ""
    """The command that registers the MCP server, where Claude Code's own could not be run."""


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
    """The result of searching for secrets, or of removing them."""

    found: tuple[SecretFind, ...] = ()
    """What a scan found, or what was removed."""
    left: tuple[str, ...] = ()
    """Sentences about what could not be removed, and why."""
    removed: tuple[str, ...] = ()
    """Paths of the snapshots that were removed."""
    dry_run: bool = False


OutcomeKind = Literal[
    "new", "edited", "known", "quarantined", "newer here", "file is gone", "left out"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """The result for one memory of a Markdown import, or what it would be."""

    what: OutcomeKind
    """`newer here`: changed in the store since the file was written; `file is gone`: the memory
    stays in the store; `left out`: too little to make sense alone."""
    title: str
    kind: str
    scope: Scope
    file: str
    """The file it comes from, relative to the folder. JSON: `place`."""
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

    files: int = 0
    """Files read."""
    skipped: int = 0
    """Files with nothing new; of JSON lines, memories."""
    resumed: int = 0
    """Those of them that an interrupted import of the same had written before."""
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
    prompts: int = 0
    """Prompts of sessions without a transcript that Claude Code's history gave the archive."""
    refused: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """One sentence for each file that could not be read, or only partly."""
    elsewhere: tuple[str, ...] = ()
    """Folders of projects that no longer exist."""
    outcomes: tuple[ImportOutcome, ...] = ()
    """What came of each memory, from importers of Markdown alone. JSON: `arrivals`."""
    dry_run: bool = False
    seconds: float = 0.0
    id: str = ""
    """What lists that are filtered know it by; empty where several projects or nothing was read."""
    projects: tuple[ImportedProject, ...] = ()
    """What came of the sessions of each project, where those of all were imported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationImport:
    """What reading copies of transcripts gave the archive, or would give."""

    files: int
    """Transcripts read."""
    skipped: int
    """Transcripts with nothing new."""
    bytes_read: int
    conversations: int
    """Conversations that the archive did not have."""
    messages: int
    problems: tuple[str, ...] = ()
    """One sentence for each file that could not be read."""
    dry_run: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """What reading the archive again with today's rules gave, or would give."""

    conversations: int
    """Conversations read."""
    found: int
    """What the rules found in them."""
    known: int
    """Finds that say what a store knows, or what was put away."""
    suggested: int
    quarantined: int = 0
    rules: Mapping[str, int] = field(default_factory=dict)
    """How many each rule suggested, most first."""
    dry_run: bool = False
    seconds: float = 0.0
    id: str = ""
    """What lists that are filtered know it by; empty where nothing is new."""


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


COUNTED = (
    "files",
    "skipped",
    "resumed",
    "bytes_read",
    "candidates",
    "stored",
    "suggested",
    "quarantined",
    "merged",
    "updated",
    "newer_here",
    "linked",
    "prompts",
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
    totals = ImportReport(
        refused=dict(refused or {}),
        problems=tuple(problems),
        elsewhere=tuple(elsewhere),
        outcomes=tuple(outcomes),
        dry_run=dry_run,
        seconds=time.perf_counter() - started,
    )
    counted: dict[str, Any] = {name: counts.get(name, 0) for name in COUNTED}
    return replace(totals, **counted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureMatch:
    """A procedure that fits a task, and how well following it has worked."""

    memory: Memory
    fit: float
    """How well it fits the task, 0 to 1; 1 if no task was given."""
    reliability: float
    """The estimated probability of success the next time, 0 to 1; 0.5 if untried."""
    successes: int
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Two tags that several memories have in common."""

    tags: tuple[str, str]
    count: int
    """Active memories with both."""
    examples: tuple[str, ...]
    """Titles of a few of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledMemory:
    """A memory in a list over all projects."""

    memory: Memory
    project: str = ""
    """The folder of the other project that it belongs to; empty for this one's and global ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """Something that more than one project has learned."""

    memory: Memory
    """This project's wording."""
    projects: tuple[str, ...]
    """The other projects' names."""
    suggestion: str = ""
    """The id of the suggestion for the global store; empty if there is none, or was one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """An overview of what a project's memories have in common."""

    themes: tuple[Theme, ...]
    """The most frequent pairs of tags, most frequent first."""
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
    """The most important memories, grouped by kind."""

    text: str
    """Markdown."""
    memories: tuple[str, ...]
    """Ids, in the order of the text."""
    tokens: int
    active: int
    """Active memories of which these were chosen."""

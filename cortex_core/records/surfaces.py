"""What a session is given: the text line by line, receipts, and what one session had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Literal, NamedTuple

from cortex_core.base import hook_words, text
from cortex_core.records.as_json import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One memory injected into one session."""

    session: str
    event: str
    memory: str
    time: Moment
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

    JSON: ClassVar = (
        "receipt.memory",
        "receipt.event",
        "receipt.time",
        "receipt.tokens",
        "receipt.used",
        "receipt.evidence",
        "kind",
        "title",
        "content",
        "since",
    )

    receipt: Receipt
    kind: str = ""
    title: str = ""
    content: str = ""
    """Empty, as kind and title, where the words of that time are no longer known."""
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
    hook_words.START: "at the start",
    hook_words.PROMPT: "with a prompt",
    hook_words.TOOL: "about a file",
    "Trigger": "for a tool call",
}


class HandedOccasion(NamedTuple):
    """What a session was given at one moment."""

    time: Moment
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
    began: Moment
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
        at_start = any(one.event == hook_words.START for one in self.occasions)
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

"""The events that a transcript is read as, and the candidates, amendments and observations made of
them.

An agent's reader produces events; `extract` turns events into candidates; admission turns
candidates into memories.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from cortex_core.records.memory import Scope


class Limits(NamedTuple):
    """The most characters of each that an event keeps; head and tail survive a cut."""

    prose: int = 32_000
    """A prompt, a reply, a compaction summary, a plan."""
    result: int = 8_000
    """A tool's output, a shell command, a prompt that no user wrote."""
    string: int = 4_000
    """Any other string among a tool's arguments."""


LIMITS = Limits()


class ReadPosition(NamedTuple):
    """How far a transcript was read. Only the reader that made it knows what it means."""

    offset: int = 0
    """Everything before it was read."""
    head: str = ""
    """What distinguishes a file that has grown from one that was replaced, with the version of the
    reader, if the agent's has one: what an older reader has read is read again."""


START = ReadPosition()

Role = Literal[
    "human", "queued", "assistant", "tool_use", "tool_result", "compaction", "synthetic", "title"
]
"""human: typed by the user; queued: typed by the user while the agent worked, and often repeated by
a prompt (human) later; assistant: prose of a reply; compaction: the agent's own summary of the
conversation so far; synthetic: a prompt that no user wrote (notifications, command output); title:
what the agent or the user calls the session from here on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One block of one message, in file order."""

    role: Role
    text: str = ""
    """Prose; for a tool result its output, cut to the reader's limit."""
    uuid: str = ""
    message: str = ""
    """The API message's id; blocks of one reply share it."""
    session: str = ""
    time: float | None = None
    offset: int = 0
    """Byte offset of the record's line."""
    cwd: str = ""
    branch: str = ""
    sidechain: bool = False
    """Whether a sub-agent said it."""
    model: str = ""
    """The language model that wrote it, for prose of a reply and uses of tools."""
    tool: str = ""
    """The tool of a use or a result: one of `base.tools`, else the agent's own name of it."""
    tool_name: str = ""
    """What the agent calls the tool, as users know it."""
    tool_id: str = ""
    """Pairs a use with its result."""
    input: Mapping[str, Any] = field(default_factory=dict)
    """A tool use's arguments, long strings cut to the reader's limit. For a result, what the
    agent records or says about the outcome: `answers` by question and `annotations`, `plan` and
    `approved`, the number of a new `task` and its `subject`, a sub-agent's `report`, `remembered`
    (the `file` of the agent's own memory that it wrote, and the whole `text` after it), and
    `gitOperation` (`{"commit": {"sha", "kind", "branch"}, "pr": {"number", "url", …}}`). For a
    prompt, such a `report`, or whether a `picture` is shown with it."""
    failed: bool = False
    """Whether a tool result reports an error."""
    denied: bool = False
    """Whether a tool result says that the call did not run: the user, a permission or a hook
    refused it, or its arguments were wrong."""
    interrupted: bool = False
    """Whether the user stopped the agent here, or refused this call."""
    timed_out: bool = False
    """Whether a command was ended because it took too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something an extractor would remember, before admission checks it."""

    content: str
    title: str
    kind: str
    rule: str
    """The rule's name, such as `commit`, or `model:NAME@PROMPT`."""
    tier: Literal["kept", "suggested"] = "kept"
    confidence: float = 0.8
    priority: int = 5
    scope: Scope = "project"
    scope_confidence: float = 0.0
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    excerpt: str = ""
    """Words of the turn it came from, at most 1,000 characters; admission redacts them."""
    session: str = ""
    message: str = ""
    offset: int | None = None
    time: float | None = None
    branch: str = ""
    commit: str = ""
    cwd: str = ""
    author: str = ""
    until: str = ""
    """How long it holds, as `Memory.until` says it."""
    untrusted: bool = False
    """Whether the words come from tool output, a file or a web page and not from a user or the
    agent's own conclusions."""
    details: Mapping[str, Any] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    """For what an agent wrote to its own memory: the `file`, what it `said` (a hash), and when."""


Verb = Literal["keep", "drop", "reword", "outdated", "wrong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an agent says of one memory."""

    memory: str
    """Its id."""
    verb: Verb
    """What is to be done with it, or what is said of it."""
    content: str = ""
    """The better words, or what holds instead; empty where the reader names none."""
    title: str = ""
    kind: str = ""
    """Empty: the kind stays."""
    priority: int = 0
    """0: the priority stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment(Verdict):
    """What a reader says of one stored memory, and which words of the session show it."""

    confidence: float = 0.0
    """0: the confidence stays."""
    withdrawal: str = ""
    """The words in which the user takes it back, where nothing is said to hold instead."""
    said: str = ""
    """The words of the message that shows it; empty where none is named."""


Topic = Literal["order", "command", "failure", "dead end", "language", "correction", "instruction"]
"""What is counted over sessions: orders of the user, shell commands, what cannot be run here,
the languages of prompts; what the user corrects and states as a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something that says little once, and much when it comes back in other sessions."""

    topic: Topic
    key: str
    """Its general form, by which it is recognised."""
    text: str
    """Its own form."""
    succeeded: bool = True
    session: str = ""
    message: str = ""
    offset: int = 0
    time: float | None = None
    branch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an extractor found in one part of a session."""

    candidates: tuple[Candidate, ...]
    """What may be stored now."""
    later: tuple[Candidate, ...] = ()
    """Prompts that are stored where they change what is."""
    observations: tuple[Observation, ...] = ()
    carry: Mapping[str, Any] = field(default_factory=dict)
    """JSON-serialisable state that the next part of the same session needs."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """How many texts were not taken, by reason."""


def uuid_key(uuid: str) -> int:
    """A record's uuid as a number of 63 bits, the same in every process."""
    digest = hashlib.blake2b(uuid.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def content_mark(event: Event) -> str:
    """What an event has in common with its repetition under another uuid; empty for nothing."""
    if event.tool_id:
        return f"{event.role}:{event.tool_id}"
    if event.message:
        return f"{event.message}:{event.text}"
    return "" if event.time is None else f"{event.time}:{event.text}"

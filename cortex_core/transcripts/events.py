"""What a transcript says, as a flat list of events, and what the extractors make of it.

The reader (`transcript`) produces events; rules and models turn events into candidates; admission
turns candidates into memories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cortex_core.types import Scope

Role = Literal["human", "assistant", "tool_use", "tool_result", "compaction", "synthetic"]
"""human: typed by a user; assistant: prose of a reply; compaction: Claude Code's digest of what
went before; synthetic: a prompt no user wrote (notifications, command output)."""

EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
"""Claude Code's tools that change files."""


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
    tool: str = ""
    """The tool's name, for its use and its result."""
    tool_id: str = ""
    """Pairs a use with its result."""
    input: Mapping[str, Any] = field(default_factory=dict)
    """A tool use's arguments, long strings cut to the reader's limit. For a result, what
    Claude Code itself notes of the outcome: `answers` and `annotations` (to questions), `plan`,
    `gitOperation` (`{"commit": {"sha", "kind", "branch"}, "pr": {"number", "url", …}}`)."""
    failed: bool = False
    """Whether a tool result reports an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something an extractor would remember, before admission has looked at it."""

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
    untrusted: bool = False
    """Whether the words come from tool output, a file or a web page and not from a user or the
    agent's own conclusions."""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an extractor made of a stretch of a session."""

    candidates: tuple[Candidate, ...]
    carry: Mapping[str, Any] = field(default_factory=dict)
    """JSON-serialisable state that the next stretch of the same session needs."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """Reason and count of what was looked at and not taken."""

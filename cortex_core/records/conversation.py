"""What is known of conversations with Claude Code, as the archive keeps them.

Texts hold no secrets: they were redacted before they were written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from cortex_core.base import agent_names
from cortex_core.records.as_json import Moment, Shape, to_json
from cortex_core.records.memory import Scope

MessageKind = Literal[
    "user", "agent", "question", "answer", "plan", "summary", "report", "command", "edit", "commit"
]
"""What a message is: words of the user or of the agent; a question of the agent and what the user
chose; a plan; Claude Code's summary of what came before; a sub-agent's report; and, in one line
each, a command, a file that was changed and a commit that was made."""

PROSE: tuple[MessageKind, ...] = (
    "user",
    "agent",
    "question",
    "answer",
    "plan",
    "summary",
    "report",
)
"""Kinds whose text is prose; the others are lines about what the agent did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    number: int
    """Its row in the archive."""
    kind: MessageKind
    text: str
    """Prose without the bodies of code; or a command's first line, a path, a commit's subject."""
    time: Moment | None = None
    uuid: str = ""
    """The transcript's record, by which the sources of memories name it too."""
    offset: int = 0
    """Byte offset of the record in the transcript."""
    branch: str = ""
    model: str = ""
    """The language model that wrote it; empty for what no model wrote."""
    succeeded: bool | None = None
    """Whether a command ended without an error; None where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One session, as a list shows it."""

    JSON: ClassVar = ("*", "-number", "agent")

    number: int
    """Its row in the archive."""
    session: str
    scope: Scope
    """The side whose archive holds it."""
    title: str
    """What the session is called, else the first words that the user typed; one line."""
    branch: str
    """The branch it began on."""
    folder: str
    model: str
    started: Moment | None
    ended: Moment | None
    turns: int
    """Messages of the user."""
    messages: int
    commits: int
    memories: int = 0
    """Memories that were learned in it and are not forgotten."""
    transcript: str = ""
    """The key of the session it was read from, with Claude Code the file, which may be gone."""

    @property
    def agent(self) -> str:
        """The agent whose session it was; empty where no transcript is known."""
        return agent_names.of_key(self.transcript)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationText:
    """A conversation to be read."""

    JSON: ClassVar = ("conversation", "read as messages")

    conversation: Conversation
    messages: tuple[Message, ...]
    learned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids of the memories that were learned from a message, by the message's uuid."""
    deciding: tuple[str, ...] = ()
    """The uuids of the messages in which the session turned, as a model says that read it."""

    @property
    def read(self) -> list[Shape]:
        """The JSON of the messages, each with the ids of the `memories` learned from it, and
        whether it is `deciding`."""
        return [
            to_json(one)
            | {"memories": self.learned.get(one.uuid, ()), "deciding": one.uuid in self.deciding}
            for one in self.messages
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationHit:
    """A conversation that a search found, and the message of it that fits best."""

    JSON: ClassVar = ("conversation.*", "score", "message")

    conversation: Conversation
    message: Message
    score: float
    """Higher is better; comparable within one search only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was removed for good with a conversation."""

    JSON: ClassVar = ("conversation.session", "memories", "removed", "left")

    conversation: Conversation
    memories: int
    """Memories that were destroyed."""
    removed: tuple[str, ...] = ()
    """Snapshots of the stores that were removed."""
    left: tuple[str, ...] = ()
    """What may still hold words of the session, in sentences."""


SaidBy = Literal["person", "assistant", "tool", "result", "summary"]
"""tool: what the agent called; result: what it returned; note: text by Claude Code itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One block of a conversation, without its secrets."""

    by: SaidBy
    text: str
    time: Moment | None = None
    here: bool = False
    """Whether the memory came from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The turn of a session that a memory came from, with those around it."""

    transcript: str
    """The file that the conversation was read from."""
    session: str
    number: int
    """Which turn of the session it is, from 1; 0 for what precedes the first."""
    said: tuple[Said, ...]

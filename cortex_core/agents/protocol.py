"""What Cortex asks of a coding agent; each package beside this one answers for one agent.

Such a package has modules whose functions have these names: `hooks.py` is a `Hooks`, `reader.py` a
`Transcripts`; `checks.py` has its `AgentCheck`s. They are imported by name when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

from cortex_core.agents.hook_call import HookAnswer, HookCall
from cortex_core.base.project import Project
from cortex_core.records.events import LIMITS, Event, Limits
from cortex_core.records.upkeep import CheckResult


class TypedPrompt(NamedTuple):
    """A prompt of the history that an agent keeps apart from its transcripts."""

    session: str
    """Empty where the history names none."""
    folder: str
    """Where it was typed."""
    time: float
    text: str


class SessionRef(NamedTuple):
    """A session that an agent has on this machine."""

    id: str
    path: Path
    """Its transcript: what positions and sources are filed under."""
    cwd: str
    """The folder it began in; empty where none of its first records says."""
    started: float
    """Unix seconds, as `changed`."""
    changed: float
    size: int
    """Bytes."""
    is_sidechain: bool = False
    """Whether the transcript is that of a sub-agent; `id` is the session's."""


class TranscriptPass(Protocol):
    """One pass over a transcript: iterate it once, then save `offset` and `head` for the next."""

    path: Path
    session: str
    """The session's id."""
    offset: int
    """Where the next pass should begin: everything before it has been yielded."""
    head: str
    """What distinguishes a file that has grown from one that was replaced."""
    repeated: int
    """Records and blocks left out because they were known."""
    size: int
    """Bytes in the file when it was opened."""

    @property
    def problems(self) -> Mapping[str, int]:
        """Damage found so far and how often."""

    @property
    def keys(self) -> Set[int]:
        """Keys of the records yielded so far: what `seen` should know from now on."""

    def restart(self) -> None:
        """Read from the start; only before iterating."""

    def __enter__(self) -> Self:
        """The pass itself."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        """Close the file."""

    def __iter__(self) -> Iterator[Event]:
        """The events, in file order."""


class Transcripts(Protocol):
    """What an agent wrote of its sessions, as events."""

    def recognise(self, path: Path, /) -> bool:
        """Whether this agent wrote the file."""

    def session_of(self, path: str | Path, /) -> str:
        """The id of the session that a transcript belongs to."""

    def files_of_session(self, path: Path, /) -> tuple[Path, ...]:
        """A session's transcript with those of its sub-agents; none where it is gone."""

    def read(
        self,
        path: str | Path,
        offset: int = 0,
        seen: Callable[[str], bool] | None = None,
        *,
        head: str = "",
        limits: Limits = LIMITS,
    ) -> TranscriptPass:
        """The transcript from where an earlier pass ended.

        Args:
            offset: `TranscriptPass.offset` of that pass, and its `head`.
            seen: whether a record, by a mark of it, is known from elsewhere: a fork repeats it.
            limits: how much of long texts is kept.

        Raises:
            TranscriptError: it is missing, no regular file, or may not be read.
        """

    def turn(self, path: str | Path, offset: int, around: int = 1) -> list[Event]:
        """The events of the turn at `offset`, with so many turns before and after it.

        Raises:
            TranscriptError: the transcript cannot be read.
        """

    def holds_reply(self, path: str | Path, digest: str, /) -> bool:
        """Whether the end of the transcript holds the reply whose text has this SHA-256 (hex)."""


class AgentSessions(Protocol):
    """Which sessions an agent has on this machine."""

    def all(self) -> Sequence[SessionRef]:
        """The sessions of all projects, the oldest first; those of sub-agents are left out."""

    def of_project(self, project: Project, read: Iterable[Path] = (), /) -> Sequence[SessionRef]:
        """The sessions that ran in a project, the oldest first.

        Args:
            read: transcripts that were read as this project's before: they stay so.
        """

    def strangers(self, project: Project | None = None, /) -> Sequence[SessionRef]:
        """The files next to a project's transcripts, or next to any, whose form is not known."""

    def at(self, path: str | Path, /, *, sidechains: bool = False) -> Sequence[SessionRef]:
        """The transcripts at `path`, a file or a folder, the oldest first.

        Args:
            sidechains: with those of sub-agents.

        Raises:
            TranscriptError: there is nothing.
        """

    def named(self, name: str, /) -> Sequence[Path]:
        """The transcripts whose files are called so: a session keeps its name where it moves."""

    def prompts(self) -> Iterator[TypedPrompt]:
        """The history of prompts, which outlives transcripts; empty where an agent has none."""


class Hooks(Protocol):
    """The agent's hooks, without what Cortex makes of them."""

    def call(
        self, word: str, payload: Mapping[str, Any], environment: Mapping[str, str], /
    ) -> HookCall | None:
        """What a payload asks; None for an event that Cortex does not answer or record.

        Args:
            word: the event's name as the command line gave it; empty for none.
        """

    def answer(self, call: HookCall, given: HookAnswer, /) -> bytes:
        """The answer in the agent's form; empty where there is nothing to say."""

    def may_be_unread(self, call: HookCall, since: float, /) -> bool:
        """Whether a session near the one of the call was written after `since` (Unix seconds)."""

    def is_attended(self, environment: Mapping[str, str], /) -> bool:
        """Whether a user sees the answers; where the agent does not say, one is assumed."""


class Checks(Protocol):
    """Whether an agent is set up to run Cortex."""

    CHECKS: Sequence[AgentCheck]
    """Of its settings, the hooks in them and the MCP server (group `client`), and of how long it
    keeps sessions (`capture`)."""

    def routes(self, project: Project, /) -> Sequence[Route]:
        """Every way in which our hooks are installed and may be run for a test."""

    def is_installed(self, project: Project, /) -> bool:
        """Whether hooks of Cortex are in the agent's settings, or in a plugin of it."""


class Route(NamedTuple):
    """One way in which an agent runs the hooks."""

    name: str
    """The settings file, or the plugin."""
    commands: Mapping[str, list[str]]
    """The command of each event."""
    environment: Mapping[str, str]


class AgentCase(Protocol):
    """What an agent's check examines."""

    project: Project
    now: float

    @property
    def unread(self) -> Sequence[SessionRef]:
        """The sessions of which capture has not read everything."""


class AgentCheck(NamedTuple):
    """A check of the doctor that knows the agent's own files."""

    name: str
    group: str
    run: Callable[[AgentCase], CheckResult]
    fix: Callable[[AgentCase], str] | None = None
    """Repairs what `run` called fixable; returns a sentence about what it did."""

"""What Cortex asks of a coding agent; each package next to this one answers for one agent.

Such a package has modules whose functions have these names: `hooks.py` is a `Hooks`, `reader.py` a
`Transcripts`; `checks.py` has its `AgentCheck`s. They are imported by name when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from cortex_core.agents import hook_command
from cortex_core.agents.hook_call import HookAnswer, HookCall
from cortex_core.base.project import Project
from cortex_core.records.events import LIMITS, START, Event, Limits, ReadPosition
from cortex_core.records.model_replies import Reply
from cortex_core.records.upkeep import CheckResult, ConnectionPreview


class Capabilities(NamedTuple):
    """What Cortex can do with an agent; a page of the docs and the doctor are made from it."""

    transcripts: str
    """Where the agent keeps its sessions, and in which form."""
    events: tuple[str, ...] = ()
    """The events that its hooks report, by their words in `base.hook_words`."""
    injects: tuple[str, ...] = ()
    """Those of them at which it takes text."""
    denies: bool = False
    """Whether a hook can stop a tool call."""
    asks: bool = False
    """Whether a hook can have the user asked about a tool call; if not, the call is denied."""
    limit: int = 0
    """Tokens of injected text that reach the model whole; 0: no limit was seen."""
    mcp: bool = False
    """Whether it takes our MCP server."""
    folder_variable: str = ""
    """The variable that names the folder of a session for what runs in it; empty for none."""
    version: str = ""
    """The version that was tried."""
    gaps: tuple[str, ...] = ()
    """What stays impossible, as sentences."""


SessionKind = Literal["main", "subagent", "review"]
"""Who speaks to the agent in a session: a user, or an agent that has it do or review something."""


class SessionRef(NamedTuple):
    """A session that an agent has on this machine."""

    agent: str
    """The name of its package."""
    id: str
    key: str
    """What positions and sources are filed under, and what `transcripts.reader_of` and the readers
    take: `codex:THREAD`, so that a file may move. Claude Code's is its path."""
    path: Path
    """Its transcript, for reports: only its agent opens it."""
    cwd: str
    """The folder it began in; empty where none of its first records says."""
    started: float
    """Unix seconds, as `changed`."""
    changed: float
    size: int
    """Bytes, or whatever the offsets of its positions count: `Transcripts.extent`."""
    kind: SessionKind = "main"
    parent: str = ""
    """The id of the session for which a sub-agent or reviewer works."""


class TranscriptPass(AbstractContextManager["TranscriptPass"], Protocol):
    """One pass over a transcript: iterate it once, then save `position` for the next."""

    path: Path
    session: str
    """The session's id."""

    @property
    def position(self) -> ReadPosition:
        """Where the next pass should begin: everything before it has been yielded."""

    @property
    def problems(self) -> Mapping[str, int]:
        """Damage found so far and how often."""

    @property
    def keys(self) -> Set[int]:
        """Keys of the records yielded so far: what `seen` should know from now on."""

    def __iter__(self) -> Iterator[Event]:
        """The events, in file order."""


class Transcripts(Protocol):
    """What an agent wrote of its sessions, as events. A transcript is named by its path or key."""

    def recognise(self, path: Path, /) -> bool:
        """Whether this agent wrote the file."""

    def key_of(self, path: str | Path, /) -> str:
        """The key of a transcript (`SessionRef.key`)."""

    def extent(self, path: str | Path, /) -> int:
        """How far it could be read now, as a position's offset counts; -1 where it is gone."""

    def session_of(self, path: str | Path, /) -> str:
        """The id of the session that a transcript belongs to."""

    def files_of_session(self, path: str | Path, /) -> tuple[Path, ...]:
        """A session's transcript with those of its sub-agents; none where it is gone."""

    def read(
        self,
        path: str | Path,
        position: ReadPosition = START,
        seen: Callable[[str], bool] | None = None,
        *,
        limits: Limits = LIMITS,
    ) -> TranscriptPass:
        """The transcript from where an earlier pass ended.

        Args:
            position: `TranscriptPass.position` of that pass.
            seen: whether a record, by a mark of it, is known from elsewhere: a fork repeats it.
            limits: how much of long texts is kept.

        Raises:
            TranscriptError: it is missing, no regular file, or may not be read.
        """


class AgentSessions(Protocol):
    """Which sessions an agent has on this machine."""

    def all(self) -> Sequence[SessionRef]:
        """The sessions of all projects, the oldest first; those of sub-agents are left out."""

    def of_project(self, project: Project, read: Iterable[str] = (), /) -> Sequence[SessionRef]:
        """The sessions that ran in a project, the oldest first.

        Args:
            read: the keys of transcripts that were read as this project's: they stay so.
        """

    def strangers(self, project: Project | None = None, /) -> Sequence[SessionRef]:
        """The files whose form is not known: all, or without those that are another project's."""

    def at(self, path: str | Path, /, *, sidechains: bool = False) -> Sequence[SessionRef]:
        """The transcripts at `path`, a file or a folder, the oldest first.

        Args:
            sidechains: with those of sub-agents.

        Raises:
            TranscriptError: there is nothing.
        """

    def find(self, key: str, /) -> Sequence[Path]:
        """Where the transcript of this key, path or file name is: it keeps its name as it moves."""


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

    def has_tools(self, project: Project, environment: Mapping[str, str], /) -> bool:
        """Whether sessions in a project have the tools of our MCP server."""

    def tool_call(self, meta: Mapping[str, Any], /) -> str:
        """Of Claude Code: the id of the tool call that a request to our MCP server is, by its
        `_meta`; else empty.

        The hook before the call has the same id, and knows the session."""

    def is_worth_asking(self, transcript: str, /) -> bool:
        """Whether a session may hold what `learn` was not given: a commit, a refusal, six prompts.

        A bounded look at the transcript's end."""

    def memory_file(self, project: Project, environment: Mapping[str, str], /) -> str:
        """Of an agent with `own_files`: the file of its own memory that it injects itself; empty
        without one."""


InstallScope = Literal["user", "project", "local"]
"""Where hooks are added: to the user's settings, a project's shared ones, or its private ones."""


class PlannedConnection(Protocol):
    """A connection with an agent that can be made."""

    @property
    def preview(self) -> ConnectionPreview:
        """What connecting would change."""

    def add_hooks(self) -> str:
        """Add the hooks to the settings file, after a copy of it; the path of the copy, empty if
        there was no file or nothing to add.

        Raises:
            CortexError: the file cannot be written; nothing was changed.
        """

    def register(self) -> str:
        """Register the MCP server: `registered`, `unchanged`, `foreign` or `by hand`."""


class PlannedRemoval(Protocol):
    """What can be taken out of one settings file."""

    @property
    def settings(self) -> str:
        """The settings file."""

    @property
    def diff(self) -> str:
        """The change of it, as a unified diff."""

    @property
    def root(self) -> str:
        """The project whose file it is; empty for the user's."""

    def take_out(self, home: str, /) -> Sequence[str]:
        """Take the hooks out.

        Args:
            home: the global side.

        Returns:
            The copies of the file that stay because it was edited.

        Raises:
            CortexError: the file cannot be written; nothing was changed.
        """


class Installer(Protocol):
    """Connecting Cortex with an agent, and taking it out again."""

    def is_present(self) -> bool:
        """Whether the agent is on this machine: its command, or its folder."""

    def plan(
        self, project: Project, scope: InstallScope = "user", /, *, force: bool = False
    ) -> PlannedConnection:
        """Find out what connecting would do; nothing is changed.

        Args:
            force: connect even if a plugin of the agent does the same.

        Raises:
            CortexError: it cannot be done; the message says why.
        """

    def removals(self, project: Project, /) -> tuple[Sequence[PlannedRemoval], Sequence[str]]:
        """What would be taken out, file by file, and why of other files nothing can be."""

    def unregister(self, project: Project, roots: Iterable[str], /) -> Sequence[tuple[str, str]]:
        """Remove the MCP server of the user, and of the projects with these roots.

        Returns:
            What came of each, `removed`, `unchanged` or `by hand`, and the command that does it.
        """

    def remains(self, project: Project, /) -> str:
        """What still runs the hooks, and the command that ends it; empty where nothing does."""


class Checks(Protocol):
    """Whether an agent is set up to run Cortex."""

    CHECKS: Sequence[Check[AgentCase]]
    """Of its settings, the hooks in them and the MCP server (group `client`), and of how long it
    keeps sessions (`capture`)."""

    def is_installed(self, project: Project, /) -> bool:
        """Whether hooks of Cortex are in the agent's settings, or in a plugin of it."""


class Route(NamedTuple):
    """One way in which an agent runs the hooks."""

    name: str
    """The settings file, or the plugin."""
    commands: Mapping[str, list[str]]
    """The command of each event."""
    environment: Mapping[str, str]

    @property
    def python(self) -> tuple[str, ...]:
        """The interpreter of the hooks, with its flags; empty where a launcher finds it."""
        return hook_command.python_of(next(iter(self.commands.values())))


class AgentCase(Protocol):
    """What an agent's check examines."""

    project: Project
    now: float

    @property
    def sessions(self) -> Sequence[SessionRef]:
        """The project's sessions on this machine, the one written last at the end."""

    @property
    def fired(self) -> Set[str]:
        """The ids of the sessions in which hooks have reported an event."""

    @property
    def unread(self) -> Sequence[SessionRef]:
        """The sessions of which capture has not read everything."""

    def prompts(self, agent: str, /) -> int:
        """The prompts in an agent's sessions here that were read."""


CaseT = TypeVar("CaseT", contravariant=True)


class Check(NamedTuple, Generic[CaseT]):
    """A check of the doctor."""

    name: str
    group: str
    run: Callable[[CaseT], CheckResult]
    fix: Callable[[CaseT], str] | None = None
    """Repairs what `run` called fixable; returns a sentence about what it did."""


class RuleFile(NamedTuple):
    """A file with rules for the agent."""

    path: Path
    name: str
    """Its name in reports."""
    everywhere: bool
    """Whether it holds for every project."""


class AgentFiles(Protocol):
    """The files that an agent gives its model by itself: rules, and its own memory."""

    RULES_FILE: str
    MEMORY_FILE: str
    SHOWN: Sequence[str]
    """Files of the project that the agent shows its model by itself."""
    KINDS: Mapping[str, str]
    """The kind of a memory, by the type that the agent gives it."""
    DEEPEST: int
    """Levels of imports in rules that are followed."""

    def memory_folder(self, project: Project, /) -> Path:
        """The folder in which the agent keeps its memory of a project."""

    def rules(self, project: Project, /) -> list[RuleFile]:
        """The files with rules that the agent reads in a project, the project's own first."""

    def imports(self, words: str, /) -> list[str]:
        """The files that a text imports."""


class Headless(Protocol):
    """An agent's command as a way to ask a model, without a session."""

    COMMAND: str
    PROVIDER: str
    """Who gets what it is asked, in words."""
    OVERHEAD: int
    """Tokens that it adds to every prompt."""

    def model(self, wanted: str, /) -> str:
        """The model that it asks where the user's setting names `wanted`."""

    def command_line(
        self, command: str, model: str, system: str, schema: Mapping[str, Any], scratch: Path, /
    ) -> list[str]:
        """The command line; the text of the request goes through standard input.

        Args:
            scratch: a folder for files that the command reads; it is deleted afterwards.
        """

    def environment(self, most_output: int, /) -> dict[str, str]:
        """Its environment: ours without the session that ours may belong to."""

    def reply(self, out: bytes, errors: bytes, code: int, /) -> Reply:
        """The reply in what it printed before it exited with `code`.

        Raises:
            ModelFailed: it reports an error, or printed something else.
        """


class HookTrial(Protocol):
    """How an agent's hooks are run apart from the user's sessions."""

    FORM: str
    """What is wrong with an answer of which `text_of` is None."""

    def route(self, settings: Path, /) -> Route | None:
        """The way in which a settings file runs our hooks; None where it does not."""

    def routes(self, project: Project, /) -> Sequence[Route]:
        """Every way in which our hooks are installed and may be run for a test."""

    def planned_route(self) -> Route:
        """The way in which installing would have them run."""

    def made_up_session(self, settings: Path, project: Path, /) -> Path:
        """Write the transcript of a session that nobody had: a developer and the agent work in
        `project`; its name is the session's id."""

    def settings_folder(self, home: Path, /) -> Path:
        """The folder of the agent's settings in a home folder."""

    def transcript(self, settings: Path, project: Path, session: str, /) -> Path:
        """Where the transcript of a session is that ran in `project`."""

    def environment(self, settings: Path, home: Path, /) -> dict[str, str]:
        """The environment of a hook, without what belongs to the session of this process.

        Args:
            home: the global side.
        """

    def payload(
        self, event: str, session: str, transcript: Path, folder: Path, **fields: Any
    ) -> dict[str, Any]:
        """What a hook is sent; `fields` are those of the event."""

    def example(self, event: str, prompt: str, file: Path, /) -> Mapping[str, Any]:
        """The fields of one event; the prompt and the file are what memories may fit."""

    def text_of(self, event: str, printed: str, /) -> str | None:
        """The text that an answer gives the agent; None if it cannot be read."""

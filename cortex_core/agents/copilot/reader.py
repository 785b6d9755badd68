"""Reads Copilot CLI's sessions: the `events.jsonl` of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cortex_core.agents import injected, transcript_lines
from cortex_core.agents.copilot import hooks, tools
from cortex_core.agents.injected import string, tool_uses, unix_time
from cortex_core.agents.transcripts import unknown_form
from cortex_core.base import agent_names, tools as tool_names
from cortex_core.base.errors import TranscriptError
from cortex_core.base.json_objects import json_object, mapping
from cortex_core.base.text import one_line
from cortex_core.records.events import LIMITS, START, Event, Limits, ReadPosition, Role

KEY = "copilot:"

_TYPES = (
    "session.start",
    "session.resume",
    "user.message",
    "assistant.turn_start",
    "assistant.message",
    "tool.execution_start",
    "tool.execution_complete",
    "session.compaction_complete",
    "abort",
)
_FIRST_BYTES = 1 << 16
_EXIT = re.compile(r"\s*<(?:shellId: \S+ completed|exited) with exit code (\d+)>")
_SELECTED = ("User selected: ", "User responded: ")


class CopilotLines(transcript_lines.Lines):
    """The lines that may hold conversation."""

    def takes(self, record: Mapping[str, Any], is_rescued: bool) -> bool:
        """Whether a record may be conversation."""
        has_form = isinstance(record.get("data"), dict) and isinstance(record.get("id"), str)
        return record.get("type") in _TYPES and has_form


def opening(path: Path) -> Mapping[str, Any]:
    """What the first record says of the session; empty where Copilot CLI did not write it."""
    try:
        with transcript_lines.open_transcript(path, _FIRST_BYTES) as file:
            record = json_object(file.readline(_FIRST_BYTES))
    except (TranscriptError, OSError):
        return {}
    return mapping(record.get("data")) if record.get("type") == "session.start" else {}


def recognise(path: Path) -> bool:
    """Whether Copilot CLI wrote the file."""
    return "sessionId" in opening(path)


def folder() -> Path:
    """Where Copilot CLI keeps a folder for each session."""
    return Path(hooks.home(), "session-state").absolute()


def located(path: str | Path) -> Path:
    """The file of a session, by its key or path."""
    name = agent_names.copied(path)
    own = folder() / name.removeprefix(KEY) / "events.jsonl"
    return own if name.startswith(KEY) else Path(name)


def session_of(path: str | Path) -> str:
    """The id of the session that a transcript belongs to."""
    path = located(path)
    return string(opening(path).get("sessionId")) or path.parent.name


def key_of(path: str | Path) -> str:
    """What a session is filed under: by its id, by its path where it is a copy elsewhere."""
    is_own = located(path).absolute().is_relative_to(folder())
    return f"{KEY}{session_of(path) if is_own else located(path).absolute()}"


def extent(path: str | Path) -> int:
    """The bytes of a transcript; -1 where it is gone."""
    return transcript_lines.extent(located(path))


def files_of_session(path: str | Path) -> tuple[Path, ...]:
    """The session's transcript, which has its sub-agents as well; none where it is gone."""
    return (located(path),) if extent(path) >= 0 else ()


def read(
    path: str | Path,
    position: ReadPosition = START,
    seen: Callable[[str], bool] | None = None,
    *,
    limits: Limits = LIMITS,
) -> EventsReader:
    """The transcript at `path` from `position` on; `LineReader` describes parameters and errors."""
    return EventsReader(located(path), position, seen, limits)


class EventsReader(transcript_lines.LineReader):
    """One pass over a transcript of Copilot CLI."""

    READER = "copilot/1"
    FORM = CopilotLines
    MARK = "id"

    def __init__(
        self,
        path: Path,
        position: ReadPosition = START,
        seen: Callable[[str], bool] | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        """Open the transcript; `LineReader` describes the parameters and errors."""
        self._parser = EventsParser(opening(path), limits)
        super().__init__(path, session_of(path), position, seen)

    def parse(self, record: Mapping[str, Any], offset: int) -> Iterable[Event]:
        """The events of one record."""
        return self._parser.events(record, offset)

    def _read(self) -> Iterator[Event]:
        yield from super()._read()
        if self._parser.turns and not (self._start or self._parser.prompts):
            raise unknown_form(self.path)


class EventsParser:
    """Turns the records of one transcript, in their order, into events."""

    def __init__(self, begin: Mapping[str, Any], limits: Limits = LIMITS) -> None:
        """A parser of the session of which `begin` is the first record's data."""
        self.prompts = self.turns = 0
        """How many there were: a form in which only turns are found is not known."""
        self._limits = limits
        self._session = string(begin.get("sessionId"))
        self._calls: dict[str, Event] = {}
        """The uses of tools that await their results."""
        self._is_in(begin)

    def _is_in(self, data: Mapping[str, Any]) -> None:
        """Note the folder and the branch that the start or the resumption of a session names."""
        context = mapping(data.get("context"))
        self._cwd = string(context.get("cwd"))
        self._branch = one_line(string(context.get("branch")))

    def events(self, record: Mapping[str, Any], offset: int) -> Iterator[Event]:
        """The events of one record whose line begins at `offset`."""
        # Most kinds differ in their words alone; a tool has a record for its use and its end.
        kind, data = record["type"], record["data"]
        common: dict[str, Any] = {
            "uuid": string(record.get("id")),
            "session": self._session,
            "time": unix_time(record.get("timestamp")),
            "offset": offset,
            "cwd": self._cwd,
            "branch": self._branch,
            "sidechain": bool(data.get("parentToolCallId")),
        }
        if kind.startswith("session.") and "context" in data:
            self._is_in(data)
        self.turns += kind == "assistant.turn_start"
        self.prompts += kind == "user.message"
        if kind == "user.message":
            role, text = self._typed(data, common["sidechain"]), data.get("content")
        elif kind == "assistant.message":
            role, text = "assistant", data.get("content")
            common["model"] = string(data.get("model"))
        elif kind == "abort":
            role, text = "synthetic", "[Interrupted by the user]"
            common["interrupted"] = True
        else:
            role, text = "compaction", data.get("summaryContent")
        if said := injected.cleaned(text, self._limits.prose):
            yield Event(role=role, text=said, **common)
        elif kind == "tool.execution_start":
            name, call = string(data.get("toolName")), string(data.get("toolCallId"))
            uses = tool_uses(
                name, tools.calls_of(name, data.get("arguments")), call, common, self._limits
            )
            if uses:
                self._calls[call] = uses[0]
            yield from uses
        elif use := self._calls.pop(string(data.get("toolCallId")), None):
            yield self._result(use, data, common)

    def _typed(self, data: Mapping[str, Any], is_sidechain: bool) -> Role:
        """Who wrote a prompt: the text of a skill arrives as one too."""
        is_harness = string(data.get("source")).startswith("skill-")
        return "synthetic" if is_harness or is_sidechain else "human"

    def _result(self, use: Event, data: Mapping[str, Any], common: Mapping[str, Any]) -> Event:
        result, error, shell = (data.get(name) for name in ("result", "error", "shellExecution"))
        said = result.get("content") if isinstance(result, dict) else error
        said = said.get("message") if isinstance(said, dict) else said
        ended = _EXIT.search(string(said))
        code = shell.get("exitCode") if isinstance(shell, dict) else ended and int(ended[1])
        text = injected.cleaned(_EXIT.sub("", string(said)), self._limits.result)
        refusal = string(error.get("code")) if isinstance(error, dict) else ""
        return Event(
            role="tool_result",
            text=text,
            tool=use.tool,
            tool_name=use.tool_name,
            tool_id=use.tool_id,
            input=_outcome(use, text),
            failed=data.get("success") is False or bool(code),
            denied=refusal in ("denied", "rejected"),
            interrupted=refusal == "rejected",
            **common,
        )


def _outcome(use: Event, text: str) -> Mapping[str, Any]:
    """What came of a call, as `Event.input` has it for a result."""
    if use.tool == tool_names.SUBAGENT:
        return {"report": text}
    if use.tool == tool_names.PLAN:
        return {"approved": text.startswith("Plan approved"), "plan": use.input.get("plan", "")}
    if use.tool == tool_names.QUESTION and text.startswith(_SELECTED):
        return {"answers": {str(use.input.get("question")): text.partition(": ")[2]}}
    return {}

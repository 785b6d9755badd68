"""Reads OpenCode's sessions: from its SQLite file, or from what `opencode export` wrote.

A session of the file is called `FILE/SESSION`, or by its key. Offsets are milliseconds since the
session began, since nothing else of a message stays as it is: rows are written again and removed.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cortex_core.agents import injected
from cortex_core.agents.injected import string, tool_uses
from cortex_core.agents.opencode import session_file, tools
from cortex_core.agents.opencode.session_file import Message
from cortex_core.agents.transcript_lines import open_transcript
from cortex_core.agents.transcripts import unknown_form
from cortex_core.agents.whole_transcripts import LARGEST, WholeReader
from cortex_core.base import agent_names, tools as tool_names
from cortex_core.base.errors import TranscriptError
from cortex_core.base.json_objects import mapping
from cortex_core.records.events import LIMITS, START, Event, Limits, ReadPosition, Role

KEY = "opencode:"
VERSION = "opencode/1"

_FIRST_BYTES = 4096

_REFUSED = ("The user rejected permission", "The user dismissed")
_NOT_RUN = (*_REFUSED, "The user has specified a rule")
_INVALID = "was called with invalid arguments"
_ABORTED = ("Tool execution aborted", "Tool execution was interrupted")
_TIMED_OUT = "terminated command after exceeding timeout"


def recognise(path: Path) -> bool:
    """Whether OpenCode wrote the file, or what a session of it is called."""
    if path.parent.is_file():
        return path.name.startswith("ses_") and session_file.is_database(path.parent)
    try:
        with open_transcript(path, _FIRST_BYTES) as file:
            first = file.read(_FIRST_BYTES)
    except (TranscriptError, OSError):
        return False
    return (b'"info"' in first and b'"ses_' in first) or session_file.is_database(path)


def session_of(path: str | Path) -> str:
    """The id of the session that a transcript belongs to; a sub-agent has its own."""
    name = agent_names.copied(path).removeprefix(KEY)
    return _exported(Path(name))[0]["id"] if name.endswith(".json") else Path(name).name


def key_of(path: str | Path) -> str:
    """What a session is filed under: by its id, by its path where it is a copy elsewhere."""
    name = agent_names.copied(path)
    is_own = Path(name).parent == session_file.default_file() or name.startswith(KEY)
    return f"{KEY}{session_of(path) if is_own else Path(name).absolute()}"


def extent(path: str | Path) -> int:
    """How far a session could be read, comparable with a position's offset; -1 if it is gone."""
    try:
        info = described(path)
        return offset_of(info, info["last"])
    except TranscriptError:
        return -1


def files_of_session(path: str | Path) -> tuple[Path, ...]:
    """The session; none where it is gone."""
    return (Path(agent_names.copied(path)),) if extent(path) >= 0 else ()


def read(
    path: str | Path,
    position: ReadPosition = START,
    seen: Callable[[str], bool] | None = None,
    *,
    limits: Limits = LIMITS,
) -> WholeReader:
    """The session at `path` from `position` on.

    Raises:
        TranscriptError: it is missing, or has a form that is not known.
    """
    info = described(path)
    messages = _finished(_messages(path))
    if messages and not any(message.get("role") == "user" for message, _ in messages):
        raise unknown_form(Path(path))

    def since(offset: int) -> Iterator[Event]:
        new = (one for one in messages if offset_of(info, one[0]["created"]) >= offset)
        return events(info, new, limits)

    end = offset_of(info, messages[-1][0]["created"] if messages else None)
    # Where the first messages were removed, offsets count from another one.
    head = f"{VERSION} {_origin(info)}"
    return WholeReader(Path(path), info["id"], head, position, end, since, seen)


def _file_of(path: str | Path) -> tuple[Path, str]:
    """The file that holds a session, and its id."""
    name = str(path)
    file = session_file.default_file() if name.startswith(KEY) else Path(name).parent
    return file, Path(name).name.removeprefix(KEY)


def described(path: str | Path) -> Mapping[str, Any]:
    """What is known of a session, as `session_file.sessions` has it.

    Raises:
        TranscriptError: it is missing, or has a form that is not known.
    """
    name = agent_names.copied(path)
    if name.endswith(".json"):
        return _exported(Path(name))[0]
    file, own = _file_of(name)
    for info in session_file.sessions(file, own) if file.is_file() else ():
        return info
    raise TranscriptError(
        f"OpenCode has no session “{own}” in “{file}”. Nothing was read. See: opencode session list"
    )


def _messages(path: str | Path) -> list[Message]:
    """The messages of a session in order."""
    name = agent_names.copied(path)
    is_exported = name.endswith(".json")
    return _exported(Path(name))[1] if is_exported else session_file.messages(*_file_of(name))


def _exported(path: Path) -> tuple[Mapping[str, Any], list[Message]]:
    """What the file that `opencode export` wrote says of its session, and the messages."""
    with open_transcript(path) as file:
        whole = file.read(LARGEST + 1)
    if len(whole) > LARGEST:
        raise TranscriptError(
            f"“{path}” has more than {LARGEST >> 20} MB. Nothing of it was read. Import the "
            "session from OpenCode's own file instead."
        )
    try:
        # Any value may be missing or of another type: then it is a form that nobody knows.
        document = json.loads(whole.replace(b"\0", b"").decode("utf-8", "replace"))
        info, times = document["info"], document["info"]["time"]
        messages: list[Message] = [
            ({**one["info"], "created": one["info"]["time"]["created"]}, one["parts"].copy)
            for one in document["messages"]
        ]
        known = {
            "id": info["id"],
            "directory": info["directory"],
            "parent": info.get("parentID"),
            "created": times["created"],
            "updated": times["updated"],
            "first": messages[0][0]["created"] if messages else None,
            "last": messages[-1][0]["created"] if messages else None,
        }
        return known, messages
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise unknown_form(path) from error


def _origin(info: Mapping[str, Any]) -> int:
    """The milliseconds at which offsets begin: a fork has messages older than itself."""
    return int(min(info["created"], info["first"] or info["created"])) - 1


def offset_of(info: Mapping[str, Any], created: object) -> int:
    """The offset of a message by its milliseconds; 0 without any."""
    return max(0, int(created) - _origin(info)) if isinstance(created, int | float) else 0


def _finished(messages: list[Message]) -> list[Message]:
    """The messages before a reply that is still being written.

    One that broke off has another one after it."""
    replies = [
        index for index, (message, _) in enumerate(messages) if message.get("role") == "assistant"
    ]
    last = messages[replies[-1]][0] if replies else {"error": "none"}
    is_written = "completed" in str(last.get("time")) or "error" in last
    return messages if is_written else messages[: replies[-1]]


def events(
    info: Mapping[str, Any], messages: Iterable[Message], limits: Limits = LIMITS
) -> Iterator[Event]:
    """The events of some messages of a session, in order."""
    for message, read_parts in messages:
        path, created = message.get("path"), message["created"]
        cwd = string(path.get("cwd")) if isinstance(path, dict) else ""
        parts = tool_names.objects(list(read_parts()))
        common: dict[str, Any] = {
            "uuid": string(message.get("id")),
            "session": info["id"],
            # A fork has the messages under other ids: their time and words show that they repeat.
            "time": created / 1000 if isinstance(created, int | float) else None,
            "offset": offset_of(info, created),
            "cwd": cwd or info["directory"],
            "sidechain": bool(info["parent"]),
        }
        if message.get("role") == "user":
            yield from _prompt(parts, common, limits)
        elif message.get("role") == "assistant":
            yield from _reply(message, parts, common, limits)


def _prompt(
    parts: Sequence[Mapping[str, Any]], common: dict[str, Any], limits: Limits
) -> Iterator[Event]:
    """What the user typed; parts that OpenCode or a plugin added are `synthetic`."""
    typed = [
        part
        for part in parts
        if part.get("type") == "text" and not (part.get("synthetic") or part.get("ignored"))
    ]
    words = [string(part.get("text")) for part in typed]
    pictures = [part for part in parts if str(part.get("mime")).startswith("image/")]
    shown: dict[str, Any] = {"picture": True} if pictures else {}
    for text in injected.hidden_on(words):
        # `opencode run` puts quotation marks around a prompt, and a backslash before those in it.
        is_quoted = len(text) > 1 and text[0] == text.rstrip()[-1] == '"'
        plain = text.strip()[1:-1].replace('\\"', '"') if is_quoted else text
        if said := injected.cleaned(plain, limits.prose):
            role: Role = "synthetic" if common["sidechain"] else "human"
            yield Event(role=role, text=said, input=shown, **common)


def _reply(
    message: Mapping[str, Any],
    parts: Sequence[Mapping[str, Any]],
    common: dict[str, Any],
    limits: Limits,
) -> Iterator[Event]:
    common["model"] = string(message.get("modelID"))
    for part in parts:
        if part.get("type") == "text" and not part.get("synthetic"):
            if said := injected.cleaned(part.get("text"), limits.prose):
                role: Role = "compaction" if message.get("summary") is True else "assistant"
                yield Event(role=role, text=said, **common)
        elif part.get("type") == "tool":
            yield from _call(part, common, limits)
    if mapping(message.get("error")).get("name") == "MessageAbortedError":
        yield Event(role="synthetic", text="[Interrupted by the user]", interrupted=True, **common)


def _call(part: Mapping[str, Any], common: dict[str, Any], limits: Limits) -> Iterator[Event]:
    """The use of a tool and its result; nothing for one of ours."""
    name, call = string(part.get("tool")), string(part.get("callID"))
    state = mapping(part.get("state"))
    if uses := tool_uses(name, tools.calls_of(name, state.get("input")), call, common, limits):
        yield from uses
        yield _result(uses[0].tool, name, call, state, common, limits)


def _result(
    tool: str,
    name: str,
    call: str,
    state: Mapping[str, Any],
    common: dict[str, Any],
    limits: Limits,
) -> Event:
    metadata, error = mapping(state.get("metadata")), string(state.get("error"))
    text = injected.cleaned(error or state.get("output"), limits.result)
    return Event(
        role="tool_result",
        text=text,
        tool=tool,
        tool_name=name,
        tool_id=call,
        input=injected.arguments(_outcome(tool, text, state.get("input"), metadata), limits),
        failed=bool(error) or metadata.get("exit") not in (0, None),
        denied=error.startswith(_NOT_RUN) or _INVALID in error,
        interrupted=error.startswith((*_REFUSED, *_ABORTED)),
        timed_out=_TIMED_OUT in text,
        **common,
    )


def _outcome(tool: str, text: str, given: object, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """What came of a call, as `Event.input` has it for a result."""
    if tool == tool_names.SUBAGENT:
        return {"report": text.partition("<task_metadata>")[0].strip()}
    answers = metadata.get("answers")
    if tool == tool_names.QUESTION and isinstance(given, dict) and isinstance(answers, list):
        asked = tool_names.objects(given.get("questions"))
        chosen = (
            ", ".join(map(str, one)) if isinstance(one, list) else str(one) for one in answers
        )
        return {
            "answers": {
                str(one.get("question")): said for one, said in zip(asked, chosen, strict=False)
            }
        }
    return {}

"""Reads Gemini CLI's sessions: lines that change what earlier lines said, or one JSON document.

A message is written again when it is complete, and a rewind takes messages back, so a file is read
from its start each time. Offsets are those of lines; of a document's messages, their numbers.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cortex_core.agents import injected, transcript_lines
from cortex_core.agents.gemini import hooks, tools
from cortex_core.agents.injected import string, tool_uses, unix_time
from cortex_core.agents.transcripts import unknown_form
from cortex_core.agents.whole_transcripts import LARGEST, WholeReader
from cortex_core.base import agent_names, tools as tool_names
from cortex_core.base.errors import TranscriptError
from cortex_core.records.events import LIMITS, START, Event, Limits, ReadPosition, Role

KEY = "gemini:"
VERSION = "gemini/1"

_FIRST_BYTES = 4096
_SUMMARY = "<state_snapshot>"
_REFERENCED = "--- Content from referenced files ---"
"""The part after which files that the prompt names are copied in."""
_CONTEXT = "<session_context>"
_WRAPPED = ("<untrusted_context>\n", "\n</untrusted_context>")
_EXIT = "Exit Code: "
_BLOCKED = "Tool execution blocked"
"""How the result of a call begins that a hook did not let run."""

Messages = dict[str, tuple[int, int, Mapping[str, Any]]]
"""Messages by their ids, in order: where each was written first, and last, and what it says."""


class GeminiLines(transcript_lines.Lines):
    """The lines of a session."""

    def takes(self, record: Mapping[str, Any], is_rescued: bool) -> bool:
        """Whether a record changes the conversation."""
        is_message = isinstance(record.get("id"), str) and "timestamp" in record
        return is_message or any(name in record for name in ("$set", "$rewindTo"))


def folder() -> Path:
    """Where Gemini CLI keeps a folder for each project."""
    return Path(hooks.home(), "tmp").absolute()


def opening(path: Path) -> Mapping[str, Any]:
    """What the beginning of a file says of its session; empty where Gemini CLI did not write it."""
    try:
        with transcript_lines.open_transcript(path, _FIRST_BYTES) as file:
            first = file.read(_FIRST_BYTES).decode("utf-8", "replace")
    except (TranscriptError, OSError):
        return {}
    found = dict(re.findall(r'"(sessionId|projectHash|startTime|kind)": ?"([^"]*)"', first))
    return found if found.keys() >= {"sessionId", "projectHash"} else {}


def recognise(path: Path) -> bool:
    """Whether Gemini CLI wrote the file."""
    return bool(opening(path))


def located(path: str | Path) -> Path:
    """The file of a session, by its key or path."""
    name = agent_names.copied(path)
    if not name.startswith(KEY):
        return Path(name)
    session = name.removeprefix(KEY)
    found = sorted(folder().glob(f"*/chats/session-*-{session[:8]}.json*"), key=fullness)[::-1]
    found += folder().glob(f"*/chats/*/{session}.jsonl")
    fitting = (one for one in found if opening(one).get("sessionId") == session)
    return next(fitting, folder() / session)


def fullness(path: Path) -> tuple[str, int]:
    """What sorts the files of one session, the one that has it all last.

    A document that was read on has become lines, and stays. A session that is resumed goes on in
    its file, and leaves another one that has only what precedes a first prompt.
    """
    return path.suffix, transcript_lines.extent(path)


def session_of(path: str | Path) -> str:
    """The id of the session that a transcript belongs to."""
    path = located(path)
    return opening(path).get("sessionId") or path.stem


def key_of(path: str | Path) -> str:
    """What a session is filed under: by its id, by its path where it is a copy elsewhere."""
    is_own = located(path).absolute().is_relative_to(folder())
    return f"{KEY}{session_of(path) if is_own else located(path).absolute()}"


def extent(path: str | Path) -> int:
    """The bytes of a file; -1 where it is gone."""
    return transcript_lines.extent(located(path))


def files_of_session(path: str | Path) -> tuple[Path, ...]:
    """A session's transcript with those of its sub-agents; none where it is gone."""
    path = located(path)
    below = sorted((path.parent / session_of(path)).glob("*.jsonl"))
    return (path, *below) if path.is_file() else ()


def read(
    path: str | Path,
    position: ReadPosition = START,
    seen: Callable[[str], bool] | None = None,
    *,
    limits: Limits = LIMITS,
) -> WholeReader:
    """The transcript at `path` from `position` on.

    Raises:
        TranscriptError: it is missing, or has a form that is not known.
    """
    path = located(path)
    messages, end, problems = _folded(path)
    # Only what is new since `position` becomes events: texts cost more than folding the lines.
    kinds = [message.get("type") for _, _, message in messages.values()]
    if "gemini" in kinds and "user" not in kinds:
        raise unknown_form(path)
    begin = opening(path)
    common: dict[str, Any] = {
        "session": session_of(path),
        "cwd": folder_of(path),
        "sidechain": begin.get("kind") == "subagent",
    }

    def since(offset: int) -> Iterator[Event]:
        for first, last, message in messages.values():
            if last >= offset:
                yield from events(message, {**common, "offset": first}, limits)

    head = f"{VERSION} {common['session']}"
    found = WholeReader(path, common["session"], head, position, end, since, seen)
    found.problems.update(problems)
    return found


def folder_of(path: Path) -> str:
    """The folder that a session ran in, which a file next to those of sessions names."""
    for parent in path.parents[1:3]:
        with suppress(OSError, UnicodeDecodeError):
            return (parent / ".project_root").read_text(encoding="utf-8").strip()
    return ""


def _folded(path: Path) -> tuple[Messages, int, Mapping[str, int]]:
    """The messages of a file as they are now, how far it reaches, and what is wrong with it."""
    if path.suffix == ".json":
        # Any of them may have changed, wherever the file was read up to.
        size, listed = extent(path), enumerate(_document(path))
        return {string(each.get("id")): (number, size, each) for number, each in listed}, size, {}
    messages: Messages = {}
    with transcript_lines.open_transcript(path) as file:
        lines = GeminiLines(file, 0)
        for start, _end, line in lines:
            for record in lines.records(line):
                _change(messages, record, start)
    return messages, lines.end, lines.problems


def _document(path: Path) -> list[Mapping[str, Any]]:
    """The messages of the older form, which is one JSON document."""
    with transcript_lines.open_transcript(path) as file:
        whole = file.read(LARGEST + 1)
    if len(whole) > LARGEST:
        raise TranscriptError(
            f"“{path}” has more than {LARGEST >> 20} MB. Nothing of it was read; it stays unread."
        )
    try:
        listed = json.loads(whole.replace(b"\0", b"").decode("utf-8", "replace"))["messages"]
        return [message for message in listed if isinstance(message, dict)]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise unknown_form(path) from error


def _change(messages: Messages, record: Mapping[str, Any], start: int) -> None:
    """Change the messages as a line does.

    A list in place of all messages is what the model is sent from now on: after a compaction or at
    a resumption it lacks what was said before, so nothing is dropped for it.
    """
    changed = record.get("$set")
    if "$rewindTo" in record:
        ids = list(messages)
        target = string(record["$rewindTo"])
        since = ids.index(target) if target in messages else 0
        for each in ids[since:]:
            del messages[each]
    elif isinstance(changed, dict):
        for message in tool_names.objects(changed.get("messages")):
            messages.setdefault(string(message.get("id")), (start, start, message))
    else:
        messages[record["id"]] = (messages.get(record["id"], (start,))[0], start, record)


def events(
    message: Mapping[str, Any], common: dict[str, Any], limits: Limits = LIMITS
) -> Iterator[Event]:
    """The events of one message."""
    common |= {"uuid": string(message.get("id")), "time": unix_time(message.get("timestamp"))}
    parts = message.get("content")
    parts = [{"text": parts}] if isinstance(parts, str) else tool_names.objects(parts)
    words = [string(part.get("text")) for part in parts]
    if message.get("type") == "gemini":
        common["model"] = string(message.get("model"))
        if said := injected.cleaned("\n".join(words), limits.prose):
            yield Event(role="assistant", text=said, **common)
        for call in tool_names.objects(message.get("toolCalls")):
            yield from _call(call, common, limits)
    elif message.get("type") == "user":
        typed = words[: next((i for i, each in enumerate(words) if _REFERENCED in each), None)]
        role: Role = "synthetic" if common["sidechain"] else "human"
        shown = {"picture": True} if any("inlineData" in part for part in parts) else {}
        said = injected.cleaned("\n".join(typed), limits.prose)
        if said.startswith(_SUMMARY):
            role = "compaction"
        if said and not said.startswith(_CONTEXT):
            yield Event(role=role, text=said, input=shown, **common)


def _call(call: Mapping[str, Any], common: dict[str, Any], limits: Limits) -> Iterator[Event]:
    """The use of a tool and its result; nothing for one of ours."""
    name, status = string(call.get("name")), call.get("status")
    number = string(call.get("id"))
    uses = tool_uses(name, tools.calls_of(name, call.get("args")), number, common, limits)
    yield from uses
    # The message is written once before the tool has run, and again with its result.
    if not uses or status not in ("success", "error", "cancelled"):
        return
    parts = tool_names.objects(call.get("result"))
    responses = tool_names.objects([part.get("functionResponse") for part in parts])
    answers = tool_names.objects([one.get("response") for one in responses])
    said = "\n".join(string(one.get("output")) or string(one.get("error")) for one in answers)
    text = injected.cleaned(said, limits.result)
    ends = {line.removeprefix(_EXIT) for line in text.split("\n") if line.startswith(_EXIT)}
    for mark in _WRAPPED:
        text = text.replace(mark, "")
    yield Event(
        role="tool_result",
        text=text.strip(),
        tool=uses[0].tool,
        tool_name=name,
        tool_id=number,
        failed=status != "success" or any(end[:1] in "123456789" for end in ends if end),
        denied=status == "cancelled" or text.startswith(_BLOCKED),
        interrupted=status == "cancelled",
        **common,
    )

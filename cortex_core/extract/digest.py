"""What a language model is shown of a session: its redacted messages, in chunks of one request.

It is shown prose: prompts and replies without fenced code, pasted lines and private text, what
tools were used on, and of their results only the line that names an error, as untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from cortex_core.base import text
from cortex_core.base.tools import CHANGING, PLAN, QUESTION, SHELL, WEB
from cortex_core.extract.own_words import looks_pasted
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.records.events import Event
from cortex_core.redaction import secrets

Speaker = Literal["user", "assistant", "action", "outcome", "summary"]

_SPEAKERS: Mapping[str, Speaker] = {
    "human": "user",
    "queued": "user",
    "assistant": "assistant",
    "compaction": "summary",
}
"""Whose prose the model is shown, by the role of the event."""

LARGEST_CHUNK = 65_000
"""Most characters of one chunk."""

MOST_TOKENS = 80_000
"""Most tokens of one chunk, as estimated: with the instructions it is below the price step."""

LONGEST_MESSAGE = 12_000
"""Most characters of one message; a longer one keeps its head and tail."""

LONGEST_PROMPT = 200
"""Most characters of a prompt where all of a session's prompts are listed."""

LAST_MESSAGES = 12
"""Messages that show how a session ended: as many as the closing pass was measured with."""

LONGEST_ACTION = 300
"""Most characters of what a tool was used on, and of an error."""

LONGEST_COMMIT = 2_000
"""Most characters of a command whose message says what was done and why, and of an answer."""

_COMMIT = Pattern(
    "command with a message",
    r"\bgit\b.{0,80}\bcommit\b|\bgh (?:pr|issue) (?:create|edit)\b",
    finds="git add . && git commit -m a",
    spares="git add .",
    flags=re.DOTALL,
)
_INLINE = Pattern(
    "program with its code",
    r"(\b(?:python[\d.]*|node|perl|ruby|php|sh|bash|zsh|psql)\b.{0,40}?\s-[ce]\s).*",
    finds="python -c print(1)",
    spares="python a.py",
    flags=0,
)
_HEREDOC = Pattern(
    "text within a command",
    r"<<-?\s*['\"]?\w+.*",
    finds="cat <<EOF\na",
    spares="cat a",
    flags=re.DOTALL,
)
_ERROR = Pattern(
    "error",
    r"\b\w*(?:Error|Exception|Warning)\b:?|\b(?:error|fatal|panic|failed|failure|denied|refused|"
    r"not found|cannot|timed out)\b",
    finds="ValueError: no",
    spares="value",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestLine:
    """One message of a session, as it is shown to the model."""

    number: int
    """From 1 through the session, so that a later chunk can cite what an earlier one said."""
    speaker: Speaker
    text: str
    event: Event
    """Where it comes from: the position only, without words or arguments."""

    @property
    def is_untrusted(self) -> bool:
        """Whether neither the user nor the agent said it."""
        return self.speaker == "outcome"

    def __str__(self) -> str:
        body = self.text.replace("\n", "\n  ")
        return f"[{self.number} {self.speaker}] {body}\n"


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages that are sent in one request."""

    lines: tuple[DigestLine, ...]

    @property
    def text(self) -> str:
        """The messages, one below the other; indented lines inside one cannot begin another."""
        return "".join(map(str, self.lines))

    @property
    def span(self) -> tuple[int, int]:
        """Byte offsets of its first and last message in the transcript."""
        return self.lines[0].event.offset, self.lines[-1].event.offset


def lines(events: Iterable[Event], ignored: Sequence[str] = ()) -> list[DigestLine]:
    """The messages of redacted `events`, except those from `ignored` folders and files."""
    queued: set[str] = set()
    said: list[DigestLine] = []
    for event in events:
        if event.sidechain or secrets.is_ignored(event.cwd, ignored):
            continue
        if event.role == "queued":
            queued.add(event.text)
        elif event.role == "human" and event.text in queued:
            continue  # the prompt that repeats what was typed while the agent worked
        message = _speaker_and_words(event, ignored)
        if message is not None and message[1]:
            speaker, words = message
            # Without its words: a long session that waits for the model must fit in memory.
            place = Event(
                role=event.role,
                uuid=event.uuid,
                message=event.message,
                session=event.session,
                time=event.time,
                offset=event.offset,
                cwd=event.cwd,
                branch=event.branch,
            )
            said.append(
                DigestLine(
                    number=len(said) + 1,
                    speaker=speaker,
                    text=_cut(words, LONGEST_MESSAGE),
                    event=place,
                )
            )
    return said


def chunks(said: Iterable[DigestLine]) -> list[Chunk]:
    """The messages in chunks of at most `LARGEST_CHUNK` characters, cut before prompts."""
    full: list[Chunk] = []
    pending: list[DigestLine] = []
    size = tokens = 0
    for line in said:
        line_size, line_tokens = len(str(line)) + 8, text.tokens(line.text) + 6
        if pending and (size + line_size > LARGEST_CHUNK or tokens + line_tokens > MOST_TOKENS):
            cut = _break(pending)
            full.append(Chunk(tuple(pending[:cut])))
            pending = pending[cut:]
            size = sum(len(str(kept)) + 8 for kept in pending)
            tokens = sum(text.tokens(kept.text) + 6 for kept in pending)
        pending.append(line)
        size += line_size
        tokens += line_tokens
    return [*full, Chunk(tuple(pending))] if pending else full


def prompts(said: Sequence[DigestLine]) -> list[str]:
    """The user's prompts, each on one line of at most `LONGEST_PROMPT` characters."""
    return [
        f"[{line.number}] {_cut(text.one_line(line.text), LONGEST_PROMPT)}"
        for line in said
        if line.speaker == "user"
    ]


def ending(said: Sequence[DigestLine], budget: int) -> list[str]:
    """The last `LAST_MESSAGES` messages, each cut to its share of `budget` characters."""
    last = said[-LAST_MESSAGES:]
    return [str(replace(line, text=_cut(line.text, budget // len(last)))) for line in last]


def prose(words: str) -> str:
    """`words` without private text, fenced code, and lines that look like code, logs or diffs."""
    kept = without_fences(secrets.strip_private(text.clean(words)), tables=True)
    own = (line for line in kept.split("\n") if not looks_pasted(line))
    return "\n".join(own).strip()


def _break(said: Sequence[DigestLine]) -> int:
    """Where to cut a full chunk: before the last prompt of its second half, else at its end."""
    for index in range(len(said) - 1, len(said) // 2, -1):
        if said[index].speaker == "user":
            return index
    return len(said)


def _speaker_and_words(event: Event, ignored: Sequence[str]) -> tuple[Speaker, str] | None:
    if speaker := _SPEAKERS.get(event.role):
        return speaker, prose(event.text)
    if event.role == "tool_use":
        return "action", _action(event, ignored)
    if event.role == "tool_result":
        return _outcome(event)
    return None


def _action(event: Event, ignored: Sequence[str]) -> str:
    """What a tool was used on; empty for tools that only read."""
    arguments = event.input
    if event.tool in CHANGING:
        path = str(arguments.get("file_path") or "")
        return (
            ""
            if secrets.is_ignored(path, ignored)
            else f"{event.tool_name} {_relative(path, event)}"
        )
    if event.tool == SHELL:
        return f"ran: {_command(str(arguments.get('command', '')))}"
    if event.tool == PLAN:
        return f"plan: {prose(str(arguments.get('plan', '')))}"
    if event.tool == QUESTION:
        return f"asked: {_questions(arguments)}"
    if event.tool == WEB:
        return f"{event.tool_name} {arguments.get('url') or arguments.get('query') or ''}"[
            :LONGEST_ACTION
        ]
    return ""


def _outcome(event: Event) -> tuple[Speaker, str] | None:
    """The user's answer to a question, or the line of a failed tool that names the error."""
    if event.tool in (QUESTION, PLAN) and not event.failed:
        return "user", prose(event.text)[:LONGEST_COMMIT]
    if not event.failed:
        return None
    errors = [
        line.strip() for line in text.clean(event.text).splitlines() if _ERROR.regex.search(line)
    ]
    words = secrets.strip_private(errors[-1])[:LONGEST_ACTION] if errors else ""
    return "outcome", f"{event.tool_name} failed: {words}" if words else ""


def _command(command: str) -> str:
    """A shell command without code inside it, unless that is the message of a commit."""
    plain = secrets.strip_private(text.clean(command)).strip()
    if _COMMIT.regex.search(plain):
        return _cut(plain, LONGEST_COMMIT)
    first = _HEREDOC.regex.sub("<< …", plain).split("\n")[0]
    return _INLINE.regex.sub(r"\1…", first)[:LONGEST_ACTION]


def _questions(arguments: Mapping[str, Any]) -> str:
    asked = arguments.get("questions")
    questions = [
        str(form.get("question", ""))
        for form in (asked if isinstance(asked, list) else ())
        if isinstance(form, Mapping)
    ]
    return prose(" / ".join(questions))[:LONGEST_COMMIT]


def _relative(path: str, event: Event) -> str:
    """`path` relative to the session's folder."""
    folder = event.cwd.rstrip("/") + "/"
    return path.removeprefix(folder) if len(folder) > 1 else path


def _cut(words: str, longest: int) -> str:
    if len(words) <= longest:
        return words
    head = longest * 2 // 3
    return f"{words[:head]} […] {words[head - longest :]}"

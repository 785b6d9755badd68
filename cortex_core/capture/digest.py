"""What of a session a language model is shown: its prose, redacted, without code and tool output.

Prompts and replies go in without fenced code, pasted lines and private text; of the tools used only
what they were used on; of their results only the line that names an error, and that as untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from cortex_core import text
from cortex_core.capture import private
from cortex_core.capture.events import EDITS, Event
from cortex_core.capture.rules.markdown import without_fences
from cortex_core.capture.rules.pasted import looks_pasted

Speaker = Literal["user", "assistant", "action", "outcome", "summary"]

LARGEST = 65_000
"""Characters of one chunk."""

MOST_TOKENS = 80_000
"""Estimated tokens of one chunk: with the instructions it stays under the models' price step."""

LONGEST = 12_000
"""Characters of one message; of a longer one head and tail stay."""

LONGEST_ACTION = 300
LONGEST_COMMIT = 2_000
"""Characters of a command whose message says what was done and why."""

_COMMIT = re.compile(r"\bgit\b.{0,80}\bcommit\b|\bgh (?:pr|issue) (?:create|edit)\b", re.DOTALL)
_INLINE = re.compile(
    r"(\b(?:python[\d.]*|node|perl|ruby|php|sh|bash|zsh|psql)\b.{0,40}?\s-[ce]\s).*"
)
_HEREDOC = re.compile(r"<<-?\s*['\"]?\w+.*", re.DOTALL)
_ERROR = re.compile(
    r"\b\w*(?:Error|Exception|Warning)\b:?|\b(?:error|fatal|panic|failed|failure|denied|refused|"
    r"not found|cannot|timed out)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of a session as the model is shown it."""

    number: int
    """From 1 within its chunk; 0 before it is in one."""
    speaker: Speaker
    text: str
    event: Event
    """Where it comes from: the place alone, without words or arguments."""

    @property
    def is_untrusted(self) -> bool:
        """Whether neither a person nor the agent said it."""
        return self.speaker == "outcome"

    def __str__(self) -> str:
        body = self.text.replace("\n", "\n  ")
        return f"[{self.number} {self.speaker}] {body}\n"


@dataclass(frozen=True, slots=True)
class Chunk:
    """As many messages as are sent at once."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The messages under each other; a line that opens one cannot stand within another."""
        return "".join(map(str, self.lines))

    @property
    def span(self) -> tuple[int, int]:
        """Byte offsets of its first and its last message in the transcript."""
        return self.lines[0].event.offset, self.lines[-1].event.offset

    def halves(self) -> tuple[Chunk, ...]:
        """The chunk in two, or nothing where it cannot be divided."""
        if len(self.lines) < 2:
            return ()
        middle = len(self.lines) // 2
        return _numbered(self.lines[:middle]), _numbered(self.lines[middle:])


def lines(events: Iterable[Event], ignored: Sequence[str] = ()) -> Iterator[Line]:
    """The messages of redacted `events`, what comes from `ignored` folders and files left out."""
    for event in events:
        if event.sidechain or private.is_ignored(event.cwd, ignored):
            continue
        told = _told(event, ignored)
        if told is not None and told[1]:
            speaker, words = told
            yield Line(number=0, speaker=speaker, text=_cut(words, LONGEST), event=_place(event))


def chunks(said: Iterable[Line]) -> list[Chunk]:
    """The messages in chunks of at most 65,000 characters, cut before a prompt where that fits."""
    found: list[Chunk] = []
    held: list[Line] = []
    size = counted = 0
    for line in said:
        long, count = len(str(line)) + 8, text.tokens(line.text) + 6
        if held and (size + long > LARGEST or counted + count > MOST_TOKENS):
            cut = _break(held)
            found.append(_numbered(held[:cut]))
            held = held[cut:]
            size = sum(len(str(one)) + 8 for one in held)
            counted = sum(text.tokens(one.text) + 6 for one in held)
        held.append(line)
        size += long
        counted += count
    return [*found, _numbered(held)] if held else found


def prose(words: str) -> str:
    """`words` without private text, fenced code, and lines that look like code, logs or diffs."""
    kept = without_fences(private.strip_private(text.clean(words)), tables=True)
    own = (line for line in kept.split("\n") if not looks_pasted(line))
    return "\n".join(own).strip()


def _break(held: Sequence[Line]) -> int:
    """Where to cut a full chunk: before the last prompt of its second half, else at its end."""
    for place in range(len(held) - 1, len(held) // 2, -1):
        if held[place].speaker == "user":
            return place
    return len(held)


def _numbered(said: Sequence[Line]) -> Chunk:
    return Chunk(tuple(replace(line, number=n) for n, line in enumerate(said, 1)))


def _place(event: Event) -> Event:
    """What is kept of an event while its session waits for the model: a long one fits in memory."""
    return Event(
        role=event.role, uuid=event.uuid, message=event.message, session=event.session,
        time=event.time, offset=event.offset, cwd=event.cwd, branch=event.branch,
    )  # fmt: skip


def _told(event: Event, ignored: Sequence[str]) -> tuple[Speaker, str] | None:
    if event.role == "human":
        return "user", prose(event.text)
    if event.role == "assistant":
        return "assistant", prose(event.text)
    if event.role == "compaction":
        return "summary", prose(event.text)
    if event.role == "tool_use":
        return "action", _action(event, ignored)
    if event.role == "tool_result":
        return _outcome(event)
    return None


def _action(event: Event, ignored: Sequence[str]) -> str:
    """What a tool was used on; empty for tools that only look."""
    given = event.input
    if event.tool in EDITS:
        path = str(given.get("file_path") or given.get("notebook_path") or "")
        return "" if private.is_ignored(path, ignored) else f"{event.tool} {_local(path, event)}"
    if event.tool == "Bash":
        return f"ran: {_command(str(given.get('command', '')))}"
    if event.tool == "ExitPlanMode":
        return f"plan: {prose(str(given.get('plan', '')))}"
    if event.tool == "AskUserQuestion":
        return f"asked: {_questions(given)}"
    if event.tool in ("WebFetch", "WebSearch"):
        return f"{event.tool} {given.get('url') or given.get('query') or ''}"[:LONGEST_ACTION]
    return ""


def _outcome(event: Event) -> tuple[Speaker, str] | None:
    """A person's answer to a question, or the line of a failed tool that names the error."""
    if event.tool in ("AskUserQuestion", "ExitPlanMode") and not event.failed:
        return "user", prose(event.text)[:LONGEST_COMMIT]
    if not event.failed:
        return None
    said = [line.strip() for line in text.clean(event.text).splitlines() if _ERROR.search(line)]
    words = private.strip_private(said[-1])[:LONGEST_ACTION] if said else ""
    return "outcome", f"{event.tool} failed: {words}" if words else ""


def _command(command: str) -> str:
    """A shell command without code written into it, unless that is a commit's message."""
    plain = private.strip_private(text.clean(command)).strip()
    if _COMMIT.search(plain):
        return _cut(plain, LONGEST_COMMIT)
    first = _HEREDOC.sub("<< …", plain).split("\n")[0]
    return _INLINE.sub(r"\1…", first)[:LONGEST_ACTION]


def _questions(given: Mapping[str, Any]) -> str:
    asked = given.get("questions")
    found = [
        str(one.get("question", ""))
        for one in (asked if isinstance(asked, list) else ())
        if isinstance(one, Mapping)
    ]
    return prose(" / ".join(found))[:LONGEST_COMMIT]


def _local(path: str, event: Event) -> str:
    """`path` as seen from the session's folder."""
    folder = event.cwd.rstrip("/") + "/"
    return path.removeprefix(folder) if len(folder) > 1 else path


def _cut(words: str, longest: int) -> str:
    if len(words) <= longest:
        return words
    head = longest * 2 // 3
    return f"{words[:head]} […] {words[head - longest :]}"

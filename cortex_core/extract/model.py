"""What of a session a language model is shown: its prose, redacted, without code and tool output.

Prompts and replies go in without fenced code, pasted lines and private text; of the tools used only
what they were used on; of their results only the line that names an error, and that as untrusted.

What a language model would remember of a part of a session: the question and its answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Literal

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import CODE, Kinds
from cortex_core.extract import wording
from cortex_core.extract.person import looks_pasted
from cortex_core.extract.sentences import without_fences
from cortex_core.llm import prompts
from cortex_core.llm.protocol import Request
from cortex_core.redaction import private
from cortex_core.transcripts.events import EDITS, Candidate, Event
from cortex_core.types import Memory, Scope

Speaker = Literal["user", "assistant", "action", "outcome", "summary"]

LARGEST_CHUNK = 65_000
"""Characters of one chunk."""

MOST_TOKENS = 80_000
"""Estimated tokens of one chunk: with the instructions it stays under the models' price step."""

LONGEST_MESSAGE = 12_000
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
class DigestLine:
    """One message of a session as the model is shown it."""

    number: int
    """From 1 within its chunk; 0 before it is in one."""
    speaker: Speaker
    text: str
    event: Event
    """Where it comes from: the place alone, without words or arguments."""

    @property
    def is_untrusted(self) -> bool:
        """Whether neither a user nor the agent said it."""
        return self.speaker == "outcome"

    def __str__(self) -> str:
        body = self.text.replace("\n", "\n  ")
        return f"[{self.number} {self.speaker}] {body}\n"


@dataclass(frozen=True, slots=True)
class Chunk:
    """As many messages as are sent at once."""

    lines: tuple[DigestLine, ...]

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


def lines(events: Iterable[Event], ignored: Sequence[str] = ()) -> Iterator[DigestLine]:
    """The messages of redacted `events`, what comes from `ignored` folders and files left out."""
    for event in events:
        if event.sidechain or private.is_ignored(event.cwd, ignored):
            continue
        told = _speaker_and_words(event, ignored)
        if told is not None and told[1]:
            speaker, words = told
            yield DigestLine(
                number=0,
                speaker=speaker,
                text=_cut(words, LONGEST_MESSAGE),
                event=_position_of(event),
            )


def chunks(said: Iterable[DigestLine]) -> list[Chunk]:
    """The messages in chunks of at most 65,000 characters, cut before a prompt where that fits."""
    found: list[Chunk] = []
    held: list[DigestLine] = []
    size = counted = 0
    for line in said:
        long, count = len(str(line)) + 8, text.tokens(line.text) + 6
        if held and (size + long > LARGEST_CHUNK or counted + count > MOST_TOKENS):
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


def _break(held: Sequence[DigestLine]) -> int:
    """Where to cut a full chunk: before the last prompt of its second half, else at its end."""
    for place in range(len(held) - 1, len(held) // 2, -1):
        if held[place].speaker == "user":
            return place
    return len(held)


def _numbered(said: Sequence[DigestLine]) -> Chunk:
    return Chunk(tuple(replace(line, number=n) for n, line in enumerate(said, 1)))


def _position_of(event: Event) -> Event:
    """What is kept of an event while its session waits for the model: a long one fits in memory."""
    return Event(
        role=event.role, uuid=event.uuid, message=event.message, session=event.session,
        time=event.time, offset=event.offset, cwd=event.cwd, branch=event.branch,
    )  # fmt: skip


def _speaker_and_words(event: Event, ignored: Sequence[str]) -> tuple[Speaker, str] | None:
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
        return "" if private.is_ignored(path, ignored) else f"{event.tool} {_relative(path, event)}"
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
    """A user's answer to a question, or the line of a failed tool that names the error."""
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


def _relative(path: str, event: Event) -> str:
    """`path` as seen from the session's folder."""
    folder = event.cwd.rstrip("/") + "/"
    return path.removeprefix(folder) if len(folder) > 1 else path


def _cut(words: str, longest: int) -> str:
    if len(words) <= longest:
        return words
    head = longest * 2 // 3
    return f"{words[:head]} […] {words[head - longest :]}"


UNSURE = 0.5
"""Confidence under which a find is left out."""

SURE = 0.7
"""Confidence from which it is kept at once; below it waits for a user."""

LONGEST_CONTENT = 1_500
"""Characters of a memory; a longer one is an account, not a memory."""

MOST_MEMORIES = 40
"""Memories that one chunk can hold."""

MOST_FILES = 8
MOST_TAGS = 4

EXCLUDED_KINDS = frozenset({CODE, "code_description", "episode", "summary"})
"""Kinds that a model does not give."""

_TAG = re.compile(r"[^\W_][\w.+-]{1,29}")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMemories:
    """What is stored already from the messages that the model is shown."""

    kept: Sequence[Memory] = ()
    suggested: Sequence[Memory] = ()


@dataclass(slots=True)
class ModelFindings:
    """What the model made of a chunk."""

    candidates: list[Candidate] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Ids of suggestions that it would keep."""
    dropped: list[str] = field(default_factory=list)
    """Ids of suggestions that it would not."""
    refused: Counter[str] = field(default_factory=Counter)


def request(
    chunk: Chunk, kinds: Kinds, known: KnownMemories, *, git: str, before: str, is_one_of_many: bool
) -> Request:
    """What the model is asked about a chunk.

    Args:
        git: the state of the work tree, in lines; empty where it is not known.
        before: redacted words that come right before the chunk.
    """
    names = offered_kinds(kinds)
    suggested = [f"({n}) {_brief(one)}" for n, one in enumerate(known.suggested, 1)]
    parts = (
        ("Git", git.split("\n") if git else []),
        ("Known already", [f"- {_brief(one)}" for one in known.kept]),
        ("Suggestions", suggested),
        ("Said just before, only to understand what follows", before.split("\n") if before else []),
    )
    lead = "".join("\n  ".join((f"{name}:", *told)) + "\n\n" for name, told in parts if told)
    return Request(
        purpose="extract", system=prompts.EXTRACT, text=f"{lead}Session:\n{chunk.text}",
        schema=prompts.extraction_schema(names), is_one_of_many=is_one_of_many,
    )  # fmt: skip


def offered_kinds(kinds: Kinds) -> list[str]:
    """The kinds that a model may give."""
    return [kind.name for kind in kinds if kind.name not in EXCLUDED_KINDS]


def read_answer(
    answer: Mapping[str, Any], chunk: Chunk, kinds: Kinds, known: KnownMemories, rule: str
) -> ModelFindings:
    """What the answer about `chunk` holds; `rule` is recorded as the source of each memory."""
    made = ModelFindings()
    listed = answer.get("memories")
    for found in listed[:MOST_MEMORIES] if isinstance(listed, list) else ():
        candidate = _candidate(found, chunk, kinds, rule)
        if isinstance(candidate, str):
            made.refused[candidate] += 1
        else:
            made.candidates.append(candidate)
    verdicts = answer.get("verdicts")
    for verdict in verdicts if isinstance(verdicts, list) else ():
        _judge(verdict, known, made)
    return made


def _judge(verdict: object, known: KnownMemories, made: ModelFindings) -> None:
    if not isinstance(verdict, Mapping):
        return
    number, keep = verdict.get("suggestion"), verdict.get("keep")
    if type(number) is int and 1 <= number <= len(known.suggested) and isinstance(keep, bool):
        name = known.suggested[number - 1].id
        if name not in (*made.kept, *made.dropped):
            (made.kept if keep else made.dropped).append(name)


def _candidate(found: object, chunk: Chunk, kinds: Kinds, rule: str) -> Candidate | str:
    """One memory of the answer, or why it is none."""
    if not isinstance(found, Mapping):
        return "model: not a memory"
    line = _line(found.get("message"), chunk)
    if line is None:
        return "model: names no message"
    kind = _kind(found.get("kind"), kinds)
    content = found.get("content")
    confidence = _fraction(found.get("confidence"))
    if not kind or not isinstance(content, str) or confidence is None:
        return "model: not a memory"
    content = text.clean(content).strip()
    if confidence < UNSURE:
        return "model: unsure"
    if len(text.content_words(content)) < 3 or len(content) > LONGEST_CONTENT:
        return "model: too short or too long"
    title = found.get("title")
    scope: Scope = "global" if found.get("scope") == "global" else "project"
    files = _files(found.get("files"), line)
    event = line.event
    return Candidate(
        content=content, kind=kind, rule=rule, confidence=confidence,
        title=wording.shorten(text.one_line(title), wording.LONGEST_TITLE)
        if isinstance(title, str) and title.strip() else wording.title(content),
        tier="kept" if confidence >= SURE else "suggested",
        priority=_priority(found.get("priority"), 5), scope=scope,
        scope_confidence=_fraction(found.get("scope_confidence")) or 0.0,
        tags=_tags(found.get("tags")), files=files, globs=files, excerpt=line.text,
        session=event.session, message=event.uuid or event.message, offset=event.offset,
        time=event.time, branch=event.branch, cwd=event.cwd,
        untrusted=line.is_untrusted or _is_from_outcomes(content, chunk),
    )  # fmt: skip


def _line(number: object, chunk: Chunk) -> DigestLine | None:
    if type(number) is not int or not 1 <= number <= len(chunk.lines):
        return None
    return chunk.lines[number - 1]


def _kind(name: object, kinds: Kinds) -> str:
    try:
        kind = kinds.get(name).name if isinstance(name, str) else ""
    except UsageError:
        return ""
    return "" if kind in EXCLUDED_KINDS else kind


def _fraction(value: object) -> float | None:
    """A number from 0 to 1, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _priority(value: object, default: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return max(1, min(int(value), 9))


def _tags(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    named = (one.strip().lower() for one in listed if isinstance(one, str))
    return tuple(dict.fromkeys(one for one in named if _TAG.fullmatch(one)))[:MOST_TAGS]


def _files(value: object, line: DigestLine) -> tuple[str, ...]:
    """Paths below the session's folder, relative to it."""
    folder = line.event.cwd.rstrip("/") + "/"
    found = []
    for one in value if isinstance(value, list) else ():
        if not isinstance(one, str):
            continue
        path = text.one_line(one).removeprefix(folder).removeprefix("./")
        parts = PurePosixPath(path).parts
        if path and len(path) < 300 and not path.startswith(("/", "~")) and ".." not in parts:
            found.append(path)
    return tuple(dict.fromkeys(found))[:MOST_FILES]


def _is_from_outcomes(content: str, chunk: Chunk) -> bool:
    """Whether much of `content` was said by tools alone, whatever message it names."""
    words = set(text.content_words(content))
    said: set[str] = set()
    returned: set[str] = set()
    for line in chunk.lines:
        (returned if line.is_untrusted else said).update(text.content_words(line.text))
    alone = (words - said) & returned
    return len(alone) >= max(3, 0.3 * len(words))


def _brief(memory: Memory) -> str:
    return text.one_line(memory.content)[:240]

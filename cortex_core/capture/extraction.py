"""What a language model would remember of a part of a session: the question and its answer.

Each memory it names is checked by itself: one that is malformed costs nothing but itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from cortex_core import text
from cortex_core.capture import titles
from cortex_core.capture.digest import Chunk, Line
from cortex_core.capture.events import Candidate
from cortex_core.errors import UsageError
from cortex_core.kinds import CODE, Kinds
from cortex_core.memory import Memory, Scope
from cortex_core.model import prompts
from cortex_core.model.protocol import Request

UNSURE = 0.5
"""Confidence under which a find is left out."""

SURE = 0.7
"""Confidence from which it is kept at once; below it waits for a person."""

LONGEST = 1_500
"""Characters of a memory; a longer one is an account, not a memory."""

MOST = 40
"""Memories that one chunk can hold."""

MOST_FILES = 8
MOST_TAGS = 4

HELD_BACK = frozenset({CODE, "code_description", "episode", "summary"})
"""Kinds that a model does not give."""

_TAG = re.compile(r"[^\W_][\w.+-]{1,29}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is stored already from the messages that the model is shown."""

    kept: Sequence[Memory] = ()
    suggested: Sequence[Memory] = ()


@dataclass(slots=True)
class Read:
    """What the model made of a chunk."""

    candidates: list[Candidate] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Ids of suggestions that it would keep."""
    dropped: list[str] = field(default_factory=list)
    """Ids of suggestions that it would not."""
    refused: Counter[str] = field(default_factory=Counter)


def request(
    chunk: Chunk, kinds: Kinds, known: Known, *, git: str, before: str, is_one_of_many: bool
) -> Request:
    """What the model is asked about a chunk.

    Args:
        git: the state of the work tree, in lines; empty where it is not known.
        before: redacted words that come right before the chunk.
    """
    names = given_kinds(kinds)
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


def given_kinds(kinds: Kinds) -> list[str]:
    """The kinds that a model may give."""
    return [kind.name for kind in kinds if kind.name not in HELD_BACK]


def read(answer: Mapping[str, Any], chunk: Chunk, kinds: Kinds, known: Known, rule: str) -> Read:
    """What the answer about `chunk` holds; `rule` is recorded as the source of each memory."""
    made = Read()
    listed = answer.get("memories")
    for found in listed[:MOST] if isinstance(listed, list) else ():
        candidate = _candidate(found, chunk, kinds, rule)
        if isinstance(candidate, str):
            made.refused[candidate] += 1
        else:
            made.candidates.append(candidate)
    verdicts = answer.get("verdicts")
    for verdict in verdicts if isinstance(verdicts, list) else ():
        _judge(verdict, known, made)
    return made


def _judge(verdict: object, known: Known, made: Read) -> None:
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
    confidence = _share(found.get("confidence"))
    if not kind or not isinstance(content, str) or confidence is None:
        return "model: not a memory"
    content = text.clean(content).strip()
    if confidence < UNSURE:
        return "model: unsure"
    if len(text.content_words(content)) < 3 or len(content) > LONGEST:
        return "model: too short or too long"
    title = found.get("title")
    scope: Scope = "global" if found.get("scope") == "global" else "project"
    files = _files(found.get("files"), line)
    event = line.event
    return Candidate(
        content=content, kind=kind, rule=rule, confidence=confidence,
        title=titles.shorten(text.one_line(title), titles.LIMIT)
        if isinstance(title, str) and title.strip() else titles.title(content),
        tier="kept" if confidence >= SURE else "suggested",
        priority=_whole(found.get("priority"), 5), scope=scope,
        scope_confidence=_share(found.get("scope_confidence")) or 0.0,
        tags=_tags(found.get("tags")), files=files, globs=files, excerpt=line.text,
        session=event.session, message=event.uuid or event.message, offset=event.offset,
        time=event.time, branch=event.branch, cwd=event.cwd,
        untrusted=line.is_untrusted or _is_from_outcomes(content, chunk),
    )  # fmt: skip


def _line(number: object, chunk: Chunk) -> Line | None:
    if type(number) is not int or not 1 <= number <= len(chunk.lines):
        return None
    return chunk.lines[number - 1]


def _kind(name: object, kinds: Kinds) -> str:
    try:
        kind = kinds.get(name).name if isinstance(name, str) else ""
    except UsageError:
        return ""
    return "" if kind in HELD_BACK else kind


def _share(value: object) -> float | None:
    """A number from 0 to 1, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _whole(value: object, default: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return max(1, min(int(value), 9))


def _tags(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    named = (one.strip().lower() for one in listed if isinstance(one, str))
    return tuple(dict.fromkeys(one for one in named if _TAG.fullmatch(one)))[:MOST_TAGS]


def _files(value: object, line: Line) -> tuple[str, ...]:
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

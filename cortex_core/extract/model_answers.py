"""Extraction by a language model: what it is asked about a part of a session, and its answer.

`request` makes the question about a chunk; `read_answer` turns the answer into candidates and
verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import CODE, Kinds
from cortex_core.extract import digest, wording
from cortex_core.extract.digest import Chunk, DigestLine
from cortex_core.language.patterns import Pattern
from cortex_core.llm import prompts
from cortex_core.llm.protocol import ModelRequest
from cortex_core.records.events import Candidate
from cortex_core.records.memory import Memory, Scope

UNSURE = 0.5
"""Confidence below which a memory of the answer is left out."""

SURE = 0.7
"""Confidence from which it is kept at once; below, it waits for the user."""

LONGEST_CONTENT = 1_500
"""Most characters of a memory; a longer one is a report, not a memory."""

MOST_MEMORIES = 40
"""Most memories of one chunk."""

MOST_FILES = 8
MOST_TAGS = 4

EXCLUDED_KINDS = frozenset({CODE, "code_description", "episode", "progress", "summary"})
"""Kinds that a model may not give: code, and what is history."""

_TAG = Pattern("tag", r"[^\W_][\w.+-]{1,29}", finds="sqlite", spares="-", flags=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMemories:
    """What is already stored from the messages that the model is shown."""

    kept: Sequence[Memory] = ()
    suggested: Sequence[Memory] = ()


@dataclass(slots=True)
class ModelFindings:
    """What an answer of the model contains."""

    candidates: list[Candidate] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Ids of suggestions that it would keep."""
    dropped: list[str] = field(default_factory=list)
    """Ids of suggestions that it would not keep."""
    refused: Counter[str] = field(default_factory=Counter)


def request(
    chunk: Chunk, kinds: Kinds, known: KnownMemories, *, git: str, before: str, is_one_of_many: bool
) -> ModelRequest:
    """The request to extract memories from `chunk`.

    Args:
        known: what is stored already, so that it is not repeated; suggestions get a verdict.
        git: the state of the work tree, in lines; empty if it is not known.
        before: redacted words that come right before the chunk.
        is_one_of_many: whether more chunks of the session follow.
    """
    names = offered_kinds(kinds)
    suggested = [f"({n}) {_brief(memory)}" for n, memory in enumerate(known.suggested, 1)]
    parts = (
        ("Git", git.split("\n") if git else []),
        ("Known already", [f"- {_brief(memory)}" for memory in known.kept]),
        ("Suggestions", suggested),
        ("Said just before, only to understand what follows", before.split("\n") if before else []),
    )
    # Numbered, so that the answer can name what it judges without repeating it.
    lead = "".join("\n  ".join((f"{name}:", *lines)) + "\n\n" for name, lines in parts if lines)
    return ModelRequest(
        purpose="extract",
        system=prompts.EXTRACT,
        text=f"{lead}Session:\n{chunk.text}",
        schema=prompts.extraction_schema(names),
        is_one_of_many=is_one_of_many,
    )


def offered_kinds(kinds: Kinds) -> list[str]:
    """The kinds that a model may give."""
    return [kind.name for kind in kinds if kind.name not in EXCLUDED_KINDS]


def read_answer(
    answer: Mapping[str, Any], chunk: Chunk, kinds: Kinds, known: KnownMemories, rule: str
) -> ModelFindings:
    """The candidates and verdicts in the answer about `chunk`; candidates get `rule` as theirs."""
    findings = ModelFindings()
    listed = answer.get("memories")
    for item in listed[:MOST_MEMORIES] if isinstance(listed, list) else ():
        candidate = _candidate(item, chunk, kinds, rule)
        if isinstance(candidate, str):
            findings.refused[candidate] += 1
        else:
            findings.candidates.append(candidate)
    verdicts = answer.get("verdicts")
    for verdict in verdicts if isinstance(verdicts, list) else ():
        _judge(verdict, known, findings)
    return findings


def _judge(verdict: object, known: KnownMemories, findings: ModelFindings) -> None:
    if not isinstance(verdict, Mapping):
        return
    number, keep = verdict.get("suggestion"), verdict.get("keep")
    if type(number) is int and 1 <= number <= len(known.suggested) and isinstance(keep, bool):
        name = known.suggested[number - 1].id
        if name not in (*findings.kept, *findings.dropped):
            (findings.kept if keep else findings.dropped).append(name)


def _candidate(item: object, chunk: Chunk, kinds: Kinds, rule: str) -> Candidate | str:
    """One memory of the answer, or the reason why it is refused."""
    if not isinstance(item, Mapping):
        return "model: not a memory"
    number = item.get("message")
    line = digest.source(chunk.lines, number) if type(number) is int else None
    if line is None:
        return "model: names no message"
    kind = _kind(item.get("kind"), kinds)
    content = item.get("content")
    confidence = _fraction(item.get("confidence"))
    if not kind or not isinstance(content, str) or confidence is None:
        return "model: not a memory"
    # The answer may be wrong in any field: what cannot be repaired without guessing is refused.
    content = text.clean(content).strip()
    if confidence < UNSURE:
        return "model: unsure"
    if len(text.content_words(content)) < 3 or len(content) > LONGEST_CONTENT:
        return "model: too short or too long"
    title = item.get("title")
    scope: Scope = "global" if item.get("scope") == "global" else "project"
    files = _files(item.get("files"), line)
    event = line.event
    return Candidate(
        content=content,
        kind=kind,
        rule=rule,
        confidence=confidence,
        title=wording.shorten(text.one_line(title), wording.LONGEST_TITLE)
        if isinstance(title, str) and title.strip()
        else wording.title(content),
        tier="kept" if confidence >= SURE else "suggested",
        priority=_priority(item.get("priority"), 5),
        scope=scope,
        scope_confidence=_fraction(item.get("scope_confidence")) or 0.0,
        tags=_tags(item.get("tags")),
        files=files,
        globs=files,
        excerpt=line.text,
        session=event.session,
        message=event.uuid or event.message,
        offset=event.offset,
        time=event.time,
        branch=event.branch,
        cwd=event.cwd,
        untrusted=line.is_untrusted or _is_from_outcomes(content, chunk),
    )


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
    tags = (tag.strip().lower() for tag in listed if isinstance(tag, str))
    return tuple(dict.fromkeys(tag for tag in tags if _TAG.regex.fullmatch(tag)))[:MOST_TAGS]


def _files(value: object, line: DigestLine) -> tuple[str, ...]:
    """The paths in `value` that are below the session's folder, relative to it."""
    folder = line.event.cwd.rstrip("/") + "/"
    files = []
    for item in value if isinstance(value, list) else ():
        if not isinstance(item, str):
            continue
        path = text.one_line(item).removeprefix(folder).removeprefix("./")
        parts = PurePosixPath(path).parts
        if path and len(path) < 300 and not path.startswith(("/", "~")) and ".." not in parts:
            files.append(path)
    return tuple(dict.fromkeys(files))[:MOST_FILES]


def _is_from_outcomes(content: str, chunk: Chunk) -> bool:
    """Whether much of `content` comes from tools only, whatever message it names."""
    words = set(text.content_words(content))
    said: set[str] = set()
    returned: set[str] = set()
    for line in chunk.lines:
        (returned if line.is_untrusted else said).update(text.content_words(line.text))
    alone = (words - said) & returned
    return len(alone) >= max(3, 0.3 * len(words))


def _brief(memory: Memory) -> str:
    return text.one_line(memory.content)[:240]

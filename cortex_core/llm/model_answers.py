"""Extraction by a language model: what it is asked about a part of a session, and its answer.

`request` makes the question about a chunk; `read_answer` turns the answer into candidates, and into
amendments of what is stored. A gateway's model may answer in another form than the schema's: what
can be understood without guessing is taken, and the rest is counted with a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, get_args

from cortex_core.base import text
from cortex_core.base.authorship import CITES_USER, applies_always
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import CODE, EPISODE, Kinds
from cortex_core.extract import wording
from cortex_core.extract.repetition import say_the_same
from cortex_core.language import sentences, signals
from cortex_core.language.detect import language
from cortex_core.llm import prompts
from cortex_core.llm.answer_fields import fraction, items, whole
from cortex_core.llm.digest import Chunk, DigestLine
from cortex_core.llm.protocol import BROKEN_OFF, ModelRequest
from cortex_core.records.events import Amendment, Candidate, Verb
from cortex_core.records.memory import Memory, Scope, Source
from cortex_core.redaction import citations, quarantine

UNSURE = 0.5
"""Confidence below which a memory of the answer is left out."""

SURE = 0.85
"""Confidence from which a find of one chunk is kept at once; below, it is a suggestion. Measured on
the blind reading of six sessions: of 41 finds at it or above 33 were good."""

LONGEST_CONTENT = 1_500
"""Most characters of a memory; a longer one is a report, not a memory."""

SHORTEST_CONTENT, FEWEST_TOKENS = 12, 6
"""Characters or tokens that say something, in a language with blanks or without."""

LONGEST_TITLE = 110
"""Most characters of a title: 12 words are asked for, and a longer one holds its reason."""

MOST_MEMORIES = 40
"""Most memories of one chunk."""

MOST_OUTPUT = 8_192
"""Most tokens of an answer: `MOST_MEMORIES` of about 145 tokens each, verdicts and a summary."""

LONGEST_SHOWN = 160
"""Most characters of a stored memory's content: about the first sentence."""

MOST_FILES = 8
MOST_TAGS = 4

MOST_TOLD = 4
"""Most entries of a summary's lists."""

EXCLUDED_KINDS = frozenset({CODE, "code_description", "episode", "progress", "summary"})
"""Kinds that a model may not give: code, and what is history."""

_VERBS: Mapping[str, Verb] = {verb: verb for verb in get_args(Verb)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownContext:
    """What the model is shown besides the messages: what is known, and where and when it was."""

    stored: Sequence[Memory] = ()
    """What this session stored before, and the nearest of other sessions."""
    history: Sequence[Memory] = ()
    suggested: Sequence[Memory] = ()
    days: str = ""
    """Today's date and the session's, and which part of it this is."""
    git: str = ""
    """The state of the work tree, in lines; empty if it is not known."""
    rules: str = ""
    """The project's rules for the agent, in lines."""
    files: str = ""
    so_far: str = ""
    """The summary of the parts of the session before this one, in lines."""
    before: str = ""
    """Redacted words that come right before the chunk."""


@dataclass(slots=True)
class ModelFindings:
    """What an answer of the model contains."""

    candidates: list[Candidate] = field(default_factory=list)
    amendments: list[tuple[Amendment, Source]] = field(default_factory=list)
    """What it says of stored memories, and of which message that comes."""
    summary: Candidate | None = None
    """Where the session stopped, as an entry of the history."""
    deciding: list[str] = field(default_factory=list)
    """The uuids of the messages that decided."""
    refused: Counter[str] = field(default_factory=Counter)


def request(
    chunk: Chunk, kinds: Kinds, shown: ShownContext, *, is_one_of_many: bool
) -> ModelRequest:
    """The request to extract memories from `chunk`.

    Args:
        is_one_of_many: whether more chunks of the session follow.
    """
    # Numbered, so that the answer can name what it judges without repeating it.
    parts = (
        ("Dates", [shown.days]),
        ("Git", shown.git.split("\n")),
        ("Files", shown.files.split("\n")),
        (prompts.RULES, shown.rules.split("\n")),
        ("Stored", [f"({n}) {_entry(one)}" for n, one in enumerate(shown.stored, 1)]),
        ("History", [f"- {one.title}" for one in shown.history]),
        (
            "Suggestions",
            [
                f"({n}) [{one.kind}] {text.one_line(one.content)[:400]}"
                for n, one in enumerate(shown.suggested, 1)
            ],
        ),
        ("So far", shown.so_far.split("\n")),
        ("Said just before, only to understand what follows", shown.before.split("\n")),
    )
    return ModelRequest(
        purpose="extract",
        system=prompts.EXTRACT,
        text=f"{sections(parts)}Session:\n{chunk.text}",
        schema=prompts.extraction_schema(
            [kind.name for kind in kinds if kind.name not in EXCLUDED_KINDS]
        ),
        most_output=MOST_OUTPUT,
        is_one_of_many=is_one_of_many,
    )


def _entry(memory: Memory) -> str:
    """A memory in one line: its kind and title, and its content where that says more."""
    content = sentences.cut(text.one_line(memory.content), LONGEST_SHOWN)
    adds = not set(text.content_words(content)) <= set(text.content_words(memory.title))
    return f"[{memory.kind}] {memory.title}" + (f": {content}" if adds else "")


def sections(parts: Iterable[tuple[str, Sequence[str]]]) -> str:
    """The parts that hold something, each below its name; an indented line begins none."""
    return "".join(
        "\n  ".join((f"{name}:", *lines)) + "\n\n" for name, lines in parts if any(lines)
    )


def read_answer(
    answer: Mapping[str, Any], shown: ShownContext, reader: AnswerReader
) -> ModelFindings:
    """What the answer about a chunk contains."""
    findings = ModelFindings()
    refused = findings.refused
    if answer.get(BROKEN_OFF):
        refused["model: its answer broke off; what was whole was read"] += 1
    for item in items(answer, "memories"):
        candidate = reader.candidate(item)
        if isinstance(candidate, str):
            refused[candidate] += 1
        else:
            findings.candidates.append(candidate)
    # In their order, without the least sure: what an answer repeats without end is no memory.
    sure = sorted(findings.candidates, key=lambda one: -one.confidence)[:MOST_MEMORIES]
    if excess := len(findings.candidates) - len(sure):
        refused[f"model: more than {MOST_MEMORIES} memories in one answer"] += excess
        findings.candidates = [one for one in findings.candidates if one in sure]
    _judge(answer, findings, shown, reader)
    findings.summary, findings.deciding = reader.summary(answer.get("summary"))
    return findings


def _judge(
    answer: Mapping[str, Any], findings: ModelFindings, shown: ShownContext, reader: AnswerReader
) -> None:
    """Read the verdicts and updates; of what it rewords, each memory counts once."""
    found: dict[str, tuple[Amendment, Source]] = {}
    for candidate in tuple(findings.candidates):
        # What another session taught is reinforced by this one.
        own = (one for one in shown.stored if one.source.session == candidate.session)
        if any(say_the_same(one.content, candidate.content) for one in own):
            findings.candidates.remove(candidate)
            findings.refused["model: says what is stored"] += 1
            continue
        twin = next(
            (one for one in shown.suggested if say_the_same(one.content, candidate.content)), None
        )
        # A suggestion that the model writes itself gets its words: one memory is left of the two.
        if twin and candidate.tier == "kept" and not candidate.untrusted and twin.id not in found:
            findings.candidates.remove(candidate)
            found[twin.id] = (
                Amendment(
                    memory=twin.id,
                    verb="reword",
                    content=candidate.content,
                    title=candidate.title,
                    kind=candidate.kind,
                    priority=candidate.priority,
                ),
                replace(twin.source, rule=candidate.rule),
            )
    for name, number, said, of in (
        ("verdicts", "suggestion", "verdict", shown.suggested),
        ("updates", "stored", "change", shown.stored),
    ):
        for item in items(answer, name):
            change = amendment(item, number, said, of)
            line = reader.proof(item)
            if change is None:
                findings.refused[f"model: {name.removesuffix('s')} on nothing that was shown"] += 1
            elif name == "updates" and line is None:
                findings.refused["model: update without a quotation that is there"] += 1
            else:
                change = reader.filed(change, item, line)
                found.setdefault(change.memory, (change, reader.source(line, of, change)))
    findings.amendments += found.values()


def amendment(item: object, number: str, said: str, of: Sequence[Memory]) -> Amendment | None:
    """What an entry of an answer says of the memory that it names; None if it names none.

    Args:
        number: the field that numbers the memory, from 1.
        said: the field that says what of it.
    """
    if not isinstance(item, Mapping):
        return None
    index, verb = whole(item.get(number)), _VERBS.get(str(item.get(said)))
    if index is None or not 1 <= index <= len(of) or verb is None:
        return None
    content = item.get("content")
    words = text.clean(content).strip()[:LONGEST_CONTENT] if isinstance(content, str) else ""
    if verb == "keep" or not words:
        return Amendment(memory=of[index - 1].id, verb=verb)
    return Amendment(
        memory=of[index - 1].id, verb=verb, content=words, title=titled(item.get("title"), words)
    )


class AnswerReader:
    """Reads the entries of one answer."""

    def __init__(self, lines: Sequence[DigestLine], chunk: Chunk, kinds: Kinds, rule: str) -> None:
        """Args:
        lines: the messages of the session.
        rule: the rule of what the model writes.
        """
        self.lines = {line.number: line for line in lines}
        self._chunk = chunk
        self._kinds = kinds
        self._rule = rule

    @cached_property
    def _quotable(self) -> Mapping[int, str]:
        """The words of each message, as quotations are compared with them."""
        return {number: _bare(line.text) for number, line in self.lines.items()}

    @cached_property
    def _returned(self) -> set[str]:
        """The words of the chunk that only tools brought into it."""
        said: set[str] = set()
        returned: set[str] = set()
        for line in self._chunk.lines:
            (returned if line.is_untrusted else said).update(text.content_words(line.text))
        return returned - said

    def candidate(self, item: object) -> Candidate | str:
        """One memory of the answer, or the reason why it is refused."""
        if not isinstance(item, Mapping):
            return "model: not a memory"
        line, is_proven = self._evidence(item)
        if line is None:
            return "model: names no message"
        kind, content = self._kind(item.get("kind")), item.get("content")
        confidence = fraction(item.get("confidence"))
        if not kind or not isinstance(content, str) or confidence is None:
            return "model: not a memory"
        # The answer may be wrong in any field: what cannot be repaired without guessing is refused.
        content = text.clean(content).strip()
        if confidence < UNSURE:
            return "model: unsure"
        is_said = len(content) >= SHORTEST_CONTENT or text.tokens(content) >= FEWEST_TOKENS
        if not is_said or len(content) > LONGEST_CONTENT:
            return "model: too short or too long"
        scope: Scope = "global" if item.get("scope") == "global" else "project"
        files = _files(item.get("files"), line)
        at, title = self.at(line), titled(item.get("title"), content)
        words = set(text.content_words(content))
        before = self.lines.get(line.number - 1, line)
        # A short answer says what it agrees to.
        said = f"{before.text}\n{line.text}" if before.speaker == "assistant" else line.text
        if line.speaker == "user" and citations.is_unsaid(title, content, said):
            is_proven, at = False, replace(at, rule=self._rule, details=quarantine.IS_UNSAID)
        # Without its words in the message it may be made up: then somebody should look at it.
        return replace(
            at,
            content=content,
            kind=kind,
            confidence=confidence,
            title=title,
            tier="kept" if confidence >= SURE and is_proven else "suggested",
            priority=max(1, min(whole(item.get("priority")) or 5, 9)),
            scope=scope,
            scope_confidence=confidence if scope == "global" else 0.0,
            tags=_tags(item.get("tags")),
            files=files,
            globs=files,
            # Where tools brought much of its words, it comes from them, whatever message it names.
            untrusted=line.is_untrusted or len(words & self._returned) >= max(3, 0.3 * len(words)),
        )

    def at(self, line: DigestLine) -> Candidate:
        """A candidate that comes from a message, without words of its own."""
        event = line.event
        return Candidate(
            content="",
            title="",
            kind="",
            rule=f"{self._rule}{CITES_USER}" if line.speaker == "user" else self._rule,
            excerpt=line.text,
            session=event.session,
            message=event.uuid or event.message,
            offset=event.offset,
            time=event.time,
            branch=event.branch,
            cwd=event.cwd,
        )

    def filed(
        self, change: Amendment, item: Mapping[str, Any], line: DigestLine | None
    ) -> Amendment:
        """`change` with the kind and priority that an entry of the answer names, and with what it
        quotes of `line` where that is the user's, who takes something back."""
        priority = max(0, min(whole(item.get("priority")) or 0, 9))
        said = "" if line is None else line.text
        change = replace(change, kind=self._kind(item.get("kind")), priority=priority, said=said)
        is_over = not change.content and change.verb in ("outdated", "wrong")
        if is_over and line is not None and line.speaker == "user":
            change = replace(change, withdrawal=_line(item.get("quote")))
        return change

    def source(self, line: DigestLine | None, of: Sequence[Memory], change: Amendment) -> Source:
        """Whose the words of an amendment are: of the message that shows it, else the memory's."""
        if line is None:
            memory = next(one for one in of if one.id == change.memory)
            said = CITES_USER if applies_always(memory.source.rule) else ""
            return replace(memory.source, rule=f"{self._rule}{said}")
        at = self.at(line)
        return Source(
            rule=at.rule, session=at.session, message=at.message, offset=at.offset, time=at.time
        )

    def summary(self, item: object) -> tuple[Candidate | None, list[str]]:
        """Where the session stopped, and the uuids of the messages that decided."""
        if not isinstance(item, Mapping) or not (title := titled(item.get("title"), "")):
            return None, []
        # It is about the whole session: without a message of its own it comes from the last one.
        line = self.lines.get(whole(item.get("message")) or 0) or self._chunk.lines[-1]
        decided = [_line(one) for one in items(item, "decided") if isinstance(one, str)]
        opened = [
            {"what": what, "waits_for": _one_of(one.get("waits_for"), "user", "agent", "other")}
            for one in items(item, "open")
            if isinstance(one, Mapping) and (what := _line(one.get("what")))
        ]
        left = [one["what"] for one in opened[:MOST_TOLD]]
        pending = signals.said("pending", language(title), items="; ".join(left))
        stopped = {
            "outcome": _one_of(item.get("outcome"), "done", "partly", "dropped", "unclear"),
            "decided": decided[:MOST_TOLD],
            "open": opened[:MOST_TOLD],
        }
        numbers = [whole(one) or 0 for one in items(item, "deciding")]
        deciding = [self.lines[one].event.uuid for one in numbers if one in self.lines]
        entry = replace(
            self.at(line),
            rule=self._rule,
            content="\n".join((title, *decided[:MOST_TOLD], *([pending] if left else ()))),
            title=title,
            kind=EPISODE,
            confidence=0.9,
            priority=3,
            details={"event": f"session:{line.event.session}", "stopped": stopped},
        )
        return entry, list(filter(None, deciding))[:5]

    def proof(self, item: object) -> DigestLine | None:
        """The message that an entry of the answer quotes; None where the quotation is not there."""
        line, is_proven = self._evidence(item) if isinstance(item, Mapping) else (None, False)
        return line if is_proven else None

    def _evidence(self, item: Mapping[str, Any]) -> tuple[DigestLine | None, bool]:
        """The message that a memory comes from, and whether its quotation is there.

        A quotation from another message than the one that is named counts for that one.
        """
        number = whole(item.get("message")) or 0
        line = self.lines.get(number)
        # A quotation is cut where the model leaves words out of it.
        said = str(item.get("quote") or "").replace("...", "…").split("…")
        quote = list(filter(None, map(_bare, said)))
        quoted = [
            at
            for at, words in (self._quotable.items() if quote else ())
            if all(part in words for part in quote)
        ]
        if line is not None and any(abs(at - number) <= 1 for at in quoted):
            return line, True
        return (self.lines[quoted[0]], True) if len(quoted) == 1 else (line, False)

    def _kind(self, name: object) -> str:
        try:
            kind = self._kinds.get(name).name if isinstance(name, str) else ""
        except UsageError:
            return ""
        return "" if kind in EXCLUDED_KINDS else kind


def _bare(words: str) -> str:
    """`words` as quotations are compared: letters and digits of any script, in small letters."""
    return " ".join(text.words(words.casefold()))


def titled(title: object, content: str) -> str:
    """The title that a model gives, whole if it is short enough; else one of the content."""
    words = text.one_line(title) if isinstance(title, str) else ""
    if not words:
        return wording.title(content) if content else ""
    return words if len(words) <= LONGEST_TITLE else wording.shorten(words, LONGEST_TITLE)


def _line(value: object) -> str:
    return text.one_line(value)[:300] if isinstance(value, str) else ""


def _one_of(value: object, *names: str) -> str:
    return value if isinstance(value, str) and value in names else names[-1]


def _tags(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    tags = (tag.strip().lower() for tag in listed if isinstance(tag, str))
    single = (tag for tag in tags if tag[:1].isalnum() and " " not in tag and 1 < len(tag) <= 30)
    return tuple(dict.fromkeys(single))[:MOST_TAGS]


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

"""From the events of a transcript to the messages that the archive keeps of them.

Kept is what was said, what the sub-agents reported, and one line for each command, changed file and
commit. Left out are the output of tools, the bodies of code, what the agent only thought, and what
sub-agents said before their report.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from cortex_core.base import text
from cortex_core.base.tools import CHANGING, PLAN, QUESTION, SHELLS, SUBAGENT, objects, path_of
from cortex_core.extract.commits import relative
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.records.conversation import MessageKind
from cortex_core.records.events import LIMITS, Event, content_mark, uuid_key
from cortex_core.redaction import secrets

LONGEST_LINE = 200
"""Characters of a command, a path or a commit's subject."""

LONGEST_PROMPT = 8_000
"""Characters of what the user typed: what is longer was pasted."""

SHORT_CODE = 3
"""Lines of a fenced block that are kept: a command or a name that was quoted."""

_COMMIT = Pattern(
    "what git says of a commit",
    r"\[([^\]\n]{1,160}?) (?:\(root-commit\) )?([0-9a-f]{7,40})\] ([^\n]{1,200})",
    finds="[main 1a2b3c4] Fix the parser",
    spares="[main] Fix the parser",
    flags=0,
)
_SPOKEN: Mapping[str, MessageKind] = {
    "human": "user",
    "queued": "user",
    "assistant": "agent",
    "compaction": "summary",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDraft:
    """A message that is not in the archive yet."""

    kind: MessageKind
    text: str
    key: int
    """What it has in common with its copies in forks and resumed sessions."""
    uuid: str = ""
    offset: int = 0
    time: float | None = None
    branch: str = ""
    model: str = ""
    succeeded: bool | None = None
    waited: bool = False
    """Whether it waited in a queue, from which a prompt delivers it."""


@dataclass(slots=True)
class Collected:
    """What one reading of a transcript gives the archive."""

    session: str = ""
    folder: str = ""
    title: str = ""
    """What the agent or the user calls the session; empty where nobody named it."""
    drafts: list[MessageDraft] = field(default_factory=list)
    outcomes: dict[int, bool] = field(default_factory=dict)
    """Whether a command succeeded, by the key of its message, which an earlier reading may have
    found."""


class Collector:
    """Gathers the messages of the redacted events that it is called with.

    Args:
        ignored: patterns of folders whose conversations are not kept, as in `capture.ignore`.
    """

    def __init__(self, ignored: Sequence[str] = ()) -> None:
        self.collected = Collected()
        self._is_ignored = cache(lambda folder: secrets.is_ignored(folder, ignored))

    def __call__(self, session: str, events: Iterable[Event]) -> None:
        """Gather the messages of some events of `session`, which come in their order."""
        collected = self.collected
        for event in events:
            if event.sidechain or self._is_ignored(event.cwd):
                continue
            collected.session = collected.session or event.session or session
            collected.folder = collected.folder or event.cwd
            collected.title = event.text if event.role == "title" else collected.title
            collected.drafts += _drafts(event)
            if event.role == "tool_result" and event.tool in SHELLS:
                collected.outcomes[key_of("tool_use", event.tool_id)] = not event.failed


def _report(event: Event) -> Iterator[MessageDraft]:
    """What a sub-agent said at its end."""
    words = without_code(str(event.input.get("report") or ""))
    yield from _draft(event, "report", text.head_and_tail(words, LIMITS.prose))


def _drafts(event: Event) -> Iterator[MessageDraft]:
    if (kind := _SPOKEN.get(event.role)) is not None:
        limit = LONGEST_PROMPT if kind == "user" else LIMITS.prose
        for draft in _draft(event, kind, text.head_and_tail(without_code(event.text), limit)):
            yield replace(draft, waited=event.role == "queued")
    elif event.role == "tool_use":
        yield from _of_use(event)
    elif event.role == "tool_result":
        yield from _of_result(event)
    elif event.role == "synthetic":
        yield from _report(event)


def _of_use(event: Event) -> Iterator[MessageDraft]:
    if event.tool in SHELLS:
        yield from _draft(event, "command", _first_line(event.input.get("command")))
    elif event.tool in CHANGING:
        path = path_of(event.tool, event.input)
        yield from _draft(event, "edit", (relative(path, event.cwd) or path)[:LONGEST_LINE])
    elif event.tool == QUESTION:
        yield from _draft(event, "question", _asked(event.input))
    elif event.tool == PLAN:
        plan = event.input.get("plan")
        yield from _draft(event, "plan", without_code(plan) if isinstance(plan, str) else "")


def key_of(role: str, name: str) -> int:
    """By what an event of a tool is recognised in every copy of it."""
    return uuid_key(f"{role}:{name}")


def without_code(words: str) -> str:
    """`words` with a mark in place of each longer block of fenced code."""
    if "```" not in words and "~~~" not in words:
        return words
    return without_fences(words, tables=True, keep=SHORT_CODE, mark=True).strip()


def _draft(event: Event, kind: MessageKind, words: str) -> Iterator[MessageDraft]:
    words = words.strip()
    if not words:
        return
    mark = content_mark(event) or f"{event.uuid}:{event.text}"
    yield MessageDraft(
        kind=kind,
        text=words,
        key=uuid_key(mark),
        uuid=event.uuid,
        offset=event.offset,
        time=event.time,
        branch=text.clean(event.branch),
        model=text.clean(event.model),
    )


def _of_result(event: Event) -> Iterator[MessageDraft]:
    if event.tool == SUBAGENT and not event.failed:
        yield from _report(event)
    elif event.tool == QUESTION and not event.failed:
        yield from _draft(event, "answer", _answers(event))
    elif event.tool in SHELLS:
        # Hash and subject of each commit, as git prints them; most outputs are of none.
        made = _COMMIT.regex.finditer(event.text) if "] " in event.text else ()
        for number, match in enumerate(made):
            for draft in _draft(event, "commit", f"{match[2][:10]} {match[3].strip()}"):
                yield replace(draft, key=key_of("commit", f"{event.tool_id}:{number}"))


def _first_line(command: object) -> str:
    if not isinstance(command, str):
        return ""
    first, _, rest = command.strip().partition("\n")
    shown = first if len(first) <= LONGEST_LINE else f"{first[: LONGEST_LINE - 1]}…"
    return f"{shown} …" if rest.strip() and len(shown) < LONGEST_LINE - 2 else shown


def _asked(given: Mapping[str, Any]) -> str:
    """The questions of a form, each with the choices that it offers."""
    lines = []
    for form in objects(given.get("questions")):
        options = objects(form.get("options"))
        labels = [option["label"] for option in options if isinstance(option.get("label"), str)]
        choices = f" [{' / '.join(map(text.one_line, labels))}]" if labels else ""
        lines.append(f"{text.one_line(str(form.get('question', '')))}{choices}")
    return "\n".join(lines)


def _answers(event: Event) -> str:
    """What the user chose or typed, each answer below its question."""
    answers = event.input.get("answers") if "answers" in event.input else None
    if isinstance(answers, dict) and answers:
        listed = (
            (q, given if isinstance(given, list) else [given]) for q, given in answers.items()
        )
        return "\n".join(
            f"{text.one_line(str(question))} → {', '.join(text.one_line(str(a)) for a in given)}"
            for question, given in listed
        )
    return text.head_and_tail(event.text, LONGEST_PROMPT)

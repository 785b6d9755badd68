"""Where a session stopped: one entry of the history for each session in which something was done.

It holds what was asked last, the head of the last answer, and what was left open: things to do and
pull requests. What is committed is not told: another work tree or
terminal may have done it since. A session that goes on replaces its entry when it ends again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from cortex_core.base.kinds import EPISODE
from cortex_core.base.text import clean, one_line
from cortex_core.base.tools import CHANGING, TASK, TODO
from cortex_core.extract import open_ends, wording
from cortex_core.extract.state import Findings, SessionState
from cortex_core.extract.wording import LONGEST_TITLE, plain, without_opener
from cortex_core.language import signals
from cortex_core.language.detect import most_common
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import cut, mask, sentences
from cortex_core.language.statements import is_complete, is_short
from cortex_core.records.events import Event

FEWEST_PROMPTS = 2
"""Prompts from which a session with any work counts."""
FEWEST_EDITS = 3
"""Edits from which a session of one prompt counts, if it committed what it edited."""
MOST_NAMED = 3
"""Tasks or pull requests that are named; more are counted."""
LONGEST_ITEM = 60
"""Characters of one of them."""
LONGEST_LEFT = 100
"""Characters of what a summary or a commit left for later, which says more than a name."""

_LONGEST_ASKED = 200
_LONGEST_ANSWER = 600
_MOST_TOLD = 5
"""Statements of the last answer that are kept."""
_CLOSED = ("completed", "deleted", "cancelled")
_PLANS = Pattern(
    "what the agent is about to do",
    r"^(?:let me|let's|i'll|i will|i'm going to|i am going to|now i|next,? i|first,? i)\b",
    finds="Let me check",
    spares="Locks leak",
)
"""How an answer begins that only announces what comes next: there the session was cut off. A list,
because an announcement is a statement like any other."""
_LEANS = Pattern(
    "sentence that leans on another",
    r"\w+: |(?:\w+ )?(?:you|it|this|that|these|those|they|them|both|here)\b",
    finds="It is slow",
    spares="Locks leak",
)
"""How statements begin that need what was said before them, name a part of a list, or speak to the
user."""
_COMMIT = Pattern(
    "commit",
    r"(?:\w+ ){0,2}`?(?=[a-f]*\d)[0-9a-f]{7,40}\b",
    finds="Committed 1a2b3c4",
    spares="Committed all",
    flags=0,
)
"""How a statement about a commit begins."""
_QUOTES = frozenset("“„«「")
"""Marks that a title has itself, around what was said."""


# --- what is noted as the session goes on


def on_event(event: Event, state: SessionState) -> None:
    """Note edits, the agent's list of things to do and what is left open."""
    open_ends.on_event(event, state)
    if event.role == "tool_use":
        state.edits += event.tool in CHANGING
        if event.tool == TODO:
            _note_list(event, state)
        elif event.tool == TASK:
            _note_update(event, state)
    elif event.role == "tool_result" and event.tool == TASK and "task" in event.input:
        # The number and words of a new entry are in the result.
        words = _item(event.input.get("subject"))
        state.tasks[str(event.input["task"])] = {"text": words, "state": "pending"}


def _note_list(event: Event, state: SessionState) -> None:
    """The whole list, as some agents write it each time."""
    listed = event.input.get("todos")
    tasks = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    state.tasks = {
        str(number): {"text": _item(item.get("content")), "state": str(item.get("status", ""))}
        for number, item in enumerate(tasks, 1)
    }


def _note_update(event: Event, state: SessionState) -> None:
    task = state.tasks.get(str(event.input.get("task", "")))
    if task is not None:
        task["state"] = str(event.input.get("status") or task["state"])
        task["text"] = _item(event.input.get("subject")) or task["text"]


def _item(value: Any) -> str:
    return one_line(value)[:200] if isinstance(value, str) else ""


# --- the entry


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What is known of a session's end."""

    asked: str
    """What was asked last."""
    branch: str
    tasks: list[str]
    """What is left of the list of things to do."""
    pending: list[str]
    """What the last summary calls pending and nobody came back to."""
    filed: list[str]
    """What commits filed for later."""
    pulls: list[str]
    """Numbers of pull requests that were still open."""
    language: str
    """The language of the user's prompts."""

    def said(self, phrase: str, n: int = 0, **values: object) -> str:
        return signals.said(phrase, self.language, n, **values)


def session_ended(state: SessionState, findings: Findings) -> None:
    """File where the session stopped, unless nothing was done in it."""
    if not state.last or not _worked(state):
        return
    answer = clean(str(state.said.get("text", "")))
    told = _statements(answer)
    parts = _Parts(
        asked=cut(one_line(state.asked), _LONGEST_ASKED) if state.asked else "",
        branch=str(state.last.get("branch", "")),
        tasks=[_short(each["text"]) for each in _open_tasks(state)],
        pending=_left(state, "summary"),
        filed=_left(state, "commit"),
        pulls=[number for number, pull in state.pulls.items() if pull["state"] == "open"],
        language=most_common(state.languages),
    )
    title, following = _title(told, state, parts.language), _next(parts)
    # The title says where it stopped; without that, what comes next is told in its place.
    if not title:
        title, following = wording.shorten(following), ""
    if not title:
        return
    findings.add(
        "session-end",
        EPISODE,
        "\n".join(_lines(parts, told)),
        {**state.last, "prompt": state.asked},
        name=title,
        files=tuple(state.edited),
        details={
            "event": f"session:{state.last.get('session', '')}",
            "stopped": {"next": following},
        },
    )


def _worked(state: SessionState) -> bool:
    """Whether something was done that somebody could go on with."""
    done = bool(state.edits or state.committed or _open_tasks(state))
    is_long = len(state.prompts) >= FEWEST_PROMPTS or state.edits >= FEWEST_EDITS
    return done and (is_long or bool(state.edited))


def _open_tasks(state: SessionState) -> list[dict[str, str]]:
    """The things to do that are not done, those under way first."""
    left = [each for each in state.tasks.values() if each["state"] not in _CLOSED and each["text"]]
    return sorted(left, key=lambda each: each["state"] != "in_progress")


def _short(task: str) -> str:
    """A thing to do without what only explains it, where that makes it short enough to be named."""
    head = task if len(task) <= LONGEST_ITEM else wording.shorten(task, LONGEST_ITEM)
    return task if head.endswith("…") else head


def _left(state: SessionState, of: open_ends.Origin) -> list[str]:
    """What a summary or commits left for later, as far as it can be told in a line."""
    told = (wording.shorten(each["text"], LONGEST_LEFT) for each in state.left if each["of"] == of)
    return [text for text in told if len(text) <= LONGEST_LEFT and not text.endswith("…")]


class _Said(NamedTuple):
    """A complete statement of an answer."""

    text: str
    in_list: bool
    is_status: bool
    """Whether it only reports tests, commits or pushes."""


def _statements(answer: str) -> list[_Said]:
    """The complete statements of an answer, without what it announces, asks or guesses."""
    told = []
    for sentence in sentences(without_fences(answer)):
        text = without_opener(plain(sentence.text))
        bare = mask(text)
        if (
            _PLANS.regex.match(text)
            or _LEANS.regex.match(text)
            or wording.is_question(text)
            or "**" in text
        ):
            continue
        if is_complete(text, answer) and not wording.HEDGED.is_in(bare):
            status = (
                wording.is_status(bare) or wording.is_thin(text, 3) or _COMMIT.regex.match(text)
            )
            told.append(_Said(wording.finished(text), sentence.bullet, bool(status)))
    return told


def _title(told: list[_Said], state: SessionState, language: str) -> str:
    """One complete statement of where the session stopped, nothing in it cut off; else empty.

    The last commit, or what the answer says of the project where something was edited since, then
    the prompt, then an answer that only reports.
    """
    prose = [each for each in told if not each.in_list]
    last = [
        ("stopped_after", [str(one["subject"]) for one in state.commits[-1:]]),
        ("stopped_at", [each.text for each in prose if not each.is_status]),
    ]
    for lead, all_said in (
        *(reversed(last) if state.edited else last),
        ("stopped_after", [without_opener(plain(each.text)) for each in sentences(state.asked)]),
        ("stopped_at", [each.text for each in prose if each.is_status]),
    ):
        room = LONGEST_TITLE - len(signals.said(lead, language, text=""))
        whole = (_whole(said, room) for said in all_said)
        if quoted := next(filter(None, whole), ""):
            return signals.said(lead, language, text=quoted)
    return ""


def _whole(said: str, room: int) -> str:
    """`said` in at most `room` characters, without what only explains it; empty if that is no
    statement."""
    text = said.strip(" .。")
    if len(text) > room:
        text = wording.shorten(text, room)
    fits = len(text) <= room and not text.endswith("…") and not _QUOTES & set(text)
    is_said = is_complete(text, said) and not wording.is_question(text)
    return text if fits and is_said and not wording.is_thin(text, 2) else ""


def _next(parts: _Parts) -> str:
    """What comes next, in one short statement: the most telling of what was left open."""
    fitting = (
        statement
        for most in range(MOST_NAMED, -1, -1)
        for statement in islice(_open_ends(parts, most), 1)
        if is_short(statement)
    )
    return next(fitting, "")


def _open_ends(parts: _Parts, most: int = MOST_NAMED) -> Iterator[str]:
    """What was left open, as statements, the most telling first.

    Args:
        most: how many tasks and pull requests are named.
    """
    if parts.tasks:
        yield parts.said("to_do", items=_named(parts, parts.tasks, most, "tasks"))
    if parts.pending:
        yield parts.said("pending", items=_first(parts.pending, most))
    if parts.filed:
        yield parts.said("filed", items=_first(parts.filed, most))
    if parts.pulls:
        pulls = [parts.said("pull", number=one) for one in parts.pulls]
        yield parts.said("open", items=_named(parts, pulls, most, "pulls"))


def _first(left: list[str], most: int) -> str:
    """The first of what was left for later, at least one."""
    return "; ".join(left[: max(most, 1)])


def _named(parts: _Parts, items: list[str], most: int, several: str) -> str:
    """The first items by name, and how many more there are; long ones are only counted.

    Where all are long, one of them may be as long as what was left for later.

    Args:
        several: the phrase that counts them.
    """
    short = [item for item in items if len(item) <= LONGEST_ITEM][:most]
    short = short or [item for item in items if len(item) <= LONGEST_LEFT][: min(most, 1)]
    rest = len(items) - len(short)
    if not short:
        return parts.said(several, rest)
    named = "; ".join(short)
    return parts.said("more", rest, items=named) if rest else named


def _lines(parts: _Parts, told: list[_Said]) -> Iterator[str]:
    """The content of the entry, line by line."""
    if parts.asked:
        yield parts.said("asked_last", text=parts.asked)
    if told:
        in_prose = [each.text for each in told if not each.in_list]
        said = in_prose or [each.text for each in told]
        yield parts.said("answered", text=cut(" ".join(said[:_MOST_TOLD]), _LONGEST_ANSWER))
    yield from _open_ends(parts)
    if parts.branch:
        yield parts.said("branch", branch=parts.branch)

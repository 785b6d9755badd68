"""Where a session stopped: one entry of the history for each session in which something was done.

It holds what was asked last, the head of the last answer, and what was left open: things to do,
files that were not committed, offers that nobody answered, pull requests. A session that goes on
replaces its entry when it ends again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cortex_core.base.kinds import EPISODE
from cortex_core.base.statements import is_complete
from cortex_core.base.text import clean, counted, one_line
from cortex_core.extract import wording
from cortex_core.extract.sentences import cut, sentences, without_fences
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import LONGEST_TITLE, plain, without_opener
from cortex_core.transcripts.events import EDITS, Event

FEWEST_PROMPTS = 2
"""Prompts from which a session with any work counts."""
FEWEST_EDITS = 3
"""Edits from which a session of one prompt counts."""
MOST_NAMED = 3
"""Files, tasks or pull requests that are named; more are counted."""
LONGEST_ITEM = 60
"""Characters of one of them."""

_LONGEST_ANSWER = 600
_MOST_TOLD = 5
"""Statements of the last answer that are kept."""
_CLOSED = ("completed", "deleted", "cancelled")
_NUMBER = re.compile(r"#?(\d{1,6})\b")
_PLANS = re.compile(
    r"^(?:let me|let's|i'll|i will|i'm going to|i am going to|now i|next,? i|first,? i)\b",
    re.IGNORECASE,
)
"""How an answer begins that only announces what comes next: there the session was cut off. A list,
because an announcement is a statement like any other."""
_OFFER = re.compile(
    r"^(?:(?:do you )?want me to|would you like me to|(?:shall|should) i|may i)\s+"
    r"((?:\w|`)[^?\n]{8,160})\?",
    re.IGNORECASE,
)
"""How the agent offers to do something; only English has a table."""
_POINTS = re.compile(r"\b(?:that|this|these|those|it|them|one|ones|option)\b", re.IGNORECASE)
"""Words by which an offer needs what was said before it."""


# --- what is noted as the session goes on


def on_event(event: Event, state: SessionState) -> None:
    """Note edits and the agent's list of things to do, and where the session is."""
    if not event.sidechain:
        state.last = source_of(event)
    if event.role == "tool_use":
        state.edits += event.tool in EDITS
        if event.tool == "TodoWrite":
            _note_list(event, state)
        elif event.tool == "TaskUpdate":
            _note_update(event, state)
    elif event.role == "tool_result" and event.tool == "TaskCreate" and not event.failed:
        _note_created(event, state)


def _note_list(event: Event, state: SessionState) -> None:
    """The whole list, as older versions of Claude Code write it each time."""
    listed = event.input.get("todos")
    tasks = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    state.tasks = {
        str(number): {"text": _item(item.get("content")), "state": str(item.get("status", ""))}
        for number, item in enumerate(tasks, 1)
    }


def _note_created(event: Event, state: SessionState) -> None:
    """A new entry; its number and words are in the result: “Task #3 created successfully: …”."""
    head, _, words = event.text.partition(":")
    if found := _NUMBER.search(head):
        state.tasks[found[1]] = {"text": _item(words), "state": "pending"}


def _note_update(event: Event, state: SessionState) -> None:
    task = state.tasks.get(str(event.input.get("taskId", "")))
    if task is not None:
        task["state"] = str(event.input.get("status") or task["state"])
        task["text"] = _item(event.input.get("subject")) or task["text"]


def _item(value: Any) -> str:
    return one_line(value)[:200] if isinstance(value, str) else ""


# --- the entry


def session_ended(state: SessionState, findings: Findings) -> None:
    """File where the session stopped, unless nothing was done in it."""
    if not state.last or not _worked(state):
        return
    answer = clean(str(state.said.get("text", "")))
    told = _statements(answer)
    parts = {
        "asked": cut(one_line(state.asked), 200) if state.asked else "",
        "answer": told[0] if told else "",
        "branch": str(state.last.get("branch", "")),
        "uncommitted": list(state.uncommitted),
        "open": [each["text"] for each in _open_tasks(state)],
        "offered": _offer(answer),
        "pulls": [number for number, pull in state.pulls.items() if pull["state"] == "open"],
    }  # fmt: skip
    stopped = {name: value for name, value in parts.items() if value}
    stopped["next"] = _next(parts)
    if not told and not stopped["next"]:
        return
    content = "\n".join(_lines(parts, told))
    session = str(state.last.get("session", ""))
    findings.add(
        "session-end", EPISODE, content, {**state.last, "prompt": state.asked},
        name=_title(parts), files=tuple(state.uncommitted),
        details={"event": f"session:{session}", "stopped": stopped},
    )  # fmt: skip


def _worked(state: SessionState) -> bool:
    """Whether something was done that somebody could go on with."""
    done = bool(state.edits or state.committed or _open_tasks(state))
    is_long = len(state.prompts) >= FEWEST_PROMPTS or state.edits >= FEWEST_EDITS
    return done and is_long


def _open_tasks(state: SessionState) -> list[dict[str, str]]:
    """The things to do that are not done, those under way first."""
    left = [each for each in state.tasks.values() if each["state"] not in _CLOSED and each["text"]]
    return sorted(left, key=lambda each: each["state"] != "in_progress")


def _statements(answer: str) -> list[str]:
    """The complete statements of an answer, without what it announces or asks."""
    told: list[str] = []
    for sentence in sentences(without_fences(answer)):
        text = without_opener(plain(sentence.text)).strip()
        if _PLANS.match(text) or wording.is_question(text) or wording.is_thin(text, 2):
            continue
        if is_complete(text, answer):
            told.append(wording.finished(text))
    return told


def _offer(answer: str) -> str:
    """What the last sentence of an answer offers to do, if it can be understood alone."""
    asked = [plain(each.text) for each in sentences(without_fences(answer))]
    found = _OFFER.match(without_opener(asked[-1])) if asked else None
    if found is None or _POINTS.search(found[1]):
        return ""
    return found[1].partition(", or ")[0].strip()


def _title(parts: dict[str, Any]) -> str:
    """One complete statement of where the session stopped."""
    for lead, words in (("Stopped at", parts["answer"]), ("Stopped after", parts["asked"])):
        quoted = words.rstrip(" .…")
        room = LONGEST_TITLE - len(lead) - 5
        if len(quoted) > room:
            quoted = wording.shorten(quoted, room)
        if quoted and not quoted.endswith("…") and not wording.is_question(quoted):
            return f"{lead} “{quoted}”"
    where = f" on {parts['branch']}" if parts["branch"] else ""
    return f"Stopped{where} with {_left(parts)}"


def _left(parts: dict[str, Any]) -> str:
    """What was left, counted."""
    if parts["open"]:
        return f"{counted(len(parts['open']), 'thing')} left to do"
    files = len(parts["uncommitted"])
    return f"{counted(files, 'file')} not committed" if files else "everything committed"


def _next(parts: dict[str, Any]) -> str:
    """What comes next, in one statement: the most telling of what was left open."""
    return next(_open_ends(parts), "")


def _open_ends(parts: dict[str, Any]) -> Iterator[str]:
    """What was left open, as statements, the most telling first."""
    if parts["open"]:
        yield f"Still to do: {_named(parts['open'])}."
    if parts["offered"]:
        yield f"Claude offered to {parts['offered']}, which nobody answered."
    if parts["uncommitted"]:
        verb = "was" if len(parts["uncommitted"]) == 1 else "were"
        yield f"{_named(parts['uncommitted'])} {verb} edited and not committed."
    if parts["pulls"]:
        verb = "was" if len(parts["pulls"]) == 1 else "were"
        noun = "Pull request" if len(parts["pulls"]) == 1 else "Pull requests"
        yield f"{noun} {_named(parts['pulls'])} {verb} still open."


def _named(items: list[str]) -> str:
    """The first items by name, and how many more there are; long ones are only counted."""
    short = [item for item in items if len(item) <= LONGEST_ITEM][:MOST_NAMED]
    rest = len(items) - len(short)
    if not short:
        return counted(rest, "entry", "entries")
    listed = ", ".join(short)
    return f"{listed} and {rest} more" if rest else listed


def _lines(parts: dict[str, Any], told: list[str]) -> Iterator[str]:
    """The content of the entry, line by line."""
    if parts["asked"]:
        yield f"Asked last: “{parts['asked']}”"
    if told:
        yield f"Answered: {cut(' '.join(told[:_MOST_TOLD]), _LONGEST_ANSWER)}"
    yield from _open_ends(parts)
    if parts["branch"]:
        yield f"Branch: {parts['branch']}"

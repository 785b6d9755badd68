"""Where a session stopped: one entry of the history for each session in which something was done.

It holds what was asked last, the head of the last answer, and what is left of the list of things to
do. What is committed or merged is not said: another work tree, a terminal or a colleague may have
done it since. A session that goes on replaces its entry when it ends again.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from cortex_core.base.kinds import EPISODE
from cortex_core.base.text import clean, one_line, units
from cortex_core.base.tools import CHANGING, TASK, TODO
from cortex_core.extract import wording
from cortex_core.extract.state import Findings, SessionState
from cortex_core.language import signals
from cortex_core.language.detect import most_common
from cortex_core.language.generic_words import GENERIC
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
"""Tasks that are named; more are counted."""
LONGEST_ITEM = 60
"""Characters of one of them."""

_LONGEST_ASKED = 200
_LONGEST_ANSWER = 600
_MOST_TOLD = 5
"""Statements of the last answer that are kept."""
_LONGEST_NAME = 60
"""Characters of what a session is called; agents write half as many."""
_CLOSED = ("completed", "committed", "deleted", "cancelled")
_LEANS = Pattern(
    "sentence that leans on another, or announces one",
    r"\w+: |(?:\w+ )?(?:you|it|this|that|these|those|they|them|both|here)\b"
    r"|(?:let me|let's|i'll|i will|i'm going to|i am going to|now i|next,? i|first,? i)\b",
    finds=("It is slow", "Cause: a lock", "Let me check"),
    spares="Locks leak",
)
"""How statements begin that need what was said before them, name a part of a list, speak to the
user, or only announce what comes next: there the session was cut off. A list, because an
announcement is a statement like any other."""
_QUOTES = frozenset("“„«「")
"""Marks that a title has itself, around what was said."""


# --- what is noted as the session goes on


def on_event(event: Event, state: SessionState) -> None:
    """Note edits and the agent's list of things to do."""
    if event.role == "tool_use":
        state.edits += event.tool in CHANGING
        if event.tool == TODO:
            # The whole list, as some agents write it each time.
            listed = event.input.get("todos")
            tasks = listed if isinstance(listed, list) else []
            state.tasks = {
                str(number): {
                    "text": _item(item.get("content")),
                    "state": str(item.get("status", "")),
                }
                for number, item in enumerate((one for one in tasks if isinstance(one, dict)), 1)
            }
        elif event.tool == TASK:
            _note_update(event, state)
    elif event.role == "tool_result" and event.tool == TASK and "task" in event.input:
        # The number and words of a new entry are in the result.
        words = _item(event.input.get("subject"))
        state.tasks[str(event.input["task"])] = {"text": words, "state": "pending"}


def _note_update(event: Event, state: SessionState) -> None:
    task = state.tasks.get(str(event.input.get("task", "")))
    if task is not None:
        task["state"] = str(event.input.get("status") or task["state"])
        task["text"] = _item(event.input.get("subject")) or task["text"]


def _item(value: Any) -> str:
    return one_line(value)[:200] if isinstance(value, str) else ""


# --- the entry


def session_ended(state: SessionState, findings: Findings) -> None:
    """File where the session stopped, unless nothing was done in it."""
    # Somebody can go on only with something that was done.
    is_done = state.edits or state.committed or _open_tasks(state)
    is_long = len(state.prompts) >= FEWEST_PROMPTS or state.edits >= FEWEST_EDITS
    if not (state.last and is_done and (is_long or state.edited)):
        return
    code = most_common(state.languages)
    states = _statements(clean(str(state.said.get("text", ""))))
    title = _title(states, state, code)
    # What comes next, in one short statement that names as many tasks as it can.
    named = (_to_do(state, code, most) for most in range(MOST_NAMED, -1, -1))
    following = next(filter(is_short, named), "")
    # The title says where it stopped; without that, what comes next is told in its place.
    if not title:
        title, following = wording.shorten(following), ""
    if not title:
        return
    asked = cut(one_line(state.asked), _LONGEST_ASKED) if state.asked else ""
    said, branch = " ".join(states[:_MOST_TOLD]), state.last.get("branch")
    parts = (
        signals.said("asked_last", code, text=asked) if asked else "",
        signals.said("answered", code, text=cut(said, _LONGEST_ANSWER)) if said else "",
        _to_do(state, code, MOST_NAMED),
        signals.said("branch", code, branch=branch) if branch else "",
    )
    findings.add(
        "session-end",
        EPISODE,
        "\n".join(filter(None, parts)),
        {**state.last, "prompt": state.asked},
        name=title,
        files=tuple(state.edited),
        details={
            "event": f"session:{state.last.get('session', '')}",
            "stopped": {"next": following},
        },
    )


def _open_tasks(state: SessionState) -> list[dict[str, str]]:
    """The things to do that are not done, those under way first."""
    return sorted(
        (each for each in state.tasks.values() if each["state"] not in _CLOSED and each["text"]),
        key=lambda each: each["state"] != "in_progress",
    )


def _statements(answer: str) -> list[str]:
    """The complete statements of an answer, without what it announces, asks or guesses. A list is
    left out."""
    states: list[str] = []
    for sentence in sentences(without_fences(answer)):
        text = wording.without_opener(wording.plain(sentence.text))
        leans = _LEANS.regex.match(text) or "**" in text
        is_open = wording.is_question(text) or wording.HEDGED.is_in(mask(text))
        if not (sentence.bullet or leans or is_open) and is_complete(text, answer):
            states.append(wording.finished(text))
    return states


def _title(states: list[str], state: SessionState, language: str) -> str:
    """What the session is called, and one complete statement of where it stopped, nothing in it cut
    off; one of them where there is no other, else empty."""
    name = cut(state.title, _LONGEST_NAME)
    # A commit is named by what it did, whether or not that is a sentence.
    names = {name, *(str(one["subject"]) for one in state.commits[-1:])}
    for lead, all_said in _last_said(states, state, name):
        before = f"{name}: " if name and name not in all_said else ""
        room = wording.LONGEST_TITLE - len(before + signals.said(lead, language, text=""))
        whole = (
            each if each in names and len(each) <= room else _whole(each, room) for each in all_said
        )
        if quoted := next(filter(None, whole), ""):
            stopped = signals.said(lead, language, text=quoted)
            return before + stopped[:1].lower() + stopped[1:] if before else stopped
    return ""


def _last_said(
    states: list[str], state: SessionState, name: str
) -> Iterator[tuple[str, Sequence[str]]]:
    """What may say where the session stopped, the best first, each with the phrase that leads it.

    The last commit, or what the answer says of the work where something was edited since. Then the
    session's name; without one the prompt, then the rest of the answer, what says most first.
    """
    files = (PurePath(path).name for path in state.edited)
    work = set(units(" ".join((name, state.asked, *files)))) - GENERIC
    # What names nothing of the work only reports on it: “All tests pass”, “The task is complete”.
    shared = {said: len(work.intersection(units(said))) for said in states}
    of_work = sorted(
        (said for said in shared if shared[said]), key=shared.__getitem__, reverse=True
    )
    last = [
        ("stopped_after", [str(one["subject"]) for one in state.commits[-1:]]),
        ("stopped_at", of_work),
    ]
    yield from reversed(last) if state.edited else last
    if name:
        yield "stopped_at", [name]
    else:
        asked = (wording.plain(each.text) for each in sentences(state.asked))
        yield "stopped_after", list(map(wording.without_opener, asked))
        wordy = sorted(states, key=lambda said: len(set(units(said)) - GENERIC), reverse=True)
        yield "stopped_at", wordy


def _whole(said: str, room: int) -> str:
    """`said` in at most `room` characters, without what only explains it; empty if that is no
    statement."""
    text = said.strip(" .。")
    if len(text) > room:
        text = wording.shorten(text, room)
    fits = len(text) <= room and not text.endswith("…") and not _QUOTES & set(text)
    is_said = is_complete(text, said) and not wording.is_question(text)
    return text if fits and is_said and not wording.is_thin(text, 2) else ""


def _to_do(state: SessionState, language: str, most: int) -> str:
    """What is left of the list of things to do: `most` by name, at least one, and how many more.

    A long one is named only where no other is, up to the word where it is cut.
    """
    left = [each["text"] for each in _open_tasks(state)]
    heads = [
        each if len(each) <= LONGEST_ITEM else wording.shorten(each, LONGEST_ITEM) for each in left
    ]
    short = [each for each in heads if not each.endswith("…")][:most] or heads[:1]
    named, rest = "; ".join(short), len(left) - len(short)
    if rest:
        named = signals.said("more", language, n=rest, items=named)
    return signals.said("to_do", language, items=named) if left else ""

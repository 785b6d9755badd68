"""What a session leaves open besides its list of things to do: what a compaction summary calls
pending, and what a commit files for later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from cortex_core.base.text import marked_identifiers
from cortex_core.extract import wording
from cortex_core.extract.state import SessionState
from cortex_core.extract.wording import plain
from cortex_core.language import signals, verbs
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import mask
from cortex_core.records.events import Event

Origin = Literal["summary", "commit"]

_SHORTEST_NAME = 4
"""Characters from which a name is found in other text only where it is meant."""
_TICKET = Pattern(
    "ticket by its number",
    r"(?:#|\b(?:pr|mr|pull request|issue|ticket)s?[ #]{1,2})(\d{1,6})\b",
    finds="issue #12",
    spares="12",
)
_CODED = Pattern(
    "name with a number",
    r"\b[A-Za-z]\w{0,40}-[\w.-]{0,40}\d\w*",
    finds="ABC-12",
    spares="ABC",
    flags=0,
)
"""A ticket by its code: `SHOP-12`, `shop-x1.3`."""
_BRACKETS = Pattern("brackets", r"\([^()\n]*\)", finds="a (b)", spares="a b", flags=0)
# What these verbs ask for is a step of what was being done, and over with it.
_LOOKS = Pattern(
    "step that is over with what was done",
    r"(?:need(?:s|ed)? to )?(?:analy[sz]e|check|compare|confirm|debug|investigate|look|reproduce"
    r"|re-?run|review|run|test|try|verify|wait)\b",
    finds="Need to check the log",
    spares="The log",
)
_LINES = Pattern(
    "numbers of lines",
    r"(?<!\s)\s+\(?\b(?:at |on )?lines? \d[\d-]*\b\)?",
    finds=" at line 12",
    spares="in line",
)
"""A place in a file, which the next edit moves."""
_ARTICLE = Pattern("article", r"^the\s+", finds="The lock", spares="Other lock")
"""How an entry of a list need not begin."""
_NOTHING = Pattern("nothing", r"(?:no|none|nothing)\b", finds="None", spares="The lock")
"""How an entry begins that says that nothing is pending."""
# Work that is filed and work that was done are listed in the same form in a message.
_FOR_LATER = Pattern(
    "what is for later",
    r"\b(?:to-?dos?|backlog|follow[- ]?ups?|future|later|deferred|roadmap|next steps)\b",
    finds="Backlog",
    spares="Log",
)

# --- what a summary or a commit leaves for later


def on_event(event: Event, state: SessionState) -> None:
    """Forget what a summary called pending and comes up again: what is said then is newer."""
    if not state.left or event.role not in ("human", "queued", "assistant", "tool_use"):
        return
    done = [event.input.get(name) for name in ("command", "file_path")]
    told = " ".join([event.text, *(each for each in done if isinstance(each, str))])
    state.left = [
        one for one in state.left if one["of"] != "summary" or not _comes_up(one["text"], told)
    ]


def _comes_up(entry: str, told: str) -> bool:
    """Whether `told` names a ticket or a part of the code that an entry names."""
    known = told.casefold()
    if any(name in known for name in _names(entry)):
        return True
    return not set(_TICKET.regex.findall(entry)).isdisjoint(_TICKET.regex.findall(told))


def _names(entry: str) -> set[str]:
    told = _BRACKETS.regex.sub(" ", entry)
    named = marked_identifiers(told) | {code.casefold() for code in _CODED.regex.findall(told)}
    return {name for name in named if len(name) >= _SHORTEST_NAME}


def on_pending(entries: Iterable[str], state: SessionState) -> None:
    """Note what a summary calls pending, in place of what the summary before it did.

    Of an entry that names nothing nobody could tell later whether it was done.
    """
    state.left = [one for one in state.left if one["of"] != "summary"]
    for entry in entries:
        text = _LINES.regex.sub("", plain(entry)).rstrip(" :.")
        is_chore = signals.search("chore", text, "en") is not None
        is_step = _LOOKS.regex.match(text) or is_chore or wording.is_status(mask(text))
        if not (is_step or _NOTHING.regex.match(text)) and (
            _TICKET.regex.search(text) or _names(text)
        ):
            _note(_ARTICLE.regex.sub("", text), "summary", state)


def on_message(subject: str, body: str, state: SessionState) -> None:
    """Note the work that a commit files: the orders that its message lists for later."""
    is_filed = _FOR_LATER.regex.search(subject) is not None
    for line in body.split("\n"):
        text = plain(line)
        if not line.lstrip().startswith(("- ", "* ")):
            is_filed = is_filed or _FOR_LATER.regex.search(text) is not None
        elif is_filed and verbs.is_order(mask(text)):
            _note(text.rstrip("."), "commit", state)


def _note(text: str, of: Origin, state: SessionState) -> None:
    if all(one["text"] != text for one in state.left):
        state.left.append({"text": text, "of": of})

"""The texts of transcripts without what agents, their hooks and Cortex put next to the words.

Injected text is removed here, so that no extractor takes it for the user's.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from cortex_core.base.text import clean, head_and_tail, storable
from cortex_core.records.events import LIMITS, Event, Limits
from cortex_core.redaction.secrets import open_private, strip_private

Spans = tuple[tuple[str, str, bool], ...]
"""Opening and closing of what is left out, and whether an unclosed one reaches to the end."""

_HIDDEN_PART = re.compile(
    r"<(?:system[-_]reminder|hook_context|cortex-memory|!-- cortex:start|\s*/?\s*private)",
    re.IGNORECASE,
)
HIDDEN: Spans = (
    ("<cortex-memory", "</cortex-memory>", True),
    ("<!-- cortex:start -->", "<!-- cortex:end -->", True),
    ("<system-reminder>", "</system-reminder>", False),
    ("<system_reminder>", "</system_reminder>", False),
    ("<hook_context>", "</hook_context>", False),
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_OWN_COMMAND = re.compile(
    r"(?:^|[;&|(\n])\s*(?:\w+=\S*\s+)*(?:\S*/)?"
    r"(?:cortex|python[\d.]*\s+(?:-\w+\s+)*-m\s+cortex_core\S*)(?=\s|$)"
)
_LONG_ARGUMENTS = ("plan",)
_MOST_LEVELS = 6
_MOST_ENTRIES = 100


def cleaned(text: object, limit: int) -> str:
    """`text` without injected, private and invisible parts, cut to `limit`; empty for no string."""
    if not isinstance(text, str):
        return ""
    if "<" in text and _HIDDEN_PART.search(text):
        text = strip_private(without_spans(text, HIDDEN))
    text = head_and_tail(text, limit).strip()
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text  # most text is: a third of the time that cleaning takes
    return clean(text).strip()


def hidden_on(texts: Iterable[str], inserted: Spans = ()) -> Iterator[str]:
    """The texts of one message, each as if it began inside the private spans that those before it
    leave open.

    Args:
        inserted: what else the agent puts next to a user's words.
    """
    depth = 0
    for text in texts:
        text = "<private>" * depth + text
        yield text
        depth = open_private(without_spans(text, (*HIDDEN, *inserted)))


def arguments(value: object, limits: Limits = LIMITS, *, name: str = "", depth: int = 0) -> Any:
    """A tool's arguments with long strings cut, long lists ended and deep nesting dropped.

    Args:
        name: the key `value` has in the arguments: a plan or a command has a limit of its own.
        depth: how many lists and objects `value` is inside of.
    """
    if isinstance(value, str):
        limit = limits.prose if name in _LONG_ARGUMENTS else limits.string
        return cleaned(value, limits.result if name == "command" else limit)
    if isinstance(value, dict):
        inner = islice(value.items(), _MOST_ENTRIES if depth < _MOST_LEVELS else 0)
        return {
            cleaned(key, limits.string): arguments(item, limits, name=str(key), depth=depth + 1)
            for key, item in inner
        }
    if isinstance(value, list):
        return [
            arguments(item, limits, depth=depth + 1)
            for item in value[: _MOST_ENTRIES if depth < _MOST_LEVELS else 0]
        ]
    return value


def is_own(tool: str, tool_input: Mapping[str, Any]) -> bool:
    """Whether a tool use calls Cortex itself: what it says is stored already."""
    server, _, _ = tool.casefold().removeprefix("mcp__").rpartition("__")
    if "cortex" in server and tool.casefold().startswith("mcp__"):
        return True
    command = tool_input.get("command")
    if not isinstance(command, str) or "cortex" not in command:
        return False
    return bool(_OWN_COMMAND.search(_QUOTED.sub("''", command.partition("<<")[0])))


def tool_uses(
    name: str,
    calls: Sequence[tuple[str, Mapping[str, Any]]],
    call: str,
    common: Mapping[str, Any],
    limits: Limits = LIMITS,
) -> list[Event]:
    """The uses of a tool that an agent calls `name`, a patch one for each file; none of ours.

    Args:
        calls: Cortex's name of the tool, and the arguments.
        call: its id, by which the first use pairs with the result.
        common: other fields of the events.
    """
    # A result says once what became of a patch, so its other files have ids of their own.
    return [
        Event(
            role="tool_use",
            tool=tool,
            tool_name=name,
            tool_id=f"{call}#{number}" if number else call,
            input=arguments(given, limits),
            **common,
        )
        for number, (tool, given) in enumerate(calls)
        if not is_own(tool, given)
    ]


def without_spans(text: str, spans: Spans) -> str:
    """The text without what is between these marks."""
    for opening, closing, to_the_end in spans:
        if opening in text:
            text = _without_span(text, opening, closing, to_the_end)
    return text


def _without_span(text: str, opening: str, closing: str, to_the_end: bool) -> str:
    kept: list[str] = []
    position = 0
    while (start := text.find(opening, position)) >= 0:
        end = text.find(closing, start)
        if end < 0:
            if to_the_end:
                return "".join((*kept, text[position:start]))
            break
        kept.append(text[position:start])
        position = end + len(closing)
    return "".join((*kept, text[position:]))


def unix_time(stamp: object) -> float | None:
    """An ISO 8601 stamp as Unix seconds, UTC where it names no zone; None for anything else."""
    if not isinstance(stamp, str):
        return None
    try:
        moment = datetime.fromisoformat(stamp)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def string(value: object) -> str:
    """`value` if it is a string that can be stored: half a surrogate pair becomes `?`."""
    return storable(value) if isinstance(value, str) else ""

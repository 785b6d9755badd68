"""The frontmatter of Markdown files: the plain part of YAML that notes use.

PyYAML reads it, and words stay text: `1.10` becomes a number only where a caller asks for one.
Values in the form of JSON, which is YAML's inline form, keep their types. Anchors, aliases, tags
and repeated names are refused, since they mean more than they show.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml

from cortex_core.base.errors import UsageError
from cortex_core.language.patterns import Pattern

DEEPEST = 4
"""Levels of nesting that are read."""

MARK = "---"

QUOTED = ("title", "from_title", "to_title")
"""Names whose values are always quoted, since they may look like anything."""

_PLAIN = Pattern(
    "value that needs no quotes",
    r"[A-Za-z][A-Za-z0-9_./+-]*|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|\+\d\d:\d\d))?"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    finds="open-file",
    spares="- 1",
    flags=0,
)
_WORDS = frozenset("true false yes no on off null y n nan infinity -infinity".split())

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""The loader in C is twenty times as fast, and part of every wheel of PyYAML."""

_LINE = Pattern(
    "name and value",
    r"(\s*(?:-[ ]+)*)([A-Za-z_][\w.-]*:)[ \t]+(\S.*)",
    finds="title: Use pnpm",
    spares="title:",
    flags=0,
)
_TAB = Pattern(
    "tab after a name",
    r"^(\s*(?:-[ ]+)*[A-Za-z_][\w.-]*:)\t[ \t]*",
    finds="title:\tUse pnpm",
    spares="title: Use pnpm",
    flags=re.MULTILINE,
)
_REFUSED = ("&", "*", "!", "@", "`", "%", "? ", "'")
_BLOCK = Pattern(
    "mark of a block of text", r"[|>][-+\d]*(?:\s+#.*)?", finds="|-", spares="text", flags=0
)
_COMMENT = Pattern("comment behind a value", r"\s+#.*$", finds="a  # why", spares="a#b", flags=0)
_UNPRINTABLE = Pattern(
    "character that YAML refuses or reads as the end of a line",
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]",
    finds="a\x85b",
    spares="a\tb",
    flags=0,
)
_PRIVATE = range(0xE000, 0xF900)

_MOST_BRACKETS = 5_000
"""Nested brackets that libyaml may get: its time grows with their square."""
_MOST_LITERAL = 100
"""Values that are taken literally, since each one costs another parse."""


def split(text: str) -> tuple[str | None, str]:
    """The frontmatter of a file and what follows it; None where it has none."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if text.split("\n", 1)[0].rstrip() != MARK:
        return None, text
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in (MARK, "..."):
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    return None, text


def parse(header: str) -> dict[str, Any]:
    """The values of a frontmatter by name: texts, lists and mappings.

    Raises:
        UsageError: it cannot be read, or uses more of YAML than is allowed; the number of the line
            counts from the top of the file.
    """
    header = _TAB.regex.sub(r"\1 ", header)
    steps = ((char in "[{") - (char in "]}") for char in header if char in "[]{}")
    if max(itertools.accumulate(steps), default=0) > _MOST_BRACKETS:  # within quotes as well
        raise _problem(0, "nested too deeply")
    written, lines = header.split("\n"), header.split("\n")
    literals: dict[int, Any] = {}
    while True:
        try:
            return _HeaderReader("\n".join(lines), literals).mapping()
        except yaml.MarkedYAMLError as error:
            # Users write `title: Use pnpm: never npm`, which YAML refuses: such a value is taken
            # literally, and the rest is parsed again. Each pass takes at least one line out.
            culprits = _culprits(error, lines)
            is_lost = len(literals) >= _MOST_LITERAL
            if is_lost or not any(_take_literally(lines, number, literals) for number in culprits):
                raise _unreadable(written, culprits[0]) from None
        except yaml.YAMLError:
            raise _problem(0, "cannot be read") from None


def render(fields: Mapping[str, Any], blocks: Sequence[str] = ()) -> str:
    """`fields` as a frontmatter between its marks.

    Args:
        blocks: names of the lists that get one line for each item.
    """
    lines = [MARK]
    for name, value in fields.items():
        if name in blocks and isinstance(value, list | tuple):
            lines.append(f"{name}:")
            lines += [line for item in value for line in _block_item(item)]
        else:
            lines.append(f"{name}: {quoted(value) if name in QUOTED else _inline(value)}")
    return "\n".join([*lines, MARK, ""])


def quoted(value: Any) -> str:
    """`value` as JSON on one line, without escaping other alphabets."""
    return json.dumps(value, ensure_ascii=False)


def _block_item(item: Any) -> list[str]:
    if not isinstance(item, Mapping):
        return [f"  - {quoted(item)}"]
    pairs = [f"{name}: {_inline(value)}" for name, value in item.items()]
    return [f"  {'  ' if index else '- '}{pair}" for index, pair in enumerate(pairs)]


def _inline(value: Any) -> str:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return f"[{', '.join(_inline(each) for each in value)}]"
    plain = isinstance(value, str) and _PLAIN.regex.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else quoted(value)


class _HeaderReader:
    """One pass over the YAML events of a frontmatter.

    Args:
        literals: values that were taken literally, by line; the text has `""` instead of them.
    """

    def __init__(self, header: str, literals: Mapping[int, Any]) -> None:
        self._header = header
        self._literals = literals
        masked, self._shown = _masked(header)
        self._events: list[Any] = list(yaml.parse(masked, Loader=_LOADER))
        self._next = 0

    def mapping(self) -> dict[str, Any]:
        """The whole frontmatter."""
        inside = [
            number
            for number, event in enumerate(self._events)
            if not isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent)
        ]
        self._next = inside[0]
        event: Any = self._events[self._next]
        if isinstance(event, yaml.StreamEndEvent):
            return {}
        if not isinstance(event, yaml.MappingStartEvent) or event.flow_style:
            raise _problem(event.start_mark.line, "not “name: value”")
        values: dict[str, Any] = self._value(0, in_list=False)
        if not isinstance(self._events[self._next + 1], yaml.StreamEndEvent):
            raise _problem(self._events[self._next + 1].start_mark.line, "not “name: value”")
        return values

    def _value(self, depth: int, *, in_list: bool) -> Any:
        """Read the value that begins with the next event, and move past it."""
        event = self._events[self._next]
        if isinstance(event, yaml.AliasEvent) or event.anchor or event.tag is not None:
            raise self._refusal(event)
        if isinstance(event, yaml.ScalarEvent):
            self._next += 1
            return self._scalar(event)
        if event.flow_style:
            return self._inline(event, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(depth + in_list)
        return self._mapping(depth + 1)

    def _mapping(self, depth: int) -> dict[str, Any]:
        _must_be_flat(depth, self._events[self._next])
        self._next += 1
        values: dict[str, Any] = {}
        while not isinstance(self._events[self._next], yaml.MappingEndEvent):
            event = self._events[self._next]
            line = event.start_mark.line
            name = self._value(depth, in_list=False)
            if not isinstance(name, str) or not name:
                raise self._refusal(event)
            if name in values:
                raise _problem(line, f"{name} occurs twice")
            values[name] = self._value(depth, in_list=False)
        self._next += 1
        return values

    def _list(self, depth: int) -> list[Any]:
        _must_be_flat(depth, self._events[self._next])
        self._next += 1
        items: list[Any] = []
        while not isinstance(self._events[self._next], yaml.SequenceEndEvent):
            items.append(self._value(depth, in_list=True))
        self._next += 1
        return items

    def _scalar(self, event: Any) -> Any:
        if event.style == '"':
            if event.start_mark.line in self._literals:
                return self._literals[event.start_mark.line]
            return self._json(event, event, event.value)
        words = self._shown(event.value)
        return words.rstrip("\n") if event.style in ("|", ">") else words

    def _inline(self, event: Any, depth: int) -> Any:
        """A list or mapping on one line: JSON, else a list of words."""
        ends, level = self._next, 0
        while True:
            level += isinstance(self._events[ends], yaml.CollectionStartEvent)
            level -= isinstance(self._events[ends], yaml.CollectionEndEvent)
            if not level:
                break
            ends += 1
        value = self._json(event, self._events[ends], None)
        if value is not None:
            self._next = ends + 1
            return value
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(depth + 1)
        # The `a: b` of `[a: b]` has no braces of its own: users mean the words.
        words = self._header[event.start_mark.index : self._events[ends].start_mark.index]
        if words.startswith("{"):
            raise self._refusal(event)
        self._next = ends + 1
        return words.strip()

    def _json(self, first: Any, last: Any, otherwise: str | None) -> Any:
        """The text between two events parsed as JSON; `otherwise` where it is not valid JSON."""
        try:
            return json.loads(self._header[first.start_mark.index : last.end_mark.index])
        except ValueError:
            return None if otherwise is None else self._shown(otherwise)
        except RecursionError:
            raise _problem(first.start_mark.line, "nested too deeply") from None

    def _refusal(self, event: Any) -> UsageError:
        return _unreadable(self._header.split("\n"), event.start_mark.line)


def _must_be_flat(depth: int, event: Any) -> None:
    if depth > DEEPEST:
        raise _problem(event.start_mark.line, "nested too deeply")


def _masked(header: str) -> tuple[str, Callable[[str], str]]:
    """A text with the characters that YAML refuses replaced one for one; and the way back."""
    odd = set(_UNPRINTABLE.regex.findall(header))
    if not odd:
        return header, str
    present = set(header)
    free = (code for code in _PRIVATE if chr(code) not in present)
    there = {ord(one): code for one, code in zip(sorted(odd), free, strict=False)}
    back = {code: one for one, code in there.items()}
    return header.translate(there), lambda words: words.translate(back)


def _culprits(error: yaml.MarkedYAMLError, lines: Sequence[str]) -> list[int]:
    """The lines at which YAML failed, the most likely one first."""
    marks = [error.context_mark, error.problem_mark]
    if "block" in (error.context or ""):
        marks.reverse()
    return [min(mark.line, len(lines) - 1) for mark in marks if mark is not None] or [0]


def _take_literally(lines: list[str], number: int, literals: dict[int, Any]) -> bool:
    """Take the value of a line literally, with its continuation lines; False if it has none."""
    match = _LINE.regex.fullmatch(lines[number])
    if match is None or number in literals:
        return False
    margin, name, value = match.groups()
    if value.startswith(('"', "[", "{")):
        try:
            literals[number] = json.loads(value)
        except (ValueError, RecursionError):
            return False
    elif value.startswith(_REFUSED) or _BLOCK.regex.fullmatch(value):
        return False
    else:
        words = [value]
        below = number + 1
        while below < len(lines) and _margin(lines[below]) > len(margin):
            words.append(lines[below].strip())
            lines[below] = ""
            below += 1
        literals[number] = _COMMENT.regex.sub("", " ".join(words))
    lines[number] = f'{margin}{name} ""'
    return True


def _margin(line: str) -> int:
    """The number of spaces before a line; 0 for a blank one."""
    return len(line) - len(line.lstrip(" ")) if line.strip() else 0


def _unreadable(lines: Sequence[str], number: int) -> UsageError:
    match = _LINE.regex.fullmatch(lines[number])
    if match is None:
        return _problem(number, "not “name: value”")
    value = match[3]
    unclosed = {"'": "a quote is not closed", "[": "a list is not closed"}
    return _problem(number, unclosed.get(value[0], f"“{value[:30]}” cannot be read"))


def _problem(line: int, what: str) -> UsageError:
    """A problem in a line, counted from 0 within the frontmatter."""
    return UsageError(f"line {line + 2}: {what}")

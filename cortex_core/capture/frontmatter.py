"""The frontmatter of Markdown files: the plain part of YAML that notes use.

PyYAML reads it, and words stay text: `1.10` becomes a number only where a caller asks for one.
A value of one line in the form of JSON keeps its types. Anchors, aliases, tags and repeated names
are refused, since they mean more than they show.
"""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
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

_JSON = Pattern(
    "name and what may be JSON",
    r"([A-Za-z_][\w.-]*):[ \t]+([\"\[{].*)",
    finds='tags: ["a"]',
    spares="tags: a",
    flags=0,
)
_COLON = Pattern(
    "name and words with a colon, which YAML refuses",
    r"^([ -]*[A-Za-z_][\w.-]*:)[ \t]+([^\s\"'\[{|>&*!].*:(?:[ \t].*)?)$",
    finds="title: Use pnpm: never npm",
    spares="title: Use pnpm",
    flags=re.MULTILINE,
)
_UNPRINTABLE = Pattern(
    "character that YAML refuses or reads as the end of a line",
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]",
    finds="a\x85b",
    spares="a\tb",
    flags=0,
)

_MOST_BRACKETS = 1_000
"""Nested brackets that libyaml may get: its time grows with their square."""


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
    steps = ((char in "[{") - (char in "]}") for char in header if char in "[]{}")
    if max(itertools.accumulate(steps), default=0) > _MOST_BRACKETS:  # within quotes as well
        raise _problem(0, "nested too deeply")
    lines = header.split("\n")
    values: dict[str, Any] = {}
    # What Cortex writes on one line is JSON; YAML would make texts of its numbers.
    for number, line in enumerate(lines):
        if match := _JSON.regex.fullmatch(line):
            try:
                values.setdefault(match[1], json.loads(match[2]))
                lines[number] = f'{match[1]}: ""'
            except (ValueError, RecursionError):
                continue
    rest = _UNPRINTABLE.regex.sub(" ", "\n".join(lines)).replace("\t", " ")
    try:
        root = _composed(rest)
    except UsageError:
        # Users write `title: Use pnpm: never npm`: such a value is taken literally, without a
        # comment behind it.
        root = _composed(
            _COLON.regex.sub(
                lambda line: f"{line[1]} {quoted(line[2].partition(' #')[0].rstrip())}", rest
            )
        )
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        raise _problem(root.start_mark.line, "not “name: value”")
    return {**_value(root, 1), **values}


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
    written = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.regex.sub(lambda match: json.dumps(match[0])[1:-1], written)


def _block_item(item: Any) -> list[str]:
    if not isinstance(item, Mapping):
        return [f"  - {quoted(item)}"]
    return [
        f"  {'  ' if index else '- '}{name}: {_inline(value)}"
        for index, (name, value) in enumerate(item.items())
    ]


def _inline(value: Any) -> str:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return f"[{', '.join(_inline(each) for each in value)}]"
    plain = isinstance(value, str) and _PLAIN.regex.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else quoted(value)


def _composed(header: str) -> Any:
    """The tree of YAML's nodes; None for an empty text."""
    try:
        events: list[Any] = list(yaml.parse(header, Loader=_LOADER))
        for event in events:
            named = getattr(event, "anchor", None) or getattr(event, "tag", None)
            if named is not None or isinstance(event, yaml.AliasEvent):
                raise _unreadable(header, event.start_mark.line)
        return yaml.compose(header, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        marks = [error.context_mark, error.problem_mark]
        if "block" in (error.context or ""):  # which began long before the problem
            marks.reverse()
        raise _unreadable(header, next((mark.line for mark in marks if mark), 0)) from None
    except (yaml.YAMLError, RecursionError):
        raise _problem(0, "cannot be read") from None


def _value(node: Any, depth: int) -> Any:
    """What a node says; a mapping or a list in no more than `DEEPEST` others."""
    if isinstance(node, yaml.ScalarNode):
        return node.value.rstrip("\n") if node.style in ("|", ">") else node.value
    if depth > DEEPEST:
        raise _problem(node.start_mark.line, "nested too deeply")
    if isinstance(node, yaml.SequenceNode):
        return [_value(each, depth + 1) for each in node.value]
    values: dict[str, Any] = {}
    for key, value in node.value:
        name = _value(key, depth)
        if not isinstance(name, str) or not name:
            raise _problem(key.start_mark.line, "not “name: value”")
        if name in values:
            raise _problem(key.start_mark.line, f"{name} occurs twice")
        values[name] = _value(value, depth + 1)
    return values


def _unreadable(header: str, number: int) -> UsageError:
    line = [*header.split("\n"), ""][number].strip()
    return _problem(number, f"“{line[:40]}” cannot be read" if line else "cannot be read")


def _problem(line: int, what: str) -> UsageError:
    """A problem in a line, counted from 0 within the frontmatter."""
    return UsageError(f"line {line + 2}: {what}")

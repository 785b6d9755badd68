"""The frontmatter of Markdown files: the small, strict part of YAML that notes use.

Read are plain and quoted words, inline and block lists, nested mappings, `|` and `>` texts, and
JSON, which is YAML's inline form. Words stay text: `1.10` is no number until somebody asks for one.
Anchors, tags and other means of YAML to say more than it seems are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from cortex_core.errors import UsageError

DEEPEST = 4
"""Levels of nesting that are read."""

MARK = "---"

QUOTED = ("title", "from_title", "to_title")
"""Names whose words are always quoted: they may read like anything."""

_KEY = re.compile(r"([A-Za-z_][\w.-]{0,63}):(?:[ \t]+(.*))?")
_PLAIN = re.compile(
    r"[A-Za-z][A-Za-z0-9_./+-]*|\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|\+\d\d:\d\d))?"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
_WORDS = frozenset("true false yes no on off null y n nan infinity -infinity".split())
_REFUSED = ("&", "*", "!", "@", "`", "%", "? ")
_JSON = json.JSONDecoder()
_SINGLE = re.compile(r"'(?:[^']|'')*'")
_INLINE = re.compile(
    r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,"'\[\]{}][^,\[\]{}]*)\s*(?:,|(?=\]))"""
)
_END = re.compile(r"\s*\]")
_COMMENT = re.compile(r"\s+#.*$")

Lines = list[tuple[int, str]]
"""Numbered lines of a frontmatter."""


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
    """What a frontmatter says: texts, lists and mappings by name.

    Raises:
        UsageError: a line that is none of what is read here; its number counts from the file's top.
    """
    lines = [(number, line) for number, line in enumerate(header.split("\n"), 2)]
    return _mapping([each for each in lines if not _is_empty(each[1])], 1)


def render(fields: Mapping[str, Any], blocks: Sequence[str] = ()) -> str:
    """`fields` as a frontmatter between its marks.

    Args:
        blocks: names of the lists that are written one item a line.
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
    """`value` as JSON on one line, other alphabets as they are."""
    return json.dumps(value, ensure_ascii=False)


def _block_item(item: Any) -> list[str]:
    if not isinstance(item, Mapping):
        return [f"  - {quoted(item)}"]
    pairs = [f"{name}: {_inline(value)}" for name, value in item.items()]
    return [f"  {'  ' if place else '- '}{pair}" for place, pair in enumerate(pairs)]


def _inline(value: Any) -> str:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return f"[{', '.join(_inline(each) for each in value)}]"
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else quoted(value)


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _problem(number: int, what: str) -> UsageError:
    return UsageError(f"line {number}: {what}")


def _mapping(lines: Lines, depth: int) -> dict[str, Any]:
    if depth > DEEPEST:
        raise _problem(lines[0][0], "nested too deeply")
    found: dict[str, Any] = {}
    margin = _indent(lines[0][1]) if lines else 0
    place = 0
    while place < len(lines):
        number, line = lines[place]
        match = _KEY.fullmatch(line.strip())
        if match is None or _indent(line) != margin:
            raise _problem(number, "not “name: value”")
        if match[1] in found:
            raise _problem(number, f"{match[1]} stands there twice")
        end = _end(lines, place + 1, margin)
        found[match[1]] = _value(match[2] or "", number, lines[place + 1 : end], depth)
        place = end
    return found


def _end(lines: Lines, start: int, margin: int) -> int:
    """Where what belongs to the name before `start` ends: at the next line of its margin."""
    place = start
    while place < len(lines):
        line = lines[place][1]
        if _indent(line) <= margin and not (_indent(line) == margin and _is_item(line)):
            break
        place += 1
    return place


def _is_item(line: str) -> bool:
    return line.strip() == "-" or line.lstrip().startswith("- ")


def _value(rest: str, number: int, below: Lines, depth: int) -> Any:
    rest = rest.strip()
    if rest[:1] in ("|", ">") and rest.strip("|>+-") == "":
        joint = "\n" if rest[0] == "|" else " "
        return joint.join(line.strip() for _, line in below)
    if rest and not rest.startswith("#"):
        more = [line.strip() for _, line in below]
        return _scalar(" ".join([rest, *more]), number)
    if not below:
        return ""
    return _list(below, depth) if _is_item(below[0][1]) else _mapping(below, depth + 1)


def _list(lines: Lines, depth: int) -> list[Any]:
    margin = _indent(lines[0][1])
    found: list[Any] = []
    place = 0
    while place < len(lines):
        number, line = lines[place]
        if _indent(line) != margin or not _is_item(line):
            raise _problem(number, "not “- item”")
        end = place + 1
        while end < len(lines) and _indent(lines[end][1]) > margin:
            end += 1
        found.append(_item(line.lstrip(" ")[1:], number, lines[place + 1 : end], margin, depth))
        place = end
    return found


def _item(rest: str, number: int, below: Lines, margin: int, depth: int) -> Any:
    words = rest.strip()
    if words[:1] in ('"', "'", "[", "{") or not _KEY.fullmatch(words):
        return _value(words, number, below, depth)
    inside = margin + 1 + len(rest) - len(rest.lstrip(" "))
    return _mapping([(number, " " * inside + words), *below], depth + 1)


def _scalar(word: str, number: int) -> Any:
    if word[0] in '"[{':
        try:
            found, end = _JSON.raw_decode(word)
        except ValueError:
            end = 0
        except RecursionError:
            raise _problem(number, "nested too deeply") from None
        if end and _is_comment(word[end:]):
            return found
    if word[0] == "'":
        return _single(word, number)
    if word[0] == "[":
        return _inline_list(word, number)
    if word[0] in '"{' or word.startswith(_REFUSED):
        raise _problem(number, f"“{word[:30]}” cannot be read")
    return _COMMENT.sub("", word)


def _is_comment(rest: str) -> bool:
    return not rest.strip() or _COMMENT.fullmatch(rest) is not None


def _single(word: str, number: int) -> str:
    match = _SINGLE.match(word)
    if match is None or not _is_comment(word[match.end() :]):
        raise _problem(number, "a quote is not closed")
    return match[0][1:-1].replace("''", "'")


def _inline_list(word: str, number: int) -> list[Any]:
    found: list[Any] = []
    place = 1
    while (match := _INLINE.match(word, place)) is not None:
        found.append(_scalar(match[1].strip(), number))
        place = match.end()
    if not _END.match(word, place) or not _is_comment(word[word.index("]", place) + 1 :]):
        raise _problem(number, "a list is not closed")
    return found

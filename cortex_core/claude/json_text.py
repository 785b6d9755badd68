"""JSON as text with places: where each value stands, so that a file is edited and not re-written.

Nothing here knows what the values mean. Reading is as strict as the client's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class Edit(NamedTuple):
    """A part of a text, its end exclusive, and what takes its place."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands."""

    start: int
    end: int
    sort: str = ""
    """`{` for an object, `[` for an array, empty for anything else."""
    members: tuple[Member, ...] = ()

    def named(self, name: str) -> list[Member]:
        """The members called `name`; of several a reader of JSON takes the last."""
        return [member for member in self.members if member.name == name]

    def inside(self, text: str) -> str:
        """What stands between the brackets."""
        return text[self.start + 1 : self.end - 1]


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object, or one item of an array."""

    start: int
    name: str | None
    """None in an array."""
    value: Node


def parse(text: str) -> Any:
    """The value that `text` holds; numbers are kept as their text, so that none is too long.

    Raises:
        ValueError: it is no JSON; comments, trailing commas and NaN are none.
    """
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def scan(text: str) -> Node:
    """The value that `text` holds, with the places of everything in it.

    Raises:
        ValueError: it is no JSON.
    """
    parse(text)
    tokens = _TOKEN.finditer(text)
    try:
        return _value(next(tokens), tokens)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def apply(text: str, edits: Iterable[Edit]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """`text` with `edits` made, which do not overlap; start and length of each new text in it."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    done = length = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[done:start], new]
        length += start - done
        if new:
            spans.append((length, len(new)))
        length += len(new)
        done = end
    return "".join([*parts, text[done:]]), tuple(spans)


def without(node: Node, gone: Collection[Member], blank: str = "") -> list[Edit]:
    """The edits that take members out of an object or array, their commas and space included.

    Args:
        blank: what is to stand between the brackets when no member is left.
    """
    kept = [member for member in node.members if member not in gone]
    if not kept:
        return [Edit(node.start + 1, node.end - 1, blank)]
    edits = []
    for number, member in enumerate(node.members):
        if member not in gone:
            continue
        if member.start < kept[0].start:
            edits.append(Edit(member.start, node.members[number + 1].start))
        else:
            edits.append(Edit(node.members[number - 1].value.end, member.value.end))
    return edits


def _value(token: re.Match[str], tokens: Iterator[re.Match[str]]) -> Node:
    sort = token.group()
    if sort not in ("{", "["):
        return Node(token.start(), token.end())
    members: list[Member] = []
    for first in tokens:
        word = first.group()
        if word in ("}", "]"):
            return Node(token.start(), first.end(), sort, tuple(members))
        if word == ",":
            continue
        name = None
        value = first
        if sort == "{":
            name = json.loads(word)
            next(tokens)
            value = next(tokens)
        members.append(Member(first.start(), name, _value(value, tokens)))
    raise ValueError("it ends within a value")


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not valid JSON")

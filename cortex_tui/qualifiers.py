"""What is typed into the search, taken apart: words, and qualifiers such as `kind:decision`.

A qualifier becomes a chip as soon as a blank follows it. Until then, or while it is not right, it
stays where it was typed and is not searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cortex_core import text
from cortex_core.errors import CortexError
from cortex_core.kinds import Kinds
from cortex_core.memory import SCOPES, STATUSES
from cortex_tui.queries import ALL, FIELDS, Chip, Field

_TOKEN = re.compile(r"\S+")
_ALIASES: dict[str, Field] = {"type": "kind", "is": "status", "before": "until", "after": "since"}


class Typed(NamedTuple):
    """A search taken apart."""

    words: str
    """What is searched for."""
    chips: tuple[Chip, ...] = ()
    left: str = ""
    """What stays in the line when the chips are taken out."""
    problem: str = ""
    """What is wrong with a qualifier, in one sentence."""


def read(typed: str, kinds: Kinds, now: float, *, done: bool = False) -> Typed:
    """`typed` taken apart.

    Args:
        done: whether nothing more will be typed, so that the last qualifier counts too.
    """
    words: list[str] = []
    chips: list[Chip] = []
    left: list[str] = []
    problem, ended = "", done or typed[-1:].isspace()
    tokens = list(_tokens(typed))
    for place, token in enumerate(tokens):
        field, value = _field(token)
        if field is None:
            words.append(token)
        elif ended or place < len(tokens) - 1:
            wrong, chip = _chip(field, value, kinds, now)
            problem = problem or wrong
            if chip is not None:
                chips.append(chip)
                continue
        left.append(token)
    blank = " " if left and typed[-1:].isspace() else ""
    return Typed(" ".join(words), tuple(chips), " ".join(left) + blank, problem)


def _tokens(typed: str) -> Iterator[str]:
    return (match.group() for match in _TOKEN.finditer(typed))


def _field(token: str) -> tuple[Field | None, str]:
    name, colon, value = token.partition(":")
    name = name.lower()
    if not colon:
        return None, ""
    found = _ALIASES.get(name) or next((field for field in FIELDS if field == name), None)
    return found, value.strip("\"'")


def _chip(field: Field, value: str, kinds: Kinds, now: float) -> tuple[str, Chip | None]:
    """What is wrong with the value ("" for nothing), and the chip."""
    if not value:
        return f"{field}: wants a value.", None
    if field in ("scope", "status"):
        known = SCOPES if field == "scope" else (*STATUSES, ALL)
        value = value.lower()
        if value not in known:
            return f"“{value}” is no {field}. There are: {', '.join(known)}.", None
    try:
        if field == "kind":
            value = kinds.get(value).name
        if field in ("since", "until"):
            text.parse_time(value, now)
    except CortexError as error:
        return str(error), None
    if field == "tag":
        value = value.lstrip("#").lower()
    return "", Chip(field, value)

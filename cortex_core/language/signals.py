"""Words of the user that need no guess, and what Cortex itself says, by one table a language.

`tables/*.toml` hold the rows; each has a sentence that it finds and one that it leaves. To add a
signal or a language is to add rows.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

from cortex_core.language import listener
from cortex_core.language.detect import LANGUAGES
from cortex_core.language.patterns import Pattern

KINDS: Mapping[str, str] = {
    "decision": "decision",
    "wish": "preference",
    "cause": "gotcha",
    "kind": "fact",
    "lacking": "fact",
    "located": "fact",
    "habit": "policy",
}
"""What shows the kind of memory that a statement is, in the order in which it is looked for."""

_MOST_LEADS = 6
"""Times that what leads up to a sentence is taken off: “ok, also, please, …”."""


class SignalRow(NamedTuple):
    """One row of a table."""

    pattern: Pattern
    kind: str
    """The kind of memory that it gives, where that is not its signal's."""
    days: int
    """For a date: how many days after it is said it is."""


class Table(NamedTuple):
    """What is known of one language."""

    rows: Mapping[str, tuple[SignalRow, ...]]
    """By what they signal."""
    phrases: Mapping[str, str]
    empty: frozenset[str]
    """Words without a subject."""


@cache
def table(code: str) -> Table:
    """The table of a language, one of `LANGUAGES`."""
    source = resources.files(__package__).joinpath("tables", f"{code}.toml")
    read = tomllib.loads(source.read_text("utf-8"))
    phrases, words = read.pop("phrases"), read.pop("words")
    rows = {
        name: tuple(
            SignalRow(
                Pattern(
                    row["name"],
                    row["pattern"].translate(_plain_letters()),
                    finds=row["finds"],
                    spares=row["spares"],
                ),
                row.get("kind", ""),
                row.get("days", 0),
            )
            for row in listed
        )
        for name, listed in read.items()
    }
    return Table(rows, phrases, frozenset(words["empty"].split()))


@cache
def _plain_letters() -> dict[int, str]:
    """Letters and marks as they are compared, each one character for one.

    Users type `tambien` for `también` and `еще` for `ещё`, and full-width marks in Chinese.
    """
    letters = {number: chr(number - 0xFEE0) for number in range(0xFF01, 0xFF5F)}
    for number in range(0xC0, 0x180):
        base = unicodedata.normalize("NFD", chr(number))[0]
        if base.isascii():
            letters[number] = base
    return letters | {ord("ё"): "е", ord("Ё"): "Е", ord("’"): "'", ord("。"): ".", ord("、"): ","}


def plain(text: str) -> str:
    """`text` with plain letters and marks, as the rows are searched in it; of the same length."""
    return text.translate(_plain_letters())


def search(name: str, text: str, code: str) -> re.Match[str] | None:
    """The first match of the rows called `name` in `text`, by its plain letters."""
    found = _first(name, text, code) if code in LANGUAGES else None
    return found[1] if found else None


def without_lead(text: str, code: str) -> str:
    """`text` without what it begins with before it says anything: “OK, also, please, …”."""
    for _ in range(_MOST_LEADS):
        lead = search("lead", text, code)
        if lead is None:
            break
        text = text[lead.end() :].lstrip()
    return text


def _first(signal: str, text: str, code: str) -> tuple[SignalRow, re.Match[str]] | None:
    folded = plain(text)
    for row in table(code).rows.get(signal, ()):
        if match := row.pattern.regex.search(folded):
            return row, match
    return None


def kind_of(text: str, code: str) -> str:
    """The kind of memory that a statement is: that of the first row that finds it, else by what the
    listener takes it for."""
    by_words = next(
        (
            found[0].kind or kind
            for signal, kind in (KINDS.items() if code in LANGUAGES else ())
            if (found := _first(signal, text, code))
        ),
        "",
    )
    return by_words or listener.KINDS.get(listener.heard(text).label, "fact")


def said(phrase: str, code: str, **values: object) -> str:
    """A phrase in a language with `values` filled in; in English for a language without phrases.

    Args:
        phrase: its key, such as `test` for how the tests are run.

    Raises:
        KeyError: the language has no such phrase.
    """
    return table(code if code in LANGUAGES else "en").phrases[phrase].format(**values)

"""Which conversations a list or a search is about, as SQL over an archive."""

from __future__ import annotations

from typing import Any, NamedTuple

from cortex_core.base import text

ANY = "1"
"""The condition that every conversation fulfils."""


class ConversationFilter(NamedTuple):
    """What conversations must have; what is empty asks for nothing."""

    branch: str = ""
    file: str = ""
    """A path in the project, a file's name, or a glob: conversations that changed it."""
    commit: str = ""
    """A commit's hash or the beginning of it: conversations that made it."""
    since: str | float | None = None
    """Ended then or later: Unix seconds, a date, or a span such as `2w`."""
    until: str | float | None = None
    """Began then or earlier."""


def condition(wanted: ConversationFilter, now: float) -> tuple[str, list[Any]]:
    """The condition over `c`, and its parameters.

    Raises:
        UsageError: a time that is none.
    """
    asked: list[tuple[str, list[Any]]] = []
    if wanted.branch:
        asked.append((_of_branch, [wanted.branch, wanted.branch]))
    if wanted.file:
        # SQLite's glob where it is one; one that matches nothing else for a plain path.
        is_glob = any(sign in wanted.file for sign in "*?[")
        glob = wanted.file.replace("**/", "*") if is_glob else ""
        asked.append((_of_file, [glob, wanted.file, f"%/{_escaped(wanted.file)}"]))
    if wanted.commit:
        commit = wanted.commit.strip().lower()
        asked.append((_of_commit, [f"{_escaped(commit[:10])}%", commit]))
    if wanted.since is not None:
        asked.append(("c.ended >= ?", [text.parse_time(wanted.since, now)]))
    if wanted.until is not None:
        asked.append(("c.started <= ?", [text.parse_time(wanted.until, now)]))
    where = " AND ".join(clause for clause, _ in asked) or ANY
    return where, [value for _, values in asked for value in values]


# Each has an index of its own, so that not all messages of a large archive are looked at.
_of_branch = """(c.branch = ? OR c.number IN (
    SELECT m.conversation FROM message m WHERE m.branch = ? AND m.branch <> ''))"""
_of_file = """c.number IN (SELECT m.conversation FROM message m WHERE m.kind = 'edit'
    AND (m.text GLOB ? OR m.text = ? OR m.text LIKE ? ESCAPE '\\'))"""
_of_commit = """c.number IN (SELECT m.conversation FROM message m
    WHERE m.kind = 'commit' AND (m.text LIKE ? ESCAPE '\\'
        OR ? LIKE substr(m.text, 1, instr(m.text, ' ') - 1) || '_%'))"""


def _escaped(words: str) -> str:
    """`words` for LIKE, taken to the letter."""
    for sign in "\\%_":
        words = words.replace(sign, f"\\{sign}")
    return words

"""Which conversations a list or a search is about, as SQL over an archive."""

from typing import Any

from cortex_core.base import agent_names, text

ANY = "1"
"""The condition that every conversation fulfils."""


def condition(
    now: float,
    *,
    branch: str = "",
    file: str = "",
    commit: str = "",
    agent: str = "",
    since: str | float | None = None,
    until: str | float | None = None,
) -> tuple[str, list[Any]]:
    """What conversations must have, as SQL over `c`, and its parameters; what is empty asks for
    nothing.

    Args:
        file: a path in the project, a file's name, or a glob: conversations that changed it.
        commit: a commit's hash or the beginning of it: conversations that made it.
        agent: one of `agent_names.LABELS`: conversations with it.
        since: ended then or later: Unix seconds, a date, or a span such as `2w`.
        until: began then or earlier.

    Raises:
        UsageError: a time that is none.
    """
    asked: list[tuple[str, list[Any]]] = []
    if branch:
        asked.append((_of_branch, [branch, branch]))
    if file:
        # SQLite's glob where it is one; one that matches nothing else for a plain path.
        is_glob = any(sign in file for sign in "*?[")
        glob = file.replace("**/", "*") if is_glob else ""
        asked.append((_of_file, [glob, file, f"%/{_escaped(file)}"]))
    if commit:
        commit = commit.strip().lower()
        asked.append((_of_commit, [f"{_escaped(commit[:10])}%", commit]))
    if agent:
        asked.append((agent_names.condition("c.transcript", agent), []))
    if since is not None:
        asked.append(("c.ended >= ?", [text.parse_time(since, now)]))
    if until is not None:
        asked.append(("c.started <= ?", [text.parse_time(until, now)]))
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

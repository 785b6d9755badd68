"""What a session needed to know, and which of it one line of a note says. Pure.

A need is something a session came to use that its first prompt did not name: a command it ran, a
file it read or changed, a name in existing code that it searched for or changed, a rule its user
stated, or a fact that an earlier session had taught already. It says nothing about whether the
session would have gone better with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from cortex_core.base.text import identifiers
from cortex_core.base.tools import CHANGING, ON_FILES, SHELLS
from cortex_core.extract.commits import relative
from cortex_core.extract.sources import FROM_PROMPT
from cortex_core.language import programs, shell
from cortex_core.records.events import Candidate, Event

NeedType = Literal["command", "file", "name", "rule", "fact"]
TYPES: tuple[NeedType, ...] = ("command", "file", "name", "rule", "fact")

SHORTEST_NAME = 4
"""Characters of the shortest name that counts: `e.g` and `id_` are none."""

MOST_WORDS = 3
"""Words of a command that are compared: the program, its subcommand and what that is about."""

Same = Callable[[str, str], bool]
"""Whether two texts say the same."""


class Need(NamedTuple):
    """One thing a session needed to know."""

    type: NeedType
    text: str
    """A command in its general form, a path below the project's folder, a name in lower case, or
    a statement as it was said."""


class Line(NamedTuple):
    """One line of a note."""

    text: str
    """As Claude Code is given it."""
    content: str
    """The whole memory it stands for."""


# --- commands

_GIT_EVERYDAY = frozenset(
    """
    add blame branch cat-file check-ignore checkout commit config count-objects describe diff
    diff-index fetch for-each-ref fsck grep log ls-files ls-remote ls-tree merge-base name-rev pull
    push reflog remote rev-list rev-parse shortlog show show-ref stash status switch symbolic-ref
    verify-pack
    """.split()
)
"""What git is asked in every project: its readers, and the steps that record and send work."""

_SUBCOMMAND = re.compile(r"[a-z][a-z.:-]{0,39}")
_BACKTICKS = re.compile(r"`([^`\n]+)`")


def commands(command: str) -> set[str]:
    """The commands of a shell line in general form, such as `go test` or `mise run test:ci`.

    At most `MOST_WORDS` words of each: options go, and so do arguments that are files, texts or
    values. A script that an interpreter runs is the command. Plumbing and git's everyday
    subcommands are left out.
    """
    return {made for one in shell.simple_commands(command) if (made := _general(one.words))}


def _general(words: Sequence[str]) -> str:
    """The general form of a simple command; empty for plumbing."""
    words = words[shell.unwrapped(words) :]
    if not words:
        return ""
    program, rest = words[0], words[1:]
    if program.rsplit("/", 1)[-1] in programs.INTERPRETERS:
        program, rest = _script(rest)
    if program.startswith(("/", "~", "$")):
        program = program.rsplit("/", 1)[-1]
    if program == "git":
        rest = _without_git_options(rest)
    is_everyday = program == "git" and (not rest or rest[0] in _GIT_EVERYDAY)
    if is_everyday or program in programs.PLUMBING or not re.search(r"[A-Za-z]", program):
        return ""
    plain = [word for word in rest if _is_plain(word)]
    return " ".join((program.removeprefix("./"), *plain)[:MOST_WORDS]).casefold()


def _script(rest: Sequence[str]) -> tuple[str, Sequence[str]]:
    """What an interpreter runs, and its arguments; nothing for code on the command line."""
    for place, word in enumerate(rest):
        if word == "-m" and rest[place + 1 :]:
            return rest[place + 1], rest[place + 2 :]
        if word in ("-c", "-e", "-lc", "-"):
            return "", []
        if not word.startswith("-"):
            return word, rest[place + 1 :]
    return "", []


def _without_git_options(rest: Sequence[str]) -> Sequence[str]:
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-C", "-c") else rest[1:]
    return rest


def _is_plain(word: str) -> bool:
    """Whether an argument is part of what the command does, not an option, a file or a value."""
    return bool(_SUBCOMMAND.fullmatch(word)) and not shell.is_file(word)


# --- needs


def needs(
    events: Sequence[Event],
    candidates: Iterable[Candidate],
    known: Sequence[str],
    same: Same,
) -> list[Need]:
    """What a session needed that its first prompt did not say, each once, in a fixed order.

    Args:
        events: the session's, in order.
        candidates: what extraction keeps or suggests of it.
        known: what earlier sessions had taught.
    """
    first = next((event for event in events if event.role == "human"), Event(role="human"))
    root = next((event.cwd for event in events if event.cwd), "")
    found: dict[Need, None] = {}
    for event in events:
        if event.role == "tool_use":
            found.update(dict.fromkeys(sorted(_of_tool(event, root))))
    asked = first.text.casefold()
    needed = [need for need in found if not _holds(asked, _shortest(need))]
    for one in candidates:
        if one.message in {first.uuid, first.message} - {""}:
            continue
        if one.rule.startswith(FROM_PROMPT):
            needed.append(Need("rule", one.content))
        elif any(same(one.content, content) for content in known):
            needed.append(Need("fact", one.content))
    return list(dict.fromkeys(needed))


def _of_tool(event: Event, root: str) -> Iterator[Need]:
    """The commands, files and names of one tool call."""
    given = event.input
    if event.tool in SHELLS:
        for one in commands(str(given.get("command", ""))):
            yield Need("command", one)
    path = given.get("file_path")
    if event.tool in ON_FILES and isinstance(path, str):
        below = relative(path, root) or relative(path, event.cwd)
        if below:
            yield Need("file", below.casefold())
    for one in identifiers("\n".join(_searched_or_changed(event.tool, given))):
        if len(one) >= SHORTEST_NAME:
            yield Need("name", one)


def _searched_or_changed(tool: str, given: Mapping[str, Any]) -> Iterator[str]:
    """Words of existing code that a search looks for or an edit replaces; not what is new."""
    if tool == "Grep":
        yield str(given.get("pattern", "")).replace("\\", " ")
    edits = given.get("edits")
    for one in (given, *(edits if isinstance(edits, list) else ())):
        if tool in CHANGING and isinstance(one, Mapping):
            yield str(one.get("old_string", ""))


def _shortest(need: Need) -> str:
    """The shortest words by which a prompt names the need."""
    return need.text.rsplit("/", 1)[-1] if need.type == "file" else need.text


def _holds(text: str, words: str) -> bool:
    """Whether `text` has `words`, not as a part of longer ones; both casefolded."""
    return bool(re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-]|[.:/]\w)", text))


# --- what a line says


_PATH = re.compile(r"[\w@+-][\w@.+/\[\]-]*\.[a-z]\w{0,7}(?!\w)")


def met(line: Line, needed: Iterable[Need], same: Same) -> set[Need]:
    """Those of `needed` that the line says; the line is used when there is one.

    A command counts where the line has it in backticks or, from two words on, anywhere; a file by
    its path or the end of it; a name as a word; a rule and a fact where the memory says the same.
    """
    text = line.text.casefold()
    quoted = {one for span in _BACKTICKS.findall(text) for one in commands(span)}
    paths = {match.strip("./") for match in _PATH.findall(text)}
    names = identifiers(line.text)
    return {
        need
        for need in needed
        if (need.type == "command" and _says_command(text, quoted, need.text))
        or (need.type == "file" and any(f"/{need.text}".endswith(f"/{path}") for path in paths))
        or (need.type == "name" and need.text in names)
        or (need.type in ("rule", "fact") and same(line.content, need.text))
    }


def _says_command(text: str, quoted: set[str], command: str) -> bool:
    return command in quoted or (" " in command and _holds(text, command))

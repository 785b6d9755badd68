"""What a tool call does: which commands it runs, which files it touches, which text it writes."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cortex_core.base.tools import READ, SHELLS, path_of
from cortex_core.language import programs, shell
from cortex_core.triggers import shell_runs
from cortex_core.triggers.shell_runs import ShellRun

_TEXTS = ("new_string", "content", "command")
"""Arguments of tools whose text is written."""


class Call(NamedTuple):
    """A tool call, as triggers see it."""

    tool: str
    runs: tuple[ShellRun, ...] = ()
    """The commands that it runs."""
    changed: tuple[str, ...] = ()
    """Files that it changes: relative to the project's top, with `/`; outside of it absolute, or
    with `~` for the home folder."""
    read: tuple[str, ...] = ()
    written: str = ""
    """The text that it writes, and the command's own."""


def read(tool: str, tool_input: Mapping[str, Any], folder: str = "", top: str = "") -> Call:
    """What a tool call does.

    Args:
        folder: where the session is, absolute; commands start there.
        top: the project's top folder, absolute; empty for none.
    """
    written = "\n".join(text for one in _written(tool, tool_input) for text in _texts_in(one))
    if tool in SHELLS:
        line = tool_input.get("command")
        runs = tuple(shell_runs.runs(line)) if isinstance(line, str) else ()
        changed = tuple(path for run in runs for path in changed_by(run, folder, top))
        read = tuple(path for run in runs for path in read_by(run, folder, top))
        return Call(tool, runs, changed, read, written)
    path = path_of(tool, tool_input)
    named = (_relative(posixpath.join(folder, path), top),) if path else ()
    return Call(tool, (), () if tool == READ else named, named, written)


def _written(tool: str, tool_input: Mapping[str, Any]) -> Iterator[object]:
    """The arguments whose text is written; of a tool of a server, all that it is given."""
    if tool.startswith("mcp__"):
        return iter((tool_input,))
    edits = tool_input.get("edits")
    changed = (
        [edit for edit in edits if isinstance(edit, Mapping)] if isinstance(edits, list) else []
    )
    values = [*map(tool_input.get, _TEXTS), *(edit.get("new_string") for edit in changed)]
    return (value for value in values if isinstance(value, str))


def _texts_in(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < 6 and isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(each, depth + 1)


def changed_by(run: ShellRun, folder: str, top: str) -> tuple[str, ...]:
    """The files that a command changes, as far as its words say; as those of a `Call`."""
    return tuple(_placed(path, run, folder, top) for path in _changes(run))


def read_by(run: ShellRun, folder: str, top: str) -> tuple[str, ...]:
    """The files that a command prints; as those of a `Call`."""
    program, *rest = run.words
    named = [word for word in rest if not word.startswith("-")]
    return tuple(_placed(one, run, folder, top) for one in named if program in programs.PRINTERS)


def _changes(run: ShellRun) -> Sequence[str]:
    program, *rest = run.words
    named = [word for word in rest if not word.startswith("-")]
    found: Sequence[str] = ()
    if program in programs.COPIERS:
        found = _targets(named)
    elif program in programs.WRITERS or (
        program in ("sed", "perl")
        and any(word.startswith(("-i", "-pi", "--in-place")) for word in rest)
    ):
        found = named
    elif program in programs.OUTPUT_OPTIONS:
        found = shell.option(run.words, *programs.OUTPUT_OPTIONS[program])
    elif program == "dd":
        found = [word[3:] for word in rest if word.startswith("of=")]
    elif program == "git" and rest[:1] and rest[0] in ("rm", "mv", "restore", "checkout"):
        # `git checkout -b` makes a branch, and changes no file.
        found = [] if rest[0] == "checkout" and {"-b", "-B"} & set(rest) else named[1:]
    return (*run.written, *found)


def _targets(named: Sequence[str]) -> list[str]:
    """What a copy of files to the last one writes."""
    *sources, target = named or [""]
    if target.endswith("/") or len(sources) > 1:
        return [posixpath.join(target, posixpath.basename(one.rstrip("/"))) for one in sources]
    return [target] if sources else []


def _placed(path: str, run: ShellRun, folder: str, top: str) -> str:
    """`path` of a command, relative to the project's top where it is below it."""
    if path.startswith("~/") or (run.folder is None and not posixpath.isabs(path)):
        return path
    return _relative(posixpath.join(folder, run.folder or "", path), top)


def _relative(path: str, top: str) -> str:
    full = posixpath.normpath(path)
    home = os.environ.get("HOME") or os.environ.get("USERPROFILE", "")
    for folder, name in ((top, ""), (home, "~/")):
        inside = posixpath.join(folder, "")
        if folder and full.startswith(inside):
            return name + full[len(inside) :]
    return full

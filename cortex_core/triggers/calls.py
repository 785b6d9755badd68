"""What a tool call does: which commands it runs, which files it touches, which text it writes."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    written = "\n".join(_written(tool, tool_input))
    if tool in SHELLS:
        line = tool_input.get("command")
        runs = tuple(shell_runs.runs(line)) if isinstance(line, str) else ()
        changed = tuple(path for run in runs for path in changed_by(run, folder, top))
        read = tuple(path for run in runs for path in read_by(run, folder, top))
        return Call(tool, runs, changed, read, written)
    path = path_of(tool, tool_input)
    named = (_relative(posixpath.join(folder, path), top),) if path else ()
    return Call(tool, (), () if tool == READ else named, named, written)


def _written(tool: str, tool_input: Mapping[str, Any]) -> Iterator[str]:
    if tool.startswith("mcp__"):
        yield from _texts_in(tool_input, 0)
        return
    yield from (value for name in _TEXTS if isinstance(value := tool_input.get(name), str))
    edits = tool_input.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        value = edit.get("new_string") if isinstance(edit, Mapping) else None
        if isinstance(value, str):
            yield value


def _texts_in(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < 6 and isinstance(value, Mapping | list):
        inner: Iterable[object] = value.values() if isinstance(value, Mapping) else value
        for each in inner:
            yield from _texts_in(each, depth + 1)


def changed_by(run: ShellRun, folder: str, top: str) -> tuple[str, ...]:
    """The files that a command changes, as far as its words say; as those of a `Call`."""
    return tuple(_placed(path, run, folder, top) for path in _changes(run))


def read_by(run: ShellRun, folder: str, top: str) -> tuple[str, ...]:
    """The files that a command prints; as those of a `Call`."""
    return tuple(_placed(path, run, folder, top) for path in _reads(run))


def _changes(run: ShellRun) -> Iterator[str]:
    yield from run.written
    program, *rest = run.words
    edits_in_place = program in ("sed", "perl") and any(
        word.startswith(("-i", "-pi", "--in-place")) for word in rest
    )
    named = [word for word in rest if not word.startswith("-")]
    if program in programs.COPIERS:
        yield from _targets(named)
    elif program in programs.WRITERS or edits_in_place:
        yield from named
    elif program in programs.OUTPUT_OPTIONS:
        yield from shell.option(run.words, *programs.OUTPUT_OPTIONS[program])
    elif program == "dd":
        yield from (word[3:] for word in rest if word.startswith("of="))
    elif program == "git" and rest[:1] == ["checkout"] and {"-b", "-B"} & set(rest):
        return
    elif program == "git" and rest[:1] and rest[0] in ("rm", "mv", "restore", "checkout"):
        yield from (word for word in rest[1:] if not word.startswith("-"))


def _targets(named: Sequence[str]) -> Iterator[str]:
    """What a copy of files to the last one writes."""
    *sources, target = named or [""]
    if target.endswith("/") or len(sources) > 1:
        yield from (posixpath.join(target, posixpath.basename(one.rstrip("/"))) for one in sources)
    elif sources:
        yield target


def _reads(run: ShellRun) -> Iterator[str]:
    if run.words[0] in ("cat", "head", "tail", "less", "bat", "nl"):
        yield from (word for word in run.words[1:] if not word.startswith("-"))


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

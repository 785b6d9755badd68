"""What a tool call does: which commands it runs, which files it touches, which text it writes."""

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from cortex_core.base.tools import READ, SHELLS, path_of
from cortex_core.language import programs, shell
from cortex_core.triggers import git_calls, shell_runs
from cortex_core.triggers.shell_runs import ShellRun


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
    """The text that it writes, and the command's own, but for what only looks for something."""
    removed: str = ""
    """The text that an edit takes out."""
    top: str = ""
    """The project's top folder, absolute; empty for none, or where its files are not looked at."""


def read(
    tool: str,
    tool_input: Mapping[str, Any],
    folder: str = "",
    top: str = "",
    branch_of: Callable[[str], str] = lambda folder: "",
) -> Call:
    """What a tool call does.

    Args:
        folder: where the session is, absolute; commands start there.
        top: the project's top folder, absolute; empty for none.
        branch_of: the branch that is checked out in a folder; empty if it is not known.
    """
    if tool in SHELLS:
        line = tool_input.get("command")
        line = line if isinstance(line, str) else ""
        runs = tuple(with_git(shell_runs.runs(line), folder, top, branch_of))
        changed = tuple(path for run in runs for path in changed_by(run, folder, top))
        read = tuple(path for run in runs for path in read_by(run, folder, top))
        return Call(tool, runs, changed, read, _said(line), top=top)
    edits = tool_input.get("edits")
    parts = [tool_input, *(edits if isinstance(edits, list) else ())]
    given = [part for part in parts if isinstance(part, Mapping)]
    # Of a tool of a server all that it is given may be written.
    is_own = not tool.startswith("mcp__")
    written = (
        [part.get(name) for part in given for name in ("new_string", "content")]
        if is_own
        else [tool_input]
    )
    removed = [part.get("old_string") for part in given]
    path = path_of(tool, tool_input)
    named = (_relative(posixpath.join(folder, path), top),) if path else ()
    changed = () if tool == READ else named
    return Call(tool, (), changed, named, _joined(written), _joined(removed * is_own), top)


def with_git(
    runs: Iterable[ShellRun], folder: str, top: str, branch_of: Callable[[str], str]
) -> Iterator[ShellRun]:
    """The commands, those of git with what they push and stage; arguments as of `read`."""
    moved = ""
    for run in runs:
        if run.words[0] != "git":
            yield run
            continue
        subcommand, rest, of = git_calls.parts(run.words)
        where = None if run.folder is None else posixpath.join(folder, run.folder, of)
        if subcommand == "push":
            # What the line checked out itself counts before what is checked out by now.
            here = moved or (branch_of(posixpath.normpath(where)) if where else "")
            run = run._replace(pushes=tuple(git_calls.pushes(rest, here)))
        elif subcommand in ("commit", "merge") and where:
            here = moved or branch_of(posixpath.normpath(where))
            run = run._replace(fed=f"branch:{here}")
        if taken := git_calls.staged(subcommand, rest):
            at = run._replace(
                folder=None if where is None else posixpath.join(run.folder or "", of)
            )
            run = run._replace(staged=tuple(_placed(one, at, folder, top) for one in taken))
        moved = git_calls.moves_to(subcommand, rest) or moved
        yield run


def _said(line: str) -> str:
    """A line of a shell without the commands that only look for a text, or run the code in it:
    `node -e "console.log(…)"` writes no file."""
    if "<<" in line:
        return "" if _CODE_RUNNERS.intersection(line.partition("<<")[0].split()[-2:]) else line
    return "\n".join(
        " ".join(words)
        for words in (one.words for one in shell.simple_commands(line))
        if words[0] not in _SEEKING and " ".join(words[:2]) not in _SEEKING and not runs_code(words)
    )


_SEEKING = programs.SEARCHERS - {"sed", "awk", "yq"} | {"git log", "git grep", "git show"}
"""Commands of which no text is written."""
_CODE_RUNNERS = programs.INTERPRETERS - programs.SHELLS


def runs_code(words: Sequence[str]) -> bool:
    """Whether a command runs the code that it is given: what that says is written nowhere."""
    return words[0] in _CODE_RUNNERS and {"-", "-c", "-e", "-p"}.issuperset(words[1:2])


def _joined(values: Iterable[object]) -> str:
    return "\n".join(text for value in values for text in _texts_in(value))


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
    """The files that a command prints or loads; as those of a `Call`."""
    program, *rest = run.words
    named = [word for word in rest if not word.startswith("-")]
    # Before its files a searcher has what it looks for.
    named = named[1:] if program in programs.SEARCHERS else named
    is_reader = program in programs.PRINTERS or program in programs.SEARCHERS
    return tuple(_placed(one, run, folder, top) for one in named if is_reader)


def _changes(run: ShellRun) -> Sequence[str]:
    program, *rest = run.words
    named = [word for word in rest if not word.startswith("-")]
    found: Sequence[str] = ()
    if program in programs.COPIERS:
        found = _targets(named)
    elif program in programs.WRITERS or (
        program in ("sed", "perl", "yq", "gawk")
        and any(word.startswith(("-i", "-pi", "--in-place", "--inplace")) for word in rest)
    ):
        found = named
    elif program in programs.OUTPUT_OPTIONS:
        found = shell.option(run.words, *programs.OUTPUT_OPTIONS[program])
    elif program == "dd":
        found = [word[3:] for word in rest if word.startswith("of=")]
    elif program == "git":
        subcommand, rest, of = git_calls.parts(run.words)
        # `git checkout -b` makes a branch, and changes no file.
        is_change = subcommand in ("rm", "mv", "restore", "checkout")
        if is_change and not (subcommand == "checkout" and {"-b", "-B"} & set(rest)):
            named = [word for word in rest if not word.startswith("-")]
            found = [posixpath.join(of, word) for word in named]
    if run.within[:1] == ("find",):
        # `find src -exec sed -i … {}` changes what it finds below its folders.
        below = list(takewhile(lambda word: word[:1] not in ("-", "(", "!"), run.within[1:]))
        found = [each for one in found for each in (below if one == "{}" else [one])]
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

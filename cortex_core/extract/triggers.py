"""Triggers: the tool calls at which a rule is to be recalled, and whether a call is one of them.

A trigger is one line, in the form of Claude Code's own permission rules:

- `Bash(git push --force)`: a command with this program, subcommands and options, anywhere in
  the line, and however it is quoted, wrapped or spelt;
- `Edit(src/**/*.sql)`, `Read(docs/**)`: a file that is changed or read, by a tool or a command;
- `Text(Co-Authored-By)`: a text that is written: into a file, a commit message or another system;
- `mcp__github__create_*`: a tool by its name.

`!` in front says that such a call breaks the rule; otherwise it is an occasion to keep it.
` unless Bash(…)` takes out what is right, and ` after Bash(…)` says what has to come first.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from cortex_core.base import globs
from cortex_core.base.errors import UsageError
from cortex_core.base.tools import READING, SHELLS, path_of
from cortex_core.extract import shell_runs
from cortex_core.extract.shell_runs import Run
from cortex_core.language import shell

MOST = 8
"""Triggers of one memory."""

LONGEST = 200
"""Characters of a trigger."""

_FORM = re.compile(
    r"(?P<breaks>!)?\s*(?:(?P<tool>Bash|Edit|Read|Text)\((?P<pattern>.+?)\)|(?P<mcp>mcp__[\w*.-]+))"
    r"(?:\s+unless\s+Bash\((?P<unless>.+?)\))?(?:\s+after\s+Bash\((?P<after>.+?)\))?",
)
_TEXTS = ("new_string", "content", "new_source", "command")
"""Arguments of tools whose text is written."""

_WRITERS = frozenset("chmod chown mkdir mv patch rm rmdir tee touch truncate".split())
"""Programs whose arguments are files that they change."""

_COPIERS = frozenset("cp install ln rsync".split())
"""Programs that write what their last argument names."""

_OUTPUT = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "sort": ("-o", "--output"),
}
"""Options that name a file which a program writes."""

_SHORT = {
    ("rm", "--recursive"): "-r",
    ("rm", "-R"): "-r",
    ("rm", "--force"): "-f",
    ("grep", "--recursive"): "-r",
    ("grep", "-R"): "-r",
    ("git", "--set-upstream"): "-u",
    ("git", "--force"): "-f",
    ("git", "--all"): "-a",
    ("npm", "--global"): "-g",
    ("npm", "--save-dev"): "-D",
    ("docker", "--force"): "-f",
    ("pytest", "--exitfirst"): "-x",
    ("chmod", "--recursive"): "-R",
    ("cp", "--recursive"): "-r",
}
"""Long options by their short form."""

_SHORT_OF_SUBCOMMAND = {("git", "commit", "-n"): "--no-verify"}
"""Short options that mean this long one for one subcommand only."""

_ANY_FILES = ("README", "src/a.py", "docs/b/c.html")
_ANY_TOOLS = ("mcp__a__b", "mcp__c_d__e_f")
"""Files and tools that have nothing in common."""

_SUBCOMMAND = {
    ("npm", "i"): "install",
    ("npm", "in"): "install",
    ("npm", "add"): "install",
    ("npm", "t"): "test",
    ("npm", "run-script"): "run",
    ("npm", "un"): "uninstall",
    ("pnpm", "i"): "install",
    ("yarn", "i"): "install",
    ("bun", "i"): "install",
    ("cargo", "t"): "test",
    ("cargo", "b"): "build",
    ("cargo", "r"): "run",
}
"""Subcommands by their short names."""


class Trigger(NamedTuple):
    """One trigger."""

    tool: str
    """`Bash`, `Edit`, `Read`, `Text`, or an MCP tool's name, in which `*` means any letters."""
    pattern: str = ""
    breaks: bool = False
    """Whether a call that matches breaks the rule."""
    unless: str = ""
    """A command that is right although it matches."""
    after: str = ""
    """The command that must have succeeded since the last change of a file."""

    def __str__(self) -> str:
        name = f"{self.tool}({self.pattern})" if self.pattern else self.tool
        unless = f" unless Bash({self.unless})" if self.unless else ""
        after = f" after Bash({self.after})" if self.after else ""
        return f"{'!' if self.breaks else ''}{name}{unless}{after}"


class Call(NamedTuple):
    """A tool call, as triggers see it."""

    tool: str
    runs: tuple[Run, ...] = ()
    """The commands that it runs."""
    changed: tuple[str, ...] = ()
    """Files that it changes: relative to the project's top, with `/`; outside of it absolute, or
    with `~` for the home folder."""
    read: tuple[str, ...] = ()
    written: str = ""
    """The text that it writes, and the command's own."""


def parse(text: str) -> Trigger:
    """The trigger that a line states.

    Raises:
        UsageError: it is none.
    """
    line = " ".join(text.split())
    match = _FORM.fullmatch(line) if len(line) <= LONGEST else None
    if match is None or (match["tool"] == "Bash" and "*" in program_of(match["pattern"])):
        raise UsageError(
            f"“{line[:80]}” is not a trigger. Nothing was changed. Write Bash(git push --force), "
            "Edit(src/**), Read(docs/**), Text(Co-Authored-By) or mcp__server__tool; with ! in "
            "front if such a call breaks the rule."
        )
    return Trigger(
        match["tool"] or match["mcp"],
        match["pattern"] or "",
        bool(match["breaks"]),
        match["unless"] or "",
        match["after"] or "",
    )


def program_of(pattern: str) -> str:
    """The program of a pattern of a command."""
    return pattern.split(" ")[0].removesuffix(":*")


@lru_cache(maxsize=2048)
def parsed(line: str) -> Trigger | None:
    """The trigger that a stored line states; None where it states none."""
    try:
        return parse(line)
    except UsageError:
        return None


def meaning(trigger: Trigger) -> str:
    """What a trigger means, in a sentence for the user."""
    does = {
        "Bash": f"runs {trigger.pattern}",
        "Edit": f"changes {trigger.pattern}",
        "Read": f"reads {trigger.pattern}",
        "Text": f"writes “{trigger.pattern}”",
    }.get(trigger.tool, f"calls {trigger.tool}")
    unless = f", unless it is {trigger.unless}," if trigger.unless else ""
    follows = "breaks the rule" if trigger.breaks else "is an occasion for it"
    after = f"; {trigger.after} has to come first" if trigger.after else ""
    return f"A call that {does}{unless} {follows}{after}."


def is_of_every_call(trigger: Trigger) -> bool:
    """Whether a trigger means every call of its tool, and so says nothing about any."""
    if trigger.tool in ("Edit", "Read"):
        return all(globs.matches(path, trigger.pattern) for path in _ANY_FILES)
    if trigger.tool == "Text":
        return not re.search(r"\w\w", trigger.pattern)
    return trigger.tool != "Bash" and all(
        _tool_name(trigger.tool).fullmatch(name) for name in _ANY_TOOLS
    )


# --- calls


def call(tool: str, tool_input: Mapping[str, Any], folder: str = "", top: str = "") -> Call:
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
    return Call(tool, (), () if tool in READING else named, named, written)


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


def changed_by(run: Run, folder: str, top: str) -> tuple[str, ...]:
    """The files that a command changes, as far as its words say; as those of a `Call`."""
    return tuple(_placed(path, run, folder, top) for path in _changes(run))


def read_by(run: Run, folder: str, top: str) -> tuple[str, ...]:
    """The files that a command prints; as those of a `Call`."""
    return tuple(_placed(path, run, folder, top) for path in _reads(run))


def _changes(run: Run) -> Iterator[str]:
    yield from run.written
    program, *rest = run.words
    edits_in_place = program in ("sed", "perl") and any(
        word.startswith(("-i", "-pi", "--in-place")) for word in rest
    )
    named = [word for word in rest if not word.startswith("-")]
    if program in _COPIERS:
        yield from _targets(named)
    elif program in _WRITERS or edits_in_place:
        yield from named
    elif program in _OUTPUT:
        yield from shell.option(run.words, *_OUTPUT[program])
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


def _reads(run: Run) -> Iterator[str]:
    if run.words[0] in ("cat", "head", "tail", "less", "bat", "nl"):
        yield from (word for word in run.words[1:] if not word.startswith("-"))


def _placed(path: str, run: Run, folder: str, top: str) -> str:
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


# --- matching


def matches(trigger: Trigger, called: Call) -> bool:
    """Whether a call is one that the trigger means."""
    if trigger.tool == "Bash":
        return any(
            means(trigger.pattern, run.words) and not is_exempt(trigger, run) for run in called.runs
        )
    if trigger.tool in ("Edit", "Read"):
        paths = called.changed if trigger.tool == "Edit" else called.read
        return any(_is_path(path, trigger.pattern) for path in paths)
    if trigger.tool == "Text":
        return bool(called.written) and bool(phrase(trigger.pattern).search(called.written))
    return bool(_tool_name(trigger.tool).fullmatch(called.tool))


def _is_path(path: str, pattern: str) -> bool:
    """Whether a glob means a file: in the project, in the home folder (`~/…`), or anywhere."""
    for outside in ("~/", "/"):
        if pattern.startswith(outside):
            rest = outside[:-1]
            return path.startswith(outside) and globs.matches(
                path.removeprefix(outside), pattern.removeprefix(rest)
            )
    return globs.matches(path, pattern)


def matching(lines: Iterable[str], called: Call) -> Iterator[Trigger]:
    """Those of the triggers that stored `lines` state which mean the call."""
    for line in lines:
        if (trigger := parsed(line)) and matches(trigger, called):
            yield trigger


def means(pattern: str, words: Sequence[str]) -> bool:
    """Whether a command is what a pattern such as `git push --force` names.

    The program is the same, the subcommands come first and in this order, the options come
    anywhere, in their long or short form, alone or together.
    """
    wanted = pattern.split()
    program = program_of(pattern)
    if not words or words[0] != program:
        return False
    given = [_SUBCOMMAND.get((program, word), word) for word in words[1:]]
    asked = [_SUBCOMMAND.get((program, word), word) for word in wanted[1:]]
    options = [word for word in asked if word.startswith("-")]
    rest = [word for word in asked if not word.startswith("-")]
    return _comes_first(rest, given) and _has_options(program, rest, options, given)


def is_exempt(trigger: Trigger, run: Run) -> bool:
    """Whether a command is what the trigger takes out with `unless`."""
    return bool(trigger.unless) and (
        means(trigger.unless, run.words) or means(trigger.unless, run.within)
    )


def _comes_first(wanted: list[str], given: list[str]) -> bool:
    """Whether the subcommands come before any other word; an option may take the word after it."""
    place = 0
    for number, word in enumerate(given):
        if place == len(wanted):
            break
        if word.startswith("-"):
            continue
        if _is_word(wanted[place], word):
            place += 1
        elif not (number and given[number - 1].startswith("-")):
            return False
    return place == len(wanted)


def _is_word(wanted: str, word: str) -> bool:
    """Whether an argument is the one that is meant: `*` means any letters, and `:*` at the end
    anything that follows the word, or nothing."""
    if wanted.endswith(":*") and word == wanted[:-2]:
        return True
    if "*" in wanted:
        return bool(_tool_name(wanted).fullmatch(word))
    return word == wanted or word.removeprefix("./") == wanted.removeprefix("./")


def _has_options(program: str, rest: list[str], options: list[str], given: list[str]) -> bool:
    known: set[str] = set()
    for word in given:
        if word == "--":
            break
        if word.startswith("--"):
            known.add(_SHORT.get((program, word.partition("=")[0]), word.partition("=")[0]))
        elif word.startswith("-") and len(word) > 1:
            known.add(_SHORT.get((program, word), word))
            known.update(_SHORT.get((program, f"-{letter}"), f"-{letter}") for letter in word[1:])
        elif word.startswith("+") and (program, *rest[:1]) == ("git", "push"):
            known.add("-f")  # a ref that is pushed by force
        if (program, *rest[:1], word) == ("git", "add", "--all"):
            known.add("-A")
    known |= {
        long
        for (of, subcommand, short), long in _SHORT_OF_SUBCOMMAND.items()
        if of == program and subcommand in rest and short in known
    }
    return all(_is_given(program, option, known) for option in options)


def _is_given(program: str, option: str, known: set[str]) -> bool:
    option = option.partition("=")[0]
    if _SHORT.get((program, option), option) in known:
        return True
    letters = option[1:]
    is_cluster = option.startswith("-") and not option.startswith("--") and len(letters) > 1
    return is_cluster and all(
        _SHORT.get((program, f"-{letter}"), f"-{letter}") in known for letter in letters
    )


@lru_cache(maxsize=1024)
def _tool_name(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


@lru_cache(maxsize=1024)
def phrase(pattern: str) -> re.Pattern[str]:
    """What finds the text that a `Text` trigger names, whatever its case and spaces."""
    words = r"\s+".join(map(re.escape, pattern.split()))
    before = r"(?<!\w)" if pattern[:1].isalnum() else ""
    after = r"(?!\w)" if pattern[-1:].isalnum() else ""
    return re.compile(before + words + after, re.IGNORECASE)

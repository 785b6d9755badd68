"""Whether a tool call is one that a trigger means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cortex_core.base import globs
from cortex_core.triggers.calls import Call
from cortex_core.triggers.shell_runs import ShellRun
from cortex_core.triggers.syntax import Trigger, parsed, phrase, program_of, spelling

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
    return bool(spelling(trigger.tool).fullmatch(called.tool))


def _is_path(path: str, pattern: str) -> bool:
    """Whether a glob means a file: in the project, in the home folder (`~/…`), or anywhere."""
    for outside in ("~/", "/"):
        if pattern.startswith(outside):
            rest = outside[:-1]
            return path.startswith(outside) and globs.matches(
                path.removeprefix(outside), pattern.removeprefix(rest)
            )
    return globs.matches(path, pattern)


def hits(lines: Iterable[str], called: Call) -> Iterator[Trigger]:
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


def is_exempt(trigger: Trigger, run: ShellRun) -> bool:
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
        return bool(spelling(wanted).fullmatch(word))
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

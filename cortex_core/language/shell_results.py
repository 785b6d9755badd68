"""What a shell line shows about how each of its commands ended."""

import re
from collections.abc import Sequence
from itertools import dropwhile

from cortex_core.language import programs, shell
from cortex_core.language.patterns import Pattern

KEYWORDS = frozenset("case do elif else for function if select then until while { !".split())
SILENT = ("", "(Bash completed with no output)")
"""The output of a line that printed nothing."""
WENT_ON = Pattern(
    "a command that runs on",
    r"^Command (?:is )?(?:running|was \w+ backgrounded|did not complete)",
    finds="Command running in background",
    spares="Command failed",
    flags=0,
)
SAYS_FAILED = Pattern(
    "what only tools print: a pipe hides how its first command ended",
    r"^\W{0,12}(?:error|fatal|fail(?:ed|ure)?)\b|\bexit(?:ed)? (?:with )?(?:code|status) [1-9]"
    r"|\b[1-9]\d{0,6} (?:failed|failing|failures?|errors?)\b|\bELIFECYCLE\b|\bERR!|\*\*\* \["
    r"|command not found",
    finds="3 failed, 2 passed",
    spares="0 failed, 5 passed",
    flags=re.IGNORECASE | re.MULTILINE,
)
NO_FOLDER = Pattern(
    "a folder that is not there",
    r"\bcd\b[^\n]{0,300}(?:no such file|not a directory)",
    finds="bash: cd: docs: No such file or directory",
    spares="cat: docs: No such file",
)


def judged(
    parts: Sequence[shell.Simple], output: str, failed: bool
) -> tuple[list[list[shell.Simple]], list[bool | None]]:
    """The pipes of a line, and whether each worked; None where the line does not show it.

    Args:
        parts: the simple commands of the line, in order.
        failed: whether the whole line reported an error.
    """
    pipes: list[list[shell.Simple]] = [[]]
    for part in parts:
        pipes[-1].append(part)
        if part.operator != "|":
            pipes.append([])
    pipes = [pipe for pipe in pipes if pipe]
    ends = [pipe[-1].operator for pipe in pipes[:-1]]
    # Only what follows the last `;` or `&` decides how the line ended.
    last = max((place + 1 for place, end in enumerate(ends) if end in (";", "&")), default=0)
    results: list[bool | None] = [None] * len(pipes)
    if "||" in ends[last:]:
        return pipes, results
    if not failed:
        # A pipe ends as its last command does, so what it hides shows only in what is printed; an
        # output is long, and most lines have no pipe.
        has_pipe = any(len(pipe) > 1 for pipe in pipes[last:])
        says_failed = has_pipe and bool(SAYS_FAILED.regex.search(output))
        results[last:] = [len(pipe) == 1 or not says_failed or None for pipe in pipes[last:]]
    elif not NO_FOLDER.regex.search(output):
        blamed = [place for place in range(last, len(pipes)) if not is_plumbing(pipes[place][0])]
        if len(blamed) == 1 and len(pipes[blamed[0]]) == 1:
            results[blamed[0]] = False
    return pipes, results


def does_something(one: shell.Simple) -> bool:
    """Whether a command changes or proves anything; others only show something."""
    words = one.words[shell.unwrapped(one.words) :]
    if not words:
        return False
    name = words[0].rsplit("/", 1)[-1]
    if name == "xargs":
        run = dropwhile(lambda word: word.startswith("-"), words[1:])
        return does_something(one._replace(words=tuple(run)))
    if words[1:2] == ("-C",):  # the folder that `git` is to work in
        words = (name, *words[3:])
    # What a redirection leaves in a file for the moment is read by the next command.
    if any(not target.startswith(("/dev/", "/tmp/", "/private/", "$")) for target in one.targets):
        return True
    if name in programs.LOOKERS:
        return name == "sed" and any(word.startswith("-i") for word in words)
    if name in programs.INTERPRETERS - programs.SHELLS:  # code of the moment, not a script
        return not {"-c", "-e", "-"}.intersection(words) and len(words) > 1
    return programs.SHOWING.get(name, frozenset()).isdisjoint(words[1:3])


def is_plumbing(one: shell.Simple) -> bool:
    """Whether a command only looks, waits, or moves text and files."""
    words = one.words[shell.unwrapped(one.words) :]
    return not words or words[0] in programs.PLUMBING

"""A trigger: the tool calls at which a rule is to be recalled, as one line.

A trigger is one line, in the form of Claude Code's own permission rules:

- `Bash(git push --force)`: a command with this program, subcommands and options, anywhere in
  the line, and however it is quoted, wrapped or spelt;
- `Edit(src/**/*.sql)`, `Read(docs/**)`: a file that is changed or read, by a tool or a command;
  `Edit(+docs/**)` one that is made;
- `Push(main)`, `Push(+*)`: a push to this branch, however it is spelt; with `+` one by force;
- `Commit(.env)`: a file that is staged or committed; `Edit(*.ts|*.tsx)`: one of several;
- `Text(Co-Authored-By)`: a text that is written: into a file, a commit message or another system;
  `Text(unwrap( @in:rust @in:!tests)` into files of a language, of a glob, or into no others;
- `mcp__github__create_*`: a tool by its name.

`!` in front says that such a call breaks the rule; otherwise it is an occasion to keep it.
` unless Bash(…)` takes out what is right, and ` after Bash(…)` says what has to come first.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from cortex_core.base import globs
from cortex_core.base.errors import UsageError
from cortex_core.language.patterns import Pattern
from cortex_core.triggers.forms import CHANGE, COMMAND, PUSH, READING, STAGED, TEXT

MOST = 12
"""Triggers of one memory."""

LONGEST = 200
"""Characters of a trigger."""

_FORM = Pattern(
    "trigger",
    r"(?P<breaks>!)?\s*(?:(?P<tool>Bash|Edit|Read|Push|Commit|Text)\((?P<pattern>.+?)\)|(?P<mcp>mcp__[\w*.-]+))"
    r"(?:\s+unless\s+Bash\((?P<unless>.+?)\))?(?:\s+after\s+Bash\((?P<after>.+?)\))?",
    finds="!Bash(npm install) unless Bash(npm ci)",
    spares="npm install",
    flags=0,
)

_ANY_FILES, _ANY_TOOLS = ("README", "src/a.py", "docs/b/c.html"), ("mcp__a__b", "mcp__c_d__e_f")
"""Files and tools that have nothing in common."""


class Trigger(NamedTuple):
    """One trigger."""

    tool: str
    """`Bash`, `Edit`, `Read`, `Push`, `Commit`, `Text`, or an MCP tool's name, in which `*` means
    any letters."""
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


def parse(text: str) -> Trigger:
    """The trigger that a line states.

    Raises:
        UsageError: it is none.
    """
    line = " ".join(text.split())
    match = _FORM.regex.fullmatch(line) if len(line) <= LONGEST else None
    if match is None or (match["tool"] == COMMAND and "*" in program_of(match["pattern"])):
        raise UsageError(
            f"“{line[:80]}” is not a trigger. Nothing was changed. Write Bash(npm install), "
            "Push(main), Commit(.env), Edit(src/**), Read(docs/**), Text(Co-Authored-By) or "
            "mcp__server__tool; with ! in front if such a call breaks the rule."
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
        COMMAND: f"runs {_spoken(trigger.pattern)}",
        CHANGE: f"makes a new file {trigger.pattern[1:]}"
        if trigger.pattern.startswith("+")
        else f"changes {trigger.pattern}",
        READING: f"reads {trigger.pattern}",
        TEXT: "writes “{}”".format(trigger.pattern.replace(" @in:", "” in “")).replace(
            "in “!", "not in “"
        ),
        PUSH: pushing(trigger.pattern),
        STAGED: f"stages or commits {trigger.pattern}",
    }.get(trigger.tool, f"calls {trigger.tool}")
    unless = f", unless it is {trigger.unless}," if trigger.unless else ""
    follows = "breaks the rule" if trigger.breaks else "is an occasion for it"
    after = f"; {trigger.after} has to come first" if trigger.after else ""
    return f"A call that {does}{unless} {follows}{after}."


def _spoken(pattern: str) -> str:
    """A command of a pattern, as part of a sentence: `git commit @branch:main$` is on main."""
    words = pattern.replace("@branch:", "on @").replace("~", "with ~").rstrip("$").split()
    return " ".join(word.lstrip("@~").replace("|", " or ") for word in words)


def pushing(pattern: str) -> str:
    """What a push to a branch does, as part of a sentence."""
    branch = pattern.lstrip("+")
    where = {"*": "to any branch", "?": "to a branch that the line does not show"}
    return f"pushes {where.get(branch, f'to {branch}')}{' by force' * pattern.startswith('+')}"


def is_of_every_call(trigger: Trigger) -> bool:
    """Whether a trigger means every call of its tool, and so says nothing about any."""
    if trigger.tool in (CHANGE, READING, STAGED):
        return any(
            all(globs.matches(path, one) for path in _ANY_FILES)
            for one in alternatives(trigger.pattern.lstrip("+"))
        )
    if trigger.tool == TEXT:
        texts = alternatives(trigger.pattern.partition(" @in:")[0])
        return not all(re.search(r"\w\w", one) for one in texts)
    return trigger.tool not in (COMMAND, PUSH) and all(
        spelling(trigger.tool).fullmatch(name) for name in _ANY_TOOLS
    )


@lru_cache(maxsize=1024)
def spelling(pattern: str) -> re.Pattern[str]:
    """What a name with `*` for any letters matches."""
    first, *rest = map(re.escape, pattern.split("*"))
    # Where a word between two stars is found first, it stays: to look for it again further on
    # finds nothing more, and with many stars would never end.
    between = "".join(f"(?>.*?{word})" for word in rest[:-1])
    return re.compile(first + between + "".join(f".*{word}" for word in rest[-1:]), re.DOTALL)


@lru_cache(maxsize=1024)
def phrase(pattern: str) -> re.Pattern[str]:
    """What finds one of the texts that a `Text` trigger names, whatever its spaces, its marks and,
    unless all are capitals as in `TODO`, its case."""
    spelt = (
        (r"(?<!\w)" if one[:1].isalnum() else "")
        + r"\s+[\[*_`]*".join(map(re.escape, one.split()))
        + (r"(?!\w)" if one[-1:].isalnum() else "")
        for one in alternatives(pattern.partition(" @in:")[0])
    )
    return re.compile("|".join(spelt), 0 if pattern.isupper() else re.IGNORECASE)


def alternatives(pattern: str) -> list[str]:
    """The texts or files of which a trigger means any: `*.ts|*.tsx`."""
    return [one for one in map(str.strip, pattern.split("|")) if one] or [pattern]

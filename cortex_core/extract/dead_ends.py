"""Ways that failed in a session, why, and what worked instead.

A way is a command whose own form was wrong here (no upstream branch, an unknown option, an ignored
path), not work that went wrong (a failing test). None of it is a memory yet, see
`capture.recurring`: a way that works again is no dead end.
"""

import posixpath
import shlex
import textwrap
from collections.abc import Sequence

from cortex_core.base.tools import SHELL
from cortex_core.extract import telling
from cortex_core.extract.commands import Ran
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.language import programs, shell
from cortex_core.language.patterns import Pattern
from cortex_core.records.events import Event
from cortex_core.triggers import calls, git_calls, matching, syntax

LONGEST = 400
"""Characters of a command that is looked at: a longer one is a script of the moment."""

LONGEST_REASON = 120
"""Characters of the reason, which is a program's own sentence: longer ones hold more than that."""

_FEW = 5
"""Words of a command that is known again by all of them; of a longer one by those that are in what
worked as well."""

_NEAR = 24
"""Events within which what works counts as the other way: about eight calls with their results."""

_TAGS = frozenset("error fatal warning hint bash zsh sh line remote".split())
"""What a line may begin with that names no program."""

_WRONG_WAY = Pattern(
    "says that a command was called wrongly here",
    r"no upstream branch|no (?:such|configured) (?:option|command|remote|script|service)"
    r"|unknown (?:\w+ )?(?:option|command|flag|argument|switch|shorthand)"
    r"|un(?:recognized|supported) |unexpected argument|not recognized|invalid (?:option|flag)"
    r"|ignored by one of your|could not (?:resolve|find module)|cannot find module"
    r"|permission denied|not permitted|missing (?:script|required)|no rule to make target"
    r"|not a git repository|beyond a symbolic link|ambiguous argument"
    r"|requires (?:a|the|an|at least|exactly)\b"
    r"|must be (?:run|used|called|set|one of)|does not support|command not found",
    finds="fatal: The current branch topic has no upstream branch.",
    spares="AssertionError: 3 != 4",
)


def on_ran(ran: Sequence[Ran], event: Event, state: SessionState, findings: Findings) -> None:
    """Note the ways of a shell line that failed, and those that worked."""
    reason = _reason(event.text) if event.failed else ""
    for one in ran:
        key = _key(one)
        if not key:
            continue
        if one.succeeded:
            findings.observe("dead end", key, "", source_of(event))
            for each in list(state.failed):
                if each["key"] == key or state.count - each["at"] > _NEAR:
                    state.failed.remove(each)
                elif way := _known_by(each["key"], key, each["about"], one.folder or ""):
                    state.failed.remove(each)
                    said = f"{key}\t{one.folder or ''}\t{each['reason']}"
                    findings.observe("dead end", way, said, each, succeeded=False)
        elif reason and not one.folder and _says(reason, one.words):
            at = {"key": key, "reason": reason, "about": event.text[:1000], "at": state.count}
            state.failed.append({**at, **source_of(event)})


def _reason(output: str) -> str:
    """The line that says that a command was called wrongly; empty if none does."""
    first = output.removeprefix("Exit code").split("\n", 6)[:6]
    lines = (telling.cause(output), *map(str.strip, first))
    said = next((line for line in lines if _WRONG_WAY.is_in(line)), "")
    return textwrap.shorten(said, LONGEST_REASON, placeholder=" …")


def _says(reason: str, words: Sequence[str]) -> bool:
    """Whether it is this command that says so: “jq: error” is of jq, whatever else is in a line."""
    name, colon, _ = reason.partition(":")
    is_name = colon and name.isalpha() and name.islower() and name not in _TAGS
    return not is_name or name == posixpath.basename(words[0])


def _key(ran: Ran) -> str:
    """A command as one line; empty for what only looks, or is of the moment."""
    program, line = posixpath.basename(ran.words[0]), shlex.join(ran.words)
    is_code = {"-c", "-e", "-lc", "-"}.intersection(ran.words) and program != "git"
    of_moment = ("\n", "$", "/tmp", "/Temp/")
    is_way = (
        program not in programs.LOOKERS | programs.REMOTE_SHELLS
        and not is_code
        and len(line) <= LONGEST
    )
    return line if is_way and not any(one in line for one in of_moment) else ""


def head(words: Sequence[str]) -> int:
    """How many of the words say what is done: the program, and its subcommands."""
    length = 3 if words[0] == "gh" else 2 if words[0] in programs.EVERYWHERE else 1
    while (
        words[length : length + 1]
        and words[length] in programs.SUBCOMMANDS.get(words[length - 1], "").split()
    ):
        length += 1
    return length


def _known_by(failed: str, worked: str, output: str, folder: str) -> str:
    """The words by which a way that failed is known again; empty if what worked is not the same
    thing done otherwise: the same command, with a thing that both name.

    Args:
        output: of the way that failed.
        folder: where the other way worked, if elsewhere.
    """
    old, new = _words(failed), _words(worked)
    said = head(old)
    names = {posixpath.basename(word) for word in new[said:] if not word.startswith("-")}
    things = [word for word in old[said:] if not word.startswith("-")]
    same = [word for word in things if posixpath.basename(word) in names]
    # What the program's own message advises needs no memory: whoever tries reads it there.
    added = [word for word in new if word.startswith("-") and word not in old]
    advised = {word.strip("`'\"(),;.") for word in output.replace("=", " ").split()}
    is_advised = bool(added) and all(word.partition("=")[0] in advised for word in added)
    # Another path to one file corrects a slip; what is done, and how, is the same.
    is_slip = bool(things) and not (added or folder or set(things).intersection(new))
    if old[:said] != new[:said] or (things and not same) or is_advised or is_slip:
        return ""
    if len(old) <= _FEW and len(things) < 2:
        return failed
    # Of many files, it is about those that the output names, or whose folder it names.
    blamed = [word for word in same if (posixpath.dirname(word) or word) in output]
    return shlex.join([*old[:said], *blamed[:2]]) if blamed else ""


def trigger_of(failed: str, worked: str) -> str:
    """The trigger, as a line, for a way that failed; empty where it would mean what worked too."""
    old, new = _words(failed), _words(worked)
    said = head(old)
    added = [word for word in new[said:] if word.startswith("-") and word not in old]
    pattern = " ".join(old if len(old) <= _FEW else old[:said])
    if old == new[: len(old)]:
        pattern += " $"
    elif len(old) > said and added:
        pattern = " ".join((*old[:said], *(f"~{word}" for word in old[said:] if word[0] != "-")))
    unless = f" unless Bash({' '.join((*old[:said], added[0]))})" if added else ""
    trigger = syntax.parsed(f"Bash({pattern}){unless}")
    means_both = trigger and matching.matches(trigger, calls.read(SHELL, {"command": worked}))
    is_whole = "[redacted" not in failed and bool(old[1:])
    return str(trigger) if trigger and is_whole and not means_both else ""


def _words(line: str) -> list[str]:
    """The words of a command, without what comes between `git` and its subcommand."""
    # The mark of a secret may have taken a quote away.
    words = [word for one in shell.simple_commands(line) for word in one.words] or [line]
    if words[0] != "git":
        return words
    subcommand, rest, _ = git_calls.parts(words)
    return ["git", subcommand, *rest]

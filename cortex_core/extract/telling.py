"""The one line of a tool's output that tells what came of a call: the cause of its failure, or the
proof that it worked.

Both are told by what a line says, not by which product printed it. What proves something is decided
by the kind of command first, because a log or a file that is shown is full of such lines.
"""

from collections.abc import Sequence

from cortex_core.base import text
from cortex_core.extract.commands import task_of
from cortex_core.language import programs, shell, shell_results
from cortex_core.language.patterns import Pattern

LONGEST = 200
"""Most characters of a line; the word there, such as an address, is whole up to twice as many."""

_ERROR = Pattern(
    "error",
    r"\b\w*(?:Error|Exception)\b:?|\b(?:error|fatal|panic|failed|failure|denied|refused|"
    r"not found|cannot|could not|unable to|timed out|no such|rejected|undefined|invalid)\b"
    r"|^\W{0,5}(?:fail|✗|✘|×)\W|\w\.\w{1,5}:\d+:(?:\d+:)?\s",
    finds="ValueError: no",
    spares="value",
)
_NO_CAUSE = Pattern(
    "line that names no cause: a tag, the client's or a runner's own sentence, a line of code",
    r"</?\w*tool_use_error>|\bexit(?:ed)? (?:with )?(?:code|status)\b|\btask failed|ELIFECYCLE"
    r"|^\W{0,12}(?:pass|ok|✓|✔)\b|✓|^make: \*\*\*|^cancelled: |\b(?:0|no) (?:errors?|fail\w+)\b"
    r"|^(?:error|failed|failures?|errors?|fatal|fail)\W*$|^(?:raise|throw|return|import|from|if|at"
    r"|File|assert|def|func|const|let|var|//|#)\s|^\W*\d+ (?:passed|failed|failing|errors?)\b"
    r"|\bcomplete log\b|^npm (?:err!|error) (?:code|errno|a complete|lifecycle|path|command)\b"
    r"|^\[\w[\w:.-]*\] (?:error|\$)\s|^(?:error: )?command failed|^=+ (?:fail|err)\w* =+$",
    finds="[lint] ERROR task failed",
    spares="lint.py:3: E501 line too long",
)
_PROOF = Pattern(
    "line that proves that something was done",
    r"(?P<count>(?<![\w.])\d[\d,]* (?:\w+ ){0,2}?(?:pass(?:ed|ing)|fail(?:ed|ing|ures?)|tests?"
    r"|examples|errors?|warnings?|problems?|issues|offenses)\b)"
    r"|^\W*ok\b"
    r"|\b(?:all|no) (?:\w+ ){0,3}(?:pass(?:ed)?|clean|ok|issues|errors?|problems|successful)\b"
    r"|\bsuccess(?:ful(?:ly)?)?\b|\bsucceeded\b|\b(?:built|compiled|deployed|published|merged)\b"
    r"|\t(?:pass|fail)\t|https?://\S+/(?:pull|merge_requests|pull-requests|releases)/(?!new)\S+"
    r"|\S -> \S|\bfast-forward\b|\b(?:listening|running|serving|ready|available)\b.{0,40}:\d{2,5}\b"
    r"|https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d+",
    finds="ok 214 passed",
    spares="collecting tests",
)
_CHECKS = frozenset("build check lint test typecheck".split())
"""Tasks whose success is a proof even where they print nothing."""
_PROVING = _CHECKS | frozenset("deploy migrate run".split())
_REPORTING = frozenset("checks ci create merge publish push rebase release run up".split())
"""Subcommands of what records and sends work that tell how it went."""
_VERSION = ("--version", "-V", "version")


def cause(output: str) -> str:
    """The first line of `output` that names what went wrong; empty if none does."""
    lines = [line for line in map(str.rstrip, output.split("\n")) if line]
    traced = [at for at, line in enumerate(lines) if line.startswith("Traceback (most recent")]
    if traced:  # what went wrong stands at the margin, after the places
        lines = [line for line in lines[traced[-1] + 1 :] if not line[0].isspace()] or lines
    for line in map(str.strip, lines):
        if _ERROR.regex.search(line) and not _NO_CAUSE.regex.search(line):
            return _short(line)
    return ""


def proof(command: str, output: str) -> str:
    """What shows that `command`, which reported no error, did what it is for; empty if nothing."""
    parts = list(shell.simple_commands(command))
    words = [part.words[shell.unwrapped(part.words) :] for part in parts]
    lines = [line.strip() for line in output.split("\n") if line.strip()]
    if any(each[-1:] and each[-1] in _VERSION for each in words):
        return _short(next((line for line in lines if any(map(str.isdigit, line))), ""))
    tasks = set(map(_task, words))
    if tasks.isdisjoint(_PROVING):
        return ""
    found = [match for line in lines if (match := _PROOF.regex.search(line))]
    counted = [match for match in found if match["count"]]
    if counted:  # a summary counts, and comes last; what failed may stand above what passed
        failed = [one for one in counted if "fail" in one["count"] and one["count"][:2] != "0 "]
        return _short((failed or counted)[-1].string)
    # A pipe hides how its first command ended, so that nothing but the output shows it.
    is_sure = all(shell_results.judged(parts, output, False)[1])
    if not is_sure and shell_results.SAYS_FAILED.is_in(output) and (hidden := cause(output)):
        return hidden
    if found:
        return _short(found[0].string)
    is_silent = is_sure and output in shell_results.SILENT
    return "no error" if is_silent and not tasks.isdisjoint(_CHECKS) else ""


def _task(words: Sequence[str]) -> str:
    """The task of a command; `run` for what sends work and tells how it went."""
    if not words or words[0] in programs.PLUMBING:
        return ""
    return (
        ("" if _REPORTING.isdisjoint(words[1:3]) else "run")
        if words[0] in programs.EVERYWHERE
        else task_of(" ".join(words[:6]))
    )


def _short(line: str) -> str:
    words = text.one_line(line)
    end = words.find(" ", LONGEST)
    return words[: min(end, 2 * LONGEST) if end >= 0 else 2 * LONGEST]

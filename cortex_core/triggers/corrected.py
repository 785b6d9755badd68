"""The agent's call that a correction speaks about: the one refused just before, or one it names.

“Not like that, use the release script” names nothing that a trigger could be made of; what the user
refused does.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cortex_core.base.tools import SHELL
from cortex_core.language import programs
from cortex_core.triggers import calls, finding, matching, shell_runs
from cortex_core.triggers.shell_runs import ShellRun
from cortex_core.triggers.vocabulary import folded, spot

CALL = "corrected"
"""The detail of a memory that holds the call it corrects."""

LONGEST_RUN = 120
"""Characters of the command that a memory is said to correct."""


def call_of(said: str, acted: Sequence[Mapping[str, Any]]) -> str:
    """The call that a statement corrects: a command, or the name of an MCP tool; empty for none.

    Args:
        said: the statement.
        acted: the calls since the prompt before, as `state` keeps them.
    """
    lines = finding.find("policy", said)
    for one in reversed(acted):
        for run in _runs(str(one["call"])):
            if _speaks_of(said, lines, run):
                return _line(run)
    if not acted or not acted[-1]["refused"] or not spot(folded(said), "REPLACES"):
        return ""
    refused = str(acted[-1]["call"])
    if refused.startswith("mcp__"):
        return refused
    unnamed = programs.PLUMBING - set(re.findall(r"[\w-]+", said))
    found = [run for run in _runs(refused) if run.words[0] not in unnamed]
    return _line(found[0]) if len(found) == 1 else ""


def _runs(call: str) -> Iterator[ShellRun]:
    if not call.startswith("mcp__"):
        yield from (run for run in shell_runs.runs(call) if not run.within)


def _speaks_of(said: str, lines: Sequence[str], run: ShellRun) -> bool:
    """Whether a statement names the program of a command, or what it rules out does."""
    if any(trigger.breaks for trigger in matching.hits(lines, calls.Call(SHELL, (run,)))):
        return True
    return any(
        one.form == "command" and run.words[0] in one.what.split()
        for _, named in finding.things(said)
        for one in named
    )


def _line(run: ShellRun) -> str:
    return shlex.join(run.words)[:LONGEST_RUN]

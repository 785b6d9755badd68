"""Whether rules as developers type them are recalled at the calls that break them, and only there.

    python -m benchmarks.everyday_rules [--half seen|unseen|named|stacks] [--show] [--record]

Sixty rules of all kinds, each with four calls that break it and four near misses, written by
someone who knew nothing of Cortex: `rules.json`, and `rules_unseen.json`, which whoever works on
triggers does not read. Each rule is typed with `remember` in a project of its own and denies its
calls where its triggers say that they break it; each call goes through a real hook process. A line
at a call that breaks no rule fits nothing, also where it only recalls a rule. Where a call names no
branch, `topic` is checked out.

Of forty rules more (`rules_named.json`), written before the triggers were worked on, half of them
left unread by that, somebody who saw the rules alone said which calls an agent would name with
`learn`: they are measured without and with these.

Sixty rules on Go, Rust, Java, Terraform, containers, clusters, SQL, packages and git
(`rules_stacks.json`) were written before the words for them: at first sight 91.0 and 87.5 % of the
lines of either thirty fitted, 24.2 % of the calls that break a rule met nothing, and 8 and 10 calls
that break none were denied.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.report import Figure
from cortex_core import Cortex
from cortex_core.base.errors import UsageError
from cortex_core.records.memory import Memory

HALVES = {
    "seen": "rules.json",
    "unseen": "rules_unseen.json",
    "named": "rules_named.json",
    "stacks": "rules_stacks.json",
}
NAMES = {
    "seen": "",
    "unseen": ", set aside",
    "named": ", by their words alone",
    "stacks": ", of ten stacks",
    "helped": ", with what an agent names",
}
"""What each count is called in the figures."""

PLACE = "/proj"
"""The project's folder in the calls."""


def answers(
    rule: Mapping[str, Any], folder: Path, named: Sequence[str] = ()
) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """What each call of a rule gets: `breaks` or `keeps`, the call, and the hook's answer.

    Args:
        named: the triggers that an agent names for it.
    """
    project, home = folder / "project", folder / "home"
    (project / ".git").mkdir(parents=True)
    with Cortex.open(project, home / "memory") as cortex:
        memory = cortex.remember(str(rule["rule"]).replace(PLACE, str(project)), kind="policy")
        for line in named:
            with suppress(UsageError):  # it is no trigger
                memory = cortex.memories.triggers.propose(memory, [line], "")
        own = set(memory.triggers).difference(memory.named)
        if own and all(line.startswith("!") for line in own):
            cortex.memories.triggers.guard(memory.id, "deny")
        cortex.sessions.pause()
    _lay_out(project, memory)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CORTEX_HOME": str(home / "memory"),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
    }
    for half in ("breaks", "keeps"):
        for number, call in enumerate(rule[half]):
            branch = call.get("branch", "topic")
            (project / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
            given = json.loads(json.dumps(call["input"]).replace(PLACE, str(project)))
            payload = {
                "session_id": f"{half}-{number}",
                "cwd": str(project),
                "hook_event_name": "PreToolUse",
                "tool_name": call["tool"],
                "tool_input": given,
                "tool_use_id": f"{half}-{number}",
            }
            done = subprocess.run(
                [sys.executable, "-I", "-m", "cortex_core.hook"],
                input=json.dumps(payload).encode(),
                capture_output=True,
                env=environment,
                cwd=project,
                check=True,
            )
            yield half, call, done.stdout.decode()


def _lay_out(project: Path, memory: Memory) -> None:
    """Lay down the files that the rule speaks of committing: `git add -A` takes what is there."""
    for line in memory.triggers:
        form, _, pattern = line.lstrip("!").partition("(")
        if form == "Commit" and "*" not in pattern:
            (project / pattern.removesuffix(")")).parent.mkdir(parents=True, exist_ok=True)
            (project / pattern.removesuffix(")")).touch()


def counted(half: str, show: bool, *, helped: bool = False) -> Counter[str]:
    """How many calls of a half got what; `helped`: with the triggers that an agent names."""
    found: Counter[str] = Counter()
    rules = json.loads(Path(__file__).with_name(HALVES[half]).read_text("utf-8"))
    for rule in rules:
        with tempfile.TemporaryDirectory(prefix="cortex-rules-") as scratch:
            named = rule["named"] if helped else ()
            for kind, call, said in answers(rule, Path(scratch), named):
                denied = '"permissionDecision":"deny"' in said
                found[kind] += 1
                found[f"{kind}, given"] += bool(said)
                found[f"{kind}, denied"] += denied
                if show and (not said if kind == "breaks" else said):
                    print(f"{rule['id']} {kind} {'denied' if denied else ''}: {call['input']}")
    return found


def figures(half: str, found: Counter[str]) -> Iterator[Figure]:
    """What was given where it belongs and where not, and what was denied wrongly."""
    name = NAMES[half]
    given = found["breaks, given"] + found["keeps, given"]
    silent = found["breaks"] - found["breaks, given"]
    fit = 100 * found["breaks, given"] / given if given else 0.0
    yield Figure(f"lines that fit{name}", fit, "%", 97, more=True)
    yield Figure(
        f"calls that break a rule, nothing said{name}", 100 * silent / found["breaks"], "%", 2
    )
    yield Figure(f"calls that break no rule, denied{name}", found["keeps, denied"], "", 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "everyday_rules")
    parser.add_argument("--half", choices=HALVES, help="one half alone")
    parser.add_argument(
        "--show", action="store_true", help="print what went wrong, of the half seen"
    )
    chosen = parser.parse_args(arguments)
    halves = [chosen.half] if chosen.half else list(HALVES)
    counts = {half: counted(half, chosen.show and half == "seen") for half in halves}
    if "named" in halves:
        counts["helped"] = counted("named", show=False, helped=True)
    measured = [one for half, found in counts.items() for one in figures(half, found)]
    return report.finish("everyday_rules", chosen, measured, counts)


if __name__ == "__main__":
    sys.exit(main())

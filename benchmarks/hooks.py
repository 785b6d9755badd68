"""How long the hooks take, as whole processes of an installed wheel, against a bare interpreter.

    python -m benchmarks.hooks [--runs 21] [--sizes 10000,100000] [--record]

Every round starts `python -I -c pass` and then each hook once, so that what else the machine does
falls on all of them; a ratio is the median of one over the median of the other.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
import uuid
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import report
from benchmarks.installed import Installed, environment, milliseconds
from benchmarks.report import Figure
from benchmarks.stores import Made, questions, store_of
from cortex_core import Cortex
from tests.transcript_samples import Sample

TRIGGERS = 500
"""Memories with triggers in one of the stores."""

LAST = "All of it is green now."
"""What the agent said last in the session that the recording hooks tell of."""


@dataclass
class Case:
    """One hook, and how often it took how long."""

    name: str
    made: Made
    payload: Callable[[int], dict[str, Any]]
    """What Claude Code sends in the round of that number."""
    before: Callable[[], None] = lambda: None
    times: list[float] = field(default_factory=list)
    spoke: int = 0
    """How often something was printed."""


def cases(sizes: Sequence[int], small: Made, cache: Path, scratch: Path) -> Iterator[Case]:
    """Every hook that is measured."""
    stores = {size: store_of(size, cache) for size in sizes}
    first = stores[sizes[0]]
    ruled = _with_triggers(first, scratch)
    start = {"hook_event_name": "SessionStart", "source": "startup"}
    yield Case("SessionStart, cached", first, _payload(first, start))
    yield Case("SessionStart, nothing cached", first, _payload(first, start), _forget(first))
    for event in ("Stop", "PreCompact", "SessionEnd"):
        fields = {"hook_event_name": event, "last_assistant_message": LAST, "reason": "other"}
        yield Case(event, small, _payload(small, fields))
    for size, made in stores.items():
        yield Case(f"UserPromptSubmit, {size:,}", made, _prompts(made, questions(200)))
    read = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": str(first.root / "src" / "queue" / "main.py")},
    }
    yield Case(f"PreToolUse, {sizes[0]:,}", first, _payload(first, read))
    for name, command in (("no match", "git status && ls -la src"), ("match", "cd app && npm i")):
        bash = {
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
        }
        yield Case(f"PreToolUse, {TRIGGERS} triggers, {name}", ruled, _payload(ruled, bash))


def _with_triggers(made: Made, folder: Path) -> Made:
    """A copy of a store in which some memories have triggers."""
    ruled = Made(folder / "ruled", folder / "ruled-home", made.count)
    shutil.copytree(made.root, ruled.root)
    shutil.copytree(made.home, ruled.home)
    with Cortex.open(ruled.root, ruled.home) as cortex:
        cortex.trust.grant()
        memories = cortex.list(limit=TRIGGERS)
        for number, memory in enumerate(memories[1:]):
            cortex.memories.triggers.set(memory.id, [f"Bash(tool{number} deploy --now)"])
        cortex.memories.triggers.set(memories[0].id, ["!Bash(npm)"])
    return ruled


def _payload(made: Made, fields: dict[str, Any]) -> Callable[[int], dict[str, Any]]:
    began = time.time_ns()

    def of(turn: int) -> dict[str, Any]:
        session = uuid.uuid5(uuid.NAMESPACE_URL, f"benchmark-{began}-{turn}")
        return {
            "session_id": str(session),
            "cwd": str(made.root),
            "transcript_path": str(made.root / "sessions" / "one.jsonl"),
            **fields,
        }

    return of


def _prompts(made: Made, asked: Sequence[str]) -> Callable[[int], dict[str, Any]]:
    common = _payload(made, {"hook_event_name": "UserPromptSubmit"})
    return lambda turn: {**common(turn), "prompt": asked[turn % len(asked)]}


def _forget(made: Made) -> Callable[[], None]:
    """What makes the next session's start compose its surface again."""

    def clear() -> None:
        for kept in (made.root / ".memory" / "cache").glob("surface-*"):
            kept.unlink()

    return clear


def run(found: Sequence[Case], product: Installed, rounds: int) -> list[float]:
    """Every case once a round, after two rounds that do not count; the bare starts' times."""
    bare: list[float] = []
    for turn in range(-2, rounds):
        spent, _ = milliseconds(product.bare, environment(found[0].made), found[0].made.root)
        if turn >= 0:
            bare.append(spent)
        for case in found:
            case.before()
            data = json.dumps(case.payload(turn)).encode()
            spent, said = milliseconds(product.hook, environment(case.made), case.made.root, data)
            if turn >= 0:
                case.times.append(spent)
                case.spoke += bool(said)
            product.wait()
    return bare


def figures(found: Sequence[Case], bare: float) -> Iterator[Figure]:
    """What each event costs, with its bounds."""
    bounds = {
        "SessionStart, cached": (4.0, 2.5),
        "Stop": (5.0, 3.0),
        "PreCompact": (5.0, 3.0),
        "SessionEnd": (5.0, 3.0),
        "UserPromptSubmit, 10,000": (7.0, 5.0),
        "UserPromptSubmit, 100,000": (9.0, 6.0),
        f"PreToolUse, {TRIGGERS} triggers, no match": (3.0, 2.0),
        f"PreToolUse, {TRIGGERS} triggers, match": (4.0, 2.5),
    }
    yield Figure("bare start of Python", bare, "ms")
    for case in found:
        if case.name == "SessionStart, nothing cached":
            yield Figure(f"{case.name}, {case.made.count:,}", median(case.times), "ms", 300, 150)
        else:
            must, goal = bounds.get(case.name, (None, None))
            yield Figure(case.name, median(case.times) / bare, "x", must, goal)


def _small(folder: Path) -> Made:
    """A project of its own with one short session, for the hooks that wake the worker."""
    made = Made(folder / "small", folder / "home", 0)
    (made.root / ".memory").mkdir(parents=True)
    session = Sample("one", cwd=str(made.root)).human("Run the tests.").assistant(LAST)
    (made.root / "sessions").mkdir()
    session.write(made.root / "sessions" / "one.jsonl")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed or a process stayed behind."""
    parser = report.options(__doc__, "hooks")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--sizes", default="10000,100000")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="cortex-hooks-") as scratch:
        return _measured(chosen, Path(scratch))


def _measured(chosen: Namespace, scratch: Path) -> int:
    product = Installed(scratch)
    sizes = [int(size) for size in chosen.sizes.split(",")]
    found = list(cases(sizes, _small(scratch), chosen.cache, scratch))
    bare = median(run(found, product, chosen.runs))
    left = product.wait()
    measured = [*figures(found, bare), Figure("processes left behind", len(left), "", 0, 0)]
    details = {case.name: {"ms": case.times, "spoke": case.spoke} for case in found}
    return report.finish("hooks", chosen, measured, details)


if __name__ == "__main__":
    sys.exit(main())

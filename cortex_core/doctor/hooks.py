"""Checks of running hooks: answers, speed, the recursion guard, and capture end to end."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from cortex_core.claude.hook_entries import EVENTS, MODULE
from cortex_core.doctor import client
from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    failed,
    ok,
    skipped,
    together,
    warning,
)
from cortex_core.text import counted

SLOW = 1.0
"""Seconds after which a user notices a hook."""

END = 1.2
"""Maximum seconds for SessionEnd; Claude Code kills it after 1.5."""


def answers(case: Case) -> Finding:
    """Whether every event is answered or recorded in the form that Claude Code expects."""
    return together(_problems(case), _all_well(case))


def _problems(case: Case) -> Iterator[Finding]:
    for one in case.trials:
        wrong = [f"{each.event} {each.problem}" for each in one.answers if each.problem]
        if wrong:
            yield failed(
                f"The hooks in {one.route} do not work: {'; '.join(wrong)}.",
                "Run: cortex install" if one.installed else "Run: pipx reinstall cortex-memory",
            )


def _all_well(case: Case) -> str:
    count = len(EVENTS)
    tail = "" if case.trials[0].installed else " The hooks are not installed yet."
    return f"All {count} events were answered or recorded in a test.{tail}"


def speed(case: Case) -> Finding:
    """Whether hooks are fast enough for the user, and for the time limits of Claude Code."""
    took = [each for one in case.trials for each in one.answers if not each.problem]
    if not took:
        return skipped("No hook answered (see hooks-answer).")
    ended = [each.seconds for each in took if each.event == "SessionEnd"]
    if ended and max(ended) > END:
        return failed(
            f"SessionEnd took {max(ended):.1f} s; Claude Code kills it after 1.5 s.",
            "The next session start reads what was missed. Check what slows this machine down.",
        )
    usual = statistics.median(each.seconds for each in took)
    slowest = max(took, key=lambda each: each.seconds)
    if usual > SLOW:
        return warning(
            f"A hook takes {usual * 1000:.0f} ms, {slowest.event} {slowest.seconds:.1f} s.",
            "The cause may be a version manager's shim or a Python on a network disk.",
        )
    return ok(
        f"A hook takes {usual * 1000:.0f} ms, {slowest.event} {slowest.seconds * 1000:.0f} ms."
    )


def guarded(case: Case) -> Finding:
    """Whether hooks do nothing inside Cortex's own processes; it must not capture itself."""
    return together(
        (
            failed(
                f"A hook in {one.route} {one.guard}, so a model call would run hooks again.",
                "Run: cortex install",
            )
            for one in case.trials
            if one.guard
        ),
        "Hooks do nothing inside Cortex's own processes.",
    )


def captures(case: Case) -> Finding:
    """Whether the worker captures a made-up session and the next session gets its memories."""
    from cortex_core import demo

    python = case.python
    for route in client.routes(case):
        command = next(iter(route.commands.values()))
        if MODULE in command[2:]:
            python = tuple(command[: command.index(MODULE) - 1])
            break
    try:
        with demo.scratch(python) as trial:
            trial.play()
            with trial.open() as cortex:
                learned = len(cortex.list())
    except Exception as error:
        return failed(
            f"A made-up session could not be captured: {type(error).__name__}: {error}.",
            "Run: pipx reinstall cortex-memory, then cortex install",
        )
    memories = counted(learned, "memory", "memories")
    if not learned or not trial.given:
        return failed(
            f"A made-up session led to {memories}, and the next session got "
            f"{'them' if trial.given else 'nothing'}.",
            "Run: pipx reinstall cortex-memory, then cortex install",
        )
    return ok(f"A made-up session was captured ({memories}) and injected into the next.")


CHECKS = (
    Check("hooks-answer", "client", answers),
    Check("hook-speed", "client", speed),
    Check("recursion", "client", guarded),
    Check("capture-trial", "client", captures),
)

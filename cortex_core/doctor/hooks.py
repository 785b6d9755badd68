"""Checks of the hooks at work: answered, in time, guarded, and captured from end to end."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from cortex_core.claude.hook_entries import EVENTS, MODULE
from cortex_core.doctor import client
from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    counted,
    failed,
    ok,
    skipped,
    together,
    warning,
)

SLOW = 1.0
"""Seconds after which a hook is felt."""

END = 1.2
"""Seconds that SessionEnd may take: the client kills it at 1.5."""


def answers(case: Case) -> Finding:
    """Whether every event is answered or recorded, as the client would see it."""
    return together(_problems(case), _all_well(case))


def _problems(case: Case) -> Iterator[Finding]:
    for one in case.trials:
        wrong = [f"{each.event} {each.problem}" for each in one.answers if each.problem]
        if wrong:
            yield failed(
                f"Hooks of {one.route} do not work: {'; '.join(wrong)}.",
                "Run: cortex install" if one.installed else "Run: pipx reinstall cortex-memory",
            )


def _all_well(case: Case) -> str:
    count = len(EVENTS)
    tail = "" if case.trials[0].installed else " They are not installed yet."
    return f"All {count} events were answered or recorded in a trial.{tail}"


def speed(case: Case) -> Finding:
    """Whether hooks answer before anybody feels it, and before the client kills them."""
    took = [each for one in case.trials for each in one.answers if not each.problem]
    if not took:
        return skipped("No hook answered (see hooks-answer).")
    ended = [each.seconds for each in took if each.event == "SessionEnd"]
    if ended and max(ended) > END:
        return failed(
            f"SessionEnd took {max(ended):.1f} s; the client kills it at 1.5 s.",
            "What was missed is swept at the next start. Look what slows this machine down.",
        )
    usual = statistics.median(each.seconds for each in took)
    slowest = max(took, key=lambda each: each.seconds)
    if usual > SLOW:
        return warning(
            f"Hooks take {usual * 1000:.0f} ms each, {slowest.event} {slowest.seconds:.1f} s.",
            "A version manager's shim or a network disk in the hooks' Python may be the cause.",
        )
    return ok(
        f"Hooks answer in {usual * 1000:.0f} ms, {slowest.event} in {slowest.seconds * 1000:.0f}."
    )


def guarded(case: Case) -> Finding:
    """Whether hooks do nothing below Cortex's own processes, so that it never observes itself."""
    return together(
        (
            failed(
                f"A hook of {one.route} {one.guard}: a model it starts would start hooks again.",
                "Run: cortex install",
            )
            for one in case.trials
            if one.guard
        ),
        "Hooks do nothing below Cortex's own processes.",
    )


def captures(case: Case) -> Finding:
    """Whether a made-up session is captured by the worker and given to the next one."""
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
            f"Of a made-up session {memories} came, and the next session was given "
            f"{'them' if trial.given else 'nothing'}.",
            "Run: pipx reinstall cortex-memory, then cortex install",
        )
    return ok(f"A made-up session was captured ({memories}) and given to the next.")


CHECKS = (
    Check("hooks-answer", "client", answers),
    Check("hook-speed", "client", speed),
    Check("recursion", "client", guarded),
    Check("capture-trial", "client", captures),
)

"""The command that checks for problems: doctor."""

from __future__ import annotations

import click

from cortex_core import shapes, text
from cortex_core.cli import output
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.errors import FAILED
from cortex_core.reports.care import CheckResult, CheckState

MARKS: dict[CheckState, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "warning": ("warn", "yellow"),
    "failed": ("FAIL", "red"),
    "skipped": ("-", "dim"),
}
"""The word for a state, and its style."""


@command("doctor", examples=("cortex doctor", "cortex doctor --fix", "cortex doctor --json"))
@click.option("--fix", is_flag=True, help="Repair what can be repaired safely, after a snapshot.")
@click.option("--all", "everything", is_flag=True, help="Also list the checks that passed.")
@pass_run
def doctor(run: Run, fix: bool, everything: bool) -> None:
    """Check for all known problems.

    It sends every event through the hooks in a temporary project and loads the model. Your own
    memories and sessions are only read. It also works if a store cannot be opened. The exit code
    is 1 if a check failed; warnings alone do not count.
    """
    from cortex_core.doctor import examine

    with output.progress("Checking") as progress:
        results = examine.run(run.project, fix=fix, progress=progress)
    for result in results:
        if run.json:
            output.emit(shapes.check(result))
        elif everything or result.state in ("warning", "failed") or result.fixed:
            _tell(result)
    if not run.json:
        _sum_up(results)
    bad = any(result.state == "failed" for result in results)
    click.get_current_context().exit(FAILED if bad else 0)


def _tell(result: CheckResult) -> None:
    word, style = MARKS[result.state]
    lines = [(f"{word}: {result.sentence}", style if result.state != "ok" else "")]
    if result.next_step:
        lines.append((result.next_step, ""))
    if result.fixed:
        lines.append((f"Repaired: {result.fixed}", "green"))
    output.item(result.name, *lines, width=16)


def _sum_up(results: tuple[CheckResult, ...]) -> None:
    counts = {state: sum(1 for one in results if one.state == state) for state in MARKS}
    output.say(
        f"{counts['ok']} passed, {text.counted(counts['warning'], 'warning')}, "
        f"{counts['failed']} failed, {counts['skipped']} skipped.",
        "bold",
    )
    if any(one.fixable and not one.fixed for one in results):
        output.note("To repair what can be repaired safely: cortex doctor --fix")
    if counts["warning"] or counts["failed"]:
        output.note("docs/troubleshooting.md explains each check.")

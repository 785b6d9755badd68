"""The command that looks whether all is well: doctor."""

from __future__ import annotations

import click

from cortex_core.cli import output, shapes
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.errors import FAILED
from cortex_core.reports.care import CheckResult, CheckState

MARKS: dict[CheckState, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "warning": ("warn", "yellow"),
    "failed": ("FAIL", "red"),
    "skipped": ("-", "dim"),
}
"""How a state is written, and the style that repeats it."""


@command("doctor", examples=("cortex doctor", "cortex doctor --fix", "cortex doctor --json"))
@click.option("--fix", is_flag=True, help="Mend what can be mended safely, after a snapshot.")
@click.option("--all", "everything", is_flag=True, help="Tell of what is well too.")
@pass_run
def doctor(run: Run, fix: bool, everything: bool) -> None:
    """Look for everything that is known to go wrong.

    The hooks are sent every event in a project made for it, and the model is loaded; your own
    memories and sessions are only read. It works where a store cannot be opened, too. It leaves
    with 1 when a check failed; a warning alone is no failure.
    """
    from cortex_core.cortex import Cortex

    with (
        Cortex.at_the_doctor(project=run.project) as cortex,
        output.progress("Looking") as progress,
    ):
        results = cortex.doctor(fix=fix, progress=progress)
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
    told = [(f"{word}: {result.sentence}", style if result.state != "ok" else "")]
    if result.next_step:
        told.append((result.next_step, ""))
    if result.fixed:
        told.append((f"Mended: {result.fixed}", "green"))
    output.item(result.name, *told, width=16)


def _sum_up(results: tuple[CheckResult, ...]) -> None:
    counts = {state: sum(1 for one in results if one.state == state) for state in MARKS}
    output.say(
        f"{counts['ok']} well, {counts['warning']} to look at, {counts['failed']} failed, "
        f"{counts['skipped']} with nothing to look at.",
        "bold",
    )
    if any(one.fixable and not one.fixed for one in results):
        output.note("What can be mended safely: cortex doctor --fix")
    if counts["warning"] or counts["failed"]:
        output.note("What each check means: docs/troubleshooting.md")

"""Maintenance commands: status, lifecycle, forecast, demo."""

from __future__ import annotations

import click

from cortex_core import shapes
from cortex_core.cli import output, prose, views
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import DRY_RUN


@command("status", examples=("cortex status", "cortex status --json"))
@pass_run
def status(run: Run) -> None:
    """Show the state of the stores, capture and the model."""
    with run.cortex() as cortex:
        found = cortex.status()
    if run.json:
        output.emit(shapes.status(found))
    else:
        prose.status(found)


@command("lifecycle", examples=("cortex lifecycle --dry-run", "cortex lifecycle"))
@DRY_RUN
@pass_run
def lifecycle(run: Run, dry_run: bool) -> None:
    """Archive decayed memories, and prune archived ones.

    Archived memories can be restored; pruned ones stay in the trash until it is emptied.
    """
    with run.cortex() as cortex:
        report = cortex.lifecycle.run(dry_run=dry_run)
    if run.json:
        output.emit(shapes.lifecycle_report(report))
    else:
        prose.lifecycle(report)


@command("forecast", examples=("cortex forecast", "cortex forecast --days 7 --json"))
@click.option(
    "--days",
    type=click.FloatRange(0, 36_500),
    metavar="N",
    default=30,
    show_default=True,
    help="How many days to look ahead.",
)
@pass_run
def forecast(run: Run, days: float) -> None:
    """Show which memories decay next.

    To keep a memory, reinforce, pin or edit it.
    """
    with run.cortex() as cortex:
        found = cortex.lifecycle.forecast(days)
    empty = f"Nothing decays in the next {days:g} days."
    output.show(views.FADING, found, as_json=run.json, empty=empty)

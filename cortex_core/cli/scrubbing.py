"""Commands about secrets that got in: secrets scan, secrets scrub."""

from __future__ import annotations

import click

from cortex_core import text
from cortex_core.cli import output, shapes
from cortex_core.cli.command import Run, group, pass_run
from cortex_core.cli.errors import FAILED
from cortex_core.cli.options import YES, confirm
from cortex_core.reports.care import SecretFind, SecretsReport

MOST = 40
"""Places that are told one by one."""


@group("secrets", examples=("cortex secrets scan", "cortex secrets scrub"))
def secrets() -> None:
    """Find secrets that got in, and take them out."""


@secrets.command("scan", examples=("cortex secrets scan", "cortex secrets scan --json"))
@pass_run
def scan(run: Run) -> None:
    """Look for keys, tokens and passwords in everything Cortex keeps.

    Both stores with their journal, suggestions, quarantine, trash and receipts; the snapshots; the
    log, the spool and what is derived. Nothing is changed and no secret is printed. It leaves with
    1 when something was found.
    """
    with run.cortex() as cortex:
        report = cortex.secrets_scan()
    if run.json:
        output.emit(shapes.secrets_report(report))
    else:
        _list(report.found)
        if report.found:
            output.note("Take them out, for good: cortex secrets scrub")
        else:
            output.say("No secret was found.")
    click.get_current_context().exit(FAILED if report.found else 0)


@secrets.command(
    "scrub", examples=("cortex secrets scrub", "cortex secrets scrub --remove-snapshots --yes")
)
@click.option("--remove-snapshots", is_flag=True, help="Remove every snapshot that holds a secret.")
@YES
@pass_run
def scrub(run: Run, remove_snapshots: bool, yes: bool) -> None:
    """Take secrets out of everything Cortex keeps, for good.

    A secret gives its place to [redacted: its sort], in the memories and in the journal, which
    notes that it was done. It cannot be undone, and no snapshot is taken before: that would keep
    the secret. Snapshots that hold one can only be removed. Transcripts are the client's and stay
    as they are; change a secret that was in one. It leaves with 1 when something is left.
    """
    confirm("Take every secret out of memory, for good?", yes)
    with run.cortex() as cortex:
        report = cortex.secrets_scrub(remove_snapshots=remove_snapshots)
    if run.json:
        output.emit(shapes.secrets_report(report))
    else:
        _tell(report)
    click.get_current_context().exit(FAILED if report.left else 0)


def _tell(report: SecretsReport) -> None:
    _list(report.found)
    if report.found:
        output.say(f"Secrets were taken out of {text.counted(len(report.found), 'place')}.", "bold")
    elif not report.left and not report.removed:
        output.say("No secret was found.")
    for path in report.removed:
        output.say(f"Removed {path}")
    for sentence in report.left:
        output.note(f"! {sentence}")


def _list(found: tuple[SecretFind, ...]) -> None:
    for one in found[:MOST]:
        output.say(f"{one.place}: {', '.join(one.sorts)}")
    if len(found) > MOST:
        output.say(f"… and {len(found) - MOST:,} more.")

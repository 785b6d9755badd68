"""Commands about stored secrets: secrets scan, secrets scrub."""

from __future__ import annotations

import click

from cortex_core import shapes, text
from cortex_core.cli import output
from cortex_core.cli.command import Run, group, pass_run
from cortex_core.cli.errors import FAILED
from cortex_core.cli.options import YES, confirm
from cortex_core.reports.care import SecretFind, SecretsReport

MOST = 40
"""Maximum number of finds that are listed one by one."""


@group("secrets", examples=("cortex secrets scan", "cortex secrets scrub"))
def secrets() -> None:
    """Find stored secrets, and remove them."""


@secrets.command("scan", examples=("cortex secrets scan", "cortex secrets scan --json"))
@pass_run
def scan(run: Run) -> None:
    """Search everything that Cortex keeps for keys, tokens and passwords.

    This covers both stores with their journal, suggestions, quarantine, trash and receipts; the
    snapshots; the log, the spool and derived files. It changes nothing and prints no secret. The
    exit code is 1 if it found something.
    """
    with run.cortex() as cortex:
        report = cortex.secrets.scan()
    if run.json:
        output.emit(shapes.secrets_report(report))
    else:
        _list(report.found)
        if report.found:
            output.note("To remove them permanently: cortex secrets scrub")
        else:
            output.say("No secret was found.")
    click.get_current_context().exit(FAILED if report.found else 0)


@secrets.command(
    "scrub", examples=("cortex secrets scrub", "cortex secrets scrub --remove-snapshots --yes")
)
@click.option(
    "--remove-snapshots", is_flag=True, help="Remove every snapshot that contains a secret."
)
@YES
@pass_run
def scrub(run: Run, remove_snapshots: bool, yes: bool) -> None:
    """Remove secrets from everything that Cortex keeps, permanently.

    Each secret is replaced by [redacted: TYPE] in the memories and in the journal, which records
    the step. It cannot be undone, and Cortex takes no snapshot first, because that would keep the
    secret. A snapshot that contains a secret can only be removed. Transcripts belong to Claude
    Code and are not changed; replace a secret that was in one. The exit code is 1 if a secret is
    left.
    """
    confirm("Remove every secret from memory permanently?", yes)
    with run.cortex() as cortex:
        report = cortex.secrets.scrub(remove_snapshots=remove_snapshots)
    if run.json:
        output.emit(shapes.secrets_report(report))
    else:
        _tell(report)
    click.get_current_context().exit(FAILED if report.left else 0)


def _tell(report: SecretsReport) -> None:
    _list(report.found)
    if report.found:
        output.say(f"Removed secrets from {text.counted(len(report.found), 'place')}.", "bold")
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

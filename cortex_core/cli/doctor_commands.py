"""Commands that find problems: doctor, secrets scrub."""

import click

from cortex_core.base import text
from cortex_core.cli import output
from cortex_core.cli.command import FAILED, YES, Run, command, confirm, group, pass_run
from cortex_core.records.as_json import to_json
from cortex_core.records.upkeep import CheckResult, CheckState, SecretsReport

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
    from cortex_core.agents.own_checks import GROUP
    from cortex_core.doctor import examine

    with output.progress("Checking") as progress:
        results = examine.run(run.project, fix=fix, progress=progress)
    for result in results:
        # How each agent is that is there is what many look for.
        is_agent = result.group == GROUP and result.state != "skipped"
        if run.json:
            output.emit(to_json(result))
        elif everything or is_agent or result.next_step or result.fixed:
            _print_findings(result)
    if not run.json:
        _sum_up(results)
    bad = any(result.state == "failed" for result in results)
    click.get_current_context().exit(FAILED if bad else 0)


def _print_findings(result: CheckResult) -> None:
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


MOST = 40
"""Maximum number of finds that are listed one by one."""


@group("secrets", examples=("cortex secrets scrub --dry-run", "cortex secrets scrub"))
def secrets() -> None:
    """Find stored secrets, and remove them."""


@secrets.command(
    "scrub",
    examples=("cortex secrets scrub --dry-run", "cortex secrets scrub --remove-snapshots --yes"),
)
@click.option(
    "--remove-snapshots", is_flag=True, help="Remove every snapshot that contains a secret."
)
@click.option("--dry-run", is_flag=True, help="Only search, and change nothing: secrets scan.")
@YES
@pass_run
def scrub(run: Run, remove_snapshots: bool, dry_run: bool, yes: bool) -> None:
    """Remove secrets from everything that Cortex keeps, permanently.

    This covers both stores with their journal, suggestions, quarantine, trash and receipts; the
    snapshots; the log, the spool, the record of costs and derived files. Each secret is replaced by
    [redacted: TYPE] in the memories and in the journal, which records the step. It cannot be
    undone, and Cortex takes no snapshot first, because that would keep the secret. A snapshot that
    contains a secret can only be removed. Transcripts belong to the agents and are not changed;
    replace a secret that was in one. No secret is printed. The exit code is 1 if a secret is left,
    with --dry-run if one was found.
    """
    if dry_run:
        report = run.cortex.secrets.scan()
    else:
        confirm("Remove every secret from memory permanently?", yes)
        report = run.cortex.secrets.scrub(remove_snapshots=remove_snapshots)
    run.show(report, _print_secrets)
    is_left = bool(report.found if dry_run else report.left)
    click.get_current_context().exit(FAILED if is_left else 0)


def _print_secrets(report: SecretsReport) -> None:
    for find in report.found[:MOST]:
        output.say(f"{find.location}: {', '.join(find.types)}")
    if len(report.found) > MOST:
        output.say(f"… and {len(report.found) - MOST:,} more.")
    if report.found and report.dry_run:
        output.note("To remove them permanently: cortex secrets scrub")
    elif report.found:
        output.say(f"Removed secrets from {text.counted(len(report.found), 'place')}.", "bold")
    elif not report.left and not report.removed:
        output.say("No secret was found.")
    for path in report.removed:
        output.say(f"Removed {path}")
    for sentence in report.left:
        output.note(f"! {sentence}")

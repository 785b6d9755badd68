"""Commands about context injection: surface, receipts, trust, untrust."""

from __future__ import annotations

import click

from cortex_core import shapes
from cortex_core.cli import output, prose, views
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import limit_option


@command(
    "surface",
    examples=(
        "cortex surface",
        "cortex surface --explain",
        'cortex surface --prompt "fix the logout bug"',
        'cortex surface --prompt "fix the logout bug" --started',
        "cortex surface --file src/auth/session.ts --json",
    ),
)
@click.option(
    "--explain", is_flag=True, help="Show the parts of each score, what narrowly missed, and why."
)
@click.option("--prompt", metavar="TEXT", help="Show what this prompt would get instead.")
@click.option("--file", metavar="PATH", help="Show what opening this file would inject instead.")
@click.option(
    "--started",
    is_flag=True,
    help="With --prompt or --file: leave out what session start already injected.",
)
@pass_run
def surface(
    run: Run, explain: bool, prompt: str | None, file: str | None, started: bool
) -> None:  # fmt: skip
    """Show what Claude gets at session start.

    The output is exact, byte for byte. Looking at it injects and counts nothing. Alias: context.
    """
    with run.cortex() as cortex:
        given = cortex.surface(prompt=prompt, file=file, started=started)
    if run.json:
        output.emit(shapes.surface(given))
    else:
        prose.surface(given, explain=explain)


@command("receipts", examples=("cortex receipts", "cortex receipts --session 5f1c2d3e --json"))
@click.option("--session", metavar="ID", help="Only receipts of this session.")
@limit_option(50)
@pass_run
def receipts(run: Run, session: str | None, limit: int) -> None:
    """Show what was injected, and whether it was used.

    used: its names, files or rare words occurred later in the session; unknown: it has none.
    """
    with run.cortex() as cortex:
        found = cortex.sessions.receipts(session, limit)
    output.show(views.RECEIPTS, found, as_json=run.json, empty="Nothing has been injected yet.")


@command("trust", examples=("cortex trust",))
@pass_run
def trust(run: Run) -> None:
    """Allow injecting the memories of a store that came with a clone.

    Read them first (cortex list): somebody else wrote them, and Claude will read them.
    """
    with run.cortex() as cortex:
        cortex.trust.grant()
    _tell(run, trusted=True)


@command("untrust", examples=("cortex untrust",))
@pass_run
def untrust(run: Run) -> None:
    """Stop injecting the memories of this project.

    You can still read and search them.
    """
    with run.cortex() as cortex:
        cortex.trust.revoke()
    _tell(run, trusted=False)


def _tell(run: Run, *, trusted: bool) -> None:
    if run.json:
        output.emit({"trusted": trusted})
    else:
        output.say(
            "The memories of this project are "
            + ("injected." if trusted else "no longer injected.")
        )

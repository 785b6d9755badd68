"""Commands about what Claude is given: surface, receipts, trust, untrust."""

from __future__ import annotations

import click

from cortex_core.cli import output, prose, shapes, views
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
@click.option("--explain", is_flag=True, help="Every line's score parts, what just missed and why.")
@click.option("--prompt", metavar="TEXT", help="What would be given with this prompt instead.")
@click.option(
    "--file", metavar="PATH", help="What would be given when this file is opened instead."
)
@click.option(
    "--started",
    is_flag=True,
    help="With --prompt or --file: leave out what the session's start was given.",
)
@pass_run
def surface(
    run: Run, explain: bool, prompt: str | None, file: str | None, started: bool
) -> None:  # fmt: skip
    """Show what Claude is given at a session's start.

    To the byte; nothing is given or counted by looking. Also called context.
    """
    with run.cortex() as cortex:
        given = cortex.surface(prompt=prompt, file=file, started=started)
    if run.json:
        output.emit(shapes.surface(given))
    else:
        prose.surface(given, explain=explain)


@command("receipts", examples=("cortex receipts", "cortex receipts --session 5f1c2d3e --json"))
@click.option("--session", metavar="ID", help="Only this session.")
@limit_option(50)
@pass_run
def receipts(run: Run, session: str | None, limit: int) -> None:
    """Show what was given, and whether it was used.

    Used: its names, files or rare words came back later in the session; unknown: it has none.
    """
    with run.cortex() as cortex:
        found = cortex.receipts(session, limit)
    output.show(views.RECEIPTS, found, as_json=run.json, empty="Nothing has been given yet.")


@command("trust", examples=("cortex trust",))
@pass_run
def trust(run: Run) -> None:
    """Give memories of a store that came with a clone.

    Look at them first (cortex list): they are words of someone else that Claude would read.
    """
    with run.cortex() as cortex:
        cortex.trust()
    _tell(run, trusted=True)


@command("untrust", examples=("cortex untrust",))
@pass_run
def untrust(run: Run) -> None:
    """Stop giving this project's memories.

    They stay, and can be read and searched here.
    """
    with run.cortex() as cortex:
        cortex.untrust()
    _tell(run, trusted=False)


def _tell(run: Run, *, trusted: bool) -> None:
    if run.json:
        output.emit({"trusted": trusted})
    else:
        output.say("This project's memories are " + ("given." if trusted else "no longer given."))

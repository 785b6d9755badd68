"""Commands about one memory's origin and links: turn, retype."""

from __future__ import annotations

import click

from cortex_core import shapes
from cortex_core.cli import output, views
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import COUNT
from cortex_core.cli.writing import EDGE
from cortex_core.memory import EdgeType
from cortex_core.reports.detail import Turn

WHO = {
    "person": "you", "assistant": "Claude", "tool": "tool", "result": "result",
    "summary": "summary", "note": "note",
}  # fmt: skip


@command("turn", examples=("cortex turn 1f3a9c20", "cortex turn 1f3a9c20 --around 3 --json"))
@click.argument("id")
@click.option(
    "-n",
    "--around",
    type=click.IntRange(0, 20),
    metavar="N",
    default=1,
    show_default=True,
    help="How many turns to show before and after it.",
)
@click.option(
    "--source",
    type=COUNT,
    metavar="N",
    default=1,
    show_default=True,
    help="Which of its sources, if several were merged.",
)
@pass_run
def turn(run: Run, id: str, around: int, source: int) -> None:
    """Show the session turn that a memory came from.

    It is read from the transcript, if that still exists, without secrets and private text.
    """
    with run.cortex() as cortex:
        found = cortex.memories.turn_of(id, source - 1, around)
    if run.json:
        output.emit(shapes.turn(found))
    else:
        _tell(found)


def _tell(found: Turn) -> None:
    output.say(f"{'Moved: ' if found.moved else ''}{found.transcript}", "dim")
    if found.differs:
        output.note("! The text in the transcript differs from the text that the memory came from.")
    for said in found.said:
        output.say()
        here = "  <- the memory came from here" if said.here else ""
        output.say(f"{WHO[said.by]}  {views.when(said.time)}{here}", "bold")
        output.say(said.text)


@command(
    "retype",
    examples=(
        "cortex retype 1f3a9c20 77b0e1d4 --type refines",
        "cortex retype 1f3a9c20 77b0e1d4 --from relates_to --type CAUSES --turn",
    ),
)
@click.argument("source", metavar="ID")
@click.argument("target", metavar="ID")
@click.option("--type", "type_", type=EDGE, required=True, help="The new type.")
@click.option("--from", "old", type=EDGE, help="The current type, if there are several links.")
@click.option("--turn", "turned", is_flag=True, help="Reverse the direction of the link.")
@pass_run
def retype(
    run: Run, source: str, target: str, type_: EdgeType, old: EdgeType | None, turned: bool
) -> None:
    """Change the type of a link.

    Its strength and its context stay. It is one step to undo.
    """
    with run.cortex() as cortex:
        edge = cortex.graph.retype(source, target, type_, old=old, turned=turned)
    if run.json:
        output.emit(shapes.edge(edge))
    else:
        ends = (views.short(edge.source), views.short(edge.target))
        output.say(f"The link {ends[0]} -> {ends[1]} is now {edge.type}")

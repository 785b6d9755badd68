"""Commands that show memories without searching: show, list, recent, decisions, timeline,
neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from cortex_core import shapes
from cortex_core.cli import output, prose, views
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.errors import NOTHING_FOUND
from cortex_core.cli.options import COUNT, filters, filters_of, limit_option
from cortex_core.memory import SORTS, Memory, Sort


def tell(memories: Sequence[Memory], *, as_json: bool, empty: str = views.NO_MEMORIES) -> None:
    """Write `memories` as a list; exit with 3 if there are none."""
    if not output.show(views.MEMORIES, memories, as_json=as_json, empty=empty):
        raise click.exceptions.Exit(NOTHING_FOUND)


@command(
    "list",
    examples=(
        "cortex list",
        "cortex list --kind decision --scope project --since 2026-10-01",
        "cortex list --tag auth --sort priority --limit 20 --json",
    ),
)
@filters
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    default="updated",
    show_default=True,
    help="Sort by this: latest or highest first, or alphabetically.",
)
@limit_option(None)
@pass_run
def listing(run: Run, /, sort: Sort, limit: int | None, **options: Any) -> None:
    """List memories."""
    with run.cortex() as cortex:
        found = cortex.list(sort=sort, limit=limit, **filters_of(options))
        empty = "No memories match." if cortex.workspace.stores else views.NO_MEMORIES
    tell(found, as_json=run.json, empty=empty)


@command("recent", examples=("cortex recent", "cortex recent 25 --json"))
@click.argument("number", metavar="[N]", type=COUNT, default=10)
@pass_run
def recent(run: Run, number: int) -> None:
    """List the newest memories."""
    with run.cortex() as cortex:
        tell(cortex.memories.recent(number), as_json=run.json)


@command("decisions", examples=("cortex decisions", "cortex decisions --limit 5 --json"))
@limit_option(None)
@pass_run
def decisions(run: Run, limit: int | None) -> None:
    """List the decisions, newest first."""
    with run.cortex() as cortex:
        tell(cortex.memories.decisions(limit), as_json=run.json, empty="No decisions yet.")


@command("timeline", examples=("cortex timeline 1f3a9c20", "cortex timeline 1f3a9c20 --around 10"))
@click.argument("id")
@click.option(
    "-n",
    "--around",
    type=COUNT,
    metavar="N",
    default=5,
    show_default=True,
    help="How many memories before and after it.",
)
@pass_run
def timeline(run: Run, id: str, around: int) -> None:
    """Show what was learned before and after a memory."""
    with run.cortex() as cortex:
        tell(cortex.memories.timeline(id, around), as_json=run.json)


@command(
    "neighbours", examples=("cortex neighbours 1f3a9c20", "cortex neighbours 1f3a9c20 --depth 2")
)
@click.argument("id")
@click.option(
    "--depth",
    type=click.IntRange(1, 4),
    metavar="N",
    default=1,
    show_default=True,
    help="Maximum number of links between them.",
)
@pass_run
def neighbours(run: Run, id: str, depth: int) -> None:
    """Show the memories linked to a memory."""
    with run.cortex() as cortex:
        found = cortex.graph.neighbours(id, depth)
    empty = f"It has no links. To add one: cortex link {id} ID"
    if not output.show(views.NEIGHBOURS, found, as_json=run.json, empty=empty):
        raise click.exceptions.Exit(NOTHING_FOUND)


@command("show", examples=("cortex show 1f3a9c20", "cortex show 1f3a9c20 --json"))
@click.argument("id")
@pass_run
def show(run: Run, id: str) -> None:
    """Show one memory in full.

    Its text, source, links, changes, and when it was injected. Looking at a memory resets its
    decay; with --json it does not.
    """
    with run.cortex() as cortex:
        if not run.json:
            cortex.memories.record_view(id)
        detail = cortex.memories.details(id)
    if run.json:
        output.emit(shapes.detail(detail))
    else:
        prose.detail(detail)

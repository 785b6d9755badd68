"""Commands that answer a query: recall and about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from cortex_core import shapes
from cortex_core.base.errors import UsageError
from cortex_core.cli import output, prose
from cortex_core.cli.command import NOTHING_FOUND, Run, command, pass_run
from cortex_core.cli.options import filters, filters_of, limit_option, lines_of, text_of
from cortex_core.types import RECALL_MODES

if TYPE_CHECKING:
    from cortex_core.api import Cortex
    from cortex_core.types import Recall

EXPLAIN = click.option("--explain", is_flag=True, help="Show the parts of each score.")


@command(
    "recall",
    examples=(
        'cortex recall "which package manager"',
        "cortex recall token refresh --kind decision --kind gotcha --since 30d",
        'cortex recall "login" --file src/auth/session.ts --json',
        "cortex recall --batch questions.txt --limit 5",
    ),
)
@click.argument("words", metavar="QUERY", nargs=-1)
@limit_option(10)
@filters
@click.option(
    "--mode",
    type=click.Choice(RECALL_MODES),
    default="hybrid",
    show_default=True,
    help="Search by words, by meaning, or both.",
)
@click.option(
    "--batch",
    metavar="FILE",
    help="Read one query per line (- for stdin), print one JSON line each; counts no use.",
)
@EXPLAIN
@pass_run
def recall(
    run: Run,
    /,
    words: tuple[str, ...],
    batch: str | None,
    explain: bool,
    limit: int,
    mode: str,
    **options: Any,
) -> None:
    """Search memories by words and by meaning.

    The best hits of both stores come first. Any text is a valid query. Misspelt words are
    corrected.
    """
    asked = {"limit": limit, "mode": mode, **filters_of(options)}
    if batch is not None:
        if words:
            raise UsageError("Use either a query or --batch, not both. Nothing was searched.")
        with lines_of(batch) as lines, run.cortex() as cortex:
            _answer_each(cortex, lines, asked)
        return
    query = text_of(words, what="query")
    with run.cortex() as cortex:
        found = cortex.recall(query, **asked)
        tell(found, as_json=run.json, explain=explain, empty=not cortex.workspace.stores)


@command("about", examples=('cortex about "token refresh"', "cortex about payments --limit 20"))
@click.argument("words", metavar="TOPIC", nargs=-1, required=True)
@limit_option(20)
@EXPLAIN
@pass_run
def about(run: Run, words: tuple[str, ...], limit: int, explain: bool) -> None:
    """Show what is known about a topic.

    This is a wider recall that also searches archived memories.
    """
    topic = text_of(words, what="topic")
    with run.cortex() as cortex:
        found = cortex.about(topic, limit)
        tell(found, as_json=run.json, explain=explain, empty=not cortex.workspace.stores)


def tell(found: Recall, *, as_json: bool, explain: bool, empty: bool) -> None:
    """Write the hits, and notes to stderr; exit with 3 if there are none.

    `empty`: whether there are no memories yet.
    """
    for wrong, right in found.corrected.items():
        output.note(f"Searched for “{right}” instead of “{wrong}”.")
    if found.degraded:
        output.note(found.degraded)
    for hit in found:
        if as_json:
            output.emit({**shapes.hit(hit), "why": hit.why} if explain else shapes.hit(hit))
        else:
            prose.hit(hit, explain=explain)
    if not found.hits:
        output.note(prose.NO_MEMORIES if empty else "Nothing found.")
        raise click.exceptions.Exit(NOTHING_FOUND)


def _answer_each(cortex: Cortex, queries: Iterable[str], asked: dict[str, Any]) -> None:
    """Answer every line, an empty one with no hits, so that answers match queries line by line."""
    for query in queries:
        hits = cortex.recall(query, count=False, **asked).hits if query.strip() else ()
        output.emit(shapes.answer(query, hits))

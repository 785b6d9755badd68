"""Commands that take memories out of use and bring them back: forget, restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cortex_core.cli import output, views
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.marking import IDS
from cortex_core.cli.writing import tell_all
from cortex_core.errors import NotFound, UsageError
from cortex_core.memory import Memory

if TYPE_CHECKING:
    from cortex_core.cortex import Cortex

MOST = 100
"""Fitting memories that are looked at; more than one is too many anyway."""


@command(
    "forget",
    examples=("cortex forget 1f3a9c20", 'cortex forget "staging token" --dry-run'),
)
@click.argument("words", metavar="ID...|QUERY", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show what would be forgotten; change nothing.")
@pass_run
def forget(run: Run, words: tuple[str, ...], dry_run: bool) -> None:
    """Archive memories, by id or by words.

    Words have to fit one memory: where several hold them all, these are listed and nothing is
    changed. cortex restore or cortex undo brings memories back.
    """
    with run.cortex() as cortex:
        found, sure = _meant(cortex, words)
        if sure and not dry_run:
            found = cortex.forget([memory.id for memory in found])
    if sure:
        tell_all(found, "Would forget" if dry_run else "Forgot", as_json=run.json)
        return
    output.show(views.MEMORIES, found, as_json=run.json)
    raise UsageError(
        f"“{' '.join(words)[:60]}” may mean {views.memories(len(found))}. Nothing was changed. "
        "Say which: cortex forget ID"
    )


def _meant(cortex: Cortex, words: tuple[str, ...]) -> tuple[list[Memory], bool]:
    """The memories that `words` name, and whether that is sure.

    It is when each word is an id, or when exactly one memory holds them all as they are spelt.

    Raises:
        NotFound: nothing fits.
    """
    try:
        return [cortex.show(word) for word in words], True
    except (NotFound, UsageError):
        hits = cortex.search_ids(" ".join(words))
    found = [memory for memory in cortex.rows(hits.keys[:MOST]) if memory.status == "active"]
    if not found:
        raise NotFound(f"No memory fits “{' '.join(words)[:60]}”. Nothing was changed.")
    return found, len(found) == 1 and not hits.corrected


@command(
    "restore",
    examples=("cortex restore 1f3a9c20", "cortex restore 1f3a9c20 77b0e1d4"),
)
@IDS
@pass_run
def restore(run: Run, ids: tuple[str, ...]) -> None:
    """Bring archived or superseded memories back.

    Memories in the trash as well; their decay starts afresh.
    """
    with run.cortex() as cortex:
        changed = cortex.restore(ids)
    tell_all(changed, "Restored", as_json=run.json)

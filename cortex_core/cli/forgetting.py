"""Commands that archive memories and restore them: forget, restore."""

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
    from cortex_core.api import Cortex

MOST = 100
"""Maximum number of matches to read; more than one is ambiguous anyway."""


@command(
    "forget",
    examples=("cortex forget 1f3a9c20", 'cortex forget "staging token" --dry-run'),
)
@click.argument("words", metavar="ID...|QUERY", nargs=-1, required=True)
@click.option(
    "--dry-run", is_flag=True, help="Show what would be forgotten, without changing anything."
)
@pass_run
def forget(run: Run, words: tuple[str, ...], dry_run: bool) -> None:
    """Archive memories, by id or by words.

    Words must match exactly one memory. If they match several, these are listed and nothing
    changes. cortex restore or cortex undo restores memories.
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
        f"“{' '.join(words)[:60]}” matches {views.memories(len(found))}. Nothing was changed. "
        "Choose one: cortex forget ID"
    )


def _meant(cortex: Cortex, words: tuple[str, ...]) -> tuple[list[Memory], bool]:
    """The memories that `words` name, and whether that is certain.

    It is certain if each word is an id, or if exactly one memory contains all the words.

    Raises:
        NotFound: no memory matches.
    """
    try:
        return [cortex.show(word) for word in words], True
    except (NotFound, UsageError):
        hits = cortex.memories.search_ids(" ".join(words))
    found = [
        memory for memory in cortex.memories.rows(hits.keys[:MOST]) if memory.status == "active"
    ]
    if not found:
        raise NotFound(f"No memory matches “{' '.join(words)[:60]}”. Nothing was changed.")
    return found, len(found) == 1 and not hits.corrected


@command(
    "restore",
    examples=("cortex restore 1f3a9c20", "cortex restore 1f3a9c20 77b0e1d4"),
)
@IDS
@pass_run
def restore(run: Run, ids: tuple[str, ...]) -> None:
    """Restore archived or superseded memories.

    This includes memories in the trash. Restoring resets their decay.
    """
    with run.cortex() as cortex:
        changed = cortex.restore(ids)
    tell_all(changed, "Restored", as_json=run.json)

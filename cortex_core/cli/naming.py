"""Which memory a user means: by its id, or by words of it, and what is said when that is not sure.

Every argument that names a memory passes here, so that each command takes ids and words alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from cortex_core.base.errors import CortexError, UsageError
from cortex_core.cli import output, prose
from cortex_core.cli.command import Run, at_terminal
from cortex_core.types import Memory, NamedMemories, Status

if TYPE_CHECKING:
    from cortex_core.api import Cortex

SHOWN = 60
"""Characters of a name that a message repeats."""


def ids(
    run: Run, cortex: Cortex, names: Sequence[str], statuses: Sequence[Status] = ("active",)
) -> list[str]:
    """The ids of the memories to change; a name that fits none is returned as it is.

    Where one memory fits by similar words alone, a user at a terminal is asked.

    Args:
        statuses: of the memories that words may mean.

    Raises:
        UsageError: several fit, or none certainly; they are printed.
    """
    return [
        _chosen(run, name, cortex.memories.named(name, statuses), looks=False) for name in names
    ]


def seen(run: Run, cortex: Cortex, name: str) -> str:
    """The id of the memory to look at: also the only one that fits by similar words.

    Raises:
        UsageError: several fit, or none but by meaning; they are printed.
    """
    return _chosen(run, name, cortex.memories.named(name), looks=True)


def _chosen(run: Run, name: str, found: NamedMemories, *, looks: bool) -> str:
    if not found.memories:
        return name
    first = found.memories[0]
    if found.certain or (len(found.memories) == 1 and _accepted(run, name, first, looks=looks)):
        return first.id
    output.show(prose.MEMORIES, found.memories, as_json=run.json)
    how = "matches" if not found.read else "may mean"
    raise UsageError(
        f"“{name[:SHOWN]}” {how} {prose.memories(len(found.memories))}. Nothing was changed. "
        "Choose one by its id."
    )


def _accepted(run: Run, name: str, memory: Memory, *, looks: bool) -> bool:
    """Whether the one memory that fits uncertainly is the one that is meant.

    Raises:
        CortexError: the user says that it is not.
    """
    if looks:
        output.note(f"“{name[:SHOWN]}” is read as {prose.short(memory.id)}: {memory.title}")
        return True
    if run.json or not at_terminal():
        return False
    if not click.confirm(f"Do you mean {prose.short(memory.id)}: {memory.title}?", err=True):
        raise CortexError("Nothing was changed.")
    return True

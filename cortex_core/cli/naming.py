"""Which memory or conversation a user means: by its id, or by words of it, and what is said when
that is not sure.

Every argument that names one passes here, so that each command takes both ids and words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from cortex_core.base import text
from cortex_core.base.errors import CortexError, NotFound, UsageError
from cortex_core.cli import output, prose
from cortex_core.cli.command import Run, at_terminal
from cortex_core.records.conversation import ConversationText
from cortex_core.records.memory import Memory, NamedMemories, Status, Where

if TYPE_CHECKING:
    from cortex_core.api import Cortex

PUT_AWAY: tuple[Status, ...] = ("archived", "superseded", "pruned")
"""What words mean where a memory is to come back."""

SHOWN = 60
"""Characters of a name that a message repeats."""

OFFERED = 1_000
"""How many of the newest memories or sessions completion looks at: more are too slow for a Tab."""


def ids(
    run: Run,
    names: Sequence[str],
    statuses: Sequence[Status] = ("active",),
    *,
    scope: Where = "all",
) -> list[str]:
    """The ids of the memories to change; a name that fits none is returned as it is.

    Where one memory fits by similar words alone, a user at a terminal is asked.

    Args:
        statuses: of the memories that words may mean.
        scope: the store of the memories that words may mean.

    Raises:
        UsageError: several fit, or none certainly; they are printed.
    """
    found = (run.cortex.memories.named(name, statuses, scope=scope) for name in names)
    return [_chosen(run, name, each, looks=False) for name, each in zip(names, found, strict=True)]


def seen(run: Run, name: str) -> str:
    """The id of the memory to look at: also the only one that fits by similar words.

    Raises:
        UsageError: several fit, or none but by meaning; they are printed.
    """
    return _chosen(run, name, run.cortex.memories.named(name), looks=True)


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


def conversation(run: Run, name: str, *, looks: bool = True) -> ConversationText:
    """The conversation to read (`looks`) or to change; words mean the one that they find first.

    Raises:
        NotFound: there is none, neither by its id nor by these words.
        UsageError: the beginning of an id matches several, or it is to be changed and only words
            name it; then the user is asked, at a terminal.
    """
    archive = run.cortex.sessions.archive
    try:
        return archive.read(name)
    except NotFound:
        is_id = set(name) <= set("0123456789abcdef-") and any(map(str.isdigit, name))
        hits = [] if is_id else archive.search(name, limit=1)
        if not hits:
            raise
    found = hits[0].conversation
    titled = f"{prose.short(found.session)} ({found.title})"
    if looks:
        output.note(f"“{name[:SHOWN]}” is read as {titled}")
    elif run.json or not at_terminal():
        raise UsageError(
            f"“{name[:SHOWN]}” is no id of a session. Nothing was changed. If you mean {titled}, "
            "use this id."
        )
    # Words that only fit best must not forget a session by themselves.
    elif not click.confirm(f"Do you mean {titled}?", err=True):
        raise CortexError("Nothing was changed.")
    return archive.read(found.session)


def _completing(
    listed: Callable[[Cortex], Iterable[tuple[str, str]]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """What completes an id from those that `listed` has, each with its title."""

    def complete(
        context: click.Context, _argument: click.Parameter, start: str
    ) -> list[CompletionItem]:
        from cortex_core.api import Cortex

        project, short = context.find_root().ensure_object(Run).project, prose.SHORT_ID
        # Whatever is wrong, a Tab must not write over the line that is being typed.
        with suppress(Exception), Cortex.open(project=project) as cortex:
            return [
                CompletionItem(id if len(start) > short else id[:short], help=text.one_line(title))
                for id, title in listed(cortex)
                if id.startswith(start)
            ]
        return []

    return complete


complete_memory = _completing(
    lambda cortex: (
        (one.id, one.title)
        for statuses in (("active",), PUT_AWAY)
        for one in cortex.list(limit=OFFERED, statuses=statuses)
    )
)
"""Completes the id of a memory: the newest first, and those that were put away last."""

complete_session = _completing(
    lambda cortex: (
        (one.session, one.title)
        for found in (
            cortex.sessions.archive.list(limit=OFFERED),
            cortex.sessions.archive.forgotten(),
        )
        for one in found
    )
)
"""Completes the id of a session: the newest first, and the forgotten ones last."""

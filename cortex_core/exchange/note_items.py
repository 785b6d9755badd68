"""A piece of a note as a memory to import, and what of a file may be read at all."""

import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path

from cortex_core.admission import checks
from cortex_core.base import decay
from cortex_core.capture.notes import Note
from cortex_core.exchange.importer import ImportItem
from cortex_core.records import procedure_plan
from cortex_core.records.memory import Context, InjectionPolicy, Memory, Scope, Source
from cortex_core.redaction import redactor, secrets
from cortex_core.store.workspace import Workspace


def item(
    workspace: Workspace,
    note: Note,
    file: str,
    rule: str,
    kind: str,
    *,
    created: float,
    scope: Scope,
    tags: Iterable[str] = (),
    globs: Sequence[str] = (),
    inject: InjectionPolicy = "normal",
    priority: int = 5,
    by_user: bool = False,
) -> ImportItem:
    """A piece of a note as a memory to import.

    One written long ago starts at most one half-life old, as in capture.

    Args:
        file: the file it comes from, part of its source.
        by_user: whether it is the user's own words.

    Raises:
        UsageError: nothing is left of it, since it is private.
    """
    kinds, now = workspace.config.kinds, workspace.clock()
    named = "procedure" if note.steps else kind
    # What was written long ago has decayed since: the file says when, not the import.
    memory = Memory(
        id=str(uuid.uuid4()),
        content=note.content,
        title=note.title,
        scope=scope,
        kind=named,
        tags=checks.checked_tags(tags, workspace.config),
        globs=tuple(globs),
        inject=inject,
        priority=priority,
        source=Source(rule=rule, message=file, time=created),
        context=Context(folder=workspace.project.cwd),
        created=created,
        updated=now,
        reinforced=decay.day_zero(created, now, kinds.known(named).half_life),
        details=procedure_plan.ProcedurePlan(steps=note.steps).lists if note.steps else {},
    )
    return ImportItem(
        memory=checks.checked_memory(memory, workspace.config), file=file, by_user=by_user
    )


def without_secrets(workspace: Workspace, words: str) -> str:
    """The words of a file without secrets, before titles are made: these may lose the name of one.

    Raises:
        ConfigError: one of the user's own patterns is not valid.
    """
    return redactor.shared(tuple(workspace.config.get("redact.extra"))).text(words)


def is_ignored(workspace: Workspace, path: Path) -> bool:
    """Whether the user excluded a file from capture."""
    return secrets.is_ignored(path.absolute(), workspace.config.get("capture.ignore"))

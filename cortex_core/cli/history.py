"""Commands for what has happened and can be taken back: log, undo, redo, trash, snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from cortex_core.cli import output, shapes, views
from cortex_core.cli.command import Command, Run, command, group, pass_run
from cortex_core.cli.options import COUNT, DRY_RUN, YES, confirm, limit_option
from cortex_core.errors import UsageError
from cortex_core.memory import SCOPES, Scope
from cortex_core.records import Change


@command(
    "log",
    examples=(
        "cortex log",
        "cortex log --memory 1f3a9c20",
        "cortex log --memory 1f3a9c20 --values",
    ),
)
@limit_option(20)
@click.option("--memory", metavar="ID", help="Only changes of this memory.")
@click.option("--values", is_flag=True, help="With its values before and after each change.")
@pass_run
def log(run: Run, limit: int, memory: str | None, values: bool) -> None:
    """List the changes made.

    The newest first; each can be taken back with cortex undo.
    """
    if values and memory is None:
        raise UsageError("--values needs --memory ID. Nothing was changed.")
    empty = "Nothing has been changed yet."
    with run.cortex() as cortex:
        if values and memory is not None:
            output.show(views.REVISIONS, cortex.revisions(memory, limit), as_json=run.json,
                        empty=empty)  # fmt: skip
            return
        changes = cortex.log(limit, memory=memory)
    output.show(views.CHANGES, changes, as_json=run.json, empty=empty)


def _back(name: str, examples: tuple[str, ...]) -> Callable[[Callable[..., None]], Command]:
    """The shape that undo and redo share: how many, or which one."""

    def decorate(function: Callable[..., None]) -> Command:
        for option in (
            click.option(
                "--scope", type=click.Choice(SCOPES), help="The store --change counts in."
            ),
            click.option(
                "--change",
                type=COUNT,
                metavar="NO",
                help="This change of cortex log, rather than the last.",
            ),
            click.argument("number", metavar="[N]", type=COUNT, default=1),
        ):
            function = option(function)
        return command(name, examples=examples)(function)

    return decorate


@_back("undo", examples=("cortex undo", "cortex undo 3", "cortex undo --change 41"))
@pass_run
def undo(run: Run, number: int, change: int | None, scope: Scope | None) -> None:
    """Take back the last change, or the last few.

    What a person, an agent or an import did; what a worker captured is taken back by --change.
    """
    with run.cortex() as cortex:
        changes = cortex.undo(number, number=change, scope=scope)
    _tell(changes, "Took back", as_json=run.json)


@_back("redo", examples=("cortex redo", "cortex redo 3"))
@pass_run
def redo(run: Run, number: int, change: int | None, scope: Scope | None) -> None:
    """Make the last undone change again, or the last few."""
    with run.cortex() as cortex:
        changes = cortex.redo(number, number=change, scope=scope)
    _tell(changes, "Made again", as_json=run.json)


def _tell(changes: Sequence[Change], done: str, *, as_json: bool) -> None:
    for change in changes:
        if as_json:
            output.emit(shapes.change(change))
        else:
            output.say(f"{done}: {change.label}")


@group("trash", examples=("cortex trash list", "cortex trash empty --dry-run"))
def trash() -> None:
    """List or empty the trash."""


@trash.command("list", examples=("cortex trash list", "cortex trash list --json"))
@pass_run
def trash_list(run: Run) -> None:
    """List pruned memories.

    cortex restore ID brings one back.
    """
    with run.cortex() as cortex:
        found = cortex.trash()
    output.show(views.TRASH, found, as_json=run.json, empty="The trash is empty.")


@trash.command("empty", examples=("cortex trash empty --dry-run", "cortex trash empty --yes"))
@DRY_RUN
@YES
@pass_run
def trash_empty(run: Run, dry_run: bool, yes: bool) -> None:
    """Delete what is in the trash, for good.

    The one thing that cannot be undone; a terminal asks first.
    """
    with run.cortex() as cortex:
        number = len(cortex.trash())
        if number and not dry_run:
            confirm(f"Delete {views.memories(number)} for good?", yes)
            number = cortex.empty_trash()
    if run.json:
        output.emit({"deleted": number, "dry_run": dry_run})
    else:
        output.say(f"{'Would delete' if dry_run else 'Deleted'} {views.memories(number)}.")


@group("snapshot", examples=("cortex snapshot list", "cortex snapshot restore 1"))
def snapshot() -> None:
    """List, make or restore snapshots of the stores.

    One is taken before every consolidation, pruning, migration and import.
    """


STORE = click.option("--scope", type=click.Choice(SCOPES),
                     help="Which store; the project's when not given.")  # fmt: skip


@snapshot.command("list", examples=("cortex snapshot list", "cortex snapshot list --scope global"))
@STORE
@pass_run
def snapshot_list(run: Run, scope: Scope | None) -> None:
    """List the snapshots of a store, the newest first."""
    with run.cortex() as cortex:
        found = list(enumerate(cortex.snapshots(scope), 1))
    output.show(views.SNAPSHOTS, found, as_json=run.json, empty="There are no snapshots yet.")


@snapshot.command("create", examples=("cortex snapshot create", "cortex snapshot create --json"))
@STORE
@pass_run
def snapshot_create(run: Run, scope: Scope | None) -> None:
    """Copy a store as it is now."""
    with run.cortex() as cortex:
        made = cortex.snapshot(scope=scope)
    if run.json:
        output.emit(shapes.snapshot(1, made))
    else:
        output.say(f"Snapshot taken: {made.path}")


@snapshot.command("restore", examples=("cortex snapshot restore 1", "cortex snapshot restore 2 -y"))
@click.argument("number", metavar="N", type=COUNT)
@STORE
@YES
@pass_run
def snapshot_restore(run: Run, number: int, scope: Scope | None, yes: bool) -> None:
    """Put a store back to its snapshot N.

    The present state becomes a snapshot too, so that this can be taken back the same way.
    """
    confirm(f"Put the store back to snapshot {number}?", yes)
    with run.cortex() as cortex:
        chosen = cortex.restore_snapshot(number, scope)
    if run.json:
        output.emit(shapes.snapshot(number, chosen))
    else:
        output.say(f"The store is as it was at {shapes.snapshot(number, chosen)['time']}.")

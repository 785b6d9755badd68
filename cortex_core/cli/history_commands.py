"""Commands about history: log, undo, redo, trash, snapshot."""

from collections.abc import Callable
from contextlib import suppress

import click

from cortex_core.base import text
from cortex_core.base.errors import StoreError, UsageError
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import (
    COUNT,
    DRY_RUN,
    YES,
    Command,
    Run,
    at_terminal,
    command,
    confirm,
    group,
    limit_option,
    pass_run,
)
from cortex_core.records.as_json import to_json
from cortex_core.records.changes import TakenBack
from cortex_core.records.memory import OWN_SCOPES, Scope


@command(
    "log",
    examples=(
        "cortex log",
        "cortex log --memory 1f3a9c20",
        "cortex log --memory 1f3a9c20 --values",
    ),
)
@limit_option(20)
@click.option("--memory", metavar="ID", help="Only changes to this memory.")
@click.option(
    "--values", is_flag=True, help="With --memory: show the values before and after each change."
)
@pass_run
def log(run: Run, limit: int, memory: str | None, values: bool) -> None:
    """List the changes.

    The newest comes first. cortex undo undoes a change.
    """
    if values and memory is None:
        raise UsageError("--values requires --memory ID. Nothing was shown.")
    empty = "Nothing has been changed yet."
    memory = memory and naming.seen(run, memory)
    if values and memory is not None:
        revisions = run.cortex.memories.revisions(memory, limit)
        output.show(prose.REVISIONS, revisions, as_json=run.json, empty=empty)
        return
    output.show(prose.CHANGES, run.cortex.log(limit, memory=memory), as_json=run.json, empty=empty)


def _back(
    name: str,
    examples: tuple[str, ...],
    help: str,
    act: Callable[[Run], Callable[..., TakenBack]],
) -> Command:
    """The command undo or redo, with the options that say how many changes, or which one."""

    # One function for both: what differs is in the two rows below.
    @command(
        name,
        examples=examples,
        help=help,
        params=[
            click.Argument(["number"], metavar="[N]", type=COUNT, default=1),
            click.Option(
                ["--change"],
                type=COUNT,
                metavar="NO",
                help="This change from cortex log, instead of the last one.",
            ),
            click.Option(
                ["--scope"],
                type=click.Choice(OWN_SCOPES),
                help="Only changes of this store, wherever they were made.",
            ),
        ],
    )
    @pass_run
    def back(run: Run, number: int, change: int | None, scope: Scope | None) -> None:
        changes = act(run)(number, number=change, scope=scope)
        if run.json:
            for one in changes:
                output.emit(to_json(one))
        # An action may have parts in two stores, which are two changes.
        lines = dict.fromkeys((one.action, one.verb, one.label) for one in changes)
        for _, verb, label in () if run.json else lines:
            output.say(f"{'Undone' if verb == 'undo' else 'Redone'}: {label}")
        if not (change or run.json) and len(lines) < number:
            output.note(f"There was nothing more to {name}: {len(lines)} of {number}.")
        if changes.passed_over:
            output.note(changes.passed_over)

    return back


undo = _back(
    "undo",
    ("cortex undo", "cortex undo 3", "cortex undo --change 41"),
    "Undo the last change, or the last few.\n\nThis means changes by you, an agent or an import, "
    "in this project. To undo what the worker captured, use --change. What was changed in the "
    "global store from another project is undone with --scope global. To undo an undo, give "
    "--change its number from cortex log.",
    lambda run: run.cortex.undo,
)
redo = _back(
    "redo",
    ("cortex redo", "cortex redo 3"),
    "Redo the last undone change, or the last few.\n\nWith --change, NO is the number of the "
    "undone change, or of its undo.",
    lambda run: run.cortex.redo,
)


@group("trash", examples=("cortex trash list", "cortex trash empty --dry-run"))
def trash() -> None:
    """List or empty the trash."""


@trash.command("list", examples=("cortex trash list", "cortex trash list --json"))
@pass_run
def trash_list(run: Run) -> None:
    """List pruned memories.

    cortex restore ID restores one.
    """
    output.show(
        prose.TRASH,
        run.cortex.trash.list(),
        as_json=run.json,
        empty="The trash is empty. What you forget stays in the archive first: cortex list "
        "--include-archived",
    )


@trash.command("empty", examples=("cortex trash empty --dry-run", "cortex trash empty --yes"))
@DRY_RUN
@YES
@pass_run
def trash_empty(run: Run, dry_run: bool, yes: bool) -> None:
    """Delete all memories in the trash and all forgotten conversations permanently.

    This cannot be undone. In a terminal, it asks first.
    """
    number = len(run.cortex.trash.list())
    conversations = len(run.cortex.sessions.archive.forgotten())
    what = prose.memories(number)
    if conversations:
        what += f" and {text.counted(conversations, 'conversation')}"
    if (number or conversations) and not dry_run:
        confirm(f"Delete {what} permanently?", yes)
        number = run.cortex.trash.empty()
    run.say(
        {"deleted": number, "conversations": conversations, "dry_run": dry_run},
        f"{'Would delete' if dry_run else 'Deleted'} {what}.",
    )


@group("snapshot", examples=("cortex snapshot list", "cortex snapshot restore 1"))
def snapshot() -> None:
    """List, create or restore snapshots of the stores.

    Cortex takes one before every consolidation, pruning, migration and import.
    """


STORE = click.option(
    "--scope", type=click.Choice(OWN_SCOPES), help="Which store; default: the project store."
)


@snapshot.command("list", examples=("cortex snapshot list", "cortex snapshot list --scope global"))
@STORE
@pass_run
def snapshot_list(run: Run, scope: Scope | None) -> None:
    """List the snapshots of a store, newest first."""
    numbered = list(enumerate(run.cortex.snapshots.list(scope), 1))
    output.show(prose.SNAPSHOTS, numbered, as_json=run.json, empty="There are no snapshots yet.")


@snapshot.command("create", examples=("cortex snapshot create", "cortex snapshot create --json"))
@STORE
@pass_run
def snapshot_create(run: Run, scope: Scope | None) -> None:
    """Take a snapshot of a store."""
    taken = run.cortex.snapshots.take(scope=scope)
    run.say(prose.snapshot_json(1, taken), f"Snapshot taken: {taken.path}")


RESTORED_HERE = (
    "Your other machines have what was sent since: the next cortex sync brings it back here. To "
    "have a snapshot back on all of them, run cortex snapshot restore in a terminal and say so."
)
"""What an exchange does after a restore on one machine."""

EVERYWHERE = (
    "Your other machines have what was sent since, and the next cortex sync would bring it back. "
    "Put the snapshot back on all of them?"
)


@snapshot.command("restore", examples=("cortex snapshot restore 1", "cortex snapshot restore 2 -y"))
@click.argument("number", metavar="N", type=COUNT)
@STORE
@YES
@pass_run
def snapshot_restore(run: Run, number: int, scope: Scope | None, yes: bool) -> None:
    """Restore snapshot N of a store.

    Cortex takes a snapshot of the current state first, so that you can go back to it. In a
    terminal, it asks about a store that takes part in cortex sync: put back on all machines, it is
    one change, which is sent at once and which cortex undo takes back.
    """
    confirm(f"Restore snapshot {number} of the store?", yes)
    sync, snapshots = run.cortex.sync, run.cortex.snapshots
    asks = not yes and at_terminal() and _is_shared(run, scope)
    if asks and click.confirm(EVERYWHERE, err=True):
        sync.run()  # what this machine has not read yet would come after the restore, and stay
        chosen = snapshots.bring_back(number, scope)
        sent = sync.run()
        problems = [f"{each.name}: {each.error}" for each in sent.remotes if each.error]
        run.say(
            prose.snapshot_json(number, chosen),
            f"Put the store back to {text.iso(chosen.moment)}. {sent.sentence}",
            "\n".join(problems),
        )
        return
    chosen = snapshots.restore(number, scope)
    run.say(
        prose.snapshot_json(number, chosen),
        f"Restored the store from {text.iso(chosen.moment)}. What it held until now is snapshot 1: "
        "cortex undo does not reach it, cortex snapshot restore 1 does.",
        RESTORED_HERE if _is_shared(run, scope) else "",
    )


def _is_shared(run: Run, scope: Scope | None) -> bool:
    """Whether a store takes part in an exchange; False where damage does not let it say so."""
    with suppress(StoreError):
        return (scope or "project") in run.cortex.sync.status().waiting
    return False

"""Commands about the user's other machines: add a remote, exchange through it, show its state."""

import os
from collections.abc import Callable
from pathlib import Path

import click

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.cli import output, prose
from cortex_core.cli.command import DRY_RUN, FAILED, Run, at_terminal, group, pass_run, start_worker
from cortex_core.records.as_json import to_json
from cortex_core.records.machines import RemoteState, SyncReport, SyncStatus

VARIABLE = "CORTEX_PASSPHRASE"
"""The variable of the environment that a passphrase is read from."""

SAME = (
    "A project with the same first commit and another origin takes part there. Is it this one, so "
    "that both are to have all memories of each other?"
)

PASSPHRASE_FILE = click.option(
    "--passphrase-file",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help=f"Read the passphrase from the first line of this file (or set {VARIABLE}).",
)


@group(
    "sync",
    examples=(
        "cortex sync add laptop git@github.com:me/memory.git --global",
        "cortex sync",
        "cortex sync --dry-run",
        "cortex sync status",
    ),
    unnamed="run",
)
def sync() -> None:
    """Exchange memories with your other machines.

    cortex sync is short for cortex sync run. Your machines meet at a remote: a private git
    repository, a folder that ssh reaches, or a folder that a disk or another program carries. Each
    machine writes files of its own there and reads those of the others. docs/machines.md says more.
    """


@sync.command(
    "add",
    examples=(
        "cortex sync add home git@github.com:me/memory.git --global",
        "cortex sync add box box:memories --encrypt",
        "cortex sync add stick /media/stick/cortex",
        "cortex sync add home",
    ),
)
@click.argument("name", metavar="NAME")
@click.argument("target", metavar="[TARGET]", default="")
@click.option(
    "--global", "everywhere", is_flag=True, help="Let the global store take part as well."
)
@click.option(
    "--as",
    "known_as",
    metavar="NAME",
    default="",
    help="The name by which all machines know this project, if git cannot tell.",
)
@click.option(
    "--encrypt/--no-encrypt",
    "encrypt",
    default=None,
    help="Encrypt the files with a passphrase; default: at a git host.",
)
@PASSPHRASE_FILE
@click.option(
    "--force", is_flag=True, help="Use a git repository that is used for something else as well."
)
@pass_run
def sync_add(
    run: Run,
    name: str,
    target: str,
    everywhere: bool,
    known_as: str,
    encrypt: bool | None,
    passphrase_file: str | None,
    force: bool,
) -> None:
    """Let this project take part in a remote.

    TARGET is a git repository, host:folder for ssh, or a folder; leave it out for a remote that
    this machine has already. Other machines know the project by its first commit or by its git
    remote, wherever it is. Files at a git host are encrypted: the first machine chooses a
    passphrase, every other one is asked for it once. Nothing is sent before cortex sync.
    """
    remote = run.cortex.sync.add(
        name,
        target,
        passphrase=_passphrase(passphrase_file),
        encrypt=encrypt,
        everywhere=everywhere,
        known_as=known_as,
        force=force,
    )
    # Whether a host can read the memories must be seen before the first exchange, which is another
    # command.
    run.say(
        to_json(remote),
        f"Added {' and '.join(STORES[one] for one in remote.here)} to {name}.\n"
        f"remote  {_at(remote)}",
        "To exchange now: cortex sync",
    )


@sync.command(
    "run",
    examples=("cortex sync", "cortex sync home", "cortex sync --dry-run", "cortex sync --json"),
)
@click.argument("name", metavar="[NAME]", default="")
@DRY_RUN
@click.option(
    "--same",
    is_flag=True,
    help="Take a project with the same first commit and another origin for this one.",
)
@pass_run
def sync_run(run: Run, name: str, dry_run: bool, same: bool) -> None:
    """Exchange what is new through one remote, or through all of them.

    It reads first, then sends. Of two edits of one text the later one is kept, and the other waits
    in cortex review. The exit code is 1 if a remote could not be used: nothing is lost, and the
    next run continues.
    """
    with output.progress("Exchanging") as progress:
        report = run.cortex.sync.run(name, dry_run=dry_run, same=same, progress=progress)
    unlike = any(store.unlike for remote in report.remotes for store in remote.stores)
    if unlike and not dry_run and at_terminal() and click.confirm(SAME, err=True):
        report = run.cortex.sync.run(name, same=True)
    if report.received and not dry_run:
        start_worker(run.cortex.project)
    run.show(report, _print_report)
    click.get_current_context().exit(FAILED if report.failed else 0)


@sync.command(
    "status", examples=("cortex sync status --json", "cortex sync status --rename laptop")
)
@click.option(
    "--rename",
    metavar="NAME",
    help="Name this machine, as the others list it; at first it is the host's name.",
)
@pass_run
def sync_status(run: Run, rename: str | None) -> None:
    """Show the remotes, what waits here, and the other machines."""
    if rename is not None:
        called = run.cortex.sync.name_machine(rename)
        run.say(
            {"machine": called},
            f"Your other machines call this one {called} from its next changes on.",
        )
        return
    run.show(run.cortex.sync.status(), _print_status)


@sync.command("remove", examples=("cortex sync remove home", "cortex sync remove home --only-here"))
@click.argument("name", metavar="NAME")
@click.option("--only-here", is_flag=True, help="Take only this project out; the remote stays.")
@pass_run
def sync_remove(run: Run, name: str, only_here: bool) -> None:
    """Stop exchanging through a remote.

    This machine forgets the remote and its key. What was received stays here, what was sent stays
    there: delete the repository or the folder if no machine of yours needs it any more.
    """
    remote = run.cortex.sync.remove(name, only_here=only_here)
    what = "This project no longer takes part in" if only_here else "Removed"
    run.say(
        to_json(remote),
        f"{what} {name}. Your memories stay as they are.",
        f"What was sent stays at {remote.address}.",
    )


@sync.command("passphrase", examples=("cortex sync passphrase home",))
@click.argument("name", metavar="NAME")
@PASSPHRASE_FILE
@pass_run
def sync_passphrase(run: Run, name: str, passphrase_file: str | None) -> None:
    """Change the passphrase of a remote.

    Machines that take part already need nothing. The key stays the same: whoever has an old copy of
    key.age and the old passphrase can still read the files.
    """
    run.cortex.sync.change_passphrase(name, _passphrase(passphrase_file))
    run.say({"name": name, "changed": True}, f"The new passphrase opens {name} from now on.")


# --- the passphrase


def _passphrase(file: str | None) -> Callable[[bool], str]:
    """Gives the passphrase: from the file, the environment, or the user."""

    def given(is_new: bool) -> str:
        if file is not None:
            try:
                return (Path(file).read_text("utf-8").splitlines() or [""])[0]
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(
                    f"“{file}” cannot be read: {error}. Nothing was changed."
                ) from error
        if VARIABLE in os.environ:
            return os.environ[VARIABLE]
        if not at_terminal():
            raise UsageError(
                "The files of this remote are encrypted, and there is no passphrase. Nothing was "
                f"changed. Give it with --passphrase-file or {VARIABLE}."
            )
        question = "New passphrase (8 letters or more)" if is_new else "Passphrase"
        return str(click.prompt(question, hide_input=True, confirmation_prompt=is_new, err=True))

    return given


# --- what is shown


STORES: dict[str, str] = {"project": "this project", "global": "the global store"}
"""What each store is called here."""


def _print_report(report: SyncReport) -> None:
    if any(not remote.error for remote in report.remotes):
        output.say(report.sentence, "bold")
    if report.versions:
        was = "was" if report.versions == 1 else "were"
        output.say(f"{prose.memories(report.versions)} {was} written on both: cortex review list")
    for remote in report.remotes:
        if remote.error:
            output.warn(f"{remote.name}: {remote.error}")
        for problem in dict.fromkeys(each for store in remote.stores for each in store.problems):
            output.note(f"! {remote.name}: {problem}")
        if remote.kept:
            output.note(f"! {remote.name}: old versions were removed. {remote.kept}")


def _print_status(status: SyncStatus) -> None:
    if not status.remotes:
        output.say(
            "This machine exchanges with no other one. To begin: cortex sync add NAME TARGET"
        )
        return
    # Remotes first: what is wrong with one explains why the rest waits.
    output.say("Remotes", "bold")
    for remote in status.remotes:
        used = f"last exchange {prose.when(remote.succeeded)}" if remote.succeeded else ""
        lines = [
            (_at(remote), ""),
            (f"{', '.join(remote.stores) or 'no store'} · {used or 'never used yet'}", "dim"),
            *([(f"! {remote.error}", "red")] if remote.error else []),
        ]
        output.item(remote.name, *lines, width=prose.SHORT_ID)
    output.say()
    output.say("Here", "bold")
    versions = f"{prose.memories(status.versions)} written on two machines: cortex review list"
    waiting = [
        f"{text.counted(number, 'change')} of {STORES[scope]}"
        for scope, number in status.waiting.items()
        if number
    ]
    prose.facts(
        (
            ("this machine", status.machine),
            ("after a session", "on" if status.after_session else "off (sync.after_session)"),
            ("not sent yet", ", ".join(waiting) or "nothing"),
            ("to review", versions if status.versions else ""),
        )
    )
    if status.machines:
        output.say()
        output.say("Other machines", "bold")
    for one in status.machines:
        about = f"{one.scope} · newest changes {prose.when(one.heard)} · Cortex {one.version}"
        problem = ((f"! {one.problem}", "red"),) if one.problem else ()
        output.item(
            one.name or "unknown",
            (about if one.name else one.scope, ""),
            *problem,
            width=prose.SHORT_ID,
        )


def _at(remote: RemoteState) -> str:
    """Where a remote is, and whether its host can read the memories."""
    return f"{remote.address} ({remote.kind}, {'' if remote.encrypted else 'not '}encrypted)"

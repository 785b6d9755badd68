"""Commands that change fields of several memories: tag, pin, unpin, reinforce, give, move."""

from __future__ import annotations

import click

from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.writing import tell_all
from cortex_core.errors import UsageError
from cortex_core.memory import INJECTION_POLICIES, SCOPES, InjectionPolicy, Scope

IDS = click.argument("ids", metavar="ID...", nargs=-1, required=True)


@command(
    "tag",
    examples=("cortex tag 1f3a9c20 +auth +mobile -draft", "cortex tag 1f3a9c20 auth"),
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
@click.argument("id")
@click.argument("signed", metavar="+TAG|-TAG...", nargs=-1, required=True)
@pass_run
def tag(run: Run, id: str, signed: tuple[str, ...]) -> None:
    """Add and remove tags.

    +TAG (or TAG) adds, -TAG removes.
    """
    add = [word.removeprefix("+") for word in signed if not word.startswith("-")]
    remove = [word.removeprefix("-") for word in signed if word.startswith("-")]
    if not all((*add, *remove)):
        raise UsageError("A tag needs at least one character. Nothing was changed.")
    with run.cortex() as cortex:
        changed = cortex.tag(id, add=add, remove=remove)
    tell_all(changed, f"Tagged ({', '.join(changed[0].tags) or 'no tags'})", as_json=run.json)


@command("pin", examples=("cortex pin 1f3a9c20", "cortex pin 1f3a9c20 77b0e1d4"))
@IDS
@pass_run
def pin(run: Run, ids: tuple[str, ...]) -> None:
    """Pin memories: always inject them, never let them decay."""
    with run.cortex() as cortex:
        changed = cortex.pin(ids)
    tell_all(changed, "Pinned", as_json=run.json)


@command("unpin", examples=("cortex unpin 1f3a9c20",))
@IDS
@pass_run
def unpin(run: Run, ids: tuple[str, ...]) -> None:
    """Unpin memories."""
    with run.cortex() as cortex:
        changed = cortex.unpin(ids)
    tell_all(changed, "Unpinned", as_json=run.json)


@command("reinforce", examples=("cortex reinforce 1f3a9c20", "cortex reinforce 1f3a9c20 77b0e1d4"))
@IDS
@pass_run
def reinforce(run: Run, ids: tuple[str, ...]) -> None:
    """Reset the decay of memories.

    cortex forecast shows which memories decay next.
    """
    with run.cortex() as cortex:
        changed = cortex.reinforce(ids)
    tell_all(changed, "Reinforced", as_json=run.json)


@command("give", examples=("cortex give 1f3a9c20 never", "cortex give 1f3a9c20 77b0e1d4 normal"))
@IDS
@click.argument(
    "inject", metavar="|".join(INJECTION_POLICIES), type=click.Choice(INJECTION_POLICIES)
)
@pass_run
def give(run: Run, ids: tuple[str, ...], inject: InjectionPolicy) -> None:
    """Set the injection policy of memories.

    normal: by rank; demoted: only if they match a prompt or file; never: only when searched for.
    """
    with run.cortex() as cortex:
        changed = cortex.give(ids, inject)
    tell_all(changed, f"Injection policy is now {inject} for", as_json=run.json)


@command("move", examples=("cortex move 1f3a9c20 --to global",))
@IDS
@click.option("--to", "scope", type=click.Choice(SCOPES), required=True, help="The target store.")
@pass_run
def move(run: Run, ids: tuple[str, ...], scope: Scope) -> None:
    """Move memories between the project store and the global store."""
    with run.cortex() as cortex:
        changed = cortex.move(ids, scope)
    tell_all(changed, f"Moved to the {scope} store:", as_json=run.json)

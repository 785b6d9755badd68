"""Commands about memories that may say the same: consolidate, review."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from cortex_core import text
from cortex_core.cli import output, prose, shapes, views
from cortex_core.cli.command import Run, command, group, pass_run
from cortex_core.cli.options import DRY_RUN, text_of
from cortex_core.cli.writing import tell, tell_all
from cortex_core.cortex import Cortex
from cortex_core.errors import UsageError
from cortex_core.memory import SCOPES, Memory, Scope
from cortex_core.reports.curation import Review

NUMBER = click.argument("number", type=click.IntRange(1), metavar="N")
STORE = click.option("--scope", type=click.Choice(SCOPES), help="Whose proposal; the project's.")

NOTHING = "Nothing to review. Look for more: cortex consolidate"


@command("consolidate", examples=("cortex consolidate", "cortex consolidate --threshold 0.7"))
@click.option(
    "--threshold", type=click.FloatRange(0, 1), default=0.5, show_default=True, metavar="X",
    help="How alike two memories must be, 0 to 1.",
)  # fmt: skip
@DRY_RUN
@pass_run
def consolidate(run: Run, threshold: float, dry_run: bool) -> None:
    """Look for memories that say the same.

    What is found waits in cortex review; nothing is merged unasked unless the setting
    consolidation.mode is auto.
    """
    with run.cortex() as cortex, output.progress("Comparing") as progress:
        report = cortex.consolidate(threshold, dry_run=dry_run, progress=progress)
    if run.json:
        output.emit(shapes.consolidation(report))
        return
    output.say(
        f"{text.counted(report.compared, 'pair')} alike, "
        f"{text.counted(len(report.proposed), 'new proposal')}, {len(report.merged)} merged."
    )
    if report.proposed:
        output.say("Review them: cortex review list")


@group("review", examples=("cortex review list", "cortex review show 3", "cortex review approve 3"))
def review() -> None:
    """Judge proposals to merge memories.

    Every verdict is one change: cortex undo takes it back.
    """


@review.command("list", examples=("cortex review list", "cortex review list --json"))
@pass_run
def _list(run: Run) -> None:
    """List the open proposals, the most alike first."""
    with run.cortex() as cortex:
        found = cortex.reviews()
    output.show(views.REVIEWS, found, as_json=run.json, empty=NOTHING)


@review.command("show", examples=("cortex review show 3",))
@NUMBER
@STORE
@pass_run
def _show(run: Run, number: int, scope: Scope | None) -> None:
    """Show a proposal: both sides, why, what speaks against it, and what a merge would say."""
    with run.cortex() as cortex:
        seen = cortex.review(number, scope)
    if run.json:
        output.emit(shapes.review(seen))
    else:
        _tell(seen)


@review.command(
    "approve",
    examples=(
        "cortex review approve 3",
        'cortex review approve 3 --text "Tokens live 30 min"',
        "cortex review approve --all",
    ),
)
@click.argument("number", type=click.IntRange(1), metavar="N", required=False)
@click.option("--all", "every", is_flag=True, help="Every proposal that nothing speaks against.")
@click.option("--text", metavar="TEXT", help="The merged words, - for standard input.")
@STORE
@pass_run
def _approve(
    run: Run, number: int | None, every: bool, text: str | None, scope: Scope | None
) -> None:
    """Merge into a new memory; the members are archived and their links move to it.

    With --all, those with a flag raised are left for a verdict of their own; one undo takes all
    the merges back.
    """
    if every:
        if number is not None or text is not None:
            raise UsageError("Give a number and its text, or --all. Nothing was changed.")
        _approve_all(run, scope)
        return
    if number is None:
        raise UsageError("Give a proposal's number, or --all. See: cortex review list.")
    words = None if text is None else text_of((text,), what="the merged words")
    with run.cortex() as cortex:
        tell(cortex.approve(number, text=words, scope=scope), "Merged into", as_json=run.json)


def _approve_all(run: Run, scope: Scope | None) -> None:
    with run.cortex() as cortex:
        among = [
            (store, made.number) for store, made in cortex.proposals() if scope in (None, store)
        ]
        merged = cortex.approve_all(among)
    tell_all(merged, "Merged into", as_json=run.json)


def _verdict(
    name: str, done: str, verb: Callable[[Cortex, int, Scope | None], Memory], about: str
) -> None:
    @review.command(name, help=about, examples=(f"cortex review {name} 3",))
    @NUMBER
    @STORE
    @pass_run
    def _run(run: Run, number: int, scope: Scope | None) -> None:
        with run.cortex() as cortex:
            tell(verb(cortex, number, scope), done, as_json=run.json)


_verdict(
    "keep-left",
    "Kept",
    lambda cortex, number, scope: cortex.keep_left(number, scope=scope),
    "Keep the first member as it reads; it inherits what the other has.",
)
_verdict(
    "keep-right",
    "Kept",
    lambda cortex, number, scope: cortex.keep_right(number, scope=scope),
    "Keep the second member as it reads; it inherits what the other has.",
)
_verdict(
    "supersede",
    "In force",
    lambda cortex, number, scope: cortex.supersede(number, scope=scope),
    "Let the newer member replace the older one, which stays as history.",
)


def _closing(name: str, verb: Callable[[Cortex, int, Scope | None], Any], about: str) -> None:
    @review.command(name, help=about, examples=(f"cortex review {name} 3",))
    @NUMBER
    @STORE
    @pass_run
    def _run(run: Run, number: int, scope: Scope | None) -> None:
        with run.cortex() as cortex:
            made = verb(cortex, number, scope)
        if run.json:
            output.emit(shapes.proposal(made))
        else:
            output.say(f"Left proposal {made.number} as it was: {made.status}.")


_closing(
    "reject",
    lambda cortex, number, scope: cortex.reject(number, scope=scope),
    "Leave both memories as they are.",
)
_closing(
    "distinct",
    lambda cortex, number, scope: cortex.distinct(number, scope=scope),
    "Say that they are not duplicates; asked again only when one changes.",
)


def _tell(seen: Review) -> None:
    made = seen.proposal
    output.say(f"{made.type} {made.number}   {made.similarity:.2f} alike   advice: {seen.advice}")
    if seen.changed:
        output.say("! A member has changed since this was proposed.", "yellow")
    for side, one in zip("AB", seen.members, strict=False):
        head = f"{one.kind} · {views.day(one.created)} · {views.short(one.id)}"
        output.item(side, (head, "dim"), (prose.cut(one.content, 2000), ""), width=8)
    output.item("merged", (prose.cut(seen.text, 2000), "bold"), width=8)
    output.item("because", *((reason, "") for reason in made.reasons), width=8)
    for conflict in made.conflicts:
        output.say(f"! {conflict}", "yellow")
    if seen.lost:
        output.say(f"! The merged words lose {', '.join(seen.lost)}.", "yellow")
    heir = seen.heir
    pin = "pinned, " if heir.pinned else ""
    output.say(
        f"The survivor inherits: {pin}priority {heir.priority}, tags "
        f"{', '.join(heir.tags) or 'none'}, {text.counted(seen.edges, 'link')}, "
        f"{text.counted(len(heir.sources), 'source')}."
    )

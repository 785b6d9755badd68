"""Commands about capture and upkeep, and commands that ask for verdicts.

pause, resume, replay, inspect, stats, suggestions, quarantine, consolidate, review, status,
lifecycle, forecast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from cortex_core.api import Cortex
from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import (
    DRY_RUN,
    CommandGroup,
    Run,
    command,
    group,
    limit_option,
    pass_run,
    text_of,
)
from cortex_core.cli.writing_commands import IDS, print_all, print_one
from cortex_core.records.as_json import to_json
from cortex_core.records.memory import OWN_SCOPES, Memory, Scope, Status
from cortex_core.records.reviews import Review


@command("pause", examples=("cortex pause",))
@pass_run
def pause(run: Run) -> None:
    """Pause capture in this project.

    Hooks record nothing until cortex resume. Stored memories are still injected.
    """
    run.cortex.sessions.pause()
    run.say({"paused": True}, "Capture is paused in this project. Resume it with: cortex resume")


@command("resume", examples=("cortex resume",))
@pass_run
def resume(run: Run) -> None:
    """Resume capture in this project."""
    run.cortex.sessions.resume()
    run.say({"paused": False}, "Capture is on in this project.")


@command("replay", examples=("cortex replay 5f1c2d3e-8a4b-4c1d-9e2f-0a1b2c3d4e5f",))
@click.argument("session")
@pass_run
def replay(run: Run, session: str) -> None:
    """Read the transcript of a session again from its start.

    Known memories are not stored twice.
    """
    run.show(run.cortex.sessions.replay(session), prose.read)


@command("inspect", examples=("cortex inspect", "cortex inspect --limit 50 --json"))
@limit_option(20)
@pass_run
def inspect(run: Run, limit: int) -> None:
    """Show what capture did, session by session.

    One row for each hook event and each transcript that was read: what was found, kept, merged
    and refused, and why.
    """
    entries = run.cortex.sessions.ledger(limit)
    empty = "Nothing has been captured yet. Try: cortex import transcripts"
    output.show(prose.LEDGER, entries, as_json=run.json, empty=empty)


@command("stats", examples=("cortex stats", "cortex stats --since 14d", "cortex stats --json"))
@click.option(
    "--since",
    metavar="WHEN",
    default="12w",
    show_default=True,
    help="From the week of this time on: 2026-11-05, 30d. A short span is divided into days.",
)
@pass_run
def stats(run: Run, since: str) -> None:
    """Show figures over time: captured, learned, injected, used, paid.

    By week, or by day for three weeks and less. Memories count in the week of the turn that they
    came from.
    """
    run.show(run.cortex.sessions.figures(since), prose.figures)


@group("suggestions", examples=("cortex suggestions list", "cortex suggestions keep 1f3a9c20"))
def suggestions() -> None:
    """Review the memories that capture only suggests.

    Suggestions are never injected, and expire after 30 days. Each verdict adjusts the rule.
    """


@group("quarantine", examples=("cortex quarantine list", "cortex quarantine release 1f3a9c20"))
def quarantine() -> None:
    """Review the memories that capture does not trust.

    Text from tools, files and web pages, and text that gives the agent orders, waits here until
    you release it.
    """


def _verdicts(
    parent: CommandGroup,
    listed: Callable[[Cortex], Sequence[Memory]],
    verdict: str,
    keep: Callable[[Cortex, Sequence[str], str | None], Sequence[Memory]],
    status: Status,
) -> None:
    """Add three commands to `parent`: list, the `verdict` that admits memories, discard.

    Args:
        status: of the memories that wait there.
    """
    word = parent.name

    # Suggestions and quarantine differ in the words and in the verb alone, so both groups are made
    # here.
    @parent.command(
        "list",
        help=f"List the memories that wait in {word}.",
        examples=(f"cortex {word} list", f"cortex {word} list --json"),
    )
    @pass_run
    def _list(run: Run) -> None:
        rows = listed(run.cortex)
        output.show(prose.MEMORIES, rows, as_json=run.json, empty="Nothing is waiting.")

    @parent.command(
        verdict,
        help="Make memories active, so that they can be found and injected.",
        examples=(
            f"cortex {word} {verdict} 1f3a9c20",
            f'cortex {word} {verdict} 1f3a9c20 --text "Use pnpm, never npm"',
        ),
    )
    @click.option("--text", metavar="TEXT", help="Replace the text of the memory (one id only).")
    @IDS
    @pass_run
    def _keep(run: Run, ids: tuple[str, ...], text: str | None) -> None:
        changed = keep(run.cortex, naming.ids(run, ids, (status,)), text)
        print_all(run, changed, "Kept" if verdict == "keep" else "Released")

    @parent.command(
        "discard",
        help="Archive memories, and remember the verdict.",
        examples=(f"cortex {word} discard 1f3a9c20 77b0e1d4",),
    )
    @IDS
    @pass_run
    def _discard(run: Run, ids: tuple[str, ...]) -> None:
        print_all(run, run.cortex.suggestions.discard(naming.ids(run, ids, (status,))), "Discarded")


_verdicts(
    suggestions,
    lambda cortex: cortex.suggestions.list(),
    "keep",
    lambda cortex, ids, text: cortex.suggestions.keep(ids, content=text),
    "suggested",
)
_verdicts(
    quarantine,
    lambda cortex: cortex.quarantine.list(),
    "release",
    lambda cortex, ids, text: cortex.quarantine.release(ids, content=text),
    "quarantined",
)


NUMBER = click.argument("number", type=click.IntRange(1), metavar="N")
STORE = click.option(
    "--scope",
    type=click.Choice(OWN_SCOPES),
    help="The store of the proposal; default: the project store.",
)

NOTHING = "There is nothing to review. To search for more: cortex consolidate"


@command("consolidate", examples=("cortex consolidate", "cortex consolidate --threshold 0.7"))
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    metavar="X",
    help="Minimum similarity of two memories, 0 to 1.",
)
@DRY_RUN
@pass_run
def consolidate(run: Run, threshold: float, dry_run: bool) -> None:
    """Find memories that are likely to say the same.

    Those that say it in other words have a similarity of 0.75 and more; a lower minimum also finds
    memories that are a small part of another one. The proposals wait in cortex review. Nothing is
    merged automatically unless the setting consolidation.mode is auto.
    """
    with output.progress("Comparing") as progress:
        report = run.cortex.consolidate(threshold, dry_run=dry_run, progress=progress)
    run.say(
        to_json(report),
        f"{text.counted(report.compared, 'similar pair')}, "
        f"{text.counted(len(report.proposed), 'new proposal')}, {len(report.merged)} merged.",
        "To review them: cortex review list" if report.proposed else "",
    )


@group("review", examples=("cortex review list", "cortex review show 3", "cortex review approve 3"))
def review() -> None:
    """Review proposals to merge memories.

    Every verdict is one change that cortex undo undoes.
    """


@review.command("list", examples=("cortex review list", "cortex review list --json"))
@pass_run
def _list(run: Run) -> None:
    """List the open proposals, most similar first."""
    output.show(prose.REVIEWS, run.cortex.review.list(), as_json=run.json, empty=NOTHING)


@review.command("show", examples=("cortex review show 3",))
@NUMBER
@STORE
@pass_run
def _show(run: Run, number: int, scope: Scope | None) -> None:
    """Show a proposal: both sides, reasons, conflicts, and the merged text."""
    review = run.cortex.review.get(number, scope)
    run.show(review, _print_review)


@review.command(
    "approve",
    examples=(
        "cortex review approve 3",
        'cortex review approve 3 --text "Tokens live 30 min"',
        "cortex review approve --all",
    ),
)
@click.argument("number", type=click.IntRange(1), metavar="N", required=False)
@click.option("--all", "every", is_flag=True, help="Approve every proposal without conflicts.")
@click.option("--text", metavar="TEXT", help="The merged text; - for stdin.")
@STORE
@pass_run
def _approve(
    run: Run, number: int | None, every: bool, text: str | None, scope: Scope | None
) -> None:
    """Merge the members into a new memory.

    The members are archived, and their links move to the new memory. With --all, proposals with
    conflicts stay open, and one undo undoes all merges.
    """
    if every:
        if number is not None or text is not None:
            raise UsageError("Use either a number with its text, or --all. Nothing was changed.")
        _approve_all(run, scope)
        return
    if number is None:
        raise UsageError(
            "Give the number of a proposal, or --all. Nothing was changed. See: cortex review list"
        )
    words = None if text is None else text_of((text,), what="merged text")
    print_one(run, run.cortex.review.approve(number, text=words, scope=scope), "Merged into")


def _approve_all(run: Run, scope: Scope | None) -> None:
    among = [
        (store, proposal.number)
        for store, proposal in run.cortex.review.proposals()
        if scope in (None, store)
    ]
    print_all(run, run.cortex.review.approve_all(among), "Merged into")


def _verdict(
    name: str, done: str, verb: Callable[[Cortex, int, Scope | None], Memory], about: str
) -> None:
    @review.command(name, help=about, examples=(f"cortex review {name} 3",))
    @NUMBER
    @STORE
    @pass_run
    def _run(run: Run, number: int, scope: Scope | None) -> None:
        print_one(run, verb(run.cortex, number, scope), done)


_verdict(
    "keep-left",
    "Kept",
    lambda cortex, number, scope: cortex.review.keep_left(number, scope=scope),
    "Keep the text of the first member; it inherits the tags and links of the other.",
)
_verdict(
    "keep-right",
    "Kept",
    lambda cortex, number, scope: cortex.review.keep_right(number, scope=scope),
    "Keep the text of the second member; it inherits the tags and links of the other.",
)
_verdict(
    "supersede",
    "Now current",
    lambda cortex, number, scope: cortex.review.supersede(number, scope=scope),
    "Let the newer member supersede the older one, which stays as history.",
)


def _closing(name: str, verb: Callable[[Cortex, int, Scope | None], Any], about: str) -> None:
    @review.command(name, help=about, examples=(f"cortex review {name} 3",))
    @NUMBER
    @STORE
    @pass_run
    def _run(run: Run, number: int, scope: Scope | None) -> None:
        proposal = verb(run.cortex, number, scope)
        run.say(
            to_json(proposal),
            f"Closed proposal {proposal.number}: {proposal.status}. The memories were not changed.",
        )


_closing(
    "reject",
    lambda cortex, number, scope: cortex.review.reject(number, scope=scope),
    "Reject the proposal and keep both memories unchanged.",
)
_closing(
    "distinct",
    lambda cortex, number, scope: cortex.review.distinct(number, scope=scope),
    "Mark the memories as not duplicates, until one of them changes.",
)


def _print_review(review: Review) -> None:
    proposal = review.proposal
    output.say(
        f"{proposal.type} {proposal.number}   similarity {proposal.similarity:.2f}   "
        f"advice: {review.advice}"
    )
    if review.changed:
        output.say("! A member has changed since this was proposed.", "yellow")
    for side, one in zip("AB", review.members, strict=False):
        head = f"{one.kind} · {prose.day(one.created)} · {prose.short(one.id)}"
        output.item(side, (head, "dim"), (prose.cut(one.content, 2000), ""), width=8)
    output.item("merged", (prose.cut(review.text, 2000), "bold"), width=8)
    output.item("because", *((reason, "") for reason in proposal.reasons), width=8)
    for conflict in proposal.conflicts:
        output.say(f"! {conflict}", "yellow")
    if review.lost:
        output.say(f"! The merged text loses {', '.join(review.lost)}.", "yellow")
    heir = review.heir
    pin = "pinned, " if heir.pinned else ""
    output.say(
        f"The merged memory inherits: {pin}priority {heir.priority}, tags "
        f"{', '.join(heir.tags) or 'none'}, {text.counted(review.edges, 'link')}, "
        f"{text.counted(len(heir.sources), 'source')}."
    )


@command("status", examples=("cortex status", "cortex status --json"))
@pass_run
def status(run: Run) -> None:
    """Show the state of the stores, capture and the model."""
    from cortex_core.doctor import connection_checks

    run.show(connection_checks.with_hooks(run.cortex.status(), run.cortex.project), prose.status)


@command("lifecycle", examples=("cortex lifecycle --dry-run", "cortex lifecycle"))
@DRY_RUN
@pass_run
def lifecycle(run: Run, dry_run: bool) -> None:
    """Archive decayed memories, and prune archived ones.

    Archived memories can be restored; pruned ones stay in the trash until it is emptied.
    """
    run.show(run.cortex.lifecycle.run(dry_run=dry_run), prose.lifecycle)


@command("forecast", examples=("cortex forecast", "cortex forecast --days 7 --json"))
@click.option(
    "--days",
    type=click.FloatRange(0, 36_500),
    metavar="N",
    default=30,
    show_default=True,
    help="How many days to look ahead.",
)
@pass_run
def forecast(run: Run, days: float) -> None:
    """Show which memories decay next.

    To keep a memory, reinforce, pin or edit it.
    """
    fading = run.cortex.lifecycle.forecast(days)
    empty = f"Nothing decays in the next {days:g} days."
    output.show(prose.FADING, fading, as_json=run.json, empty=empty)

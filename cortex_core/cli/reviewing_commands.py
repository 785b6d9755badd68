"""Commands about capture and upkeep, and commands that ask for verdicts.

pause, replay, suggestions, quarantine, consolidate, review, status, lifecycle.
"""

from functools import partial

import click

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import (
    DRY_RUN,
    YES,
    Run,
    command,
    group,
    pass_run,
    text_of,
)
from cortex_core.cli.writing_commands import IDS, asked_about, print_all, print_one, verb
from cortex_core.records.as_json import to_json
from cortex_core.records.memory import OWN_SCOPES, Scope
from cortex_core.records.reviews import Review


@command("pause", examples=("cortex pause", "cortex pause --off"))
@click.option("--off", is_flag=True, help="Resume capture instead.")
@pass_run
def pause(run: Run, off: bool) -> None:
    """Pause capture in this project.

    Hooks record nothing until cortex pause --off. Stored memories are still injected.
    """
    sessions = run.cortex.sessions
    (sessions.resume if off else sessions.pause)()
    state = "on" if off else "paused"
    resume = "" if off else " Resume it with: cortex pause --off"
    run.say({"paused": not off}, f"Capture is {state} in this project.{resume}")


@command("replay", examples=("cortex replay 5f1c2d3e-8a4b-4c1d-9e2f-0a1b2c3d4e5f",))
@click.argument("session", shell_complete=naming.complete_session)
@pass_run
def replay(run: Run, session: str) -> None:
    """Read the transcript of a session again from its start.

    Known memories are not stored twice.
    """
    run.show(run.cortex.sessions.replay(session), prose.read)


@group("suggestions", examples=("cortex suggestions list", "cortex suggestions keep 9c41e7b2"))
def suggestions() -> None:
    """Review the memories that capture only suggests.

    Suggestions are never injected, and expire after 30 days. Each verdict adjusts the rule. Text
    from tools, files and web pages, and text that gives the agent orders, is quarantined until you
    release it: cortex suggestions list --quarantined, then keep with --quarantined.
    """


QUARANTINED = click.option("--quarantined", is_flag=True, help="The quarantined memories instead.")


@suggestions.command(
    "list", examples=("cortex suggestions list --json", "cortex suggestions list --quarantined")
)
@QUARANTINED
@pass_run
def _list(run: Run, quarantined: bool) -> None:
    """List the memories that wait."""
    rows = run.cortex.quarantine.list() if quarantined else run.cortex.suggestions.list()
    output.show(prose.MEMORIES, rows, as_json=run.json, empty="Nothing is waiting.")


@suggestions.command(
    "keep",
    examples=(
        "cortex suggestions keep 9c41e7b2",
        'cortex suggestions keep 9c41e7b2 --text "Use pnpm, never npm"',
        "cortex suggestions keep c07a5b9e --quarantined",
    ),
)
@click.option("--text", metavar="TEXT", help="Replace the text of the memory (one id only).")
@QUARANTINED
@IDS
@pass_run
def _keep(run: Run, ids: tuple[str, ...], text: str | None, quarantined: bool) -> None:
    """Make memories active, so that they can be found and injected.

    In a terminal you are asked whether one replaces a memory that is near it.
    """
    names = naming.ids(run, ids, ("quarantined" if quarantined else "suggested",))
    keep = run.cortex.quarantine.release if quarantined else run.cortex.suggestions.keep
    near = run.cortex.graph.near
    answers = [
        (one.id, asked_about(run, partial(near, text or one.content, one.scope), f"“{one.title}”"))
        for one in map(run.cortex.show, () if quarantined else names)
    ]
    kept = keep(names, content=text)
    for newer, older in ((id, each) for id, said in answers for each in said if said[each]):
        run.cortex.graph.link(newer, older, "supersedes")
    print_all(run, kept, "Released" if quarantined else "Kept")


suggestions.add_command(
    verb(
        "discard",
        ("cortex suggestions discard 9c41e7b2 4d83f6a1",),
        "Archive memories that wait, quarantined ones too, and remember the verdict.",
        lambda: "Discarded",
        lambda cortex, ids: cortex.suggestions.discard(ids),
        statuses=("suggested", "quarantined"),
    )
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
def _proposals(run: Run) -> None:
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
        "cortex review approve 3 --keep left",
        "cortex review approve --all",
    ),
)
@click.argument("number", type=click.IntRange(1), metavar="N", required=False)
@click.option("--all", "every", is_flag=True, help="Approve every proposal without conflicts.")
@click.option("--text", metavar="TEXT", help="The merged text; - for stdin.")
@click.option(
    "--keep",
    type=click.Choice(["left", "right", "newer"]),
    help="left or right: keep the text of that member, which inherits the tags and links of the "
    "other; newer: let it supersede the older one, which stays as history.",
)
@STORE
@pass_run
def _approve(
    run: Run,
    number: int | None,
    every: bool,
    text: str | None,
    keep: str | None,
    scope: Scope | None,
) -> None:
    """Merge the members into a new memory.

    The members are archived, and their links move to the new memory. With --all, proposals with
    conflicts stay open, and one undo undoes all merges.
    """
    if every:
        if number is not None or text is not None or keep:
            raise UsageError("Use either a number with its text, or --all. Nothing was changed.")
        among = [
            (store, proposal.number)
            for store, proposal in run.cortex.review.proposals()
            if scope in (None, store)
        ]
        print_all(run, run.cortex.review.approve_all(among), "Merged into")
        return
    if number is None:
        raise UsageError(
            "Give the number of a proposal, or --all. Nothing was changed. See: cortex review list"
        )
    if keep and text is not None:
        raise UsageError("Use either --keep or --text. Nothing was changed.")
    review = run.cortex.review
    # Keeping one side needs no merged text, so the two exclude each other.
    if keep:
        verb = {"left": review.keep_left, "right": review.keep_right, "newer": review.supersede}
        done = "Now current" if keep == "newer" else "Kept"
        print_one(run, verb[keep](number, scope=scope), done)
        return
    words = None if text is None else text_of((text,), what="merged text")
    print_one(run, review.approve(number, text=words, scope=scope), "Merged into")


@review.command("reject", examples=("cortex review reject 3", "cortex review reject 3 --distinct"))
@NUMBER
@click.option(
    "--distinct", is_flag=True, help="They are not duplicates: ask again when one of them changes."
)
@STORE
@pass_run
def _reject(run: Run, number: int, distinct: bool, scope: Scope | None) -> None:
    """Reject the proposal and keep both memories unchanged."""
    review = run.cortex.review
    proposal = (review.distinct if distinct else review.reject)(number, scope=scope)
    run.say(
        to_json(proposal),
        f"Closed proposal {proposal.number}: {proposal.status}. The memories were not changed.",
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
    if review.advice != "supersede":  # members that contradict each other have no text in common
        output.item("merged", (prose.cut(review.text, 2000), "bold"), width=8)
    output.item("because", *((reason, "") for reason in proposal.reasons), width=8)
    for conflict in proposal.conflicts:
        output.say(f"! {conflict}", "yellow")
    if review.lost:
        output.say(f"! The merged text loses {', '.join(review.lost)}.", "yellow")
    heir = review.heir
    pin = "pinned, " if heir.pinned else ""
    output.say(
        f"What is kept inherits: {pin}priority {heir.priority}, tags "
        f"{', '.join(heir.tags) or 'none'}, {text.counted(review.edges, 'link')}, "
        f"{text.counted(len(heir.sources), 'source')}."
    )


@command("status", examples=("cortex status", "cortex status --json"))
@pass_run
def status(run: Run) -> None:
    """Show the state of the stores, capture and the model."""
    from cortex_core.doctor import connection_checks

    run.show(connection_checks.with_hooks(run.cortex.status(), run.cortex.project), prose.status)


@command(
    "lifecycle",
    examples=(
        "cortex lifecycle --dry-run",
        "cortex lifecycle",
        "cortex lifecycle --forecast --days 7 --json",
    ),
)
@DRY_RUN
@click.option("--forecast", is_flag=True, help="Only show which memories decay next.")
@click.option(
    "--days",
    type=click.FloatRange(0, 36_500),
    metavar="N",
    default=30,
    show_default=True,
    help="With --forecast: how many days to look ahead.",
)
@YES
@pass_run
def lifecycle(run: Run, dry_run: bool, forecast: bool, days: float, yes: bool) -> None:
    """Archive decayed memories, and prune archived ones.

    Archived memories can be restored; pruned ones stay in the trash until it is emptied. To keep a
    memory, reinforce, pin or edit it.
    """
    if forecast:
        fading = run.cortex.lifecycle.forecast(days)
        output.show(
            prose.FADING,
            fading,
            as_json=run.json,
            empty=f"Nothing decays in the next {days:g} days.",
        )
    else:
        if not (dry_run or yes):
            run.cortex.lifecycle.check_clock()
        run.show(run.cortex.lifecycle.run(dry_run=dry_run), prose.lifecycle)

"""Commands that look at memory from a distance: reflect, core."""

from __future__ import annotations

from collections.abc import Sequence

import click

from cortex_core import text
from cortex_core.cli import output, prose, shapes, views
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import DRY_RUN
from cortex_core.reports.practice import Recurrence, Reflection


@command(
    "reflect", examples=("cortex reflect", "cortex reflect --dry-run", "cortex reflect --json")
)
@DRY_RUN
@pass_run
def reflect(run: Run, dry_run: bool) -> None:
    """Look at memory from a distance.

    Themes, what recurs, what is used most, the newest insights, merges.

    What other projects of yours have learned too is suggested for the global store: it waits in
    cortex suggestions list for your verdict. Nothing is moved.
    """
    with run.cortex() as cortex:
        with output.progress("Learning what they mean") as progress:
            cortex.embed_pending(progress)
        seen = cortex.reflect(dry_run=dry_run)
    if run.json:
        output.emit(shapes.reflection(seen))
    else:
        _tell(seen)


@command("core", examples=("cortex core", "cortex core --tokens 1000", "cortex core --json"))
@click.option("--tokens", type=click.IntRange(100, 100_000), default=3000, show_default=True,
              metavar="N", help="About how long it may be.")  # fmt: skip
@pass_run
def core(run: Run, tokens: int) -> None:
    """Show what stands highest, as one page.

    Markdown for people and agents, grouped by kind: what is pinned, and what is sure, important,
    linked and used.
    """
    with run.cortex() as cortex:
        page = cortex.core(tokens)
    if run.json:
        output.emit(shapes.core(page))
    elif page.memories:
        output.verbatim(page.text)
    else:
        output.note(views.NO_MEMORIES)


def _tell(seen: Reflection) -> None:
    _section("Themes", [
        (" + ".join(theme.tags), views.memories(theme.count), "; ".join(theme.examples))
        for theme in seen.themes
    ])  # fmt: skip
    _section("Recurs in your projects", [_recurs(one, seen.dry_run) for one in seen.recurrences])
    _section("Tags of several projects", [
        (tag, ", ".join(f"{project} {count}" for project, count in counts.items()), "")
        for tag, counts in seen.shared_tags.items()
    ])  # fmt: skip
    _section("Used most", [
        (views.short(one.id), one.title, text.counted(one.access_count, "time"))
        for one in seen.most_used
    ])  # fmt: skip
    _section("Newest insights", [
        (views.short(one.id), one.title, views.day(one.created)) for one in seen.insights
    ])  # fmt: skip
    output.say("Consolidation", "bold")
    prose.facts(
        (
            ("merges", f"{seen.merges:,}"),
            ("superseded", f"{seen.superseded:,}"),
            (
                "to review",
                f"{seen.to_review:,} (see: cortex review list)" if seen.to_review else "",
            ),
            ("last", views.when(seen.last_consolidation) or "never"),
        )
    )
    if any(one.suggestion for one in seen.recurrences):
        output.say("Keep or discard what is suggested: cortex suggestions list")


def _section(heading: str, rows: Sequence[tuple[str, str, str]]) -> None:
    if not rows:
        return
    output.say(heading, "bold")
    width = min(output.WIDEST_LABEL, max(len(text.one_line(label)) for label, *_ in rows))
    for label, first, second in rows:
        told = [(first, ""), *([(prose.cut(second, 300), "dim")] if second else [])]
        output.item(label, *told, width=width)
    output.say()


def _recurs(one: Recurrence, dry_run: bool) -> tuple[str, str, str]:
    where = f"also in {', '.join(one.projects)}"
    if one.suggestion:
        where += f"; suggested for all projects as {views.short(one.suggestion)}"
    elif not dry_run:
        where += "; held or judged for all projects already"
    return views.short(one.memory.id), one.memory.title, where

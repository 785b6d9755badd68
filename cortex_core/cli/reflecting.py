"""Commands that give an overview: reflect, core."""

from __future__ import annotations

from collections.abc import Sequence

import click

from cortex_core import shapes, text
from cortex_core.cli import output, prose, views
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import DRY_RUN
from cortex_core.reports.practice import Recurrence, Reflection


@command(
    "reflect", examples=("cortex reflect", "cortex reflect --dry-run", "cortex reflect --json")
)
@DRY_RUN
@pass_run
def reflect(run: Run, dry_run: bool) -> None:
    """Show an overview of what the memories have in common.

    It shows themes, what recurs in your projects, the most used memories, the newest insights,
    and merges.

    What several projects have learned is suggested for the global store. The suggestion waits in
    cortex suggestions list for your verdict; nothing is moved.
    """
    with run.cortex() as cortex:
        with output.progress("Computing embeddings") as progress:
            cortex.models.embed_pending(progress)
        seen = cortex.reflection.reflect(dry_run=dry_run)
    if run.json:
        output.emit(shapes.reflection(seen))
    else:
        _tell(seen)


@command("core", examples=("cortex core", "cortex core --tokens 1000", "cortex core --json"))
@click.option("--tokens", type=click.IntRange(100, 100_000), default=3000, show_default=True,
              metavar="N", help="Approximate maximum length in tokens.")  # fmt: skip
@pass_run
def core(run: Run, tokens: int) -> None:
    """Show the most important memories on one page.

    The page is Markdown for you and for agents, grouped by kind. Pinned memories come first, then
    those with high confidence and priority, many links and frequent use.
    """
    with run.cortex() as cortex:
        page = cortex.reflection.core(tokens)
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
    _section("Tags in several projects", [
        (tag, ", ".join(f"{project} {count}" for project, count in counts.items()), "")
        for tag, counts in seen.shared_tags.items()
    ])  # fmt: skip
    _section("Most used", [
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
        output.say("To keep or discard the suggestions: cortex suggestions list")


def _section(heading: str, rows: Sequence[tuple[str, str, str]]) -> None:
    if not rows:
        return
    output.say(heading, "bold")
    width = min(output.WIDEST_LABEL, max(len(text.one_line(label)) for label, *_ in rows))
    for label, first, second in rows:
        lines = [(first, ""), *([(prose.cut(second, 300), "dim")] if second else [])]
        output.item(label, *lines, width=width)
    output.say()


def _recurs(one: Recurrence, dry_run: bool) -> tuple[str, str, str]:
    where = f"also in {', '.join(one.projects)}"
    if one.suggestion:
        where += f"; suggested for all projects as {views.short(one.suggestion)}"
    elif not dry_run:
        where += "; already global, or already decided"
    return views.short(one.memory.id), one.memory.title, where

"""Commands about episodes and procedures, and the overview of all memories (reflect)."""

from typing import Any, Literal

import click

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.cli import naming, output, prose
from cortex_core.cli.command import (
    DRY_RUN,
    NOTHING_FOUND,
    Run,
    command,
    group,
    limit_option,
    pass_run,
    text_of,
)
from cortex_core.cli.writing_commands import print_one
from cortex_core.records.reflections import Core, ProcedureMatch, Recurrence, Reflection

TAGS = click.option("-t", "--tag", "tags", multiple=True, metavar="TAG", help="A tag; repeatable.")
GLOBAL = click.option(
    "--global", "everywhere", is_flag=True, help="Store it globally, for all projects."
)


@group("episode", examples=('cortex episode add "Moved CI to pnpm"', "cortex episode list"))
def episode() -> None:
    """Keep a history of what was done.

    Cortex adds commits, pull requests and where sessions stopped; you add the rest. cortex undo
    removes your last entry.
    """


@episode.command(
    "add",
    examples=(
        'cortex episode add "Moved CI to pnpm" --outcome shipped --tag ci',
        'cortex episode add "Tried Redis for sessions" --outcome "reverted: too slow" -m 1f3a9c20',
    ),
)
@click.argument("words", metavar="TEXT", nargs=-1, required=True)
@click.option("--title", metavar="LINE", help="One line; default: made from the text.")
@click.option("--outcome", metavar="LINE", default="", help="What came of it.")
@TAGS
@click.option(
    "-m",
    "--memory",
    "memories",
    multiple=True,
    metavar="ID",
    help="A memory that it is about; repeatable.",
)
@GLOBAL
@pass_run
def episode_add(run: Run, /, words: tuple[str, ...], everywhere: bool, **fields: Any) -> None:
    """Add an entry to the history. TEXT is one or more words, or - for stdin."""
    content = text_of(words, what="text")
    fields["memories"] = naming.ids(run, fields["memories"])
    print_one(
        run,
        run.cortex.episodes.add(content, scope="global" if everywhere else None, **fields),
        "Logged",
    )


@episode.command("list", examples=("cortex episode list", "cortex episode list --since 7d -t ci"))
@click.option("--since", metavar="WHEN", help="Only after this time: 2026-11-05, 3d, yesterday.")
@click.option("--until", metavar="WHEN", help="Only before this time; same formats as --since.")
@click.option(
    "-t", "--tag", "tags", multiple=True, metavar="TAG", help="Only entries with this tag."
)
@limit_option(30)
@pass_run
def episode_list(run: Run, /, **fields: Any) -> None:
    """List the entries of the history, newest first, archived ones included."""
    entries = run.cortex.episodes.list(**fields)
    output.show(
        prose.EPISODES,
        entries,
        as_json=run.json,
        empty="The history is empty. Add an entry: cortex episode add TEXT",
    )


@group(
    "procedure",
    examples=(
        'cortex procedure add "Cut a release" --step "Bump the version" --step "Tag it"',
        'cortex procedure list "publish a new version"',
        "cortex procedure outcome 5e0b7d13 success",
    ),
)
def procedure() -> None:
    """Keep procedures, and how well they worked.

    An agent gets a procedure that fits a prompt, as it gets other memories.
    """


@procedure.command(
    "add",
    examples=(
        'cortex procedure add "Cut a release" --step "Bump the version" --step "Tag it"',
        'cortex procedure add "Restore a backup" --steps - --before "Workers are stopped"',
    ),
)
@click.argument("task", nargs=-1, required=True)
@click.option(
    "-s",
    "--step",
    "steps",
    multiple=True,
    metavar="STEP",
    help="One step; repeat it for each step, in order.",
)
@click.option("--steps", "listed", metavar="-", help="Read the steps from stdin, one per line.")
@click.option("--description", metavar="TEXT", default="", help="More about the task.")
@click.option(
    "--before",
    "preconditions",
    multiple=True,
    metavar="LINE",
    help="What must be true before; repeatable.",
)
@click.option(
    "--after",
    "postconditions",
    multiple=True,
    metavar="LINE",
    help="What is true afterwards; repeatable.",
)
@TAGS
@click.option(
    "-f", "--file", "files", multiple=True, metavar="GLOB", help="Files that it applies to."
)
@click.option(
    "-p",
    "--priority",
    type=int,
    metavar="N",
    help="Priority, 1 to 10; default: that of a procedure, 7.",
)
@GLOBAL
@pass_run
def procedure_add(
    run: Run,
    /,
    task: tuple[str, ...],
    steps: tuple[str, ...],
    listed: str | None,
    everywhere: bool,
    **fields: Any,
) -> None:
    """Store how a task is done, step by step."""
    if listed is not None:
        if listed != "-" or steps:
            raise UsageError("Use either --step, or --steps - for stdin. Nothing was changed.")
        steps = tuple(_unnumbered(line) for line in text_of(("-",), what="step").split("\n"))
    stored = run.cortex.procedures.add(
        " ".join(task), steps, scope="global" if everywhere else None, **fields
    )
    print_one(run, stored, "Stored")


@procedure.command(
    "list",
    examples=("cortex procedure list", 'cortex procedure list "publish a new version" --json'),
)
@click.argument("task", nargs=-1)
@limit_option(None)
@pass_run
def procedure_list(run: Run, task: tuple[str, ...], limit: int | None) -> None:
    """List the procedures, most reliable first, or those that fit a TASK, in any words.

    For a task, at most three are shown in full, by how well they fit and how often they worked. The
    exit code is 3 if none fits.
    """
    procedures = run.cortex.procedures
    if not any(task):
        output.show(
            prose.PROCEDURES,
            procedures.list(limit=limit),
            as_json=run.json,
            empty="No procedures yet. Add one: cortex procedure add TASK --step STEP",
        )
        return
    matches = procedures.match(text_of(task, what="task"), limit=limit or 3)
    for one in matches:
        run.show(one, _print_match)
    if not matches:
        output.note("No procedure fits. To see all: cortex procedure list")
        raise click.exceptions.Exit(NOTHING_FOUND)


def _print_match(one: ProcedureMatch) -> None:
    memory = one.memory
    score = f"fit {one.fit:.0%}, reliability {one.reliability:.0%}, {prose.tried(one)}"
    output.item(
        prose.short(memory.id),
        (memory.title, "bold"),
        (score, "dim"),
        *[(line, "") for line in memory.content.split("\n") if line != memory.title],
        width=prose.SHORT_ID,
    )


@procedure.command(
    "outcome",
    examples=(
        "cortex procedure outcome 5e0b7d13 success",
        'cortex procedure outcome 5e0b7d13 failure --note "The registry refused the push"',
    ),
)
@click.argument("id", shell_complete=naming.complete_memory)
@click.argument("result", metavar="success|failure", type=click.Choice(["success", "failure"]))
@click.option("--note", metavar="TEXT", default="", help="What happened; added to the log.")
@pass_run
def procedure_outcome(run: Run, id: str, result: Literal["success", "failure"], note: str) -> None:
    """Record whether a procedure worked."""
    (id,) = naming.ids(run, [id])
    print_one(
        run,
        run.cortex.procedures.outcome(id, result == "success", note=note),
        f"Recorded a {result} of",
    )


def _unnumbered(line: str) -> str:
    """A line without the number or the dash of a list."""
    head, _, rest = line.strip().partition(" ")
    return rest if head in ("-", "*") or (head.rstrip(".)").isdigit() and rest) else line.strip()


@command(
    "reflect",
    examples=(
        "cortex reflect",
        "cortex reflect --dry-run",
        "cortex reflect --core --tokens 1000",
    ),
)
@click.option("--core", is_flag=True, help="Show the most important memories on one page instead.")
@click.option(
    "--tokens",
    type=click.IntRange(100, 100_000),
    default=3000,
    show_default=True,
    metavar="N",
    help="With --core: approximate maximum length in tokens.",
)
@DRY_RUN
@pass_run
def reflect(run: Run, core: bool, tokens: int, dry_run: bool) -> None:
    """Show an overview of what the memories have in common.

    It shows themes, what recurs in your projects, the most used memories, the newest insights,
    and merges.

    What several projects have learned is suggested for the global store. The suggestion waits in
    cortex suggestions list for your verdict; nothing is moved.

    The page of --core is Markdown for you and for agents, grouped by kind. Pinned memories come
    first, then those with high confidence and priority, many links and frequent use.
    """
    if core:
        run.show(run.cortex.reflection.core(tokens), _print_core)
        return
    with output.progress("Computing embeddings") as progress:
        run.cortex.models.embed_pending(progress)
    run.show(run.cortex.reflection.reflect(dry_run=dry_run), _print_reflection)


def _print_core(page: Core) -> None:
    if page.memories:
        output.verbatim(page.text)
    else:
        output.note(prose.NO_MEMORIES)


def _print_reflection(seen: Reflection) -> None:
    sections: dict[str, list[tuple[str, str, str]]] = {
        "Themes": [
            (" + ".join(theme.tags), prose.memories(theme.count), "; ".join(theme.examples))
            for theme in seen.themes
        ],
        "Recurs in your projects": [_recurs(one, seen.dry_run) for one in seen.recurrences],
        "Tags in several projects": [
            (tag, ", ".join(f"{project} {count}" for project, count in counts.items()), "")
            for tag, counts in seen.shared_tags.items()
        ],
        "Most used": [
            (prose.short(one.id), one.title, f"in {text.counted(one.access_count, 'session')}")
            for one in seen.most_used
        ],
        "Newest insights": [
            (prose.short(one.id), one.title, prose.day(one.created)) for one in seen.insights
        ],
    }
    for heading, rows in sections.items():
        if rows:
            output.say(heading, "bold")
            width = min(output.WIDEST_LABEL, max(len(text.one_line(row[0])) for row in rows))
            for label, first, second in rows:
                more = [(prose.cut(second, 300), "dim")] if second else []
                output.item(label, (first, ""), *more, width=width)
            output.say()
    output.say("Consolidation", "bold")
    waiting = f"{seen.to_review:,} (see: cortex review list)" if seen.to_review else ""
    prose.facts(
        (
            ("merges", f"{seen.merges:,}"),
            ("superseded", f"{seen.superseded:,}"),
            ("to review", waiting),
            ("last", prose.when(seen.last_consolidation) or "never"),
        )
    )
    # Nothing that recurs is moved by itself, so the reader must learn where it waits.
    if any(one.suggestion for one in seen.recurrences):
        output.say("To keep or discard the suggestions: cortex suggestions list")


def _recurs(one: Recurrence, dry_run: bool) -> tuple[str, str, str]:
    where = f"also in {', '.join(one.projects)}"
    if one.suggestion:
        where += f"; suggested for all projects as {prose.short(one.suggestion)}"
    elif not dry_run:
        where += "; already global, or already decided"
    return prose.short(one.memory.id), one.memory.title, where

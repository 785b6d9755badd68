"""Commands that import and export memories, and index-code, which describes source files."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import EPISODE
from cortex_core.cli import output, prose
from cortex_core.cli.command import (
    DRY_RUN,
    FAILED,
    YES,
    Run,
    at_terminal,
    command,
    confirm,
    group,
    lines_of,
    pass_run,
    text_of,
)
from cortex_core.cli.prose import MEMORIES
from cortex_core.records.captures import ExportReport, ImportReport
from cortex_core.records.memory import SCOPES, Memory
from cortex_core.records.project_code import CodeReport


@group(
    "import",
    examples=(
        "cortex import transcripts",
        "cortex import transcripts --all --since 30d --dry-run",
        "cortex import markdown ~/notes --dry-run",
        "cortex import claude-memory",
    ),
)
def imports() -> None:
    """Import past sessions, Markdown or JSONL.

    cortex undo undoes an import in one step.
    """


@imports.command(
    "transcripts",
    examples=(
        "cortex import transcripts",
        "cortex import transcripts --dry-run --since 2026-10-01",
        "cortex import transcripts --all",
        "cortex import transcripts ~/backup/sessions",
    ),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Import the sessions of every project, each into its own project's store.",
)
@click.option(
    "--since", metavar="WHEN", help="Only sessions changed after this time: 2026-11-05, 3d."
)
@DRY_RUN
@pass_run
def transcripts(
    run: Run, paths: tuple[str, ...], everything: bool, since: str | None, dry_run: bool
) -> None:
    """Learn from past sessions of your agents.

    Without a PATH, it imports this project's own sessions. Files and folders that you name go into
    this project, wherever they came from. Importing again adds nothing.
    """
    if everything and paths:
        raise UsageError("Give paths or --all, not both. Nothing was changed.")
    with output.progress("Reading sessions") as progress:
        report = run.cortex.exchange.import_transcripts(
            paths, since=since, dry_run=dry_run, everything=everything, progress=progress
        )
    if dry_run or not report.id:
        entries = ("memory or entry of the history", "memories and entries of the history")
        _finish(
            run,
            report,
            text.counted(report.stored, *entries) if report.stored else text.memories(0),
        )
        if not (report.files or report.skipped or report.problems):
            output.note(
                "No session was found. To read copies of sessions: cortex import transcripts PATH"
            )
        return
    _embed_pending(run)
    # The history is counted apart: a plain list leaves it out.
    kept = run.cortex.list(imported=report.id, sort="standing")
    history = run.cortex.list(imported=report.id, kinds=(EPISODE,))
    and_history = f" and {prose.entries(len(history))}" if history else ""
    run.show(report, lambda _: prose.imported(report, prose.memories(len(kept)) + and_history))
    if not run.json:
        _print_kept(report.id[:8], kept, history)


FIRST_KEPT = 5
"""Memories of an import of sessions that are listed at once."""


def _print_kept(id: str, kept: Sequence[Memory], history: Sequence[Memory]) -> None:
    """Write the most important of what an import kept, and what lists all of it."""
    if kept:
        output.say()
        output.show(MEMORIES, kept[:FIRST_KEPT], as_json=False)
    if len(kept) > FIRST_KEPT:
        output.say(f"All {len(kept):,}: cortex list --import {id}")
    if withheld := sum(each.withheld for each in kept):
        output.say(f"{withheld:,} of them kept but not injected: cortex surface --explain")
    if history:
        output.say(f"The history: cortex list --import {id} --kind episode")


OWN = click.option(
    "--own", is_flag=True, help="It is your own: take what it says of rules and pins as your word."
)
FORCE = click.option(
    "--force", is_flag=True, help="Let the files overwrite newer memories in the store."
)


@imports.command(
    "jsonl",
    examples=(
        "cortex import jsonl notes.jsonl",
        "cortex import jsonl notes.jsonl --dry-run",
        """echo '{"content": "Staging runs Postgres 16"}' | cortex import jsonl -""",
    ),
)
@click.argument("file")
@FORCE
@OWN
@DRY_RUN
@pass_run
def jsonl(run: Run, file: str, force: bool, own: bool, dry_run: bool) -> None:
    """Import memories, one JSON object per line; - for stdin.

    Only content is required. The import keeps id, kind, title, tags, created, scope, priority,
    confidence, files, context, session and author. A known id updates its memory, unless that
    has changed since the export. Rows of one session are neighbours in their order. Only what
    you exported yourself, or call your own, is pinned, or is a rule for every session. A line
    that cannot be used is reported with its number, and the rest is imported. If the import is
    interrupted, what is written stays.
    """
    with lines_of(file) as lines:
        with output.progress("Importing") as progress:
            report = run.cortex.exchange.import_jsonl(
                lines, own=own, force=force, dry_run=dry_run, progress=progress
            )
        _finish(run, report)


def _finish(run: Run, report: ImportReport, kept: str = "") -> None:
    """Compute vectors for the imported memories, and print the report, as `prose.imported` does."""
    if not report.dry_run:
        _embed_pending(run)
    run.show(report, lambda report: prose.imported(report, kept))


def _embed_pending(run: Run) -> None:
    with output.progress("Computing embeddings") as progress:
        run.cortex.models.embed_pending(progress)


@group("export", examples=("cortex export markdown notes", "cortex export jsonl memories.jsonl"))
def exports() -> None:
    """Export memories as Markdown or JSONL."""


@exports.command(
    "jsonl",
    examples=(
        "cortex export jsonl memories.jsonl",
        "cortex export jsonl - | gzip > memories.jsonl.gz",
        "cortex export jsonl memories.jsonl --vectors --force",
    ),
)
@click.argument("file")
@click.option("--vectors", is_flag=True, help="Include the vectors (base64 of float32).")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@pass_run
def export_jsonl(run: Run, file: str, vectors: bool, force: bool) -> None:
    """Export every memory of both stores, one JSON object per line; - for stdout.

    cortex import jsonl imports the file without loss.
    """
    if file == "-":
        run.cortex.exchange.export_jsonl(sys.stdout, vectors=vectors)
        return
    number = _export(run, Path(file), vectors, force)
    run.say({"file": file, "memories": number}, f"Exported {text.memories(number)} to {file}")


def _export(run: Run, file: Path, vectors: bool, force: bool) -> int:
    """Write the file whole or not at all; what is no file, such as a pipe, is written directly."""
    from cortex_core.store import leftovers

    exchange = run.cortex.exchange
    if file.exists() and not force:
        raise UsageError(
            f"{file} exists already. Nothing was written. Use --force to overwrite it."
        )
    try:
        if file.exists() and not file.is_file():
            with file.open("w", encoding="utf-8", newline="\n") as out:
                return exchange.export_jsonl(out, vectors=vectors)
        leftovers.sweep_files(file.parent, of=file.name)
        with leftovers.partial(file) as unfinished:
            with unfinished.open("w", encoding="utf-8", newline="\n") as out:
                number = exchange.export_jsonl(out, vectors=vectors)
            if file.exists():
                unfinished.chmod(file.stat().st_mode & 0o777)
            unfinished.replace(file.resolve())
            return number
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}. Nothing was exported."
        ) from error


@imports.command(
    "markdown",
    examples=(
        "cortex import markdown ~/notes --dry-run",
        "cortex import markdown vault",
        "cortex import markdown docs/decisions.md",
    ),
)
@click.argument("path")
@click.option("--global", "everywhere", is_flag=True, help="Store notes without a scope globally.")
@FORCE
@OWN
@DRY_RUN
@YES
@pass_run
def markdown(
    run: Run, path: str, everywhere: bool, force: bool, own: bool, dry_run: bool, yes: bool
) -> None:
    """Import a vault, or plain notes: a folder or one file.

    A vault is a folder written by export markdown: edits in its files become edits of the
    memories. Memories that have changed since the export stay as they are, and a deleted file
    deletes no memory. In other notes, each section becomes a memory, or each list item that
    makes sense on its own. Only what you exported yourself and did not change since, or call your
    own, is pinned, or is a rule for every session.
    """
    _import(
        run,
        lambda dry_run: run.cortex.exchange.import_markdown(
            path, scope="global" if everywhere else None, own=own, force=force, dry_run=dry_run
        ),
        dry_run,
        yes,
    )


@imports.command(
    "claude-memory",
    examples=("cortex import claude-memory", "cortex import claude-memory --dry-run"),
)
@click.argument("path", required=False)
@DRY_RUN
@YES
@pass_run
def claude_memory(run: Run, path: str | None, dry_run: bool, yes: bool) -> None:
    """Import what Claude Code itself remembers about this project.

    Its files are only read. Importing again follows what has changed there; capture does the same
    by itself. PATH names another folder of the same format.
    """
    _import(
        run,
        lambda dry_run: run.cortex.exchange.import_claude_memory(path, dry_run=dry_run),
        dry_run,
        yes,
    )


@imports.command(
    "claude-md",
    examples=("cortex import claude-md", "cortex import claude-md docs/AGENTS.md --dry-run"),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@DRY_RUN
@YES
@pass_run
def claude_md(run: Run, paths: tuple[str, ...], dry_run: bool, yes: bool) -> None:
    """Import the rules of CLAUDE.md, one memory per rule.

    Without a PATH, the files that Claude Code reads here; your own one goes to the global store.
    Because Claude Code reads these files itself, the rules are injected where they match, but
    not at session start; cortex give ID normal changes that.
    """
    _import(
        run,
        lambda dry_run: run.cortex.exchange.import_claude_md(paths, dry_run=dry_run),
        dry_run,
        yes,
    )


@exports.command(
    "markdown",
    examples=(
        "cortex export markdown vault",
        "cortex export markdown ~/memories --scope global",
    ),
)
@click.argument("folder", metavar="DIR")
@click.option(
    "--scope",
    type=click.Choice([*SCOPES, "all"]),
    default="all",
    show_default=True,
    help="Which store to export.",
)
@click.option("--force", is_flag=True, help="Overwrite edits that were not imported.")
@pass_run
def export_markdown(run: Run, folder: str, scope: str, force: bool) -> None:
    """Export memories to a folder, one file each, to read, edit and keep in git.

    Only changed files are written. cortex import markdown imports your edits.
    """
    report = run.cortex.exchange.export_markdown(folder, scope=scope, force=force)  # type: ignore[arg-type]
    run.show(report, _print_export)


def _import(run: Run, work: Callable[[bool], ImportReport], dry_run: bool, yes: bool) -> None:
    """Do the import; in a terminal, first show a preview and ask.

    Args:
        work: imports; with true, a dry run.
    """
    if not dry_run and not yes and not run.json and at_terminal():
        preview = work(True)
        prose.imported(preview)
        if not (preview.stored or preview.updated or preview.quarantined or preview.linked):
            output.say("There is nothing to import.")
            return
        confirm("Import this?", yes)
    with output.progress("Importing"):
        report = work(dry_run)
    _finish(run, report)


def _print_export(report: ExportReport) -> None:
    output.say(f"{prose.memories(report.memories)} in {report.folder}.", "bold")
    prose.facts(
        (
            ("written", text.counted(report.written, "file")),
            ("unchanged", text.counted(report.unchanged, "file") if report.unchanged else ""),
            ("removed", text.counted(len(report.removed), "file") if report.removed else ""),
            ("not from Cortex", ", ".join(report.left[:5])),
        )
    )


@command(
    "index-code",
    examples=(
        "cortex index-code src/payment/processor.ts",
        "cortex index-code src",
        'cortex index-code src/limiter.py --prose "Limits logins to five a minute per address"',
        "cortex index-code --changed",
        "cortex index-code --stale",
    ),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path())
@click.option("--prose", metavar="TEXT", help="Your own description of the file; - for stdin.")
@click.option("--force", is_flag=True, help="Index unchanged files again.")
@click.option(
    "--changed", is_flag=True, help="Index every file that has changed since it was indexed."
)
@click.option("--stale", is_flag=True, help="Only list descriptions whose file has changed.")
@DRY_RUN
@pass_run
def index_code(
    run: Run,
    /,
    paths: tuple[str, ...],
    prose: str | None,
    force: bool,
    changed: bool,
    stale: bool,
    dry_run: bool,
) -> None:
    """Describe source files, so that queries find their code.

    A description is generated from the names, documentation and comments of a file (Python,
    JavaScript, TypeScript, Go, Rust and Java), or by the language model if you have chosen one.
    With --prose you write it yourself, for any language. The code is stored with it, without
    secrets; it is never embedded and never leaves the machine. A folder means all its source
    files that git does not ignore. For a changed file, the new description supersedes the old
    one.
    """
    if not paths and not changed and not stale:
        raise UsageError("Name a file or a folder, or use --changed. Nothing was indexed.")
    if stale:
        run.rows(MEMORIES, run.cortex.code.stale(), "All descriptions are up to date.")
        return
    written = None if prose is None else text_of((prose,), what="description")
    with output.progress("Indexing") as progress:
        if changed:
            report = run.cortex.code.reindex(dry_run=dry_run, progress=progress)
        else:
            report = run.cortex.code.index(
                paths, prose=written, force=force, dry_run=dry_run, progress=progress
            )
    if report.indexed:  # so that search by meaning finds the descriptions at once
        _embed_pending(run)
    run.show(report, _print_index)
    # A folder with one unreadable file is indexed as far as it goes; only where nothing could be
    # read has the command failed.
    if report.problems and not (report.files or report.unchanged or report.gone):
        click.get_current_context().exit(FAILED)


def _print_index(report: CodeReport) -> None:
    would = "Would index" if report.dry_run else "Indexed"
    pairs = "" if report.dry_run else f" in {text.counted(len(report.indexed), 'description')}"
    output.say(f"{would} {text.counted(len(report.files), 'file')}{pairs}.", "bold")
    for name, number in (
        ("unchanged", report.unchanged),
        ("superseded", report.replaced),
        ("archived, because their files are gone", len(report.gone)),
    ):
        if number:
            output.say(f"{number:,} {name}.")
    for memory in report.indexed[:20]:
        output.item(prose.short(memory.id), (memory.title, ""), width=prose.SHORT_ID)
    if len(report.indexed) > 20:
        output.say("… See: cortex list --kind code_description")
    for problem in report.problems:
        output.note(f"! {problem}")

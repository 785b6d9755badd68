"""Commands that import and export memories; `carrying` adds those for Markdown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cortex_core import shapes
from cortex_core.cli import output, prose
from cortex_core.cli.command import Run, group, pass_run
from cortex_core.cli.options import DRY_RUN, lines_of
from cortex_core.errors import UsageError
from cortex_core.reports.exchange import ImportReport

if TYPE_CHECKING:
    from cortex_core.api import Cortex


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
    """Learn from past sessions of Claude Code.

    Without a PATH, it imports this project's own sessions. Files and folders that you name go
    into this project, wherever they came from. Importing again adds nothing.
    """
    if everything and paths:
        raise UsageError("Give paths or --all, not both. Nothing was changed.")
    with run.cortex() as cortex:
        with output.progress("Reading sessions") as progress:
            report = cortex.exchange.import_transcripts(
                paths, since=since, dry_run=dry_run, everything=everything, progress=progress
            )
        finish(cortex, report, as_json=run.json)


@imports.command(
    "jsonl",
    examples=(
        "cortex import jsonl notes.jsonl",
        "cortex import jsonl notes.jsonl --dry-run",
        """echo '{"content": "Staging runs Postgres 16"}' | cortex import jsonl -""",
    ),
)
@click.argument("file")
@DRY_RUN
@pass_run
def jsonl(run: Run, file: str, dry_run: bool) -> None:
    """Import memories, one JSON object per line; - for stdin.

    Only content is required. The import keeps id, kind, title, tags, created, scope, priority,
    confidence, files, context, session and author. A known id updates its memory. Rows of one
    session are neighbours in their order.
    """
    with lines_of(file) as lines, run.cortex() as cortex:
        report = cortex.exchange.import_jsonl(lines, dry_run=dry_run)
        finish(cortex, report, as_json=run.json)


def finish(cortex: Cortex, report: ImportReport, *, as_json: bool) -> None:
    """Compute vectors for the imported memories, and print the report."""
    if not report.dry_run:
        with output.progress("Computing embeddings") as progress:
            cortex.models.embed_pending(progress)
    if as_json:
        output.emit(shapes.import_report(report))
    else:
        prose.imported(report)


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
    with run.cortex() as cortex:
        if file == "-":
            cortex.exchange.export_jsonl(sys.stdout, vectors=vectors)
            return
        number = _export(cortex, Path(file), vectors, force)
    if run.json:
        output.emit({"file": file, "memories": number})
    else:
        output.say(f"Exported {number:,} memories to {file}")


def _export(cortex: Cortex, file: Path, vectors: bool, force: bool) -> int:
    try:
        with file.open("w" if force else "x", encoding="utf-8", newline="\n") as out:
            return cortex.exchange.export_jsonl(out, vectors=vectors)
    except FileExistsError:
        raise UsageError(
            f"{file} exists already. Nothing was written. Use --force to overwrite it."
        ) from None
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}. Nothing was exported."
        ) from error

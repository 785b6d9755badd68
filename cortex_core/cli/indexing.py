"""The command that describes source files: index-code."""

from __future__ import annotations

import click

from cortex_core import shapes
from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.cli import output, prose
from cortex_core.cli.command import FAILED, NOTHING_FOUND, Run, command, pass_run
from cortex_core.cli.options import DRY_RUN, text_of
from cortex_core.reports import CodeReport


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
    run: Run, /, paths: tuple[str, ...], prose: str | None, force: bool, changed: bool,
    stale: bool, dry_run: bool,
) -> None:  # fmt: skip
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
        _list_stale(run)
        return
    written = None if prose is None else text_of((prose,), what="description")
    with run.cortex() as cortex, output.progress("Indexing") as progress:
        if changed:
            report = cortex.code.reindex(dry_run=dry_run, progress=progress)
        else:
            report = cortex.code.index(
                paths, prose=written, force=force, dry_run=dry_run, progress=progress
            )
    _embed(run, report)
    if run.json:
        output.emit(shapes.code_report(report))
    else:
        _tell(report)
    if report.problems and not (report.files or report.unchanged or report.gone):
        click.get_current_context().exit(FAILED)


def _embed(run: Run, report: CodeReport) -> None:
    """Compute vectors for the descriptions, so that search by meaning finds them at once."""
    if report.indexed:
        with run.cortex() as cortex, output.progress("Computing embeddings") as progress:
            cortex.models.embed_pending(progress)


def _list_stale(run: Run) -> None:
    with run.cortex() as cortex:
        found = cortex.code.stale()
    if not output.show(
        prose.MEMORIES, found, as_json=run.json, empty="All descriptions are up to date."
    ):
        raise click.exceptions.Exit(NOTHING_FOUND)


def _tell(report: CodeReport) -> None:
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

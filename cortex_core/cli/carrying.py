"""Commands that carry memories in and out as Markdown, and from what Claude Code keeps itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from cortex_core import text
from cortex_core.cli import output, prose, shapes, views
from cortex_core.cli.command import Run, pass_run
from cortex_core.cli.exchange import exports, finish, imports
from cortex_core.cli.options import DRY_RUN, YES, at_terminal, confirm
from cortex_core.memory import SCOPES
from cortex_core.reports.exchange import ExportReport, ImportReport

if TYPE_CHECKING:
    from cortex_core.cortex import Cortex

__all__ = ["exports", "imports"]

Importer = Callable[[bool], ImportReport]
"""Takes in, or with true only rehearses."""


@imports.command(
    "markdown",
    examples=(
        "cortex import markdown ~/notes --dry-run",
        "cortex import markdown vault",
        "cortex import markdown docs/decisions.md",
    ),
)
@click.argument("path")
@click.option("--global", "everywhere", is_flag=True, help="Notes that name no store: for all.")
@click.option("--force", is_flag=True, help="Take the files' state where the store's is newer.")
@DRY_RUN
@YES
@pass_run
def markdown(run: Run, path: str, everywhere: bool, force: bool, dry_run: bool, yes: bool) -> None:
    """Take in a vault, or plain notes: a folder or one file.

    What export markdown wrote comes back memory by memory, edits included; what was changed here
    since stays. A file that is gone forgets nothing. Of other notes each section becomes a memory,
    or each item of a list that stands for itself.
    """
    with run.cortex() as cortex:
        _bring(
            run, cortex, lambda rehearse: cortex.import_markdown(
                path, scope="global" if everywhere else None, force=force, dry_run=rehearse
            ), dry_run, yes,
        )  # fmt: skip


@imports.command(
    "claude-memory",
    examples=("cortex import claude-memory", "cortex import claude-memory --dry-run"),
)
@click.argument("path", required=False)
@DRY_RUN
@YES
@pass_run
def claude_memory(run: Run, path: str | None, dry_run: bool, yes: bool) -> None:
    """Take in what Claude Code remembers of this project by itself.

    Nothing is written there. Running it again adds what is new; PATH names another folder of the
    same form.
    """
    with run.cortex() as cortex:
        _bring(
            run, cortex, lambda rehearse: cortex.import_claude_memory(path, dry_run=rehearse),
            dry_run, yes,
        )  # fmt: skip


@imports.command(
    "claude-md",
    examples=("cortex import claude-md", "cortex import claude-md docs/AGENTS.md --dry-run"),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@DRY_RUN
@YES
@pass_run
def claude_md(run: Run, paths: tuple[str, ...], dry_run: bool, yes: bool) -> None:
    """Take in the rules of CLAUDE.md, one memory a rule.

    Without a PATH the files that Claude Code reads here; your own one goes to the global store.
    Since Claude Code gives them by itself, they are found and given where they fit, not at a
    session's start; cortex give ID normal changes that.
    """
    with run.cortex() as cortex:
        _bring(
            run, cortex, lambda rehearse: cortex.import_claude_md(paths, dry_run=rehearse),
            dry_run, yes,
        )  # fmt: skip


@exports.command(
    "markdown",
    examples=(
        "cortex export markdown vault",
        "cortex export markdown ~/memories --scope global",
    ),
)
@click.argument("folder", metavar="DIR")
@click.option("--scope", type=click.Choice([*SCOPES, "all"]), default="all", show_default=True,
              help="Which store's memories.")  # fmt: skip
@click.option("--force", is_flag=True, help="Write over edits that were not imported.")
@pass_run
def export_markdown(run: Run, folder: str, scope: str, force: bool) -> None:
    """Write memories to a folder, one file each, to read, edit and keep in git.

    Only what has changed is written; cortex import markdown takes edits back in.
    """
    with run.cortex() as cortex:
        report = cortex.export_markdown(folder, scope=scope, force=force)  # type: ignore[arg-type]
    if run.json:
        output.emit(shapes.export_report(report))
    else:
        _tell_exported(report)


def _bring(run: Run, cortex: Cortex, work: Importer, dry_run: bool, yes: bool) -> None:
    """Do the import; where a person watches, show first what would come, and ask."""
    if not dry_run and not yes and not run.json and at_terminal():
        preview = work(True)
        prose.imported(preview)
        if not _has_news(preview):
            output.say("Nothing to do.")
            return
        confirm("Import this?", yes)
    with output.progress("Reading"):
        report = work(dry_run)
    finish(cortex, report, as_json=run.json)


def _has_news(report: ImportReport) -> bool:
    return bool(report.stored or report.updated or report.quarantined or report.linked)


def _tell_exported(report: ExportReport) -> None:
    output.say(f"{views.memories(report.memories)} in {report.folder}.", "bold")
    prose.facts(
        (
            ("written", text.counted(report.written, "file")),
            ("unchanged", text.counted(report.unchanged, "file") if report.unchanged else ""),
            ("removed", text.counted(len(report.removed), "file") if report.removed else ""),
            ("not from here", ", ".join(report.left[:5])),
        )
    )

"""Commands that import and export Markdown, and import what Claude Code keeps itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from cortex_core import shapes, text
from cortex_core.cli import output, prose, views
from cortex_core.cli.command import Run, pass_run
from cortex_core.cli.exchange import exports, finish, imports
from cortex_core.cli.options import DRY_RUN, YES, at_terminal, confirm
from cortex_core.memory import SCOPES
from cortex_core.reports.exchange import ExportReport, ImportReport

if TYPE_CHECKING:
    from cortex_core.api import Cortex

__all__ = ["exports", "imports"]

Importer = Callable[[bool], ImportReport]
"""Imports; with true, only rehearses."""


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
@click.option("--force", is_flag=True, help="Let the files overwrite newer memories in the store.")
@DRY_RUN
@YES
@pass_run
def markdown(run: Run, path: str, everywhere: bool, force: bool, dry_run: bool, yes: bool) -> None:
    """Import a vault, or plain notes: a folder or one file.

    A vault is a folder written by export markdown: edits in its files become edits of the
    memories. Memories that have changed since the export stay as they are, and a deleted file
    deletes no memory. In other notes, each section becomes a memory, or each list item that
    makes sense on its own.
    """
    with run.cortex() as cortex:
        _bring(
            run, cortex, lambda rehearse: cortex.exchange.import_markdown(
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
    """Import what Claude Code itself remembers about this project.

    Its files are only read. Importing again adds what is new. PATH names another folder of the
    same format.
    """
    with run.cortex() as cortex:
        _bring(
            run, cortex,
            lambda rehearse: cortex.exchange.import_claude_memory(path, dry_run=rehearse),
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
    """Import the rules of CLAUDE.md, one memory per rule.

    Without a PATH, the files that Claude Code reads here; your own one goes to the global store.
    Because Claude Code reads these files itself, the rules are injected where they match, but
    not at session start; cortex give ID normal changes that.
    """
    with run.cortex() as cortex:
        _bring(
            run, cortex, lambda rehearse: cortex.exchange.import_claude_md(paths, dry_run=rehearse),
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
              help="Which store to export.")  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite edits that were not imported.")
@pass_run
def export_markdown(run: Run, folder: str, scope: str, force: bool) -> None:
    """Export memories to a folder, one file each, to read, edit and keep in git.

    Only changed files are written. cortex import markdown imports your edits.
    """
    with run.cortex() as cortex:
        report = cortex.exchange.export_markdown(folder, scope=scope, force=force)  # type: ignore[arg-type]
    if run.json:
        output.emit(shapes.export_report(report))
    else:
        _tell_exported(report)


def _bring(run: Run, cortex: Cortex, work: Importer, dry_run: bool, yes: bool) -> None:
    """Do the import; in a terminal, first show a preview and ask."""
    if not dry_run and not yes and not run.json and at_terminal():
        preview = work(True)
        prose.imported(preview)
        if not _has_news(preview):
            output.say("There is nothing to import.")
            return
        confirm("Import this?", yes)
    with output.progress("Importing"):
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
            ("not from Cortex", ", ".join(report.left[:5])),
        )
    )

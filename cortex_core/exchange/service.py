"""Memories in and out: JSON lines, Markdown, transcripts, and the files of Claude Code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cortex_core.memory import Scope, Where
from cortex_core.storage.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.capture.importing import Progress, TranscriptImporter
    from cortex_core.curation.reflection import Reflections
    from cortex_core.exchange.bringing import Bringing
    from cortex_core.reports.exchange import ExportReport, ImportReport
    from cortex_core.storage.history import Snapshots


class Exchange:
    """Carrying memories in and out of a workspace."""

    def __init__(
        self,
        workspace: Workspace,
        transcripts: TranscriptImporter,
        reflection: Reflections,
        snapshots: Snapshots,
    ) -> None:
        self._workspace = workspace
        self._transcripts = transcripts
        self._reflection = reflection
        self._snapshots = snapshots

    def import_transcripts(
        self,
        paths: Sequence[str | Path] = (),
        *,
        since: str | float | None = None,
        dry_run: bool = False,
        everything: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Learn from past sessions; running it again adds nothing.

        Args:
            paths: files and folders, taken into this project whatever folder they name; none:
                the project's own sessions.
            since: only sessions changed since then.
            dry_run: report what would come, change nothing.
            everything: every session of the client, each into the project it ran in.

        Raises:
            TranscriptError: a path does not exist.
        """
        return self._transcripts.import_transcripts(
            paths, since=since, dry_run=dry_run, everything=everything, progress=progress
        )

    def import_jsonl(
        self, source: str | Path | Iterable[str], *, dry_run: bool = False
    ) -> ImportReport:
        """Take in memories, one JSON object a line, as one undoable change a store.

        An object with an `id` stays a row of its own, and the same id again updates that row; one
        without may reinforce a memory that says the same. Rows of one session are neighbours in
        their order. An unusable line is told and left out.

        Args:
            source: a file, or the lines themselves.

        Raises:
            UsageError: the file cannot be read, or no line of it is usable.
        """
        from cortex_core.exchange.exchanging import JsonlExchange

        return JsonlExchange(self._workspace, self._snapshots).import_jsonl(source, dry_run=dry_run)

    def export_jsonl(self, out: TextIO, *, vectors: bool = False) -> int:
        """Write every memory of both stores, one JSON object a line; how many there were.

        Args:
            vectors: whether each carries its vector, base64 float32.
        """
        from cortex_core.exchange.exchanging import JsonlExchange

        return JsonlExchange(self._workspace, self._snapshots).export_jsonl(out, vectors=vectors)

    def import_markdown(
        self,
        path: str | Path,
        *,
        scope: Scope | None = None,
        force: bool = False,
        dry_run: bool = False,
    ) -> ImportReport:
        """Take in a vault, or plain Markdown notes, as one undoable step.

        A file with an id is a memory of its own: new, or the edit of one that is here. One changed
        here since the file was written stays as it is here. A file that is gone forgets nothing.
        Of other notes each section, or each item of a list, becomes a memory.

        Args:
            path: a folder, or one file.
            scope: where memories go that name no store; None is the project.
            force: take the file's state also where the store's is newer.

        Raises:
            UsageError: there is nothing at `path`.
        """
        from cortex_core.exchange.carrying import MarkdownExchange

        return MarkdownExchange(
            self._workspace, self._bringing(), self._reflection
        ).import_markdown(path, scope=scope, force=force, dry_run=dry_run)

    def export_markdown(
        self, folder: str | Path, *, scope: Where = "all", force: bool = False
    ) -> ExportReport:
        """Write memories to a folder, one file each, with their links and days; git may keep it.

        Only what has changed is written. What was edited there by hand, and not imported yet, is
        written over with `force` alone; files of others are left where they are.

        Args:
            scope: which store's memories; those of both by default.

        Raises:
            UsageError: there are edits that an import has not taken in.
            StoreError: something cannot be written.
        """
        from cortex_core.exchange.carrying import MarkdownExchange

        return MarkdownExchange(
            self._workspace, self._bringing(), self._reflection
        ).export_markdown(folder, scope=scope, force=force)

    def import_claude_memory(
        self, path: str | Path | None = None, *, dry_run: bool = False
    ) -> ImportReport:
        """Take in what Claude Code remembers of this project by itself.

        Running it again adds what is new. Nothing is given twice: what its MEMORY.md tells the
        client already stays out of the surface.

        Args:
            path: another folder of the same form; None is this project's own.

        Raises:
            NotFound: there is no such folder.
        """
        from cortex_core.exchange.gathering import ClaudeFiles

        return ClaudeFiles(self._workspace, self._bringing()).import_claude_memory(
            path, dry_run=dry_run
        )

    def import_claude_md(
        self, paths: Sequence[str | Path] = (), *, dry_run: bool = False
    ) -> ImportReport:
        """Take in the rules of CLAUDE.md, one memory a rule; running it again adds what is new.

        The client gives that file by itself, so these memories are not given at a session's start,
        only found and given where they fit (`give` changes that). The user's own file goes to the
        global store.

        Args:
            paths: files to read; none: those that the client reads in this project.

        Raises:
            NotFound: there is no such file.
        """
        from cortex_core.exchange.gathering import ClaudeFiles

        return ClaudeFiles(self._workspace, self._bringing()).import_claude_md(
            paths, dry_run=dry_run
        )

    def _bringing(self) -> Bringing:
        from cortex_core.exchange.bringing import Bringing

        return Bringing(self._workspace, self._snapshots)

"""Memories in and out: JSON lines, Markdown, transcripts, and the files of Claude Code."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.capture.transcript_import import TranscriptImporter
from cortex_core.exchange import claude_files, importer, jsonl
from cortex_core.exchange.exported import IMPORTED, KnownTexts
from cortex_core.exchange.markdown import read, write
from cortex_core.practice.reflection import Reflections, candidates, reflect
from cortex_core.records.captures import ExportReport, ImportReport, Progress, unwatched
from cortex_core.records.memory import Scope, Where
from cortex_core.store.snapshot_service import Snapshots
from cortex_core.store.workspace import Workspace


class Exchange:
    """Import into a workspace, and export from it."""

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
        progress: Progress = unwatched,
    ) -> ImportReport:
        """Extract memories from past sessions; running it again adds nothing.

        Args:
            paths: files and folders, imported into this project whatever folder they name; none:
                the project's own sessions.
            since: only sessions changed since then.
            dry_run: report what would be imported, and change nothing.
            everything: every session of Claude Code, each into the project it ran in.

        Raises:
            TranscriptError: a path does not exist.
        """
        return self._transcripts.import_transcripts(
            paths, since=since, dry_run=dry_run, everything=everything, progress=progress
        )

    def import_jsonl(
        self,
        source: str | Path | Iterable[str],
        *,
        own: bool = False,
        force: bool = False,
        dry_run: bool = False,
        progress: Progress = unwatched,
    ) -> ImportReport:
        """Import memories, one JSON object a line, as one undoable change per store.

        An object with an `id` gets a row of its own, and the same id again updates that row,
        unless it was updated later than the object says in `updated`; one without may reinforce a
        memory that says the same. Rows of one session are neighbours in their order. An unusable
        line is reported and left out. Of more than a thousand memories, what is written when the
        import is interrupted stays.

        Args:
            source: a file, or the lines themselves.
            own: take what the lines say of who wrote them and of pins as the user's word, though
                they are no unchanged export of this user.
            force: let the lines overwrite memories that were updated later.
            progress: called with the steps done and their number; reading is half of them.

        Raises:
            UsageError: the file cannot be read, or no line of it is usable.
            StoreError: a store cannot be written; the message says what has been imported.
        """
        started = time.perf_counter()
        # Each line is read and then written: half of the progress is for each.
        batch = jsonl.batch(
            self._workspace,
            source,
            own=own,
            progress=lambda done, total: progress(done, 2 * total, "reading"),
        )
        label = f"import {text.counted(len(batch.items), 'memory', 'memories')}"
        return importer.run(
            self._workspace,
            self._snapshots,
            batch,
            label,
            force=force,
            dry_run=dry_run,
            started=started,
            progress=lambda done, total: progress(total + done, 2 * total, "writing"),
        )

    def export_jsonl(self, out: TextIO, *, vectors: bool = False) -> int:
        """Write every memory of both stores, one JSON object a line; returns how many.

        Args:
            vectors: whether each includes its vector, base64 float32.
        """
        return jsonl.export(
            self._workspace.stores,
            out,
            KnownTexts(self._workspace.project.home),
            vectors=vectors,
        )

    def import_markdown(
        self,
        path: str | Path,
        *,
        scope: Scope | None = None,
        own: bool = False,
        force: bool = False,
        dry_run: bool = False,
    ) -> ImportReport:
        """Import a vault, or plain Markdown notes, as one undoable step.

        A file with an id is a memory of its own: a new one, or an edit of a stored one. A memory
        that changed in the store since the file was written stays unchanged, and a missing file
        forgets nothing. Of other notes each section, or each item of a list, becomes a memory.

        Args:
            path: a folder, or one file.
            scope: the store for memories that name none; None is the project.
            own: take what the files say of who wrote them and of pins as the user's word, though
                they are no unchanged export of this user.
            force: take the state of a file even where the store's is newer.

        Raises:
            UsageError: there is nothing at `path`.
        """
        started = time.perf_counter()
        source = Path(path).expanduser()
        default = scope or self._workspace.default_scope()
        batch = read.batch(self._workspace, source, default, own=own)
        label = f"import {text.memories(len(batch.items))} from {source.name or source}"
        report = importer.run(
            self._workspace,
            self._snapshots,
            batch,
            label,
            force=force,
            dry_run=dry_run,
            started=started,
        )
        if not dry_run:
            # The next export may overwrite what was taken over, not what had a problem.
            problems = "\n".join(report.problems)
            taken = [words for name, words in batch.texts if name not in problems]
            KnownTexts(self._workspace.project.home, IMPORTED).add(taken)
        return report

    def export_markdown(
        self, folder: str | Path, *, scope: Where = "all", force: bool = False
    ) -> ExportReport:
        """Write memories to a folder, one file each, with their links and days, ready for git.

        Only changes are written. Files that were edited by hand and not imported since are
        overwritten with `force` alone; files of other programs are left as they are.

        Args:
            scope: whose memories; those of both stores by default.

        Raises:
            UsageError: there are edits that were not imported.
            StoreError: something cannot be written.
        """
        target = Path(folder).expanduser()
        if target.exists() and not target.is_dir():
            raise UsageError(f"{folder} is not a folder. Nothing was written. Choose another one.")
        workspace, stores = self._workspace, self._workspace.within(scope)
        exported = KnownTexts(workspace.project.home)
        # Others may see a vault of one store: it names no other project. Nothing is stored.
        is_whole = scope == "all"
        reflection = self._reflection.reflect(dry_run=True) if is_whole else reflect(stores)
        return write.export(
            target,
            stores,
            workspace.config.kinds,
            workspace.clock(),
            candidates(workspace, stores),
            reflection,
            exported,
            KnownTexts(workspace.project.home, IMPORTED),
            force=force,
        )

    def import_claude_memory(
        self, path: str | Path | None = None, *, dry_run: bool = False
    ) -> ImportReport:
        """Import what Claude Code itself remembers about this project.

        What changed there since changes here, as one undoable step; the user's own words stay.
        Nothing is injected twice: what Claude Code gives by itself stays out of the note.

        Args:
            path: another folder of the same form; None is that of this project.

        Raises:
            NotFound: there is no such folder.
        """
        started = time.perf_counter()
        return claude_files.import_memory(
            self._workspace, self._snapshots, path, dry_run=dry_run, started=started
        )

    def keep_up_with_claude_memory(self) -> None:
        """Take over what has changed in Claude Code's own memory of this project."""
        claude_files.keep_up(self._workspace)

    def import_claude_md(
        self, paths: Sequence[str | Path] = (), *, dry_run: bool = False
    ) -> ImportReport:
        """Import the rules of CLAUDE.md, one memory a rule; running it again adds what is new.

        Claude Code reads that file by itself, so these memories are not injected at the start of a
        session, only found and injected where they fit (`give` changes that). The user's own file
        goes to the global store.

        Args:
            paths: files to read; none: those that Claude Code reads in this project.

        Raises:
            NotFound: there is no such file.
        """
        started = time.perf_counter()
        batch = claude_files.rules_batch(self._workspace, paths)
        name = claude_files.own_files.RULES_FILE
        label = f"import {text.counted(len(batch.items), 'rule')} of {name}"
        return importer.run(
            self._workspace, self._snapshots, batch, label, dry_run=dry_run, started=started
        )

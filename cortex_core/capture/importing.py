"""Learning from sessions that are over, by their transcripts."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.base import text
from cortex_core.base.errors import CortexError, TranscriptError
from cortex_core.reports import COUNTED, ImportReport, report
from cortex_core.store import queries
from cortex_core.store.history import Snapshots
from cortex_core.store.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.capture.sessions import Sessions

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and what is being read."""

Other = Callable[[Workspace, bool], "TranscriptImporter"]
"""Makes the importer of another workspace; False: one that asks no language model."""


class TranscriptImporter:
    """Learning from sessions that are over."""

    def __init__(
        self, workspace: Workspace, sessions: Sessions, snapshots: Snapshots, importer_of: Other
    ) -> None:
        self._workspace = workspace
        self._sessions = sessions
        self._snapshots = snapshots
        self._importer_of = importer_of

    def import_transcripts(
        self,
        paths: Sequence[str | Path] = (),
        *,
        since: str | float | None = None,
        dry_run: bool = False,
        everything: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """See `Exchange.import_transcripts`."""
        started = time.perf_counter()
        if everything:
            return self._import_everything(since, dry_run, progress, started)
        files = self._chosen(paths, since)
        if dry_run:
            with tempfile.TemporaryDirectory(prefix="cortex-") as folder:
                copy = self._workspace.copy_to(folder)
                try:
                    rehearsal = self._importer_of(copy, False)
                    told = rehearsal._import_files(files, progress, started)
                finally:
                    copy.close()
            return replace(told, dry_run=True)
        self._snapshots.before_import()
        return self._import_files(files, progress, started)

    def _chosen(self, paths: Sequence[str | Path], since: str | float | None) -> list[Path]:
        from cortex_core.transcripts import reader

        found: list[Path] = []
        if paths:
            for path in paths:
                found += reader.find_transcripts(Path(path))
        else:
            found = [file for folder in self._sessions.folders() for file in _files(folder)]
        earliest = text.parse_time(since, self._workspace.clock()) if since is not None else None
        return [
            file.absolute()
            for file in dict.fromkeys(found)
            if earliest is None or _changed(file) >= earliest
        ]

    def _import_files(
        self, files: Sequence[Path], progress: Progress | None, started: float
    ) -> ImportReport:
        known = queries.read_keys(self._workspace.store())
        action = secrets.token_hex(8)
        sizes = {file: _size(file) for file in files}
        total, done = sum(sizes.values()), 0
        counts: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        problems: list[str] = []
        for file in files:
            if progress:
                progress(done, total, file.name)
            done += sizes[file]
            try:
                self._import_one(file, known, action, counts, refused)
            except (TranscriptError, OSError) as error:
                problems.append(str(error))
        if progress:
            progress(total, total, "")
        return report(counts, refused=refused, problems=problems, started=started)

    def _import_one(
        self, file: Path, known: set[int], action: str, counts: Counter[str],
        refused: Counter[str],
    ) -> None:  # fmt: skip
        from cortex_core.capture import pipeline

        store = self._workspace.store()
        cursor = pipeline.cursor_of(store, file)
        if cursor.final and cursor.offset and cursor.offset == _size(file):
            counts["skipped"] += 1
            return
        entry, admitted = self._sessions.capture(
            file, event="import", final=True, known=known, actor="import", action=action
        )
        counts.update(
            files=1, bytes_read=entry.bytes_read, candidates=entry.candidates,
            stored=entry.stored, suggested=entry.suggested, merged=entry.merged,
            quarantined=len(admitted.quarantined),
        )  # fmt: skip
        refused.update(entry.refused)

    def _import_everything(
        self, since: str | float | None, dry_run: bool, progress: Progress | None, started: float
    ) -> ImportReport:
        from cortex_core.capture import sessions

        merged: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        problems: list[str] = []
        routed, gone = sessions.by_project(self._workspace.project.home)
        for root, files in routed.items():
            with closing(self._workspace.elsewhere(root)) as there:
                part = self._importer_of(there, True).import_transcripts(
                    files, since=since, dry_run=dry_run, progress=progress
                )
            merged.update({name: getattr(part, name) for name in COUNTED})
            refused.update(part.refused)
            problems += part.problems
        return report(
            merged, refused=refused, problems=problems, elsewhere=gone, dry_run=dry_run,
            started=started,
        )  # fmt: skip


def _size(file: Path) -> int:
    """Bytes of `file`; 0 where it went meanwhile."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _changed(file: Path) -> float:
    """When `file` was changed last, Unix seconds; 0 where it went meanwhile."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _files(folder: Path) -> Iterable[Path]:
    from cortex_core.transcripts import reader

    try:
        return reader.find_transcripts(folder)
    except CortexError:
        return []

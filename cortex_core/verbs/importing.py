"""The verb that learns from past sessions: `import_transcripts`."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from sqlite3 import connect

from cortex_core import project as projects
from cortex_core import text
from cortex_core.errors import CortexError, TranscriptError
from cortex_core.reports.exchange import COUNTED, ImportReport, report
from cortex_core.verbs.capturing import Capturing

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and what is being read."""


class Importing(Capturing):
    """Learning from sessions that are over."""

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
        started = time.perf_counter()
        if everything:
            return self._import_everything(since, dry_run, progress, started)
        files = self._chosen(paths, since)
        if dry_run:
            with tempfile.TemporaryDirectory(prefix="cortex-") as folder:
                rehearsal = self._rehearsal(folder)
                rehearsal._may_ask_model = False
                try:
                    told = rehearsal._import_files(files, progress, started)
                finally:
                    rehearsal.close()
            return replace(told, dry_run=True)
        self._snapshot_before_import()
        return self._import_files(files, progress, started)

    def _chosen(self, paths: Sequence[str | Path], since: str | float | None) -> list[Path]:
        from cortex_core.capture import transcript

        found: list[Path] = []
        if paths:
            for path in paths:
                found += transcript.find_transcripts(Path(path))
        else:
            found = [file for folder in self.transcript_folders() for file in _files(folder)]
        earliest = text.parse_time(since, self.clock()) if since is not None else None
        return [
            file.absolute()
            for file in dict.fromkeys(found)
            if earliest is None or _changed(file) >= earliest
        ]

    def _import_files(
        self, files: Sequence[Path], progress: Progress | None, started: float
    ) -> ImportReport:
        from cortex_core.capture import pipeline

        store = self.store(self.default_scope())
        known = pipeline.seen_keys(store)
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

        store = self.store(self.default_scope())
        cursor = pipeline.cursor_of(store, file)
        if cursor.final and cursor.offset and cursor.offset == _size(file):
            counts["skipped"] += 1
            return
        entry, admitted = self.capture(
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
        routed, gone = sessions.by_project(self.project.home)
        for root, files in routed.items():
            with type(self).open(root, self.project.home, clock=self.clock) as other:
                part = other.import_transcripts(
                    files, since=since, dry_run=dry_run, progress=progress
                )
            merged.update({name: getattr(part, name) for name in COUNTED})
            refused.update(part.refused)
            problems += part.problems
        return report(
            merged, refused=refused, problems=problems, elsewhere=gone, dry_run=dry_run,
            started=started,
        )  # fmt: skip

    def _rehearsal(self, folder: str) -> Importing:
        """A copy of this project's memory in `folder`, to try things on."""
        copy = projects.find(explicit=folder, home=str(Path(folder, "home")))
        projects.prepare(copy)
        for store in self.stores:
            target = (
                Path(copy.project_db or "") if store.scope == "project" else Path(copy.global_db)
            )
            target.parent.mkdir(parents=True, exist_ok=True)
            with closing(connect(store.path)) as source, closing(connect(target)) as made:
                source.backup(made)
        return type(self)(copy, self.config, self.clock)


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
    from cortex_core.capture import transcript

    try:
        return transcript.find_transcripts(folder)
    except CortexError:
        return []

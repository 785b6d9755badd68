"""Learning from the transcripts of past sessions, of one project or of all."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import agents
from cortex_core.agents.protocol import SessionRef
from cortex_core.agents.transcripts import transcripts_at, unknown_form
from cortex_core.base import project as projects, text
from cortex_core.base.errors import StoreError, problem_of
from cortex_core.records.captures import (
    COUNTED,
    ImportedProject,
    ImportReport,
    Progress,
    report,
    unwatched,
)
from cortex_core.store import cursors
from cortex_core.store.cursors import Cursor
from cortex_core.store.snapshot_service import Snapshots
from cortex_core.store.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.base.config import Config
    from cortex_core.capture.sessions import Sessions


def _by_project(home: str, config: Config) -> tuple[dict[str, list[SessionRef]], list[str]]:
    """All sessions by the root of their project, and the folders that are gone."""
    known = agents.having("sessions", config)
    sessions = [one for agent in known for one in agent.sessions.all() if one.cwd]
    ran = dict.fromkeys(one.cwd for one in sessions)
    there = [folder for folder in ran if Path(folder).is_dir()]
    roots = {folder: projects.find(cwd=folder, home=home).root for folder in there}
    routed: dict[str, list[SessionRef]] = {root: [] for root in roots.values() if root}
    for one in sessions:
        if root := roots.get(one.cwd):
            routed[root].append(one)
    return routed, [folder for folder in ran if folder not in roots]


ImporterFactory = Callable[[Workspace, bool], "TranscriptImporter"]
"""Makes the importer of another workspace; with False it asks no language model."""


class TranscriptImporter:
    """Learning from the transcripts of past sessions."""

    def __init__(
        self,
        workspace: Workspace,
        sessions: Sessions,
        snapshots: Snapshots,
        importer_of: ImporterFactory,
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
        progress: Progress = unwatched,
    ) -> ImportReport:
        """See `Exchange.import_transcripts`."""
        started = time.perf_counter()
        if everything:
            return self._import_everything(since, dry_run, progress, started)
        if paths:
            sessions = [one for path in paths for one in transcripts_at(path)]
        else:
            sessions = self._sessions.on_disk()
            for agent in agents.having("sessions", self._workspace.config):
                sessions += agent.sessions.strangers(self._workspace.project)
        return self._import(self._chosen(sessions, since), dry_run, progress)

    def _import(
        self,
        files: Sequence[SessionRef],
        dry_run: bool,
        progress: Progress,
    ) -> ImportReport:
        """Import `files`."""
        started = time.perf_counter()
        if not dry_run:
            self._snapshots.before_import()
            return self._import_files(files, progress, started)
        with self._workspace.rehearsal() as copy:
            outcome = self._importer_of(copy, False)._import_files(files, progress, started)
        return replace(outcome, dry_run=True)

    def _chosen(
        self, sessions: Iterable[SessionRef], since: str | float | None
    ) -> list[SessionRef]:
        """Those of `sessions` that were written since then, each once."""
        earliest = text.parse_time(since, self._workspace.clock()) if since is not None else 0.0
        return [
            one for one in {each.key: each for each in sessions}.values() if one.changed >= earliest
        ]

    def _import_files(
        self, files: Sequence[SessionRef], progress: Progress, started: float
    ) -> ImportReport:
        from cortex_core.capture import repeats

        known = cursors.read_keys(self._workspace.store())
        action = secrets.token_hex(8)
        total, done = sum(one.size for one in files), 0
        counts: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        problems: list[str] = []
        before = self._workspace.revision()
        try:
            for file in files:
                progress(done, total, file.path.name)
                done += file.size
                try:
                    self._import_one(file, known, action, counts, refused)
                except StoreError:
                    raise
                except Exception as error:
                    # What fails in a file, be it our own mistake, costs only that file; its
                    # position stays. A store that cannot be written ends it all.
                    problems.append(problem_of(file.path, error))
            progress(total, total, "")
            repeats.update(self._workspace, actor="import", action=action)
        except StoreError as error:
            raise _ended_early(error, self._workspace.has_changed(before)) from error
        if trouble := self._sessions.llm.trouble():
            problems.append(trouble)
        return replace(
            report(counts, refused=refused, problems=problems, started=started),
            id=action if counts["files"] else "",
        )

    def _import_one(
        self,
        file: SessionRef,
        known: set[int],
        action: str,
        counts: Counter[str],
        refused: Counter[str],
    ) -> None:
        cursor = cursors.load(self._workspace.store(), file.key) or Cursor()
        # Read to its end before; the archive may still lack it.
        if cursor.final and cursor.position.offset and cursor.position.offset == file.size:
            counts["skipped"] += 1
            self._sessions.archive.recorder.catch_up_with(Path(file.key))
            return
        entry, admitted = self._sessions.capture(
            file.key, event="import", final=True, known=known, actor="import", action=action
        )
        counts.update(
            files=1,
            bytes_read=entry.bytes_read,
            candidates=entry.candidates,
            stored=entry.stored,
            suggested=entry.suggested,
            merged=entry.merged,
            quarantined=len(admitted.quarantined),
        )
        refused.update(entry.refused)

    def _import_everything(
        self, since: str | float | None, dry_run: bool, progress: Progress, started: float
    ) -> ImportReport:
        merged: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        # A file whose form is not known names no folder either, so it belongs to no project.
        known = agents.having("sessions", self._workspace.config)
        strangers = [one for agent in known for one in agent.sessions.strangers()]
        problems = [str(unknown_form(one.path)) for one in self._chosen(strangers, since)]
        projects: list[ImportedProject] = []
        routed, gone = _by_project(self._workspace.project.home, self._workspace.config)
        for root, files in routed.items():
            with closing(self._workspace.elsewhere(root)) as workspace:
                importer = self._importer_of(workspace, True)
                try:
                    part = importer._import(importer._chosen(files, since), dry_run, progress)
                except StoreError as error:
                    raise _ended_early(error, bool(merged) and not dry_run) from error
            merged.update({name: getattr(part, name) for name in COUNTED})
            refused.update(part.refused)
            problems += part.problems
            if part.files:
                projects.append(
                    ImportedProject(
                        folder=text.storable(root),
                        files=part.files,
                        stored=part.stored,
                        suggested=part.suggested,
                        quarantined=part.quarantined,
                        id="" if dry_run else part.id,
                    )
                )
        outcome = report(
            merged,
            refused=refused,
            problems=problems,
            elsewhere=gone,
            dry_run=dry_run,
            started=started,
        )
        return replace(outcome, projects=tuple(projects))


def _ended_early(error: StoreError, is_partly_done: bool) -> StoreError:
    """The error of an import that works in parts, which says what became of the parts before."""
    if not is_partly_done:
        return error
    said = str(error.after("")).replace("  ", " ").strip()
    return type(error)(
        f"{said} What was imported before that is stored; run the same command again for the rest."
    )

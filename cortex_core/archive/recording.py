"""How conversations get into the archive: as sessions are captured, or of what is left of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.agents.transcripts import exists, located, reader_of
from cortex_core.archive.archive import path_next_to
from cortex_core.archive.files import ArchiveFiles, failures
from cortex_core.base.settings import OFF
from cortex_core.records.captures import Progress, unwatched
from cortex_core.records.events import ReadPosition
from cortex_core.records.memory import Scope
from cortex_core.redaction import stored_names
from cortex_core.store import cursors, learned
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.archive.collecting import Collected, Collector


class Recorder:
    """Writes what is said in sessions into the archive of a workspace."""

    def __init__(self, workspace: Workspace, files: ArchiveFiles) -> None:
        self._workspace = workspace
        self._files = files

    @property
    def is_kept(self) -> bool:
        """Whether conversations are kept here (setting `archive.keep`)."""
        return bool(self._workspace.config.get("archive.keep") != OFF)

    def collector(self) -> Collector | None:
        """What gathers a reading's messages for `keep`; None where conversations are not kept."""
        if not self.is_kept:
            return None
        from cortex_core.archive.collecting import Collector

        return Collector(stored_names.ignored(self._workspace.config))

    def keep(
        self, collected: Collected, transcript: Path, start: int, position: ReadPosition
    ) -> str:
        """Write what was gathered from byte `start` on; why not, empty where it was written.

        What fails here never costs a memory: `catch_up` reads the transcript again.

        Args:
            position: where the reading ended.
        """
        try:
            archive = self._files.archive(self._workspace.default_scope())
            # What came before the store was captured before there was an archive: still to be read.
            is_whole = start <= archive.position(str(transcript)).offset or start == 0
            archive.add(collected, str(transcript), position if is_whole else None)
        except failures() as error:
            return str(error)
        return ""

    def mark_deciding(self, session: str, uuids: Sequence[str]) -> None:
        """Mark the messages that decided a session, where conversations are kept."""
        with suppress(*failures()):
            if self.is_kept:
                self._files.archive(self._workspace.default_scope()).mark_deciding(session, uuids)

    def catch_up(
        self,
        should_continue: Callable[[], bool] = lambda: True,
        progress: Progress = unwatched,
    ) -> int:
        """Read into the archive what was captured before it was kept; how many messages are new.

        Each transcript is one transaction. One that is gone or cannot be read is passed over.
        """
        store = self._workspace.existing(self._workspace.default_scope())
        if store is None or not store.writable or not self.is_kept:
            return 0
        waiting = self._behind(store)
        added = 0
        for number, path in enumerate(waiting):
            if not should_continue():
                break
            progress(number, len(waiting), path.name)
            added += self.catch_up_with(path)
        return added

    def catch_up_with(self, path: Path) -> int:
        """`read_transcript` where that is possible; else 0: the doctor reports a bad archive."""
        with suppress(OSError, *failures()):
            return self.read_transcript(path)
        return 0

    def _behind(self, store: Store) -> list[Path]:
        """The transcripts of which the store has read more than the archive, and that exist."""
        archive = self._files.archive(store.scope)
        offsets = cursors.offsets(store)
        behind = [
            name for name, offset in offsets.items() if archive.position(name).offset < offset
        ]
        paths = (located(name, store.clean) for name in behind)
        return [path for path in paths if exists(path)]

    def read_transcript(self, path: Path) -> int:
        """Read the rest of one transcript into the archive; how many messages are new.

        Nothing is learned from it: no rule sees it.

        Raises:
            TranscriptError: the file cannot be read.
            StoreError: the archive cannot be written.
        """
        from cortex_core.redaction.redacted_events import redacted

        collector = self.collector()
        if collector is None:
            return 0
        archive = self._files.archive(self._workspace.default_scope())
        before = archive.position(str(path))
        if before.offset == reader_of(path).extent(path):
            return 0
        with reader_of(path).read(path, before) as transcript:
            for event in redacted(transcript, self._workspace.config.get("redact.extra")):
                collector(transcript.session, (event,))
        return archive.add(collector.collected, str(path), transcript.position)

    def rebuild(self, scope: Scope, progress: Progress = unwatched) -> Path:
        """Move an archive that is damaged aside, and make it again of what can be read of it and
        of the transcripts that are still there; where the old one is now.

        Raises:
            OSError: the folder cannot be written.
            StoreError: the new one cannot be made.
        """
        from cortex_core.archive import rebuilding

        self._files.let_go(scope)
        aside = rebuilding.move_aside(path_next_to(self._workspace.store(scope).path))
        archive = self._files.archive(scope)
        rebuilding.save(aside, archive)
        erased = learned.erased(self._workspace.store(scope))
        archive.erase([each for each in erased if not archive.find(each)])
        self.catch_up(progress=progress)
        return aside

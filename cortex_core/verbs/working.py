"""The verbs that only the worker uses: what to sweep, what to note, what to keep up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import decay
from cortex_core.records import LedgerEntry
from cortex_core.storage import ledger, vectors
from cortex_core.verbs.capturing import Capturing
from cortex_core.verbs.consolidating import Consolidating
from cortex_core.verbs.giving import Giving

if TYPE_CHECKING:
    from cortex_core.capture.spool import Record

GRACE = decay.DAY
"""Sessions that ended longer than this before the store was made are left to an import, seconds."""


class Working(Capturing, Consolidating, Giving):
    """One run of the worker, step by step."""

    def unread(self, ended_after: float) -> list[tuple[Path, float]]:
        """Transcripts of this project with unread bytes, or an end not yet noticed, oldest first.

        Args:
            ended_after: seconds without a write after which a session has ended.

        Returns:
            Each path with the seconds since it was last written.
        """
        from cortex_core.capture import pipeline

        store = self.store(self.default_scope())
        earliest = float(store.meta("created") or 0) - GRACE
        now = self.clock()
        found = []
        for path in (
            file for folder in self.transcript_folders() for file in folder.glob("*.jsonl")
        ):
            state = path.stat()
            cursor = pipeline.cursor_of(store, path)
            idle = now - state.st_mtime
            ended = cursor.offset > 0 and not cursor.final and idle > ended_after
            if state.st_mtime >= earliest and (state.st_size > cursor.offset or ended):
                found.append((path.absolute(), idle))
        return sorted(found, key=lambda pair: -pair[1])

    def note_firings(self, records: Sequence[Record]) -> None:
        """Write a ledger row for each hook firing."""
        store = self.store(self.default_scope())
        with store.write():
            for record in records:
                ledger.record(
                    store,
                    LedgerEntry(
                        number=0, time=record.time or store.clock(), event=record.event,
                        session=record.session, transcript=record.transcript,
                        error=str(record.fields.get("error") or ""),
                    ),
                )  # fmt: skip

    def note_failure(self, path: Path, event: str, error: Exception) -> None:
        """Write why a capture failed; its transcript is tried again by the next run."""
        from cortex_core.capture import pipeline

        pipeline.fail(self.store(self.default_scope()), path, path.stem, event, error)

    def note_given(self) -> None:
        """Turn what hooks noted as given into receipts."""
        from cortex_core.surface import receipts

        receipts.ingest(self.project, self.store(self.default_scope()))

    def maintain(self, keep_on: Callable[[], bool] = lambda: True) -> None:
        """What follows a capture: vectors, edges, lifecycle once a day, the surface."""
        self.embed_pending(keep_on=keep_on)
        today = str(int(self.clock() // decay.DAY))
        due = [
            store for store in self.stores if store.writable and store.meta("lifecycle") != today
        ]
        if due:
            self.lifecycle()
        for store in due:
            store.set_meta("lifecycle", today)
        if (embedder := self.embedder()) is not None:
            for store in self.stores:
                vectors.refresh(store, embedder.name, embedder.dimension)
        self._consolidate_when_due()
        self.ask_model_to_curate(keep_on)
        self.refresh_surface()

    def _consolidate_when_due(self) -> None:
        from cortex_core.curation import consolidation

        if self.config.get("consolidation.mode") == "off":
            return
        after_new = self.config.get("consolidation.after_new")
        if any(store.writable and consolidation.is_due(store, after_new) for store in self.stores):
            self.consolidate(
                self.config.get("consolidation.threshold"), new_only=True, actor="worker"
            )

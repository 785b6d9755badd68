"""What every importer of Markdown does: a rehearsal or the thing itself, as one undoable step."""

from __future__ import annotations

import secrets
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.capture import private
from cortex_core.memory import Context, InjectionPolicy, Memory, Scope, Source
from cortex_core.reports.exchange import Arrival, ImportReport, report
from cortex_core.storage import rows
from cortex_core.storage.history import Snapshots
from cortex_core.storage.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.exchange.arrivals import Load, Piece
    from cortex_core.exchange.notes import Note

COUNTS = {
    "new": "stored", "edited": "updated", "known": "merged", "quarantined": "quarantined",
    "newer here": "newer_here",
}  # fmt: skip
"""What a report counts as what."""


class Bringing:
    """Taking in memories that other files hold."""

    def __init__(self, workspace: Workspace, snapshots: Snapshots) -> None:
        self._workspace = workspace
        self._snapshots = snapshots

    def bring(
        self, load: Load, label: str, *, force: bool = False, dry_run: bool = False, started: float
    ) -> ImportReport:
        """Take in what was read, or rehearse it on a copy of the stores.

        Args:
            label: what the journal calls it.
            force: take a file's state although the store's is newer.
            started: the performance counter at its beginning.
        """
        if not dry_run:
            self._snapshots.before_import()
            return self._brought(load, label, force, started)
        with tempfile.TemporaryDirectory(prefix="cortex-") as folder:
            copy = self._workspace.copy_to(folder)
            try:
                rehearsal = Bringing(copy, self._snapshots)
                return replace(rehearsal._brought(load, label, force, started), dry_run=True)
            finally:
                copy.close()

    def note_piece(
        self, note: Note, place: str, rule: str, kind: str, *, created: float, scope: Scope,
        tags: Iterable[str] = (), globs: Sequence[str] = (), inject: InjectionPolicy = "normal",
        priority: int = 5, by_person: bool = True,
    ) -> Piece:  # fmt: skip
        """A piece of a note as a memory on its way in.

        Args:
            place: the file it stands in, which tells its source from others.

        Raises:
            UsageError: nothing is left of it: it is private.
        """
        from cortex_core.curation import procedures, wording
        from cortex_core.exchange import arrivals

        steps = procedures.Plan(steps=note.steps).lists if note.steps else {}
        memory = Memory(
            id=str(uuid.uuid4()), content=note.content, title=note.title, scope=scope,
            kind="procedure" if note.steps else kind, tags=wording.cleaned_tags(tags),
            globs=tuple(globs), inject=inject, priority=priority,
            source=Source(rule=rule, message=place, time=created),
            context=Context(folder=self._workspace.project.cwd), created=created,
            updated=self._workspace.clock(), details=steps,
        )  # fmt: skip
        made = arrivals.fresh_enough(memory, self._workspace.config.kinds, self._workspace.clock())
        return arrivals.Piece(
            memory=arrivals.pure(made, self._workspace.config), place=place, by_person=by_person
        )

    def is_ignored(self, path: Path) -> bool:
        """Whether a person keeps a file out of memory."""
        return private.is_ignored(path.absolute(), self._workspace.config.get("capture.ignore"))

    def _brought(self, load: Load, label: str, force: bool, started: float) -> ImportReport:
        from cortex_core.exchange import arrivals

        action = secrets.token_hex(8)
        counts: Counter[str] = Counter(
            files=load.files, bytes_read=load.size, candidates=len(load.pieces)
        )
        told: list[Arrival] = []
        homes = self._homes(load.pieces)
        ends = {store.scope for store in self._workspace.stores} if load.edges else set()
        for scope in sorted({scope for scope, _ in homes} | ends, reverse=True):
            store = self._workspace.store(scope)
            mine = [piece for home, piece in homes if home == scope]
            named = [piece.memory.id for piece in mine if piece.named]
            with store.change("import", label, "import", action) as change:
                held = {one.id: one for one in store.memories(named)}
                told += [
                    arrivals.receive(store, change, piece, held.get(piece.memory.id), force=force)
                    for piece in mine
                ]
                counts["linked"] += arrivals.connect(store, change, load.edges)
        counts.update(COUNTS[one.what] for one in told)
        refused = {"too little to stand alone": load.left_out} if load.left_out else {}
        return report(
            counts, refused=refused, problems=load.problems, arrivals=[*told, *load.gone],
            started=started,
        )  # fmt: skip

    def _homes(self, pieces: Sequence[Piece]) -> list[tuple[Scope, Piece]]:
        """The store each piece goes to: the one that has it already, else the one it names."""
        names = rows.dumps([piece.memory.id for piece in pieces if piece.named])
        held: dict[str, Scope] = {}
        for store in self._workspace.stores:
            for (name,) in store.rows(
                "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))", (names,)
            ):
                held.setdefault(name, store.scope)
        return [
            (held.get(one.memory.id, one.memory.scope) if one.named else one.memory.scope, one)
            for one in pieces
        ]

"""The verbs of capture: importing transcripts, replay, pause, suggestions, quarantine, rules."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cortex_core import project as projects
from cortex_core.errors import NotFound, UsageError
from cortex_core.memory import Actor, Memory
from cortex_core.records import LedgerEntry
from cortex_core.reports.curation import RuleRecord
from cortex_core.storage import rows, snapshots
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store
from cortex_core.verbs import wording
from cortex_core.verbs.base import Ids, naming
from cortex_core.verbs.second_reading import KeepOn, SecondReading, together

if TYPE_CHECKING:
    from cortex_core.capture import pipeline
    from cortex_core.capture.admission import Admitted
    from cortex_core.capture.events import Event


class Capturing(SecondReading):
    """Learning from sessions."""

    def capture(
        self, path: str | Path, *, event: str, final: bool, known: set[int] | None = None,
        actor: Actor = "worker", action: str = "", keep_on: KeepOn = lambda: True,
    ) -> tuple[LedgerEntry, Admitted]:  # fmt: skip
        """Learn from the unread part of one transcript, as one undoable change.

        The rules read it at once. Where a language model was chosen, it reads the same part after
        them, when the session has ended or enough has been said; a failure of its leaves that to a
        later run.

        Args:
            event: what set it off, for the ledger.
            final: whether the session has ended, so that its last answer counts.
            known: keys of records read before; read from the store when None.
            keep_on: asked before each question to the model; False leaves the rest for later.

        Raises:
            TranscriptError: the file cannot be read; nothing was changed.
        """
        from cortex_core.capture import pipeline

        started = time.perf_counter()
        store = self.store(self.default_scope())
        watch = self.note_use if actor == "worker" else None
        reading = self._read(store, Path(path), final, known, watch)
        shared = (lambda: self.store("global")) if store.scope == "project" else None
        done = pipeline.write(
            store, shared, reading, event=event, actor=actor, action=action, started=started,
            for_model=self.uses_model,
        )  # fmt: skip
        if known is not None:
            known |= reading.fresh
        if not self.uses_model:
            return done
        more = self.ask_model(path, event, actor=actor, action=action, keep_on=keep_on)
        return together(done, more)

    def pause(self) -> None:
        """Stop capturing here until `resume`."""
        projects.prepare(self.project)
        Path(self.project.data, projects.PAUSED).touch(mode=0o600)

    def resume(self) -> None:
        """Go on capturing."""
        Path(self.project.data, projects.PAUSED).unlink(missing_ok=True)

    def replay(self, session: str) -> LedgerEntry:
        """Read a session again from its beginning; what is known is not stored twice.

        Raises:
            NotFound: no transcript of that session is known, or it is gone.
        """
        path = self._transcript_of(session)
        store = self.store(self.default_scope())
        with store.write():
            store.execute("DELETE FROM cursor WHERE transcript = ?", (str(path),))
        entry, _ = self.capture(path, event="replay", final=True, known=set(), actor="person")
        return entry

    # --- suggestions and quarantine

    def suggestions(self) -> list[Memory]:
        """What the rules would keep if you say so, newest first."""
        return self._waiting("suggested")

    def quarantine(self) -> list[Memory]:
        """What waits for a person because of where it came from or what it orders, newest first."""
        return self._waiting("quarantined")

    def keep(
        self, ids: Ids, *, content: str | None = None, actor: Actor = "person"
    ) -> list[Memory]:
        """Keep suggestions: they count for their rule and are given to Claude from now on.

        Args:
            content: what the one that is kept says from now on; None leaves it as it is.

        Raises:
            UsageError: not suggested, several for one `content`, or it is empty or too long.
        """
        return self._decide(ids, "keep", "suggested", kept=True, actor=actor, content=content)

    def release(
        self, ids: Ids, *, content: str | None = None, actor: Actor = "person"
    ) -> list[Memory]:
        """Let quarantined memories out, one with other words where `content` is given."""
        return self._decide(ids, "release", "quarantined", kept=True, actor=actor, content=content)

    def discard(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """Put suggestions or quarantined memories away: they count against their rule."""
        return self._decide(ids, "discard", "", kept=False, actor=actor)

    def rules(self) -> list[RuleRecord]:
        """Every extraction rule, its tier and how its finds were judged."""
        from cortex_core.capture import tiers

        return tiers.records(self.stores, self.config)

    def set_rule(
        self, name: str, setting: Literal["auto", "kept", "suggested", "off"]
    ) -> RuleRecord:
        """Say where a rule's finds go; `auto` follows your verdicts.

        Raises:
            NotFound: there is no such rule.
            UsageError: `setting` is none of these.
        """
        known = {record.name for record in self.rules()}
        if name not in known:
            raise NotFound(f"There is no rule “{name}”. Nothing was changed. See: cortex rules.")
        self.config_set(f"rules.{name}", setting, "global")
        return next(record for record in self.rules() if record.name == name)

    # --- inside

    def note_use(self, session: str, events: Sequence[Event]) -> None:
        """Mark what a session was given and has used, and let that keep it from fading."""
        from cortex_core.surface import receipts

        notes = self.store(self.default_scope())
        used = receipts.note_use(notes, session, events, self.stores)
        for store in self.stores if used else ():
            memories = store.memories(used)
            with store.change("use", f"use {naming(memories)} in a session", "worker") as change:
                for memory in memories:
                    change.update("memory", memory.id, {"reinforced": change.time})

    def _read(
        self,
        store: Store,
        path: Path,
        final: bool,
        known: set[int] | None,
        watch: pipeline.Watch | None = None,
    ) -> pipeline.Reading:
        from cortex_core.capture import pipeline

        in_force = {record.name: record.tier for record in self.rules()}
        return pipeline.read(
            path, pipeline.cursor_of(store, path),
            pipeline.seen_keys(store) if known is None else known,
            self.config, in_force, final=final, watch=watch,
        )  # fmt: skip

    def transcript_folders(self) -> list[Path]:
        """Where this project's sessions lie: its own slug, its worktrees' and its subfolders'."""
        from cortex_core.capture import sessions

        known = [
            Path(name).parent
            for store in self.stores
            for (name,) in store.rows("SELECT DISTINCT transcript FROM cursor")
        ]
        return sessions.of_project(self.project, known)

    def _transcript_of(self, session: str) -> Path:
        if len(session) < 4:
            raise UsageError(f"“{session}” is too short for a session. Nothing was changed.")
        known = [
            Path(name)
            for store in self.stores
            for (name,) in store.rows(
                "SELECT transcript FROM cursor WHERE substr(session, 1, length(?1)) = ?1 "
                "ORDER BY updated DESC",
                (session,),
            )
        ]
        found = known + [
            file
            for folder in self.transcript_folders()
            for file in folder.glob(f"{session}*.jsonl")
        ]
        for path in found:
            if path.exists():
                return path
        raise NotFound(
            f"No transcript of session “{session[:40]}” is there any more. Nothing was changed. "
            "The client deletes them after 30 days; see: cortex status."
        )

    def _snapshot_before_import(self) -> None:
        """Copy the stores that hold something, so that an import can be taken back whole."""
        for store in self.stores:
            if store.writable and store.rows("SELECT 1 FROM memory LIMIT 1"):
                snapshots.take(store.path, "import")

    def _waiting(self, status: str) -> list[Memory]:
        return [
            memory
            for store in self.stores
            for memory in store.select(
                "WHERE m.status = ? ORDER BY m.created DESC, m.number DESC", (status,)
            )
        ]

    def _decide(
        self,
        ids: Ids,
        verb: str,
        status: str,
        *,
        kept: bool,
        actor: Actor,
        content: str | None = None,
    ) -> list[Memory]:
        found = [store.memory(name) for store, name in self.find(ids)]
        for memory in found:
            if memory.status not in ((status,) if status else ("suggested", "quarantined")):
                raise UsageError(
                    f"“{memory.title}” is {memory.status}, so there is nothing to {verb}. "
                    "Nothing was changed."
                )
        if content is not None and len(found) != 1:
            raise UsageError(f"One text is for one memory, not {len(found)}. Nothing was changed.")
        words: rows.Row = {}
        if content is not None:
            words = wording.columns(found[0], wording.checked(content, self.config))

        def step(change: Change, memory: Memory) -> None:
            columns = {"status": "active" if kept else "archived", "updated": change.time, **words}
            if kept:
                columns["reinforced"] = change.time
            change.update("memory", memory.id, columns)
            change.insert(
                "verdict",
                {"memory": memory.id, "rule": memory.source.rule, "kept": kept,
                 "time": change.time},
            )  # fmt: skip

        return self.act(ids, verb, step, label=verb, actor=actor)

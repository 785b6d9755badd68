"""Learning from sessions, and the records of what was captured and injected."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import agents
from cortex_core.agents.protocol import SessionRef
from cortex_core.agents.transcripts import key_of, located
from cortex_core.base import log, project as projects, text, trust
from cortex_core.base.authorship import IMPORTED
from cortex_core.base.errors import (
    ModelFailed,
    NotFound,
    StoreError,
    StoreUnusable,
    UsageError,
)
from cortex_core.base.kinds import EPISODE
from cortex_core.extract.sources import LATER
from cortex_core.records.captures import Figures, LedgerEntry
from cortex_core.records.conversation import Turn
from cortex_core.records.kept_rules import RepeatReport
from cortex_core.records.memory import Actor, Memory, Source
from cortex_core.records.surfaces import Outlook, Receipt
from cortex_core.redaction.redactor import MARK
from cortex_core.redaction.secrets import redact
from cortex_core.store import cursors, ledger, memory_lookup, receipt_rows
from cortex_core.store.cursors import Cursor
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace, naming

if TYPE_CHECKING:
    from cortex_core.admission.apply import Admitted
    from cortex_core.archive.conversations import Conversations
    from cortex_core.capture import pipeline
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.capture.rule_tiers import ExtractionRules
    from cortex_core.records.events import Event

    Captured = tuple[LedgerEntry, Admitted]

ShouldContinue = Callable[[], bool]


class Sessions:
    """Learning from sessions, and the records of what was captured and injected."""

    def __init__(
        self,
        workspace: Workspace,
        llm: LanguageModels,
        rules: ExtractionRules,
        archive: Conversations,
    ) -> None:
        self._workspace = workspace
        self.llm = llm
        """The language model that reads sessions, if the user chose one."""
        self._rules = rules
        self.archive = archive
        """The conversations themselves."""

    def capture(
        self,
        path: str | Path,
        *,
        event: str,
        final: bool,
        known: set[int] | None = None,
        actor: Actor = "worker",
        action: str = "",
        claimed: bool = False,
        should_continue: ShouldContinue = lambda: True,
    ) -> tuple[LedgerEntry, Admitted]:
        """Learn from the unread part of the transcript at a path or key, as one undoable change.

        The rules read it at once. If a language model was chosen, it reads the same part when the
        session has ended; if it fails, a later run tries again.

        Args:
            event: what caused the reading, for the ledger.
            final: whether the session has ended, so that its last answer counts.
            known: keys of records read before; looked up in the store one by one if None.
            claimed: whether only the caller says that this was said: then nothing of it is the
                user's own word, and all of it waits for the user.
            should_continue: asked before each question to the model; False ends it.

        Raises:
            TranscriptError: the file cannot be read; nothing was changed.
        """
        from cortex_core.capture import pipeline
        from cortex_core.surface import receipts

        started = time.perf_counter()
        path = Path(key_of(path))
        store = self._workspace.store()
        watch = self.note_use if actor == "worker" else None
        reading, problem = self._read_into_archive(store, path, final, known, watch)
        if claimed:
            # As an import whose words are nobody's own.
            rule = f"{IMPORTED}session"
            reading.candidates = [
                replace(each, rule=rule, tier="suggested") for each in reading.candidates
            ]
            reading.observations = []
        if problem:
            reading.refused["conversation not kept"] += 1
        shared = (lambda: self._workspace.store("global")) if store.scope == "project" else None
        done = pipeline.write(
            store,
            shared,
            reading,
            event=event,
            actor=actor,
            action=action,
            started=started,
            for_model=self.llm.is_chosen,
        )
        if problem:  # noted after what else may fail, which would say the same
            log.write(self._workspace.project, redact(f"archive: {problem}").text)
        if known is not None:
            known |= reading.fresh
        if watch is not None and final:
            receipts.settle_use(store, reading.session, self._workspace.stores)
            if self._workspace.config.get("surface.receipt"):
                receipts.leave_word(self._workspace.project, store, reading.session)
        if claimed or not self.llm.is_chosen:
            return done
        return combined(
            done,
            self.ask_model(
                path, event, actor=actor, action=action, should_continue=should_continue
            ),
        )

    def ask_model(
        self,
        path: str | Path,
        event: str,
        *,
        actor: Actor = "worker",
        action: str = "",
        should_continue: ShouldContinue = lambda: True,
    ) -> Captured | None:
        """Let the language model read the waiting part of a transcript, if it is due.

        None if it was not asked, or there is nothing to record; the ledger says why.

        Args:
            event: what caused the reading, for the ledger; `replay` is due at once.
            should_continue: asked before each question; False leaves the rest for later.
        """
        from cortex_core.capture import model_pass, unread

        job = model_pass.CaptureJob(path=Path(path), event=event, actor=actor, action=action)
        store = self._workspace.store()
        state = unread.part(store, job.path)
        if state.start is None or not (state.is_due(store.clock()) or event == "replay"):
            return None
        try:
            model = self.llm.chosen()
        except ModelFailed as failure:
            model_pass.note_unasked(store, job, failure)
            return None
        if model is None:
            return None
        # Opened only if something for every project is found.
        shared = (lambda: self._workspace.store("global")) if store.scope == "project" else None
        stores = model_pass.CaptureStores(store, self._workspace.stores, shared)
        return model_pass.read_waiting(
            stores,
            job,
            model,
            self._workspace.project,
            self._workspace.config,
            should_continue,
            self.archive.recorder.mark_deciding,
        )

    def heard(self, session: str, path: str | Path) -> list[Memory]:
        """What the user said in a session that goes on, as suggestions, the newest first.

        Some are stored; the others are what rules hear in the rest of the transcript so far,
        which no store knows. Nothing is written. One that is not stored has the same id each time.
        """
        from cortex_core.admission import apply, checks
        from cortex_core.capture import pipeline

        reading = self._read(self._workspace.store(), Path(key_of(path)), final=True)
        own = self._workspace.own_stores
        found = [
            memory
            for store in own
            for memory in memory_lookup.newest_of_status(store, "suggested")
            if memory.source.session == session
        ]
        for each in reading.candidates:
            scope = "global" if pipeline.is_global(each) else self._workspace.default_scope()
            store = next((store for store in own if store.scope == scope), None)
            # What would wait in quarantine is shown to nobody but the user.
            is_apart = each.kind == EPISODE or LATER in each.details
            waits = is_apart or checks.reason_to_wait(each)
            is_offered = each.tier == "suggested" and not waits
            if store and is_offered and not apply.is_known(store, each):
                memory = apply.to_memory(each, store, str(path), 0)
                found.append(replace(memory, id=heard_id(memory)))
        return sorted(found, key=lambda memory: memory.created, reverse=True)

    def replay(self, session: str) -> LedgerEntry:
        """Read a session again from its beginning; what is known is not stored twice.

        Raises:
            NotFound: no transcript of that session is known, or it is gone.
        """
        path = self._transcript_of(session)
        store = self._workspace.store()
        with store.write():
            cursors.reset(store, path)
        try:
            entry, _ = self.capture(path, event="replay", final=True, known=set(), actor="person")
        except StoreError as error:
            raise error.after("The next capture reads the session again.") from error
        return entry

    def pause(self) -> None:
        """Stop capturing here until `resume`.

        Raises:
            StoreError: this cannot be noted.
        """
        projects.prepare(self._workspace.project)
        self._switch(paused=True)

    def resume(self) -> None:
        """Continue capturing.

        Raises:
            StoreError: the note of the pause cannot be removed.
        """
        self._switch(paused=False)

    def _switch(self, *, paused: bool) -> None:
        """Pause capture or resume it, and note it where that is a change."""
        before = self.paused
        self._mark_paused(self._workspace, paused)
        if before != paused:
            self._workspace.note(
                "pause capture" if paused else "resume capture",
                "project",
                lambda workspace, made: self._mark_paused(workspace, made == paused),
            )

    def _mark_paused(self, workspace: Workspace, paused: bool) -> None:
        here = workspace.project
        mark = Path(here.data, projects.PAUSED)
        try:
            if here.doubt:
                raise StoreUnusable(f"{here.doubt}. {projects.OF_OTHERS}")
            if not (paused and projects.is_paused(here)):
                mark.unlink(missing_ok=True)
            if paused and here.project_db is None:
                mark.touch(mode=0o600)
            elif paused:
                projects.prepare(here)
                trust.place(here.data, here.note, projects.PAUSED)
        except OSError as error:
            raise StoreError(
                f"{mark} cannot be changed: {error.strerror}. Nothing was changed. Make its folder "
                "writable, or free some space."
            ) from error

    @property
    def paused(self) -> bool:
        """Whether capture is paused here."""
        return projects.is_paused(self._workspace.project)

    def ledger(self, limit: int = 20, agent: str | None = None) -> list[LedgerEntry]:
        """The newest hook firings and captures, newest first, with the titles of their sessions;
        of one agent where it is named."""
        stores = self._workspace.own_stores
        entries = [entry for store in stores for entry in ledger.entries(store, limit, agent)]
        entries = sorted(entries, key=lambda entry: entry.time, reverse=True)[:limit]
        titles = self.archive.titles({entry.session for entry in entries})
        return [replace(entry, title=titles.get(entry.session, "")) for entry in entries]

    def receipts(self, session: str | None = None, limit: int = 100) -> list[Receipt]:
        """What was injected, newest first; only in sessions whose ids begin with `session`."""
        receipts = [
            receipt
            for store in self._workspace.own_stores
            for receipt in receipt_rows.listed(store, session=session or "")
        ]
        return sorted(receipts, key=lambda receipt: receipt.time, reverse=True)[:limit]

    def outlooks(self, ids: Iterable[str]) -> list[Outlook]:
        """Whether the next session start injects each memory, and why or why not.

        Args:
            ids: whole ids; unknown ones are left out.
        """
        from cortex_core.surface import explain

        # The branch decides what is injected, and may have changed since.
        self._workspace.follow_branch()
        names = list(ids)
        found = {
            memory.id: memory
            for store in self._workspace.stores
            for memory in store.memories(names)
        }
        return explain.outlooks(
            self._workspace.project,
            self._workspace.config,
            self._workspace.clock(),
            [found[name] for name in names if name in found],
            explain.InjectionOccasion(),
        )

    def figures(self, since: str | float = "12w") -> Figures:
        """What was captured, learned, injected, used and paid over time, by week or day.

        Raises:
            UsageError: `since` is no time.
        """
        from cortex_core.capture import statistics

        here, now = self._workspace.project, self._workspace.clock()
        spent = self.llm.spending().days(here.root or here.home)
        return statistics.read(self._workspace.own_stores, spent, text.parse_time(since, now), now)

    def report(self, since: str | float = "90d") -> RepeatReport:
        """What the user had to say again, and what had become of it.

        Raises:
            UsageError: `since` is no time.
        """
        from cortex_core.capture import repeats

        start = text.parse_time(since, self._workspace.clock())
        repeats.update(self._workspace)
        return repeats.report(self._workspace, start)

    def turn(self, source: Source, around: int = 1) -> Turn:
        """The turn of a session that `source` names, with so many turns before and after it.

        Raises:
            NotFound: the archive does not have the session.
        """
        from cortex_core.archive import provenance

        return provenance.turn_of(source, self.archive, around)

    def note_use(self, session: str, events: Sequence[Event]) -> None:
        """Mark the injected memories that a session used: that counts, and resets their decay."""
        from cortex_core.surface import receipts

        notes, rules = self._workspace.store(), receipts.project_rules(self._workspace.project)
        used = receipts.note_use(notes, session, events, self._workspace.stores, rules)
        for store in self._workspace.own_stores if used else ():
            memories = store.memories(used)
            with store.change("use", f"use {naming(memories)} in a session", "worker") as change:
                for memory in memories:
                    columns = {
                        "reinforced": change.time,
                        "access_count": memory.access_count + 1,
                        "last_access": change.time,
                    }
                    change.update("memory", memory.id, columns)

    def on_disk(self) -> list[SessionRef]:
        """The sessions of this project, its subfolders and worktrees that an agent still has."""
        there = self._workspace
        read = [
            str(located(key, store.clean)) if MARK in key else key
            for store in there.own_stores
            for key in cursors.offsets(store)
        ]
        return [
            one
            for agent in agents.having("sessions", there.config)
            for one in agent.sessions.of_project(there.project, read)
        ]

    def _read_into_archive(
        self,
        store: Store,
        path: Path,
        final: bool,
        known: set[int] | None,
        watch: pipeline.Watch | None,
    ) -> tuple[pipeline.Reading, str]:
        """Read what is new, and keep the conversation before the cursor moves: what a crash
        interrupts is read again, and the archive knows what it has. Why it could not be kept comes
        with it, empty where it was."""
        collector = self.archive.recorder.collector()
        watches = [each for each in (watch, collector) if each is not None]

        def watch_all(session: str, events: Sequence[Event]) -> None:
            for each in watches:
                each(session, events)

        reading = self._read(store, path, final, known, watch_all if watches else None)
        if collector is None:
            return reading, ""
        position = reading.cursor.position
        return reading, self.archive.recorder.keep(
            collector.collected, path, reading.start, position
        )

    def _read(
        self,
        store: Store,
        path: Path,
        final: bool,
        known: set[int] | None = None,
        watch: pipeline.Watch | None = None,
    ) -> pipeline.Reading:
        """What is new in a transcript; nothing is written."""
        from cortex_core.capture import pipeline

        # Keys that are known spare the store a question for each record.
        return pipeline.read(
            path,
            cursors.load(store, path) or Cursor(),
            partial(cursors.is_read, store) if known is None else known.__contains__,
            self._workspace.config,
            {record.name: record.tier for record in self._rules.list()},
            final=final,
            watch=watch,
        )

    def _transcript_of(self, session: str) -> str:
        """The key of the newest session that is there whose id begins so."""
        if len(session) < 4:
            raise UsageError(f"“{session}” is too short for a session id. Nothing was changed.")
        for one in reversed(self.on_disk()):
            if one.id.startswith(session):
                return one.key
        raise NotFound(
            f"The transcript of session “{session[:40]}” no longer exists. Nothing was changed. "
            "Claude Code deletes transcripts after 30 days; see: cortex status"
        )


def heard_id(memory: Memory) -> str:
    """The id of a suggestion that is only heard; by it an agent may also name it once stored."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{memory.source.rule} {memory.content}"))


def combined(done: Captured, more: Captured | None) -> Captured:
    """The outcome of rules and model together; the ledger has a row for each."""
    if more is None:
        return done

    (rules, admitted), (model, by_model) = done, more
    admitted.add(by_model)
    entry = replace(
        rules,
        extractor=model.extractor,
        candidates=rules.candidates + model.candidates,
        stored=rules.stored + model.stored,
        suggested=rules.suggested + model.suggested,
        merged=rules.merged + model.merged,
        tokens=model.tokens,
        cost=model.cost,
        refused=dict(Counter(rules.refused) + Counter(model.refused)),
        seconds=rules.seconds + model.seconds,
        error=model.error,
    )
    return entry, admitted

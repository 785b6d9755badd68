"""The class `Cortex`, which every interface calls and whose results it formats.

The everyday verbs are methods; the others belong to services, named as the groups of the command
line: `cortex.review.approve(3)`, `cortex.trash.empty()`. A service is imported and created when it
is first used. This module is the one place that knows how the services depend on each other.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from cortex_core.base import config as configuration, project as projects
from cortex_core.base.hook_io import Closing
from cortex_core.records.memory import (
    Actor,
    FilterOptions,
    InjectionPolicy,
    Memory,
    MemoryList,
    RecallMode,
    Scope,
    Sort,
    Source,
    Where,
)
from cortex_core.store.workspace import Ids, Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cortex_core.archive.conversations import Conversations
    from cortex_core.base.config import Config
    from cortex_core.base.project import Project
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.capture.rule_tiers import ExtractionRules
    from cortex_core.capture.sessions import Sessions
    from cortex_core.capture.transcript_import import TranscriptImporter
    from cortex_core.code_index.index import CodeIndex
    from cortex_core.curation.consolidation import Consolidator
    from cortex_core.curation.links import Graph
    from cortex_core.curation.memories import Memories
    from cortex_core.curation.review import Reviews
    from cortex_core.curation.verdicts import Quarantine, Suggestions
    from cortex_core.curation.writing import Writer
    from cortex_core.embeddings.protocol import Embedder
    from cortex_core.exchange.service import Exchange
    from cortex_core.maintenance.embedding_models import EmbeddingModels
    from cortex_core.maintenance.lifecycle import Lifecycle, TrashBin
    from cortex_core.maintenance.scrub import StoredSecrets
    from cortex_core.practice.procedures import Episodes, Procedures
    from cortex_core.practice.reflection import Reflections
    from cortex_core.records.captures import ProjectStatus
    from cortex_core.records.changes import JournalEntry, TakenBack
    from cortex_core.records.hits import Recall
    from cortex_core.records.reviews import ConsolidationReport
    from cortex_core.records.surfaces import Surface
    from cortex_core.search.recall import Searcher
    from cortex_core.store.project_settings import ProjectSettings
    from cortex_core.store.snapshot_service import Snapshots
    from cortex_core.store.store import Store
    from cortex_core.store.store_trust import StoreTrust
    from cortex_core.store.undo import History
    from cortex_core.sync.service import Synchronization
    from cortex_core.team.service import Teams

Changes = list["JournalEntry"]


class Service:
    """An attribute of `Cortex` that is imported and created when it is first used, once, in
    whichever thread."""

    def __init__(self, path: str, needs: tuple[str, ...]) -> None:
        self._module, _, self._class = path.rpartition(".")
        self._needs = needs

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, cortex: Cortex | None, owner: type) -> Any:
        if cortex is None:
            return self
        with cortex._creating:
            if self._name not in cortex.__dict__:
                make = getattr(importlib.import_module(self._module, __package__), self._class)
                needed = [attrgetter(name)(cortex) for name in self._needs]
                cortex.__dict__[self._name] = make(cortex.workspace, *needed)
        return cortex.__dict__[self._name]


def service(path: str, *needs: str) -> Any:
    """A service: its class, by its path in this package, is given the workspace and `needs`, which
    are other attributes of `Cortex`."""
    return Service(path, needs)


class Cortex(Closing):
    """The memory of a project, together with the user's global one.

    >>> with Cortex.open() as cortex:
    ...     cortex.remember("Use pnpm, never npm", kind="preference", priority=8)
    ...     for hit in cortex.recall("package manager", limit=10):
    ...         print(hit.memory.title, hit.score, hit.parts)
    """

    def __init__(self, workspace: Workspace, *, asks_models: bool = True) -> None:
        """Args:
        workspace: the project and its stores.
        asks_models: whether language models may be called; False for a dry run.
        """
        self.workspace = workspace
        self._asks_models = asks_models
        self._creating = threading.RLock()

    @classmethod
    def open(
        cls,
        project: str | Path | None = None,
        home: str | Path | None = None,
        *,
        cwd: str | Path | None = None,
        clock: Callable[[], float] = time.time,
        config: Config | None = None,
    ) -> Self:
        """Cortex for a project; no store is created before something is written.

        Args:
            project: the project's folder; None finds it from `cwd`.
            home: the global side; None is the user's.
            cwd: where to look from; None is the working directory.
            clock: the present moment, Unix seconds.
            config: the settings to use; None reads them from the project's and the user's files.

        Raises:
            ConfigError: the configuration file has a mistake.
        """
        found = projects.find(
            cwd=None if cwd is None else str(cwd),
            explicit=None if project is None else str(project),
            home=None if home is None else str(home),
        )
        # A caller that knows the settings, such as a test, needs no files for them.
        chosen = configuration.load(found) if config is None else config
        if own := chosen.get("redact.extra"):
            from cortex_core.redaction import secrets  # which most commands do not need

            for expression in own:
                secrets.own_pattern(expression)
        return cls(Workspace(found, chosen, clock))

    def close(self) -> None:
        """Close this thread's connections."""
        self.workspace.close()

    @property
    def project(self) -> Project:
        """The project this is the memory of."""
        return self.workspace.project

    @property
    def config(self) -> Config:
        """The settings in effect."""
        return self.workspace.config

    # --- memories

    def remember(
        self,
        content: str,
        *,
        title: str | None = None,
        kind: str | None = None,
        priority: int | None = None,
        tags: Iterable[str] = (),
        files: Iterable[str] = (),
        scope: Scope | None = None,
        pinned: bool = False,
        confidence: float = 0.9,
        source: Source | None = None,
        settled: Mapping[str, bool] = {},
        actor: Actor = "person",
        action: str = "",
    ) -> Memory:
        """Store `content` without its secrets; storing the same again reinforces it.

        What is known takes over the kind, priority, tags and pin that the user gave.

        Args:
            title: one line; made from the content when None.
            kind: a kind's name or alias; None: a rule or a wish by its words, else a fact.
            priority: 1 to 10; None is that of the kind.
            files: glob patterns of the files it applies to.
            scope: the store; None is the project's, or the global one outside a project.
            confidence: 0 to 1.
            source: the message of a session that it was taken from; its `rule` is the actor.
            settled: of memories that `graph.near` names, by id, whether it takes their place; of
                others its words decide.
            action: of a larger action that this is a part of.

        Raises:
            UsageError: nothing is left to store, or a value is out of range.
        """
        # The facade names the fields, so that callers are checked; the writer does it.
        return self._writer.remember(
            content,
            title=title,
            kind=kind,
            priority=priority,
            tags=tags,
            files=files,
            scope=scope,
            pinned=pinned,
            confidence=confidence,
            source=source,
            settled=settled,
            actor=actor,
            action=action,
        )

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        scope: Where = "all",
        mode: RecallMode = "hybrid",
        count: bool = True,
        all_projects: bool = False,
        actor: Actor = "person",
        **filters: Unpack[FilterOptions],
    ) -> Recall:
        """The memories that answer `query` best, with their scores explained; none if none fits.

        If no active memory certainly fits, archived ones that do and had faded are active again,
        which is an undoable change; see `Hit.revived`.

        Args:
            limit: most hits.
            mode: `hybrid` uses words and meaning; without a model it falls back to words and
                says so in `degraded`.
            count: whether this counts as a look at the hits, which ranks nothing, and may bring
                back what had faded.
            all_projects: search the user's other projects as well; their hits name their `project`.
            actor: who asks.
            filters: kinds, tags, statuses and more, see `FilterOptions`.
        """
        # The facade names the options, so that callers are checked; the search answers.
        return self._search.recall(
            query,
            limit=limit,
            scope=scope,
            mode=mode,
            count=count,
            all_projects=all_projects,
            actor=actor,
            **filters,
        )

    def show(self, name: str) -> Memory:
        """One memory with its sources.

        Raises:
            NotFound: no memory has this id.
        """
        return self.memories.get(name)

    def list(
        self,
        *,
        scope: Where = "all",
        sort: Sort = "updated",
        limit: int | None = None,
        **filters: Unpack[FilterOptions],
    ) -> MemoryList:
        """Memories that pass the filters, in the order of `sort`.

        Entries of the history are left out unless their kind (`episode`) or a file is asked for.

        Raises:
            UsageError: an unknown kind, status, time or order.
        """
        return self.memories.list(scope=scope, sort=sort, limit=limit, **filters)

    def edit(
        self,
        name: str,
        *,
        content: str | None = None,
        title: str | None = None,
        kind: str | None = None,
        priority: int | None = None,
        tags: Iterable[str] | None = None,
        files: Iterable[str] | None = None,
        confidence: float | None = None,
        until: str | None = None,
        actor: Actor = "person",
    ) -> Memory:
        """Change the fields that are given; an edit by the user resets the decay of the memory.

        Args:
            until: how long it holds: `good`, `session`, `branch` or a date such as `2026-11-27`.

        Raises:
            UsageError: a value is out of range, or the content would be empty.
        """
        # None leaves a field as it is, so each is passed on.
        return self._writer.edit(
            name,
            content=content,
            title=title,
            kind=kind,
            priority=priority,
            tags=tags,
            files=files,
            confidence=confidence,
            until=until,
            actor=actor,
        )

    def forget(self, ids: Ids, *, actor: Actor = "person") -> MemoryList:
        """Archive memories: they are not injected nor found by default; `restore` undoes it."""
        return self._writer.forget(ids, actor=actor)

    def restore(self, ids: Ids, *, actor: Actor = "person") -> MemoryList:
        """Make memories active again, also from the trash, and reset their decay.

        Raises:
            UsageError: one of them waits for a verdict (`suggestions.keep`, `quarantine.release`).
        """
        return self._writer.restore(ids, actor=actor)

    def pin(self, ids: Ids, *, actor: Actor = "person") -> MemoryList:
        """Pin memories: they never decay and are injected into every session.

        Raises:
            UsageError: one of them is not active.
        """
        return self._writer.pin(ids, actor=actor)

    def unpin(self, ids: Ids, *, actor: Actor = "person") -> MemoryList:
        """Unpin memories."""
        return self._writer.unpin(ids, actor=actor)

    def tag(
        self,
        ids: Ids,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        *,
        actor: Actor = "person",
    ) -> MemoryList:
        """Add and remove tags."""
        return self._writer.tag(ids, add, remove, actor=actor)

    def give(
        self, ids: Ids, inject: InjectionPolicy, *, prompt: str = "", actor: Actor = "person"
    ) -> MemoryList:
        """Set the injection policy of memories: normal, demoted (only on a match) or never.

        Args:
            prompt: with never, they stay as they are but with prompts like this one.

        Raises:
            UsageError: `inject` is none of these, or `prompt` has no word that says anything.
        """
        return self._writer.give(ids, inject, prompt=prompt, actor=actor)

    def move(self, ids: Ids, scope: str, *, actor: Actor = "person") -> MemoryList:
        """Move memories to a store; ids, sources and the links among them stay.

        Args:
            scope: `project`, `global`, or the folder of another project that has memories.

        Raises:
            UsageError: there is no such store.
        """
        return self._history.move(ids, scope, actor=actor)

    def consolidate(
        self,
        threshold: float = 0.5,
        *,
        dry_run: bool = False,
        new_only: bool = False,
        actor: Actor = "person",
        progress: Callable[[int, int], None] | None = None,
    ) -> ConsolidationReport:
        """Search for memories that may say the same, and propose to merge them.

        In the mode `auto`, those that certainly say the same are merged at once, after a snapshot.

        Args:
            threshold: least similarity of a pair, 0 to 1. Whatever it is, a pair is proposed only
                if it is likely to be right: two memories that say the same in other words have 0.75
                and more, one that says a part of another may have less.
            new_only: compare only pairs with a memory that is new since the last run.
            progress: may raise to stop; then nothing is proposed for the current store.
        """
        return self._consolidator.run(
            threshold, dry_run=dry_run, new_only=new_only, actor=actor, progress=progress
        )

    # --- history, surface, status

    def undo(
        self,
        count: int = 1,
        *,
        number: int | None = None,
        scope: Scope | None = None,
        action: str | None = None,
        actor: Actor = "person",
        own: bool = False,
    ) -> TakenBack:
        """Undo the last `count` actions, or the change `number`; returns what was undone.

        Without a number it undoes what the user, agents and imports did. What the worker captured
        can be undone by number only. Changes that another project made to the global store are
        passed over, which the result says, unless `scope` or `number` names them.

        Args:
            scope: only changes of this store; a number without it is one of the default store.
            action: this action, as `log` lists it, in both stores. To undo an undo is to redo.
            own: the last thing that was done through this `Cortex`: a change of memories, or of a
                setting, of the trust in a store, of capture's pause, which no journal records.

        Raises:
            NotFound: there is nothing to undo.
            UndoElsewhere: with `own`, somebody else made the newest change; the message names it.
            UndoConflict: what it wrote has been changed since.
        """
        # Redo is the same with another verb.
        return self._history.take_back(
            "undo", count, number=number, scope=scope, action=action, actor=actor, own=own
        )

    def redo(
        self,
        count: int = 1,
        *,
        number: int | None = None,
        scope: Scope | None = None,
        action: str | None = None,
        actor: Actor = "person",
        own: bool = False,
    ) -> TakenBack:
        """Redo what the last `count` undos took back; see `undo`.

        Args:
            number: of the undo, or of the change that it undid.
            own: what was undone last through this `Cortex`.

        Raises:
            NotFound: there is nothing to redo.
            UndoElsewhere: with `own`, somebody else undid something since; the message names it.
            UndoConflict: what it wrote has been changed since.
        """
        return self._history.take_back(
            "redo", count, number=number, scope=scope, action=action, actor=actor, own=own
        )

    def log(
        self,
        limit: int = 20,
        memory: str | None = None,
        *,
        words: str = "",
        actors: Sequence[Actor] = (),
    ) -> Changes:
        """The latest changes in both stores, newest first, and what was set through this `Cortex`.

        Args:
            memory: only what changed this memory.
            words: only changes whose description has all of these words.
            actors: only what these made.
        """
        return self._history.log(limit, memory, words=words, actors=actors)

    def surface(
        self, *, prompt: str | None = None, file: str | None = None, started: bool = False
    ) -> Surface:
        """Exactly what would be injected next, line by line, and what was left out.

        Args:
            prompt: what would be injected with this prompt.
            file: what would be injected when this file is opened.
            started: with `prompt` or `file`: leave out what session start has already injected.
        """
        from cortex_core.surface import explain

        self.workspace.follow_branch()
        occasion = explain.InjectionOccasion(prompt, file, started)
        return explain.surface(self.project, self.config, self.workspace.clock(), occasion)

    def status(self) -> ProjectStatus:
        """The state of the stores, of capture, of the models and of the rules."""
        from cortex_core.capture import status

        return status.project_status(
            self.workspace, self.models, self.llm, self.trust, self.sessions.archive.state()
        )

    # --- services

    memories: Memories = service(".curation.memories.Memories")
    """Lists of memories, and details about one."""
    graph: Graph = service(".curation.links.Graph")
    """Links between memories, and replacing one by another."""
    review: Reviews = service(".curation.review.Reviews", "models")
    """Proposals to merge or supersede, and the verdicts on them."""
    suggestions: Suggestions = service(".curation.verdicts.Suggestions")
    """Memories that wait for the user to keep or discard them."""
    quarantine: Quarantine = service(".curation.verdicts.Quarantine")
    """Memories from untrusted text that wait for the user to release or discard them."""
    rules: ExtractionRules = service(".capture.rule_tiers.ExtractionRules")
    """The extraction rules and their tiers."""
    _archive: Conversations = service(".archive.conversations.Conversations", "models")
    sessions: Sessions = service(".capture.sessions.Sessions", "llm", "rules", "_archive")
    """Capture of sessions; what was captured from them and injected into them."""
    episodes: Episodes = service(".practice.procedures.Episodes", "memories")
    """The history: what was done and what came of it."""
    procedures: Procedures = service(".practice.procedures.Procedures", "memories", "models")
    """Step-by-step procedures, and how well they worked."""
    reflection: Reflections = service(".practice.reflection.Reflections", "models")
    """Overviews of what the memories have in common."""
    code: CodeIndex = service(".code_index.index.CodeIndex", "llm")
    """Descriptions of source files."""
    exchange: Exchange = service(
        ".exchange.service.Exchange", "_transcripts", "reflection", "snapshots"
    )
    """Import and export: JSONL, Markdown, transcripts, Claude Code's own files."""
    sync: Synchronization = service(".sync.service.Synchronization")
    """The exchange of memories with the user's other machines."""
    snapshots: Snapshots = service(".store.snapshot_service.Snapshots")
    """Copies of a whole store, and what each change did."""
    trash: TrashBin = service(".maintenance.lifecycle.TrashBin", "_archive", "_renew_files")
    """Pruned memories that are not deleted yet."""
    lifecycle: Lifecycle = service(".maintenance.lifecycle.Lifecycle")
    """Archiving decayed memories, and forecasting which decay next."""
    team: Teams = service(".team.service.Teams")
    """The project's team, its hub and the requests of its members."""
    secrets: StoredSecrets = service(".maintenance.scrub.StoredSecrets", "_archive", "_renew_files")
    """Finding stored secrets, and removing them."""
    trust: StoreTrust = service(".store.store_trust.StoreTrust")
    """Whether memories of the project's store may be injected."""
    settings: ProjectSettings = service(".store.project_settings.ProjectSettings")
    """The settings in effect."""
    models: EmbeddingModels = service(
        ".maintenance.embedding_models.EmbeddingModels", "llm", "_relate"
    )
    """Embedding models and vectors."""
    llm: LanguageModels = service(".capture.language_model.LanguageModels", "trust", "_asks_models")
    """The language model the user has chosen, and its spending."""
    _writer: Writer = service(".curation.writing.Writer")
    _search: Searcher = service(".search.recall.Searcher", "models")
    _history: History = service(".store.undo.History")
    _consolidator: Consolidator = service(
        ".curation.consolidation.Consolidator", "models", "llm", "review"
    )
    _transcripts: TranscriptImporter = service(
        ".capture.transcript_import.TranscriptImporter", "sessions", "snapshots", "_importer_of"
    )

    def _renew_files(self) -> None:
        """Keep nothing in the files for other machines that was removed for good."""
        self.sync.renew_files()

    def _relate(self, store: Store, embedder: Embedder) -> None:
        """Add the edges of memories that have just been embedded, and propose merges."""
        from cortex_core.curation import relations

        is_off = self.config.get("consolidation.mode") == "off"
        threshold = 2.0 if is_off else self.config.get("consolidation.threshold")
        relations.relate(store, embedder, threshold)

    @staticmethod
    def _importer_of(workspace: Workspace, asks_models: bool) -> TranscriptImporter:
        """An importer of transcripts into another workspace: for a dry run, or another project."""
        return Cortex(workspace, asks_models=asks_models)._transcripts

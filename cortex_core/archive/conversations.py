"""The conversations of a project: kept as sessions are captured, listed, searched and read."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex_core.archive import archive as archives
from cortex_core.archive import forgetting, listing
from cortex_core.archive.archive import Archive, ReadPosition
from cortex_core.archive.listing import ConversationFilter
from cortex_core.base import decay, excerpts, log, text
from cortex_core.base.errors import CortexError, TranscriptError, UsageError
from cortex_core.base.settings import OFF
from cortex_core.conversations import (
    ArchiveState,
    Conversation,
    ConversationHit,
    ConversationText,
    Erased,
)
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.redaction import names
from cortex_core.reports import ConversationImport, Progress
from cortex_core.store import learned, opening, queries
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace
from cortex_core.transcripts.events import Event
from cortex_core.types import SCOPES, Actor, Scope

if TYPE_CHECKING:
    from cortex_core.archive.messages import Collected, Collector
    from cortex_core.archive.prompt_history import Prompt
    from cortex_core.embeddings.protocol import Embedder
    from cortex_core.maintenance.embedding_models import EmbeddingModels

MOST_LISTED = 100_000
"""Conversations of a list without a limit."""

MENTIONED = 0.5
"""The share of a query's words of which a message that mentions it has more."""

MOST_MENTIONS = 20
"""Conversations that are counted where a search of memories finds nothing."""

Archives = list[Archive]
Paths = list[Path]
Values = list[Any]
ConversationList = list[Conversation]
Hits = list[ConversationHit]
Replayable = list[tuple[Conversation, Callable[[], Iterable[Event]]]]


class Conversations:
    """The archive next to each store, through which the project's conversations are reached."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels | None = None) -> None:
        """The conversations of a workspace; without `models` they are searched by words alone."""
        self._workspace = workspace
        self._models = models
        self._open: dict[Scope, Archive] = {}
        self._lock = threading.Lock()
        workspace.at_close.append(self._close)

    # --- keeping

    @property
    def is_kept(self) -> bool:
        """Whether conversations are kept here (setting `archive.keep`)."""
        return bool(self._workspace.config.get("archive.keep") != OFF)

    def collector(self) -> Collector | None:
        """What gathers a reading's messages for `keep`; None where conversations are not kept."""
        if not self.is_kept:
            return None
        from cortex_core.archive.messages import Collector

        return Collector(names.ignored(self._workspace.config))

    def keep(
        self, collected: Collected, transcript: Path, start: int, position: tuple[int, str]
    ) -> str:
        """Write what was gathered from byte `start` on; why not, empty where it was written.

        What fails here never costs a memory: `catch_up` reads the transcript again.

        Args:
            position: byte offset and head of the transcript where the reading ended.
        """
        try:
            archive = self._archive(self._workspace.default_scope())
            before = archive.position(str(transcript)).offset
            # What came before the store was captured before there was an archive: still to be read.
            is_whole = start <= before or start == 0
            archive.add(collected, str(transcript), ReadPosition(*position) if is_whole else None)
        except _failures() as error:
            return str(error)
        return ""

    def catch_up(
        self,
        should_continue: Callable[[], bool] = lambda: True,
        progress: Progress | None = None,
    ) -> int:
        """Read into the archive what was captured before it was kept; how many messages are new.

        Each transcript is one transaction. One that is gone or cannot be read is passed over.
        """
        scope = self._workspace.default_scope()
        store = self._workspace.existing(scope)
        if store is None or not store.writable or not self.is_kept:
            return 0
        waiting = self._behind(store)
        added = 0
        for number, path in enumerate(waiting):
            if not should_continue():
                break
            if progress:
                progress(number, len(waiting), path.name)
            added += self.catch_up_with(path)
        return added

    def catch_up_with(self, path: Path) -> int:
        """`read_transcript` where that is possible; else 0."""
        with suppress(TranscriptError, OSError):
            return self.read_transcript(path)
        return 0

    def _behind(self, store: Store) -> Paths:
        """The transcripts of which the store has read more than the archive, and that exist."""
        archive = self._archive(store.scope)
        offsets = queries.offsets(store)
        behind = [
            name for name, offset in offsets.items() if archive.position(name).offset < offset
        ]
        paths = (queries.located(store, name) for name in behind)
        return [path for path in paths if path.is_file()]

    def read_transcript(self, path: Path) -> int:
        """Read the rest of one transcript into the archive; how many messages are new.

        Nothing is learned from it: no rule sees it.

        Raises:
            TranscriptError: the file cannot be read.
            StoreError: the archive cannot be written.
        """
        from cortex_core.transcripts import reader
        from cortex_core.transcripts.redacted import redacted

        collector = self.collector()
        if collector is None:
            return 0
        archive = self._archive(self._workspace.default_scope())
        before = archive.position(str(path))
        if before.offset == path.stat().st_size:
            return 0
        with reader.read(path, before.offset, head=before.head) as transcript:
            for event in redacted(transcript, self._workspace.config.get("redact.extra")):
                collector(transcript.session, (event,))
        after = ReadPosition(transcript.offset, transcript.head)
        return archive.add(collector.collected, str(path), after)

    def import_copies(
        self,
        paths: Sequence[str | Path],
        *,
        again: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ConversationImport:
        """Read copies of transcripts, wherever their sessions ran; nothing is learned from them.

        Args:
            again: take conversations that were removed for good as well.
            dry_run: report what would be read, and change nothing.

        Raises:
            TranscriptError: there is nothing at a path.
            UsageError: conversations are not kept here.
        """
        from cortex_core.archive import copies
        from cortex_core.transcripts import reader

        if not self.is_kept:
            raise UsageError(
                "No conversations are kept here (setting archive.keep). Nothing was read. To keep "
                "them: cortex config set archive.keep forever"
            )
        files = copies.transcripts(paths)
        with self._rehearsal() if dry_run else nullcontext(self) as target:
            archive = target._archive(target._workspace.default_scope())
            if again:
                for file in files:
                    archive.let_in(reader.session_of(file))
            done = copies.read_all(files, archive, target.read_transcript, progress)
        return replace(done, dry_run=dry_run)

    def recover_prompts(
        self,
        is_wanted: Callable[[Prompt], bool],
        on_disk: Set[str],
        *,
        rehearsed: Conversations | None = None,
    ) -> int:
        """Take the prompts of sessions whose transcripts are gone from Claude Code's history, in
        one transaction; how many are new.

        Args:
            is_wanted: whether a prompt is of this project, and recent enough.
            on_disk: sessions whose transcripts exist.
            rehearsed: change nothing, and count only what these conversations do not have either.
        """
        from cortex_core.archive import prompt_history

        if not self.is_kept:
            return 0
        others = rehearsed.archives() if rehearsed else []
        found = prompt_history.missing(
            prompt_history.prompts(prompt_history.path()),
            prompt_history.KnownPrompts([*self.archives(), *others]),
            on_disk=on_disk, is_wanted=is_wanted, ignored=names.ignored(self._workspace.config),
            extra=self._workspace.config.get("redact.extra"),
        )  # fmt: skip
        if rehearsed or not found:
            return sum(len(each.drafts) for each in found)
        return self._archive(self._workspace.default_scope()).add_all(found)

    @contextmanager
    def _rehearsal(self) -> Iterator[Conversations]:
        """A copy of the conversations, to try things on."""
        from cortex_core.store import leftovers, snapshots

        with leftovers.scratch() as folder, closing(self._workspace.copy_to(str(folder))) as copy:
            for archive in self.archives():
                target = archives.path_beside(copy.store(archive.scope).path)
                snapshots.copy(archive.connection, target)
            yield Conversations(copy)

    # --- reading

    def list(
        self, *, branch: str = "", file: str = "", commit: str = "",
        since: str | float | None = None, until: str | float | None = None,
        limit: int | None = 20, offset: int = 0,
    ) -> ConversationList:  # fmt: skip
        """The conversations, newest first.

        Args:
            file: only those that changed it: a path, a file's name or a glob.
            commit: only those that made it: its hash or the beginning of it.
            since: only those that ended then or later, as `FilterOptions.since`.
            limit: None for all.
            offset: how many to pass over.

        Raises:
            UsageError: a time that is none.
        """
        where, values = self._condition(ConversationFilter(branch, file, commit, since, until))
        most = MOST_LISTED if limit is None else offset + limit
        found = [
            each
            for archive in self.archives()
            for each in archive.conversations(
                f"WHERE {where} ORDER BY c.ended DESC, c.number DESC LIMIT ?", (*values, most)
            )
        ]
        found.sort(key=lambda each: each.ended or 0.0, reverse=True)
        return self.with_memories(found[offset:most])

    def search(
        self, query: str, *, branch: str = "", file: str = "", commit: str = "",
        since: str | float | None = None, until: str | float | None = None, limit: int = 10,
        by_words: bool = False, unfinished: bool = False,
    ) -> Hits:  # fmt: skip
        """The conversations that answer `query`, best first, each with the message that fits best.

        Args:
            branch: only those on it; the other filters are those of `list`.
            by_words: whether to leave out the meaning, which takes a model.
            unfinished: whether the query is still being typed, and its last word may be the
                beginning of one; the search is by words then.

        Raises:
            UsageError: a time that is none.
        """
        from cortex_core.archive import search as searching

        condition = self._condition(ConversationFilter(branch, file, commit, since, until))
        model = None if by_words or unfinished else self._model_for(query)
        hits: Hits = []
        for archive in self.archives():
            found = searching.search(
                archive, query, condition, limit, embedder=model, unfinished=unfinished
            )
            hits += searching.hits(archive, found)
        hits.sort(key=lambda hit: -hit.score)
        hits = hits[:limit]
        known = self.with_memories(hit.conversation for hit in hits)
        return [replace(hit, conversation=each) for hit, each in zip(hits, known, strict=True)]

    def _model_for(self, query: str) -> Embedder | None:
        """The model that compares a query with messages; None where it cannot read it."""
        from cortex_core.search import keyword

        model = self._models.on_this_machine() if self._models else None
        if model is not None and model.name == SHIPPED_TAG and not keyword.is_legible(query):
            return None
        return model

    def embed(self, should_continue: Callable[[], bool] = lambda: True) -> int:
        """Compute the vectors of messages that have none; how many there were.

        A model on this machine computes them: conversations are sent nowhere.
        """
        from cortex_core.archive import vectors

        done = 0
        model = self._models.on_this_machine() if self._models and self.archives() else None
        for archive in self.archives():
            if model is not None and archive.writable:
                done += vectors.embed(archive, model, should_continue)
        return done

    def count(self) -> int:
        """How many conversations there are, without those that are forgotten."""
        where, values = self._condition(ConversationFilter())
        counted = f"SELECT count(*) FROM conversation c WHERE {where}"
        return sum(int(archive.value(counted, values)) for archive in self.archives())

    def state(self) -> ArchiveState:
        """How much is kept, also where an archive cannot be read."""
        sizes = [each.stat().st_size for path in self._files() for each in _with_log(path)]
        try:
            return ArchiveState(conversations=self.count(), bytes=sum(sizes))
        except _failures() as error:
            return ArchiveState(conversations=0, bytes=sum(sizes), problem=str(error))

    def adopt(self) -> None:
        """Let the archives here belong to the stores next to them, because the user trusts these.

        One that cannot be read or written is passed over; the doctor reports it.
        """
        for scope in SCOPES:
            if path := self._file(scope):
                with suppress(*_failures()):
                    Archive.adopt(path, scope, self._workspace.store(scope).identity)

    def rebuild(self, scope: Scope, progress: Progress | None = None) -> Path:
        """Move an archive that is damaged aside, and make it again of what can be read of it and
        of the transcripts that are still there; where the old one is now.

        Raises:
            OSError: the folder cannot be written.
            StoreError: the new one cannot be made.
        """
        from cortex_core.archive import rebuilding

        path = archives.path_beside(self._workspace.store(scope).path)
        with self._lock:
            if scope in self._open:
                self._open.pop(scope).close()
        aside = rebuilding.move_aside(path)
        archive = self._archive(scope)
        rebuilding.save(aside, archive)
        erased = learned.erased(self._workspace.store(scope))
        archive.erase([each for each in erased if not archive.find(each)])
        self.catch_up(progress=progress)
        return aside

    def mentioning(
        self, query: str, answers: Iterable[str] = (), *, branch: str = "", file: str = ""
    ) -> int:
        """How many conversations have a message with most of the words of `query`, at most
        `MOST_MENTIONS`; 0 where the archive cannot be searched.

        Args:
            answers: what memories answer, for which this may not fail; where one of them has most
                of the words, nothing is searched, and 0.
        """
        asked = excerpts.asked(query)
        if any(excerpts.share(asked, answer) > MENTIONED for answer in answers):
            return 0
        try:
            hits = self.search(query, branch=branch, file=file, limit=MOST_MENTIONS, by_words=True)
        except _failures() as error:
            log.write(self._workspace.project, f"archive: {error}")
            return 0
        return sum(excerpts.share(asked, hit.message.text) > MENTIONED for hit in hits)

    def read(self, session: str) -> ConversationText:
        """One conversation, whole.

        Args:
            session: its id or the beginning of it.

        Raises:
            NotFound: it is not in the archive.
            UsageError: `session` is the beginning of several.
        """
        archive, one = self._named(session, self._hidden())
        taught: dict[str, list[str]] = defaultdict(list)
        for store in self._workspace.stores:
            for memory, message in learned.by_message(store, one.session):
                if memory not in taught[message]:
                    taught[message].append(memory)
        return ConversationText(
            conversation=self.with_memories([one])[0], messages=archive.text_of(one.number),
            learned={message: tuple(ids) for message, ids in taught.items()},
        )  # fmt: skip

    def called(self, name: str) -> ConversationList:
        """The conversations whose session's id begins with `name`; where none does, those whose
        titles have all of its words."""
        hidden = self._hidden()
        by_id = [each for archive in self.archives() for each in archive.find(name)]
        found = by_id or [each for archive in self.archives() for each in archive.titled(name)]
        return [each for each in found if each.session not in hidden]

    def titles(self, sessions: Iterable[str]) -> dict[str, str]:
        """The titles of conversations by their sessions; what is not in the archive is left out."""
        wanted = json.dumps(sorted(set(sessions) - self._hidden()))
        within = "WHERE c.session IN (SELECT value FROM json_each(?))"
        found = (
            each for archive in self.archives() for each in archive.conversations(within, (wanted,))
        )
        return {each.session: each.title for each in found if each.title}

    def with_memories(self, found: Iterable[Conversation]) -> ConversationList:
        """The conversations with the number of memories that were learned in each."""
        listed = list(found)
        sessions = [each.session for each in listed]
        counts: dict[str, int] = defaultdict(int)
        for store in self._workspace.stores:
            for session, number in learned.counts(store, sessions).items():
                counts[session] += number
        return [replace(each, memories=counts[each.session]) for each in listed]

    def to_replay(self) -> Replayable:
        """The conversations, oldest first, and what makes events for the rules of each."""
        from cortex_core.archive.events import events_of

        where, values = self._condition(ConversationFilter())
        return [
            (each, partial(events_of, archive, each))
            for archive in self.archives()
            for each in archive.conversations(f"WHERE {where} ORDER BY c.started", values)
        ]

    # --- forgetting

    def forget(self, session: str, *, memories: bool = False, actor: Actor = "person") -> int:
        """Hide a conversation from lists, searches and everything else; how many memories went
        with it.

        One undoable action. After `lifecycle.prune_after_days` it is removed for good.

        Args:
            session: its id or the beginning of it.
            memories: forget what was learned in it and in no other session as well.

        Raises:
            NotFound: it is not in the archive.
            UsageError: `session` is the beginning of several.
        """
        _, one = self._named(session, self._hidden())
        return forgetting.forget(self._workspace, one, memories=memories, actor=actor)

    def restore(self, session: str, *, actor: Actor = "person") -> Conversation:
        """Show a forgotten conversation again; memories stay as they are.

        Raises:
            NotFound: it is not forgotten, or was removed for good since.
        """
        _, one = self._named(session, frozenset())
        forgetting.restore(self._workspace, one.session, actor=actor)
        return one

    def erase(
        self, session: str, *, memories: bool = False, remove_snapshots: bool = False
    ) -> Erased:
        """Remove a conversation for good, forgotten or not: this cannot be undone, and reading its
        transcript again does not bring it back.

        Args:
            memories: destroy what was learned in it and in no other session as well.
            remove_snapshots: remove every snapshot of a store that knows the session.

        Raises:
            NotFound: it is not in the archive.
            StoreError: the archive or a store cannot be written; the same call does the rest.
        """
        archive, one = self._named(session, frozenset())
        return forgetting.erase(
            self._workspace, archive, one, memories=memories, remove_snapshots=remove_snapshots
        )

    def forgotten(self) -> ConversationList:
        """The forgotten conversations that are not removed for good yet, newest first."""
        hidden = self._hidden()
        found = [
            each for archive in self.archives() for session in hidden
            for each in archive.find(session)
        ]  # fmt: skip
        return sorted(found, key=lambda each: each.ended or 0.0, reverse=True)

    def tidy(self, *, everything_forgotten: bool = False) -> int:
        """Remove for good what is older than `archive.keep` allows, was forgotten long ago or ran
        in a folder that is ignored by now; how many conversations.

        Args:
            everything_forgotten: whatever the moment when it was forgotten.
        """
        config, now = self._workspace.config, self._workspace.clock()
        days = 0 if everything_forgotten else config.get("lifecycle.prune_after_days")
        long_ago = forgetting.forgotten_before(self._workspace.stores, now - days * decay.DAY)
        count = 0
        for archive in self.archives():
            gone = forgetting.expired(archive, config.get("archive.keep"), now)
            gone += forgetting.ignored(archive, names.ignored(config))
            forgotten = [each for each in long_ago if archive.find(each)]
            archive.erase(forgotten)
            gone = list(dict.fromkeys(each for each in gone if each not in forgotten))
            archive.erase(gone, shut=False)  # a session can go on after its beginning was too old
            count += len(forgotten) + len(gone)
        if count:
            were = text.counted(count, "conversation was", "conversations were")
            log.write(self._workspace.project, f"archive: {were} removed for good")
        return count

    def _hidden(self) -> frozenset[str]:
        return forgetting.hidden(self._workspace.stores)

    def _condition(self, wanted: ConversationFilter) -> tuple[str, Values]:
        """What conversations must have to be shown, as SQL over `c`, and its parameters."""
        stored = {name: self._stored(getattr(wanted, name)) for name in ("branch", "commit")}
        kept = wanted._replace(**stored, file=self._stored(self._in_project(wanted.file)))
        where, values = listing.condition(kept, self._workspace.clock())
        if hidden := self._hidden():
            where += " AND c.session NOT IN (SELECT value FROM json_each(?))"
            values = [*values, json.dumps(sorted(hidden))]
        return where, values

    def _in_project(self, file: str) -> str:
        """A path as it is kept: from the project's folder on, where it is below it."""
        root = str(self._workspace.project.root or "").rstrip("/")
        return file.removeprefix(f"{root}/" if root else "").removeprefix("./")

    def _stored(self, name: str) -> str:
        """A name as the archive keeps it: without a secret or half a character."""
        return names.clean(text.storable(name), self._workspace.config.get("redact.extra"))

    def _named(self, session: str, hidden: frozenset[str]) -> tuple[Archive, Conversation]:
        """The one conversation that `session` names, and its archive."""
        found = [
            (archive, each)
            for archive in self.archives()
            for each in archive.find(session)
            if each.session not in hidden
        ]
        one = archives.chosen([each for _, each in found], session)
        return next((archive, each) for archive, each in found if each is one)

    # --- the files

    def _archive(self, scope: Scope) -> Archive:
        """The archive of `scope`, created if need be."""
        with self._lock:
            if scope not in self._open:
                self._open[scope] = self._opened(scope)
            return self._open[scope]

    def archives(self) -> Archives:
        """The archives that exist, the project's first."""
        return [self._archive(scope) for scope in SCOPES if self._file(scope)]

    def _file(self, scope: Scope) -> Path | None:
        """The file of the archive of `scope`; None where there is none."""
        store = self._workspace.path_of(scope)
        path = None if store is None else archives.path_beside(store)
        return path if path is not None and path.exists() else None

    def _files(self) -> Paths:
        return [path for scope in SCOPES if (path := self._file(scope))]

    def _opened(self, scope: Scope) -> Archive:
        store = self._workspace.store(scope)  # whose folder is prepared then
        return Archive.open(
            archives.path_beside(store.path), scope, owner=store.identity,
            clock=self._workspace.clock,
            secret_patterns=lambda: self._workspace.config.get("redact.extra"),
        )  # fmt: skip

    def _close(self) -> None:
        """End this thread's connections."""
        for archive in list(self._open.values()):
            archive.close()


def _failures() -> tuple[type[Exception], ...]:
    """What an archive that cannot be used raises."""
    return (CortexError, *opening.database_errors())


def _with_log(path: Path) -> Iterator[Path]:
    """The file of an archive and its write-ahead log, as far as they exist."""
    return (each for each in (path, path.with_name(f"{path.name}-wal")) if each.exists())

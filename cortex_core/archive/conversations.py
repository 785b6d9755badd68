"""The conversations of a project: listed, searched, read and forgotten."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cortex_core.archive import archive as archives, forgetting, listing
from cortex_core.archive.files import ArchiveFiles, failures
from cortex_core.archive.recording import Recorder
from cortex_core.base import decay, excerpts, log, text
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.records.conversation import (
    Conversation,
    ConversationHit,
    ConversationText,
    Erased,
)
from cortex_core.records.memory import Actor
from cortex_core.redaction import secrets, stored_names
from cortex_core.store import learned
from cortex_core.store.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.embeddings.protocol import Embedder
    from cortex_core.maintenance.embedding_models import EmbeddingModels

MOST_LISTED = 100_000
"""Conversations of a list without a limit."""

MENTIONED = 0.5
"""The share of a query's words of which a message that mentions it has more."""

MOST_MENTIONS = 20
"""Conversations that are counted where a search of memories finds nothing."""

Values = list[Any]
ConversationList = list[Conversation]
Hits = list[ConversationHit]


class Conversations:
    """The archive next to each store, through which the project's conversations are reached."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels | None = None) -> None:
        """The conversations of a workspace; without `models` they are searched by words alone."""
        self._workspace = workspace
        self._models = models
        self.files = ArchiveFiles(workspace)
        self.recorder = Recorder(workspace, self.files)
        """What conversations get into the archive by."""

    def list(
        self,
        *,
        branch: str = "",
        file: str = "",
        commit: str = "",
        agent: str = "",
        since: str | float | None = None,
        until: str | float | None = None,
        limit: int | None = 20,
        offset: int = 0,
    ) -> ConversationList:
        """The conversations, newest first.

        Args:
            file: only those that changed it: a path, a file's name or a glob.
            commit: only those that made it: its hash or the beginning of it.
            agent: only those with it, by its name.
            since: only those that ended then or later, as `FilterOptions.since`.
            limit: None for all.
            offset: how many to pass over.

        Raises:
            UsageError: a time that is none.
        """
        where, values = self._condition(branch, file, commit, agent=agent, since=since, until=until)
        most = MOST_LISTED if limit is None else offset + limit
        # Each archive gives as many as are asked for in all: which are the newest shows afterwards.
        found = [
            each
            for archive in self.files.existing()
            for each in archive.conversations(
                f"WHERE {where} ORDER BY c.ended DESC, c.number DESC LIMIT ?", (*values, most)
            )
        ]
        found.sort(key=lambda each: each.ended or 0.0, reverse=True)
        return self.with_memories(found[offset:most])

    def search(
        self,
        query: str,
        *,
        branch: str = "",
        file: str = "",
        commit: str = "",
        agent: str = "",
        since: str | float | None = None,
        until: str | float | None = None,
        limit: int = 10,
        by_words: bool = False,
        unfinished: bool = False,
    ) -> Hits:
        """The conversations that answer `query`, best first, each with the message that fits best.

        Args:
            branch: only those on it; the other filters are those of `list`.
            by_words: whether to leave out the meaning, which takes a model.
            unfinished: whether the query is still being typed, and its last word may be the
                beginning of one; the search is by words then.

        Raises:
            UsageError: a time that is none.
        """
        from cortex_core.archive import conversation_search

        condition = self._condition(branch, file, commit, agent=agent, since=since, until=until)
        # Half a word has no meaning yet.
        query = query[: excerpts.LONGEST]
        model = None if by_words or unfinished else self._model_for(query)
        hits: Hits = []
        for archive in self.files.existing():
            found = conversation_search.search(
                archive, query, condition, limit, embedder=model, unfinished=unfinished
            )
            hits += conversation_search.hits(archive, found)
        hits.sort(key=lambda hit: -hit.score)
        hits = hits[:limit]
        known = self.with_memories(hit.conversation for hit in hits)
        return [replace(hit, conversation=each) for hit, each in zip(hits, known, strict=True)]

    def _model_for(self, query: str) -> Embedder | None:
        """The model that compares a query with messages; None where it cannot read it."""
        from cortex_core.search import keyword

        model = self._models.on_this_machine() if self._models else None
        is_shipped = model is not None and model.name == SHIPPED_TAG
        return None if is_shipped and not keyword.is_legible(query) else model

    def embed(self, should_continue: Callable[[], bool] = lambda: True) -> int:
        """Compute the vectors of messages that have none; how many there were.

        A model on this machine computes them: conversations are sent nowhere.
        """
        from cortex_core.archive import message_vectors

        done = 0
        model = self._models.on_this_machine() if self._models and self.files.existing() else None
        for archive in self.files.existing():
            if model is not None and archive.writable:
                done += message_vectors.embed(archive, model, should_continue)
        return done

    def count(self) -> int:
        """How many conversations there are, without those that are forgotten."""
        where, values = self._condition()
        counted = f"SELECT count(*) FROM conversation c WHERE {where}"
        return sum(int(archive.value(counted, values)) for archive in self.files.existing())

    def state(self) -> tuple[int, int, str]:
        """How many are kept, the bytes of their files, and why one of these cannot be read."""
        # With their write-ahead logs, as far as they exist.
        files = ((path, path.with_name(f"{path.name}-wal")) for path in self.files.paths())
        size = sum(each.stat().st_size for pair in files for each in pair if each.exists())
        try:
            return self.count(), size, ""
        except failures() as error:
            return 0, size, str(error)

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
        except failures() as error:
            log.write(self._workspace.project, secrets.redact(f"archive: {error}").text)
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
            conversation=self.with_memories([one])[0],
            messages=archive.text_of(one.number),
            learned={message: tuple(ids) for message, ids in taught.items()},
            deciding=archive.deciding(one.session),
        )

    def titles(self, sessions: Iterable[str]) -> dict[str, str]:
        """The titles of conversations by their sessions; what is not in the archive is left out."""
        wanted = json.dumps(sorted(set(sessions) - self._hidden()))
        within = "WHERE c.session IN (SELECT value FROM json_each(?))"
        found = (
            each
            for archive in self.files.existing()
            for each in archive.conversations(within, (wanted,))
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
            each
            for archive in self.files.existing()
            for session in hidden
            for each in archive.find(session)
        ]
        return sorted(found, key=lambda each: each.ended or 0.0, reverse=True)

    def tidy(self, *, everything_forgotten: bool = False) -> int:
        """Remove for good what is older than `archive.keep` allows, was forgotten long ago or ran
        in a folder that is ignored by now, and order the index; how many conversations.

        Args:
            everything_forgotten: whatever the moment when it was forgotten.
        """
        config, now = self._workspace.config, self._workspace.clock()
        days = 0 if everything_forgotten else config.get("lifecycle.prune_after_days")
        long_ago = [
            session
            for store in self._workspace.own_stores
            for session, forgotten in learned.forgotten(store).items()
            if forgotten <= now - days * decay.DAY
        ]
        count = 0
        for archive in self.files.existing():
            gone = forgetting.expired(archive, config.get("archive.keep"), now)
            gone += forgetting.ignored(archive, stored_names.ignored(config))
            forgotten = [each for each in long_ago if archive.find(each)]
            archive.erase(forgotten)
            gone = list(dict.fromkeys(each for each in gone if each not in forgotten))
            archive.erase(gone, shut=False)  # a session can go on after its beginning was too old
            count += len(forgotten) + len(gone)
            archive.merge_index()
        if count:
            were = text.counted(count, "conversation was", "conversations were")
            log.write(self._workspace.project, f"archive: {were} removed for good")
        return count

    def _hidden(self) -> frozenset[str]:
        return forgetting.hidden(self._workspace.own_stores)

    def _condition(
        self,
        branch: str = "",
        file: str = "",
        commit: str = "",
        *,
        agent: str = "",
        since: str | float | None = None,
        until: str | float | None = None,
    ) -> tuple[str, Values]:
        """What conversations must have to be shown, as SQL over `c`, and its parameters."""
        # A path is kept from the project's folder on, where it is below it.
        root = str(self._workspace.project.root or "").rstrip("/")
        file = file.removeprefix(f"{root}/" if root else "").removeprefix("./")
        # As the archive keeps names: without a secret or half a character.
        extra = self._workspace.config.get("redact.extra")
        names = (stored_names.clean(text.storable(each), extra) for each in (branch, file, commit))
        branch, file, commit = names
        where, values = listing.condition(
            self._workspace.clock(),
            branch=branch,
            file=file,
            commit=commit,
            agent=agent,
            since=since,
            until=until,
        )
        if hidden := self._hidden():
            where += " AND c.session NOT IN (SELECT value FROM json_each(?))"
            values = [*values, json.dumps(sorted(hidden))]
        return where, values

    def _named(self, session: str, hidden: frozenset[str]) -> tuple[archives.Archive, Conversation]:
        """The one conversation that `session` names, and its archive."""
        found = [
            (archive, each)
            for archive in self.files.existing()
            for each in archive.find(session)
            if each.session not in hidden
        ]
        one = archives.chosen([each for _, each in found], session)
        return next((archive, each) for archive, each in found if each is one)

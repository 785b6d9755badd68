"""The verbs of practice: the daily log of episodes, and procedures with what came of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cortex_core import text
from cortex_core.curation import episodes, procedures
from cortex_core.errors import UsageError
from cortex_core.kinds import EPISODE, PROCEDURE
from cortex_core.memory import SCOPES, Actor, Context, Memory, Scope, Source, Where
from cortex_core.reports.practice import ProcedureMatch
from cortex_core.storage import rows
from cortex_core.storage.store import Store
from cortex_core.verbs.listing import Memories
from cortex_core.verbs.reading import Reading
from cortex_core.verbs.writing import Writing, cleaned_tags

if TYPE_CHECKING:
    from cortex_core.embedding.protocol import Embedder

Matches = list[ProcedureMatch]

MOST_LIKE = 20
"""Procedures nearest to a task whose titles are looked at by themselves."""


class Practising(Writing, Reading):
    """What was done, and how things are done."""

    def episode_add(
        self,
        content: str,
        *,
        title: str | None = None,
        outcome: str = "",
        tags: Iterable[str] = (),
        memories: Sequence[str] = (),
        scope: Scope | None = None,
        actor: Actor = "person",
    ) -> Memory:
        """Add an entry to the daily log; the same words again are another entry.

        Args:
            title: one line; made from the content when None.
            outcome: what came of it, in a line, such as `shipped` or `reverted: too slow`.
            memories: ids of memories that it is about; they decide the store.

        Raises:
            NotFound: one of `memories` names none.
            UsageError: nothing is left to store, or the memories lie in different stores.
        """
        about = self.find(memories)
        store = self._common_store(about, scope)
        entry = self._episode(store, content, title or "", outcome, self._tags(tags), actor)
        with store.change("episode", f"log “{entry.title}”", actor) as change:
            episodes.append(change, entry, [name for _, name in about])
        return store.memory(entry.id)

    def episodes(
        self,
        *,
        since: str | float | None = None,
        until: str | float | None = None,
        tags: Iterable[str] = (),
        scope: Where = "all",
        limit: int | None = None,
    ) -> Memories:
        """The entries of the log, newest first; faded ones are still part of it."""
        return self.list(
            kinds=(EPISODE,), since=since, until=until, tags=cleaned_tags(tags), scope=scope,
            statuses=("active", "archived"), sort="created", limit=limit,
        )  # fmt: skip

    def procedure_add(
        self,
        task: str,
        steps: Sequence[str],
        *,
        description: str = "",
        preconditions: Sequence[str] = (),
        postconditions: Sequence[str] = (),
        tags: Iterable[str] = (),
        files: Iterable[str] = (),
        priority: int = 5,
        scope: Scope | None = None,
        actor: Actor = "person",
    ) -> Memory:
        """Store how a task is done, step by step; the same again reinforces.

        Args:
            task: what it is for, in one line.
            description: more about it, put before the steps.
            preconditions: what must hold before the first step.
            postconditions: what holds after the last.

        Raises:
            UsageError: there is no step, or a value is out of range.
        """
        from cortex_core.capture import admission

        title = self._line(task)
        made = procedures.Plan(
            steps=self._lines(steps), preconditions=self._lines(preconditions),
            postconditions=self._lines(postconditions),
        )  # fmt: skip
        if not title or not made.steps:
            raise UsageError("A procedure needs a task and a step. Nothing was changed.")
        lead = admission.redacted(description, self.config) or title
        content = self._checked(procedures.content(lead, made), PROCEDURE, priority, 0.9)
        store, now = self.store(scope or self.default_scope()), self.clock()
        memory = Memory(
            id=str(uuid.uuid4()), content=content, title=title, kind=PROCEDURE, scope=store.scope,
            tags=self._tags(tags), initial_confidence=0.9, priority=priority,
            source=Source(rule=actor, time=now), context=self._here(), globs=tuple(files),
            created=now, updated=now, reinforced=now, details=made.lists,
        )  # fmt: skip
        with store.change("procedure", f"add the procedure “{title}”", actor) as change:
            stored = admission.store_or_reinforce(store, change, memory)
        return store.memory(stored)

    def procedures(self, *, scope: Where = "all", limit: int | None = None) -> Matches:
        """Every procedure, the most reliable first."""
        found = [(one, 1.0) for one in self.list(kinds=(PROCEDURE,), scope=scope)]
        return self._matches(found)[:limit]

    def match_procedures(
        self, task: str, *, limit: int = 3, scope: Where = "all"
    ) -> Matches:  # fmt: skip
        """The procedures that fit a task, the most promising first; none rather than a wrong one.

        Args:
            task: what is to be done, in any words.

        Raises:
            UsageError: the task is empty.
        """
        if not text.content_words(task):
            raise UsageError("Say what is to be done. Nothing was looked up.")
        embedder = self.embedder()
        if embedder is not None:
            self.embed_arrivals(embedder)
        found = [
            (memory, procedures.fit(task, memory, cosine))
            for store in self._within(scope)
            for memory, cosine in _like(store, task, embedder)
        ]
        return self._matches(found)[:limit]

    def procedure_outcome(
        self, name: str, success: bool, *, note: str = "", actor: Actor = "person"
    ) -> Memory:
        """Count how following a procedure ended; a success keeps it from fading.

        Args:
            note: what happened, in words; kept as an entry of the log, linked with it.

        Raises:
            NotFound: there is none of this id.
            UsageError: it is no procedure.
        """
        ((store, full),) = self.find(name)
        memory = store.memory(full)
        if memory.kind != PROCEDURE:
            raise UsageError(f"“{memory.title}” is no procedure. Nothing was changed.")
        key, word = ("successes", "success") if success else ("failures", "failure")
        entry = self._episode(store, note, "", word, (), actor) if note.strip() else None
        with store.change("outcome", f"note a {word} of “{memory.title}”", actor) as change:
            held = store.memory(full)
            counts = dict(zip(("successes", "failures"), procedures.outcomes(held.details),
                              strict=True))  # fmt: skip
            columns: rows.Row = {
                "details": rows.dumps({**held.details, **counts, key: counts[key] + 1}),
                "updated": change.time,
            }
            change.update(
                "memory", full, columns | ({"reinforced": change.time} if success else {})
            )
            if entry is not None:
                episodes.append(change, entry, [full])
        return store.memory(full)

    def _matches(self, found: Sequence[tuple[Memory, float]]) -> Matches:
        return [
            ProcedureMatch(
                memory=memory, fit=fit, reliability=sure,
                successes=procedures.outcomes(memory.details)[0],
                failures=procedures.outcomes(memory.details)[1],
            )
            for memory, fit, sure in procedures.ranked(found)
        ]  # fmt: skip

    def _common_store(self, about: Sequence[tuple[Store, str]], scope: Scope | None) -> Store:
        if scope is not None and scope not in SCOPES:
            raise UsageError(f"“{scope}” is neither project nor global. Nothing was changed.")
        wanted = {store.scope for store, _ in about} | ({scope} if scope else set())
        if len(wanted) > 1:
            raise UsageError(
                "These memories lie in different stores, or not in the one named. Nothing was "
                "changed. Move them first (cortex move), or log it twice."
            )
        return self.store(wanted.pop() if wanted else self.default_scope())

    def _episode(
        self, store: Store, content: str, title: str, outcome: str, tags: tuple[str, ...],
        actor: Actor,
    ) -> Memory:  # fmt: skip
        return episodes.episode(
            self._checked(content, EPISODE, 5, 0.9), title=self._line(title),
            outcome=self._line(outcome), tags=tags, scope=store.scope,
            actor=actor, context=self._here(), now=self.clock(),
        )  # fmt: skip

    def _here(self) -> Context:
        return Context(branch=self.project.branch, folder=self.project.cwd)

    def _lines(self, given: Sequence[str]) -> tuple[str, ...]:
        return tuple(filter(None, map(self._line, given)))


def _like(store: Store, task: str, embedder: Embedder | None) -> list[tuple[Memory, float | None]]:
    """The active procedures of `store` with their cosine to the task: whole, or title alone."""
    from cortex_core.storage import vectors

    found = store.select("WHERE m.status = 'active' AND m.kind = ?", (PROCEDURE,))
    if embedder is None:
        return [(memory, None) for memory in found]
    asked = embedder.query(task).vector
    numbers = dict(store.rows("SELECT id, number FROM memory WHERE kind = ?", (PROCEDURE,)))
    near = vectors.matrix(store, embedder.name, embedder.dimension).search(asked)
    cosines = near.of(list(numbers.values()))
    whole = {memory.id: cosines.get(numbers[memory.id], 0.0) for memory in found}
    titled = sorted(found, key=lambda memory: -whole[memory.id])[:MOST_LIKE]
    alone = {one.id: float(embedder.encode(one.title).vector @ asked) for one in titled}
    return [(one, max(whole[one.id], alone.get(one.id, 0.0))) for one in found]

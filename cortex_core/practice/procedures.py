"""Episodes and procedures: what was done and what came of it, and how a task is done step by step.

Episodes are the history: what capture finds of it is one entry for each event, and what a user logs
twice stays two entries. The search for duplicates leaves both out.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cortex_core.admission import apply, checks
from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import EPISODE, PROCEDURE
from cortex_core.curation.memories import Memories
from cortex_core.embeddings.protocol import Embedder
from cortex_core.maintenance.embedding_models import EmbeddingModels
from cortex_core.records import procedure_plan
from cortex_core.records.memory import OWN_SCOPES, Actor, Context, Memory, Scope, Source, Where
from cortex_core.records.reflections import ProcedureMatch
from cortex_core.redaction import cleaning
from cortex_core.store import memory_lookup, rows, twins, vector_search
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

CONFIDENCE = 0.9


def episode(
    workspace: Workspace,
    scope: Scope,
    content: str,
    *,
    title: str = "",
    outcome: str = "",
    tags: tuple[str, ...] = (),
    actor: Actor,
) -> Memory:
    """A new entry of the log, redacted and checked, not stored yet.

    Args:
        outcome: what came of it, in a line; empty where that is not known.

    Raises:
        UsageError: nothing is left of `content`, or it is too long.
    """
    from cortex_core.extract import wording as extract_wording

    config, now = workspace.config, workspace.clock()
    content = checks.checked(content, config)
    result = checks.line(outcome, config)
    entry = Memory(
        id=str(uuid.uuid4()),
        content=content,
        title=checks.line(title, config) or extract_wording.title(content),
        kind=EPISODE,
        scope=scope,
        tags=tags,
        initial_confidence=CONFIDENCE,
        source=Source(rule=actor, time=now),
        context=here(workspace),
        created=now,
        updated=now,
        reinforced=now,
        details={"outcome": result} if result else {},
    )
    # The words of the user need not wait for the user.
    return entry if actor == "person" else checks.quarantined_if_needed(entry)


def here(workspace: Workspace) -> Context:
    """The branch and the folder in which something is recorded."""
    return Context(branch=workspace.project.branch, folder=workspace.project.cwd)


def append(change: Change, entry: Memory, about: Iterable[str] = ()) -> None:
    """Store an entry, linked with the memories whose ids are in `about`."""
    apply.insert(change, entry)
    for name in dict.fromkeys(about):
        change.insert(
            "edge",
            {
                "source": entry.id,
                "target": name,
                "type": "relates_to",
                "directed": False,
                "context": EPISODE,
                "created": change.time,
            },
        )


def outcome(details: Mapping[str, Any]) -> str:
    """What came of an episode; empty where that is not known."""
    value = details.get("outcome")
    return value if isinstance(value, str) else ""


class Episodes:
    """The history in both stores."""

    def __init__(self, workspace: Workspace, memories: Memories) -> None:
        self._workspace = workspace
        self._memories = memories

    def add(
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
        """Add an entry to the history; the same words again are another entry.

        Args:
            title: one line; made from the content when None.
            outcome: what came of it, in a line, such as `shipped` or `reverted: too slow`.
            memories: ids of memories that it is about; they decide the store.

        Raises:
            NotFound: one of `memories` names none.
            UsageError: nothing is left to store, or the memories are in different stores.
        """
        about = self._workspace.find(memories)
        if scope is not None and scope not in OWN_SCOPES:
            raise UsageError(
                f"“{scope}” is not a scope; use project or global. Nothing was changed."
            )
        wanted = {store.scope for store, _ in about} | ({scope} if scope else set())
        if len(wanted) > 1:
            raise UsageError(
                "These memories are in different stores, or not in the chosen one. Nothing was "
                "changed. Move them first (cortex move), or log the episode twice."
            )
        store = self._workspace.store(wanted.pop() if wanted else None)
        # Made before the change: no transaction waits for checks.
        entry = episode(
            self._workspace,
            store.scope,
            content,
            title=title or "",
            outcome=outcome,
            tags=checks.checked_tags(tags, self._workspace.config),
            actor=actor,
        )
        with store.change("episode", f"log “{entry.title}”", actor) as change:
            append(change, entry, [name for _, name in about])
        return store.memory(entry.id)

    def list(
        self,
        *,
        since: str | float | None = None,
        until: str | float | None = None,
        tags: Iterable[str] = (),
        scope: Where = "all",
        limit: int | None = None,
    ) -> list[Memory]:
        """The entries of the history, newest first, including archived ones."""
        return self._memories.list(
            kinds=(EPISODE,),
            since=since,
            until=until,
            tags=checks.cleaned_tags(tags),
            scope=scope,
            statuses=("active", "archived"),
            sort="created",
            limit=limit,
        )


LEAST_SHARE = 0.5
"""Share of the best fit that another procedure needs to be listed with it."""

LEAST_COSINE = 0.38
"""Cosine under which a task and a procedure have nothing to do with each other."""

LEAST_WORDS = 0.5
"""Share of a task's words that a procedure must contain to fit by words alone."""

MOST_TITLES = 20
"""Procedures most similar to a task whose titles are compared by themselves."""


def outcomes(details: Mapping[str, Any]) -> tuple[int, int]:
    """How often following a procedure succeeded, and how often it failed."""
    counts = (details.get(name) for name in ("successes", "failures"))
    first, second = (count if isinstance(count, int) and count > 0 else 0 for count in counts)
    return first, second


def reliability(successes: int, failures: int) -> float:
    """How likely a procedure is to succeed the next time, 0 to 1.

    The mean of a Beta(1 + successes, 1 + failures) distribution, Laplace's rule of succession
    (E. T. Jaynes, Probability Theory, chapter 18): untried is 0.5, and one success does not
    outrank nine of ten.
    """
    return (successes + 1) / (successes + failures + 2)


def fit(task: str, memory: Memory, cosine: float | None) -> float:
    """How well a procedure fits a task, 0 (not at all) to 1.

    Args:
        cosine: of task and procedure; None without an embedding model.
    """
    from cortex_core.duplicates import similarity

    words = f"{memory.title}\n{memory.content}\n{' '.join(memory.tags)}"
    share = similarity.containment(task, words)
    shared = round(share * len(set(text.content_words(task))))
    by_words = share if share >= LEAST_WORDS and (shared > 1 or share == 1.0) else 0.0
    by_meaning = cosine if cosine is not None and cosine >= LEAST_COSINE else 0.0
    return min(1.0, max(by_words, by_meaning))


Matches = list[ProcedureMatch]


def ranked(fits: Sequence[tuple[Memory, float]]) -> Matches:
    """The procedures that fit, the most promising first.

    One that fits far less than the best is left out, however well it has worked.

    Args:
        fits: procedures, each with its `fit`.
    """
    best = max((fit for _, fit in fits), default=0.0)
    matches = []
    for memory, fit in fits:
        if fit > 0 and fit >= LEAST_SHARE * best:
            successes, failures = outcomes(memory.details)
            matches.append(
                ProcedureMatch(
                    memory=memory,
                    fit=fit,
                    reliability=reliability(successes, failures),
                    successes=successes,
                    failures=failures,
                )
            )
    return sorted(matches, key=lambda match: (-match.fit * match.reliability, match.memory.id))


class Procedures:
    """The procedures of both stores."""

    def __init__(self, workspace: Workspace, memories: Memories, models: EmbeddingModels) -> None:
        self._workspace = workspace
        self._memories = memories
        self._models = models

    def add(
        self,
        task: str,
        steps: Sequence[str],
        *,
        description: str = "",
        preconditions: Sequence[str] = (),
        postconditions: Sequence[str] = (),
        tags: Iterable[str] = (),
        files: Iterable[str] = (),
        priority: int | None = None,
        scope: Scope | None = None,
        actor: Actor = "person",
    ) -> Memory:
        """Store how a task is done, step by step; storing the same again reinforces it.

        Args:
            task: what it is for, in one line.
            description: more about it, written before the steps.
            preconditions: what must hold before the first step.
            postconditions: what holds after the last.

        Raises:
            UsageError: there is no step, or a value is out of range.
        """
        config = self._workspace.config
        title = checks.line(task, config)
        plan = procedure_plan.ProcedurePlan(
            steps=checks.lines(steps, config),
            preconditions=checks.lines(preconditions, config),
            postconditions=checks.lines(postconditions, config),
        )
        if not title or not plan.steps:
            raise UsageError("A procedure needs a task and at least one step. Nothing was changed.")
        # Secrets go first, before anything is compared or made of the words.
        lead = cleaning.redacted(description, config) or title
        priority = config.kinds.get(PROCEDURE).priority if priority is None else priority
        words = checks.checked_values(
            procedure_plan.content(lead, plan), PROCEDURE, priority, CONFIDENCE, config
        )
        store, now = self._workspace.store(scope), self._workspace.clock()
        memory = Memory(
            id=str(uuid.uuid4()),
            content=words,
            title=title,
            kind=PROCEDURE,
            scope=store.scope,
            tags=checks.checked_tags(tags, config),
            initial_confidence=CONFIDENCE,
            priority=priority,
            source=Source(rule=actor, time=now),
            context=here(self._workspace),
            globs=tuple(files),
            created=now,
            updated=now,
            reinforced=now,
            details=plan.lists,
        )
        with store.change("procedure", f"add the procedure “{title}”", actor) as change:
            stored = apply.store_or_reinforce(store, change, memory)
        return store.memory(stored)

    def list(self, *, scope: Where = "all", limit: int | None = None) -> Matches:
        """Every procedure, the most reliable first."""
        return ranked(
            [(memory, 1.0) for memory in self._memories.list(kinds=(PROCEDURE,), scope=scope)]
        )[:limit]

    def match(self, task: str, *, limit: int = 3, scope: Where = "all") -> Matches:
        """The procedures that fit a task, the most promising first; none rather than a wrong one.

        Args:
            task: what is to be done, in any words.

        Raises:
            UsageError: the task is empty.
        """
        if not text.content_words(task):
            raise UsageError(
                "The task is missing. Nothing was searched. Describe what is to be done."
            )
        embedder = self._models.embedder()
        if embedder is not None:
            self._models.embed_new(embedder, self._workspace.stores)
        fits = [
            (memory, fit(task, memory, cosine))
            for store in self._workspace.within(scope)
            for memory, cosine in _with_cosines(store, task, embedder)
        ]
        return ranked(twins.once(fits, lambda pair: pair[0]))[:limit]

    def outcome(
        self, name: str, success: bool, *, note: str = "", actor: Actor = "person"
    ) -> Memory:
        """Count how following a procedure ended; a success resets its decay.

        Args:
            note: what happened, in words; stored as a linked entry of the log.

        Raises:
            NotFound: there is none of this id.
            UsageError: it is not a procedure.
        """
        ((store, full),) = self._workspace.find(name)
        memory = store.memory(full)
        if memory.kind != PROCEDURE:
            raise UsageError(f"“{memory.title}” is not a procedure. Nothing was changed.")
        key, word = ("successes", "success") if success else ("failures", "failure")
        args = (self._workspace, store.scope, note)
        entry = episode(*args, outcome=word, actor=actor) if note.strip() else None
        with store.change("outcome", f"note a {word} of “{memory.title}”", actor) as change:
            details = store.memory(full).details  # as they are now that the store is locked
            successes, failures = outcomes(details)
            counts = {"successes": successes, "failures": failures}
            columns: rows.Row = {
                "details": rows.dumps({**details, **counts, key: counts[key] + 1}),
                "updated": change.time,
            }
            if success:
                columns["reinforced"] = change.time
            change.update("memory", full, columns)
            if entry is not None:
                append(change, entry, [full])
        return store.memory(full)


def _with_cosines(
    store: Store, task: str, embedder: Embedder | None
) -> list[tuple[Memory, float | None]]:
    """The active procedures of a store with their cosine to the task: of the whole or the title.

    A long procedure about one task among others is closer by its title alone; only the titles of
    the most similar ones are embedded, since each takes some milliseconds.
    """
    memories = memory_lookup.in_force(store, PROCEDURE)
    if embedder is None:
        return [(memory, None) for memory in memories]
    query = embedder.query(task).vector
    numbers = memory_lookup.numbers_of(store, [memory.id for memory in memories])
    matrix = vector_search.matrix(store, embedder.name, embedder.dimension)
    by_number = matrix.search(query).of(list(numbers.values()))
    cosines = {memory.id: by_number.get(numbers[memory.id], 0.0) for memory in memories}
    for memory in sorted(memories, key=lambda memory: -cosines[memory.id])[:MOST_TITLES]:
        of_title = float(embedder.encode(memory.title).vector @ query)
        cosines[memory.id] = max(cosines[memory.id], of_title)
    return [(memory, cosines[memory.id]) for memory in memories]

"""The verbs that look things up: recall, show, details, about, timeline, neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from cortex_core import graph, text
from cortex_core.code_index import refresh
from cortex_core.curation import lifecycle
from cortex_core.errors import CortexError
from cortex_core.memory import Memory, Neighbour, Status, Where
from cortex_core.recall import search, standing
from cortex_core.reports.detail import Detail
from cortex_core.results import Recall
from cortex_core.verbs.listing import Listing, Memories
from cortex_core.verbs.state import State

Neighbours = list[Neighbour]


class Reading(State, Listing):
    """Looking things up; nothing here changes a memory, except that recall counts accesses."""

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[str] = (),
        scope: Where = "all",
        tags: Iterable[str] = (),
        statuses: Sequence[Status] = ("active",),
        branch: str | None = None,
        file: str | None = None,
        since: str | float | None = None,
        until: str | float | None = None,
        mode: Literal["hybrid", "keyword", "semantic"] = "hybrid",
        count: bool = True,
    ) -> Recall:
        """The memories that answer `query` best, with their scores explained.

        Args:
            limit: most hits.
            mode: `hybrid` uses words and meaning; without a model it falls back to words and
                says so in `degraded`.
            count: whether this counts as an access of the hits.
        """
        embedder = None if mode == "keyword" else self.embedder()
        if embedder is not None:
            self.embed_arrivals(embedder)
        found = search.search(
            self._within(scope), text.clean(query), limit=limit, mode=mode,
            filters=self.filters(kinds, tags, statuses, branch, file, since, until),
            embedder=embedder,
            unavailable=self.model_problem(),
            around=search.Around(branch=self.project.branch, file=file or ""),
        )  # fmt: skip
        if count:
            self._count([hit.memory for hit in found.hits])
        hits = tuple(refresh.flag_hit(hit, self.project.root) for hit in found.hits)
        return replace(found, hits=hits)

    def show(self, name: str) -> Memory:
        """One memory with its sources.

        Raises:
            NotFound: there is none of this id.
        """
        return refresh.flagged(self.get(name), self.project.root)

    def details(self, name: str) -> Detail:
        """Everything about one memory."""
        ((store, full),) = self.find(name)
        memory = store.memory(full)
        central = store.centrality([full]).get(full, 0.0)
        return Detail(
            memory=refresh.flagged(memory, self.project.root), edges=graph.edges(store, full),
            history=tuple(store.log(50, full)),
            receipts=tuple(self._receipts(store, "WHERE memory = ?", (full,))),
            standing=standing.parts(
                confidence=memory.confidence, priority=memory.priority, centrality=central,
                access_count=memory.access_count, max_log=store.max_log,
                same_branch=bool(memory.context.branch)
                and memory.context.branch == self.project.branch,
            ),
            fades=lifecycle.fades(memory, central, self.config),
        )  # fmt: skip

    def about(self, topic: str, limit: int = 20) -> Recall:
        """Everything known about a topic: a wider recall, archived memories included."""
        return self.recall(topic, limit=limit, statuses=("active", "archived"))

    def timeline(self, name: str, count: int = 5) -> Memories:
        """The `count` memories learned before and after a memory, and itself, oldest first."""
        ((store, full),) = self.find(name)
        memory = store.memory(full)
        at = (memory.created, full)
        before = store.select(
            "WHERE (m.created, m.id) < (?, ?) ORDER BY m.created DESC, m.id DESC LIMIT ?",
            (*at, count),
        )
        after = store.select(
            "WHERE (m.created, m.id) > (?, ?) ORDER BY m.created, m.id LIMIT ?", (*at, count)
        )
        return [*reversed(before), memory, *after]

    def neighbours(self, name: str, depth: int = 1) -> Neighbours:
        """The memories reached over edges in at most `depth` steps."""
        ((store, full),) = self.find(name)
        return graph.neighbours(store, full, depth)

    def _count(self, memories: Iterable[Memory]) -> None:
        """Count accesses; a failure here never costs the answer."""
        listed = list(memories)
        for store in self.stores:
            try:
                store.touch([memory.id for memory in listed if memory.scope == store.scope])
            except CortexError:
                continue

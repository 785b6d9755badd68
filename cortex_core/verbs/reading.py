"""The verbs that only read: recall, show, list, timeline, neighbours, status."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, get_args

from cortex_core import decay, graph, text
from cortex_core.capture import spool
from cortex_core.code_index import refresh
from cortex_core.curation import lifecycle
from cortex_core.errors import CortexError, UsageError
from cortex_core.memory import (
    SCOPES,
    STATUSES,
    LedgerEntry,
    Memory,
    Neighbour,
    Recall,
    Receipt,
    Scope,
)
from cortex_core.memory import Status as MemoryStatus
from cortex_core.recall import finder, search, standing
from cortex_core.recall.filters import Filters
from cortex_core.reports import Detail, Status
from cortex_core.storage import ledger, vectors
from cortex_core.storage.store import CHUNK, Store
from cortex_core.surface import trust
from cortex_core.verbs.listing import Listing
from cortex_core.verbs.upkeep import Upkeep

Where = Scope | Literal["all"]
Sort = Literal[
    "updated", "created", "priority", "title", "kind", "access", "standing", "confidence"
]
Key = tuple[Scope, int]
"""A memory's store and row number."""

Keys = list[Key]
Memories = list[Memory]
Neighbours = list[Neighbour]
Entries = list[LedgerEntry]
Receipts = list[Receipt]

_ORDER: dict[str, str] = {
    "updated": "m.updated DESC", "created": "m.created DESC", "priority": "m.priority DESC",
    "title": "m.title COLLATE NOCASE", "kind": "m.kind", "access": "m.access_count DESC",
}  # fmt: skip

WEEK = 7 * decay.DAY
MONTH = 30 * decay.DAY


class Reading(Upkeep, Listing):
    """Looking things up; nothing here changes a memory, except that recall counts accesses."""

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[str] = (),
        scope: Where = "all",
        tags: Iterable[str] = (),
        statuses: Sequence[MemoryStatus] = ("active",),
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

    def filters(
        self,
        kinds: Iterable[str] = (),
        tags: Iterable[str] = (),
        statuses: Sequence[MemoryStatus] = ("active",),
        branch: str | None = None,
        file: str | None = None,
        since: str | float | None = None,
        until: str | float | None = None,
    ) -> Filters:
        """Checked filters.

        Raises:
            UsageError: an unknown kind, status or time.
        """
        now = self.clock()
        for status in statuses:
            if status not in STATUSES:
                raise UsageError(f"“{status}” is no status. Statuses: {', '.join(STATUSES)}.")
        return Filters(
            kinds=tuple(self.config.kinds.get(kind).name for kind in kinds), tags=tuple(tags),
            statuses=tuple(statuses), branch=branch, file=file,
            since=None if since is None else text.parse_time(since, now),
            until=None if until is None else text.parse_time(until, now),
        )  # fmt: skip

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

    def list(
        self,
        *,
        kinds: Iterable[str] = (),
        scope: Where = "all",
        statuses: Sequence[MemoryStatus] = ("active",),
        tags: Iterable[str] = (),
        branch: str | None = None,
        file: str | None = None,
        since: str | float | None = None,
        until: str | float | None = None,
        sort: Sort = "updated",
        limit: int | None = None,
    ) -> Memories:
        """Memories by filter, in the order asked for."""
        chosen = self.filters(kinds, tags, statuses, branch, file, since, until)
        keys = self.index(filters=chosen, scope=scope, sort=sort)
        return self.rows(keys if limit is None else keys[:limit])

    def index(
        self, *, filters: Filters | None = None, scope: Where = "all", sort: Sort = "updated"
    ) -> Keys:
        """Store and number of every memory that passes, in order: what a long list is made of."""
        if sort == "standing" or sort == "confidence":
            return self.by_worth(self._within(scope), filters or Filters(), sort)
        if sort not in _ORDER:
            raise UsageError(f"“{sort}” is no order. Orders: {', '.join(get_args(Sort))}.")
        where, values = (filters or Filters()).where()
        found = f"FROM memory m WHERE {where} ORDER BY {_ORDER[sort]}, m.number DESC"
        stores = [
            store
            for store in self._within(scope)
            if store.rows(f"SELECT 1 FROM memory m WHERE {where} LIMIT 1", values)
        ]
        columns = ["number"] if len(stores) < 2 else ["number", _ORDER[sort].split()[0][2:]]
        read = [(store.scope, _columns(store, columns, found, values)) for store in stores]
        keys: Keys = []
        for scope, lists in read:
            keys += zip(repeat(scope), lists[0], strict=False)
        if len(stores) < 2:
            return keys
        ranks = (_folded(rank) for _, lists in read for rank in lists[1])
        pairs = sorted(zip(ranks, keys, strict=True), key=itemgetter(0),
                       reverse=_ORDER[sort].endswith("DESC"))  # fmt: skip
        return [key for _, key in pairs]

    def rows(self, keys: Sequence[Key]) -> Memories:
        """The memories behind `keys`, in order; those gone meanwhile are left out."""
        found: dict[Key, Memory] = {}
        for store in self.stores:
            mine = [number for scope, number in keys if scope == store.scope]
            for start in range(0, len(mine), CHUNK):
                part = mine[start : start + CHUNK]
                marks = ",".join("?" * len(part))
                numbered = dict(
                    store.rows(f"SELECT id, number FROM memory WHERE number IN ({marks})", part)
                )
                for memory in store.memories(list(numbered)):
                    found[store.scope, numbered[memory.id]] = memory
        return refresh.flag_all((found[key] for key in keys if key in found), self.project.root)

    def search_ids(self, typed: str) -> tuple[Keys, dict[str, str]]:
        """The memories that hold every typed word, best first, and how misspelt ones were read."""
        keys: Keys = []
        corrected: dict[str, str] = {}
        for store in self.stores:
            found = finder.find(store, text.clean(typed))
            keys += zip(repeat(store.scope), found.numbers, strict=False)
            corrected.update(found.corrected)
        return keys, corrected

    def keys_of(self, ids: Sequence[str]) -> Keys:
        """Store and number of the memories called `ids`; unknown ones are left out."""
        found: dict[str, Key] = {}
        for store in self.stores:
            for start in range(0, len(ids), CHUNK):
                part = ids[start : start + CHUNK]
                for name, number in store.rows(
                    f"SELECT id, number FROM memory WHERE id IN ({','.join('?' * len(part))})", part
                ):
                    found[name] = (store.scope, number)
        return [found[name] for name in ids if name in found]

    def recent(self, count: int = 10) -> Memories:
        """The newest memories."""
        return self.list(sort="created", limit=count)

    def about(self, topic: str, limit: int = 20) -> Recall:
        """Everything known about a topic: a wider recall, archived memories included."""
        return self.recall(topic, limit=limit, statuses=("active", "archived"))

    def decisions(self, limit: int | None = None) -> Memories:
        """Every decision, newest first."""
        return self.list(kinds=("decision",), sort="created", limit=limit)

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

    def ledger(self, limit: int = 20) -> Entries:
        """The newest hook firings and captures, newest first."""
        found = [entry for store in self.stores for entry in ledger.entries(store, limit)]
        return sorted(found, key=lambda entry: entry.time, reverse=True)[:limit]

    def status(self) -> Status:
        """How this project's memory is doing."""
        counts: Counter[str] = Counter()
        kinds: Counter[str] = Counter()
        sessions: set[str] = set()
        captured: set[str] = set()
        spent = 0.0
        pending = review = failures = 0
        for store in self.stores:
            for status, kind, number in store.rows(
                "SELECT status, kind, count(*) FROM memory GROUP BY status, kind"
            ):
                counts[status] += number
                kinds[kind] += number if status == "active" else 0
            pending += vectors.waiting(store, self.model_tag())
            review += store.rows("SELECT count(*) FROM proposal WHERE status = 'open'")[0][0]
            failures += ledger.failures(store, self.clock() - WEEK)
            seen, read = ledger.sessions(store, self.clock() - MONTH)
            sessions |= seen
            captured |= read
            spent += ledger.cost(store, _midnight(self.clock()))
        captures = [entry for store in self.stores for entry in ledger.captures(store, 1)]
        return Status(
            project=self.project.name, root=self.project.root or "", branch=self.project.branch,
            stores={store.scope: str(store.path) for store in self.stores}, counts=dict(counts),
            kinds={kind: number for kind, number in kinds.items() if number}, to_review=review,
            pending_embeddings=pending, queue=spool.waiting(self.project),
            last_capture=max(captures, key=lambda entry: entry.time, default=None),
            failures=failures, sessions=len(sessions), captured=len(captured), spent=spent,
            extractor=self.model_settings().get("extractor"), daily_cap=self.spending().cap,
            spent_everywhere=self.spending().today(), for_model=len(self.waiting_for_model()),
            paused=self.paused, trusted=self.trusted,
            degraded=tuple(self._degraded(pending)),
        )  # fmt: skip

    @property
    def paused(self) -> bool:
        """Whether capture is paused here."""
        return Path(self.project.data, "paused").exists()

    @property
    def trusted(self) -> bool:
        """Whether this user's Cortex created the project's store, or a person trusted it."""
        store = self.existing("project")
        return store is None or trust.trusted(self.project, store.identity)

    def receipts(self, session: str | None = None, limit: int = 100) -> Receipts:
        """What was given to Claude, newest first; of one session if `session` is given."""
        tail = ("", ()) if session is None else ("WHERE session = ?", (session,))
        found = [one for store in self.stores for one in self._receipts(store, *tail)]
        return sorted(found, key=lambda one: one.time, reverse=True)[:limit]

    def _receipts(self, store: Store, where: str, values: Sequence[object]) -> Receipts:
        return [
            Receipt(
                session=session, event=event, memory=memory, time=time, tokens=tokens,
                used=None if used is None else bool(used), evidence=evidence,
            )
            for session, event, memory, time, tokens, used, evidence in store.rows(
                "SELECT session, event, memory, time, tokens, used, evidence FROM receipt "
                f"{where} ORDER BY time DESC LIMIT 1000",
                values,
            )
        ]  # fmt: skip

    def _within(self, scope: Where) -> tuple[Store, ...]:
        if scope not in (*SCOPES, "all"):
            raise UsageError(f"“{scope}” is none of project, global, all. Nothing was changed.")
        return tuple(store for store in self.stores if scope in ("all", store.scope))

    def _count(self, memories: Iterable[Memory]) -> None:
        """Count accesses; a failure here never costs the answer."""
        listed = list(memories)
        for store in self.stores:
            try:
                store.touch([memory.id for memory in listed if memory.scope == store.scope])
            except CortexError:
                continue

    def _degraded(self, pending: int) -> Iterable[str]:
        if trouble := self.language_model_trouble():
            yield trouble
        if problem := self.model_problem():
            yield problem
        elif pending:
            yield f"{pending:,} memories wait for their vector; they are found by words meanwhile."
        if not self.trusted:
            yield (
                "This store came from elsewhere and is not given to Claude. "
                "Look at it (cortex list), then: cortex trust."
            )
        if self.paused:
            yield "Capture is paused here. Go on with: cortex resume."


def _columns(
    store: Store, names: Sequence[str], found: str, values: Sequence[Any]
) -> list[list[Any]]:
    """Some columns of every row that is `found`, each in the rows' order.

    All come in one row, since a step of the database for each of 100,000 takes three times as long.
    """
    lists = ", ".join(f"json_group_array({name})" for name in names)
    inner = ", ".join(f"m.{name}" for name in names)
    (listed,) = store.rows(f"SELECT {lists} FROM (SELECT {inner} {found})", values)
    return [json.loads(one) for one in listed]


def _folded(value: Any) -> Any:
    """What `value` is sorted by: text in any case."""
    return value.casefold() if isinstance(value, str) else value


def _midnight(now: float) -> float:
    """When the day of `now` began, where the person is."""
    day = time.localtime(now)
    return time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1))

"""Lists of memories, and everything known about one; nothing here changes what a memory says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, Unpack

from cortex_core.base import decay, text
from cortex_core.base.errors import CortexError, NotFound, UsageError
from cortex_core.base.kinds import CODE
from cortex_core.records.hits import WordHits
from cortex_core.records.memory import (
    NEWS,
    SORTS,
    STATUSES,
    Facets,
    FilterOptions,
    Key,
    Memory,
    MemoryList,
    NamedMemories,
    Sort,
    Status,
    Where,
)
from cortex_core.search import importance, stale_code
from cortex_core.search.finder import Filters, checked
from cortex_core.store import (
    edges,
    memory_counts,
    memory_lookup,
    ordering,
    receipt_rows,
    revisions,
    twins,
)

if TYPE_CHECKING:
    from cortex_core.archive.conversations import Conversations
    from cortex_core.records.changes import Revision
    from cortex_core.records.conversation import Turn
    from cortex_core.records.project_code import LinkedCode
    from cortex_core.records.upkeep import Detail
    from cortex_core.store.store import Store
    from cortex_core.store.workspace import Workspace
    from cortex_core.triggers.assigning import Triggers

    Conditions = list[tuple[Store, tuple[str, Sequence[Any]]]]
    """By store, a condition in SQL over `m` (memory), and its parameters."""
    Revisions = list[Revision]
    LinkedCodes = list[LinkedCode]

Keys = list[Key]

ComputedSort = Literal["confidence", "standing"]
"""Orders by values that depend on the time and on other memories: SQL cannot sort by them."""

MOST_NAMED, FEW_NAMED = 100, 3
"""Memories that words may mean; those only similar in meaning."""

LEAST_SIMILARITY, LEAST_UNREAD, LEAST_SHARE = 0.18, 0.28, 0.7
"""How similar a memory must be without the model: by itself, by itself to words that the model does
not know, and relative to the most similar one. Nineteen in twenty of the prompts in
benchmarks/prompts that a memory fits reach the first, few words without a sense the second."""

NEAR = 20
"""Blocks of a session that are shown on either side of a breach."""

_IN_IDS = frozenset("0123456789abcdef-")

_STALE = {"": "", "changed": "the file has changed", "gone": "the file is gone"}


class Memories:
    """Reads memories: lists of them, and everything known about one."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._archive: Conversations | None = None

    def get(self, name: str) -> Memory:
        """One memory with its sources, marked where the code it describes has changed.

        Raises:
            NotFound: there is none of this id.
        """
        return self._flagged([self._workspace.get(name)])[0]

    def filters(self, **options: Unpack[FilterOptions]) -> Filters:
        """Checked filters.

        Raises:
            UsageError: an unknown kind, status or time.
        """
        config, now = self._workspace.config, self._workspace.clock()
        return checked(config, now, **options)

    def list(
        self,
        *,
        scope: Where = "all",
        sort: Sort = "updated",
        limit: int | None = None,
        **filters: Unpack[FilterOptions],
    ) -> MemoryList:
        """See `Cortex.list`."""
        filters.setdefault("history", False)
        keys = self.index(filters=self.filters(**filters), scope=scope, sort=sort)
        return self.rows(keys if limit is None else keys[:limit])

    def index(
        self,
        *,
        filters: Filters | None = None,
        scope: Where = "all",
        sort: Sort = "updated",
        limit: int | None = None,
    ) -> Keys:
        """Store and number of every memory that passes, in order; `rows` reads the ones to show.

        What the team has as well as one of the user's own stores is listed once, as the user's own,
        unless the team's alone are asked for.

        Args:
            limit: most memories; None for all.
        """
        if sort == "standing" or sort == "confidence":
            within = self._workspace.within(scope)
            return self._by_computed(within, filters or Filters(), sort)[:limit]
        if sort not in ordering.ORDERS:
            raise UsageError(
                f"“{sort}” is not a sort order. Nothing was searched. Use one of: "
                f"{', '.join(SORTS)}."
            )
        asked = self._conditions(self._workspace.within(scope), filters or Filters())
        chosen = [(store, where) for store, where in asked if ordering.any_of(store, *where)]
        # One store is in order already; only the lists of several need merging.
        ranked = len(chosen) > 1
        lists = [
            (store.scope, ordering.ordered(store, *where, sort, limit, ranked=ranked))
            for store, where in chosen
        ]
        keys: Keys = []
        for scope, (numbers, _) in lists:
            keys += zip(repeat(scope), numbers, strict=False)
        if not ranked:
            return keys
        # Text is sorted regardless of case.
        ranks = (
            rank.casefold() if isinstance(rank, str) else rank
            for _, (_, listed) in lists
            for rank in listed
        )
        pairs = sorted(
            zip(ranks, keys, strict=True),
            key=itemgetter(0),
            reverse=ordering.ORDERS[sort][1] == "DESC",
        )
        return [key for _, key in pairs[:limit]]

    def rows(self, keys: Sequence[Key]) -> MemoryList:
        """The memories of `keys`, in order; those that are gone by now are left out."""
        by_key: dict[Key, Memory] = {}
        for store in self._workspace.stores:
            numbers = [number for scope, number in keys if scope == store.scope]
            for number, memory in memory_lookup.by_number(store, numbers).items():
                by_key[store.scope, number] = memory
        return self._flagged([by_key[key] for key in keys if key in by_key])

    def search_ids(
        self,
        typed: str,
        limit: int | None = None,
        passing: Container[Key] | None = None,
        *,
        scope: Where = "all",
    ) -> WordHits:
        """The memories that fit every typed word, best first; letters may be missing or swapped.

        Args:
            limit: how many are enough; fewer are faster; None: many.
            passing: those that `index` returned for a filter, the only ones returned; None for all.
        """
        from cortex_core.search import finder

        stores = self._workspace.within(scope)
        hits = finder.search(stores, text.clean(typed), limit or finder.MOST, passing)
        # The caller has left out twins, or there are none.
        if passing is not None or all(key[0] != "team" for key in hits.keys):
            return hits
        twice = {
            ("team", number)
            for store in stores
            if store.scope == "team"
            for number in twins.hidden(store, _own(stores))
        }
        return hits._replace(
            keys=[key for key in hits.keys if key not in twice], similar=hits.similar - twice
        )

    def named(
        self, name: str, statuses: Sequence[Status] = ("active",), *, scope: Where = "all"
    ) -> NamedMemories:
        """The memories that `name` may mean: by its id, or by words in any order.

        Letters may be missing or swapped, and where no word fits, memories similar in meaning are
        named; neither is certain, and neither is tried for what looks like an id.

        Args:
            statuses: of the memories that words may mean; others are meant only if none fits.
            scope: the store of the memories that words may mean.
        """
        with suppress(NotFound, UsageError):
            return NamedMemories(memories=(self.get(name),), certain=True)
        hits = self.search_ids(name, scope=scope)
        literal = not hits.corrected and not hits.similar
        # A mistyped id must not become another memory.
        if not literal and _IN_IDS.issuperset(name) and any(map(str.isdigit, name)):
            return NamedMemories(memories=())
        found = self.rows(hits.keys[:MOST_NAMED])
        meant = [memory for memory in found if memory.status in statuses] or found
        if not meant and len(name.split()) > 1:
            keys = self.similar_ids(name, limit=FEW_NAMED)
            return NamedMemories(
                memories=tuple(self.rows([key for key in keys if scope in ("all", key[0])]))
            )
        return NamedMemories(
            memories=tuple(meant), certain=len(meant) == 1 and literal, read=hits.corrected
        )

    def similar_ids(self, typed: str, *, filters: Filters | None = None, limit: int = 12) -> Keys:
        """The memories most similar in meaning to `typed`, best first, without loading the model.

        Empty where there are no vectors yet, or more than can be compared one by one.
        """
        from cortex_core.search import keyword, pool
        from cortex_core.surface.prompt_recall import ranking

        asked = self._conditions(self._workspace.stores, filters or Filters())
        similar: list[tuple[float, Key]] = []
        for store, where in asked:
            ranked = ranking.rank(store, text.clean(typed), allowed=pool.Allowed(*where))
            similar += [
                (one.cosine, (store.scope, one.number))
                for one in ranked.candidates
                if one.cosine is not None
            ]
        similar.sort(key=lambda pair: -pair[0])
        is_read = keyword.is_read(keyword.terms(text.clean(typed)))
        floor = LEAST_SIMILARITY if is_read else LEAST_UNREAD
        least = max(floor, LEAST_SHARE * similar[0][0]) if similar else 0.0
        return [key for cosine, key in similar[:limit] if cosine >= least]

    def keys_of(self, ids: Iterable[str]) -> dict[str, Key]:
        """Store and number of the memories called `ids`, in order; unknown ones are left out."""
        names = list(ids)
        keys = {
            name: (store.scope, number)
            for store in reversed(self._workspace.stores)
            for name, number in memory_lookup.numbers_of(store, names).items()
        }
        return {name: keys[name] for name in names if name in keys}

    @cached_property
    def triggers(self) -> Triggers:
        """The tool calls at which a memory is recalled, and what guards them."""
        from cortex_core.triggers.assigning import Triggers

        return Triggers(self._workspace)

    def decisions(
        self, limit: int | None = None, *, scope: Where = "all", **filters: Unpack[FilterOptions]
    ) -> MemoryList:
        """Every decision that passes the filters, newest first."""
        wanted = self.filters(**filters).kinds
        if wanted and "decision" not in wanted:
            return []
        filters["kinds"] = ("decision",)
        return self.list(sort="created", limit=limit, scope=scope, **filters)

    def timeline(self, name: str, count: int = 5) -> MemoryList:
        """A memory with the `count` learned before it and after it, oldest first."""
        ((store, full),) = self._workspace.find(name)
        return memory_lookup.around(store, store.memory(full), count)

    def facets(self, statuses: Sequence[Status] = STATUSES) -> Facets:
        """What memories can be filtered by, and the number of each value.

        Args:
            statuses: the memories to count; the counts by status always cover all.
        """
        # How many memories came from each of `NEWS` that nobody has seen here.
        stores = self._workspace.stores
        news = {
            new: sum(
                ordering.count_of(store, *where)
                for store, where in self._conditions(stores, Filters(new=new))
            )
            for new in NEWS
        }
        counts = {name: Counter[str]() for name in ("kind", "status", "scope", "branch", "tag")}
        for store in stores:
            counts["status"].update(memory_counts.by_status(store))
            for name in ("kind", "branch"):
                counts[name].update(memory_counts.by_value(store, name, statuses))
            for tags, times in memory_counts.tag_lists(store, statuses):
                counts["tag"].update(dict.fromkeys(tags, times))
            counts["scope"][store.scope] += memory_counts.of_statuses(store, statuses)
        return Facets(
            kinds=dict(counts["kind"].most_common()),
            tags=dict(counts["tag"].most_common()),
            statuses=dict(counts["status"].most_common()),
            scopes={name: times for name, times in counts["scope"].items() if times},
            branches=dict(counts["branch"].most_common()),
            new={new: number for new, number in news.items() if number},
        )

    def importances(self, memories: Sequence[Memory]) -> dict[str, float]:
        """The importance of each of `memories` by id, 0 to 1.1."""
        values: dict[str, float] = {}
        for store in self._workspace.stores:
            own = [memory for memory in memories if memory.scope == store.scope]
            central = store.centrality([memory.id for memory in own])
            most = store.max_log
            for memory in own:
                values[memory.id] = self._importance(
                    memory.confidence,
                    memory.priority,
                    central.get(memory.id, 0.0),
                    memory.access_count,
                    most,
                    memory.context.branch,
                )
        return values

    def given_lately(self, ids: Iterable[str], spans: int, days: int) -> dict[str, Sequence[int]]:
        """To how many sessions each memory was given in each of the last `spans` of so many days,
        the oldest first; one that was not given is left out."""
        names, span = list(ids), days * decay.DAY
        found: dict[str, Any] = {}
        for store in self._workspace.own_stores:
            for memory, at, sessions in receipt_rows.counted(
                store, names, self._workspace.clock() - spans * span, span
            ):
                found.setdefault(memory, [0] * spans)[min(at, spans - 1)] += sessions
        return found

    def details(self, name: str) -> Detail:
        """Everything about one memory."""
        from cortex_core.records.upkeep import Detail

        ((store, full),) = self._workspace.find(name)
        memory = store.memory(full)
        central = store.centrality([full]).get(full, 0.0)
        # Memories of a team do not fade here: the hub has them.
        is_own = store.scope != "team"
        return Detail(
            memory=self._flagged([memory])[0],
            edges=tuple(edges.touching(store, [full])),
            history=tuple(store.log(50, full)),
            receipts=tuple(receipt_rows.listed(store, memory=full)),
            importance=importance.parts(
                confidence=memory.confidence,
                priority=memory.priority,
                centrality=central,
                access_count=memory.access_count,
                max_log=store.max_log,
                same_branch=bool(memory.context.branch)
                and memory.context.branch == self._workspace.branch,
            ),
            most_importance=importance.MOST,
            fades=importance.fades(memory, central, self._workspace.config) if is_own else None,
        )

    def revisions(self, name: str, limit: int = 50) -> Revisions:
        """The newest changes of a memory with its values before and after, newest first."""
        ((store, full),) = self._workspace.find(name)
        return revisions.of_memory(store, full, limit)

    def turn_of(self, name: str, index: int = 0, around: int = 1, *, breach: int = 0) -> Turn:
        """The turn of a session that a memory came from, without secrets.

        Args:
            index: which of its sources, counted from 0.
            around: how many turns before and after it.
            breach: the turn in which the rule was broken instead, as `triggers.keeping.breaches`
                counts them; of a long one, the part around it.

        Raises:
            NotFound: it came from no session, or the archive does not have that; or there is no
                such breach.
        """
        from cortex_core.archive import provenance
        from cortex_core.archive.conversations import Conversations

        memory = self._workspace.get(name)
        sources = memory.sources or (memory.source,)
        if breach:
            sources, index = (self.triggers.keeping.source_of(name, breach),), 0
        if not 0 <= index < len(sources):
            raise NotFound(
                f"This memory has {len(sources)} sources, so there is no source {index + 1}."
            )
        self._archive = self._archive or Conversations(self._workspace)
        turn = provenance.turn_of(sources[index], self._archive, around)
        if not breach:
            return turn
        # A breach may be one of hundreds of calls in its turn.
        here = next((number for number, said in enumerate(turn.said) if said.here), 0)
        return replace(turn, said=turn.said[max(0, here - NEAR) : here + NEAR])

    def code_of(self, name: str) -> LinkedCodes:
        """The source code that a memory describes or is; most have none."""
        ((store, full),) = self._workspace.find(name)
        memory = store.memory(full)
        code = [memory] if memory.kind == CODE else []
        code += [
            neighbour.memory
            for neighbour in edges.links(store, full)
            if neighbour.edge.type == "source_of" and neighbour.memory.kind == CODE
        ]
        return [self._linked(each) for each in code]

    def record_view(self, name: str) -> Memory:
        """Return a memory that a user looks at. The look is counted and changes nothing else.

        It is not counted where the store cannot be written now: a look never waits for a lock.
        """
        ((store, full),) = self._workspace.find(name)
        with suppress(CortexError), store.without_waiting():
            store.count_looks([full])
        return store.memory(full)

    def _by_computed(self, stores: Sequence[Store], filters: Filters, sort: ComputedSort) -> Keys:
        """The memories of `stores` that pass, the highest confidence or importance first."""
        ranked: list[tuple[float, Key]] = []
        for store, where in self._conditions(stores, filters):
            max_log = store.max_log
            for row, central, value in ordering.weighed(store, *where):
                if sort == "standing":
                    value = self._importance(
                        value,
                        row["priority"],
                        central,
                        row["access_count"],
                        max_log,
                        row["branch"],
                    )
                ranked.append((value, (store.scope, row[0])))
        ranked.sort(key=lambda pair: (-pair[0], -pair[1][1]))
        return [key for _, key in ranked]

    def _conditions(self, stores: Sequence[Store], filters: Filters) -> Conditions:
        """The condition for what `filters` let pass, by store; in the team's for what none
        of the user's own of `stores` has too."""
        where, values = filters.where()
        found: Conditions = []
        for store in stores:
            own = _own(stores) if store.scope == "team" else ()
            twice = twins.hidden(store, own, where, values)
            found.append((store, ordering.but_for(twice, where, values)))
        return found

    def _flagged(self, memories: Sequence[Memory]) -> MemoryList:
        """The memories, with `stale` among their details where the file that they are of has
        changed, and `shared` where the team has them too."""
        root, store = self._workspace.project.root, self._workspace.existing("team")
        found = [stale_code.flagged(memory, root) for memory in memories]
        own = [one for one in found if one.scope != "team" and one.status == "active"]
        if store is None or not own:
            return found
        shared = twins.shared(store, own)
        return [
            replace(one, details={**one.details, "shared": shared[one.id]})
            if one.scope != "team" and one.id in shared
            else one
            for one in found
        ]

    def _linked(self, code: Memory) -> LinkedCode:
        from cortex_core.records.project_code import LinkedCode

        details = code.details
        path = details.get("path") or next(iter(code.context.files or code.globs), "")
        lines = details.get("lines")
        first = lines[0] if isinstance(lines, list | tuple) and lines else 1
        stale = _STALE[stale_code.staleness(code, self._workspace.project.root)]
        return LinkedCode(
            memory=code,
            path=str(path),
            first=first if isinstance(first, int) else 1,
            stale="superseded by a newer reading" if code.status == "superseded" else stale,
        )

    def _importance(
        self,
        confidence: float,
        priority: int,
        centrality: float,
        access_count: int,
        max_log: float,
        branch: str,
    ) -> float:
        here = bool(branch) and branch == self._workspace.branch
        return importance.score(
            confidence, priority, centrality, access_count, max_log, same_branch=here
        )


def _own(stores: Iterable[Store]) -> list[Store]:
    return [store for store in stores if store.scope != "team"]

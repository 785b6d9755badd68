"""The verbs that list: memories by filter and order, by their words, by store and number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, get_args

from cortex_core import text
from cortex_core.code_index import refresh
from cortex_core.errors import UsageError
from cortex_core.memory import SCOPES, STATUSES, Key, Memory, Sort, Where
from cortex_core.memory import Status as MemoryStatus
from cortex_core.recall import finder
from cortex_core.recall.filters import Filters
from cortex_core.reports.lists import WordHits
from cortex_core.storage.reader import CHUNK
from cortex_core.storage.store import Store
from cortex_core.verbs.weighing import Weighing

Keys = list[Key]
Memories = list[Memory]

_ORDER: dict[str, str] = {
    "updated": "m.updated DESC", "created": "m.created DESC", "priority": "m.priority DESC",
    "title": "m.title COLLATE NOCASE", "kind": "m.kind", "access": "m.access_count DESC",
}  # fmt: skip


class Listing(Weighing):
    """Lists of memories; nothing here changes anything."""

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
        self,
        *,
        filters: Filters | None = None,
        scope: Where = "all",
        sort: Sort = "updated",
        limit: int | None = None,
    ) -> Keys:
        """Store and number of every memory that passes, in order: what a long list is made of.

        Args:
            limit: most memories; None for all.
        """
        if sort == "standing" or sort == "confidence":
            return self.by_worth(self._within(scope), filters or Filters(), sort)[:limit]
        if sort not in _ORDER:
            raise UsageError(f"“{sort}” is no order. Orders: {', '.join(get_args(Sort))}.")
        where, values = (filters or Filters()).where()
        found = f"FROM memory m WHERE {where}"
        stores = [
            store
            for store in self._within(scope)
            if store.rows(f"SELECT 1 {found} LIMIT 1", values)
        ]
        found += f" ORDER BY {_ORDER[sort]}, m.number DESC LIMIT ?"
        values.append(-1 if limit is None else limit)
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
        return [key for _, key in pairs[:limit]]

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

    def search_ids(self, typed: str, limit: int = finder.MOST) -> WordHits:
        """The memories that hold every typed word, best first.

        Args:
            limit: about how many of each store are enough; fewer come faster.
        """
        keys: Keys = []
        corrected: dict[str, str] = {}
        for store in self.stores:
            found = finder.find(store, text.clean(typed), limit)
            keys += zip(repeat(store.scope), found.numbers, strict=False)
            corrected.update(found.corrected)
            if not found.complete:
                return WordHits(keys, corrected, complete=False)
        return WordHits(keys, corrected)

    def keys_of(self, ids: Iterable[str]) -> dict[str, Key]:
        """Store and number of the memories called `ids`, in order; unknown ones are left out."""
        names = json.dumps(list(ids))
        found = {
            name: (store.scope, number)
            for store in self.stores
            for name, number in store.rows(
                "SELECT m.id, m.number FROM json_each(?) j JOIN memory m ON m.id = j.value",
                (names,),
            )
        }
        return {name: found[name] for name in json.loads(names) if name in found}

    def recent(self, count: int = 10) -> Memories:
        """The newest memories."""
        return self.list(sort="created", limit=count)

    def decisions(self, limit: int | None = None) -> Memories:
        """Every decision, newest first."""
        return self.list(kinds=("decision",), sort="created", limit=limit)

    def _within(self, scope: Where) -> tuple[Store, ...]:
        if scope not in (*SCOPES, "all"):
            raise UsageError(f"“{scope}” is none of project, global, all. Nothing was changed.")
        return tuple(store for store in self.stores if scope in ("all", store.scope))


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

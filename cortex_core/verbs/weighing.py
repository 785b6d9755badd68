"""What lists rank and filter by: how much each memory matters, what there is of each, what is near
without the model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from cortex_core import decay, text
from cortex_core.memory import STATUSES, Key, Memory, Status
from cortex_core.recall import model_free, pool, standing
from cortex_core.recall.filters import Filters
from cortex_core.reports.state import Facets
from cortex_core.storage.store import Store
from cortex_core.verbs.base import Base

Worth = Literal["confidence", "standing"]

NEAR_FLOOR, NEAR_SHARE = 0.15, 0.7
"""How alike a memory must be: by itself, and beside the nearest one."""

_WORTH = """
SELECT m.number, m.id, m.initial_confidence, m.reinforced, m.kind, m.access_count, m.pinned,
    m.priority, m.branch
FROM memory m WHERE """


class Weighing(Base):
    """Numbers and names for lists; nothing here changes anything."""

    def standings(self, memories: Sequence[Memory]) -> dict[str, float]:
        """How much each of `memories` matters apart from any query, by id, 0 to 1.1."""
        made: dict[str, float] = {}
        for store in self.stores:
            mine = [memory for memory in memories if memory.scope == store.scope]
            central = store.centrality([memory.id for memory in mine])
            most = store.max_log
            for memory in mine:
                made[memory.id] = self._standing(
                    memory.confidence, memory.priority, central.get(memory.id, 0.0),
                    memory.access_count, most, memory.context.branch,
                )  # fmt: skip
        return made

    def facets(self, statuses: Sequence[Status] = STATUSES) -> Facets:
        """By what memories can be told apart, and how many there are of each.

        Args:
            statuses: only memories of these count, except for how many there are of each status.
        """
        counted = {name: Counter[str]() for name in ("kind", "status", "scope", "branch", "tag")}
        passing = f"status IN ({','.join('?' * len(statuses))})"
        for store in self.stores:
            counted["status"].update(dict(store.rows(
                "SELECT status, count(*) FROM memory GROUP BY status"
            )))  # fmt: skip
            for name in ("kind", "branch"):
                counted[name].update(dict(store.rows(
                    f"SELECT {name}, count(*) FROM memory WHERE {name} <> '' AND {passing} "
                    f"GROUP BY {name}", statuses,
                )))  # fmt: skip
            for tags, times in store.rows(
                f"SELECT tags, count(*) FROM memory WHERE tags <> '[]' AND {passing} GROUP BY tags",
                statuses,
            ):
                counted["tag"].update(dict.fromkeys(json.loads(tags), times))
            counted["scope"][store.scope] += sum(
                count
                for (count,) in store.rows(f"SELECT count(*) FROM memory WHERE {passing}", statuses)
            )
        return Facets(
            kinds=dict(counted["kind"].most_common()), tags=dict(counted["tag"].most_common()),
            statuses=dict(counted["status"].most_common()),
            scopes={name: times for name, times in counted["scope"].items() if times},
            branches=dict(counted["branch"].most_common()),
        )  # fmt: skip

    def near_ids(self, typed: str, *, filters: Filters | None = None, limit: int = 12) -> list[Key]:
        """The memories nearest by meaning to `typed`, best first, without loading the model.

        Empty where no vectors are there yet, or more of them than can be looked at one by one.
        """
        where, values = (filters or Filters()).where()
        found: list[tuple[float, Key]] = []
        for store in self.stores:
            ranked = model_free.rank(
                store, text.clean(typed), database=str(store.path), scope=store.scope,
                identity=store.identity, allowed=pool.Allowed(where, values),
            )  # fmt: skip
            found += [
                (one.candidate.cosine, (store.scope, one.number))
                for one in ranked.scores
                if one.candidate.cosine is not None
            ]
        found.sort(key=lambda pair: -pair[0])
        least = max(NEAR_FLOOR, NEAR_SHARE * found[0][0]) if found else 0.0
        return [key for alike, key in found[:limit] if alike >= least]

    def by_worth(self, stores: Sequence[Store], filters: Filters, sort: Worth) -> list[Key]:
        """The memories of `stores` that pass, those that are surest or matter most first."""
        where, values = filters.where()
        ranked: list[tuple[float, Key]] = []
        now = self.clock()
        for store in stores:
            most = store.max_log
            found = store.rows(_WORTH + where, values)
            central = store.centrality([row[1] for row in found])
            for number, name, initial, reinforced, kind, read, pinned, priority, branch in found:
                hub = central.get(name, 0.0)
                sure = decay.confidence(
                    initial, reinforced, now, self.config.kinds.pace(kind), priority=priority,
                    access_count=read, centrality=hub, pinned=bool(pinned),
                )  # fmt: skip
                worth = (
                    sure
                    if sort == "confidence"
                    else self._standing(sure, priority, hub, read, most, branch)
                )
                ranked.append((worth, (store.scope, number)))
        ranked.sort(key=lambda pair: (-pair[0], -pair[1][1]))
        return [key for _, key in ranked]

    def _standing(
        self, sure: float, priority: int, hub: float, read: int, most: float, branch: str
    ) -> float:
        here = bool(branch) and branch == self.project.branch
        return standing.standing(sure, priority, hub, read, most, same_branch=here)

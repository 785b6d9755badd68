"""Which rows a question has: by filters and words, by meaning, all of them or the first at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

from cortex_core.memory import Key, Sort, Status, Where
from cortex_core.reports.lists import WordHits
from cortex_tui.queries import Chip, ListQuery, ListResult, Meaning, Revision, with_kept

if TYPE_CHECKING:
    from cortex_core import Cortex

NEAREST = 12
"""Most rows that join a search by meaning."""
NEAR_FLOOR, NEAR_SHARE = 0.08, 0.6
"""What a row's meaning must count to join: by itself, and beside the nearest one's."""
PAGE = 60
"""Memories read before the screen knows how many it can show."""
HEAD = 500
"""Rows that are enough for a first answer."""


class FilterArguments(TypedDict):
    """Filters as the facade takes them."""

    kinds: Sequence[str]
    tags: Sequence[str]
    statuses: Sequence[Status]
    branch: str | None
    file: str | None
    since: str | None
    until: str | None


class Index:
    """Every row that passes some filters in one order, as of one revision."""

    def __init__(self, of: tuple[Revision, tuple[Chip, ...], Sort], order: Sequence[Key]) -> None:
        self.of = of
        self.order = order

    @cached_property
    def members(self) -> frozenset[Key]:
        """The same rows, for looking one up."""
        return frozenset(self.order)


class Finder:
    """Finds rows in open stores; keeps the last index."""

    def __init__(self, cortex: Cortex) -> None:
        self._cortex = cortex
        self._index: Index | None = None

    def find(self, query: ListQuery, kept: Mapping[Key, Key | None]) -> ListResult:
        """Every row of `query`, and the `kept` ones, each behind the row that it follows."""
        index = self._all(query)
        if not query.words.strip():
            return _result(query, index, WordHits(index.order, {}), kept)
        return _result(query, index, self._cortex.memories.search_ids(query.words), kept)

    def first(self, query: ListQuery) -> ListResult:
        """The first rows of `query`, sooner than all; all where there are few."""
        if not query.words.strip():
            return self._head(query) or self.find(query, {})
        hits = self._cortex.memories.search_ids(query.words, HEAD)
        result = _result(query, self._all(query), hits, {})
        enough = hits.complete or len(result.order) >= PAGE
        return result if enough else self.find(query, {})

    def near(self, result: ListResult) -> Meaning:
        """What is nearest by meaning and not in `result` yet; loads the model if need be."""
        query = result.query
        found = self._cortex.recall(
            query.words, mode="semantic", limit=NEAREST, count=False, scope=_scope(query),
            **_asked(query),
        )  # fmt: skip
        nearest = max((hit.parts.semantic for hit in found), default=0.0)
        floor = max(NEAR_FLOOR, NEAR_SHARE * nearest)
        names = [hit.memory.id for hit in found if hit.parts.semantic >= floor]
        new = _others(self._cortex.memories.keys_of(names).values(), result)
        return Meaning(tuple(new), found.degraded)

    def nearly(self, result: ListResult) -> Meaning:
        """What is near by meaning at first sight, without the model; `near` sharpens it."""
        query, scope = result.query, _scope(result.query)
        filters = self._cortex.memories.filters(**_asked(query))
        found = self._cortex.memories.near_ids(query.words, filters=filters, limit=2 * NEAREST)
        new = _others((key for key in found if scope in ("all", key[0])), result)
        return Meaning(tuple(new[:NEAREST]), roughly=True)

    def _head(self, query: ListQuery) -> ListResult | None:
        """The first of all that pass; None where there are no more, or all are known already."""
        revision = self._cortex.workspace.revision()
        if self._known(query, revision) is not None:
            return None
        order = self._cortex.memories.index(
            filters=self._cortex.memories.filters(**_asked(query)), scope=_scope(query),
            sort=query.sort, limit=HEAD,
        )  # fmt: skip
        if len(order) < HEAD:
            return None
        return ListResult(query, order, len(order), revision, partial=True)

    def _all(self, query: ListQuery) -> Index:
        """Every row that passes the question's filters, in its order, read again after a change."""
        revision = self._cortex.workspace.revision()
        if (known := self._known(query, revision)) is not None:
            return known
        filters = self._cortex.memories.filters(**_asked(query))
        order = self._cortex.memories.index(filters=filters, scope=_scope(query), sort=query.sort)
        self._index = found = Index((revision, query.chips, query.sort), order)
        return found

    def _known(self, query: ListQuery, revision: Revision) -> Index | None:
        cached = self._index
        wanted = (revision, query.chips, query.sort)
        return cached if cached is not None and cached.of == wanted else None


def _result(
    query: ListQuery, index: Index, hits: WordHits, kept: Mapping[Key, Key | None]
) -> ListResult:
    """Those of `hits` that pass, and what is `kept`."""
    order = hits.keys
    if order is not index.order:
        order = list(filter(index.members.__contains__, order))
    lost = frozenset(kept).difference(order) if kept else frozenset()
    if lost:
        order = with_kept(order, {key: kept[key] for key in kept if key in lost})
    return ListResult(
        query, order, len(index.order), index.of[0], hits.corrected, kept=lost,
        partial=not hits.complete and not kept,
    )  # fmt: skip


def _others(keys: Iterable[Key], result: ListResult) -> list[Key]:
    """Those of `keys` that `result` does not hold."""
    known = set(result.order)
    return [key for key in keys if key not in known]


def _scope(query: ListQuery) -> Where:
    found = query.value("scope")
    return "all" if found is None else "global" if found == "global" else "project"


def _asked(query: ListQuery) -> FilterArguments:
    """What `query` asks of a memory besides its store, as the facade takes it."""
    return FilterArguments(
        kinds=query.values("kind"), tags=query.values("tag"), statuses=query.statuses,
        branch=query.value("branch"), file=query.value("file"),
        since=query.value("since"), until=query.value("until"),
    )  # fmt: skip

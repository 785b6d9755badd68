"""Which rows a question has: by filters and words, by meaning, all of them or the first at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

from cortex_core.memory import Key, Sort, Status, Where
from cortex_core.reports.lists import WordHits
from cortex_tui.answers import Answer, Chip, Meaning, Question, Revision, with_kept

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


class Asked(TypedDict):
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

    def find(self, question: Question, kept: Mapping[Key, Key | None]) -> Answer:
        """Every row of `question`, and the `kept` ones, each behind the row that it follows."""
        index = self._all(question)
        if not question.words.strip():
            return _answer(question, index, WordHits(index.order, {}), kept)
        return _answer(question, index, self._cortex.search_ids(question.words), kept)

    def first(self, question: Question) -> Answer:
        """The first rows of `question`, sooner than all; all where there are few."""
        if not question.words.strip():
            return self._head(question) or self.find(question, {})
        hits = self._cortex.search_ids(question.words, HEAD)
        answer = _answer(question, self._all(question), hits, {})
        enough = hits.complete or len(answer.order) >= PAGE
        return answer if enough else self.find(question, {})

    def near(self, answer: Answer) -> Meaning:
        """What is nearest by meaning and not in `answer` yet; loads the model if need be."""
        question = answer.question
        found = self._cortex.recall(
            question.words, mode="semantic", limit=NEAREST, count=False, scope=_scope(question),
            **_asked(question),
        )  # fmt: skip
        nearest = max((hit.parts.semantic for hit in found), default=0.0)
        floor = max(NEAR_FLOOR, NEAR_SHARE * nearest)
        names = [hit.memory.id for hit in found if hit.parts.semantic >= floor]
        new = _others(self._cortex.keys_of(names).values(), answer)
        return Meaning(tuple(new), found.degraded)

    def nearly(self, answer: Answer) -> Meaning:
        """What is near by meaning at first sight, without the model; `near` sharpens it."""
        question, scope = answer.question, _scope(answer.question)
        filters = self._cortex.filters(**_asked(question))
        found = self._cortex.near_ids(question.words, filters=filters, limit=2 * NEAREST)
        new = _others((key for key in found if scope in ("all", key[0])), answer)
        return Meaning(tuple(new[:NEAREST]), roughly=True)

    def _head(self, question: Question) -> Answer | None:
        """The first of all that pass; None where there are no more, or all are known already."""
        revision = self._cortex.revision()
        if self._known(question, revision) is not None:
            return None
        order = self._cortex.index(
            filters=self._cortex.filters(**_asked(question)), scope=_scope(question),
            sort=question.sort, limit=HEAD,
        )  # fmt: skip
        if len(order) < HEAD:
            return None
        return Answer(question, order, len(order), revision, partial=True)

    def _all(self, question: Question) -> Index:
        """Every row that passes the question's filters, in its order, read again after a change."""
        revision = self._cortex.revision()
        if (known := self._known(question, revision)) is not None:
            return known
        filters = self._cortex.filters(**_asked(question))
        order = self._cortex.index(filters=filters, scope=_scope(question), sort=question.sort)
        self._index = found = Index((revision, question.chips, question.sort), order)
        return found

    def _known(self, question: Question, revision: Revision) -> Index | None:
        cached = self._index
        wanted = (revision, question.chips, question.sort)
        return cached if cached is not None and cached.of == wanted else None


def _answer(
    question: Question, index: Index, hits: WordHits, kept: Mapping[Key, Key | None]
) -> Answer:
    """Those of `hits` that pass, and what is `kept`."""
    order = hits.keys
    if order is not index.order:
        order = list(filter(index.members.__contains__, order))
    lost = frozenset(kept).difference(order) if kept else frozenset()
    if lost:
        order = with_kept(order, {key: kept[key] for key in kept if key in lost})
    return Answer(
        question, order, len(index.order), index.of[0], hits.corrected, kept=lost,
        partial=not hits.complete and not kept,
    )  # fmt: skip


def _others(keys: Iterable[Key], answer: Answer) -> list[Key]:
    """Those of `keys` that `answer` does not hold."""
    known = set(answer.order)
    return [key for key in keys if key not in known]


def _scope(question: Question) -> Where:
    found = question.value("scope")
    return "all" if found is None else "global" if found == "global" else "project"


def _asked(question: Question) -> Asked:
    """What `question` asks of a memory besides its store, as the facade takes it."""
    return Asked(
        kinds=question.values("kind"), tags=question.values("tag"), statuses=question.statuses,
        branch=question.value("branch"), file=question.value("file"),
        since=question.value("since"), until=question.value("until"),
    )  # fmt: skip

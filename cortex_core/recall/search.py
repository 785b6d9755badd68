"""Recall: the memories that answer a query, from every store, with their scores explained."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cortex_core import text
from cortex_core.errors import CortexError, ModelUnavailable
from cortex_core.kinds import CODE, CODE_DESCRIPTION
from cortex_core.recall import keyword, query
from cortex_core.recall.filters import Filters, checked
from cortex_core.recall.found import Found, better_ones, with_code, with_neighbours
from cortex_core.recall.fusion import Score, fuse
from cortex_core.recall.gather import CLOSELY, Question, gather
from cortex_core.recall.pool import Allowed
from cortex_core.recall.standing import standing
from cortex_core.results import Hit, Parts, Recall
from cortex_core.storage import vector_search

if TYPE_CHECKING:
    from cortex_core.embedding.models import EmbeddingModels
    from cortex_core.embedding.protocol import Embedder
    from cortex_core.memory import Memory, RecallMode, Status, Where
    from cortex_core.storage.store import Store
    from cortex_core.storage.vector_search import Matrix
    from cortex_core.storage.workspace import Workspace


SCALE = 0.1
"""Turns the recipe's sums into scores of about 0 to 1."""

STANDING = 0.01
"""What standing counts: enough to break near-ties, never to lead."""

FEWEST = 10
"""Hits that are ranked at least, so that fewer are the first of more."""

OTHER_STORE = 0.95
"""The project's own store leads: what a match in the global one counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the person is doing: it breaks near-ties, it excludes nothing."""

    branch: str = ""
    file: str = ""

    def is_near(self, memory: Memory) -> bool:
        """Whether the memory was learned on this branch or in this file."""
        context = memory.context
        on_branch = bool(self.branch) and context.branch == self.branch
        return on_branch or (bool(self.file) and self.file in context.files)


def search(
    stores: Sequence[Store],
    text: str,
    *,
    limit: int = 10,
    mode: RecallMode = "hybrid",
    filters: Filters | None = None,
    embedder: Embedder | None = None,
    unavailable: str = "",
    around: Around | None = None,
) -> Recall:
    """The `limit` memories that answer `text` best.

    Args:
        stores: the project's first; it leads.
        embedder: None where no model can be had; words still work.
        unavailable: why there is no embedder, in a sentence.
    """
    filters, around = filters or Filters(), around or Around()
    allowed = Allowed(*filters.where())
    asked, corrected = _asked(stores, text)
    if mode == "keyword":
        embedder = None
    question, unavailable = _question(asked, embedder, unavailable)
    found: list[Found] = []
    waiting, depth = 0, max(limit, FEWEST)
    for place, store in enumerate(stores):
        words = keyword.prepare(store, query.terms(asked))
        by_words = mode != "semantic" or question.embedder is None
        matrix = _matrix(store, question)
        offered = gather(
            store, question, words, allowed, matrix, by_words=by_words,
            closely=max(CLOSELY, 2 * depth),
        )  # fmt: skip
        factor = SCALE * (OTHER_STORE if place else 1.0)
        scores = fuse(offered.candidates, offered.importance)
        found += [_scaled(store, score, factor) for score in scores[: 4 * depth]]
        waiting += matrix.waiting(store) if matrix else 0
    found.sort(key=lambda one: -one.total)
    found = _close(with_neighbours(found[: 4 * depth], depth, allowed), depth)
    hits = _hits(found, query.terms(asked), around)
    hits = better_ones(stores, hits)
    hits = with_code(stores, hits, instead=not filters.kinds)[:limit]
    return Recall(
        query=text, hits=tuple(hits), mode=mode, corrected=corrected,
        degraded=_degraded(mode, question.embedder, unavailable, waiting),
    )  # fmt: skip


def _asked(stores: Sequence[Store], text: str) -> tuple[str, dict[str, str]]:
    """`text` with its misspelt words corrected, and which they were."""
    corrected = keyword.corrections(stores, query.terms(text))
    for wrong, right in corrected.items():
        text = re.sub(rf"\b{re.escape(wrong)}\b", right, text, flags=re.IGNORECASE)
    return text, corrected


def _question(text: str, embedder: Embedder | None, unavailable: str) -> tuple[Question, str]:
    """The query, encoded; without a model, and why, where the model fails now."""
    question = Question(text, embedder)
    if embedder is None:
        return question, unavailable
    try:
        question.encoding(text)
    except ModelUnavailable as problem:
        return Question(text, None), str(problem)
    return question, unavailable


def _matrix(store: Store, question: Question) -> Matrix | None:
    model = question.embedder
    return None if model is None else vector_search.matrix(store, model.name, model.dimension)


def _scaled(store: Store, score: Score, factor: float) -> Found:
    return Found(
        store, score.number, factor * score.keyword, factor * score.semantic,
        factor * score.session,
    )  # fmt: skip


def _close(found: Sequence[Found], limit: int) -> list[Found]:
    """The first `limit`, some more in place of code that comes with its prose, and all that their
    standing may lift among them."""
    first = list(found[: limit + limit // 2])
    lowest = first[-1].total - 1.1 * STANDING if first else 0.0
    return [*first, *(one for one in found[len(first) :] if one.total > lowest)]


def _hits(found: Sequence[Found], terms: Sequence[str], around: Around) -> list[Hit]:
    """The memories found as hits, standing added, best first."""
    hits: list[Hit] = []
    for store in dict.fromkeys(one.store for one in found):
        mine = {one.number: one for one in found if one.store is store}
        rows = store.rows(
            "SELECT number, id FROM memory WHERE number IN (SELECT value FROM json_each(?))",
            (json.dumps(list(mine)),),
        )
        number_of = {name: number for number, name in rows}
        memories = store.memories(list(number_of))
        central = store.centrality(list(number_of))
        most = store.max_log
        for memory in memories:
            one = mine[number_of[memory.id]]
            worth = STANDING * standing(
                memory.confidence, memory.priority, central.get(memory.id, 0.0),
                memory.access_count, most,
                same_branch=around.is_near(memory),
            )  # fmt: skip
            hits.append(_hit(memory, one, worth, terms))
    return sorted(hits, key=lambda hit: (-hit.score, -hit.memory.created, hit.memory.id))


def _hit(memory: Memory, one: Found, worth: float, terms: Sequence[str]) -> Hit:
    parts = Parts(keyword=one.keyword, semantic=one.semantic, graph=one.graph, standing=worth)
    score = parts.keyword + parts.semantic + parts.graph + parts.standing
    return Hit(memory=memory, score=score, parts=parts, why=one.why or _why(memory, terms))


def _why(memory: Memory, terms: Sequence[str]) -> str:
    text = f"{memory.title}\n{memory.content}\n{' '.join(memory.tags)}".casefold()
    held = [word for word in terms if word in text]
    return f"words: {', '.join(held[:6])}" if held else "meaning"


def _degraded(mode: RecallMode, embedder: Embedder | None, unavailable: str, waiting: int) -> str:
    if mode == "keyword":
        return ""
    if embedder is None:
        return unavailable or "No embedding model is available, so the search used words only."
    if waiting:
        have = "memory has" if waiting == 1 else "memories have"
        return f"{waiting} {have} no vector yet, so only search by words can find them."
    return ""


class Searcher:
    """Recall over the stores of a workspace, counting what it finds as used."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels) -> None:
        self._workspace = workspace
        self._models = models

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
        mode: RecallMode = "hybrid",
        count: bool = True,
    ) -> Recall:
        """See `Cortex.recall`."""
        embedder = None if mode == "keyword" else self._models.embedder()
        if embedder is not None:
            self._models.embed_arrivals(embedder)
        config, now = self._workspace.config, self._workspace.clock()
        wanted = checked(config, now, kinds, tags, statuses, branch, file, since, until)
        found = search(
            self._workspace.within(scope), text.clean(query), limit=limit, mode=mode,
            filters=wanted,
            embedder=embedder,
            unavailable=self._models.problem(),
            around=Around(branch=self._workspace.project.branch, file=file or ""),
        )  # fmt: skip
        if count:
            self._count([hit.memory for hit in found.hits])
        return replace(found, hits=tuple(map(self._flagged, found.hits)))

    def about(self, topic: str, limit: int = 20) -> Recall:
        """See `Cortex.about`."""
        return self.recall(topic, limit=limit, statuses=("active", "archived"))

    def _flagged(self, hit: Hit) -> Hit:
        """The hit, marked where the code it describes has changed since."""
        if hit.code is None and hit.memory.kind not in (CODE, CODE_DESCRIPTION):
            return hit
        from cortex_core.code_index import refresh

        return refresh.flag_hit(hit, self._workspace.project.root)

    def _count(self, memories: Iterable[Memory]) -> None:
        """Count accesses; a failure here never costs the answer."""
        listed = list(memories)
        for store in self._workspace.stores:
            try:
                store.touch([memory.id for memory in listed if memory.scope == store.scope])
            except CortexError:
                continue

"""Recall: the memories that answer a query, from every store, with their scores explained."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Literal, NamedTuple

from cortex_core.kinds import CODE
from cortex_core.memory import Hit, Memory, Parts, Recall
from cortex_core.recall import keyword, query
from cortex_core.recall.filters import Filters
from cortex_core.recall.fusion import Score, fuse
from cortex_core.recall.gather import Question, gather
from cortex_core.recall.pool import Allowed
from cortex_core.recall.standing import standing
from cortex_core.storage import vectors

if TYPE_CHECKING:
    from cortex_core.embedding.protocol import Embedder
    from cortex_core.storage.store import Store
    from cortex_core.storage.vectors import Matrix

Mode = Literal["hybrid", "keyword", "semantic"]

SCALE = 0.1
"""Turns the recipe's sums into scores of about 0 to 1."""

STANDING = 0.01
"""What standing counts: enough to break near-ties, never to lead."""

OTHER_STORE = 0.95
"""The project's own store leads: what a match in the global one counts."""

ATTENUATION = 0.6
"""What is left of a hit's score for a neighbour over an edge of full strength, for each step."""

DEPTH = 2
"""Edges that a neighbour may be away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the person is doing: it breaks near-ties, it excludes nothing."""

    branch: str = ""
    file: str = ""


class _Found(NamedTuple):
    """A memory on its way to being a hit."""

    store: Store
    number: int
    keyword: float
    semantic: float
    graph: float
    why: str


def search(
    stores: Sequence[Store],
    text: str,
    *,
    limit: int = 10,
    mode: Mode = "hybrid",
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
    question = Question(asked, None if mode == "keyword" else embedder)
    found: list[_Found] = []
    waiting = 0
    for place, store in enumerate(stores):
        words = keyword.prepare(store, query.terms(asked))
        by_words = mode != "semantic" or embedder is None
        matrix = _matrix(store, question)
        offered = gather(store, question, words, allowed, matrix, by_words=by_words)
        factor = SCALE * (OTHER_STORE if place else 1.0)
        scores = fuse(offered.candidates, offered.importance)
        found += [_scaled(store, score, factor) for score in scores]
        waiting += offered.waiting
    found.sort(key=lambda one: -_total(one))
    found = _close(_with_linked(found[: 4 * limit], limit), limit)
    hits = _hits(found, query.terms(asked), around)
    hits = _with_code(stores, hits)[:limit]
    return Recall(
        query=text, hits=tuple(hits), mode=mode, corrected=corrected,
        degraded=_degraded(mode, embedder, unavailable, waiting),
    )  # fmt: skip


def _asked(stores: Sequence[Store], text: str) -> tuple[str, dict[str, str]]:
    """`text` with its misspelt words corrected, and which they were."""
    corrected = keyword.corrections(stores, query.terms(text))
    for wrong, right in corrected.items():
        text = re.sub(rf"\b{re.escape(wrong)}\b", right, text, flags=re.IGNORECASE)
    return text, corrected


def _matrix(store: Store, question: Question) -> Matrix | None:
    model = question.embedder
    return None if model is None else vectors.matrix(store, model.name, model.dimension)


def _scaled(store: Store, score: Score, factor: float) -> _Found:
    return _Found(
        store, score.number, factor * score.keyword, factor * score.semantic,
        factor * score.session, "",
    )  # fmt: skip


def _total(one: _Found) -> float:
    return one.keyword + one.semantic + one.graph


def _close(found: Sequence[_Found], limit: int) -> list[_Found]:
    """The first `limit`, some more in place of code that comes with its prose, and all that their
    standing may lift among them."""
    first = list(found[: limit + limit // 2])
    lowest = _total(first[-1]) - 1.1 * STANDING if first else 0.0
    return [*first, *(one for one in found[len(first) :] if _total(one) > lowest)]


def _with_linked(found: Sequence[_Found], limit: int) -> list[_Found]:
    """The memories found and, with an attenuated score, what the graph links to the best."""
    best = {(id(one.store), one.number): one for one in found}
    edge_of = list(found[:limit])
    for _ in range(DEPTH):
        reached: list[_Found] = []
        for one in edge_of:
            for number, strength, name in _links(one.store, one.number):
                share = ATTENUATION * strength * _total(one)
                known = best.get((id(one.store), number))
                if known is None:
                    new = _Found(one.store, number, 0.0, 0.0, share, f"linked ({name})")
                    best[id(one.store), number] = new
                    reached.append(new)
        edge_of = reached
    return sorted(best.values(), key=lambda one: -_total(one))


def _links(store: Store, number: int) -> list[tuple[int, float, str]]:
    return [
        (other, strength, name)
        for other, strength, name in store.rows(
            "SELECT o.number, e.strength, e.type FROM memory m "
            "JOIN edge e ON e.source = m.id OR e.target = m.id "
            "JOIN memory o ON o.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END "
            "WHERE m.number = ? AND o.status = 'active' AND o.kind <> ?",
            (number, CODE),
        )
    ]


def _hits(found: Sequence[_Found], terms: Sequence[str], around: Around) -> list[Hit]:
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
        most = _max_log(store)
        for memory in memories:
            one = mine[number_of[memory.id]]
            worth = STANDING * standing(
                memory.confidence, memory.priority, central.get(memory.id, 0.0),
                memory.access_count, most,
                same_branch=bool(around.branch) and memory.context.branch == around.branch,
            )  # fmt: skip
            hits.append(_hit(memory, one, worth, terms))
    return sorted(hits, key=lambda hit: (-hit.score, -hit.memory.created, hit.memory.id))


def _hit(memory: Memory, one: _Found, worth: float, terms: Sequence[str]) -> Hit:
    parts = Parts(keyword=one.keyword, semantic=one.semantic, graph=one.graph, standing=worth)
    score = parts.keyword + parts.semantic + parts.graph + parts.standing
    return Hit(memory=memory, score=score, parts=parts, why=one.why or _why(memory, terms))


def _why(memory: Memory, terms: Sequence[str]) -> str:
    text = f"{memory.title}\n{memory.content}\n{' '.join(memory.tags)}".casefold()
    held = [word for word in terms if word in text]
    return f"words: {', '.join(held[:6])}" if held else "meaning"


def _max_log(store: Store) -> float:
    found = store.rows(
        "SELECT access_count FROM memory WHERE status = 'active' ORDER BY access_count DESC LIMIT 1"
    )
    return log(found[0][0] + 1) if found else 0.0


def _with_code(stores: Sequence[Store], hits: Sequence[Hit]) -> list[Hit]:
    """Hits with the code that they describe; code that comes with its prose is no hit itself."""
    linked: dict[str, str] = {}
    code: dict[str, Memory] = {}
    for store in stores:
        rows = store.rows(
            "SELECT e.source, e.target FROM edge e WHERE e.type = 'source_of' AND "
            "(e.source IN (SELECT value FROM json_each(?1)) "
            "OR e.target IN (SELECT value FROM json_each(?1)))",
            (json.dumps([hit.memory.id for hit in hits]),),
        )
        ends = {name for pair in rows for name in pair}
        code |= {m.id: m for m in store.memories(sorted(ends)) if m.kind == CODE}
        for source, target in rows:
            linked |= {source: target} if target in code else {target: source}
    brought = {linked[hit.memory.id] for hit in hits if linked.get(hit.memory.id) in code}
    return [
        _bring(hit, code.get(linked.get(hit.memory.id, "")))
        for hit in hits
        if hit.memory.id not in brought
    ]


def _bring(hit: Hit, code: Memory | None) -> Hit:
    if code is None or hit.memory.kind == CODE:
        return hit
    return Hit(memory=hit.memory, score=hit.score, parts=hit.parts, code=code, why=hit.why)


def _degraded(mode: Mode, embedder: Embedder | None, unavailable: str, waiting: int) -> str:
    if mode == "keyword":
        return ""
    if embedder is None:
        return unavailable or "No embedding model is at hand: found by words only."
    if waiting:
        have = "memory has" if waiting == 1 else "memories have"
        return f"{waiting} {have} no vector yet and can be found by words only."
    return ""


def explain(hit: Hit) -> Mapping[str, float]:
    """The named parts of a hit's score; they sum to it."""
    parts = hit.parts
    return {
        "keyword": parts.keyword, "semantic": parts.semantic, "graph": parts.graph,
        "standing": parts.standing,
    }  # fmt: skip

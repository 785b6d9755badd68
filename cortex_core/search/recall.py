"""Recall: the memories that answer a query, from every store, with their scores explained.

Each store's candidates are scored by `fusion`; then the graph lends scores to neighbours, code
comes with its description, possible duplicates are left out, and importance breaks near-ties.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

from cortex_core.base import text, trust
from cortex_core.base.errors import CortexError, ModelUnavailable
from cortex_core.base.kinds import CODE, CODE_DESCRIPTION, EPISODE
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.records.hits import Hit, Parts, Recall
from cortex_core.records.memory import Actor, FilterOptions, Memory, RecallMode, Where
from cortex_core.search import importance, keyword
from cortex_core.search.candidates import MOST_COMPARED, SearchQuery, StoreCandidates, gather
from cortex_core.search.finder import Filters, checked
from cortex_core.search.fusion import Score, fuse
from cortex_core.search.pool import Allowed
from cortex_core.store import journal, vector_search
from cortex_core.store.memory_lookup import numbers_of

if TYPE_CHECKING:
    from cortex_core.embeddings.protocol import Embedder
    from cortex_core.maintenance.embedding_models import EmbeddingModels
    from cortex_core.store.journal import Change
    from cortex_core.store.rows import Row
    from cortex_core.store.store import Store
    from cortex_core.store.workspace import Workspace

ATTENUATION = 0.5
"""What is left of a hit's score for a neighbour over an edge of full strength, for each step."""

DEPTH = 2
"""Edges that a neighbour may be away."""

LINKED = "linked"
"""How the reason begins for which a neighbour is among the hits."""

Key = tuple[Path, int]
"""A memory's store and row number."""

_LINKS = """
SELECT m.number, o.number, e.strength, e.type
FROM json_each(?) j JOIN memory o ON o.number = j.value
JOIN edge e ON e.source = o.id OR e.target = o.id
JOIN memory m ON m.id = CASE e.source WHEN o.id THEN e.target ELSE e.source END
WHERE m.kind <> ? AND
"""

_CODE = """
SELECT source, target FROM edge WHERE type = 'source_of' AND (source IN (SELECT value FROM
json_each(?)) OR target IN (SELECT value FROM json_each(?)))
"""

_PAIRS = """
SELECT members FROM proposal WHERE status = 'open' AND type = 'merge' AND EXISTS (
    SELECT 1 FROM json_each(members) WHERE value IN (SELECT value FROM json_each(?)))
"""


class FoundMemory(NamedTuple):
    """A memory and the shares of its score."""

    store: Store
    number: int
    keyword: float
    semantic: float
    graph: float
    why: str = ""

    @property
    def total(self) -> float:
        """The whole score so far."""
        return self.keyword + self.semantic + self.graph


def with_neighbours(
    found: Sequence[FoundMemory], first: int, allowed: Allowed
) -> list[FoundMemory]:
    """What was found and, with an attenuated score, what the graph links to the `first` of it.

    A memory that was found by itself is raised to what its neighbour lends it, never lowered.
    """
    best = {(one.store.path, one.number): one for one in found}
    frontier = list(found[:first])
    for _ in range(DEPTH):
        reached = {}
        for key, new in _lent(frontier, allowed):
            known = best.get(key)
            if known is None or known.total < new.graph:
                own = 0.0 if known is None else known.keyword + known.semantic
                new = (known or new)._replace(graph=new.graph - own, why=new.why)
                best[key] = reached[key] = new
        frontier = list(reached.values())
    return sorted(best.values(), key=lambda one: -one.total)


def _lent(lenders: Sequence[FoundMemory], allowed: Allowed) -> Iterator[tuple[Key, FoundMemory]]:
    """The direct neighbours of these memories, each with what it is lent in `graph`."""
    for store in {one.store.path: one.store for one in lenders}.values():
        totals = {one.number: one.total for one in lenders if one.store is store}
        for number, lender, strength, type in store.rows(
            _LINKS + allowed.condition, (json.dumps(list(totals)), CODE, *allowed.values)
        ):
            share = ATTENUATION * strength * totals[lender]
            if share > 0:
                yield (
                    (store.path, number),
                    FoundMemory(store, number, 0.0, 0.0, share, f"{LINKED} ({type})"),
                )


def without_twins(hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits without those of the team that one of the user's own stores has as well."""
    if all(hit.memory.scope != "team" for hit in hits):
        return hits
    from cortex_core.store import twins  # which few projects need

    return twins.once(hits, lambda hit: hit.memory)


def better_ones(stores: Sequence[Store], hits: Sequence[Hit]) -> list[Hit]:
    """The hits without possible duplicates: the better memory alone, at the rank of the first.

    Open proposals name what may say the same, the better memory first.
    """
    named = {hit.memory.id: hit for hit in hits}
    better: dict[str, str] = {}
    for first, *others in possible_duplicates(stores, list(named)):
        if first in named:
            better.update(dict.fromkeys(others, first))
    shown = dict.fromkeys(better.get(name, name) for name in named)
    return [named[name] for name in shown]


def possible_duplicates(stores: Sequence[Store], ids: Sequence[str]) -> list[list[str]]:
    """The ids of memories that may say the same as one of `ids`, itself among them, by open
    proposals; the better one first."""
    found = [row for store in stores for row in store.rows(_PAIRS, (json.dumps(list(ids)),))]
    return [json.loads(members) for (members,) in found]


def with_code(stores: Sequence[Store], hits: Sequence[Hit], *, instead: bool = True) -> list[Hit]:
    """Hits with the code that they describe; code that comes with its prose is no hit itself.

    Args:
        instead: whether its description replaces code that was found by itself.
    """
    names = {hit.memory.id for hit in hits}
    linked: dict[str, str] = {}
    ends: dict[str, Memory] = {}
    for store in stores:
        ids = json.dumps(sorted(names))
        pairs = store.rows(_CODE, (ids, ids))
        ends |= {
            memory.id: memory
            for memory in store.memories(sorted({name for pair in pairs for name in pair}))
        }
        # A link may run either way between a description and its code.
        for source, target in pairs:
            is_code = target in ends and ends[target].kind == CODE
            linked |= {source: target} if is_code else {target: source}
    code = {name: memory for name, memory in ends.items() if memory.kind == CODE}
    if instead:
        hits = _described(hits, names, linked, ends)
        names = {hit.memory.id for hit in hits}
    attached = {linked[name] for name in names if linked.get(name) in code}
    return [
        replace(hit, code=code.get(linked.get(hit.memory.id, "")) or hit.code)
        if hit.memory.kind != CODE
        else hit
        for hit in hits
        if hit.memory.id not in attached
    ]


def _described(
    hits: Sequence[Hit], names: set[str], linked: Mapping[str, str], ends: Mapping[str, Memory]
) -> list[Hit]:
    """The hits, with its description in place of code where that was not found itself."""
    prose = {
        target: ends[source]
        for source, target in linked.items()
        if source in ends and source not in names and ends[source].status == "active"
    }
    return [
        replace(hit, memory=prose[hit.memory.id], why=f"{hit.why} (in its code)".strip())
        if hit.memory.id in prose
        else hit
        for hit in hits
    ]


SCALE = 0.1
"""Turns the recipe's sums into scores of about 0 to 1."""

IMPORTANCE = 0.01
"""What importance counts: enough to break near-ties, never to lead."""

FEWEST = 10
"""Hits that are ranked at least, so that fewer are the first of more."""

CERTAIN = 0.24
"""The part of a score for the meaning from which on a memory is about the query: no more than one
in ten queries of nonsense finds one by chance (benchmarks/floor.py)."""

TAIL = 0.55
"""Share of the first hit's score that another needs. Of 579 right answers to questions of LoCoMo,
BEAM, CoSQA and `benchmarks/prompts` none has less than 0.57; with 0.6 two are lost."""

UNSURE = "No memory is certain to answer this; the nearest come first."
"""What is said of hits none of which is `CERTAIN`: half of the prompts in other words that a memory
fits and two thirds of those that none fits, but no question of LoCoMo, BEAM and CoSQA."""

MOST_UNSURE = 3
"""Most entries of the history then: ten that share a word with “how do we run the tests” do not say
how."""

WAITS = "suggested, not kept yet"
"""Why a suggestion is among the hits."""

OTHER_STORE = 0.95
"""What a match in another store counts: the first one leads, which is the project's."""

FLOOR, FLOOR_UNREAD = 0.145, 0.24
"""The least `similarity` with which memories answer that have no word of the query. The second is
for a query of which the model knows no word (`keyword.is_read`). benchmarks/floor.py measures what
both cost and what they refuse."""


UNREADABLE = (
    "The embedding model reads English alone, so the search used words only. For a model of many "
    "languages, see: cortex models list"
)
"""Why a query in another script is not searched by meaning."""


Around = Callable[[Memory], bool]
"""Whether a memory was learned where the user is: it breaks near-ties, it excludes nothing."""


def search(
    stores: Sequence[Store],
    text: str,
    *,
    limit: int = 10,
    mode: RecallMode = "hybrid",
    filters: Filters | None = None,
    embedder: Embedder | None = None,
    unavailable: str = "",
    around: Around = lambda _: False,
) -> Recall:
    """The `limit` memories that answer `text` best.

    Args:
        stores: the project's first; it leads.
        embedder: None where no model can be had; words still work.
        unavailable: why there is no embedder, in a sentence.

    Raises:
        ModelUnavailable: the model fails now.
    """
    filters = filters or Filters()
    allowed = Allowed(*filters.where())
    asked, corrected = _asked(stores, text)
    is_legible = embedder is None or embedder.name != SHIPPED_TAG or keyword.is_legible(asked)
    if mode == "keyword" or not is_legible:
        embedder, unavailable = None, "" if is_legible else UNREADABLE
    query = SearchQuery(asked, embedder)
    if embedder is not None:
        query.encoding(asked)  # fails before anything is searched
    gathered: list[tuple[Store, StoreCandidates]] = []
    waiting, depth = 0, max(limit, FEWEST)
    for store in stores:
        words = keyword.prepare(store, keyword.terms(asked))
        by_words = mode != "semantic" or query.embedder is None
        model = query.embedder
        matrix = None
        if model is not None:
            matrix = vector_search.matrix(store, model.name, model.dimension)
        most = max(MOST_COMPARED, 2 * depth)
        offered = gather(store, query, words, allowed, matrix, by_words=by_words, most=most)
        gathered.append((store, offered))
        waiting += 0 if matrix is None else matrix.waiting(store)
    found = _scored(query, gathered, 4 * depth)
    # Neighbours are read for more than are shown, because a graph score can lift a hit into the
    # answer.
    found = _contenders(with_neighbours(found[: 4 * depth], depth, allowed), depth)
    hits = _hits(found, keyword.terms(asked), around)
    hits = better_ones(stores, without_twins(hits))
    hits = with_code(stores, hits, instead=not filters.kinds)[:limit]
    return Recall(
        query=text,
        hits=tuple(hits if query.embedder is None else without_tail(hits)),
        mode=mode,
        corrected=corrected,
        degraded=_degraded(mode, query.embedder, unavailable, waiting),
    )


def without_tail(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those that no longer resemble the first, by their score or by what they say
    themselves. What is there for its link to a hit stays, but not what only shares its session."""

    def said(hit: Hit) -> float:
        return hit.parts.keyword + hit.parts.semantic

    # What every hit has tells none from another.
    shared = min((hit.parts.graph for hit in hits), default=0.0)
    return [
        hit
        for hit in hits
        if hit.score - shared >= TAIL * (hits[0].score - shared)
        or said(hit) >= TAIL * said(hits[0])
        or (hit.why.startswith(LINKED) and hit.parts.graph > said(hit))
    ]


def _scored(
    query: SearchQuery, gathered: Sequence[tuple[Store, StoreCandidates]], most: int
) -> list[FoundMemory]:
    """The best `most` of each store, best first; those without a word of the query only if any of
    them is above the floor."""
    scored = [(store, fuse(candidates, weights)) for store, (candidates, weights) in gathered]
    is_near = similarity(scores for _, scores in scored) >= floor(query)
    found: list[FoundMemory] = []
    for index, (store, scores) in enumerate(scored):
        factor = SCALE * (OTHER_STORE if index else 1.0)
        kept = (score for score in scores if is_near or score.candidate.keyword > 0)
        found += [
            FoundMemory(
                store,
                score.number,
                factor * score.keyword,
                factor * score.semantic,
                factor * score.session,
            )
            for score in islice(kept, most)
        ]
    return sorted(found, key=lambda one: -one.total)


def similarity(scored: Iterable[Sequence[Score]]) -> float:
    """The highest score for its meaning of a memory without a word of the query."""
    scores = (one for scores in scored for one in scores if one.candidate.keyword <= 0)
    return max(map(meant, scores), default=0.0)


def meant(score: Score) -> float:
    """A score for the meaning alone, -1 to about 1."""
    return SCALE * score.semantic


def floor(query: SearchQuery) -> float:
    """The `similarity` from which on something answers the query by its meaning alone.

    No floor where only words are compared, or by a model for which none was measured.
    """
    if query.embedder is None or query.embedder.name != SHIPPED_TAG:
        return -inf
    return FLOOR if keyword.is_read(keyword.terms(query.text)) else FLOOR_UNREAD


def _asked(stores: Sequence[Store], text: str) -> tuple[str, dict[str, str]]:
    """`text` with its misspelt words corrected, and which they were."""
    corrected = keyword.corrections(stores, keyword.terms(text))
    for wrong, right in corrected.items():
        text = re.sub(rf"\b{re.escape(wrong)}\b", right, text, flags=re.IGNORECASE)
    return text, corrected


def _contenders(found: Sequence[FoundMemory], limit: int) -> list[FoundMemory]:
    """The first `limit`, some more to replace code that comes with its prose, and all that their
    importance may lift among them."""
    first = list(found[: limit + limit // 2])
    lowest = first[-1].total - 1.1 * IMPORTANCE if first else 0.0
    return [*first, *(one for one in found[len(first) :] if one.total > lowest)]


def _hits(found: Sequence[FoundMemory], terms: Sequence[str], around: Around) -> list[Hit]:
    """The memories found as hits, their importance added, best first.

    History has no importance, and what else happened in its session does not raise it: a memory
    that matches as well comes first.
    """
    hits: list[Hit] = []
    # Centrality and use are shares of a store's highest, so each store is read for its own.
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
            share = IMPORTANCE * importance.score(
                memory.confidence,
                memory.priority,
                central.get(memory.id, 0.0),
                memory.access_count,
                most,
                same_branch=around(memory),
            )
            if memory.kind == EPISODE:
                one, share = (one if one.why else one._replace(graph=0.0)), 0.0
            hits.append(_hit(memory, one, share, terms))
    return sorted(hits, key=lambda hit: (-hit.score, -hit.memory.created, hit.memory.id))


def _hit(memory: Memory, one: FoundMemory, share: float, terms: Sequence[str]) -> Hit:
    parts = Parts(keyword=one.keyword, semantic=one.semantic, graph=one.graph, importance=share)
    score = parts.keyword + parts.semantic + parts.graph + parts.importance
    return Hit(memory=memory, score=score, parts=parts, why=one.why or _why(memory, terms))


def _why(memory: Memory, terms: Sequence[str]) -> str:
    text = f"{memory.title}\n{memory.content}\n{' '.join(memory.tags)}".casefold()
    shared = [word for word in terms if word in text]
    if not all(map(str.isascii, shared)):  # of a run and its pairs, the longest
        shared = [
            one for one in shared if not any(one != other and one in other for other in shared)
        ]
    return f"words: {', '.join(shared[:6])}" if shared else "meaning"


def _degraded(mode: RecallMode, embedder: Embedder | None, unavailable: str, waiting: int) -> str:
    if mode == "keyword" or (mode == "hybrid" and unavailable == UNREADABLE):
        return ""
    if embedder is None:
        return unavailable or "No embedding model is available, so the search used words only."
    if waiting:
        have = "memory has" if waiting == 1 else "memories have"
        return (
            f"{waiting:,} {have} no vector yet, so only search by words can find them. The worker "
            "computes them after the next session; to do it now: cortex worker"
        )
    return ""


LONGEST = 100_000
"""Characters of a query that are read: as many as the embedding model reads of a text."""

MOST_PROJECTS = 50
"""Other projects that one recall searches."""


@contextmanager
def other_projects(workspace: Workspace) -> Iterator[dict[str, Workspace]]:
    """The user's other projects by folder, open until the block ends.

    One whose store is gone, cannot be opened or came with a clone is left out.
    """
    opened: dict[str, Workspace] = {}
    with ExitStack() as open_ones:
        for root in trust.roots(workspace.project.home)[:MOST_PROJECTS]:
            if root != workspace.project.root and (there := workspace.own_project(root)):
                opened[root] = open_ones.enter_context(closing(there))
        yield opened


class Searcher:
    """Recall over the stores of a workspace; what it finds is counted as looked at."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels) -> None:
        self._workspace = workspace
        self._models = models

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        scope: Where = "all",
        mode: RecallMode = "hybrid",
        count: bool = True,
        all_projects: bool = False,
        actor: Actor = "person",
        **filters: Unpack[FilterOptions],
    ) -> Recall:
        """See `Cortex.recall`."""
        stores = self._workspace.within(scope)
        if all_projects and scope != "global":
            with other_projects(self._workspace) as projects:
                others = {root: there.store("project") for root, there in projects.items()}
                every = (*stores, *others.values())
                found = self._recall(query, every, limit, mode, count=count, **filters)
                found = replace(found, hits=_with_projects(found.hits, stores, others))
        else:
            found = self._recall(query, stores, limit, mode, count=count, **filters)
        # What waits or faded is asked only where nothing active fits well, so that it does not
        # displace a current memory.
        if "statuses" not in filters and not self._certain(found.hits, mode):
            waiting: FilterOptions = {**filters, "statuses": ("suggested",)}
            more = self._recall(query, stores, limit, mode, count=False, **waiting).hits
            back = [replace(hit, why=f"{WAITS}; {hit.why}") for hit in self._certain(more, mode)]
            if count:
                archived: FilterOptions = {**filters, "statuses": ("archived",)}
                more = self._recall(query, stores, limit, mode, count=False, **archived).hits
                back += self._revived(self._certain(more, mode) if found.hits else more, actor)
            hits = sorted((*back, *found.hits), key=lambda hit: -hit.score)
            found = replace(found, hits=tuple(hits[:limit]))
        if found.hits and not self._certain(found.hits, mode):
            past = [hit for hit in found.hits if hit.memory.kind == EPISODE]
            beyond = [] if filters.get("kinds") else past[MOST_UNSURE:]
            found = replace(
                found,
                hits=tuple(hit for hit in found.hits if hit not in beyond),
                degraded=" ".join(filter(None, (UNSURE, found.degraded))),
            )
        return replace(found, hits=tuple(map(self._flagged, found.hits)))

    def _recall(
        self,
        query: str,
        stores: Sequence[Store],
        limit: int,
        mode: RecallMode,
        *,
        count: bool,
        **filters: Unpack[FilterOptions],
    ) -> Recall:
        config, now = self._workspace.config, self._workspace.clock()
        wanted = checked(config, now, **filters)

        branch, file = self._workspace.branch, wanted.file

        def is_around(memory: Memory) -> bool:
            on_branch = bool(branch) and memory.context.branch == branch
            return on_branch or (bool(file) and file in memory.context.files)

        def searched(embedder: Embedder | None) -> Recall:
            return search(
                stores,
                text.clean(query[:LONGEST]),
                limit=limit,
                mode=mode,
                filters=wanted,
                embedder=embedder,
                unavailable=self._models.problem,
                around=is_around,
            )

        embedder = None if mode == "keyword" else self._with_new(stores)
        while True:
            try:
                result = searched(embedder)
                break
            except ModelUnavailable as problem:
                # The next model compares what it has vectors of, or words alone do.
                following = embedder and self._models.instead_of(embedder, problem)
                embedder = self._with_new(stores) if following else None
        if count:
            self._count([hit.memory for hit in result.hits])
        said = "" if mode == "keyword" else self._models.fallback
        return replace(result, degraded=" ".join(filter(None, (said, result.degraded))))

    def _certain(self, hits: Sequence[Hit], mode: RecallMode) -> Sequence[Hit]:
        """Those of `hits` that are certain to answer the query; all where words alone decide, or a
        model for which no similarity was measured. History says what happened, not what holds."""
        if mode == "keyword" or self._models.tag() != SHIPPED_TAG:
            return hits
        near = [hit for hit in hits if hit.parts.semantic >= CERTAIN]
        return [hit for hit in near if hit.memory.kind != EPISODE]

    def _revived(self, found: Iterable[Hit], actor: Actor) -> tuple[Hit, ...]:
        """What of `found` had faded, active again; history, and what was archived otherwise, stays
        away.

        Where a store cannot be written now, they are found and stay archived.
        """
        owners = {store.scope: store for store in self._workspace.own_stores}
        faded = [
            hit
            for hit in found
            if hit.memory.kind != EPISODE
            and hit.memory.scope in owners
            and journal.has_faded(owners[hit.memory.scope], hit.memory.id)
        ]
        back: dict[str, Memory] = {}

        def revive(change: Change, memory: Memory) -> None:
            columns: Row = {"status": "active", "reinforced": change.time, "updated": change.time}
            change.update("memory", memory.id, columns)

        # An answer does not wait for another process that writes.
        with suppress(CortexError), ExitStack() as stack:
            for store in owners.values():
                stack.enter_context(store.without_waiting())
            ids = [hit.memory.id for hit in faded]
            acted = self._workspace.act(ids, "revive", revive, label="bring back", actor=actor)
            back = {memory.id: memory for memory in acted}
        return tuple(
            replace(hit, memory=back[hit.memory.id], revived=True) if back else hit for hit in faded
        )

    def _with_new(self, stores: Iterable[Store]) -> Embedder | None:
        """The model in force, which knows the newest memories of `stores` then."""
        embedder = self._models.embedder()
        if embedder is None:
            return None
        self._models.embed_new(embedder, stores)
        in_force = self._models.embedder()
        if in_force is not None and in_force.name != embedder.name:
            self._models.embed_new(in_force, stores)  # the other one failed just now
        return in_force

    def _flagged(self, hit: Hit) -> Hit:
        """The hit, marked where the code it describes has changed since."""
        if hit.code is None and hit.memory.kind not in (CODE, CODE_DESCRIPTION):
            return hit
        from cortex_core.search import stale_code

        root = hit.project or self._workspace.project.root
        code = hit.code and stale_code.flagged(hit.code, root)
        return replace(hit, memory=stale_code.flagged(hit.memory, root), code=code)

    def _count(self, memories: Iterable[Memory]) -> None:
        """Count looks; neither a failure nor another's lock costs the answer anything."""
        listed = list(memories)
        for store in self._workspace.stores:
            own = [memory.id for memory in listed if memory.scope == store.scope]
            with suppress(CortexError), store.without_waiting():
                store.count_looks(own)


def _with_projects(
    hits: Iterable[Hit], own: Iterable[Store], others: Mapping[str, Store]
) -> tuple[Hit, ...]:
    """The hits, each with the folder of the other project that it belongs to."""
    listed = list(hits)
    names = [hit.memory.id for hit in listed]
    folders = {name: root for root, store in others.items() for name in numbers_of(store, names)}
    for store in own:
        for name in numbers_of(store, names):
            folders.pop(name, None)
    return tuple(replace(hit, project=folders.get(hit.memory.id, "")) for hit in listed)

"""Views of all memories together: themes, what recurs in other projects, and the memory core.

Stores of other projects are only read, and only those that the user trusts.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any, Unpack

from cortex_core.admission import apply, checks, gates, lookup
from cortex_core.base import text
from cortex_core.base.kinds import CODE, EPISODE, Kinds
from cortex_core.curation.memories import Memories
from cortex_core.duplicates import similarity
from cortex_core.maintenance.embedding_models import EmbeddingModels
from cortex_core.records.memory import (
    Actor,
    FiledMemory,
    FilterOptions,
    Memory,
    Sort,
    Source,
    Where,
)
from cortex_core.records.reflections import Core, Recurrence, Reflection, Theme
from cortex_core.search.recall import other_projects
from cortex_core.store import (
    journal,
    memory_counts,
    memory_lookup,
    opening,
    ordering,
    proposals,
)
from cortex_core.store.store import Store
from cortex_core.store.surface_reader import SurfaceReader
from cortex_core.store.workspace import Workspace
from cortex_core.surface import choosing, wording

KINDS = ("policy", "preference", "pattern", "gotcha", "solution", "procedure", "insight")
"""Kinds that may hold elsewhere as well; a decision or a fact is about its own project."""

MOST_COMPARED = 2_000
"""Memories of each project that are compared, the newest first."""

LEAST_COSINE = 0.72
"""Cosine under which two wordings are not compared."""

LEAST_SIMILARITY = 0.8
"""Similarity from which two wordings of which no gate is raised say the same."""


def recurrences(
    store: Store, elsewhere: Sequence[tuple[str, Store]], model: str
) -> list[tuple[Memory, tuple[str, ...]]]:
    """This project's memories that other projects have too, and which; the most spread first."""
    own = memory_lookup.wordings(store, model, KINDS, MOST_COMPARED)
    projects: dict[str, list[str]] = {}
    for name, other in elsewhere:
        theirs = memory_lookup.wordings(other, model, KINDS, MOST_COMPARED)
        hashes = {one.content_hash for one in theirs}
        ids = {one.id for one in own if one.content_hash in hashes}
        for one, like, cosine in _similar_pairs(own, theirs):
            if one.id not in ids:
                compared = similarity.compare(one.content, like.content, cosine=cosine)
                is_similar = compared.similarity >= LEAST_SIMILARITY and compared.is_clear
                ids |= {one.id} if compared.same or is_similar else set()
        for id in ids:
            projects.setdefault(id, []).append(name)
    listed = [(memory, tuple(projects[memory.id])) for memory in store.memories(list(projects))]
    return sorted(listed, key=lambda pair: (-len(pair[1]), -pair[0].priority, pair[0].id))


def _similar_pairs(
    own: Sequence[memory_lookup.Wording], theirs: Sequence[memory_lookup.Wording]
) -> Iterator[tuple[memory_lookup.Wording, memory_lookup.Wording, float]]:
    """Pairs of `own` and `theirs` with their cosine, where that is high enough."""
    import numpy as np

    left = [one for one in own if one.vector]
    right = [one for one in theirs if one.vector]
    if not left or not right or len(left[0].vector) != len(right[0].vector):
        return
    left_vectors = np.frombuffer(b"".join(one.vector for one in left), np.float32)
    right_vectors = np.frombuffer(b"".join(one.vector for one in right), np.float32)
    cosines = left_vectors.reshape(len(left), -1) @ right_vectors.reshape(len(right), -1).T
    for row, column in np.argwhere(cosines >= LEAST_COSINE):
        yield left[row], right[column], float(cosines[row, column])


TOKENS = 3_000
"""Default length of the memory core: about a page."""

MOST_OF_A_KIND = 15

PLURALS = {
    "policy": "Policies",
    "preference": "Preferences",
    "architecture": "Architecture",
    "progress": "Progress",
    "context": "Context",
    "summary": "Summaries",
    "gotcha": "Gotchas",
    "code_description": "Code",
}
"""Headings of kinds whose plural is not made by an s."""


def heading(kind: str) -> str:
    """The heading above the memories of a kind."""
    return PLURALS.get(kind, f"{kind.replace('_', ' ').capitalize()}s")


def line(candidate: choosing.SurfaceCandidate) -> str:
    """One memory as a line of the core."""
    row = candidate.row
    return wording.line(row.id, row.title, row.content)


def chosen(
    candidates: Iterable[choosing.SurfaceCandidate],
    tokens: int,
    render: Callable[[choosing.SurfaceCandidate], str] = line,
) -> list[choosing.SurfaceCandidate]:
    """The memories that fit into `tokens`, pinned ones and important ones first."""
    ordered = sorted(
        choosing.best_first(list(candidates)), key=lambda candidate: not candidate.row.pinned
    )
    taken: list[choosing.SurfaceCandidate] = []
    kinds: dict[str, int] = {}
    hashes: set[str] = set()
    for candidate in ordered:
        kind = candidate.row.kind
        full = kinds.get(kind, 0) >= MOST_OF_A_KIND and not candidate.row.pinned
        if kind in (CODE, EPISODE) or full or candidate.row.content_hash in hashes:
            continue
        # The first memory of a kind pays for its heading.
        above = "" if kind in kinds else f"\n\n## {heading(kind)}"
        cost = text.tokens(f"{above}\n{render(candidate)}")
        if cost > tokens:
            continue
        tokens -= cost
        kinds[kind] = kinds.get(kind, 0) + 1
        hashes.add(candidate.row.content_hash)
        taken.append(candidate)
    return taken


def by_kind(
    taken: Sequence[choosing.SurfaceCandidate], kinds: Kinds
) -> list[tuple[str, list[choosing.SurfaceCandidate]]]:
    """The memories by kind: known kinds in the order of the registry, then unknown ones."""
    order = {kind.name: index for index, kind in enumerate(kinds)}
    names = sorted({each.row.kind for each in taken}, key=lambda name: (order.get(name, 99), name))
    return [(name, [each for each in taken if each.row.kind == name]) for name in names]


def markdown(
    header: Sequence[str],
    taken: Sequence[choosing.SurfaceCandidate],
    kinds: Kinds,
    render: Callable[[choosing.SurfaceCandidate], str] = line,
) -> str:
    """The core as a Markdown page under `header`."""
    lines = list(header)
    for kind, members in by_kind(taken, kinds):
        lines += ["", f"## {heading(kind)}", *(render(member) for member in members)]
    return "\n".join(lines) + "\n"


THEMES = 8
EXAMPLES = 3
MOST_USED = 10
INSIGHTS = 10
SHARED_TAGS = 12

LEAST_SHARED = 2
"""Memories that must share two tags for these to be a theme."""

MOST_TAGS = 12
"""Tags of one memory that are paired."""

MOST_DEMOTED = 120
"""Memories that session start does not inject, but that are among the most important."""

RECURS = "rule:recurs"
"""Who wrote a suggestion for the global store."""


def themes(stores: Iterable[Store]) -> tuple[Theme, ...]:
    """The pairs of tags that most active memories share."""
    pairs: Counter[tuple[str, str]] = Counter()
    titles: dict[tuple[str, str], list[str]] = {}
    for store in stores:
        for title, tags in memory_lookup.several_tags(store):
            named = sorted(set(tags))[:MOST_TAGS]
            for pair in combinations(named, 2):
                pairs[pair] += 1
                shown = titles.setdefault(pair, [])
                if len(shown) < EXAMPLES:
                    shown.append(title)
    best = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Theme(tags=pair, count=count, examples=tuple(titles[pair]))
        for pair, count in best[:THEMES]
        if count >= LEAST_SHARED
    )


def shared_tags(counted: Sequence[tuple[str, Counter[str]]]) -> dict[str, dict[str, int]]:
    """The tags of more than one project: project and count, the most widespread first."""
    spread: dict[str, dict[str, int]] = {}
    for project, counts in counted:
        for tag, count in counts.items():
            spread.setdefault(tag, {})[project] = count
    wide = [(tag, by_project) for tag, by_project in spread.items() if len(by_project) > 1]
    wide.sort(key=lambda item: (-len(item[1]), -sum(item[1].values()), item[0]))
    return dict(wide[:SHARED_TAGS])


def reflect(stores: Sequence[Store]) -> Reflection:
    """The reflection of `stores` alone, without what other projects add."""
    moments = [journal.last_consolidated(store) for store in stores]
    used = [each for store in stores for each in memory_lookup.most_used(store, MOST_USED)]
    insights = [
        each
        for store in stores
        for each in memory_lookup.newest_of_kind(store, "insight", INSIGHTS)
    ]
    return Reflection(
        themes=themes(stores),
        shared_tags={},
        recurrences=(),
        most_used=tuple(sorted(used, key=lambda one: (-one.access_count, one.id))[:MOST_USED]),
        insights=tuple(sorted(insights, key=lambda one: (-one.created, one.id))[:INSIGHTS]),
        merges=sum(map(journal.merges, stores)),
        superseded=sum(memory_counts.by_status(store).get("superseded", 0) for store in stores),
        to_review=sum(map(proposals.count_judgeable, stores)),
        last_consolidation=max((moment for moment in moments if moment is not None), default=None),
    )


def _ranks(reader: Memories, memories: Sequence[Memory], sort: Sort) -> Sequence[Any]:
    """What each of `memories` is sorted by."""
    if sort == "standing":
        return [*map(reader.importances(memories).__getitem__, (one.id for one in memories))]
    name = ordering.ORDERS[sort][0] if sort in ordering.ORDERS else sort
    found = [getattr(memory, name) for memory in memories]
    return [each.casefold() if isinstance(each, str) else each for each in found]


class Reflections:
    """Reflection and the memory core of a workspace."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels) -> None:
        self._workspace = workspace
        self._models = models

    def reflect(self, *, dry_run: bool = False, actor: Actor = "person") -> Reflection:
        """Themes, what recurs across projects, what is used most, the newest insights, merges.

        What other projects have as well is suggested for the global store, once: it waits among the
        `suggestions` for a user's verdict. Nothing is moved.

        Args:
            dry_run: suggest nothing.
        """
        own = self._workspace.existing("project")
        with other_projects(self._workspace) as projects:
            opened = [(Path(root).name, each.store("project")) for root, each in projects.items()]
            again = recurrences(own, opened, self._models.tag()) if own else []
            named = [(self._workspace.project.name, own)] if own else []
            counted = [
                (name, Counter(tag for tags in memory_lookup.tags(store) for tag in tags))
                for name, store in (*named, *opened)
            ]
        recurring = [Recurrence(memory=memory, projects=where) for memory, where in again]
        # Suggested with the other projects closed: only the global store is written.
        if recurring and not dry_run:
            # Unless a memory there says it already.
            store = self._workspace.store("global")
            label = f"suggest {len(recurring)} that recur for the global store"
            with store.change("suggest", label, actor) as change:
                recurring = [self._suggest(store, change, each) for each in recurring]
        return replace(
            reflect(self._workspace.stores),
            shared_tags=shared_tags(counted),
            recurrences=tuple(recurring),
            projects=tuple(name for name, _ in opened),
            dry_run=dry_run,
        )

    def in_all_projects(
        self,
        *,
        scope: Where = "all",
        sort: Sort = "updated",
        limit: int | None = None,
        **filters: Unpack[FilterOptions],
    ) -> list[FiledMemory]:
        """The memories of all of the user's projects that pass, in the order of `sort`."""
        ranked: list[tuple[Any, FiledMemory]] = []
        with other_projects(self._workspace) as projects:
            readers: dict[str, tuple[Memories, Where]] = {"": (Memories(self._workspace), scope)}
            if scope != "global":
                readers |= {root: (Memories(there), "project") for root, there in projects.items()}
            for root, (reader, within) in readers.items():
                found = reader.list(scope=within, sort=sort, limit=limit, **filters)
                filed = (FiledMemory(memory=memory, project=root) for memory in found)
                ranked += zip(_ranks(reader, found, sort), filed, strict=True)
        ranked.sort(key=itemgetter(0), reverse=sort not in ("title", "kind"))
        return [filed for _, filed in ranked[:limit]]

    def core(self, tokens: int | None = None) -> Core:
        """The most important memories, grouped by kind, as a page of Markdown.

        Args:
            tokens: about how long the page may be; None is 3,000.
        """
        active = sum(
            memory_counts.by_status(store).get("active", 0) for store in self._workspace.stores
        )
        today = text.iso(self._workspace.clock())[:10]
        header = (
            f"# Memory core of {self._workspace.project.name}",
            f"> {today} | chosen from {active:,} active memories by importance | cortex show ID "
            "shows more",
        )
        room = (tokens or TOKENS) - text.tokens("\n".join(header)) - 1
        taken = chosen(candidates(self._workspace, self._workspace.stores), room)
        page = markdown(header, taken, self._workspace.config.kinds)
        grouped = by_kind(taken, self._workspace.config.kinds)
        return Core(
            text=page,
            memories=tuple(each.row.id for _, members in grouped for each in members),
            tokens=text.tokens(page),
            active=active,
        )

    def _suggest(self, store: Store, change: journal.Change, recurrence: Recurrence) -> Recurrence:
        memory = recurrence.memory
        projects = [self._workspace.project.name, *recurrence.projects]
        suggested = Memory(
            id=str(uuid.uuid4()),
            content=memory.content,
            title=memory.title,
            kind=memory.kind,
            scope="global",
            tags=memory.tags,
            initial_confidence=memory.initial_confidence,
            priority=min(memory.priority, checks.HIGHEST_EXTRACTED),
            status="suggested",
            source=Source(rule=RECURS, time=change.time),
            created=change.time,
            updated=change.time,
            reinforced=change.time,
            details={**memory.details, "projects": projects},
        )
        decision = gates.decide_written(suggested, lookup.gather(store, suggested, extracted=False))
        name = decision.known or apply.carry_out(change, decision)
        # One that the user judged before is not put before them again.
        waits = store.memory(name).status == "suggested"
        return replace(recurrence, suggestion=name if waits else "")


def candidates(workspace: Workspace, stores: Sequence[Store]) -> list[choosing.SurfaceCandidate]:
    """The most important memories of each of `stores`, some hundreds, unordered."""
    found: list[choosing.SurfaceCandidate] = []
    for store in stores:
        with opening.translated(store.path), SurfaceReader(store.file, store.scope) as reader:
            work, kinds, now = choosing.WorkContext(), workspace.config.kinds, workspace.clock()
            found += choosing.candidates(reader, work, kinds, now)
            rows = reader.demoted(MOST_DEMOTED)
            found += choosing.of_rows(reader, rows, work, kinds, now)
    return found

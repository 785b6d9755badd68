"""A project's memory from a distance: themes, what is used most, what was learned last, merges.

Counting is done by SQL, so that a large store is looked at as quickly as a small one.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from cortex_core import text
from cortex_core.memory import Actor, Memory, Source
from cortex_core.reports.practice import Core, Recurrence, Reflection, Theme
from cortex_core.storage import journal, proposals, queries
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store
from cortex_core.storage.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.embedding.models import EmbeddingModels
    from cortex_core.surface.ranking import Candidate

THEMES = 8
EXAMPLES = 3
MOST_USED = 10
INSIGHTS = 10
SHARED_TAGS = 12

LEAST = 2
"""Memories that must share two tags before these are a theme."""

MOST_TAGS = 12
"""Tags of one memory that are paired."""

MOST_DEMOTED = 120

"""What is not given at a session's start, but still part of what stands highest."""

RECURS = "rule:recurs"
"""Who wrote a suggestion for the global store."""


def themes(stores: Iterable[Store]) -> tuple[Theme, ...]:
    """The pairs of tags that most active memories share."""
    pairs: Counter[tuple[str, str]] = Counter()
    titles: dict[tuple[str, str], list[str]] = {}
    for store in stores:
        for title, tags in queries.several_tags(store):
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
        if count >= LEAST
    )


def shared_tags(counted: Sequence[tuple[str, Counter[str]]]) -> dict[str, dict[str, int]]:
    """The tags of more than one project: project and count, the most widespread first."""
    spread: dict[str, dict[str, int]] = {}
    for project, counts in counted:
        for tag, count in counts.items():
            spread.setdefault(tag, {})[project] = count
    wide = [(tag, found) for tag, found in spread.items() if len(found) > 1]
    wide.sort(key=lambda item: (-len(item[1]), -sum(item[1].values()), item[0]))
    return dict(wide[:SHARED_TAGS])


def most_used(stores: Iterable[Store]) -> tuple[Memory, ...]:
    """The active memories that were looked up most often."""
    found = [memory for store in stores for memory in queries.most_used(store, MOST_USED)]
    return tuple(sorted(found, key=lambda one: (-one.access_count, one.id))[:MOST_USED])


def insights(stores: Iterable[Store]) -> tuple[Memory, ...]:
    """The newest insights, newest first."""
    found = [
        memory for store in stores for memory in queries.newest_of_kind(store, "insight", INSIGHTS)
    ]
    return tuple(sorted(found, key=lambda one: (-one.created, one.id))[:INSIGHTS])


def reflect(stores: Sequence[Store]) -> Reflection:
    """What `stores` say by themselves; what other projects add is not in it."""
    moments = [journal.last_consolidated(store) for store in stores]
    return Reflection(
        themes=themes(stores), shared_tags={}, recurrences=(), most_used=most_used(stores),
        insights=insights(stores), merges=sum(map(journal.merges, stores)),
        superseded=sum(queries.statuses(store).get("superseded", 0) for store in stores),
        to_review=sum(map(proposals.waiting, stores)),
        last_consolidation=max((one for one in moments if one is not None), default=None),
    )  # fmt: skip


class Reflections:
    """What the memories say together."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels) -> None:
        self._workspace = workspace
        self._models = models

    def reflect(self, *, dry_run: bool = False, actor: Actor = "person") -> Reflection:
        """Themes, what recurs across projects, what is used most, the newest insights, merges.

        What other projects hold as well is suggested for the global store: it waits among the
        `suggestions` for a person's verdict, and is asked about once. Nothing is moved.

        Args:
            dry_run: suggest nothing.
        """
        from cortex_core.curation import recurring

        own = self._workspace.existing("project")
        with recurring.others(self._workspace.project) as elsewhere:
            again = recurring.recurrences(own, elsewhere, self._models.tag()) if own else []
            counted = [(name, recurring.tag_counts(store)) for name, store in elsewhere]
        names = tuple(name for name, _ in counted)
        if own is not None:
            counted.insert(0, (self._workspace.project.name, recurring.tag_counts(own)))
        told = [Recurrence(memory=memory, projects=where) for memory, where in again]
        return replace(
            reflect(self._workspace.stores), shared_tags=shared_tags(counted),
            recurrences=tuple(told if dry_run or not told else self._suggested(told, actor)),
            projects=names, dry_run=dry_run,
        )  # fmt: skip

    def core(self, tokens: int | None = None) -> Core:
        """The memories of the highest standing, grouped by kind, as a page of Markdown.

        Args:
            tokens: about how long the page may be; None is 3,000.
        """
        from cortex_core.curation import core

        active = self._active()
        today = text.iso(self._workspace.clock())[:10]
        header = (
            f"# Memory core of {self._workspace.project.name}",
            f"> {today} | chosen from {active:,} active memories by standing"
            " | cortex show ID tells more",
        )
        room = (tokens or core.TOKENS) - text.tokens("\n".join(header)) - 1
        taken = core.chosen(candidates(self._workspace, self._workspace.stores), room)
        page = core.markdown(header, taken, self._workspace.config.kinds)
        grouped = core.by_kind(taken, self._workspace.config.kinds)
        return Core(
            text=page, memories=tuple(one.row.id for _, members in grouped for one in members),
            tokens=text.tokens(page), active=active,
        )  # fmt: skip

    def _active(self) -> int:
        return sum(map(queries.active, self._workspace.stores))

    def _suggested(self, told: Sequence[Recurrence], actor: Actor) -> list[Recurrence]:
        """Suggest what recurs for the global store, where nothing there says it yet."""
        store = self._workspace.store("global")
        label = f"suggest {len(told)} that recur for the global store"
        with store.change("suggest", label, actor) as change:
            return [self._suggest(store, change, one) for one in told]

    def _suggest(self, store: Store, change: Change, one: Recurrence) -> Recurrence:
        from cortex_core.capture import admission

        found = one.memory
        projects = [self._workspace.project.name, *one.projects]
        made = Memory(
            id=str(uuid.uuid4()), content=found.content, title=found.title, kind=found.kind,
            scope="global", tags=found.tags, initial_confidence=found.initial_confidence,
            priority=min(found.priority, admission.HIGHEST_EXTRACTED), status="suggested",
            source=Source(rule=RECURS, time=change.time), created=change.time,
            updated=change.time, reinforced=change.time,
            details={**found.details, "projects": projects},
        )  # fmt: skip
        known, near = admission.compare_with_store(store, made)
        if known is None:
            known = admission.insert(change, made)
            admission.propose_all(change, made, near)
        waits = store.memory(known).status == "suggested"
        return replace(one, suggestion=known if waits else "")


def candidates(workspace: Workspace, stores: Sequence[Store]) -> list[Candidate]:
    """The memories of `stores` that stand highest, some hundreds of each, unordered."""
    from cortex_core.storage.surface_reader import SurfaceReader
    from cortex_core.surface import ranking

    found: list[Candidate] = []
    for store in stores:
        with SurfaceReader(store.file, store.scope) as reader:
            here, kinds, now = ranking.Place(), workspace.config.kinds, workspace.clock()
            found += ranking.candidates(reader, here, kinds, now)
            rows = reader.demoted(MOST_DEMOTED)
            found += ranking.of_rows(reader, rows, here, kinds, now)
    return found

"""The verbs of looking back: reflect, and the core of what is known."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cortex_core import text
from cortex_core.memory import Actor, Memory, Source
from cortex_core.reports.practice import Core, Recurrence, Reflection
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store
from cortex_core.verbs.reading import Reading

if TYPE_CHECKING:
    from cortex_core.surface.ranking import Candidate

MOST_DEMOTED = 120
_DEMOTED = (
    "status = 'active' AND giving = 'demoted' AND kind <> 'code' "
    "ORDER BY pinned DESC, priority DESC, id LIMIT ?"
)
"""What is not given at a session's start, but still part of what stands highest."""

RECURS = "rule:recurs"
"""Who wrote a suggestion for the global store."""


class Reflecting(Reading):
    """What the memories say together."""

    def reflect(self, *, dry_run: bool = False, actor: Actor = "person") -> Reflection:
        """Themes, what recurs across projects, what is used most, the newest insights, merges.

        What other projects hold as well is suggested for the global store: it waits among the
        `suggestions` for a person's verdict, and is asked about once. Nothing is moved.

        Args:
            dry_run: suggest nothing.
        """
        from cortex_core.curation import recurring, reflection

        own = self.existing("project")
        with recurring.others(self.project) as elsewhere:
            again = recurring.recurrences(own, elsewhere, self.model_tag()) if own else []
            counted = [(name, recurring.tag_counts(store)) for name, store in elsewhere]
        names = tuple(name for name, _ in counted)
        if own is not None:
            counted.insert(0, (self.project.name, recurring.tag_counts(own)))
        told = [Recurrence(memory=memory, projects=where) for memory, where in again]
        return replace(
            reflection.reflect(self.stores), shared_tags=reflection.shared_tags(counted),
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
        header = (
            f"# Memory core of {self.project.name}",
            f"> {text.iso(self.clock())[:10]} | chosen from {active:,} active memories by standing"
            " | cortex show ID tells more",
        )
        room = (tokens or core.TOKENS) - text.tokens("\n".join(header)) - 1
        taken = core.chosen(self.standing(self.stores), room)
        page = core.markdown(header, taken, self.config.kinds)
        grouped = core.by_kind(taken, self.config.kinds)
        return Core(
            text=page, memories=tuple(one.row.id for _, members in grouped for one in members),
            tokens=text.tokens(page), active=active,
        )  # fmt: skip

    def standing(self, stores: Sequence[Store]) -> list[Candidate]:
        """The memories of `stores` that stand highest, some hundreds of each, unordered."""
        from cortex_core.storage.surface_reader import SurfaceReader
        from cortex_core.surface import ranking

        found: list[Candidate] = []
        for store in stores:
            with SurfaceReader(store.file, store.scope) as reader:
                here, kinds, now = ranking.Place(), self.config.kinds, self.clock()
                found += ranking.candidates(reader, here, kinds, now)
                rows = reader.select(_DEMOTED, (MOST_DEMOTED,), central=True)
                found += ranking.of_rows(reader, rows, here, kinds, now)
        return found

    def _active(self) -> int:
        counts = (
            store.rows("SELECT count(*) FROM memory WHERE status = 'active'")[0][0]
            for store in self.stores
        )
        return sum(counts)

    def _suggested(self, told: Sequence[Recurrence], actor: Actor) -> list[Recurrence]:
        """Suggest what recurs for the global store, where nothing there says it yet."""
        store = self.store("global")
        label = f"suggest {len(told)} that recur for the global store"
        with store.change("suggest", label, actor) as change:
            return [self._suggest(store, change, one) for one in told]

    def _suggest(self, store: Store, change: Change, one: Recurrence) -> Recurrence:
        from cortex_core.capture import admission

        found = one.memory
        projects = [self.project.name, *one.projects]
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

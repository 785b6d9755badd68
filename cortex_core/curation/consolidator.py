"""Looking at whole stores: propose to merge what says the same, merge what is certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cortex_core.curation import consolidation
from cortex_core.curation.consolidation import Pair
from cortex_core.memory import Actor, Memory
from cortex_core.records import Proposal
from cortex_core.reports.curation import ConsolidationReport
from cortex_core.storage import proposals, snapshots
from cortex_core.storage.store import Store
from cortex_core.storage.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.curation.review import Reviews
    from cortex_core.embedding.models import EmbeddingModels

Progress = Callable[[int, int], None]
"""Told how many memories are done, and of how many."""


class Consolidator:
    """Looks at whole stores for what says the same, and merges what is certain where it may."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels, review: Reviews) -> None:
        self._workspace = workspace
        self._models = models
        self._review = review

    def run(
        self,
        threshold: float = 0.5,
        *,
        dry_run: bool = False,
        new_only: bool = False,
        actor: Actor = "person",
        progress: Progress | None = None,
    ) -> ConsolidationReport:
        """Look for memories that may say the same and propose to merge them.

        In the mode `auto` those that certainly say the same are merged by themselves, after a
        snapshot.

        Args:
            threshold: least similarity of a pair, 0 to 1.
            new_only: look only at pairs with a memory that came since the last time.
            progress: may raise to stop: of the store at hand nothing is proposed then.
        """
        self._models.embed_pending(progress)
        compared = 0
        proposed: list[Proposal] = []
        merged: list[Memory] = []
        for store in self._workspace.stores:
            found = self._alike(store, threshold, progress, new_only=new_only)
            compared += len(found)
            if not dry_run:
                new, sure = self._propose(store, found, actor)
                merged += self._merge_alone(store, sure) if self._alone() else []
                proposed += [one for one in proposals.unjudged(store) if one.number in new]
        if proposed:
            self._review.ask_model()
        return ConsolidationReport(
            compared=compared, proposed=tuple(proposed), merged=tuple(merged), dry_run=dry_run
        )

    def _alike(
        self, store: Store, threshold: float, progress: Progress | None, *, new_only: bool
    ) -> list[Pair]:
        last = consolidation.last(store)[0] if new_only else 0
        embedder = self._models.embedder()
        return list(consolidation.pairs(store, embedder, threshold, last, progress=progress))

    @staticmethod
    def _propose(store: Store, found: Sequence[Pair], actor: Actor) -> tuple[set[int], list[int]]:
        """Record what `found` calls for: the numbers of what is new, and of what is certain."""
        consolidation.note(store)
        with store.change("consolidate", "propose merges", actor) as change:
            numbers = [consolidation.propose(change, pair) for pair in found]
            certain = [pair for pair in found if pair.likeness.may_merge]
            sure = [consolidation.open_proposal(change, pair) for pair in certain]
        return {one for one in numbers if one is not None}, [one for one in sure if one is not None]

    def _alone(self) -> bool:
        return bool(self._workspace.config.get("consolidation.mode") == "auto")

    def _merge_alone(self, store: Store, numbers: Sequence[int]) -> list[Memory]:
        if numbers:
            snapshots.take(store.path, "consolidate")
        return self._review.merge_each([(store.scope, number) for number in numbers], "worker")

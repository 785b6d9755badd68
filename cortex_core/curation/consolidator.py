"""Looking at whole stores: propose to merge what says the same, merge what is certain, and have the
language model word it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cortex_core import project as projects
from cortex_core.curation import consolidation
from cortex_core.curation.consolidation import Pair
from cortex_core.errors import ModelFailed
from cortex_core.memory import Actor, Memory
from cortex_core.records import LedgerEntry, Proposal
from cortex_core.reports.curation import ConsolidationReport
from cortex_core.storage import ledger, proposals, snapshots
from cortex_core.storage.store import Store
from cortex_core.storage.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.curation.review import Reviews
    from cortex_core.embedding.models import EmbeddingModels
    from cortex_core.model.client import Spent

Progress = Callable[[int, int], None]
"""Told how many memories are done, and of how many."""


MOST_QUESTIONS = 4
"""Questions about links, and as many about merges, that one run asks of the model."""


class Consolidator:
    """Looks at whole stores for what says the same, and merges what is certain where it may."""

    def __init__(
        self,
        workspace: Workspace,
        models: EmbeddingModels,
        llm: LanguageModels,
        review: Reviews,
    ) -> None:
        self._workspace = workspace
        self._models = models
        self._review = review
        self._llm = llm

    def run(
        self,
        threshold: float = 0.5,
        *,
        dry_run: bool = False,
        new_only: bool = False,
        actor: Actor = "person",
        progress: Progress | None = None,
    ) -> ConsolidationReport:
        """See `Cortex.consolidate`."""
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
            ask_model(self._workspace, self._llm)
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


def ask_model(
    workspace: Workspace, llm: LanguageModels, keep_on: Callable[[], bool] = lambda: True
) -> None:
    """Have the language model tell new links apart and word new merges, a few questions long.

    Where none was chosen or none answers, or capture is paused, links stay plain and merges
    keep their union.
    """
    from cortex_core.curation import edge_types, merge_words

    model = llm.model()
    if model is None or projects.is_paused(workspace.project):
        return
    for store in (one for one in workspace.stores if one.writable):
        for name, tell in (("links", edge_types.tell), ("merges", merge_words.tell)):
            before, error = model.spent, ""
            try:
                for _ in range(MOST_QUESTIONS):
                    if not keep_on() or not tell(store, model):
                        break
            except ModelFailed as failure:
                error = "" if failure.cause == "not asked" else f"model: {failure.reason}"
            _note_asked(workspace, name, model.spent, before, error)


def _note_asked(workspace: Workspace, name: str, after: Spent, before: Spent, error: str) -> None:
    """Enter in the ledger what questions about links or merges came to."""
    if after == before and not error:
        return
    store = workspace.store()
    entry = LedgerEntry(
        number=0, time=store.clock(), event=name, tokens=after.tokens - before.tokens,
        cost=round(after.cost - before.cost, 6), error=error,
    )  # fmt: skip
    with store.write():
        ledger.record(store, entry)

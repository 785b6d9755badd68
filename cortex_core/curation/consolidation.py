"""Consolidation of whole stores: propose merges, carry out certain ones where the user allows that,
and have the language model write merged texts and type links."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cortex_core.base import project as projects
from cortex_core.base.errors import ModelFailed, StoreError
from cortex_core.curation.relations import MemoryPair, pairs, propose
from cortex_core.records.captures import LedgerEntry
from cortex_core.records.memory import Actor, Memory
from cortex_core.records.reviews import ConsolidationReport, Proposal
from cortex_core.store import ledger, memory_counts, memory_lookup, proposals, snapshots
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.curation.review import Reviews
    from cortex_core.maintenance.embedding_models import EmbeddingModels

Progress = Callable[[int, int], None]
"""Called with the number of finished memories, and of all."""


MOST_REQUESTS = 4
"""Requests about links, and as many about merges, that one run sends to the model."""

CAPTURES = 10
"""Captures that stored something after which a consolidation is due."""


def last_run(store: Store) -> tuple[int, int]:
    """Numbers of the newest memory and ledger entry when the store was last consolidated."""
    memory, _, entry = (store.meta("consolidated") or "0 0").partition(" ")
    return int(memory), int(entry)


def is_due(store: Store, after_new: int) -> bool:
    """Whether enough is new since the last run: `after_new` memories, or ten captures."""
    memory, entry = last_run(store)
    return (
        memory_counts.active_since(store, memory) >= after_new
        or ledger.fruitful_since(store, entry) >= CAPTURES
    )


def open_proposal(change: Change, pair: MemoryPair) -> int | None:
    """The number of the open proposal to merge a pair; None where it was judged already."""
    row = change.proposal_on(" ".join(sorted((pair.older.id, pair.newer.id))))
    is_open = row is not None and (row["status"], row["type"]) == ("open", "merge")
    return int(row["number"]) if row is not None and is_open else None


class Consolidator:
    """Looks through the stores of a workspace for duplicates; see `run`."""

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
        before = self._workspace.revision()
        linked = self._models.embed_pending(progress)
        try:
            return self._run(threshold, dry_run, new_only, actor, progress)
        except StoreError as error:
            if not linked and not self._workspace.has_changed(before):
                raise
            raise error.after(
                "The links and proposals that were found before stay, and so does what was merged."
            ) from error

    def _run(
        self,
        threshold: float,
        dry_run: bool,
        new_only: bool,
        actor: Actor,
        progress: Progress | None,
    ) -> ConsolidationReport:
        """Compare the memories of one store after the other."""
        # Only where the user chose so: else each merge waits for a verdict.
        may_merge = self._workspace.config.get("consolidation.mode") == "auto"
        proposed: list[Proposal] = []
        merged: list[Memory] = []
        compared = 0
        for store in self._workspace.own_stores:
            latest, embedder = last_run(store)[0] if new_only else 0, self._models.embedder()
            candidates = list(pairs(store, embedder, threshold, latest, progress=progress))
            compared += len(candidates)
            if not dry_run:
                new, certain = self._propose(store, candidates, actor)
                chosen = [(store.scope, number) for number in certain if may_merge]
                if chosen:
                    snapshots.take(store.path, "consolidate")
                    merged += self._review.merge_each(chosen, "worker", secrets.token_hex(8))
                proposed += [each for each in proposals.open_ones(store) if each.number in new]
        if not dry_run:
            ask_model(self._workspace, self._llm)
        return ConsolidationReport(
            compared=compared, proposed=tuple(proposed), merged=tuple(merged), dry_run=dry_run
        )

    @staticmethod
    def _propose(
        store: Store, candidates: Sequence[MemoryPair], actor: Actor
    ) -> tuple[set[int], list[int]]:
        """Record the proposals for pairs: the numbers of new ones, and of certain ones."""
        with store.change("consolidate", "propose merges", actor) as change:
            newest = f"{memory_lookup.newest_number(store)} {ledger.newest_number(store)}"
            store.set_meta("consolidated", newest)  # `last_run` reads it
            new = [propose(change, pair) for pair in candidates]
            certain = [
                open_proposal(change, each) for each in candidates if each.comparison.may_merge
            ]
        return set(filter(None, new)), list(filter(None, certain))


def ask_model(
    workspace: Workspace, llm: LanguageModels, should_continue: Callable[[], bool] = lambda: True
) -> None:
    """Have the language model type new links and write the text of new merges, in a few requests.

    Where no model was chosen or none answers, or capture is paused, links keep their type and
    merges the union of their texts.

    Args:
        should_continue: asked before each request; False leaves the rest for the next run.
    """
    from cortex_core.curation import model_merge

    model = llm.model()
    if model is None or projects.is_paused(workspace.project):
        return
    for store in (one for one in workspace.own_stores if one.writable):
        for name, send in (
            ("links", model_merge.type_edges),
            ("merges", model_merge.write_merged_texts),
        ):
            # Links and merges are recorded apart, so that the ledger shows what each cost.
            tokens, cost, error = model.tokens, model.cost, ""
            try:
                for _ in range(MOST_REQUESTS):
                    if not should_continue() or not send(store, model):
                        break
            except ModelFailed as failure:
                error = "" if failure.cause == "not asked" else f"model: {failure.reason}"
            _record_cost(workspace, name, model.tokens - tokens, model.cost - cost, error)


def _record_cost(workspace: Workspace, name: str, tokens: int, cost: float, error: str) -> None:
    """Enter in the ledger what requests about links or merges cost."""
    if not tokens and not cost and not error:
        return
    store = workspace.store()
    with store.write():
        ledger.record(
            store,
            LedgerEntry(
                number=0,
                time=store.clock(),
                event=name,
                tokens=tokens,
                cost=round(cost, 6),
                error=error,
            ),
        )

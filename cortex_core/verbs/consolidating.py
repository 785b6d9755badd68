"""The verbs that look at a whole store: find what says the same, merge all that is certain."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence

from cortex_core.curation import review
from cortex_core.errors import NotFound, UsageError
from cortex_core.memory import Actor, Memory, Scope
from cortex_core.records import Proposal
from cortex_core.reports.curation import ConsolidationReport, Review
from cortex_core.storage import snapshots
from cortex_core.storage.store import Store
from cortex_core.verbs.curating import Curating
from cortex_core.verbs.interpreting import Interpreting

Progress = Callable[[int, int], None]
"""Told how many memories are done, and of how many."""


class Consolidating(Curating, Interpreting):
    """Proposing merges, and carrying out many at once."""

    def consolidate(
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
        from cortex_core.curation import consolidation

        self.embed_pending(progress)
        compared = 0
        proposed: list[Proposal] = []
        merged: list[Memory] = []
        for store in self.stores:
            last = consolidation.last(store)[0] if new_only else 0
            found = list(
                consolidation.pairs(store, self.embedder(), threshold, last, progress=progress)
            )
            compared += len(found)
            if dry_run:
                continue
            consolidation.note(store)
            with store.change("consolidate", "propose merges", actor) as change:
                numbers = [consolidation.propose(change, pair) for pair in found]
            sure = {
                number
                for number, pair in zip(numbers, found, strict=True)
                if number is not None and pair.likeness.may_merge
            }
            merged += self._merge_alone(store, sorted(sure)) if self._alone() else []
            proposed += [review.proposal(store, n) for n in numbers if n is not None]
        if proposed:
            self.ask_model_to_curate()
        return ConsolidationReport(
            compared=compared, proposed=tuple(proposed), merged=tuple(merged), dry_run=dry_run
        )

    def clear_reviews(self, among: Iterable[tuple[Scope, int]] | None = None) -> list[Review]:
        """The open proposals that nothing speaks against: much alike, no flag, nothing lost, none
        changed.

        Args:
            among: store and number of the only ones that come into question; None: all.
        """
        chosen = None if among is None else set(among)
        found = []
        for scope, made in self.proposals():
            if made.conflicts or (chosen is not None and (scope, made.number) not in chosen):
                continue
            try:
                seen = self.review(made.number, scope)
            except UsageError:
                continue
            if seen.advice == "approve" and not seen.lost and not seen.changed:
                found.append(seen)
        return found

    def approve_all(
        self, among: Iterable[tuple[Scope, int]] | None = None, *, actor: Actor = "person"
    ) -> list[Memory]:
        """Merge every open proposal that nothing speaks against; one action to undo.

        Left for a verdict of their own are those that are little alike, with a flag raised or with
        words that lose something, and those whose members changed. A snapshot is taken first.

        Args:
            among: store and number of the only ones that come into question; None: all.

        Returns:
            the new memories.

        Raises:
            NotFound: there is none that may be merged so.
        """
        clear = self.clear_reviews(among)
        if not clear:
            raise NotFound(
                "No proposal is clear enough to be merged unseen. Nothing was changed. "
                "Judge them one by one: cortex review list."
            )
        for scope in {seen.scope for seen in clear}:
            snapshots.take(self.store(scope).path, "approve-all")
        action = secrets.token_hex(8)
        merged: list[Memory] = []
        for seen in clear:
            try:
                number = seen.proposal.number
                merged.append(self.approve(number, scope=seen.scope, actor=actor, action=action))
            except UsageError:  # A member went into a merge before this one.
                continue
        return merged

    def _alone(self) -> bool:
        return bool(self.config.get("consolidation.mode") == "auto")

    def _merge_alone(self, store: Store, numbers: Sequence[int]) -> list[Memory]:
        if numbers:
            snapshots.take(store.path, "consolidate")
        return [self.approve(number, scope=store.scope, actor="worker") for number in numbers]

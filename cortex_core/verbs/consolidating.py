"""The verbs that look at a whole store: find what says the same, merge all that is certain."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from cortex_core.curation import review
from cortex_core.errors import NotFound, UsageError
from cortex_core.memory import Actor, Memory, Scope
from cortex_core.records import Proposal
from cortex_core.reports.curation import ConsolidationReport, Review
from cortex_core.storage import snapshots
from cortex_core.storage.store import Store
from cortex_core.verbs.curating import Curating
from cortex_core.verbs.interpreting import Interpreting

if TYPE_CHECKING:
    from cortex_core.curation.consolidation import Pair

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
        self.embed_pending(progress)
        compared = 0
        proposed: list[Proposal] = []
        merged: list[Memory] = []
        for store in self.stores:
            found = self._alike(store, threshold, progress, new_only=new_only)
            compared += len(found)
            if not dry_run:
                new, sure = self._propose(store, found, actor)
                merged += self._merge_alone(store, sure) if self._alone() else []
                proposed += [one for one in review.proposals(store) if one.number in new]
        if proposed:
            self.ask_model_to_curate()
        return ConsolidationReport(
            compared=compared, proposed=tuple(proposed), merged=tuple(merged), dry_run=dry_run
        )

    def _alike(
        self, store: Store, threshold: float, progress: Progress | None, *, new_only: bool
    ) -> list[Pair]:
        from cortex_core.curation import consolidation

        last = consolidation.last(store)[0] if new_only else 0
        return list(consolidation.pairs(store, self.embedder(), threshold, last, progress=progress))

    @staticmethod
    def _propose(store: Store, found: Sequence[Pair], actor: Actor) -> tuple[set[int], list[int]]:
        """Record what `found` calls for: the numbers of what is new, and of what is certain."""
        from cortex_core.curation import consolidation

        consolidation.note(store)
        with store.change("consolidate", "propose merges", actor) as change:
            numbers = [consolidation.propose(change, pair) for pair in found]
            certain = [pair for pair in found if pair.likeness.may_merge]
            sure = [consolidation.open_proposal(change, pair) for pair in certain]
        return {one for one in numbers if one is not None}, [one for one in sure if one is not None]

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
        chosen = [(seen.scope, seen.proposal.number) for seen in clear]
        return self._merge_each(chosen, actor, secrets.token_hex(8))

    def _alone(self) -> bool:
        return bool(self.config.get("consolidation.mode") == "auto")

    def _merge_alone(self, store: Store, numbers: Sequence[int]) -> list[Memory]:
        if numbers:
            snapshots.take(store.path, "consolidate")
        return self._merge_each([(store.scope, number) for number in numbers], "worker")

    def _merge_each(
        self, chosen: Iterable[tuple[Scope, int]], actor: Actor, action: str = ""
    ) -> list[Memory]:
        """Carry out these proposals; one whose members a merge before it took in is passed over."""
        merged: dict[str, Memory] = {}
        for scope, number in chosen:
            try:
                made = self.approve(number, scope=scope, actor=actor, action=action)
            except (NotFound, UsageError):
                continue
            merged[made.id] = made
        return [one for one in merged.values() if self.get(one.id).status == "active"]

"""The verbs of review: a person's verdicts on proposals to merge or supersede."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from cortex_core import graph
from cortex_core.curation import merging, review
from cortex_core.errors import UsageError
from cortex_core.memory import Actor, Memory, Scope
from cortex_core.records import Proposal
from cortex_core.reports.curation import Review
from cortex_core.similarity.verdict import ALIKE
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store
from cortex_core.verbs import wording
from cortex_core.verbs.upkeep import Upkeep

NUMBERS_DIFFER = "Numbers differ"
"""How the flag of two texts that state different values begins."""

Verdict = Callable[[Change, list[Memory], Proposal], object]


class Curating(Upkeep):
    """Merging what says the same, with a person in charge."""

    def proposals(self) -> list[tuple[Scope, Proposal]]:
        """Every open proposal with its store, the most alike first."""
        found = [(store.scope, made) for store in self.stores for made in review.proposals(store)]
        return sorted(found, key=lambda pair: -pair[1].similarity)

    def proposal(self, number: int, scope: Scope | None = None) -> Proposal:
        """A proposal and what became of it, whether it can still be judged or not.

        Raises:
            NotFound: there is none of this number.
        """
        return review.proposal(self._store_of(scope), number)

    def reviews(self) -> list[Review]:
        """Every open proposal that can be judged, the most alike first; moot ones are left out."""
        found = []
        for scope, made in self.proposals():
            try:
                found.append(self.review(made.number, scope))
            except UsageError:
                continue
        return found

    def review(self, number: int, scope: Scope | None = None) -> Review:
        """A proposal with all that a verdict on it needs, as its members are today.

        Raises:
            NotFound: there is none of this number.
            UsageError: a member is not active any more.
        """
        store = self._store_of(scope)
        made = review.proposal(store, number)
        members = review.members(store, made)
        changed = review.fingerprint(members) != made.fingerprint
        words = made.text if made.text and not changed else _union(members)
        heir = merging.inherited(members[0], members[1:])
        inside = {one.id for one in members}
        moved = {
            edge
            for name in inside
            for edge in graph.edges(store, name)
            if not {edge.source, edge.target} <= inside
        }
        return Review(
            proposal=made, scope=store.scope, members=tuple(members), text=words,
            lost=tuple(merging.lost([one.content for one in members], words)), heir=heir,
            edges=len(moved), advice=_advice(made), changed=changed,
        )  # fmt: skip

    def approve(
        self, number: int, *, text: str | None = None, scope: Scope | None = None,
        actor: Actor = "person", action: str = "",
    ) -> Memory:  # fmt: skip
        """Merge the members of a proposal into a new memory that says `text`.

        Args:
            text: the merged words; None takes those that `review` shows.
            action: shared by merges that are undone together.

        Raises:
            UsageError: the words lose a number, path or identifier, or a member has changed since.
        """
        seen = self.review(number, scope)
        words = seen.text if text is None else wording.checked(text, self.config)

        def verdict(change: Change, members: list[Memory], made: Proposal) -> Memory:
            return review.merge(change, members, words, made)

        return self._decide_on(seen, "merge", "merge", verdict, actor, action)

    def keep_left(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Memory:
        """Keep a proposal's first member as it reads; it inherits what the others have."""
        return self._keep(number, 0, scope, actor)

    def keep_right(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Memory:
        """Keep a proposal's last member as it reads; it inherits what the others have."""
        return self._keep(number, -1, scope, actor)

    def supersede(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Memory:
        """Let the newest member of a proposal replace the others, which stay as history."""

        def verdict(change: Change, members: list[Memory], made: Proposal) -> Memory:
            newest = max(members, key=lambda one: (one.created, one.id))
            older = [one for one in members if one.id != newest.id]
            return review.supersede(change, newest, older, made)

        return self._decide_on(self.review(number, scope), "supersede", "supersede", verdict, actor)

    def distinct(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Proposal:
        """Say that a proposal's members are not duplicates; asked again only when one changes."""
        return self._close(number, "distinct", scope, actor)

    def reject(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Proposal:
        """Leave a proposal's members as they are."""
        return self._close(number, "rejected", scope, actor)

    def set_merged_text(
        self, number: int, words: str, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Review:
        """Keep edited words for the merge of a proposal, to be approved later.

        Raises:
            UsageError: they are empty, private or too long.
        """
        store = self._store_of(scope)
        made = review.proposal(store, number)
        words = wording.checked(words, self.config)
        with store.change("edit-merge", f"edit the words of merge {number}", actor) as change:
            change.update("proposal", made.number, {"text": words})
        return self.review(number, scope)

    # --- inside

    def _keep(self, number: int, place: int, scope: Scope | None, actor: Actor) -> Memory:
        def verdict(change: Change, members: list[Memory], made: Proposal) -> Memory:
            kept = members[place]
            return review.keep(change, kept, [one for one in members if one is not kept], made)

        return self._decide_on(self.review(number, scope), "merge", "keep", verdict, actor)

    def _decide_on(
        self, seen: Review, verb: str, label: str, verdict: Verdict, actor: Actor, action: str = ""
    ) -> Memory:
        """Carry out a verdict on what was seen; refused where a member changed meanwhile."""
        store = self._store_of(seen.scope)
        if seen.changed:
            self._refresh(store, seen)
        with store.change(verb, f"{label} “{seen.members[0].title}”", actor, action) as change:
            members = review.members(store, seen.proposal)
            if [one.content for one in members] != [one.content for one in seen.members]:
                raise UsageError(
                    "A member changed at this moment. Nothing was changed. Look again."
                )
            survivor = verdict(change, members, seen.proposal)
        assert isinstance(survivor, Memory)
        return store.memory(survivor.id)

    def _refresh(self, store: Store, seen: Review) -> None:
        """Bring a proposal up to date with its members, and say so instead of acting."""
        from cortex_core.capture import admission
        from cortex_core.curation import consolidation
        from cortex_core.curation.comparing import Comparer

        self.embed_pending()
        first, second = seen.members[0], seen.members[-1]
        likeness = Comparer(store).compare(first, second)
        is_update = seen.proposal.type == "supersede"
        changed = consolidation.changed(store, first, second) if is_update else ""
        with store.change(
            "refresh", f"refresh proposal {seen.proposal.number}", "worker"
        ) as change:
            admission.propose(
                change, (first.id, second.id), likeness, (first.content, second.content),
                changed=changed,
            )  # fmt: skip
        raise UsageError(
            f"A memory of proposal {seen.proposal.number} has changed since it was made. Nothing "
            "was merged; the proposal is up to date now. Look at it again."
        )

    def _close(
        self, number: int, status: Literal["distinct", "rejected"], scope: Scope | None,
        actor: Actor,
    ) -> Proposal:  # fmt: skip
        store = self._store_of(scope)
        made = review.proposal(store, number)
        with store.change(status, f"leave proposal {number} ({status})", actor) as change:
            review.close(change, made, status)
        return review.proposal(store, number)

    def _store_of(self, scope: Scope | None) -> Store:
        return self.store(scope or self.default_scope())


def _union(members: Sequence[Memory]) -> str:
    return merging.union([one.content for one in members])


def _advice(made: Proposal) -> Literal["approve", "supersede", "distinct"]:
    if made.type == "supersede":
        return "supersede"
    if made.similarity < ALIKE:
        return "distinct"
    if not made.conflicts:
        return "approve"
    differ = any(NUMBERS_DIFFER in conflict for conflict in made.conflicts)
    return "supersede" if differ else "distinct"

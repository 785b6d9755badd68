"""Proposals to merge or supersede, a user's verdicts on them, and what the survivor inherits."""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from cortex_core.admission import apply, checks, succession
from cortex_core.base import text
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.curation import merged_text
from cortex_core.duplicates.features import features
from cortex_core.duplicates.gates import is_about_numbers, raised
from cortex_core.duplicates.similarity import Comparison
from cortex_core.extract.sources import WITHDRAWS
from cortex_core.records.changes import JournalEntry
from cortex_core.records.memory import Actor, Memory, MemoryList, Scope
from cortex_core.records.reviews import Advice, Proposal, QueuedProposal, Review
from cortex_core.store import edges, journal, proposals, rows, snapshots
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.maintenance.embedding_models import EmbeddingModels


def inherited(survivor: Memory, others: Iterable[Memory]) -> Memory:
    """`survivor` with what it inherits: pin, tags, globs, the best confidence and priority, the
    uses and looks of all, the earliest creation and the latest reinforcement, and every source."""
    members = [survivor, *others]
    return replace(
        survivor,
        pinned=any(member.pinned for member in members),
        tags=tuple(dict.fromkeys(tag for member in members for tag in member.tags)),
        globs=tuple(dict.fromkeys(glob for member in members for glob in member.globs)),
        initial_confidence=max(member.initial_confidence for member in members),
        priority=max(member.priority for member in members),
        access_count=sum(member.access_count for member in members),
        last_access=max((member.last_access or 0.0 for member in members), default=0.0) or None,
        looks=sum(member.looks for member in members),
        created=min(member.created for member in members),
        reinforced=max(member.reinforced for member in members),
        sources=tuple(
            dict.fromkeys(source for each in members for source in each.sources or (each.source,))
        ),
    )


ReviewList = list[Review]
Names = list[str]

KEEPS: frozenset[Advice] = frozenset({"approve", "left", "right"})
"""The advice for members that say the same."""

Verdict = Callable[[Change, list[Memory], Proposal], Memory]
"""Carries out a decision on the members of a proposal; returns the memory that survives."""


def proposal_of(store: Store, number: int) -> Proposal:
    """The proposal of this number, whether it is open or decided on.

    Raises:
        NotFound: there is none of this number.
    """
    proposal = proposals.find(store, number)
    if proposal is None:
        raise NotFound(
            f"There is no proposal {number}. Nothing was changed. See: cortex review list"
        )
    return proposal


def fingerprint(members: Sequence[Memory]) -> str:
    """Changes when the content of a member does."""
    return text.content_hash("\0".join(sorted(member.content for member in members)))


def members_of(store: Store, proposal: Proposal) -> list[Memory]:
    """The memories of a proposal with their sources, in its order.

    Raises:
        UsageError: one of them is gone or no longer active, so nothing can be decided.
    """
    members = [store.memory(memory.id) for memory in store.memories(proposal.members)]
    are_active = all(member.status in ("active", "suggested") for member in members)
    if len(members) < len(proposal.members) or not are_active:
        raise UsageError(
            f"A memory of proposal {proposal.number} is no longer active. Nothing was changed. "
            "To see the others: cortex review list"
        )
    return members


def merge(change: Change, chosen: Sequence[Memory], words: str, proposal: Proposal) -> Memory:
    """Replace all `chosen` by a new memory that says `words`; they are archived."""
    from cortex_core.extract import wording

    # The merged memory keeps what the user cared about most.
    best = max(
        chosen, key=lambda member: (member.pinned, member.priority, member.initial_confidence)
    )
    survivor = inherited(
        replace(
            best,
            id=str(uuid.uuid4()),
            content=words,
            updated=change.time,
            status="active",
            title=best.title if best.content == words else wording.title(words),
        ),
        [member for member in chosen if member.id != best.id],
    )
    change.insert("memory", rows.to_row(survivor))
    for source in survivor.sources:
        change.insert("source", rows.source_row(survivor.id, source))
    _put_away(change, chosen, survivor, proposal)
    return survivor


def keep(change: Change, kept: Memory, others: Sequence[Memory], proposal: Proposal) -> Memory:
    """Keep one member unchanged, let it inherit what the others have, and archive them."""
    heir = inherited(kept, others)
    # Its words stay, so only what is inherited is written.
    columns = {
        name: value
        for name, value in rows.to_row(replace(heir, updated=change.time)).items()
        if name
        in (
            "pinned",
            "tags",
            "globs",
            "initial_confidence",
            "priority",
            "reinforced",
            "access_count",
            "last_access",
            "looks",
            "created",
            "updated",
        )
    }
    change.update("memory", kept.id, {**columns, "status": "active"})
    for member in others:
        for source in member.sources or (member.source,):
            change.insert("source", rows.source_row(kept.id, source))
    _put_away(change, others, heir, proposal)
    return heir


def _put_away(change: Change, gone: Sequence[Memory], heir: Memory, proposal: Proposal) -> None:
    """Archive the members that `heir` takes the place of; their links and proposals are its own."""
    for member in gone:
        for edge in change.edges_of(member.id):
            succession.move_edge(change, edge, member.id, heir.id)
        change.update("memory", member.id, {"status": "archived", "updated": change.time})
    close(change, proposal, "approved")
    _redirect_proposals(change, gone, heir, proposal)


def supersede(change: Change, newer: Memory, older: Sequence[Memory], proposal: Proposal) -> Memory:
    """Let `newer` replace `older`, which are kept as superseded."""
    # What only takes something back is history once it has done so.
    status = "superseded" if newer.details.get(WITHDRAWS) else "active"
    change.update("memory", newer.id, {"status": status})
    for memory in older:
        succession.retire(change, newer, memory)
    close(change, proposal, "approved")
    return newer


def close(change: Change, proposal: Proposal, status: str) -> None:
    """Record the verdict; the stored fingerprint says when to ask again."""
    change.update("proposal", proposal.number, {"status": status})


def _redirect_proposals(
    change: Change, gone: Sequence[Memory], heir: Memory, proposal: Proposal
) -> None:
    """Let the other proposals on the memories that are `gone` be about `heir`.

    A third memory that was similar to one of them is similar to it, and a user's verdict “distinct”
    stays in force.
    """
    names = {memory.id for memory in gone}
    affected = [row for name in names for row in change.proposals_with(name)]
    # An open proposal stays, of several the more similar one: the others would ask the same.
    affected.sort(
        key=lambda row: (row["status"] == "open", row["similarity"], -row["number"]), reverse=True
    )
    for row in affected:
        if row["number"] == proposal.number or row["status"] == "approved":
            continue
        ids = [heir.id if name in names else name for name in json.loads(row["members"])]
        others = [name for name in dict.fromkeys(ids) if name != heir.id]
        contents = [change.read("memory", name) for name in others]
        pair = " ".join(sorted({heir.id, *others}))
        if not others or not all(contents) or change.proposal_on(pair) is not None:
            change.delete("proposal", row["number"])
            continue
        texts = [heir.content, *(content["content"] for content in contents if content)]
        change.update(
            "proposal",
            row["number"],
            {
                "members": rows.dumps(list(dict.fromkeys(ids))),
                "pair": pair,
                "text": "",
                "fingerprint": text.content_hash("\0".join(sorted(texts))),
            },
        )


class Reviews:
    """A user's verdicts on proposals to merge or supersede."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels) -> None:
        self._workspace = workspace
        self._models = models

    def proposals(self) -> list[tuple[Scope, Proposal]]:
        """Every open proposal with its store: what changed first, then the most similar."""
        open_proposals = [
            (store.scope, each)
            for store in self._workspace.own_stores
            for each in proposals.open_ones(store)
        ]
        return sorted(open_proposals, key=lambda pair: _precedence(pair[1]))

    def queue(self) -> list[QueuedProposal]:
        """Every open proposal whose members are still in force, in the order of `proposals`, in a
        fraction of its time."""
        waiting = [
            each for store in self._workspace.own_stores for each in proposals.judgeable(store)
        ]
        return sorted(waiting, key=_precedence)

    def proposal(self, number: int, scope: Scope | None = None) -> Proposal:
        """A proposal and its status, whether it is still open or not.

        Raises:
            NotFound: there is none of this number.
        """
        return proposal_of(self._workspace.store(scope), number)

    def judged(self, limit: int = 20) -> list[tuple[Proposal, JournalEntry]]:
        """The proposals that were decided last and the verdicts on them, the newest first.

        A verdict is taken back by `Cortex.undo` with the `number` and `scope` of its change.
        """
        found = [
            (proposal_of(store, number), change)
            for store in self._workspace.own_stores
            for number, change in journal.judged(store, limit).items()
        ]
        return sorted(found, key=lambda pair: -pair[1].time)[:limit]

    def list(self) -> ReviewList:
        """Every open proposal that can be decided on, in the order of `proposals`."""
        reviews = []
        for scope, proposal in self.proposals():
            with suppress(UsageError):
                reviews.append(self.get(proposal.number, scope))
        return reviews

    def get(self, number: int, scope: Scope | None = None) -> Review:
        """A proposal with all that a verdict needs, as its members are now.

        Raises:
            NotFound: there is none of this number.
            UsageError: a member is no longer active.
        """
        from cortex_core.curation import relations

        store = self._workspace.store(scope)
        proposal = proposal_of(store, number)
        members = members_of(store, proposal)
        contents = [member.content for member in members]
        changed = fingerprint(members) != proposal.fingerprint
        # A text that was written for other words may lose some of these.
        words = proposal.text if proposal.text and not changed else merged_text.union(contents)
        compared = relations.Comparer(store).compare(members[0], members[-1])
        ids = {member.id for member in members}
        moved = {
            edge
            for name in ids
            for edge in edges.touching(store, [name])
            if not {edge.source, edge.target} <= ids
        }
        return Review(
            proposal=proposal,
            scope=store.scope,
            members=tuple(members),
            text=words,
            lost=tuple(merged_text.lost(contents, words)),
            heir=inherited(members[0], members[1:]),
            edges=len(moved),
            advice=_advice(proposal, members, compared),
            changed=changed,
        )

    @staticmethod
    def lost(review: Review, words: str) -> Names:
        """The numbers, paths and identifiers of the members that `words` leave out."""
        return merged_text.lost([member.content for member in review.members], words)

    def with_duplicates(self, ids: Sequence[str]) -> Names:
        """The memories called `ids`, each followed by those that an open proposal says may be the
        same."""
        from cortex_core.search import recall

        behind: dict[str, Names] = {}
        for members in recall.possible_duplicates(self._workspace.stores, ids):
            for member in members:
                behind.setdefault(member, []).extend(members)
        return list(dict.fromkeys(each for id in ids for each in (id, *behind.get(id, ()))))

    def certain(self, among: Iterable[tuple[Scope, int]] | None = None) -> ReviewList:
        """The open proposals that can be merged without a look: the members say the same and differ
        in nothing that could matter, and have not changed since.

        Args:
            among: store and number of the proposals to consider; None: all.
        """
        chosen = None if among is None else set(among)
        reviews = []
        for each in self.queue():
            if each.conflicts or (chosen is not None and (each.scope, each.number) not in chosen):
                continue
            store = self._workspace.store(each.scope)
            with suppress(NotFound, UsageError):
                members = members_of(store, proposal_of(store, each.number))
                first, *others = (features(member.content) for member in members)
                # Most are ruled out by the gates, which cost less than a comparison.
                if any(raised(first, other) for other in others):
                    continue
                review = self.get(each.number, each.scope)
                if review.advice in KEEPS and not review.lost and not review.changed:
                    reviews.append(review)
        return reviews

    def approve(
        self,
        number: int,
        *,
        text: str | None = None,
        scope: Scope | None = None,
        actor: Actor = "person",
        action: str = "",
    ) -> Memory:
        """Merge the members of a proposal into a new memory that says `text`.

        Args:
            text: the merged words; None takes those that `get` shows.
            action: the id that merges share if they are undone together.

        Raises:
            UsageError: no words are given for members that contradict each other, the words lose a
                number, path or identifier of others, or a member has changed since.
        """
        review = self.get(number, scope)
        if text is None and review.advice == "supersede":
            raise UsageError(
                "The members contradict each other, so they are not merged without a text. Nothing "
                f"was changed. Keep the newer one: cortex review approve {number} --keep newer"
            )
        words = review.text if text is None else checks.checked(text, self._workspace.config)
        # Where members contradict each other, a text of one's own has to leave one of them out.
        if not (text and review.advice == "supersede") and (gone := self.lost(review, words)):
            raise UsageError(
                f"The merged text loses {', '.join(gone[:6])}. Nothing was changed. Add that to "
                "the text, or keep one side."
            )

        def verdict(change: Change, members: list[Memory], proposal: Proposal) -> Memory:
            return merge(change, members, words, proposal)

        return self._decide_on(review, "merge", "merge", verdict, actor, action)

    def approve_all(
        self, among: Iterable[tuple[Scope, int]] | None = None, *, actor: Actor = "person"
    ) -> MemoryList:
        """Merge every proposal that is certain (see `certain`), as one action to undo.

        All others are left for a verdict of their own. A snapshot is taken first.

        Args:
            among: store and number of the proposals to consider; None: all.

        Returns:
            the new memories.

        Raises:
            NotFound: no proposal is certain.
        """
        certain = self.certain(among)
        if not certain:
            raise NotFound(
                "No proposal is certain enough to be merged without review. Nothing was changed. "
                "Review them one by one: cortex review list"
            )
        # One answer merges many memories, so a copy of the store is kept.
        for scope in {review.scope for review in certain}:
            snapshots.take(self._workspace.store(scope).path, "approve-all")
        chosen = [(review.scope, review.proposal.number) for review in certain]
        return self.merge_each(chosen, actor, secrets.token_hex(8))

    def keep_left(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Memory:
        """Keep a proposal's first member unchanged; it inherits what the others have."""
        return self._keep(number, 0, scope, actor)

    def keep_right(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Memory:
        """Keep a proposal's last member unchanged; it inherits what the others have."""
        return self._keep(number, -1, scope, actor)

    def supersede(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Memory:
        """Let the newest member of a proposal replace the others, which are kept as superseded.

        Of two versions of one memory, which are equally old, the first is the newer.
        """

        def verdict(change: Change, members: list[Memory], proposal: Proposal) -> Memory:
            newest = max(members, key=lambda memory: memory.created)
            older = [memory for memory in members if memory.id != newest.id]
            return supersede(change, newest, older, proposal)

        return self._decide_on(self.get(number, scope), "supersede", "supersede", verdict, actor)

    def distinct(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Proposal:
        """Record that the members are not duplicates; asked again only when one changes."""
        return self._close(number, "distinct", scope, actor)

    def reject(
        self, number: int, *, scope: Scope | None = None, actor: Actor = "person"
    ) -> Proposal:
        """Reject a proposal and leave its members as they are."""
        return self._close(number, "rejected", scope, actor)

    def merge_each(
        self, chosen: Iterable[tuple[Scope, int]], actor: Actor, action: str = ""
    ) -> MemoryList:
        """Merge these proposals, all that can be or none; one whose members an earlier merge
        archived is skipped.

        Args:
            action: the id that they share; necessary for proposals of both stores.
        """
        listed = list(chosen)
        merged: dict[str, Memory] = {}
        owners = [self._workspace.store(scope) for scope in dict.fromkeys(s for s, _ in listed)]
        with self._workspace.together(owners, action):
            for scope, number in listed:
                with suppress(NotFound, UsageError):
                    memory = self.approve(number, scope=scope, actor=actor, action=action)
                    merged[memory.id] = memory
        return [each for each in merged.values() if self._workspace.get(each.id).status == "active"]

    def _keep(self, number: int, index: int, scope: Scope | None, actor: Actor) -> Memory:
        return self._decide_on(
            self.get(number, scope),
            "merge",
            "keep",
            lambda change, members, proposal: keep(
                change, members[index], [m for m in members if m is not members[index]], proposal
            ),
            actor,
        )

    def _decide_on(
        self, seen: Review, verb: str, label: str, verdict: Verdict, actor: Actor, action: str = ""
    ) -> Memory:
        """Carry out a verdict on what the user saw; refused where a member changed meanwhile.

        Before the first of a day there is a snapshot; a larger `action` has taken its own.
        """
        store = self._workspace.store(seen.scope)
        if seen.changed:
            self._refresh(store, seen)
        if not action:
            snapshots.take_daily(store.path, "review")
        with store.change(verb, f"{label} “{seen.members[0].title}”", actor, action) as change:
            members = members_of(store, seen.proposal)
            if [each.content for each in members] != [each.content for each in seen.members]:
                raise UsageError(
                    "A memory of the proposal changed at this moment. Nothing was changed. Look at "
                    "it again."
                )
            survivor = verdict(change, members, seen.proposal)
        return store.memory(survivor.id)

    def _refresh(self, store: Store, review: Review) -> None:
        """Bring a proposal up to date with its members, and raise instead of acting."""
        from cortex_core.curation import relations

        self._models.embed_pending()
        first, second = review.members[0], review.members[-1]
        comparison = relations.Comparer(store).compare(first, second)
        if not (comparison.propose or comparison.conflicts):
            comparison = replace(comparison, conflicts=("They no longer say the same.",))
        changed = relations.changed(first, second) if review.proposal.type == "supersede" else ""
        with store.change(
            "refresh", f"refresh proposal {review.proposal.number}", "worker"
        ) as change:
            apply.propose(
                change,
                (first.id, second.id),
                comparison,
                (first.content, second.content),
                changed=changed,
            )
        raise UsageError(
            f"A memory of proposal {review.proposal.number} has changed since it was made. Nothing "
            "was merged. The proposal is now up to date; look at it again."
        )

    def _close(
        self,
        number: int,
        status: Literal["distinct", "rejected"],
        scope: Scope | None,
        actor: Actor,
    ) -> Proposal:
        store = self._workspace.store(scope)
        proposal = proposal_of(store, number)
        titles = " and ".join(f"“{one.title}”" for one in store.memories(proposal.members))
        label = f"leave {titles} alone" if status == "rejected" else f"{titles} differ"
        with store.change(status, label, actor) as change:
            close(change, proposal, status)
        return proposal_of(store, number)


def _precedence(proposal: Proposal | QueuedProposal) -> tuple[bool, float]:
    return proposal.type != "supersede", -proposal.similarity


def _advice(proposal: Proposal, members: Sequence[Memory], compared: Comparison) -> Advice:
    """What the shown evidence speaks for: against merging only where a conflict is named."""
    if proposal.type == "supersede":
        return "supersede"
    if proposal.conflicts:
        return "supersede" if any(map(is_about_numbers, proposal.conflicts)) else "distinct"
    fuller = {"a": members[0], "b": members[-1]}.get(compared.fuller) if len(members) == 2 else None
    if fuller is None or merged_text.lost([member.content for member in members], fuller.content):
        return "approve"
    return "left" if fuller is members[0] else "right"

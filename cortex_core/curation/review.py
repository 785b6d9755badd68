"""What becomes of the words and the standing of merged memories: pure functions of values.

Proposals to merge or supersede, and a user's verdicts on them.
"""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from cortex_core.base import text
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.base.text import content_words, facts
from cortex_core.curation import wording
from cortex_core.duplicates import gates
from cortex_core.duplicates.similarity import PROBABLY_SAME
from cortex_core.extract.sentences import split
from cortex_core.reports import Review
from cortex_core.store import edges, queries, rows, snapshots
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace
from cortex_core.types import Actor, Memory, Proposal, Scope, Source

if TYPE_CHECKING:
    from cortex_core.maintenance.embedding_models import EmbeddingModels


def union(texts: Sequence[str]) -> str:
    """One text that says all that `texts` say: the fullest, and of the others the sentences that
    bring a content word it lacks."""
    ordered = sorted(texts, key=lambda text: (-len(set(content_words(text))), texts.index(text)))
    merged, known = ordered[0].strip(), set(content_words(ordered[0]))
    for other in ordered[1:]:
        for sentence in _sentences(other):
            new = set(content_words(sentence)) - known
            if new:
                merged = f"{merged.rstrip()}\n{sentence}"
                known |= new
    return merged


def _sentences(text: str) -> list[str]:
    """The sentences of every line of `text`; a line is never joined with the next."""
    return [part for line in text.splitlines() if line.strip() for part in split(line.strip())]


def lost(texts: Iterable[str], merged: str) -> list[str]:
    """The numbers, paths and identifiers of `texts` that `merged` does not hold."""
    kept = facts(merged)
    return sorted({fact for text in texts for fact in facts(text)} - kept)


def inherited(survivor: Memory, others: Iterable[Memory]) -> Memory:
    """`survivor` with what it takes over: pin, tags, globs, the best confidence and priority, the
    accesses of all, the earliest creation and the latest reinforcement, and every source."""
    members = [survivor, *others]
    return replace(
        survivor,
        pinned=any(one.pinned for one in members),
        tags=tuple(dict.fromkeys(tag for one in members for tag in one.tags)),
        globs=tuple(dict.fromkeys(glob for one in members for glob in one.globs)),
        initial_confidence=max(one.initial_confidence for one in members),
        priority=max(one.priority for one in members),
        access_count=sum(one.access_count for one in members),
        last_access=max((one.last_access or 0.0 for one in members), default=0.0) or None,
        created=min(one.created for one in members),
        reinforced=max(one.reinforced for one in members),
        sources=_sources(members),
    )


def _sources(members: Sequence[Memory]) -> tuple[Source, ...]:
    return tuple(
        dict.fromkeys(source for one in members for source in (one.sources or (one.source,)))
    )


MemoryList = list[Memory]
ReviewList = list[Review]

Verdict = Callable[[Change, list[Memory], Proposal], object]


def proposal(store: Store, number: int) -> Proposal:
    """One proposal.

    Raises:
        NotFound: there is none of this number.
    """
    found = queries.numbered(store, number)
    if found is None:
        raise NotFound(
            f"There is no proposal {number}. Nothing was changed. See: cortex review list"
        )
    return found


def fingerprint(members: Sequence[Memory]) -> str:
    """Changes when the content of a member does."""
    return text.content_hash("\0".join(sorted(one.content for one in members)))


def members(store: Store, made: Proposal) -> list[Memory]:
    """The proposal's memories with their sources, in its order.

    Raises:
        UsageError: one of them is gone or not active any more; the proposal is moot.
    """
    found = [store.memory(one.id) for one in store.memories(made.members)]
    if len(found) < len(made.members) or any(
        one.status not in ("active", "suggested") for one in found
    ):
        raise UsageError(
            f"A memory of proposal {made.number} is no longer active. Nothing was changed. To see "
            "the others: cortex review list"
        )
    return found


def merge(change: Change, chosen: Sequence[Memory], words: str, made: Proposal) -> Memory:
    """Put a new memory that says `words` in place of all `chosen`; they are archived.

    Raises:
        UsageError: `words` lose a number, path or identifier of a member.
    """
    from cortex_core.extract import wording

    if gone := lost([one.content for one in chosen], words):
        raise UsageError(
            f"The merged text loses {', '.join(gone[:6])}. Nothing was changed. Add that to the "
            "text, or keep one side."
        )
    best = max(chosen, key=lambda one: (one.pinned, one.priority, one.initial_confidence))
    survivor = inherited(
        replace(
            best, id=str(uuid.uuid4()), content=words, updated=change.time, status="active",
            title=best.title if best.content == words else wording.title(words),
        ),
        [one for one in chosen if one.id != best.id],
    )  # fmt: skip
    change.insert("memory", rows.to_row(survivor))
    for source in survivor.sources:
        change.insert("source", rows.source_row(survivor.id, source))
    for one in chosen:
        _move_edges(change, one.id, survivor.id)
        change.update("memory", one.id, {"status": "archived", "updated": change.time})
    close(change, made, "approved")
    _hand_over(change, chosen, survivor, made)
    return survivor


def keep(change: Change, kept: Memory, others: Sequence[Memory], made: Proposal) -> Memory:
    """Keep one member as it reads, let it inherit what the others have, and archive them."""
    heir = inherited(kept, others)
    columns = {
        name: value
        for name, value in rows.to_row(replace(heir, updated=change.time)).items()
        if name in ("pinned", "tags", "globs", "initial_confidence", "priority", "reinforced",
                    "access_count", "created", "updated")
    }  # fmt: skip
    change.update("memory", kept.id, {**columns, "status": "active"})
    for one in others:
        for source in one.sources or (one.source,):
            change.insert("source", rows.source_row(kept.id, source))
        _move_edges(change, one.id, kept.id)
        change.update("memory", one.id, {"status": "archived", "updated": change.time})
    close(change, made, "approved")
    _hand_over(change, others, heir, made)
    return heir


def supersede(change: Change, newer: Memory, older: Sequence[Memory], made: Proposal) -> Memory:
    """Let `newer` replace `older`, which stay as what was true before."""
    change.update("memory", newer.id, {"status": "active"})
    for one in older:
        columns = {"status": "superseded", "valid_until": newer.created, "updated": change.time}
        change.update("memory", one.id, columns)
        if not change.known_edge(newer.id, one.id, "supersedes"):
            change.insert(
                "edge",
                {"source": newer.id, "target": one.id, "type": "supersedes",
                 "created": change.time},
            )  # fmt: skip
    close(change, made, "approved")
    return newer


def close(change: Change, made: Proposal, status: str) -> None:
    """Note the verdict; the fingerprint kept with it tells when to ask again."""
    change.update("proposal", made.number, {"status": status})


def _hand_over(change: Change, gone: Sequence[Memory], heir: Memory, made: Proposal) -> None:
    """Let the other proposals on what went into `heir` be about `heir`: a third memory that was
    like one of them is like it, and a verdict “distinct” of the user stays in force."""
    names = {one.id for one in gone}
    rows_ = [row for name in names for row in change.proposals_with(name)]
    for row in sorted(rows_, key=_claim, reverse=True):
        if row["number"] == made.number or row["status"] == "approved":
            continue
        ids = [heir.id if name in names else name for name in json.loads(row["members"])]
        others = [name for name in dict.fromkeys(ids) if name != heir.id]
        contents = [change.read("memory", name) for name in others]
        pair = " ".join(sorted({heir.id, *others}))
        if not others or not all(contents) or change.proposal_on(pair) is not None:
            change.delete("proposal", row["number"])
            continue
        texts = [heir.content, *(content["content"] for content in contents if content)]
        change.update("proposal", row["number"], {
            "members": rows.dumps(list(dict.fromkeys(ids))), "pair": pair, "text": "",
            "fingerprint": text.content_hash("\0".join(sorted(texts))),
        })  # fmt: skip


def _claim(row: rows.Row) -> tuple[bool, float, int]:
    """Which of two proposals on the same memories stays: one still open, then the more alike."""
    return row["status"] == "open", row["similarity"], -row["number"]


def _move_edges(change: Change, old: str, new: str) -> None:
    for edge in change.edges_of(old):
        ends = {end: new if edge[end] == old else edge[end] for end in ("source", "target")}
        change.delete("edge", edge["id"])
        doubled = change.known_edge(ends["source"], ends["target"], edge["type"])
        if ends["source"] != ends["target"] and not doubled:
            change.insert("edge", {**edge, **ends})


def _proposal(row: rows.Row) -> Proposal:
    return Proposal(
        number=row["number"], type=row["type"], members=tuple(json.loads(row["members"])),
        similarity=row["similarity"], reasons=tuple(json.loads(row["reasons"])),
        conflicts=tuple(json.loads(row["conflicts"])), text=row["text"],
        fingerprint=row["fingerprint"], status=row["status"], created=row["created"],
    )  # fmt: skip


class Reviews:
    """A user's verdicts on proposals to merge or supersede."""

    def __init__(self, workspace: Workspace, models: EmbeddingModels) -> None:
        self._workspace = workspace
        self._models = models

    def proposals(self) -> list[tuple[Scope, Proposal]]:
        """Every open proposal with its store, the most alike first."""
        found = [
            (store.scope, made)
            for store in self._workspace.stores
            for made in queries.unjudged(store)
        ]
        return sorted(found, key=lambda pair: -pair[1].similarity)

    def proposal(self, number: int, scope: Scope | None = None) -> Proposal:
        """A proposal and what became of it, whether it can still be judged or not.

        Raises:
            NotFound: there is none of this number.
        """
        return proposal(self._workspace.store(scope), number)

    def list(self) -> ReviewList:
        """Every open proposal that can be judged, the most alike first; moot ones are left out."""
        found = []
        for scope, made in self.proposals():
            try:
                found.append(self.get(made.number, scope))
            except UsageError:
                continue
        return found

    def get(self, number: int, scope: Scope | None = None) -> Review:
        """A proposal with all that a verdict on it needs, as its members are today.

        Raises:
            NotFound: there is none of this number.
            UsageError: a member is not active any more.
        """
        store = self._workspace.store(scope)
        made = proposal(store, number)
        listed = members(store, made)
        changed = fingerprint(listed) != made.fingerprint
        words = made.text if made.text and not changed else _union(listed)
        heir = inherited(listed[0], listed[1:])
        inside = {one.id for one in listed}
        moved = {
            edge
            for name in inside
            for edge in edges.edges(store, name)
            if not {edge.source, edge.target} <= inside
        }
        return Review(
            proposal=made, scope=store.scope, members=tuple(listed), text=words,
            lost=tuple(lost([one.content for one in listed], words)), heir=heir,
            edges=len(moved), advice=_advice(made), changed=changed,
        )  # fmt: skip

    def clear(self, among: Iterable[tuple[Scope, int]] | None = None) -> ReviewList:
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
                seen = self.get(made.number, scope)
            except UsageError:
                continue
            if seen.advice == "approve" and not seen.lost and not seen.changed:
                found.append(seen)
        return found

    def approve(
        self, number: int, *, text: str | None = None, scope: Scope | None = None,
        actor: Actor = "person", action: str = "",
    ) -> Memory:  # fmt: skip
        """Merge the members of a proposal into a new memory that says `text`.

        Args:
            text: the merged words; None takes those that `get` shows.
            action: shared by merges that are undone together.

        Raises:
            UsageError: the words lose a number, path or identifier, or a member has changed since.
        """
        seen = self.get(number, scope)
        words = seen.text if text is None else wording.checked(text, self._workspace.config)

        def verdict(change: Change, members: list[Memory], made: Proposal) -> Memory:
            return merge(change, members, words, made)

        return self._decide_on(seen, "merge", "merge", verdict, actor, action)

    def approve_all(
        self, among: Iterable[tuple[Scope, int]] | None = None, *, actor: Actor = "person"
    ) -> MemoryList:
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
        clear = self.clear(among)
        if not clear:
            raise NotFound(
                "No proposal is certain enough to be merged without review. Nothing was changed. "
                "Review them one by one: cortex review list"
            )
        for scope in {seen.scope for seen in clear}:
            snapshots.take(self._workspace.store(scope).path, "approve-all")
        chosen = [(seen.scope, seen.proposal.number) for seen in clear]
        return self.merge_each(chosen, actor, secrets.token_hex(8))

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
            return supersede(change, newest, older, made)

        return self._decide_on(self.get(number, scope), "supersede", "supersede", verdict, actor)

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
        store = self._workspace.store(scope)
        made = proposal(store, number)
        words = wording.checked(words, self._workspace.config)
        with store.change("edit-merge", f"edit the words of merge {number}", actor) as change:
            change.update("proposal", made.number, {"text": words})
        return self.get(number, scope)

    def merge_each(
        self, chosen: Iterable[tuple[Scope, int]], actor: Actor, action: str = ""
    ) -> MemoryList:
        """Carry out these proposals; one whose members a merge before it took in is passed over."""
        merged: dict[str, Memory] = {}
        for scope, number in chosen:
            try:
                made = self.approve(number, scope=scope, actor=actor, action=action)
            except (NotFound, UsageError):
                continue
            merged[made.id] = made
        return [one for one in merged.values() if self._workspace.get(one.id).status == "active"]

    def _keep(self, number: int, place: int, scope: Scope | None, actor: Actor) -> Memory:
        def verdict(change: Change, members: list[Memory], made: Proposal) -> Memory:
            kept = members[place]
            return keep(change, kept, [one for one in members if one is not kept], made)

        return self._decide_on(self.get(number, scope), "merge", "keep", verdict, actor)

    def _decide_on(
        self, seen: Review, verb: str, label: str, verdict: Verdict, actor: Actor, action: str = ""
    ) -> Memory:
        """Carry out a verdict on what was seen; refused where a member changed meanwhile."""
        store = self._workspace.store(seen.scope)
        if seen.changed:
            self._refresh(store, seen)
        with store.change(verb, f"{label} “{seen.members[0].title}”", actor, action) as change:
            listed = members(store, seen.proposal)
            if [one.content for one in listed] != [one.content for one in seen.members]:
                raise UsageError(
                    "A memory of the proposal changed at this moment. Nothing was changed. Look at "
                    "it again."
                )
            survivor = verdict(change, listed, seen.proposal)
        assert isinstance(survivor, Memory)
        return store.memory(survivor.id)

    def _refresh(self, store: Store, seen: Review) -> None:
        """Bring a proposal up to date with its members, and say so instead of acting."""
        from cortex_core.capture import admission
        from cortex_core.curation import relations

        self._models.embed_pending()
        first, second = seen.members[0], seen.members[-1]
        comparison = relations.Comparer(store).compare(first, second)
        is_update = seen.proposal.type == "supersede"
        changed = relations.changed(store, first, second) if is_update else ""
        with store.change(
            "refresh", f"refresh proposal {seen.proposal.number}", "worker"
        ) as change:
            admission.propose(
                change, (first.id, second.id), comparison, (first.content, second.content),
                changed=changed,
            )  # fmt: skip
        raise UsageError(
            f"A memory of proposal {seen.proposal.number} has changed since it was made. Nothing "
            "was merged. The proposal is now up to date; look at it again."
        )

    def _close(
        self, number: int, status: Literal["distinct", "rejected"], scope: Scope | None,
        actor: Actor,
    ) -> Proposal:  # fmt: skip
        store = self._workspace.store(scope)
        made = proposal(store, number)
        with store.change(status, f"leave proposal {number} ({status})", actor) as change:
            close(change, made, status)
        return proposal(store, number)


def _union(members: Sequence[Memory]) -> str:
    return union([one.content for one in members])


def _advice(made: Proposal) -> Literal["approve", "supersede", "distinct"]:
    if made.type == "supersede":
        return "supersede"
    if made.similarity < PROBABLY_SAME:
        return "distinct"
    if not made.conflicts:
        return "approve"
    differ = any(map(gates.is_about_numbers, made.conflicts))
    return "supersede" if differ else "distinct"

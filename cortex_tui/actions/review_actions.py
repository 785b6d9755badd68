"""What the merge review asks of the stores: proposals and where their members differ, verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, NamedTuple

from cortex_core.base.errors import CortexError, NotFound, UsageError
from cortex_core.records.memory import Memory, Scope
from cortex_core.records.reviews import Review
from cortex_tui.queries import Done, Revision
from cortex_tui.session import StoreSession

if TYPE_CHECKING:
    from cortex_core import Cortex

Fate = Literal["same", "other", "only"]
"""On both sides; replaced by another word on the other side; missing there."""

LONGEST = 800
"""Words of a side that are compared; longer texts are shown unmarked."""

_WORD = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+(?:[.'/_-]\w+)*|[^\w\s]+")
"""Blanks; one sign of a script without blanks; a word, path or number; punctuation."""

Verdict = Literal["approve", "left", "right", "supersede", "distinct", "reject"]

DECIDED: dict[Verdict, str] = {
    "approve": "merged",
    "left": "kept A",
    "right": "kept B",
    "supersede": "kept newer",
    "distinct": "differ",
    "reject": "left alone",
}
"""What the queue calls a proposal after each verdict."""

CLOSED = {
    "approved": "merged",
    "rejected": "left alone",
    "distinct": "differ",
    "open": "a memory is gone",
}
"""What it calls one that others closed, by its status."""


class Stretch(NamedTuple):
    """A stretch of one side."""

    text: str
    fate: Fate = "same"


class ProposalKey(NamedTuple):
    """What identifies a proposal."""

    scope: Scope
    number: int


class QueueItem(NamedTuple):
    """A proposal in the queue."""

    name: ProposalKey
    title: str
    similarity: float
    flags: int
    """How many conflicts it has."""


@dataclass(frozen=True, slots=True)
class Queue:
    """The open proposals, and the outcome of others."""

    items: tuple[QueueItem, ...]
    closed: Mapping[ProposalKey, str]
    """Of the proposals asked about and of those decided last, what became of them."""
    changes: Mapping[ProposalKey, int]
    """The change in the store's journal that decided them, where it can be undone."""
    revision: Revision


@dataclass(frozen=True, slots=True)
class ProposalDetail:
    """One proposal to judge."""

    name: ProposalKey
    review: Review | None
    """None where it cannot be judged any more; `gone` says why."""
    sides: tuple[tuple[Stretch, ...], ...] = ()
    """The content of each member, what the others lack marked."""
    gone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Done):
    """A verdict that was carried out."""

    name: ProposalKey
    verdict: Verdict


def queue(stores: StoreSession, known: Collection[ProposalKey] = ()) -> Queue:
    """The open proposals whose members are all there, the most similar first; then those that were
    decided last.

    Args:
        known: proposals that are shown; closed ones among them are reported.
    """
    stores.check()
    cortex = stores.cortex
    revision = cortex.workspace.revision()
    items = [
        QueueItem(ProposalKey(one.scope, one.number), one.title, one.similarity, one.conflicts)
        for one in cortex.review.queue()
    ]
    judged = {
        ProposalKey(change.scope, proposal.number): (proposal, change.number)
        for proposal, change in cortex.review.judged()
    }
    members = _members(cortex, (name for one, _ in judged.values() for name in one.members))
    decided = [
        QueueItem(
            name, members[proposal.members[0]].title, proposal.similarity, len(proposal.conflicts)
        )
        for name, (proposal, _) in judged.items()
        if proposal.members[0] in members
    ]
    # Decided proposals stay in the queue below the open ones, so that a verdict can be looked at
    # and taken back; those that vanished say why.
    closed = {item.name: CLOSED[judged[item.name][0].status] for item in decided}
    items += decided
    lost = set(known).difference(item.name for item in items)
    closed |= {name: _closed(cortex, name) for name in lost}
    changes = {name: change for name, (_, change) in judged.items()}
    return Queue(tuple(items), closed, changes, revision)


def read_proposal(stores: StoreSession, name: ProposalKey) -> ProposalDetail:
    """A proposal with all that a verdict on it needs, and where its members differ."""
    stores.check()
    try:
        review = stores.cortex.review.get(name.number, name.scope)
    except (UsageError, NotFound) as error:
        return ProposalDetail(name, None, gone=str(error))
    texts = [one.content for one in review.members]
    sides = tuple(
        differing(text, texts[-1 if index == 0 else 0]) for index, text in enumerate(texts)
    )
    return ProposalDetail(name, review, sides)


def decide(stores: StoreSession, review: Review, verdict: Verdict) -> Decided:
    """Carry out `verdict` on the proposal as it was seen.

    Raises:
        UsageError: a member has changed since; the proposal is brought up to date instead.
    """
    name = ProposalKey(review.scope, review.proposal.number)
    verb = _VERBS[verdict]

    def task(cortex: Cortex) -> Iterable[Memory]:
        _check_unchanged(cortex, review)
        return verb(cortex, review)

    done = stores.change(verdict, task, _sentence(verdict, review))
    values = {each.name: getattr(done, each.name) for each in fields(done)}
    return Decided(**values, name=name, verdict=verdict)


def take_back(stores: StoreSession, name: ProposalKey, change: int) -> Done:
    """Undo the verdict on a proposal, whatever was done since; `change` is its number."""
    return stores.change(
        "undo",
        lambda cortex: _undone(cortex, change, name.scope),
        "The verdict is undone: it is open again",
    )


def _undone(cortex: Cortex, change: int, scope: Scope) -> Iterable[Memory]:
    entries = cortex.undo(number=change, scope=scope)
    names = [name for entry in entries for name in entry.memories]
    return _members(cortex, names).values()


def _sentence(verdict: Verdict, review: Review) -> str:
    """What was done, and to which."""
    first, last = review.members[0], review.members[-1]
    if verdict == "supersede":
        newer, older = sorted((first, last), key=lambda one: one.created, reverse=True)
        return f"“{newer.title}” replaces “{older.title}”"
    about = {"right": last}.get(verdict, first)
    return f"{_SENTENCES[verdict]}: {about.title}"


def approve_all(stores: StoreSession, names: Collection[ProposalKey]) -> Done:
    """Merge those of the proposals `names` that nothing speaks against."""
    merged: list[Memory] = []

    def task(cortex: Cortex) -> Iterable[Memory]:
        merged.extend(cortex.review.approve_all(names))
        return merged

    done = stores.change("approve-all", task, "")
    count = len(merged)
    return replace(done, sentence=f"Merged {count} {'proposal' if count == 1 else 'proposals'}")


def clear(stores: StoreSession, names: Collection[ProposalKey]) -> int:
    """How many of the proposals `names` nothing speaks against."""
    stores.check()
    return len(stores.cortex.review.certain(names))


def edit(stores: StoreSession, review: Review, words: str) -> Done:
    """Keep edited words for the merge of a proposal."""

    def task(cortex: Cortex) -> Iterable[Memory]:
        _check_unchanged(cortex, review)
        cortex.review.set_merged_text(review.proposal.number, words, scope=review.scope)
        return ()

    return stores.change("edit-merge", task, f"Edited the merge of: {review.members[0].title}")


def _check_unchanged(cortex: Cortex, review: Review) -> None:
    now = cortex.review.get(review.proposal.number, review.scope)
    same = [one.content for one in now.members] == [one.content for one in review.members]
    if not same and not now.changed:
        raise UsageError(
            "A memory of this proposal has changed since you looked. Nothing was changed. "
            "Look at it again."
        )


def _approve(cortex: Cortex, review: Review) -> Iterable[Memory]:
    return [cortex.review.approve(review.proposal.number, text=review.text, scope=review.scope)]


def _left(cortex: Cortex, review: Review) -> Iterable[Memory]:
    return [cortex.review.keep_left(review.proposal.number, scope=review.scope)]


def _right(cortex: Cortex, review: Review) -> Iterable[Memory]:
    return [cortex.review.keep_right(review.proposal.number, scope=review.scope)]


def _supersede(cortex: Cortex, review: Review) -> Iterable[Memory]:
    return [cortex.review.supersede(review.proposal.number, scope=review.scope)]


def _distinct(cortex: Cortex, review: Review) -> Iterable[Memory]:
    cortex.review.distinct(review.proposal.number, scope=review.scope)
    return ()


def _reject(cortex: Cortex, review: Review) -> Iterable[Memory]:
    cortex.review.reject(review.proposal.number, scope=review.scope)
    return ()


_VERBS: dict[Verdict, Callable[[Cortex, Review], Iterable[Memory]]] = {
    "approve": _approve,
    "left": _left,
    "right": _right,
    "supersede": _supersede,
    "distinct": _distinct,
    "reject": _reject,
}
_SENTENCES: dict[Verdict, str] = {
    "approve": "Merged",
    "left": "Kept A",
    "right": "Kept B",
    "distinct": "Both stay, they differ",
    "reject": "Left both alone",
}


def _members(cortex: Cortex, names: Iterable[str]) -> dict[str, Memory]:
    keys = list(cortex.memories.keys_of(names).values())
    return {memory.id: memory for memory in cortex.memories.rows(keys)}


def _closed(cortex: Cortex, name: ProposalKey) -> str:
    try:
        return CLOSED[cortex.review.proposal(name.number, name.scope).status]
    except CortexError:
        return "no longer there"


# --- which words of two texts differ


def differing(text: str, other: str) -> tuple[Stretch, ...]:
    """`text` in stretches: what `other` has too, and what it has not; joined they are `text`.

    Letter case and the width of blanks make no difference.
    """
    mine, theirs = _WORD.findall(text), _WORD.findall(other)
    if max(len(mine), len(theirs)) > 2 * LONGEST:
        return (Stretch(text),)
    keys, others = (
        [" " if word.isspace() else word.casefold() for word in words] for words in (mine, theirs)
    )
    matcher = SequenceMatcher(None, keys, others, autojunk=False)
    return tuple(_joined(_pieces(mine, matcher.get_opcodes())))


def _pieces(
    words: Sequence[str], operations: Sequence[tuple[str, int, int, int, int]]
) -> Iterator[Stretch]:
    """Blanks at the ends of a changed stretch stay outside it, so that marks hug the words."""
    fates: dict[str, Fate] = {"equal": "same", "replace": "other", "delete": "only"}
    for tag, start, end, _, _ in operations:
        stretch = "".join(words[start:end])
        core = stretch.strip()
        if tag == "equal" or not core:
            yield Stretch(stretch)
        else:
            left, _, right = stretch.partition(core)
            yield Stretch(left)
            yield Stretch(core, fates[tag])
            yield Stretch(right)


def _joined(stretches: Iterator[Stretch]) -> Iterator[Stretch]:
    """Neighbours of one fate as one; changed words with only a blank between them too."""
    joined: list[Stretch] = []
    for text, fate in stretches:
        if not text:
            continue
        if joined and joined[-1].fate == fate:
            joined[-1] = Stretch(joined[-1].text + text, fate)
        elif len(joined) > 1 and joined[-1].text == " " and joined[-2].fate == fate != "same":
            joined[-2:] = [Stretch(f"{joined[-2].text} {text}", fate)]
        else:
            joined.append(Stretch(text, fate))
    yield from joined

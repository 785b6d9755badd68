"""What the merge review asks of the stores: proposals and where their members differ, verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, NamedTuple

from cortex_core.base.errors import CortexError, NotFound, UsageError
from cortex_core.reports import Review
from cortex_core.types import Memory, Proposal, Scope
from cortex_tui.queries import Done, Revision
from cortex_tui.session import StoreSession

if TYPE_CHECKING:
    from cortex_core import Cortex

Fate = Literal["same", "other", "only"]
"""On both sides; another word is in its place over there; nothing does."""

LONGEST = 800
"""Words of a side that are compared; longer texts are shown unmarked."""

_WORD = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+(?:[.'/_-]\w+)*|[^\w\s]+")
"""Blanks; one sign of a script without blanks; a word, path or number; punctuation."""

Verdict = Literal["approve", "left", "right", "supersede", "distinct", "reject"]

DECIDED: dict[Verdict, str] = {
    "approve": "merged", "left": "kept left", "right": "kept right", "supersede": "superseded",
    "distinct": "not duplicates", "reject": "rejected",
}  # fmt: skip
"""What the queue calls a proposal after each verdict."""

CLOSED = {
    "approved": "approved", "rejected": "rejected", "distinct": "not duplicates",
    "open": "a member is gone",
}  # fmt: skip
"""What it calls one that others closed, by its status."""


class Stretch(NamedTuple):
    """A stretch of one side."""

    text: str
    fate: Fate = "same"


class Name(NamedTuple):
    """What tells a proposal from all others."""

    scope: Scope
    number: int


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A proposal in the queue."""

    name: Name
    title: str
    similarity: float
    flags: int
    """How many conflicts it has."""


@dataclass(frozen=True, slots=True)
class Queue:
    """The open proposals, and what became of others."""

    items: tuple[QueueItem, ...]
    closed: Mapping[Name, str]
    """Of the proposals asked about, those not open any more, and what they are called."""
    revision: Revision


@dataclass(frozen=True, slots=True)
class Seen:
    """One proposal to judge."""

    name: Name
    review: Review | None
    """None where it cannot be judged any more; `gone` says why."""
    sides: tuple[tuple[Stretch, ...], ...] = ()
    """The content of each member, what the others lack marked."""
    gone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Done):
    """A verdict that was carried out."""

    name: Name
    verdict: Verdict


def queue(stores: StoreSession, known: Collection[Name] = ()) -> Queue:
    """The open proposals whose members are all there, the most alike first.

    Args:
        known: proposals that are shown; closed ones among them are reported.
    """
    stores.check()
    cortex = stores.cortex
    revision = cortex.workspace.revision()
    found = cortex.review.proposals()
    members = _members(cortex, (name for _, made in found for name in made.members))
    items = tuple(
        _item(scope, made, members)
        for scope, made in found
        if all(
            name in members and members[name].status in ("active", "suggested")
            for name in made.members
        )
    )
    lost = set(known) - {item.name for item in items}
    return Queue(items, {name: _closed(cortex, name) for name in lost}, revision)


def see(stores: StoreSession, name: Name) -> Seen:
    """A proposal with all that a verdict on it needs, and where its members differ."""
    stores.check()
    try:
        review = stores.cortex.review.get(name.number, name.scope)
    except (UsageError, NotFound) as error:
        return Seen(name, None, gone=str(error))
    texts = [one.content for one in review.members]
    sides = tuple(
        differing(text, texts[-1 if index == 0 else 0]) for index, text in enumerate(texts)
    )
    return Seen(name, review, sides)


def decide(stores: StoreSession, seen: Review, verdict: Verdict) -> Decided:
    """Carry out `verdict` on the proposal as it was seen.

    Raises:
        UsageError: a member has changed since; the proposal is brought up to date instead.
    """
    name = Name(seen.scope, seen.proposal.number)
    verb = _VERBS[verdict]

    def task(cortex: Cortex) -> Iterable[Memory]:
        _must_be_as_seen(cortex, seen)
        return verb(cortex, seen)

    done = stores.change(verdict, task, f"{_SENTENCES[verdict]}: {seen.members[0].title}")
    values = {each.name: getattr(done, each.name) for each in fields(done)}
    return Decided(**values, name=name, verdict=verdict)


def approve_all(stores: StoreSession, names: Collection[Name]) -> Done:
    """Merge those of the proposals `names` that nothing speaks against."""
    merged: list[Memory] = []

    def task(cortex: Cortex) -> Iterable[Memory]:
        merged.extend(cortex.review.approve_all(names))
        return merged

    done = stores.change("approve-all", task, "")
    count = len(merged)
    return replace(done, sentence=f"Merged {count} {'proposal' if count == 1 else 'proposals'}")


def clear(stores: StoreSession, names: Collection[Name]) -> int:
    """How many of the proposals `names` nothing speaks against."""
    stores.check()
    return len(stores.cortex.review.certain(names))


def edit(stores: StoreSession, seen: Review, words: str) -> Done:
    """Keep edited words for the merge of a proposal."""

    def task(cortex: Cortex) -> Iterable[Memory]:
        _must_be_as_seen(cortex, seen)
        cortex.review.set_merged_text(seen.proposal.number, words, scope=seen.scope)
        return ()

    return stores.change("edit-merge", task, f"Edited the merge of: {seen.members[0].title}")


def _must_be_as_seen(cortex: Cortex, seen: Review) -> None:
    now = cortex.review.get(seen.proposal.number, seen.scope)
    same = [one.content for one in now.members] == [one.content for one in seen.members]
    if not same and not now.changed:
        raise UsageError(
            "A memory of this proposal has changed since you looked. Nothing was changed. "
            "Look at it again."
        )


def _approve(cortex: Cortex, seen: Review) -> Iterable[Memory]:
    return [cortex.review.approve(seen.proposal.number, text=seen.text, scope=seen.scope)]


def _left(cortex: Cortex, seen: Review) -> Iterable[Memory]:
    return [cortex.review.keep_left(seen.proposal.number, scope=seen.scope)]


def _right(cortex: Cortex, seen: Review) -> Iterable[Memory]:
    return [cortex.review.keep_right(seen.proposal.number, scope=seen.scope)]


def _supersede(cortex: Cortex, seen: Review) -> Iterable[Memory]:
    return [cortex.review.supersede(seen.proposal.number, scope=seen.scope)]


def _distinct(cortex: Cortex, seen: Review) -> Iterable[Memory]:
    cortex.review.distinct(seen.proposal.number, scope=seen.scope)
    return ()


def _reject(cortex: Cortex, seen: Review) -> Iterable[Memory]:
    cortex.review.reject(seen.proposal.number, scope=seen.scope)
    return ()


_VERBS: dict[Verdict, Callable[[Cortex, Review], Iterable[Memory]]] = {
    "approve": _approve, "left": _left, "right": _right, "supersede": _supersede,
    "distinct": _distinct, "reject": _reject,
}  # fmt: skip
_SENTENCES: dict[Verdict, str] = {
    "approve": "Merged", "left": "Kept the left one", "right": "Kept the right one",
    "supersede": "Superseded", "distinct": "Not duplicates", "reject": "Rejected",
}  # fmt: skip


def _item(scope: Scope, made: Proposal, members: Mapping[str, Memory]) -> QueueItem:
    title = members[made.members[0]].title
    return QueueItem(Name(scope, made.number), title, made.similarity, len(made.conflicts))


def _members(cortex: Cortex, names: Iterable[str]) -> dict[str, Memory]:
    keys = list(cortex.memories.keys_of(names).values())
    return {memory.id: memory for memory in cortex.memories.rows(keys)}


def _closed(cortex: Cortex, name: Name) -> str:
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
    keys, others = ([_key(word) for word in words] for words in (mine, theirs))
    matcher = SequenceMatcher(None, keys, others, autojunk=False)
    return tuple(_joined(_pieces(mine, matcher.get_opcodes())))


def _key(word: str) -> str:
    return " " if word.isspace() else word.casefold()


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


def _joined(found: Iterator[Stretch]) -> Iterator[Stretch]:
    """Neighbours of one fate as one; changed words with only a blank between them too."""
    held: list[Stretch] = []
    for piece in found:
        if not piece.text:
            continue
        if held and held[-1].fate == piece.fate:
            held[-1] = Stretch(held[-1].text + piece.text, piece.fate)
        elif len(held) > 1 and held[-1].text == " " and held[-2].fate == piece.fate != "same":
            held[-2:] = [Stretch(f"{held[-2].text} {piece.text}", piece.fate)]
        else:
            held.append(piece)
    yield from held

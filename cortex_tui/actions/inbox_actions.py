"""What the inbox asks of the stores: what waits, where members of a proposal differ, verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, NamedTuple

from cortex_core.base.errors import CortexError, NotFound, UsageError
from cortex_core.records.kept_rules import Repair, Repeat
from cortex_core.records.memory import Memory, Scope
from cortex_core.records.reviews import QueuedProposal, Review
from cortex_tui.queries import Done, Revision
from cortex_tui.session import PAST, StoreSession, admitted_by

if TYPE_CHECKING:
    from cortex_core import Cortex
    from cortex_core.records.captures import RuleRecord

Fate = Literal["same", "other", "only"]
"""On both sides; replaced by another word on the other side; missing there."""

LONGEST = 800
"""Words of a side that are compared; longer texts are shown unmarked."""

_WORD = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+(?:[.'/_-]\w+)*|[^\w\s]+")
"""Blanks; one sign of a script without blanks; a word, path or number; punctuation."""

Verdict = Literal["approve", "left", "right", "supersede", "distinct"]

DECIDED: dict[Verdict, str] = {
    "approve": "merged",
    "left": "kept A",
    "right": "kept B",
    "supersede": "kept newer",
    "distinct": "both stay",
}
"""What the inbox calls a proposal after each verdict."""

CLOSED = {
    "approved": "merged",
    "rejected": "both stay",
    "distinct": "both stay",
    "open": "a memory is gone",
}
"""What it calls one that others closed, by its status."""
AGAIN_SINCE = "30d"
"""Since when the inbox asks about what had to be said again: as long as the status counts it."""
PROMPT_FLOOR = "prompt.floor"
"""The setting that decides which memories are similar enough to a prompt."""
LOWERED = 0.05
"""By how much it is lowered at once."""


class Stretch(NamedTuple):
    """A stretch of one side."""

    text: str
    fate: Fate = "same"


class ProposalKey(NamedTuple):
    """What identifies a proposal."""

    scope: Scope
    number: int


@dataclass(frozen=True, slots=True)
class WaitingMemory:
    """A suggestion or a quarantined memory, with the record of the rule that found it."""

    memory: Memory
    rule: RuleRecord | None


@dataclass(frozen=True, slots=True)
class Inbox:
    """What waits in the stores for a decision."""

    proposals: Mapping[ProposalKey, QueuedProposal]
    """Those that are open and whose members are all there, the most similar first."""
    closed: Mapping[ProposalKey, str]
    """What became of proposals that were asked about and are open no more."""
    changes: Mapping[ProposalKey, int]
    """The change in its store's journal that decided each of them, where it can be undone."""
    memories: Mapping[str, WaitingMemory]
    """Suggestions, then what is in quarantine, by id."""
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
    """A decision that was carried out."""

    key: Hashable
    """What was decided on."""
    word: str
    """What the inbox calls it now."""


def decided(done: Done, key: Hashable, word: str) -> Decided:
    """`done`, which decided on `key`."""
    values = {each.name: getattr(done, each.name) for each in fields(done)}
    return Decided(**values, key=key, word=word)


def read_inbox(stores: StoreSession, known: Collection[ProposalKey] = ()) -> Inbox:
    """What waits in the stores.

    Args:
        known: proposals that are shown; of those that are closed it is said how.
    """
    stores.check()
    cortex = stores.cortex
    revision = cortex.workspace.revision()
    queue = {ProposalKey(one.scope, one.number): one for one in cortex.review.queue()}
    changes = {
        ProposalKey(change.scope, proposal.number): change.number
        for proposal, change in cortex.review.judged()
    }
    # How often the user kept what a rule found helps to decide on what it found now.
    rules = {f"rule:{record.name}": record for record in cortex.rules.list()}
    waiting = [*cortex.suggestions.list(), *cortex.quarantine.list()]
    return Inbox(
        queue,
        {name: _closed(cortex, name) for name in known if name not in queue},
        changes,
        {one.id: WaitingMemory(one, rules.get(one.source.rule)) for one in waiting},
        revision,
    )


def said_again(stores: StoreSession) -> dict[str, Repeat]:
    """What the user had to say again and nothing was done about: cases with a repair, but those
    whose memory is in force and has changed since."""
    cases = [one for one in stores.cortex.sessions.report(AGAIN_SINCE).cases if one.repairs]
    memories = _members(stores.cortex, {one.memory for one in cases if one.memory})
    return {
        f"{one.time} {one.session} {one.source.offset}": one
        for one in cases
        if (memory := memories.get(one.memory)) is None
        or memory.status != "active"
        or memory.updated <= one.time
    }


def judge(stores: StoreSession, waiting: WaitingMemory, words: str, *, keep: bool) -> Decided:
    """Keep or release a memory that waits, in other `words` if there are any, or discard it."""
    memory = waiting.memory
    verb = admitted_by(memory) if keep else "discard"
    past = PAST.get(verb, "Discarded")

    def task(cortex: Cortex) -> Iterable[Memory]:
        if verb == "keep":
            return cortex.suggestions.keep([memory.id], content=words or None)
        if verb == "release":
            return cortex.quarantine.release([memory.id], content=words or None)
        return cortex.suggestions.discard([memory.id])

    how = " in other words" if words and keep else ""
    done = stores.change(verb, task, f"{past}{how}: {memory.title}")
    return decided(done, memory.id, past.lower())


def repair(
    stores: StoreSession, key: Hashable, case: Repeat, chosen: Repair, sentence: str
) -> Decided:
    """Carry out a repair of what was said again that needs no more than the case itself."""
    floor = round(max(0.0, stores.cortex.config.get(PROMPT_FLOOR) - LOWERED), 2)

    def task(cortex: Cortex) -> Iterable[Memory]:
        match chosen:
            case "keep":
                return cortex.suggestions.keep([case.memory])
            case "release":
                return cortex.quarantine.release([case.memory])
            case "restore":
                return cortex.restore([case.memory])
            case "inject":
                return cortex.give([case.memory], "normal")
            case "floor":
                cortex.settings.set(PROMPT_FLOOR, floor)
                return ()
            case _:
                return cortex.pin([case.memory])

    verb = "setting" if chosen == "floor" else chosen
    return decided(stores.change(verb, task, sentence), key, "repaired")


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


def decide(stores: StoreSession, review: Review, verdict: Verdict, words: str = "") -> Decided:
    """Carry out `verdict` on the proposal as it was seen; a merge says `words`, if there are any.

    Raises:
        UsageError: a member has changed since; the proposal is brought up to date instead.
    """
    name = ProposalKey(review.scope, review.proposal.number)
    number, scope, reviews = name.number, name.scope, stores.cortex.review
    verbs: dict[Verdict, Callable[[], object]] = {
        "approve": lambda: reviews.approve(number, text=words or review.text, scope=scope),
        "left": lambda: reviews.keep_left(number, scope=scope),
        "right": lambda: reviews.keep_right(number, scope=scope),
        "supersede": lambda: reviews.supersede(number, scope=scope),
        "distinct": lambda: reviews.distinct(number, scope=scope),
    }

    def task(cortex: Cortex) -> Iterable[Memory]:
        _check_unchanged(cortex, review)
        heir = verbs[verdict]()
        return [heir] if isinstance(heir, Memory) else ()

    done = stores.change(verdict, task, _sentence(verdict, review))
    return decided(done, name, DECIDED[verdict])


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


def _check_unchanged(cortex: Cortex, review: Review) -> None:
    now = cortex.review.get(review.proposal.number, review.scope)
    same = [one.content for one in now.members] == [one.content for one in review.members]
    if not same and not now.changed:
        raise UsageError(
            "A memory of this proposal has changed since you looked. Nothing was changed. "
            "Look at it again."
        )


_SENTENCES: dict[Verdict, str] = {
    "approve": "Merged",
    "left": "Kept A",
    "right": "Kept B",
    "distinct": "Both stay",
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

"""What a store knows of what a memory says: the same, similar memories and facts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.admission.batch_index import BatchIndex
from cortex_core.base import scripts, text
from cortex_core.base.authorship import is_typed, is_users_word
from cortex_core.base.errors import ModelUnavailable
from cortex_core.base.kinds import EPISODE, RULE_KINDS, UNLIKE
from cortex_core.duplicates import again, similarity
from cortex_core.duplicates.last_word import keys, later_word, rest, takes_back
from cortex_core.extract.sources import LATER, WITHDRAWS
from cortex_core.language.stemming import is_cyrillic, stem
from cortex_core.records.memory import Memory
from cortex_core.store import journal, memory_lookup, word_index
from cortex_core.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cortex_core.duplicates.last_word import LaterWord

KNOWN_STATUSES = ("active", "suggested", "quarantined", "archived")


LONGEST_CHANGED = 400
"""Characters of a memory that states one thing, which another one may change."""

MOST_WORDS = 16
"""Words by which similar memories are looked up, longest first."""

MOST_PAIRS = 48
"""Pairs of neighbouring letters by which they are looked up in a script without blanks."""


NEAR_FROM, MOST_NEAR = 0.3, 3
"""Cosine from which a memory that shares a word may be changed by what the user types, and most of
these that are named. Among 60 rules, 73 in 100 changes find what they change so, a third of what
only looks alike does, and one in 15 finds something else (`benchmarks/reversals.py`)."""

POOL = 12
"""Memories sharing words with a new one that are compared with it."""


class SimilarMemory(NamedTuple):
    """A stored memory that a new one was compared with."""

    id: str
    content: str
    comparison: similarity.Comparison


@dataclass(frozen=True, slots=True)
class Known:
    """What stores know of what a new memory says."""

    now: float
    """The present moment, Unix seconds."""
    in_team: str = ""
    """The id of the team's active memory that says the same."""
    same: Memory | None = None
    """The memory that says the same or contains it, or that is about the same event."""
    similar: tuple[SimilarMemory, ...] = ()
    """Memories that may say the same: to propose."""
    has_source: bool = False
    """Whether `same` has the new memory's source already."""
    put_away: bool = False
    """Whether the user or an agent, and not decay, archived `same`."""
    by_hand: frozenset[str] = frozenset()
    """The ids of those on which the user decides: what they wrote, pinned or changed and have not
    said to be out of date; of an event what they or an agent changed."""
    overtaken: tuple[tuple[Memory, LaterWord], ...] = ()
    """The memories on which the new one is the user's later word; suggestions as well."""
    returns: str = ""
    """The id of a superseded memory that said just this, which is later than what replaced it."""
    rest: str = ""
    """What still holds of what the new one changes in part."""


def gather(
    store: Store, memory: Memory, *, extracted: bool, settled: Mapping[str, bool] = {}
) -> Known:
    """What `store`, and the project's team, know of what `memory` says.

    Args:
        extracted: whether capture found it. What a team has, and longer memories that contain it,
            count only then.
        settled: by id, whether the user says that it takes the place of another one.
    """
    now = store.clock()
    team = store.team if extracted and memory.kind != EPISODE else None
    if team is not None:
        name = compare_with_store(team, memory)[0]
        if name is not None and team.memory(name).status == "active":
            return Known(now, in_team=name)
    name, similar, near = compare_with_store(store, memory)
    if WITHDRAWS in memory.details:  # it says nothing
        name, similar = None, []
    # What is always injected keeps a row of its own.
    may_be_part = extracted and not store.kinds.known(memory.kind).baseline
    # What changed something in part says after its words what still holds of that.
    with_rest = f"{memory.content.removesuffix('.')} ("
    if name is None and memory.kind != EPISODE:
        name = next(
            (
                one
                for one, said in near
                if said.startswith(with_rest)
                or (may_be_part and similarity.is_part(memory.content, said))
            ),
            None,
        )
    returns = "" if name is None else memory_lookup.outlasting(store, name, memory)
    # Only what nothing says yet, or says any more, can be a later word on something else.
    if name is None or returns:
        overtaken = _overtaken(near, store, memory, settled)
        return Known(
            now,
            similar=tuple(similar),
            by_hand=frozenset(
                each.id
                for each, _ in overtaken
                if each.id not in settled
                and (each.source.rule == "person" or journal.is_decided(store, each))
            ),
            overtaken=overtaken,
            returns=returns,
            rest="; ".join(
                left
                for each, _ in overtaken
                if each.id not in settled and (left := rest(each.content, memory.content))
            ),
        )
    same, source = store.memory(name), memory.source
    is_changed = memory.kind == EPISODE and journal.changed_by_hand(store, name)
    return Known(
        now,
        same=same,
        similar=tuple(similar),
        has_source=name in memory_lookup.with_source(store, [name], source.message, source.rule),
        by_hand=frozenset([name] if is_changed else []),
        put_away=same.status == "archived" and archived_by_hand(store, name),
        # What the words of a suggestion replace; capture, which settles nothing, asks no store.
        overtaken=_overtaken((), store, memory, settled) if settled else (),
    )


def _overtaken(
    near: Sequence[word_index.Content],
    store: Store,
    memory: Memory,
    settled: Mapping[str, bool],
) -> tuple[tuple[Memory, LaterWord], ...]:
    """The memories of `near` on which `memory`, in the user's words, is a later word: as the user
    says, or else by the words of both."""
    # What holds for a time leaves what holds for good.
    is_passing = memory.kind == EPISODE or memory.until
    if is_passing or memory.claimed or not is_typed(memory.source.rule):
        return ()
    said = {
        name: takes_back(content, memory.details[WITHDRAWS])
        if WITHDRAWS in memory.details
        else later_word(content, memory.content, lasts=LATER not in memory.details)
        for name, content in near
    }
    agreed: dict[str, LaterWord] = {
        name: said.get(name) or "change" for name, is_over in settled.items() if is_over
    }
    changed = agreed | {name: how for name, how in said.items() if how and name not in settled}
    return tuple(
        (other, changed[other.id])
        for other in store.memories(list(changed))
        # A session that is read late does not change what was said after it, and what states
        # several things is not over because one of them is.
        if other.id in agreed
        or (
            other.status in ("active", "suggested")
            and other.created < memory.created
            and _may_be_changed(other)
        )
    )


def _may_be_changed(other: Memory) -> bool:
    """Whether a memory states one thing, which a word of the user may change."""
    return len(other.content) <= LONGEST_CHANGED and (
        is_users_word(other.source.rule) or other.kind in RULE_KINDS
    )


def near(store: Store, memory: Memory) -> list[Memory]:
    """The memories in force that a new one may take the place of, the nearest first: they share a
    word that says something, and are near in meaning. None where one says the same already, unless
    that is only suggested, nor where the new one holds for a time.
    """
    same, _, sharing = compare_with_store(store, memory)
    if same is not None and store.memory(same).status == "suggested":
        # The user may be about to keep that one.
        same, sharing = None, similar_by_words(store, memory)
    names = [
        name
        for name, said in sharing
        if same is None and not memory.until and keys(said) & keys(memory.content)
    ]
    found: list[tuple[float, Memory]] = []
    with suppress(ModelUnavailable):
        found = [
            (again.cosine(again.encode(other.content), again.encode(memory.content)), other)
            for other in store.memories(names)
            if other.status == "active" and _may_be_changed(other)
        ]
    found.sort(key=lambda pair: -pair[0])
    return [other for cosine, other in found[:MOST_NEAR] if cosine >= NEAR_FROM]


def compare_with_store(
    store: Store, memory: Memory, batch: BatchIndex | None = None
) -> tuple[str | None, list[SimilarMemory], Sequence[word_index.Content]]:
    """The id of the memory that says the same, if there is one, similar memories to propose, and
    all that share its words where none is the same to the letter.

    An entry of the history is the same as another if it is of the same event, and like none else.

    Args:
        batch: what the import that brings `memory` has added to the store.
    """
    if memory.kind == EPISODE:
        return memory_lookup.of_event(store, str(memory.details.get("event", ""))), [], []
    exact = memory_lookup.same_content(store, memory.content, KNOWN_STATUSES, but_kind=EPISODE)
    if exact is not None:
        equal = similarity.compare(memory.content, memory.content)
        return exact, [SimilarMemory(exact, memory.content, equal)], []
    near = similar_by_words(store, memory, batch)
    similar = [
        SimilarMemory(name, content, similarity.compare(content, memory.content))
        for name, content in near
    ]
    same = next((other.id for other in similar if other.comparison.same), None)
    if same is None:  # what was superseded counts too, so that no text has two rows
        same = memory_lookup.same_content(store, memory.content, ("superseded",), but_kind=EPISODE)
    return same, [other for other in similar if other.comparison.propose], near


def similar_by_words(
    store: Store, memory: Memory, batch: BatchIndex | None = None
) -> list[word_index.Content]:
    """The memories of a like kind that share the most words with `memory`.

    Args:
        batch: what the import that brings `memory` has added to the store.
    """
    runs, rest = scripts.apart(memory.content)
    longest = sorted(set(text.content_words(rest)), key=lambda word: (-len(word), word))
    pairs = dict.fromkeys(scripts.tokens(pair) for run in runs for pair in scripts.pairs(run))
    words = [
        # A Russian word has many endings, which the index keeps.
        *(f"{stem(word)}*" if is_cyrillic(word) else word for word in longest[:MOST_WORDS]),
        *list(pairs)[:MOST_PAIRS],
    ]
    if not words:
        return []
    found = batch.sharing_words(memory.content, POOL) if batch else []
    if batch and not batch.before:
        return found
    return found + word_index.sharing(
        store,
        words,
        KNOWN_STATUSES,
        but=memory.id,
        but_kinds=UNLIKE,
        limit=POOL,
        up_to=batch.before if batch else None,
    )


def archived_by_hand(store: Store, name: str) -> bool:
    """Whether the user or an agent, and not decay, archived the memory."""
    return journal.put_away_by(store, name) not in (None, "worker")

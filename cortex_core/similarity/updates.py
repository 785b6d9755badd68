"""When a newer text states another value of what an older one speaks of: 4,500 words, now 4,700.

Pure functions of two texts. Two numbers, dates or versions mostly mean different things, so both
sides must count the same unit, in words that they share and that few memories hold, and the newer
one must tell of a change (`increased`, `now`, `moved`). A name is another where the newer text says
what it replaced (`from Redis to Valkey`). benchmarks/duplicates.py measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from cortex_core.similarity.features import Features, features
from cortex_core.similarity.replaced import Replacement, replacements
from cortex_core.similarity.values import GENERAL, Value, values

LEAST_COSINE = 0.5
"""How near in meaning the two texts must be."""
LEAST_WEIGHT = 3.5
"""What the shared words around the values must weigh together."""
LEAST_WORDS = 2
MOST_RARITY = 3.5
"""What one word may weigh at most."""
LONGEST = 6_000
"""Characters of a text that are looked at."""
NAME_RARITY = 1.5
"""What a name that was replaced must weigh by itself."""
NAME_SUBJECT = 2.0
"""What the words must weigh that a text shares with one in which something was replaced."""
SHORT = 4
"""Words besides a name that was replaced, up to which a text is about it and nothing else."""


class Update(NamedTuple):
    """Two values of the same thing."""

    sentence: str
    weight: float
    """How much the words weigh that say that it is the same thing."""


def update(older: str, newer: str, rarity: Callable[[str], float]) -> Update | None:
    """The plainest change of a value from `older` to `newer`; None where there is none.

    Args:
        rarity: the weight of a word, in lower case: the logarithm of how few memories hold it.
    """
    older, newer = older[:LONGEST], newer[:LONGEST]
    found = (*_changed_values(older, newer, rarity), *_changed_names(older, newer, rarity))
    return max(found, key=lambda made: made.weight, default=None)


def _changed_values(older: str, newer: str, rarity: Callable[[str], float]) -> Iterator[Update]:
    before, after = values(older), values(newer)
    known = {one.key for one in before}
    still = {one.key for one in after if not one.is_before}
    for one in before:
        for other in after:
            is_new = other.is_changed and other.key not in known and one.key not in still
            if is_new and one.units & other.units and (made := _update(one, other, rarity)):
                yield made


def _update(one: Value, other: Value, rarity: Callable[[str], float]) -> Update | None:
    shared = one.around.keys() & other.around.keys()
    if len(shared) < LEAST_WORDS:
        return None
    weight = sum(
        min(MOST_RARITY, rarity(other.around[key][0])) * one.around[key][1] * other.around[key][1]
        for key in shared
    )
    if weight < LEAST_WEIGHT:
        return None
    subject = ", ".join(sorted(other.around[key][0] for key in shared)[:5])
    return Update(f"Its value changed ({subject}): {one.written}, now {other.written}.", weight)


def _changed_names(older: str, newer: str, rarity: Callable[[str], float]) -> Iterator[Update]:
    if not (made := replacements(newer)):
        return
    before, after = features(older), features(newer)
    held = before.keys | frozenset(before.numbers)
    for one in made:
        told = one.new_keys and one.new_keys <= held
        if one.old_keys <= held and not told:
            yield from _replaced(one, before, after, rarity)


def _replaced(
    one: Replacement, before: Features, after: Features, rarity: Callable[[str], float]
) -> Iterator[Update]:
    """The change of a name, where both texts are about the same thing."""
    words = {token.key: token.lower for token in after.content}
    name = max((rarity(words.get(key, key)) for key in one.old_keys), default=0.0)
    shared = (before.keys & after.keys) - one.old_keys - one.new_keys - GENERAL
    weight = sum(min(MOST_RARITY, rarity(words[key])) for key in shared)
    rest = len(before.keys - one.old_keys - GENERAL)
    if name < NAME_RARITY or (weight < NAME_SUBJECT and rest > SHORT):
        return
    subject = ", ".join(sorted(words[key] for key in shared)[:5])
    now = f"{one.old}, now {one.new}" if one.new else f"{one.old}, no longer"
    yield Update(f"What it names changed{f' ({subject})' if subject else ''}: {now}.",
                 name + weight)  # fmt: skip

"""One memory, not five: when several sources of a stretch said the same thing, one is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from cortex_core.capture import secrets
from cortex_core.capture.events import Candidate
from cortex_core.capture.rules.registry import BY_NAME
from cortex_core.capture.rules.state import Found, State, fingerprint

SAME_JACCARD = 0.6
"""Share of common words from which two candidates say the same."""
SAME_CONTAINMENT = 0.8
"""Share of a candidate's words found in another one, from which it adds nothing."""

MOST_ADDED = 0.5
"""Share of words that a paraphrase may add."""

_FEWEST = 4
"""Words below which containment is chance."""
_CARRIED_WORDS = 60


class _Mark(NamedTuple):
    words: frozenset[str]
    rank: int


def fold(found: Found, state: State) -> tuple[Candidate, ...]:
    """The candidates of `found` without repeats, in order; remembers their words in `state`.

    Of two that say the same the one whose rule ranks first wins: a person's words beat a
    paraphrase, a commit beats a cause. The winner takes over files and tags it lacks.
    """
    known = [_Mark(frozenset(map(str, one["words"])), int(one["rank"])) for one in state.told]
    ordered = sorted(enumerate(found.candidates), key=lambda pair: (_rank(pair[1]), pair[0]))
    kept: list[tuple[int, Candidate, _Mark]] = []
    for place, one in ordered:
        mark = _Mark(fingerprint(one.content), _rank(one))
        twin = next((n for n, (_, _, other) in enumerate(kept) if says_no_more(mark, other)), None)
        if twin is not None:
            kept[twin] = (kept[twin][0], _enriched(kept[twin][1], one), kept[twin][2])
            found.refuse("said already")
        elif any(mark.rank >= other.rank and says_no_more(mark, other) for other in known):
            found.refuse("said already")
        else:
            kept.append((place, one, mark))
    kept.sort(key=lambda entry: entry[0])
    for _, one, mark in kept:
        words = fingerprint(secrets.redact(one.content).text)
        state.told.append({"words": sorted(words)[:_CARRIED_WORDS], "rank": mark.rank})
    return tuple(one for _, one, _ in kept)


def says_no_more(one: _Mark, other: _Mark) -> bool:
    """Whether `one` says nothing that `other` does not: the same words, or all but a few of them.

    A number that only one of two look-alikes has keeps them apart.
    """
    if not one.words or not other.words:
        return False
    shared = len(one.words & other.words)
    if shared >= SAME_JACCARD * len(one.words | other.words):
        return _numbers(one.words) <= _numbers(other.words)
    return len(one.words) >= _FEWEST and shared >= SAME_CONTAINMENT * len(one.words)


def say_the_same(known: str, other: str) -> bool:
    """Whether `other` puts what `known` says in other words, and adds no more than a few."""
    one, new = _Mark(fingerprint(known), 0), _Mark(fingerprint(other), 0)
    if says_no_more(new, one):
        return True
    adds_little = len(new.words - one.words) <= MOST_ADDED * len(new.words)
    return adds_little and says_no_more(one, new) and _numbers(new.words) <= _numbers(one.words)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[:1].isdigit())


def _rank(one: Candidate) -> int:
    return BY_NAME[one.rule].rank


def _enriched(winner: Candidate, other: Candidate) -> Candidate:
    return replace(
        winner,
        files=_united(winner.files, other.files)[:20],
        tags=_united(winner.tags, other.tags)[:5],
        commit=winner.commit or other.commit,
    )


def _united(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))

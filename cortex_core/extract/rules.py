"""The offline rules: which sentences, commits and answers of a session are worth keeping.

One memory, not five: when several sources of a stretch said the same thing, one is kept. The
offline extractor: one pass over a stretch of a session, one source after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from cortex_core.extract import commits, forge, notes, person, questions, summaries
from cortex_core.extract.state import BY_NAME, RULES, Findings, Rule, SessionState, fingerprint
from cortex_core.redaction import secrets
from cortex_core.reports import RuleTier
from cortex_core.transcripts.events import EDITS, Candidate, Event, Extraction

__all__ = ["BY_NAME", "RULES", "Rule", "extract"]

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


def fold(found: Findings, state: SessionState) -> tuple[Candidate, ...]:
    """The candidates of `found` without repeats, in order; remembers their words in `state`.

    Of two that say the same the one whose rule ranks first wins: a user's words beat a
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


def extract(
    events: Sequence[Event],
    carry: Mapping[str, Any] = {},
    *,
    final: bool,
    tiers: Mapping[str, RuleTier] = {},
) -> Extraction:
    """What the rules find in a stretch of a session, in the order it was said.

    `carry` is what the extraction of the stretch before returned; the result's `carry` goes to the
    next one. `final` tells that the session has ended: only then its final answer and the causes
    that no commit settled are taken. `tiers` overrides the rules' own tiers.
    """
    state = SessionState.load(carry)
    found = Findings(tiers)
    for event in events:
        state.count += 1
        _read_event(event, state, found)
    if final:
        summaries.turn_ended(state, found)
        commits.session_ended(state, found)
    candidates = fold(found, state)
    return Extraction(candidates=candidates, carry=state.dump(), refused=found.refused)


def _read_event(event: Event, state: SessionState, found: Findings) -> None:
    """Hand one event to the sources that read its kind."""
    if event.role == "assistant":
        if not event.sidechain:
            state.say(event)
            commits.on_assistant(event, state)
    elif event.role == "tool_use":
        _tool_use(event, state, found)
    elif event.role == "tool_result":
        _tool_result(event, state, found)
    elif event.role == "human" and not event.sidechain:
        said = state.said
        summaries.turn_ended(state, found)
        state.said = said
        person.on_prompt(event, state, found)
        state.said = {}
    elif event.role == "compaction" and not event.sidechain:
        summaries.on_summary(event, state, found)


def _tool_use(event: Event, state: SessionState, found: Findings) -> None:
    commits.on_tool_use(event, state)
    forge.on_tool_use(event, state)
    if event.tool in EDITS:
        commits.on_edit(event, state)
    if not event.sidechain:
        questions.on_tool_use(event, state)
        summaries.on_tool_use(event, state)
        notes.on_tool_use(event, state, found)


def _tool_result(event: Event, state: SessionState, found: Findings) -> None:
    if event.tool_id in state.waiting:
        forge.on_tool_result(event, state, found)
        questions.on_tool_result(event, state, found)
        summaries.on_tool_result(event, state, found)
    commits.on_tool_result(event, state, found)

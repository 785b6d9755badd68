"""The extractor that needs no model: `extract` runs every rule over a part of a session.

What several sources of a session say becomes one candidate, in the words of the best source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from cortex_core.extract import commits, forge, notes, person, questions, summaries
from cortex_core.extract.state import BY_NAME, Findings, SessionState, fingerprint
from cortex_core.redaction import secrets
from cortex_core.reports import RuleTier
from cortex_core.transcripts.events import EDITS, Candidate, Event, Extraction

SAME_JACCARD = 0.6
"""Share of common words (Jaccard) from which two candidates say the same."""
SAME_CONTAINMENT = 0.8
"""Share of a candidate's words in another one, from which it adds nothing."""
MOST_ADDED = 0.5
"""Share of new words that a paraphrase may have."""
_FEWEST = 4
"""Words below which containment is chance."""
_CARRIED_WORDS = 60
"""Words of a candidate that the next part of the session knows."""


class _Mark(NamedTuple):
    words: frozenset[str]
    rank: int


@dataclass(slots=True)
class _Kept:
    index: int
    candidate: Candidate
    mark: _Mark


def fold(findings: Findings, state: SessionState) -> tuple[Candidate, ...]:
    """The candidates of `findings` without repetitions, in order; notes their words in `state`.

    Of two that say the same, the one whose rule ranks first is kept: the user's words before a
    paraphrase, a commit before a cause. It takes over files and tags of the other.
    """
    known = [_Mark(frozenset(map(str, item["words"])), int(item["rank"])) for item in state.told]
    ordered = sorted(enumerate(findings.candidates), key=lambda pair: (_rank(pair[1]), pair[0]))
    kept: list[_Kept] = []
    for index, candidate in ordered:
        mark = _Mark(fingerprint(candidate.content), _rank(candidate))
        twin = next((entry for entry in kept if says_no_more(mark, entry.mark)), None)
        if twin is not None:
            twin.candidate = _enriched(twin.candidate, candidate)
            findings.refuse("said already")
        elif any(mark.rank >= earlier.rank and says_no_more(mark, earlier) for earlier in known):
            findings.refuse("said already")
        else:
            kept.append(_Kept(index, candidate, mark))
    kept.sort(key=lambda entry: entry.index)
    for entry in kept:
        words = fingerprint(secrets.redact(entry.candidate.content).text)
        state.told.append({"words": sorted(words)[:_CARRIED_WORDS], "rank": entry.mark.rank})
    return tuple(entry.candidate for entry in kept)


def says_no_more(text: _Mark, other: _Mark) -> bool:
    """Whether `text` says nothing that `other` does not: the same words, or all but a few of them.

    A number that `text` alone has keeps two texts of common words apart.
    """
    if not text.words or not other.words:
        return False
    shared = len(text.words & other.words)
    if shared >= SAME_JACCARD * len(text.words | other.words):
        return _numbers(text.words) <= _numbers(other.words)
    return len(text.words) >= _FEWEST and shared >= SAME_CONTAINMENT * len(text.words)


def say_the_same(known: str, other: str) -> bool:
    """Whether `other` says what `known` says in other words, and adds no more than a few."""
    old, new = _Mark(fingerprint(known), 0), _Mark(fingerprint(other), 0)
    if says_no_more(new, old):
        return True
    adds_little = len(new.words - old.words) <= MOST_ADDED * len(new.words)
    return adds_little and says_no_more(old, new) and _numbers(new.words) <= _numbers(old.words)


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[:1].isdigit())


def _rank(candidate: Candidate) -> int:
    return BY_NAME[candidate.rule].rank


def _enriched(winner: Candidate, other: Candidate) -> Candidate:
    return replace(
        winner,
        files=_united(winner.files, other.files)[:20],
        tags=_united(winner.tags, other.tags)[:5],
        commit=winner.commit or other.commit,
    )


def _united(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def extract(
    events: Sequence[Event],
    carry: Mapping[str, Any] = {},
    *,
    final: bool,
    tiers: Mapping[str, RuleTier] = {},
) -> Extraction:
    """What the rules find in a part of a session, in the order it was said.

    Args:
        events: the part, in file order.
        carry: the `carry` of the part before; that of the result goes to the next part.
        final: whether the session has ended. Only then are its final answer and the causes that no
            commit settled taken.
        tiers: rules whose candidates do not go where the rule's own tier says.
    """
    state = SessionState.load(carry)
    findings = Findings(tiers)
    for event in events:
        state.count += 1
        _read_event(event, state, findings)
    if final:
        summaries.turn_ended(state, findings)
        commits.session_ended(state, findings)
    candidates = fold(findings, state)
    return Extraction(candidates=candidates, carry=state.dump(), refused=findings.refused)


def _read_event(event: Event, state: SessionState, findings: Findings) -> None:
    """Pass one event to the sources that read events of its role."""
    if event.role == "assistant":
        if not event.sidechain:
            state.say(event)
            commits.on_assistant(event, state)
    elif event.role == "tool_use":
        _tool_use(event, state, findings)
    elif event.role == "tool_result":
        _tool_result(event, state, findings)
    elif event.role == "human" and not event.sidechain:
        # The prompt ends a turn, and may answer the agent's last words, which `turn_ended` clears.
        said = state.said
        summaries.turn_ended(state, findings)
        state.said = said
        person.on_prompt(event, state, findings)
        state.said = {}
    elif event.role == "compaction" and not event.sidechain:
        summaries.on_summary(event, state, findings)


def _tool_use(event: Event, state: SessionState, findings: Findings) -> None:
    commits.on_tool_use(event, state)
    forge.on_tool_use(event, state)
    if event.tool in EDITS:
        commits.on_edit(event, state)
    if not event.sidechain:
        questions.on_tool_use(event, state)
        summaries.on_tool_use(event, state)
        notes.on_tool_use(event, state, findings)


def _tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    if event.tool_id in state.waiting:
        forge.on_tool_result(event, state, findings)
        questions.on_tool_result(event, state, findings)
        summaries.on_tool_result(event, state, findings)
    commits.on_tool_result(event, state, findings)

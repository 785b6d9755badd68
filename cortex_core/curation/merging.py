"""What becomes of the words and the standing of merged memories: pure functions of values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from cortex_core.base.identifiers import facts
from cortex_core.base.text import content_words
from cortex_core.extract.sentences import split
from cortex_core.types import Memory, Source


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

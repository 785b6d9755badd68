"""How the signs of a match become one score: pure functions of values, standard library only.

Recall feeds them with cosines and with late interaction computed by numpy; the prompt hook, which
loads neither model nor numpy, with bit counts. Found by measuring (benchmarks/recall.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class Weights:
    """What each sign of a match counts. Read-only by convention."""

    __slots__ = ("author", "cosine", "fade", "keyword", "lone_cosine", "session", "tokens")

    def __init__(
        self,
        keyword: float = 0.5,
        cosine: float = 3.0,
        lone_cosine: float = 5.0,
        tokens: float = 5.0,
        session: float = 0.4,
        author: float = 0.8,
        fade: float = 0.8,
    ) -> None:
        self.keyword = keyword
        self.cosine = cosine
        self.lone_cosine = lone_cosine
        """The same for a memory of no session, which no neighbours explain."""
        self.tokens = tokens
        self.session = session
        """Share of the session's best score that each of its memories is given."""
        self.author = author
        """For being said by the one author whom the query names."""
        self.fade = fade
        """What a neighbour's words count per step away in the same session."""


FULL = Weights()


class Candidate:
    """A memory that may answer, and what speaks for it."""

    __slots__ = ("author", "cosine", "keyword", "number", "place", "session", "tokens")

    def __init__(
        self,
        number: int,
        *,
        keyword: float = 0.0,
        cosine: float = 0.0,
        tokens: Sequence[float] = (),
        session: str = "",
        place: int | None = None,
        author: bool = False,
    ) -> None:
        self.number = number
        self.keyword = keyword
        """Absolute BM25, 0 to 1."""
        self.cosine = cosine
        self.tokens = tokens
        """For each of the query's wordpieces the best match among the memory's, -1 to 1."""
        self.session = session
        self.place = place
        self.author = author
        """Whether the one author whom the query names said it."""


class Score:
    """A candidate's score and its shares."""

    __slots__ = ("keyword", "number", "semantic", "session", "total")

    def __init__(self, number: int, keyword: float, semantic: float, session: float) -> None:
        self.number = number
        self.keyword = keyword
        self.semantic = semantic
        self.session = session
        self.total = keyword + semantic + session


def absolute(bm25: float, rarity: float) -> float:
    """bm25 as a share of what a memory with every word of the query would have, 0 to 1.

    Args:
        rarity: the sum of the query words' inverse document frequencies.
    """
    return min(1.0, 2.0 * bm25 / (2.2 * rarity)) if rarity > 0 else 0.0


def fuse(
    candidates: Sequence[Candidate],
    importance: Sequence[float],
    weights: Weights | None = None,
) -> list[Score]:
    """Every candidate's score, best first; equal scores go by number, the newer first.

    Args:
        importance: how much each of the query's wordpieces counts; they sum to 1.
        weights: `FULL` when None.
    """
    weights = weights or FULL
    around = neighbours(candidates)
    scores = {}
    for one in candidates:
        tokens = _with_neighbours(one, around, weights.fade)
        late = sum(w * m for w, m in zip(importance, tokens, strict=True)) if tokens else 0.0
        share = weights.cosine if one.session else weights.lone_cosine
        semantic = share * one.cosine + weights.tokens * late
        keyword = weights.keyword * one.keyword + (weights.author if one.author else 0.0)
        scores[one.number] = Score(one.number, keyword, semantic, 0.0)
    _share_sessions(candidates, scores, weights.session)
    return sorted(scores.values(), key=lambda score: (-score.total, -score.number))


def neighbours(
    candidates: Sequence[Candidate],
) -> Mapping[tuple[str, int], Sequence[Candidate]]:
    """The candidates at each place of each session."""
    placed: dict[tuple[str, int], list[Candidate]] = {}
    for one in candidates:
        if one.session and one.place is not None:
            placed.setdefault((one.session, one.place), []).append(one)
    return placed


def _with_neighbours(
    one: Candidate, around: Mapping[tuple[str, int], Sequence[Candidate]], fade: float
) -> Sequence[float]:
    """For each wordpiece the best match here, or near here with what distance leaves of it."""
    best = one.tokens
    if not one.session or one.place is None:
        return best
    for step, share in ((-1, fade), (1, fade), (-2, fade * fade), (2, fade * fade)):
        for other in around.get((one.session, one.place + step), ()):
            if not other.tokens:
                continue
            theirs = [share * value for value in other.tokens]
            best = list(map(max, best, theirs)) if best else theirs
    return best


def _share_sessions(
    candidates: Sequence[Candidate], scores: Mapping[int, Score], share: float
) -> None:
    """Give each memory of a session a share of the session's best score."""
    best: dict[str, float] = {}
    for one in candidates:
        if one.session:
            total = scores[one.number].total
            best[one.session] = max(best.get(one.session, total), total)
    for one in candidates:
        if one.session:
            score = scores[one.number]
            score.session = share * best[one.session]
            score.total += score.session

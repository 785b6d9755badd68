"""How the signs of a match become one score: pure functions of values, standard library only.

The weights were found by measuring (benchmarks/recall.py). The prompt hook takes the form of its
candidates from here, and compares them by bit counts.
"""

from collections.abc import Mapping, Sequence
from operator import mul

from cortex_core.base.hook_io import LightRecord

WEIGHTS: dict[str, float] = {
    "keyword": 1.3,
    # Words, and the cosine, for a memory of no session, which no neighbours explain.
    "lone_keyword": 0.25,
    "cosine": 3.0,
    "lone_cosine": 3.5,
    # MaxSim (late interaction): the query's wordpieces, each with its best match.
    "tokens": 5.0,
    # Share of the session's best score that each of its memories is given.
    "session": 0.4,
    # For being said by the one author whom the query names.
    "author": 1.2,
    # For ending in a question; for saying how things are done: a rule, a preference, a procedure.
    "asks": -0.2,
    "instructs": 0.2,
    # What is left of a neighbour's wordpieces, and of its words, for each step away in a session.
    "fade": 0.8,
    "keyword_fade": 0.5,
}
"""What each sign of a match counts."""


class SearchCandidate(LightRecord):
    """A memory that may answer, and what speaks for it."""

    number: int
    keyword: float = 0.0
    """Absolute BM25, 0 to 1."""
    cosine: float | None = None
    """-1 to 1; None for a memory that has no vector yet."""
    tokens: Sequence[float] = ()
    """For each of the query's wordpieces the best match among the memory's, -1 to 1."""
    session: str = ""
    position: int | None = None
    """Within the session; None where it is not known."""
    author: bool = False
    """Whether the one author whom the query names said it."""
    asks: bool = False
    """Whether it ends in a question."""
    instructs: bool = False
    """Whether it says how things are done: an instruction, a preference, a procedure."""


class Score(LightRecord):
    """A candidate's score and its shares, which sum to it."""

    candidate: SearchCandidate
    keyword: float
    semantic: float
    session: float = 0.0
    """What it is given of its session's best score, or of its own without a session."""

    @property
    def number(self) -> int:
        """The memory's."""
        return self.candidate.number

    @property
    def total(self) -> float:
        """The whole score, about 0 to 10."""
        return self.keyword + self.semantic + self.session


def absolute(bm25: float, rarity: float) -> float:
    """bm25 as a share of what a memory with every word of the query would have, 0 to 1.

    Args:
        rarity: the sum of the query words' inverse document frequencies.
    """
    return min(1.0, 2.0 * bm25 / (2.2 * rarity)) if rarity > 0 else 0.0


def fuse(candidates: Sequence[SearchCandidate], piece_weights: Sequence[float]) -> list[Score]:
    """Every candidate's score, best first; of equal ones the higher number leads.

    Args:
        piece_weights: how much each of the query's wordpieces counts; they sum to 1.
    """
    weights = WEIGHTS
    neighbours = _neighbours(candidates)
    maxsim = _maxsim(candidates, neighbours, piece_weights, weights["fade"])
    scores: dict[int, Score] = {}
    for one in candidates:
        words = one.keyword
        for distance, other in neighbours.get(one.number, ()):
            # A neighbour lends only what is better than the memory's own, and less with each step
            # away.
            if other.keyword > words:
                words = max(words, other.keyword * weights["keyword_fade"] ** distance)
        keyword = words * (weights["keyword"] if one.session else weights["lone_keyword"])
        keyword += (
            (weights["author"] if one.author else 0.0)
            + (weights["asks"] if one.asks else 0.0)
            + (weights["instructs"] if one.instructs else 0.0)
        )
        cosine = (one.cosine or 0.0) * (
            weights["cosine"] if one.session else weights["lone_cosine"]
        )
        semantic = cosine + weights["tokens"] * maxsim[one.number]
        scores[one.number] = Score(one, keyword, semantic)
    _estimate_meaning(candidates, scores)
    _share_sessions(candidates, scores, weights["session"])
    return sorted(scores.values(), key=lambda score: (-score.total, -score.number))


Neighbours = dict[int, list[tuple[int, SearchCandidate]]]
"""By number, the candidates one or two positions away in the same session, and how far."""


def _neighbours(candidates: Sequence[SearchCandidate]) -> Neighbours:
    sessions: dict[str, dict[int, list[SearchCandidate]]] = {}
    for one in candidates:
        if one.session and one.position is not None:
            sessions.setdefault(one.session, {}).setdefault(one.position, []).append(one)
    neighbours: Neighbours = {}
    for positions in sessions.values():
        for position, here in positions.items():
            others = [
                (abs(step), other)
                for step in (-2, -1, 1, 2)
                if position + step in positions
                for other in positions[position + step]
            ]
            if others:
                neighbours.update((one.number, others) for one in here)
    return neighbours


def _maxsim(
    candidates: Sequence[SearchCandidate],
    neighbours: Neighbours,
    piece_weights: Sequence[float],
    fade: float,
) -> dict[int, float]:
    """Each candidate's MaxSim: its own, or a neighbour's with what distance leaves of it."""
    shares = (fade, fade * fade)
    faded = {
        one.number: [one.tokens, *([share * v for v in one.tokens] for share in shares)]
        for one in candidates
        if one.number in neighbours and one.tokens
    }
    sums: dict[int, float] = {}
    for one in candidates:
        best = one.tokens
        if one.number in faded:
            others = [
                faded[other.number][distance]
                for distance, other in neighbours[one.number]
                if other.number in faded
            ]
            best = list(map(max, best, *others)) if others else best
        sums[one.number] = sum(map(mul, piece_weights, best))
    return sums


def _estimate_meaning(candidates: Sequence[SearchCandidate], scores: Mapping[int, Score]) -> None:
    """Estimate the semantic score of memories that have no vector yet from how their words match:
    between that of the median candidate and that of the best one."""
    known = sorted(scores[one.number].semantic for one in candidates if one.cosine is not None)
    if not known or len(known) == len(candidates):
        return
    median, best = known[len(known) // 2], known[-1]
    for one in candidates:
        if one.cosine is None:
            scores[one.number].semantic = median + (best - median) * one.keyword


def _share_sessions(
    candidates: Sequence[SearchCandidate], scores: Mapping[int, Score], share: float
) -> None:
    """Give each memory of a session a share of the session's best score.

    One of no session is a session by itself: what somebody wrote by hand is not to come after what
    a session taught only because that has companions.
    """
    best: dict[str, float] = {}
    for one in candidates:
        if one.session:
            total = scores[one.number].total
            best[one.session] = max(best.get(one.session, total), total)
    for one in candidates:
        score = scores[one.number]
        score.session = share * best.get(one.session, score.total)

"""The titles of a store, held in memory to find them by letters left out, swapped or joined.

A typed word is compared with every different word of the titles, which are far fewer than the
titles, and with the letters that run across neighbouring words. What is held follows the store.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.base import fuzzy

if TYPE_CHECKING:
    from cortex_core.store.store import Store

MOST_READINGS = 60
"""Words of the titles that one typed word may be."""

NARROW = 0.3
"""How much worse than the best one a word may be that a typed word is read as."""

MOST_COMPARED = 500
"""Titles that are ranked; of more, the newest."""

MOST_LETTERS = 2_000
"""Titles that may have the letters of a word in their order, among other letters. If more have
them, that says nothing."""

KEPT = 64
"""Typed words of which it is kept what they may be: most are typed on from."""

MOST_ACROSS, MOST_LOOSE = 300, 80
"""Titles that are compared letter by letter with a word that runs across several words: of those
that hold it whole, and of those that hold its letters with others between them."""

REBUILT = 1_000
"""Changed titles from which everything is read again instead of followed."""

NEWLINE = "\n"


class TitleHit(NamedTuple):
    """A title that fits every typed word."""

    number: int
    score: float
    literal: bool
    """Whether each typed word is the beginning of a word of it."""
    as_read: bool
    """Whether each typed word, as it was read, is."""


class TitleHits(NamedTuple):
    """The titles that fit, best first, and how single words were read."""

    hits: Sequence[TitleHit]
    readings: Mapping[str, tuple[str, float]]
    """Typed words and the word of the titles that each one most likely is, with its similarity; ""
    for one that rather runs across several words."""


class _Reading(NamedTuple):
    """What one typed word may be."""

    words: Mapping[str, float]
    """Words of the titles, and how well it fits them."""
    across: Mapping[int, float]
    """Titles by number where it runs across several words, and how well it fits."""


class Titles:
    """The titles of one store."""

    def __init__(self) -> None:
        self._titles: dict[int, str] = {}
        self._split: dict[int, tuple[str, ...]] = {}
        self._numbers: dict[str, list[int]] = {}
        """The memories with each word in their titles."""
        self._lines: list[str] = []
        """Each title without what is between its words, in the order of `_order`."""
        self._joined = ""
        """These lines in one text, which is searched at once."""
        self._ends: list[int] = []
        self._order: list[int] = []
        self._readings: dict[tuple[str, bool], _Reading] = {}

    def __len__(self) -> int:
        return len(self._titles)

    def follow(self, titles: Mapping[int, str]) -> None:
        """Hold exactly `titles`, by the numbers of their memories."""
        old = self._titles
        changed = [number for number, title in titles.items() if old.get(number) != title]
        gone = [number for number in old if number not in titles]
        replaced = sum(number in old for number in changed) + len(gone)
        if replaced > REBUILT:
            self._split, self._numbers = {}, {}
            changed = list(titles)
        else:
            for number in (*gone, *(number for number in changed if number in old)):
                self._drop(number)
        for number in changed:
            self._add(number, titles[number])
        self._titles = dict(titles)
        if changed or gone:
            self._joined = ""
            self._readings.clear()

    def _add(self, number: int, title: str) -> None:
        split = tuple(fuzzy.words(title))
        self._split[number] = split
        for word in dict.fromkeys(split):
            self._numbers.setdefault(word, []).append(number)

    def _drop(self, number: int) -> None:
        for word in dict.fromkeys(self._split.pop(number)):
            holders = self._numbers[word]
            holders.remove(number)
            if not holders:
                del self._numbers[word]

    # --- finding

    def find(
        self,
        typed: Sequence[str],
        most: int,
        is_common: Callable[[str], bool],
        passes: Callable[[int], bool] | None = None,
    ) -> TitleHits:
        """The titles that fit every one of the folded words `typed`, best first.

        Args:
            is_common: whether a word is a common one, which is hardly a misspelt other one.
            passes: whether a memory, by its number, is wanted at all; None: each is.
        """
        asked = list(dict.fromkeys(typed))
        if not asked or not self._titles:
            return TitleHits((), {})
        readings = {word: self._kept_reading(word, common=is_common(word)) for word in asked}
        likely = self._likely(readings)
        candidates = self._candidates(readings, passes)
        hits = [hit for number in candidates if (hit := self._hit(number, readings, likely))]
        best = nlargest(most, hits, key=lambda hit: (hit.score, hit.number))
        return TitleHits(best, self._read_as(readings, likely))

    @staticmethod
    def _read_as(
        readings: Mapping[str, _Reading], likely: Mapping[str, str]
    ) -> dict[str, tuple[str, float]]:
        read = {typed: (word, readings[typed].words[word]) for typed, word in likely.items()}
        for typed, (words, across) in readings.items():
            wider = max(across.values(), default=0.0)
            if wider >= fuzzy.CLEAR and wider > max(words.values(), default=0.0):
                read[typed] = "", wider
        return read

    def _kept_reading(self, typed: str, *, common: bool) -> _Reading:
        found = self._readings.get((typed, common))
        if found is None:
            if len(self._readings) >= KEPT:
                self._readings.clear()
            found = self._readings[typed, common] = self._read(typed, common=common)
        return found

    def _read(self, typed: str, *, common: bool) -> _Reading:
        """What a typed word may be: words of the titles, or letters across several of them."""
        scores = fuzzy.nearest(typed, self._numbers)
        best = max(scores.values(), default=0.0)
        if best < fuzzy.LITERAL and common:
            scores = {word: score for word, score in scores.items() if score > fuzzy.CLEAR}
            best = max(scores.values(), default=0.0)
        least = max(fuzzy.LEAST, best - NARROW)
        kept = nlargest(
            MOST_READINGS, ((score, word) for word, score in scores.items() if score >= least)
        )
        words = {word: score for score, word in kept}
        if best >= fuzzy.LITERAL or len(typed) <= fuzzy.SHORTEST:
            return _Reading(words, {})
        return _Reading(words, self._runs_across(typed, best))

    def _runs_across(self, typed: str, best: float) -> dict[int, float]:
        """The titles where a typed word runs across several words better than it fits one."""
        self._join()
        found: dict[int, float] = {}
        at = self._joined.find(typed)
        while at >= 0 and len(found) < MOST_ACROSS:
            index = bisect_right(self._ends, at)
            found[self._order[index]] = 0.0
            at = self._joined.find(typed, self._ends[index])
        if not found and best < fuzzy.CLEAR and len(typed) > fuzzy.SHORTEST + 1:
            found = dict.fromkeys(self._loosely(typed), 0.0)
        scores = {
            number: fuzzy.across(typed, fuzzy.Joined.of(self._split[number]))[0] for number in found
        }
        least = max(best, fuzzy.LEAST)
        return {number: score for number, score in scores.items() if score >= least}

    def _loosely(self, typed: str) -> list[int]:
        """Titles with the letters of a typed word in their order, those closest together first."""
        from rapidfuzz import fuzz, process
        from rapidfuzz.distance import LCSseq

        for missing in (1, 0) if fuzzy.slack(len(typed)) else (0,):
            rows = process.extract(
                typed, self._lines, scorer=LCSseq.similarity, limit=None,
                score_cutoff=len(typed) - missing,
            )  # fmt: skip
            if len(rows) <= MOST_LETTERS:
                break
        else:
            return []
        lines = {index: line for line, _, index in rows}
        if len(lines) <= MOST_LOOSE:
            return [self._order[index] for index in lines]
        closest = process.extract(typed, lines, scorer=fuzz.partial_ratio, limit=MOST_LOOSE)
        return [self._order[index] for _, _, index in closest]

    def _join(self) -> None:
        """Make one text of all titles without what is between their words, a line each."""
        if not self._joined:
            self._lines = list(map("".join, self._split.values()))
            self._order = list(self._split)
            self._ends = list(accumulate(len(line) + 1 for line in self._lines))
            self._joined = NEWLINE.join(self._lines)

    def _candidates(
        self, readings: Mapping[str, _Reading], passes: Callable[[int], bool] | None
    ) -> Iterable[int]:
        """The titles that hold something of every typed word, the newest if they are many."""
        common: set[int] | None = None
        for words, across in sorted(readings.values(), key=self._breadth):
            holders = set(across).union(*(self._numbers[word] for word in words))
            common = holders if common is None else common & holders
            if not common:
                return ()
        assert common is not None
        if passes is not None:
            common = set(filter(passes, common))
        return common if len(common) <= MOST_COMPARED else nlargest(MOST_COMPARED, common)

    def _breadth(self, reading: _Reading) -> int:
        return len(reading.across) + sum(len(self._numbers[word]) for word in reading.words)

    def _hit(
        self, number: int, readings: Mapping[str, _Reading], likely: Mapping[str, str]
    ) -> TitleHit | None:
        split = self._split[number]
        scores: list[tuple[float, int]] = []
        order: list[int] = []
        as_read = True
        for typed, (words, across) in readings.items():
            score, index = across.get(number, 0.0), -1
            for place, word in enumerate(split):
                if (value := words.get(word, 0.0)) > score:
                    score, index = value, place
            if not score:
                return None
            scores.append((score, len(typed)))
            order.append(index)
            as_read = as_read and index >= 0 and split[index].startswith(likely.get(typed, typed))
        total = fuzzy.together(scores, order, sum(map(len, split)))
        return TitleHit(number, total, min(scores)[0] >= fuzzy.LITERAL, as_read)

    def _likely(self, readings: Mapping[str, _Reading]) -> dict[str, str]:
        """Typed words that clearly are one other word, and which it most often is."""
        likely: dict[str, str] = {}
        for typed, (words, across) in readings.items():
            best = max(words.values(), default=0.0)
            if fuzzy.CLEAR <= best < fuzzy.LITERAL and best > max(across.values(), default=0.0):
                equal = [word for word, score in words.items() if score == best]
                likely[typed] = max(equal, key=lambda word: len(self._numbers[word]))
        return likely


_TITLES = "SELECT number, title FROM memory"

_lock = threading.Lock()
_held: dict[str, tuple[tuple[str, int], Titles]] = {}


def titles_of(store: Store) -> Titles:
    """The titles of `store` as they are now; safe from several threads."""
    key = str(store.path)
    with _lock:
        now = (store.identity, store.revision)
        known, titles = _held.get(key, (("", -1), None))
        if titles is None or known[0] != now[0]:
            titles = Titles()
        if known != now:
            titles.follow(dict(map(tuple, store.rows(_TITLES))))
            _held[key] = now, titles
        return titles


def forget_held() -> None:
    """Let go of every title, as a new process would begin."""
    with _lock:
        _held.clear()

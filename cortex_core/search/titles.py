"""The titles of a store, held in memory to find them by letters left out, swapped or joined.

A typed word is compared with every different word of the titles, which are far fewer than the
titles, and with the letters that run across neighbouring words. What is held follows the store.
"""

from __future__ import annotations

import json
import threading
from bisect import bisect_right
from collections import defaultdict
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

KEPT = 16
"""Typed words of which it is kept what they may be, a byte a memory each: most are typed on
from."""

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


Readings = Mapping[str, tuple[str, float]]
"""Typed words and the word of the titles that each one most likely is, with its similarity; "" for
one that rather runs across several words."""


class _Reading(NamedTuple):
    """What one typed word may be."""

    words: Mapping[str, float]
    """Words of the titles, and how well it fits them."""
    across: Mapping[int, float]
    """Titles by number where it runs across several words, and how well it fits."""
    holders: bytes
    """By number: 1 for a title that holds something of this, else 0."""


class Titles:
    """The titles of one store; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._titles: dict[int, str] = {}
        self._room = 0
        """One more than the highest number."""
        self._folded: dict[int, str] = {}
        """The words of each title, blanks between them."""
        self._numbers: defaultdict[str, list[int]] = defaultdict(list)
        """The memories with each word in their titles, as often as it is in them."""
        self._lines: list[str] = []
        """Each title without what is between its words, in the order of `_order`."""
        self._joined = ""
        """These lines in one text, which is searched at once."""
        self._ends: list[int] = []
        self._order: list[int] = []
        self._readings: dict[tuple[str, bool], _Reading] = {}
        self._absent: set[str] = set()
        """Letters that are nowhere in `_joined`, and so none that go on from them."""

    def __len__(self) -> int:
        return len(self._titles)

    def follow(self, titles: Mapping[int, str]) -> None:
        """Hold exactly `titles`, by the numbers of their memories."""
        with self._lock:
            self._follow(titles)

    def _follow(self, titles: Mapping[int, str]) -> None:
        old = self._titles
        changed = [number for number, title in titles.items() if old.get(number) != title]
        gone = [number for number in old if number not in titles]
        replaced = sum(number in old for number in changed) + len(gone)
        if replaced > REBUILT:
            self._folded, self._numbers = {}, defaultdict(list)
            changed = list(titles)
        else:
            for number in (*gone, *(number for number in changed if number in old)):
                self._drop(number)
        self._add({number: titles[number] for number in changed})
        self._titles = dict(titles)
        self._room = 1 + max(titles, default=0)
        if changed or gone:
            self._joined = ""
            self._readings.clear()
            self._absent.clear()

    def _add(self, titles: Mapping[int, str]) -> None:
        spaced, folded, numbers = fuzzy.spaced, self._folded, self._numbers
        for number, title in titles.items():
            folded[number] = line = spaced(title)
            for word in line.split():
                numbers[word].append(number)

    def _drop(self, number: int) -> None:
        for word in self._folded.pop(number).split():
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
    ) -> tuple[Sequence[TitleHit], Readings]:
        """The titles that fit every one of the folded words `typed`, best first.

        Args:
            is_common: whether a word is a common one, which is hardly a misspelt other one.
            passes: whether a memory, by its number, is wanted at all; None: each is.
        """
        with self._lock:
            return self._find(list(dict.fromkeys(typed)), most, is_common, passes)

    def _find(
        self,
        asked: Sequence[str],
        most: int,
        is_common: Callable[[str], bool],
        passes: Callable[[int], bool] | None,
    ) -> tuple[Sequence[TitleHit], Readings]:
        if not asked or not self._titles:
            return (), {}
        readings = {word: self._kept_reading(word, common=is_common(word)) for word in asked}
        likely = self._likely(readings)
        candidates = self._candidates(readings, passes)
        hits = [hit for number in candidates if (hit := self._hit(number, readings, likely))]
        best = nlargest(most, hits, key=lambda hit: (hit.score, hit.number))
        return best, self._read_as(readings, likely)

    @staticmethod
    def _read_as(
        readings: Mapping[str, _Reading], likely: Mapping[str, str]
    ) -> dict[str, tuple[str, float]]:
        read = {typed: (word, readings[typed].words[word]) for typed, word in likely.items()}
        for typed, (words, across, _) in readings.items():
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
        is_one = best >= fuzzy.LITERAL or len(typed) <= fuzzy.SHORTEST
        across = {} if is_one else self._runs_across(typed, best)
        return _Reading(words, across, self._holders(words, across))

    def _holders(self, words: Iterable[str], across: Iterable[int]) -> bytes:
        """By number: 1 for the titles with any of these words, and for those of `across`."""
        flags = bytearray(self._room)
        for numbers in (across, *(self._numbers[word] for word in words)):
            for number in numbers:
                flags[number] = 1
        return bytes(flags)

    def _runs_across(self, typed: str, best: float) -> dict[int, float]:
        """The titles where a typed word runs across several words better than it fits one."""
        self._join()
        found = self._holding(typed)
        if not found and best < fuzzy.CLEAR and len(typed) > fuzzy.SHORTEST + 1:
            found = self._loosely(typed)
        scores = {
            number: fuzzy.across(typed, fuzzy.Joined.of(self._folded[number].split()))[0]
            for number in found
        }
        least = max(best, fuzzy.LEAST)
        return {number: score for number, score in scores.items() if score >= least}

    def _holding(self, typed: str) -> list[int]:
        """Titles with the letters of a typed word one after the other, `MOST_ACROSS` at most."""
        found: list[int] = []
        if any(letters in typed for letters in self._absent):
            return found
        at = self._joined.find(typed)
        while at >= 0 and len(found) < MOST_ACROSS:
            index = bisect_right(self._ends, at)
            found.append(self._order[index])
            at = self._joined.find(typed, self._ends[index])
        if not found and len(self._absent) < KEPT:
            self._absent.add(typed)
        return found

    def _loosely(self, typed: str) -> list[int]:
        """Titles with the letters of a typed word in their order, those closest together first."""
        from rapidfuzz import fuzz, process
        from rapidfuzz.distance import LCSseq

        letters = len(typed)
        rows = process.extract(
            typed,
            self._lines,
            scorer=LCSseq.similarity,
            limit=MOST_LETTERS + 1,
            score_cutoff=letters - (fuzzy.slack(letters) > 0),
        )
        if len(rows) > MOST_LETTERS:  # without those that lack a letter, which come last
            rows = [row for row in rows if row[1] == letters]
        if len(rows) > MOST_LETTERS:
            return []
        lines = {index: line for line, _, index in rows}
        if len(lines) <= MOST_LOOSE:
            return [self._order[index] for index in lines]
        closest = process.extract(typed, lines, scorer=fuzz.partial_ratio, limit=MOST_LOOSE)
        return [self._order[index] for _, _, index in closest]

    def _join(self) -> None:
        """Make one text of all titles without what is between their words, a line each."""
        if not self._joined:
            self._joined = NEWLINE.join(self._folded.values()).replace(" ", "")
            self._lines = self._joined.split(NEWLINE)
            self._order = list(self._folded)
            self._ends = list(accumulate(len(line) + 1 for line in self._lines))

    def _candidates(
        self, readings: Mapping[str, _Reading], passes: Callable[[int], bool] | None
    ) -> list[int]:
        """The titles that hold something of every typed word, the newest if they are many."""
        first, *others = (reading.holders for reading in readings.values())
        common = int.from_bytes(first)
        for holders in others:
            common &= int.from_bytes(holders)
        flags = common.to_bytes(len(first)) if others else first
        found: list[int] = []
        at = flags.rfind(1)
        while at >= 0 and len(found) < MOST_COMPARED:
            if passes is None or passes(at):
                found.append(at)
            at = flags.rfind(1, 0, at)
        return found

    def _hit(
        self, number: int, readings: Mapping[str, _Reading], likely: Mapping[str, str]
    ) -> TitleHit | None:
        split = self._folded[number].split()
        scores: list[tuple[float, int]] = []
        order: list[int] = []
        as_read = True
        for typed, (words, across, _) in readings.items():
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
        for typed, (words, across, _) in readings.items():
            best = max(words.values(), default=0.0)
            if fuzzy.CLEAR <= best < fuzzy.LITERAL and best > max(across.values(), default=0.0):
                equal = [word for word, score in words.items() if score == best]
                likely[typed] = max(equal, key=lambda word: len(set(self._numbers[word])))
        return likely


_TITLES = "SELECT json_group_array(number), json_group_array(title) FROM memory"
"""In one row: fetching as many as there are memories takes twice as long, all of it held up by, and
holding up, what the app draws meanwhile."""

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
            ((numbers, texts),) = store.rows(_TITLES)
            titles.follow(dict(zip(json.loads(numbers), json.loads(texts), strict=True)))
            _held[key] = now, titles
        return titles

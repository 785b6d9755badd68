"""The titles of a store, held in memory to find them by letters left out, swapped or joined.

A typed word is compared with every different word of the titles, which are far fewer than the
titles, and with the letters that run across neighbouring words. What is held follows the store.
"""

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

from cortex_core.base import fuzzy
from cortex_core.store.store import Store

MOST_READINGS = 60
"""Words of the titles that one typed word may be."""

NARROW = 0.3
"""How much worse than the best one a word may be that a typed word is read as."""

MOST_COMPARED = 500
"""Titles that are ranked; of more, the newest."""

MOST_ACROSS = 300
"""Titles in which a typed word runs across several words."""


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


class Titles:
    """The titles of one store; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._titles: dict[int, str] = {}
        self._folded: dict[int, str] = {}
        """The words of each title, blanks between them."""
        self._letters: dict[int, str] = {}
        """Each title without what is between its words."""
        self._numbers: defaultdict[str, set[int]] = defaultdict(set)
        """The memories with each word in their titles."""

    def __len__(self) -> int:
        return len(self._titles)

    def follow(self, titles: Mapping[int, str]) -> None:
        """Hold exactly `titles`, by the numbers of their memories."""
        with self._lock:
            old = self._titles
            for number in [number for number, title in old.items() if titles.get(number) != title]:
                self._drop(number)
            for number, title in titles.items():
                if old.get(number) != title:
                    self._add(number, title)
            self._titles = dict(titles)

    def _add(self, number: int, title: str) -> None:
        self._folded[number] = line = fuzzy.spaced(title)
        split = line.split()
        self._letters[number] = "".join(split)
        for word in split:
            self._numbers[word].add(number)

    def _drop(self, number: int) -> None:
        del self._letters[number]
        for word in set(self._folded.pop(number).split()):
            self._numbers[word].remove(number)
            if not self._numbers[word]:
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
            if not typed or not self._titles:
                return (), {}
            readings = {
                part: reading
                for word in typed
                for part, reading in self._readings(word, common=is_common(word))
            }
            likely = self._likely(readings)
            # The titles that hold something of what each typed word may be.
            holders = set.intersection(
                *(
                    set(across).union(*(self._numbers[word] for word in words))
                    for words, across in readings.values()
                )
            )
            # The newest, if they are many.
            newest = (
                filter(passes, sorted(holders, reverse=True))
                if passes
                else nlargest(MOST_COMPARED, holders)
            )
            hits = [
                hit
                for number in islice(newest, MOST_COMPARED)
                if (hit := self._hit(number, readings, likely))
            ]
        best = nlargest(most, hits, key=lambda hit: (hit.score, hit.number))
        return best, self._read_as(readings, likely)

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
        return _Reading(words, {} if is_one else self._runs_across(typed, max(best, fuzzy.LEAST)))

    def _readings(self, typed: str, *, common: bool) -> Sequence[tuple[str, _Reading]]:
        """A typed word and what it may be; the two words that it is made of where it is clearly no
        other one, and where others were left out between them."""
        reading = self._read(typed, common=common)
        if not reading.across and max(reading.words.values(), default=0.0) < fuzzy.CLEAR:
            for at in range(2, len(typed) - 1):
                cut = (typed[:at], typed[at:])
                if self._numbers.keys() >= {*cut}:
                    return [(part, self._read(part, common=False)) for part in cut]
        return [(typed, reading)]

    def _runs_across(self, typed: str, least: float) -> dict[int, float]:
        """The titles where a typed word runs across several words better than it fits one."""
        found = (number for number, letters in self._letters.items() if typed in letters)
        scores = {
            number: fuzzy.across(typed, self._folded[number].split())[0]
            for number in islice(found, MOST_ACROSS)
        }
        return {number: score for number, score in scores.items() if score >= least}

    def _hit(
        self, number: int, readings: Mapping[str, _Reading], likely: Mapping[str, str]
    ) -> TitleHit | None:
        split = self._folded[number].split()
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

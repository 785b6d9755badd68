"""Finds similar memories among those that one import brings, at a cost that does not grow with it.

Full-text search would rank, for each new memory, most of those that came before it: an import of
20,000 would take a hundred times as long as one of 2,000.
"""

from collections import Counter, defaultdict
from heapq import nlargest
from math import log

from cortex_core.duplicates.features import features
from cortex_core.records.memory import Memory
from cortex_core.store.word_index import Content

LEAST_SHARED = 0.65
"""Share of the words of the longer text that the other one needs. Without vectors, only what shares
three of four is proposed; words that occur twice may count for more."""


class BatchIndex:
    """The memories that an import has added to a store, by the words of their contents."""

    def __init__(self, before: int) -> None:
        """`before`: the row number of the newest memory that was there before the import."""
        self.before = before
        self._added: list[tuple[Content, frozenset[str]]] = []
        self._holders: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, memory: Memory) -> None:
        """Note a memory that was added."""
        keys = features(memory.content).keys
        for key in keys:
            self._holders[key].append(len(self._added))
        self._added.append(((memory.id, memory.content), keys))

    def sharing_words(self, content: str, limit: int) -> list[Content]:
        """At most `limit` memories that share most of their words with `content`, the best first.

        Of texts that share three of four words, two at least of the rarest quarter and two more are
        in both. Only these are looked up: the rarer the word, the fewer memories hold it.
        """
        keys = features(content).keys
        rarest = sorted(keys, key=lambda key: (len(self._holders.get(key, ())), key))
        counted: Counter[int] = Counter()
        for key in rarest[: len(keys) // 4 + 2]:
            counted.update(self._holders.get(key, ()))
        least = min(2, len(keys))
        rarity = {
            key: log((len(self._added) + 1) / len(self._holders[key]))
            for key in keys
            if key in self._holders
        }
        fitting = [self._added[index] for index, count in counted.items() if count >= least]
        similar = [
            one
            for one in fitting
            if len(keys & one[1]) / max(len(keys), len(one[1])) >= LEAST_SHARED
        ]
        # Those that share the rarest words come first.
        best = nlargest(limit, similar, key=lambda one: sum(rarity[key] for key in keys & one[1]))
        return [content for content, _ in best]

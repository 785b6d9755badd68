"""When a sentence of the user says what another one, or a memory, said before: by its meaning.

What the user says again has other words around it: “I told you to …”, “why did you …”, “no, …”. So
the vectors of the shipped model are compared, whichever model searches: the bound was measured on
its vectors, and no sentence leaves the machine. Numbers that differ, and an order for what the
other text forbids, are no repetition but a change of mind.
"""

from collections.abc import Sequence
from functools import lru_cache

from cortex_core.base.text import words
from cortex_core.duplicates.last_word import keys
from cortex_core.embeddings import local
from cortex_core.embeddings.protocol import Vector
from cortex_core.language import negation, sentences, signals
from cortex_core.language.detect import language

SAME = 0.71
"""Cosine from which two sentences say the same. Chosen on eight projects, where a reader found all
10 pairs of sentences from different sessions above it to be right, and on the made-up pairs of
`benchmarks/again.py`. On six others 27 of 34 pairs were right."""
LONGEST = 4_000
"""Characters of a memory that are compared."""

_UNKNOWN = "\u2e80"
"""The first letter of the scripts of which the model knows few words."""

_NONE = frozenset[str]()
_REFUSING = negation.NEGATIONS | negation.DENIALS | {"stop"}


def cosine(one: bytes, other: bytes) -> float:
    """The cosine of two vectors of length 1, float32."""
    import numpy as np

    return float(np.frombuffer(one, np.float32) @ np.frombuffer(other, np.float32))


@lru_cache(maxsize=4096)
def encode(text: str) -> bytes:
    """The vector of a sentence, float32, without the addresses in it: they are of the moment.

    Raises:
        ModelUnavailable: the shipped model cannot be loaded.
    """
    plain = " ".join(word for word in text.split() if "://" not in word)
    return local.shipped().encode(plain).vector.tobytes()


class Sentences:
    """Sentences that are compared with one another by their vectors."""

    def __init__(self, texts: Sequence[str], vectors: Sequence[bytes]) -> None:
        """Args:
        vectors: as `encode` made them; empty for a sentence that is like no other yet.
        """
        import numpy as np

        self._texts = texts
        # Thousands of sentences may be near one another, so that they are told apart by arrays.
        numbers = [_numbers(text) for text in texts]
        known = {each: number for number, each in enumerate({*numbers} - {_NONE}, 1)}
        self._numbers = np.array([known.get(each, 0) for each in numbers], np.int64)
        self._complains = np.array([complains(text) for text in texts], bool)
        self._forbids = np.array([_forbids(text) for text in texts], bool)
        empty = bytes(4 * local.DIMENSION)
        joined = b"".join(vector or empty for vector in vectors)
        self._vectors: Vector = np.frombuffer(joined, np.float32).reshape(-1, local.DIMENSION)

    def like(self, index: int) -> list[int]:
        """The positions of the other sentences that say what the one at `index` says."""
        near = self._vectors @ self._vectors[index] >= SAME
        number = self._numbers[index]
        near &= (self._numbers == number) | (self._numbers == 0) | (number == 0)
        complain = self._complains | self._complains[index]
        near &= complain | (self._forbids == self._forbids[index])
        near[index] = False
        said = self._texts[index]
        return [int(at) for at in near.nonzero()[0] if _shares_words(said, self._texts[at])]

    def similarity(self, index: int, memory: str) -> float:
        """How like the sentence at `index` the sentence of a memory is that fits best, as cosine; 0
        where none says the same."""
        memory = memory[:LONGEST]
        found = 0.0
        # What has no vector yet is like nothing, and the model may not be there.
        # “Never edit gen/, it is generated” is said again without its reason.
        parts = {memory, *sentences.in_lines(memory), memory.partition(", ")[0]}
        for each in parts if self._vectors[index].any() else ():
            alike = cosine(encode(each), self._vectors[index].tobytes())
            said = self._texts[index]
            if alike >= SAME and not _differ(said, each) and _shares_words(said, each):
                found = max(found, alike)
        return found


def _differ(one: str, other: str) -> bool:
    """Whether two sentences name other numbers, or one orders what the other forbids."""
    numbers = [_numbers(one), _numbers(other)]
    if all(numbers) and numbers[0] != numbers[1]:
        return True
    return not (complains(one) or complains(other)) and _forbids(one) != _forbids(other)


def _shares_words(one: str, other: str) -> bool:
    """Whether two sentences share half the words of one of them, where the model knows few words:
    in scripts without blanks nearly all sentences are near one another."""
    both = keys(one), keys(other)
    return max(one, default="") < _UNKNOWN or 2 * len(both[0] & both[1]) >= min(map(len, both))


def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word[:1].isdigit())


def complains(text: str) -> bool:
    """Whether a sentence names what was done, not what is to be done."""
    return "you" in words(text) or text.rstrip().endswith("?")


def _forbids(text: str) -> bool:
    """Whether a sentence begins by forbidding something: what it forbids later has a better way."""
    plain = signals.without_lead(text.casefold().removeprefix("no, "), language(text) or "en")
    begun = plain.replace("do not", "don't").split()
    return bool(begun) and begun[0] in _REFUSING and begun[1:2] != ["forget"]

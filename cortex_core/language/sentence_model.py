"""What a sentence is, in any language, by a linear model of its pieces.

Words, pairs of words and pieces of words are hashed into buckets (feature hashing, Weinberger and
others, 2009), whose weights multinomial logistic regression has learned from sentences that were
written for this: `tools/train_sentences.py`. It takes no language for granted and needs no list of
words. Standard library only: a sum over a few hundred whole numbers is quicker than loading numpy.
"""

import math
import re
import unicodedata
import zlib
from itertools import pairwise

from cortex_core.base import hook_io

_LONGEST = 1000
"""Characters that are looked at: a statement is shorter."""
_LETTERS = range(3, 6)
"""Lengths of the pieces of a word. Shorter ones say less, longer ones are whole words."""
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_QUOTES = frozenset('"“„«「`')


def pieces(text: str, buckets: int) -> list[int]:
    """The buckets, of so many, of what a text is made of, each once."""
    plain = unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()
    words = _WORD.findall(re.sub(r"\d+", "0", plain))
    found = {f"#{min(9, len(words) // 3)}"}
    if not _QUOTES.isdisjoint(plain):
        found.add("#quoted")
    for word in words:
        # Chinese, Japanese and Korean say with one letter what others say with a word.
        padded, least = (word, 1) if word[0] > "\u3000" else (f" {word} ", _LETTERS.start)
        for length in range(least, _LETTERS.stop):
            found.update(padded[at : at + length] for at in range(len(padded) - length + 1))
    around = ["^", *words, "$"]
    found.update(f"{word}_" for word in around)
    found.update(f"{first}_{second}_" for first, second in pairwise(around))
    return sorted({zlib.crc32(piece.encode("utf-8", "surrogatepass")) % buckets for piece in found})


class SentenceModel(hook_io.LightRecord):
    """What was learned: a whole number for each bucket and label, and how to read them."""

    labels: tuple[str, ...]
    scale: tuple[float, ...]
    """By how much the numbers of each label are multiplied."""
    bias: tuple[float, ...]
    weights: memoryview
    """Signed bytes: those of all labels for one bucket, then those for the next."""

    def shares(self, text: str) -> dict[str, float]:
        """How likely a sentence, or a text of a few, is each of the labels; together 1."""
        width = len(self.labels)
        at = pieces(text, len(self.weights) // width)
        found = (self.weights[bucket * width : (bucket + 1) * width] for bucket in at)
        sums = map(sum, zip(*found, strict=True))
        size = math.sqrt(len(at))
        logits = [
            total * scale / size + bias
            for total, scale, bias in zip(sums, self.scale, self.bias, strict=True)
        ]
        top = max(logits)
        odds = [math.exp(logit - top) for logit in logits]
        return {label: odd / sum(odds) for label, odd in zip(self.labels, odds, strict=True)}


def load(path: str) -> SentenceModel:
    """The model of a file: a line of JSON, then its weights, which hooks read too: unpacking them
    takes ten times as long."""
    head, _, weights = hook_io.whole(path).partition(b"\n")
    known = {name: tuple(values) for name, values in hook_io.loads(head.decode()).items()}
    return SentenceModel(**known, weights=memoryview(weights).cast("b"))

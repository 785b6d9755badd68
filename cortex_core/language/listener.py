"""What a sentence of the user says that lasts, in any language, by a linear model of its pieces.

Words, pairs of words and pieces of words are hashed into buckets (feature hashing, Weinberger and
others, 2009), whose weights multinomial logistic regression has learned from sentences that were
written for this: `tools/train_listener.py`. It takes no language for granted and needs no list of
words. `benchmarks/reversals.py` measures it on prompts of others.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from cortex_core.base.one_thread import load_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUCKETS = 1 << 15
"""Buckets of the pieces. Twice as many bring half a point of area under the curve, for 260 kB."""
LABELS = ("change", "fact", "now", "question", "quoted", "rule", "task", "withdrawal")
"""What a sentence can be. Quoted is all that is not meant: opinions of others, irony, thanks."""
LASTING = ("change", "fact", "rule", "withdrawal")
KINDS: Mapping[str, str] = {"now": "policy", "rule": "policy"}
"""The kind of memory that a sentence is, where that is not a fact."""
LASTS = 0.66
"""How sure it is from which on a sentence is worth a suggestion: of 1,517 sentences of projects
of which it learned nothing 5 % are, and of rules worded by others seven in ten."""
WEIGHTS = "listener.npz"

_LONGEST = 1000
"""Characters that are looked at: a statement is shorter."""
_LETTERS = range(3, 6)
"""Lengths of the pieces of a word. Shorter ones say less, longer ones are whole words."""
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_QUOTES = re.compile(r"[\"“„«「`]")


class Heard(NamedTuple):
    """What a sentence is taken for."""

    label: str
    """The likeliest of `LABELS`."""
    score: float
    """How likely it says something that lasts, 0 to 1."""


def pieces(text: str) -> list[int]:
    """The buckets of what a text is made of, each once."""
    plain = unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()
    words = _WORD.findall(re.sub(r"\d+", "0", plain))
    found = {f"#{min(9, len(words) // 3)}"}
    if _QUOTES.search(plain):
        found.add("#quoted")
    for word in words:
        # Chinese, Japanese and Korean say with one letter what others say with a word.
        padded, least = (word, 1) if word[0] > "\u3000" else (f" {word} ", _LETTERS.start)
        for length in range(least, _LETTERS.stop):
            found.update(padded[at : at + length] for at in range(len(padded) - length + 1))
    around = ["^", *words, "$"]
    found.update(f"{word}_" for word in around)
    found.update(f"{first}_{second}_" for first, second in pairwise(around))
    return sorted({zlib.crc32(piece.encode()) % BUCKETS for piece in found})


@lru_cache(maxsize=4096)
def heard(text: str) -> Heard:
    """What a sentence, or a prompt of a few, is taken for."""
    return judged(text, *_learned())


def judged(text: str, weights: NDArray[Any], bias: NDArray[Any]) -> Heard:
    """What a sentence is taken for by the weights of each bucket, and a bias, for each label."""
    at = pieces(text)
    logits = (weights[at].sum(axis=0) / math.sqrt(len(at)) + bias).tolist()
    top = max(logits)
    shares = {label: math.exp(logit - top) for label, logit in zip(LABELS, logits, strict=True)}
    score = sum(map(shares.__getitem__, LASTING)) / sum(shares.values())
    return Heard(max(shares, key=shares.__getitem__), score)


@cache
def _learned() -> tuple[NDArray[Any], NDArray[Any]]:
    """The weights of each bucket for each label, and the bias of each label."""
    load_numpy()
    import numpy as np

    with resources.files(__package__).joinpath(WEIGHTS).open("rb") as file:
        stored = np.load(file)
        return stored["weights"] * stored["scale"], stored["bias"]

"""What a sentence of the user says that lasts, in any language: a model that learned it.

`tools/train_sentences.py` trained it; `benchmarks/reversals.py` measures it on prompts of others.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from cortex_core.language import sentence_model

LABELS = ("change", "fact", "now", "question", "quoted", "rule", "task", "withdrawal")
"""What a sentence can be. Quoted is all that is not meant: opinions of others, irony, thanks."""
LASTING = ("change", "fact", "rule", "withdrawal")
KINDS: Mapping[str, str] = {"now": "policy", "rule": "policy"}
"""The kind of memory that a sentence is, where that is not a fact."""
LASTS = 0.5
"""How sure it is from which on a sentence is worth a suggestion. In 1,134 sentences of sessions of
which it learned nothing a strict reader found 86 that last: of 52 that it marks 22 are among those,
and 9 nearly. Of rules that others worded for it, it marks five in six."""
WEIGHTS = Path(__file__).with_name("listener.weights")


class Heard(NamedTuple):
    """What a sentence is taken for."""

    label: str
    """The likeliest of `LABELS`."""
    score: float
    """How likely it says something that lasts, 0 to 1."""


@lru_cache(maxsize=4096)
def heard(text: str) -> Heard:
    """What a sentence, or a prompt of a few, is taken for."""
    shares = _learned().shares(text)
    return Heard(max(shares, key=shares.__getitem__), sum(map(shares.__getitem__, LASTING)))


@cache
def _learned() -> sentence_model.SentenceModel:
    return sentence_model.load(str(WEIGHTS))

"""How near a prompt comes to the generic prompts that no memory answers: "commit this", "rename
that". A memory has to be about as near to be worth giving, for any sentence is somewhat near to
any other, and how much so depends on the sentence.

The requests are written down in tools/generic_prompts.txt; their vectors are shipped.

Recall with the shipped model for a process that has loaded nothing yet: the prompt hook, where
what it found without the model leaves it unsure.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import embeddings
from cortex_core.embeddings.local import DIMENSION, NAME, shipped
from cortex_core.search import keyword
from cortex_core.search.candidates import Question, gather
from cortex_core.search.fusion import fuse
from cortex_core.search.pool import Allowed
from cortex_core.store import vector_search
from cortex_core.store.vector_search import Label, cache_path
from cortex_core.surface.prompt_recall.matching import HIGHEST_SCORE, PromptMatch, threshold
from cortex_core.surface.prompt_recall.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from cortex_core.embeddings.protocol import Vector
    from cortex_core.store.reader import Reader
    from cortex_core.surface.prompt_recall.matching import PromptPool

TABLE = Path(str(embeddings.__file__)).with_name("generic_prompts.npy")
"""One vector a row, float16, of the shipped model."""


@cache
def generic_vectors() -> Vector:
    """The requests' vectors, of unit length."""
    import numpy as np

    loaded: Vector = np.load(TABLE).astype(np.float32)
    return loaded


def generic_similarity(asked: Vector) -> float:
    """The cosine of `asked` with the most alike of the generic prompts."""
    return float((generic_vectors() @ asked).max())


def rank(
    store: Reader,
    text: str,
    *,
    allowed: Allowed | None = None,
) -> Ranking:
    """The memories of one store that may answer `text`: as `model_free.rank`, but with the model.

    Raises:
        ModelUnavailable: the model cannot be loaded.
    """
    words = keyword.prepare(store, keyword.terms(text))
    question = Question(text, shipped())
    label = Label(store.identity, NAME, DIMENSION)
    matrix = vector_search.read_matrix(store, cache_path(Path(store.file), store.scope), label)
    offered = gather(store, question, words, allowed or Allowed(), matrix)
    return Ranking(fuse(offered.candidates, offered.importance), words)


FIRST = 24
"""The best of a store, as recall ranks it, that are looked at."""


def by_meaning(pools: Sequence[PromptPool], prompt: str, away: Set[str]) -> list[PromptMatch]:
    """The memories that may fit the prompt, and how near each is.

    Args:
        away: ids of memories that are not to be given.

    Raises:
        ModelUnavailable: the model cannot be loaded.
        sqlite3.Error: a store cannot be read.
    """
    asked = shipped().query(prompt).vector
    alike = generic_similarity(asked)
    return [
        one
        for pool in pools
        for one in _best(pool, prompt, asked, threshold(alike, pool.words.total))
        if one.row.id not in away
    ]


def _best(pool: PromptPool, prompt: str, asked: Vector, least: float) -> list[PromptMatch]:
    store = pool.store
    ranked = rank(store, prompt, allowed=pool.allowed)
    scores = {one.number: one.total / HIGHEST_SCORE for one in ranked.scores[:FIRST]}
    cosines = _cosines(pool, list(scores), asked)
    return [
        PromptMatch(row, scores[row.number], cosines[row.number] / least)
        for row in store.numbered(list(scores))
        if row.number in cosines
    ]


def _cosines(pool: PromptPool, numbers: Sequence[int], asked: Vector) -> dict[int, float]:
    import numpy as np

    held = pool.store.vectors(numbers, NAME)
    return {
        number: float(np.frombuffer(vector, np.float32) @ asked) for number, vector in held.items()
    }

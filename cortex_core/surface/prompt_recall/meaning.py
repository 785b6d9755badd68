"""Which memories of a store match a prompt, decided with the shipped model.

The prompt hook loads this module, and the model, only where words and sign bits leave it open. The
generic prompts that the threshold is relative to ("commit this", "rename that") are written in
tools/generic_prompts.txt; their vectors are shipped.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import embeddings
from cortex_core.embeddings.local import DIMENSION, NAME, shipped
from cortex_core.search import keyword
from cortex_core.search.candidates import SearchQuery, gather
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
"""The vectors of the generic prompts by the shipped model, one a row, float16."""


@cache
def generic_vectors() -> Vector:
    """The vectors of the generic prompts, of unit length."""
    import numpy as np

    loaded: Vector = np.load(TABLE).astype(np.float32)
    return loaded


def generic_similarity(asked: Vector) -> float:
    """The cosine of the vector `asked` with that of the most similar generic prompt, -1 to 1."""
    return float((generic_vectors() @ asked).max())


def rank(
    store: Reader,
    text: str,
    *,
    allowed: Allowed | None = None,
) -> Ranking:
    """The memories of one store that may answer `text`: as `ranking.rank`, but with the model.

    Raises:
        ModelUnavailable: the model cannot be loaded.
    """
    words = keyword.prepare(store, keyword.terms(text))
    question = SearchQuery(text, shipped())
    label = Label(store.identity, NAME, DIMENSION)
    matrix = vector_search.read_matrix(store, cache_path(Path(store.file), store.scope), label)
    candidates, weights = gather(store, question, words, allowed or Allowed(), matrix)
    return Ranking(fuse(candidates, weights), words)


FIRST = 24
"""The best memories of a store, as recall ranks them, that are compared."""


def by_meaning(pools: Sequence[PromptPool], prompt: str, excluded: Set[str]) -> list[PromptMatch]:
    """The memories that may match the prompt, each with its similarity.

    Args:
        excluded: ids of memories that must not be injected.

    Raises:
        ModelUnavailable: the model cannot be loaded.
        sqlite3.Error: a store cannot be read.
    """
    asked = shipped().query(prompt).vector
    generic = generic_similarity(asked)
    return [
        match
        for pool in pools
        for match in _best(pool, prompt, asked, threshold(generic, pool.words.total))
        if match.row.id not in excluded
    ]


def _best(pool: PromptPool, prompt: str, asked: Vector, least: float) -> list[PromptMatch]:
    store = pool.store
    ranked = rank(store, prompt, allowed=pool.allowed)
    scores = {score.number: score.total / HIGHEST_SCORE for score in ranked.scores[:FIRST]}
    cosines = _cosines(pool, list(scores), asked)
    return [
        PromptMatch(row, scores[row.number], cosines[row.number] / least)
        for row in store.numbered(list(scores))
        if row.number in cosines
    ]


def _cosines(pool: PromptPool, numbers: Sequence[int], asked: Vector) -> dict[int, float]:
    import numpy as np

    vectors = pool.store.vectors(numbers, NAME)
    return {
        number: float(np.frombuffer(vector, np.float32) @ asked)
        for number, vector in vectors.items()
    }

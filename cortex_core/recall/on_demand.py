"""Recall with the shipped model for a process that has loaded nothing yet: the prompt hook, where
what it found without the model leaves it unsure.

About 0.3 s, nearly all of it for loading the model.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.embedding.shipped import DIMENSION, NAME, shipped
from cortex_core.recall import keyword, query
from cortex_core.recall.fusion import fuse
from cortex_core.recall.gather import Question, gather
from cortex_core.recall.model_free import Ranked
from cortex_core.recall.pool import Allowed
from cortex_core.storage import vector_search
from cortex_core.storage.vector_search import Label, cache_path

if TYPE_CHECKING:
    from cortex_core.storage.reader import Reader


def rank(
    store: Reader,
    text: str,
    *,
    allowed: Allowed | None = None,
) -> Ranked:
    """The memories of one store that may answer `text`: as `model_free.rank`, but with the model.

    Raises:
        ModelUnavailable: the model cannot be loaded.
    """
    words = keyword.prepare(store, query.terms(text))
    question = Question(text, shipped())
    label = Label(store.identity, NAME, DIMENSION)
    matrix = vector_search.read_matrix(store, cache_path(Path(store.file), store.scope), label)
    offered = gather(store, question, words, allowed or Allowed(), matrix)
    return Ranked(fuse(offered.candidates, offered.importance), words)

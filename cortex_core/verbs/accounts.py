"""What embeddings from a provider cost: entered beside the language model's, under the same cap."""

from __future__ import annotations

import time

from cortex_core.errors import ModelFailed, ModelUnavailable
from cortex_core.model import prices
from cortex_core.model.protocol import Usage
from cortex_core.model.spend import Spending

MARGIN = 1.5
"""How much more than estimated a request may cost: tokenizers differ."""


class EmbeddingAccount:
    """Enters the requests of a provider's embedding model, and refuses those beyond the cap."""

    def __init__(self, spending: Spending, project: str) -> None:
        self._spending = spending
        self._project = project
        self._began: dict[int, float] = {}

    def reserve(self, model: str, tokens: int) -> int:
        """Enter a request before it is made; its number.

        Raises:
            ModelUnavailable: the daily cap would be passed.
        """
        most = prices.embedding(model, int(MARGIN * tokens))
        try:
            number = self._spending.reserve(self._project, "embed", "remote", model, most)
        except ModelFailed as problem:
            raise ModelUnavailable(
                f"{model} was not asked: {problem.reason}. Searching by words still works. Raise "
                "the cap (cortex config set model.daily_cap_usd), or choose the shipped model: "
                "cortex models use sentence-transformers/all-MiniLM-L6-v2"
            ) from problem
        self._began[number] = time.monotonic()
        return number

    def settle(self, number: int, model: str, tokens: int | None, error: str) -> None:
        """Enter how a request ended; where its tokens are not told it counts at its most."""
        seconds = time.monotonic() - self._began.pop(number, time.monotonic())
        cost = None if tokens is None else prices.embedding(model, tokens)
        self._spending.settle(number, Usage(input=tokens or 0), cost, seconds, error)

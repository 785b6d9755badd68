"""What a language model is to the rest of Cortex: a request, a reply, and one way to send it.

What a call costs: prices of models in US dollars for a million tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

Purpose = Literal["extract", "edges", "merge", "describe", "embed"]
Stop = Literal["end", "truncated", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the model, answered by one JSON object."""

    purpose: Purpose
    system: str
    """What the model is to do: the same words for every request of its purpose."""
    text: str
    """What it is to do it with."""
    schema: Mapping[str, Any]
    """The JSON schema of the answer."""
    most_output: int = 4_096
    """Tokens the answer may have."""
    is_one_of_many: bool = False
    """Whether more requests with the same system text follow at once, so that caching it pays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens of one call, as the model's side counted them."""

    input: int = 0
    """Tokens of the prompt that were neither written to nor read from a cache."""
    output: int = 0
    cache_written: int = 0
    cache_read: int = 0

    @property
    def prompt(self) -> int:
        """All tokens of the prompt."""
        return self.input + self.cache_written + self.cache_read

    @property
    def total(self) -> int:
        """All tokens, in and out."""
        return self.prompt + self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back from one call."""

    text: str
    """The JSON as it was written, not yet read."""
    stop: Stop
    usage: Usage
    cost: float | None = None
    """US dollars, where the other side says; else the price table tells."""


class Transport(Protocol):
    """One way to reach a model."""

    @property
    def name(self) -> str:
        """What the ledger calls it: `api` or `claude`."""

    @property
    def model(self) -> str:
        """The model's own name."""

    @property
    def overhead(self) -> int:
        """Tokens that this way adds to every prompt."""

    def send(self, request: Request, timeout: float) -> Reply:
        """Send `request` once and wait at most `timeout` seconds.

        Raises:
            ModelFailed: nothing usable came back; it says why and what it may have cost.
        """


MILLION = 1_000_000


class Price(NamedTuple):
    """What a model costs, in US dollars for a million tokens."""

    input: float
    output: float
    step: int = 0
    """Tokens of a prompt above which it costs more; 0: never."""
    factor: float = 1.0
    """How much more."""


WRITE = 1.25
"""Price of a prompt's token that is put in the cache for five minutes, as a share of its price."""

READ = 0.1
"""Price of a prompt's token that is read from the cache."""

PRICES: Mapping[str, Price] = {
    "claude-haiku-5-5": Price(0.10, 0.50, 100_000, 5.0),
    "claude-haiku-4-5": Price(1.0, 5.0),
    "claude-sonnet-5-5": Price(2.0, 10.0),
    "claude-opus-5-5": Price(4.0, 20.0),
    "claude-fable-5-2": Price(8.0, 40.0),
}

EMBEDDING: Mapping[str, float] = {
    "voyage:voyage-3.5-lite": 0.02, "voyage:voyage-3.5": 0.06, "voyage:": 0.18,
    "gemini:": 0.15,
    "openai:text-embedding-3-small": 0.02, "openai:": 0.13,
}  # fmt: skip
"""What an embedding costs, US dollars for a million tokens, by how a model's name begins."""

DEAREST = max(PRICES.values(), key=lambda price: price.output)


def of(model: str) -> Price:
    """The price of `model`; one that is not known counts as the dearest, never as too cheap."""
    known = (price for name, price in PRICES.items() if model.startswith(name))
    return next(known, DEAREST)


def cost(model: str, usage: Usage) -> float:
    """What a call came to, US dollars."""
    price = of(model)
    factor = price.factor if price.step and usage.prompt > price.step else 1.0
    prompt = usage.input + usage.cache_written * WRITE + usage.cache_read * READ
    return factor * (prompt * price.input + usage.output * price.output) / MILLION


def embedding(model: str, tokens: int) -> float:
    """What embedding so many tokens costs, US dollars; an unknown model counts as the dearest."""
    known = [name for name in EMBEDDING if model.startswith(name)]
    price = EMBEDDING[max(known, key=len)] if known else max(EMBEDDING.values())
    return price * tokens / MILLION

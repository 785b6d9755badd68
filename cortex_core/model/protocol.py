"""What a language model is to the rest of Cortex: a request, a reply, and one way to send it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

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

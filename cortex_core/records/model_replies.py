"""What a call to a language model returns, whichever way it went."""

from dataclasses import dataclass
from typing import Literal

Stop = Literal["end", "truncated", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens of one call, as the provider counted them."""

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
    """What one call returned."""

    text: str
    """The answer's JSON, not yet parsed."""
    stop: Stop
    usage: Usage
    cost: float | None = None
    """US dollars if the provider says; None to use the table of prices."""

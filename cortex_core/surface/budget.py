"""What may be given: tokens by the one estimator, and Claude Code's own limit on length."""

from __future__ import annotations

from cortex_core.base import text

MOST_UNITS = 9_500
"""UTF-16 code units that one answer of a hook may hold; Claude Code cuts off at 10,000."""


class Budget:
    """Tokens and UTF-16 units that are left. Lines are counted with the line break before them."""

    __slots__ = ("tokens", "units")

    def __init__(self, tokens: int, units: int = MOST_UNITS) -> None:
        self.tokens = tokens
        self.units = units

    def fits(self, words: str) -> bool:
        """Whether `words` may still be given."""
        return text.tokens(words) <= self.tokens and self.fits_cap(words)

    def fits_cap(self, words: str) -> bool:
        """Whether `words` stay below Claude Code's limit, whatever they cost in tokens."""
        return text.utf16_units(words) + 1 <= self.units

    def spend(self, words: str) -> None:
        """Count `words` as given; tokens may go below zero, for what is always given."""
        self.tokens -= text.tokens(words)
        self.units -= text.utf16_units(words) + 1

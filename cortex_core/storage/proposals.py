"""Proposals: memories that may say the same, as the store keeps them."""

from __future__ import annotations

from cortex_core.storage.reader import Reader

JUDGEABLE = """
status = 'open' AND NOT EXISTS (
    SELECT 1 FROM json_each(proposal.members) j LEFT JOIN memory m ON m.id = j.value
    WHERE m.id IS NULL OR m.status NOT IN ('active', 'suggested'))
"""
"""Whether a proposal can be judged: all of its members are still in force."""


def waiting(store: Reader) -> int:
    """How many proposals a user can judge."""
    return int(store.value(f"SELECT count(*) FROM proposal WHERE {JUDGEABLE}"))

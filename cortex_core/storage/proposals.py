"""Proposals to merge memories or to supersede one, as the store keeps them."""

from __future__ import annotations

import json

from cortex_core.records import Proposal
from cortex_core.storage.reader import Reader

_COLUMNS = (
    "number", "type", "members", "similarity", "reasons", "conflicts", "text", "fingerprint",
    "status", "created",
)  # fmt: skip

_JUDGEABLE = """
status = 'open' AND NOT EXISTS (
    SELECT 1 FROM json_each(proposal.members) j LEFT JOIN memory m ON m.id = j.value
    WHERE m.id IS NULL OR m.status NOT IN ('active', 'suggested'))
"""
"""Whether a proposal can be judged: it is open, and all of its members are still in force."""


def waiting(store: Reader) -> int:
    """How many proposals a user can judge."""
    return int(store.value(f"SELECT count(*) FROM proposal WHERE {_JUDGEABLE}"))


def unjudged(store: Reader) -> list[Proposal]:
    """The open proposals, the most alike first."""
    return _select(store, "status = 'open'")


def numbered(store: Reader, number: int) -> Proposal | None:
    """The proposal called `number`, whatever came of it."""
    found = _select(store, "number = ?", number)
    return found[0] if found else None


def awaits_words(store: Reader, number: int, fingerprint: str) -> bool:
    """Whether the proposal is open, has no text of its own, and is on the same contents."""
    return bool(
        store.rows(
            "SELECT 1 FROM proposal WHERE number = ? AND status = 'open' AND text = '' "
            "AND fingerprint = ?",
            (number, fingerprint),
        )
    )


def _select(store: Reader, where: str, *values: object) -> list[Proposal]:
    found = store.rows(
        f"SELECT {', '.join(_COLUMNS)} FROM proposal WHERE {where} "
        "ORDER BY similarity DESC, number",
        values,
    )
    return [
        Proposal(
            **{
                **dict(row), "members": tuple(json.loads(row["members"])),
                "reasons": tuple(json.loads(row["reasons"])),
                "conflicts": tuple(json.loads(row["conflicts"])),
            }
        )
        for row in found
    ]  # fmt: skip

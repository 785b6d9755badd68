"""Which proposals to merge memories wait for a verdict."""

import json

from cortex_core.records.reviews import Proposal, QueuedProposal
from cortex_core.store.reader import Reader

_COLUMNS = (
    "number",
    "type",
    "members",
    "similarity",
    "reasons",
    "conflicts",
    "text",
    "fingerprint",
    "status",
    "created",
)

_JUDGEABLE = """
proposal.status = 'open' AND NOT EXISTS (
    SELECT 1 FROM json_each(proposal.members) j LEFT JOIN memory m ON m.id = j.value
    WHERE m.id IS NULL OR m.status NOT IN ('active', 'suggested'))
"""
"""Whether a proposal can be judged: it is open, and all of its members are still in force."""


def count_judgeable(store: Reader) -> int:
    """How many proposals a user can judge."""
    return int(store.value(f"SELECT count(*) FROM proposal WHERE {_JUDGEABLE}"))


def judgeable(store: Reader) -> list[QueuedProposal]:
    """The proposals that a user can judge, as a list of them needs them."""
    found = store.rows(
        "SELECT proposal.number, proposal.type, first.title, proposal.similarity, "
        "json_array_length(proposal.conflicts) FROM proposal "
        "JOIN memory first ON first.id = json_extract(proposal.members, '$[0]') "
        f"WHERE {_JUDGEABLE} ORDER BY proposal.number"
    )
    return [QueuedProposal(store.scope, *row) for row in found]


def open_ones(store: Reader) -> list[Proposal]:
    """The open proposals, the most similar first."""
    return _select(store, "status = 'open'")


def find(store: Reader, number: int) -> Proposal | None:
    """The proposal called `number`, whatever came of it."""
    return next(iter(_select(store, "number = ?", number)), None)


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
    return [
        Proposal(
            **{
                **dict(row),
                "members": tuple(json.loads(row["members"])),
                "reasons": tuple(json.loads(row["reasons"])),
                "conflicts": tuple(json.loads(row["conflicts"])),
            }
        )
        for row in store.rows(
            f"SELECT {', '.join(_COLUMNS)} FROM proposal WHERE {where} "
            "ORDER BY similarity DESC, number",
            values,
        )
    ]

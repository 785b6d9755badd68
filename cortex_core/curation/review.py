"""Carrying out a person's verdict on a proposal, inside one change."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import replace

from cortex_core import text
from cortex_core.curation import merging
from cortex_core.errors import NotFound, UsageError
from cortex_core.memory import Memory
from cortex_core.records import Proposal
from cortex_core.storage import rows
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store

JUDGEABLE = """
status = 'open' AND NOT EXISTS (
    SELECT 1 FROM json_each(proposal.members) j LEFT JOIN memory m ON m.id = j.value
    WHERE m.id IS NULL OR m.status NOT IN ('active', 'suggested'))
"""
"""SQL for the proposals that a person can judge: open, and no member is put away."""

_COLUMNS = (
    "number", "type", "members", "similarity", "reasons", "conflicts", "text", "fingerprint",
    "status", "created",
)  # fmt: skip


def waiting(store: Store) -> int:
    """How many proposals of `store` a person can judge."""
    ((count,),) = store.rows(f"SELECT count(*) FROM proposal WHERE {JUDGEABLE}")
    return int(count)


def proposals(store: Store, where: str = "status = 'open'") -> list[Proposal]:
    """The proposals of `store`, the most alike first."""
    found = store.rows(
        f"SELECT {', '.join(_COLUMNS)} FROM proposal WHERE {where} ORDER BY similarity DESC, number"
    )
    return [_proposal(dict(zip(_COLUMNS, values, strict=True))) for values in found]


def proposal(store: Store, number: int) -> Proposal:
    """One proposal.

    Raises:
        NotFound: there is none of this number.
    """
    found = proposals(store, f"number = {int(number)}")
    if not found:
        raise NotFound(f"There is no proposal {number}. Nothing was changed. See: cortex review.")
    return found[0]


def fingerprint(members: Sequence[Memory]) -> str:
    """Changes when the content of a member does."""
    return text.content_hash("\0".join(sorted(one.content for one in members)))


def members(store: Store, made: Proposal) -> list[Memory]:
    """The proposal's memories with their sources, in its order.

    Raises:
        UsageError: one of them is gone or not active any more; the proposal is moot.
    """
    found = [store.memory(one.id) for one in store.memories(made.members)]
    if len(found) < len(made.members) or any(
        one.status not in ("active", "suggested") for one in found
    ):
        raise UsageError(
            f"A memory of proposal {made.number} is not active any more. Nothing was changed. "
            "See the others: cortex review."
        )
    return found


def merge(change: Change, chosen: Sequence[Memory], words: str, made: Proposal) -> Memory:
    """Put a new memory that says `words` in place of all `chosen`; they are archived.

    Raises:
        UsageError: `words` lose a number, path or identifier of a member.
    """
    from cortex_core.capture import titles

    if gone := merging.lost([one.content for one in chosen], words):
        raise UsageError(
            f"The merged text loses {', '.join(gone[:6])}. Nothing was changed. "
            "Put that back, or keep one side."
        )
    best = max(chosen, key=lambda one: (one.pinned, one.priority, one.initial_confidence))
    survivor = merging.inherited(
        replace(
            best, id=str(uuid.uuid4()), content=words, updated=change.time, status="active",
            title=best.title if best.content == words else titles.title(words),
        ),
        [one for one in chosen if one.id != best.id],
    )  # fmt: skip
    change.insert("memory", rows.to_row(survivor))
    for source in survivor.sources:
        change.insert("source", rows.source_row(survivor.id, source))
    for one in chosen:
        _move_edges(change, one.id, survivor.id)
        change.update("memory", one.id, {"status": "archived", "updated": change.time})
    close(change, made, "approved")
    _hand_over(change, chosen, survivor, made)
    return survivor


def keep(change: Change, kept: Memory, others: Sequence[Memory], made: Proposal) -> Memory:
    """Keep one member as it reads, let it inherit what the others have, and archive them."""
    heir = merging.inherited(kept, others)
    columns = {
        name: value
        for name, value in rows.to_row(replace(heir, updated=change.time)).items()
        if name in ("pinned", "tags", "globs", "initial_confidence", "priority", "reinforced",
                    "access_count", "created", "updated")
    }  # fmt: skip
    change.update("memory", kept.id, {**columns, "status": "active"})
    for one in others:
        for source in one.sources or (one.source,):
            change.insert("source", rows.source_row(kept.id, source))
        _move_edges(change, one.id, kept.id)
        change.update("memory", one.id, {"status": "archived", "updated": change.time})
    close(change, made, "approved")
    _hand_over(change, others, heir, made)
    return heir


def supersede(change: Change, newer: Memory, older: Sequence[Memory], made: Proposal) -> Memory:
    """Let `newer` replace `older`, which stay as what was true before."""
    change.update("memory", newer.id, {"status": "active"})
    for one in older:
        columns = {"status": "superseded", "valid_until": newer.created, "updated": change.time}
        change.update("memory", one.id, columns)
        if not change.known_edge(newer.id, one.id, "supersedes"):
            change.insert(
                "edge",
                {"source": newer.id, "target": one.id, "type": "supersedes",
                 "created": change.time},
            )  # fmt: skip
    close(change, made, "approved")
    return newer


def close(change: Change, made: Proposal, status: str) -> None:
    """Note the verdict; the fingerprint kept with it tells when to ask again."""
    change.update("proposal", made.number, {"status": status})


def _hand_over(change: Change, gone: Sequence[Memory], heir: Memory, made: Proposal) -> None:
    """Let the other proposals on what went into `heir` be about `heir`: a third memory that was
    like one of them is like it, and one that a person told from them stays told apart."""
    names = {one.id for one in gone}
    rows_ = [row for name in names for row in change.proposals_with(name)]
    for row in sorted(rows_, key=_claim, reverse=True):
        if row["number"] == made.number or row["status"] == "approved":
            continue
        ids = [heir.id if name in names else name for name in json.loads(row["members"])]
        others = [name for name in dict.fromkeys(ids) if name != heir.id]
        contents = [change.read("memory", name) for name in others]
        pair = " ".join(sorted({heir.id, *others}))
        if not others or not all(contents) or change.proposal_on(pair) is not None:
            change.delete("proposal", row["number"])
            continue
        texts = [heir.content, *(content["content"] for content in contents if content)]
        change.update("proposal", row["number"], {
            "members": rows.dumps(list(dict.fromkeys(ids))), "pair": pair, "text": "",
            "fingerprint": text.content_hash("\0".join(sorted(texts))),
        })  # fmt: skip


def _claim(row: rows.Row) -> tuple[bool, float, int]:
    """Which of two proposals on the same memories stays: one still open, then the more alike."""
    return row["status"] == "open", row["similarity"], -row["number"]


def _move_edges(change: Change, old: str, new: str) -> None:
    for edge in change.edges_of(old):
        ends = {end: new if edge[end] == old else edge[end] for end in ("source", "target")}
        change.delete("edge", edge["id"])
        doubled = change.known_edge(ends["source"], ends["target"], edge["type"])
        if ends["source"] != ends["target"] and not doubled:
            change.insert("edge", {**edge, **ends})


def _proposal(row: rows.Row) -> Proposal:
    return Proposal(
        number=row["number"], type=row["type"], members=tuple(json.loads(row["members"])),
        similarity=row["similarity"], reasons=tuple(json.loads(row["reasons"])),
        conflicts=tuple(json.loads(row["conflicts"])), text=row["text"],
        fingerprint=row["fingerprint"], status=row["status"], created=row["created"],
    )  # fmt: skip

"""How one memory takes the place of another, which is kept as superseded."""

from __future__ import annotations

from cortex_core.records.memory import Memory
from cortex_core.store.journal import Change
from cortex_core.store.rows import Row


def retire(change: Change, newer: Memory, older: Memory) -> None:
    """Mark `older` as superseded by `newer`, which takes over its links to others; link the two,
    and close an open proposal on them.

    What `older` itself superseded stays linked to it, so that the steps can be followed.
    """
    change.update("memory", older.id, {"status": "superseded", "updated": change.time})
    for edge in change.edges_of(older.id):
        is_between = newer.id in (edge["source"], edge["target"])
        if not is_between and edge["type"] != "supersedes":
            move_edge(change, edge, older.id, newer.id)
    if not change.known_edge(newer.id, older.id, "supersedes"):
        change.insert(
            "edge",
            {"source": newer.id, "target": older.id, "type": "supersedes", "created": change.time},
        )
    known = change.proposal_on(" ".join(sorted((newer.id, older.id))))
    if known is not None and known["status"] == "open":
        change.update("proposal", known["number"], {"status": "approved"})


def move_edge(change: Change, edge: Row, old: str, new: str) -> None:
    """Let `edge`, which leads to or from the memory `old`, lead to or from `new` instead; it goes
    where that one has the same edge already, or would be linked to itself."""
    ends = {end: new if edge[end] == old else edge[end] for end in ("source", "target")}
    change.delete("edge", edge["id"])
    doubled = change.known_edge(ends["source"], ends["target"], edge["type"])
    if ends["source"] != ends["target"] and not doubled:
        change.insert("edge", {**edge, **ends})

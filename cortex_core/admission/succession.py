"""How one memory takes the place of another, which is kept as superseded."""

import textwrap

from cortex_core.base import text
from cortex_core.records.memory import Memory
from cortex_core.store.journal import Change
from cortex_core.store.rows import Row

LONGEST_NAMED = 40
"""Characters of a title by which a memory is named in a sentence."""


def was_and_is(newer: Memory, older: Memory, verb: str) -> str:
    """What changed from `older` to `newer`, with both days, in a sentence.

    Args:
        verb: what `later_word` found, “change” or “withdrawal”.
    """
    was, now = (
        f"“{textwrap.shorten(one.title, LONGEST_NAMED, placeholder='…')}” "
        f"({text.iso(one.created)[:10]})"
        for one in (older, newer)
    )
    return f"{was} was withdrawn by {now}." if verb == "withdrawal" else f"It was {was}, is {now}."


def retire(change: Change, newer: Memory, older: Memory, why: str = "") -> None:
    """Mark `older` as superseded by `newer`, which takes over its links to others; link the two,
    and close an open proposal on them.

    What `older` itself superseded stays linked to it, so that the steps can be followed; where it
    superseded `newer`, that is taken back.

    Args:
        why: what changed, in a sentence.
    """
    change.update("memory", older.id, {"status": "superseded", "updated": change.time})
    for edge in change.edges_of(older.id):
        is_between = newer.id in (edge["source"], edge["target"])
        if is_between and edge["type"] == "supersedes":
            change.delete("edge", edge["id"])
        elif not is_between and edge["type"] != "supersedes":
            move_edge(change, edge, older.id, newer.id)
    ends = {"source": newer.id, "target": older.id, "type": "supersedes"}
    change.insert("edge", {**ends, "context": why, "created": change.time})
    known = change.proposal_on(" ".join(sorted((newer.id, older.id))))
    if known is not None and known["status"] == "open":
        change.update("proposal", known["number"], {"status": "approved"})


def move_edge(change: Change, edge: Row, old: str, new: str) -> None:
    """Let `edge`, which leads to or from the memory `old`, lead to or from `new` instead; it goes
    where that one has the same edge already, or would be linked to itself."""
    ends = {end: new if edge[end] == old else edge[end] for end in ("source", "target")}
    change.delete("edge", edge["id"])
    known = change.edge_of(ends["source"], ends["target"], edge["type"])
    if ends["source"] != ends["target"] and known is None:
        change.insert("edge", {**edge, **ends})

"""What the edges that likeness drew mean: told by the language model, many in one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cortex_core import text
from cortex_core.curation import attempts
from cortex_core.errors import ModelFailed
from cortex_core.kinds import CODE
from cortex_core.memory import EdgeType
from cortex_core.model import prompts
from cortex_core.model.client import Model
from cortex_core.model.protocol import Request
from cortex_core.storage import edges, rows
from cortex_core.storage.store import Store

BATCH = 40
"""Edges in one question."""

LONGEST = 300
"""Characters of each memory that are shown."""

GIVEN: tuple[EdgeType, ...] = (
    "relates_to", "derived_from", "contradicts", "exemplifies", "refines", "SOLVES", "CAUSES",
    "BUILDS_ON", "ALTERNATIVE_TO", "REQUIRES", "FOLLOWS",
)  # fmt: skip
"""The types that a model may give. `supersedes` is a person's."""

TAKEN_AS: Mapping[str, EdgeType] = {"supersedes": "contradicts"}
"""What a type that a model may not give is taken as."""

MUTUAL: tuple[EdgeType, ...] = ("relates_to", "contradicts", "ALTERNATIVE_TO")
"""Types that hold in both directions."""

MARK = "typed"


class Edge(NamedTuple):
    """One edge without a type of its own, with the words of its ends."""

    number: int
    source: str
    target: str
    first: str
    second: str


class Verdict(NamedTuple):
    """What the model says an edge is."""

    type: EdgeType
    is_reversed: bool
    why: str


def untyped(store: Store) -> list[Edge]:
    """The next edges that have only been drawn, between active memories of prose."""
    return [
        Edge(
            one.number, one.source, one.target, _shown(one.source_title, one.source_content),
            _shown(one.target_title, one.target_content),
        )
        for one in edges.untyped(store, attempts.done(store, MARK), CODE, BATCH)
    ]  # fmt: skip


def tell(store: Store, model: Model) -> int:
    """Have the next edges told apart in one question; how many were asked about.

    Raises:
        ModelFailed: there is no answer; the edges stay as they are.
    """
    edges = untyped(store)
    if not edges:
        return 0
    try:
        verdicts = _verdicts(model.ask(_request(edges)), edges)
    except ModelFailed as failure:
        attempts.failed(store, MARK, edges[-1].number, failure)
        raise
    _write(store, {edge: verdicts[n] for n, edge in enumerate(edges, 1) if n in verdicts})
    attempts.note(store, MARK, edges[-1].number)
    return len(edges)


def _request(edges: Sequence[Edge]) -> Request:
    told = "\n".join(
        f"Pair {n}\n  first: {edge.first}\n  second: {edge.second}"
        for n, edge in enumerate(edges, 1)
    )
    return Request(
        purpose="edges", system=prompts.EDGES, text=told, schema=prompts.edges_schema(GIVEN)
    )


def _verdicts(answer: Mapping[str, Any], edges: Sequence[Edge]) -> dict[int, Verdict]:
    """The verdicts of an answer by the number of the pair; malformed ones are left out."""
    found: dict[int, Verdict] = {}
    listed = answer.get("edges")
    for one in listed if isinstance(listed, list) else ():
        if not isinstance(one, Mapping):
            continue
        number, name, why = one.get("pair"), one.get("type"), one.get("why")
        type_ = TAKEN_AS.get(str(name)) or next((t for t in GIVEN if t == name), None)
        if type(number) is int and 1 <= number <= len(edges) and type_ is not None:
            words = text.one_line(why)[:120] if isinstance(why, str) else ""
            found[number] = Verdict(type_, one.get("reversed") is True, words)
    return found


def _write(store: Store, verdicts: Mapping[Edge, Verdict]) -> None:
    """Give the edges their types; one that has been changed or taken out meanwhile is left."""
    with store.change("link", f"tell {len(verdicts)} links apart by the model", "worker") as change:
        for edge, verdict in verdicts.items():
            ends = (edge.source, edge.target)
            is_there = edges.is_untyped(store, edge.number, *ends)
            source, target = reversed(ends) if verdict.is_reversed else ends
            is_new = verdict.type != "relates_to"
            if not is_there or (is_new and change.known_edge(source, target, verdict.type)):
                continue
            columns: rows.Row = {"type": verdict.type, "context": verdict.why}
            if verdict.type not in MUTUAL:
                columns |= {"source": source, "target": target, "directed": True}
            change.update("edge", edge.number, columns)


def _shown(title: str, content: str) -> str:
    words = text.one_line(content)
    lead = text.one_line(title)
    return (words if words.startswith(lead.rstrip("….")) else f"{lead}: {words}")[:LONGEST]

"""How far the language model has got with a numbered list, and how often it failed there.

The words of proposed merges, written by the language model and checked for what they lose. What
the edges that likeness drew mean: told by the language model, many in one question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cortex_core.base import text
from cortex_core.base.errors import ModelFailed
from cortex_core.base.kinds import CODE
from cortex_core.curation import review
from cortex_core.llm import prompts
from cortex_core.llm.client import Model
from cortex_core.llm.protocol import Request
from cortex_core.store import edges, queries, rows
from cortex_core.store.store import Store
from cortex_core.types import EdgeType, Memory, Proposal

MOST = 3
"""Answers of no use after which a part is passed over."""


def done(store: Store, mark: str) -> int:
    """The number up to which `mark` is done."""
    return int(store.meta(mark) or 0)


def note(store: Store, mark: str, number: int) -> None:
    """Everything up to `number` is done, or passed over."""
    store.set_meta(mark, str(number))
    store.set_meta(f"{mark} failed", "0")


def failed(store: Store, mark: str, number: int, failure: ModelFailed) -> None:
    """Count an answer of no use about the part that ends with `number`; the third passes it over.

    A model that could not be reached is no reason to pass anything over.
    """
    if failure.cause != "unusable":
        return
    count = int(store.meta(f"{mark} failed") or 0) + 1
    if count >= MOST:
        note(store, mark, number)
    else:
        store.set_meta(f"{mark} failed", str(count))


MERGE_BATCH = 12
"""Proposals in one question."""

LONGEST_MERGED = 2_000
"""Characters of a memory above which its merge keeps the words of its members."""

MERGE_MARK = "worded"

_COMPOUND = re.compile(r"\b\w+(?:-\w+)+\b")
_NEGATION = re.compile(r"\b(?:never|not|no|without|except|unless|only|must)\b|n['’]t\b", re.I)


class MergeGroup(NamedTuple):
    """A proposal and its members as they are now."""

    proposal: Proposal
    members: tuple[Memory, ...]


def unworded(store: Store) -> list[MergeGroup]:
    """The next proposals to merge that have no words of their own and nothing against them."""
    found = []
    for made in sorted(queries.unjudged(store), key=lambda one: one.number):
        if made.number <= done(store, MERGE_MARK) or made.type != "merge":
            continue
        members = tuple(store.memories(made.members))
        is_fit = (
            not made.text
            and not made.conflicts
            and review.fingerprint(members) == made.fingerprint
            and all(one.status == "active" and one.kind != CODE for one in members)
            and all(len(one.content) <= LONGEST_MERGED for one in members)
        )
        if is_fit and len(members) == len(made.members):
            found.append(MergeGroup(made, members))
    return found[:MERGE_BATCH]


def write_merged_texts(store: Store, model: Model) -> int:
    """Have the words of the next merges written in one question; how many were asked about.

    Words that lose or add a number, a path or an identifier are not taken: the merge then shows
    the lossless union, as without a model.

    Raises:
        ModelFailed: there is no answer; the proposals stay as they are.
    """
    groups = unworded(store)
    if not groups:
        return 0
    last = groups[-1].proposal.number
    try:
        answer = model.ask(_merge_request(groups))
    except ModelFailed as failure:
        failed(store, MERGE_MARK, last, failure)
        raise
    _write_merges(store, _words(answer, groups))
    note(store, MERGE_MARK, last)
    return len(groups)


def is_faithful(words: str, members: Sequence[str]) -> bool:
    """Whether `words` hold every number, path, identifier and name of `members`, no other number,
    path or identifier, and the same negations."""
    union, whole = review.union(members), "\n".join(members)
    return (
        bool(words)
        and not review.lost(members, words)
        and not review.lost([words], whole)
        and _names(whole) <= _names(words, also_first=True)
        and _negations(whole) == _negations(words)
        and len(words) <= 1.2 * len(union) + 40
    )


def _names(words: str, *, also_first: bool = False) -> set[str]:
    """The compounds and names of a text; words that begin a sentence count if asked for."""
    names = re.findall(r"\b[A-Z]\w+" if also_first else r"(?<=[a-z,;] )[A-Z]\w+", words)
    return {one.casefold() for one in (*_COMPOUND.findall(words), *names)}


def _negations(words: str) -> set[str]:
    return {one.casefold() for one in _NEGATION.findall(words)}


def _merge_request(groups: Sequence[MergeGroup]) -> Request:
    told = "\n".join(
        f"Group {n}\n" + "\n".join(f"  - {text.one_line(one.content)}" for one in group.members)
        for n, group in enumerate(groups, 1)
    )
    return Request(purpose="merge", system=prompts.MERGE, text=told, schema=prompts.merge_schema())


def _words(
    answer: Mapping[str, Any], groups: Sequence[MergeGroup]
) -> dict[int, tuple[MergeGroup, str]]:
    """The faithful words of an answer, by the number of the proposal."""
    found: dict[int, tuple[MergeGroup, str]] = {}
    listed = answer.get("merges")
    for one in listed if isinstance(listed, list) else ():
        if not isinstance(one, Mapping):
            continue
        number, words = one.get("group"), one.get("text")
        if type(number) is not int or not 1 <= number <= len(groups) or not isinstance(words, str):
            continue
        group, plain = groups[number - 1], text.clean(words).strip()
        if is_faithful(plain, [member.content for member in group.members]):
            found[group.proposal.number] = (group, plain)
    return found


def _write_merges(store: Store, worded: Mapping[int, tuple[MergeGroup, str]]) -> None:
    """Enter the words; a proposal that was decided on or changed meanwhile is left."""
    with store.change("edit-merge", f"word {len(worded)} merges by the model", "worker") as change:
        for number, (group, words) in worded.items():
            if queries.awaits_words(store, number, group.proposal.fingerprint):
                change.update("proposal", number, {"text": words})


EDGE_BATCH = 40
"""Edges in one question."""

LONGEST_EDGE_TEXT = 300
"""Characters of each memory that are shown."""

GIVEN: tuple[EdgeType, ...] = (
    "relates_to", "derived_from", "contradicts", "exemplifies", "refines", "SOLVES", "CAUSES",
    "BUILDS_ON", "ALTERNATIVE_TO", "REQUIRES", "FOLLOWS",
)  # fmt: skip
"""The types that a model may give. `supersedes` is a user's."""

TAKEN_AS: Mapping[str, EdgeType] = {"supersedes": "contradicts"}
"""What a type that a model may not give is taken as."""

MUTUAL: tuple[EdgeType, ...] = ("relates_to", "contradicts", "ALTERNATIVE_TO")
"""Types that hold in both directions."""

EDGE_MARK = "typed"


class UntypedEdge(NamedTuple):
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


def untyped(store: Store) -> list[UntypedEdge]:
    """The next edges that have only been drawn, between active memories of prose."""
    return [
        UntypedEdge(
            one.number, one.source, one.target, _shown(one.source_title, one.source_content),
            _shown(one.target_title, one.target_content),
        )
        for one in edges.untyped(store, done(store, EDGE_MARK), CODE, EDGE_BATCH)
    ]  # fmt: skip


def type_edges(store: Store, model: Model) -> int:
    """Type the next links in one request; returns how many.

    Raises:
        ModelFailed: there is no answer; the edges stay as they are.
    """
    edges = untyped(store)
    if not edges:
        return 0
    try:
        verdicts = _verdicts(model.ask(_edge_request(edges)), edges)
    except ModelFailed as failure:
        failed(store, EDGE_MARK, edges[-1].number, failure)
        raise
    _write_edges(store, {edge: verdicts[n] for n, edge in enumerate(edges, 1) if n in verdicts})
    note(store, EDGE_MARK, edges[-1].number)
    return len(edges)


def _edge_request(edges: Sequence[UntypedEdge]) -> Request:
    told = "\n".join(
        f"Pair {n}\n  first: {edge.first}\n  second: {edge.second}"
        for n, edge in enumerate(edges, 1)
    )
    return Request(
        purpose="edges", system=prompts.EDGES, text=told, schema=prompts.edges_schema(GIVEN)
    )


def _verdicts(answer: Mapping[str, Any], edges: Sequence[UntypedEdge]) -> dict[int, Verdict]:
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


def _write_edges(store: Store, verdicts: Mapping[UntypedEdge, Verdict]) -> None:
    """Give the edges their types; one that has been changed or taken out meanwhile is left."""
    with store.change(
        "link", f"set the types of {len(verdicts)} links by the model", "worker"
    ) as change:
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
    return (words if words.startswith(lead.rstrip("….")) else f"{lead}: {words}")[
        :LONGEST_EDGE_TEXT
    ]

"""What the language model does for consolidation: it writes merged texts, and types links.

Both go through a numbered list, several items in a request. A merged text is checked for what it
loses. Which number was done last is kept in the store, so that no item is paid for twice.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from sqlite3 import Row
from typing import Any

from cortex_core.base import text
from cortex_core.base.errors import ModelFailed
from cortex_core.base.kinds import CODE
from cortex_core.curation import merged_text, review
from cortex_core.language import negation
from cortex_core.llm import prompts
from cortex_core.llm.answer_fields import numbered
from cortex_core.llm.client import Model
from cortex_core.llm.protocol import ModelRequest
from cortex_core.records.memory import EdgeType, Memory
from cortex_core.records.reviews import Proposal
from cortex_core.store import edges, proposals, rows
from cortex_core.store.store import Store

MOST_FAILURES = 3
"""Unusable answers after which a batch is skipped."""


def progress(store: Store, mark: str) -> int:
    """The number up to which the list called `mark` is done."""
    return int(store.meta(mark) or 0)


def set_progress(store: Store, mark: str, number: int) -> None:
    """Record that everything up to `number` is done or skipped."""
    store.set_meta(mark, str(number))
    store.set_meta(f"{mark} failed", "0")


def answered(
    store: Store, model: Model, mark: str, number: int, request: ModelRequest
) -> Mapping[str, Any]:
    """The answer about the batch that ends with `number`; the third unusable one skips the batch.

    A model that could not be reached is no reason to skip anything.

    Raises:
        ModelFailed: there is no answer.
    """
    try:
        return model.ask(request)
    except ModelFailed as failure:
        if failure.cause == "unusable":
            count = int(store.meta(f"{mark} failed") or 0) + 1
            store.set_meta(f"{mark} failed", str(count))
            if count >= MOST_FAILURES:
                set_progress(store, mark, number)
        raise


MERGE_BATCH = 12
"""Proposals in one request."""

LONGEST_MERGED = 2_000
"""Characters of a memory above which its merge keeps the union of the texts."""

MERGE_MARK = "worded"

MergeGroup = tuple[Proposal, tuple[Memory, ...]]
"""A proposal to merge, and its members."""

_LIMITS = frozenset({"never", "without", "except", "unless", "only", "must"})
"""The limits that a merged text must keep word by word."""

_COMPOUND = re.compile(r"\b\w+(?:-\w+)+\b")


def without_text(store: Store) -> list[MergeGroup]:
    """The next proposals to merge that have no text of their own and no conflict."""
    done, groups = progress(store, MERGE_MARK), []
    for proposal in sorted(proposals.open_ones(store), key=lambda proposal: proposal.number):
        if proposal.number <= done or proposal.type != "merge":
            continue
        members = tuple(store.memories(proposal.members))
        is_fit = (
            not proposal.text
            and not proposal.conflicts
            and review.fingerprint(members) == proposal.fingerprint
            and all(member.status == "active" and member.kind != CODE for member in members)
            and all(len(member.content) <= LONGEST_MERGED for member in members)
        )
        if is_fit and len(members) == len(proposal.members):
            groups.append((proposal, members))
    return groups[:MERGE_BATCH]


def write_merged_texts(store: Store, model: Model) -> int:
    """Have the text of the next merges written; returns how many were asked about.

    A text that loses or adds a number, a path, an identifier or a limit is asked for once more,
    with what it lost and added. If it does so again, the merge shows the union, as without a model.

    Raises:
        ModelFailed: there is no answer; the proposals stay as they are.
    """
    groups = without_text(store)
    if not groups:
        return 0
    last = groups[-1][0].number
    worded, faults = _words(answered(store, model, MERGE_MARK, last, _request(groups)), groups)
    unfaithful = [group for group in groups if group[0].number in faults]
    if unfaithful:
        with suppress(ModelFailed):  # what the first answer gave is kept
            worded |= _words(model.ask(_request(unfaithful, faults)), unfaithful)[0]
    # A proposal that was decided on or changed meanwhile is left as it is.
    with store.change("edit-merge", f"word {len(worded)} merges by the model", "worker") as change:
        for proposal, _ in groups:
            words = worded.get(proposal.number, "")
            if words and proposals.awaits_words(store, proposal.number, proposal.fingerprint):
                change.update("proposal", proposal.number, {"text": words})
    set_progress(store, MERGE_MARK, last)
    return len(groups)


def _request(groups: Sequence[MergeGroup], faults: Mapping[int, str] = {}) -> ModelRequest:
    """The request for texts; `faults`: by proposal, the last text and what was wrong with it."""
    listed: list[str] = []
    for n, (proposal, members) in enumerate(groups, 1):
        listed.append(f"Group {n}")
        listed += [f"  - {text.one_line(member.content)}" for member in members]
        if proposal.number in faults:
            listed.append(f"  Your last text: {faults[proposal.number]}")
    return ModelRequest(
        purpose="merge",
        system=prompts.MERGE,
        text="\n".join(listed),
        schema=prompts.MERGES,
    )


def fault_of(words: str, members: Sequence[str]) -> str:
    """What is wrong with a merged text: what it lost of `members` and what it added to them.

    Numbers, paths, identifiers, names and limits count; empty for a faithful text.
    """
    whole = "\n".join(members)
    before, after = _limits(whole), _limits(words)
    missing = before - after
    if after - {"must"}:
        missing -= {"must"}  # “must only” and “only”, “must never” and “never” ask the same
    lost = {*merged_text.lost(members, words), *(_names(whole) - _names(words, also_first=True))}
    added = {*merged_text.lost([words], whole), *(after - before)}
    found = [
        f"{what}: {', '.join(sorted(named))}"
        for what, named in (("lost", lost | missing), ("added", added))
        if named
    ]
    if len(words) > 1.2 * len(merged_text.union(members)) + 40:
        found.append("longer than the notes")
    return "; ".join(found)


def _names(words: str, *, also_first: bool = False) -> set[str]:
    """The compounds and names of a text; with `also_first`, words that begin a sentence as well."""
    names = re.findall(r"\b[A-Z]\w+" if also_first else r"(?<=[a-z,;] )[A-Z]\w+", words)
    return {name.casefold() for name in (*_COMPOUND.findall(words), *names)}


def _limits(words: str) -> set[str]:
    """The words without which a text says something else; the forms of “not” are one."""
    found = {word.casefold() for word in negation.LIMITS.regex.findall(words)}
    found |= negation.NEGATIONS.intersection(text.words(words))
    return {word if word in _LIMITS else "not" for word in found}


def _words(
    answer: Mapping[str, Any], groups: Sequence[MergeGroup]
) -> tuple[dict[int, str], dict[int, str]]:
    """By the number of the proposal, the faithful texts of an answer, and the fault of the others.

    An empty text says that the notes are for the user, and has no fault.
    """
    texts: dict[int, str] = {}
    faults: dict[int, str] = {}
    for number, entry in numbered(answer, "merges", "group", len(groups)):
        (proposal, members), words = groups[number - 1], entry.get("text")
        plain = text.clean(words).strip() if isinstance(words, str) else ""
        fault = fault_of(plain, [member.content for member in members]) if plain else ""
        if fault:
            faults[proposal.number] = f"{text.one_line(plain)} ({fault})"
        elif plain:
            texts[proposal.number] = plain
    return texts, faults


EDGE_BATCH = 40
"""Edges in one request."""

LONGEST_EDGE_TEXT = 300
"""Characters of each memory that the model sees."""

CHOICES: tuple[EdgeType, ...] = (
    "relates_to",
    "derived_from",
    "contradicts",
    "exemplifies",
    "refines",
    "SOLVES",
    "CAUSES",
    "BUILDS_ON",
    "ALTERNATIVE_TO",
    "REQUIRES",
    "FOLLOWS",
)
"""The types that a model may choose; only a user chooses `supersedes`."""

READ_AS: Mapping[str, EdgeType] = {"supersedes": "contradicts"}
"""What a type that a model may not choose is read as."""

MUTUAL: tuple[EdgeType, ...] = ("relates_to", "contradicts", "ALTERNATIVE_TO")
"""Types that hold in both directions."""

EDGE_MARK = "typed"


EdgeVerdict = tuple[EdgeType, bool, str]
"""What the model says an edge means, whether from the target to the source, and why."""


def type_edges(store: Store, model: Model) -> int:
    """Type the next links in one request; returns how many were asked about.

    Raises:
        ModelFailed: there is no answer; the edges stay as they are.
    """
    found = edges.untyped(store, progress(store, EDGE_MARK), CODE, EDGE_BATCH)
    if not found:
        return 0
    listed = "\n".join(
        f"Pair {n}\n  first: {_shown(*edge[3:5])}\n  second: {_shown(*edge[5:])}"
        for n, edge in enumerate(found, 1)
    )
    request = ModelRequest(
        purpose="edges", system=prompts.EDGES, text=listed, schema=prompts.edges_schema(CHOICES)
    )
    last = found[-1]["id"]
    verdicts = _verdicts(answered(store, model, EDGE_MARK, last, request), len(found))
    _write_edges(store, [(found[n - 1], verdict) for n, verdict in verdicts.items()])
    set_progress(store, EDGE_MARK, last)
    return len(found)


def _verdicts(answer: Mapping[str, Any], count: int) -> dict[int, EdgeVerdict]:
    """The verdicts of an answer by the number of the pair; malformed ones are left out."""
    verdicts: dict[int, EdgeVerdict] = {}
    for number, entry in numbered(answer, "edges", "pair", count):
        name, why = entry.get("type"), entry.get("why")
        type_ = READ_AS.get(str(name)) or next((t for t in CHOICES if t == name), None)
        if type_ is not None:
            words = text.one_line(why)[:120] if isinstance(why, str) else ""
            verdicts[number] = (type_, entry.get("reversed") is True, words)
    return verdicts


def _write_edges(store: Store, verdicts: Sequence[tuple[Row, EdgeVerdict]]) -> None:
    """Store the types; an edge that was changed or removed meanwhile is left as it is."""
    with store.change(
        "link", f"set the types of {text.counted(len(verdicts), 'link')} by the model", "worker"
    ) as change:
        for edge, (type_, is_reversed, why) in verdicts:
            number, *ends = edge[:3]
            is_unchanged = edges.is_untyped(store, number, *ends)
            source, target = reversed(ends) if is_reversed else ends
            is_known = type_ != "relates_to" and change.edge_of(source, target, type_) is not None
            if not is_unchanged or is_known:
                continue
            columns: rows.Row = {"type": type_, "context": why}
            if type_ not in MUTUAL:
                columns |= {"source": source, "target": target, "directed": True}
            change.update("edge", number, columns)


def _shown(title: str, content: str) -> str:
    words = text.one_line(content)
    lead = text.one_line(title)
    return (words if words.startswith(lead.rstrip("….")) else f"{lead}: {words}")[
        :LONGEST_EDGE_TEXT
    ]

"""The words of proposed merges, written by the language model and checked for what they lose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cortex_core import text
from cortex_core.curation import attempts, merging, review
from cortex_core.errors import ModelFailed
from cortex_core.kinds import CODE
from cortex_core.memory import Memory
from cortex_core.model import prompts
from cortex_core.model.client import Model
from cortex_core.model.protocol import Request
from cortex_core.records import Proposal
from cortex_core.storage import proposals
from cortex_core.storage.store import Store

BATCH = 12
"""Proposals in one question."""

LONGEST = 2_000
"""Characters of a memory above which its merge keeps the words of its members."""

MARK = "worded"

_COMPOUND = re.compile(r"\b\w+(?:-\w+)+\b")
_NEGATION = re.compile(r"\b(?:never|not|no|without|except|unless|only|must)\b|n['’]t\b", re.I)


class Group(NamedTuple):
    """A proposal and its members as they are now."""

    proposal: Proposal
    members: tuple[Memory, ...]


def unworded(store: Store) -> list[Group]:
    """The next proposals to merge that have no words of their own and nothing against them."""
    found = []
    for made in sorted(proposals.unjudged(store), key=lambda one: one.number):
        if made.number <= attempts.done(store, MARK) or made.type != "merge":
            continue
        members = tuple(store.memories(made.members))
        is_fit = (
            not made.text
            and not made.conflicts
            and review.fingerprint(members) == made.fingerprint
            and all(one.status == "active" and one.kind != CODE for one in members)
            and all(len(one.content) <= LONGEST for one in members)
        )
        if is_fit and len(members) == len(made.members):
            found.append(Group(made, members))
    return found[:BATCH]


def tell(store: Store, model: Model) -> int:
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
        answer = model.ask(_request(groups))
    except ModelFailed as failure:
        attempts.failed(store, MARK, last, failure)
        raise
    _write(store, _words(answer, groups))
    attempts.note(store, MARK, last)
    return len(groups)


def is_faithful(words: str, members: Sequence[str]) -> bool:
    """Whether `words` hold every number, path, identifier and name of `members`, no other number,
    path or identifier, and the same negations."""
    union, whole = merging.union(members), "\n".join(members)
    return (
        bool(words)
        and not merging.lost(members, words)
        and not merging.lost([words], whole)
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


def _request(groups: Sequence[Group]) -> Request:
    told = "\n".join(
        f"Group {n}\n" + "\n".join(f"  - {text.one_line(one.content)}" for one in group.members)
        for n, group in enumerate(groups, 1)
    )
    return Request(purpose="merge", system=prompts.MERGE, text=told, schema=prompts.merge_schema())


def _words(answer: Mapping[str, Any], groups: Sequence[Group]) -> dict[int, tuple[Group, str]]:
    """The faithful words of an answer, by the number of the proposal."""
    found: dict[int, tuple[Group, str]] = {}
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


def _write(store: Store, worded: Mapping[int, tuple[Group, str]]) -> None:
    """Enter the words; a proposal that was decided on or changed meanwhile is left."""
    with store.change("edit-merge", f"word {len(worded)} merges by the model", "worker") as change:
        for number, (group, words) in worded.items():
            if proposals.awaits_words(store, number, group.proposal.fingerprint):
                change.update("proposal", number, {"text": words})

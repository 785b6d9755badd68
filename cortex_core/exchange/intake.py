"""Taking imported memories into a store: redaction, repeats, updates, edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from cortex_core.capture import admission
from cortex_core.config import Config
from cortex_core.errors import UsageError
from cortex_core.exchange import jsonl
from cortex_core.fields import COLUMNS, FIELDS
from cortex_core.memory import Memory
from cortex_core.storage import rows
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store

_WORDS = dict.fromkeys([*(one.part or one.name for one in FIELDS if one.words), "sources"])
"""What of a memory holds words, sources and context whole."""

_KEPT = frozenset({"id", "access_count", "last_access"})
"""The columns that no import changes."""

_CONTEXT = frozenset({"context", "files"} | {one.name for one in FIELDS if one.part == "context"})
_NAMES: dict[str, frozenset[str]] = {
    "context": _CONTEXT,
    **{
        column: _CONTEXT if one.part == "context" else frozenset(one.names)
        for column, one in COLUMNS.items()
        if column not in _KEPT and one.name != "content"
    },
}
"""The columns that an object may leave out, and the names of the fields that say them."""


def purified(memory: Memory, config: Config) -> Memory:
    """The memory without secrets and private spans.

    Raises:
        UsageError: nothing is left of its content.
    """
    content = admission.redacted(memory.content, config)
    if not content:
        raise UsageError("nothing is left of its content: it is private")
    rest = {name: admission.redacted_all(getattr(memory, name), config) for name in _WORDS}
    return replace(memory, **rest | {"content": content})


def take(
    store: Store, change: Change, memory: Memory, *, named: bool, rule: str = "import",
    given: Iterable[str] | None = None,
) -> str:  # fmt: skip
    """Store one memory; what that was, as an import report counts it.

    Args:
        named: whether it came with an id: such a row stays one of its own.
        rule: who wrote it, for the quarantine.
        given: the fields that it came with, the only ones that a row of its id takes over; None:
            all.
    """
    if named and (old := change.read("memory", memory.id)) is not None:
        changed = memory.content != old["content"]
        new = admission.held_back(memory, rule) if changed else memory
        return "updated" if _update(change, old, new, given) else "skipped"
    known, near = admission.compare_with_store(store, memory)
    if known and not named:
        return "merged" if admission.reinforce(store, change, known, memory) else "skipped"
    memory = admission.held_back(memory, rule)
    change.insert("memory", rows.to_row(memory))
    for source in memory.sources or (memory.source,):
        change.insert("source", rows.source_row(memory.id, source))
    admission.propose_all(change, memory, near)
    return "quarantined" if memory.status == "quarantined" else "stored"


def _update(change: Change, old: rows.Row, memory: Memory, given: Iterable[str] | None) -> bool:
    from cortex_core.capture import titles

    kept = set(_KEPT)
    if given is not None:
        fields = set(given)
        kept |= {column for column, names in _NAMES.items() if not names & fields}
        if old["title"] == titles.title(old["content"]):
            kept.discard("title")
        if memory.status == "quarantined":
            kept -= {"status", "details"}
    columns = {name: value for name, value in rows.to_row(memory).items() if name not in kept}
    return change.update("memory", memory.id, columns)


def link(change: Change, edges: Iterable[Any]) -> None:
    """Draw those of `edges`, as `jsonl.edges` reads them, whose ends are there."""
    for edge in jsonl.edges({"edges": list(edges)}, change.time):
        ends = (edge.source, edge.target)
        if all(change.read("memory", end) for end in ends) and not change.known_edge(
            *ends, edge.type
        ):
            change.insert("edge", {**asdict(edge), "created": edge.created or change.time})

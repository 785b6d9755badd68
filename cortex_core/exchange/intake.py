"""Taking imported memories into a store: redaction, repeats, updates, edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from cortex_core.capture import admission
from cortex_core.config import Config
from cortex_core.errors import UsageError
from cortex_core.exchange import jsonl
from cortex_core.memory import Memory
from cortex_core.storage import rows
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store

_TEXTS = (
    "title", "tags", "source", "sources", "context", "globs", "excerpt", "origin", "details",
)  # fmt: skip
"""What of a memory, besides its content, holds words."""


def purified(memory: Memory, config: Config) -> Memory:
    """The memory without secrets and private spans.

    Raises:
        UsageError: nothing is left of its content.
    """
    content = admission.redacted(memory.content, config)
    if not content:
        raise UsageError("nothing is left of its content: it is private")
    rest = {name: admission.redacted_all(getattr(memory, name), config) for name in _TEXTS}
    return replace(memory, content=content, **rest)


def take(store: Store, change: Change, memory: Memory, *, named: bool, rule: str = "import") -> str:
    """Store one memory; what that was, as an import report counts it.

    Args:
        named: whether it came with an id: such a row stays one of its own.
        rule: who wrote it, for the quarantine.
    """
    if named and change.read("memory", memory.id) is not None:
        return "updated" if _update(change, memory) else "skipped"
    known, near = admission.compare_with_store(store, memory)
    if known and not named:
        return "merged" if admission.reinforce(store, change, known, memory) else "skipped"
    memory = admission.held_back(memory, rule)
    change.insert("memory", rows.to_row(memory))
    for source in memory.sources or (memory.source,):
        change.insert("source", rows.source_row(memory.id, source))
    admission.propose_all(change, memory, near)
    return "quarantined" if memory.status == "quarantined" else "stored"


def _update(change: Change, memory: Memory) -> bool:
    kept = {"id", "access_count", "last_access"}
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

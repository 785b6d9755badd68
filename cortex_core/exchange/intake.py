"""Taking imported memories into a store: redaction, repeats, updates, edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cortex_core.capture import admission
from cortex_core.config import Config
from cortex_core.errors import UsageError
from cortex_core.memory import EDGE_TYPES, Memory
from cortex_core.storage import rows
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store


def purified(memory: Memory, config: Config) -> Memory:
    """The memory without secrets and private spans.

    Raises:
        UsageError: nothing is left of its content.
    """
    content = admission.redacted(memory.content, config)
    if not content:
        raise UsageError("nothing is left of its content: it is private")
    return replace(
        memory, content=content, title=admission.redacted(memory.title, config),
        excerpt=admission.redacted(memory.excerpt, config),
    )  # fmt: skip


def take(store: Store, change: Change, memory: Memory, *, named: bool) -> str:
    """Store one memory; what that was, as an import report counts it.

    Args:
        named: whether it came with an id: such a row stays one of its own.
    """
    if named and change.read("memory", memory.id) is not None:
        return "updated" if _update(change, memory) else "skipped"
    known, near = admission.compare_with_store(store, memory)
    if known and not named:
        return "merged" if admission.reinforce(store, change, known, memory) else "skipped"
    change.insert("memory", rows.to_row(memory))
    for source in memory.sources or (memory.source,):
        change.insert("source", rows.source_row(memory.id, source))
    admission.propose_all(change, memory, near)
    return "stored"


def _update(change: Change, memory: Memory) -> bool:
    kept = {"id", "access_count", "last_access"}
    columns = {name: value for name, value in rows.to_row(memory).items() if name not in kept}
    return change.update("memory", memory.id, columns)


def link(change: Change, edges: Iterable[Any]) -> None:
    """Draw the usable ones of `edges` whose ends are there."""
    for edge in edges:
        if not isinstance(edge, dict) or edge.get("type") not in EDGE_TYPES:
            continue
        source, target = str(edge.get("source")), str(edge.get("target"))
        if all(change.read("memory", end) for end in (source, target)) and not change.known_edge(
            source, target, edge["type"]
        ):
            change.insert(
                "edge",
                {
                    "source": source, "target": target, "type": edge["type"],
                    "strength": min(1.0, max(0.0, float(edge.get("strength", 1)))),
                    "directed": bool(edge.get("directed", True)),
                    "context": str(edge.get("context", "")),
                    "created": float(edge.get("created") or change.time),
                },
            )  # fmt: skip

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


_CONTEXT = frozenset({"context", "branch", "commit", "folder", "files"})
_COLUMNS: dict[str, frozenset[str]] = {
    **{
        name: frozenset({name})
        for name in ("title", "tags", "priority", "pinned", "status", "giving", "rule", "author",
                     "session", "place", "message", "offset", "transcript", "globs", "created",
                     "updated", "reinforced", "valid_from", "valid_until", "excerpt", "details")
    },
    **dict.fromkeys(("branch", "commit", "folder", "files", "context"), _CONTEXT),
    "kind": frozenset({"kind", "type"}),
    "initial_confidence": frozenset({"initial_confidence", "confidence"}),
    "origin": frozenset({"origin"}),
}  # fmt: skip
"""The columns that an object may leave out, and the fields that say them."""


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

    kept = {"id", "access_count", "last_access"}
    if given is not None:
        fields = set(given)
        kept |= {column for column, names in _COLUMNS.items() if not names & fields}
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

"""Whether a file of a vault may be written over: whether the store holds all that it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cortex_core.errors import UsageError
from cortex_core.exchange import frontmatter, jsonl, vault, vault_days, vault_given, vault_read
from cortex_core.exchange.vault_fields import alike
from cortex_core.kinds import Kinds
from cortex_core.memory import Edge, Memory


class Spare:
    """Tells what an export may write over, by the memories and links that it writes."""

    def __init__(
        self, memories: Sequence[Memory], edges: Iterable[Edge], kinds: Kinds, now: float
    ) -> None:
        self._memories = {memory.id: memory for memory in memories}
        self._edges = {(edge.source, edge.target, edge.type): edge for edge in edges}
        self._kinds = kinds
        self._now = now

    def __call__(self, path: str, words: str) -> bool | None:
        """Whether the file at `path` may go; None: it holds nothing that is here."""
        if path in (vault.CORE, vault.REFLECTION):
            return not words or words.split("\n", 1)[0].rstrip().endswith(vault.DERIVED)
        try:
            header, body = frontmatter.split(words)
            fields = frontmatter.parse(header or "")
            if {"from_id", "to_id", "type"} <= fields.keys():
                return self._link(fields, body.strip())
            held = self._entries(path, fields, body)
            known = [self._state(one, text) for one, text in held]
        except UsageError:
            return False
        if all(state is None for state in known):
            return None
        return all(known)

    def _entries(
        self, path: str, fields: dict[str, Any], body: str
    ) -> list[tuple[dict[str, Any], str]]:
        if vault_read.is_memory(fields, self._kinds):
            return [(fields, body.strip("\n"))]
        is_day = vault_read.is_day(path) and not fields
        return vault_days.parse(body, path, lambda _: None) if is_day else []

    def _state(self, fields: Mapping[str, Any], body: str) -> bool | None:
        """Whether the store is as new as one memory's file; None where it has no such memory."""
        given = vault_given.given(fields, body, self._kinds)
        here = self._memories.get(given["id"])
        if here is None:
            return None
        there = jsonl.to_memory(given, here.scope, self._now, None, self._kinds)
        newer = vault.stamp(here.updated) > vault.stamp(there.updated)
        links = vault_given.relations(fields, here.id)
        held = all(self._holds(edge, edge.source == here.id) for edge in links)
        return held and (newer or alike(here, there, self._kinds))

    def _link(self, fields: Mapping[str, Any], context: str) -> bool | None:
        ends = (str(fields["from_id"]), str(fields["to_id"]))
        if not self._memories.keys() >= set(ends):
            return None
        return self._holds(vault_given.edge(fields, *ends, context))

    def _holds(self, edge: Edge, exactly: bool = True) -> bool:
        """Whether a link is here, `exactly` as stated; one to a memory that is not here is none."""
        if not {edge.source, edge.target} <= self._memories.keys():
            return True
        here = self._edges.get((edge.source, edge.target, edge.type))
        if here is None or not exactly or (vault.has_file(here) and not edge.created):
            return here is not None
        stated = (edge.strength, edge.context, edge.directed)
        return stated == (here.strength, here.context, here.directed)

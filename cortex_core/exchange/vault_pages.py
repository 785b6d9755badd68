"""All files of a vault, as texts by path: a function of memories, links and two summaries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cortex_core.exchange import frontmatter, vault, vault_days
from cortex_core.exchange.vault_fields import edge_type, fields, page, relation
from cortex_core.kinds import EPISODE, Kinds
from cortex_core.memory import Edge, Memory


@dataclass(frozen=True, slots=True)
class Vault:
    """Everything that is written."""

    pages: dict[str, str]
    """Text by path: memories, links, days, summaries."""
    paths: dict[str, str]
    """Path by id, of memories and links alike."""
    memories: Sequence[Memory]
    edges: Sequence[Edge]

    def index(self, moment: float, stores: Sequence[str]) -> str:
        """`_index.json`: what lies where, and the hash of each page as it was written.

        Args:
            stores: the identities of the stores that are written.
        """
        links = [edge for edge in self.edges if vault.has_file(edge)]
        return _json(
            version=2, updated=vault.stamp(moment), count=len(self.memories),
            stores=sorted(stores),
            edges={vault.edge_id(edge): self._edge(edge) for edge in links},
            entries={memory.id: self._entry(memory) for memory in self.memories},
            pages={path: digest(words) for path, words in self.pages.items()},
        )  # fmt: skip

    def state(self, moment: float) -> str:
        """`_state.json`: how each memory has been used."""
        entries = {
            memory.id: {
                "access_count": memory.access_count,
                "last_accessed": memory.last_access and vault.stamp(memory.last_access),
                "decay_score": round(memory.confidence, 4),
            }
            for memory in self.memories
        }
        return _json(version=1, updated=vault.stamp(moment), entries=entries)

    def _edge(self, edge: Edge) -> dict[str, Any]:
        return {
            "type": edge_type(edge), "from_id": edge.source, "to_id": edge.target,
            "strength": edge.strength, "path": self.paths[vault.edge_id(edge)],
        }  # fmt: skip

    def _entry(self, memory: Memory) -> dict[str, Any]:
        return {
            "title": memory.title, "type": memory.kind, "tags": list(memory.tags),
            "importance": memory.priority / 10, "confidence": memory.initial_confidence,
            "created": vault.stamp(memory.created), "updated": vault.stamp(memory.updated),
            "path": self.paths[memory.id],
        }  # fmt: skip


def digest(words: str) -> str:
    """What tells one text of a page from another."""
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:32]


def build(
    memories: Sequence[Memory], edges: Sequence[Edge], kinds: Kinds,
    summaries: Callable[[Mapping[str, str]], dict[str, str]],
) -> Vault:  # fmt: skip
    """The vault of `memories`.

    Args:
        edges: links; those to memories that are not among these are left out.
        summaries: CORE.md and REFLECTION.md, made from the path of each id.
    """
    known = {memory.id: memory for memory in memories}
    links = sorted(
        (edge for edge in edges if edge.source in known and edge.target in known),
        key=lambda edge: (edge.source, edge.target, edge.type),
    )
    paths = _paths(memories, links, known, kinds)
    beside: dict[str, list[dict[str, Any]]] = {}
    for edge in links:
        for end in dict.fromkeys((edge.source, edge.target)):
            beside.setdefault(end, []).append(relation(edge, end))
    pages: dict[str, str] = {}
    days: dict[str, list[vault_days.Entry]] = {}
    for memory in memories:
        if memory.kind == EPISODE:
            days.setdefault(paths[memory.id], []).append((memory, beside.get(memory.id, [])))
        else:
            pages[paths[memory.id]] = page(*fields(memory, kinds, beside.get(memory.id, [])))
    for path, entries in days.items():
        day = path.rpartition("/")[2].removesuffix(".md")
        pages[path] = vault_days.page(day, entries, paths, kinds)
    for edge in links:
        if vault.has_file(edge):
            pages[paths[vault.edge_id(edge)]] = _edge_page(edge, known)
    return Vault(pages | summaries(paths), paths, memories, links)


def _paths(
    memories: Sequence[Memory], links: Sequence[Edge], known: Mapping[str, Memory], kinds: Kinds
) -> dict[str, str]:
    wanted = [
        (one.id, vault.PINNED if one.pinned else vault.folder(_type(one, kinds)),
         vault.slug(one.title))
        for one in memories
        if one.kind != EPISODE
    ]  # fmt: skip
    for edge in links:
        if vault.has_file(edge):
            ends = [vault.slug(known[end].title)[:30] for end in (edge.source, edge.target)]
            stem = f"{ends[0]}--{edge_type(edge)}--{ends[1]}"
            wanted.append((vault.edge_id(edge), vault.EDGES, stem))
    days = {one.id: vault_days.path(one) for one in memories if one.kind == EPISODE}
    return vault.names(wanted) | days


def _type(memory: Memory, kinds: Kinds) -> str:
    return str(fields(memory, kinds)[0]["type"])


def _edge_page(edge: Edge, known: Mapping[str, Memory]) -> str:
    moment = vault.stamp(edge.created)
    made: dict[str, Any] = {
        "id": vault.edge_id(edge), "type": edge_type(edge), "from_id": edge.source,
        "from_title": known[edge.source].title, "to_id": edge.target,
        "to_title": known[edge.target].title, "strength": edge.strength, "created": moment,
        "updated": moment,
    }  # fmt: skip
    if edge.directed is (edge.type == "relates_to"):
        made["directed"] = edge.directed
    return f"{frontmatter.render(made)}\n{edge.context}\n"


def _json(**content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"

"""How a Markdown vault is laid out: folders by kind, file names, and what git leaves out.

A file's name is a slug of its title and the beginning of its id, in lower-case ASCII: safe on every
system, those that do not tell `A` from `a` included.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from cortex_core.memory import Edge

GRAPH = "graph"
EDGES = "graph/edges"
PINNED = "vault"
"""Pinned memories lie here; whatever lies here is pinned."""
EPISODES = "episodes"
CORE = "CORE.md"
REFLECTION = "REFLECTION.md"
DERIVED = "(auto-generated)"
"""What the first line of a page ends with that is written anew by every export."""

INDEX = "_index.json"
STATE = "_state.json"
IGNORED = (STATE, INDEX, "_embeddings.json", "_config.json")
"""Derived or changing with every use: kept out of git."""

LONGEST_SLUG = 50
SHORTEST_MARK = 6
"""Characters of an id in a file's name."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PLURALS = {
    "policy": "policies", "summary": "summaries", "fix": "fixes", "architecture": "architecture",
    "general": "general", "progress": "progress", "context": "context", "code": "code",
}  # fmt: skip


def stamp(moment: float) -> str:
    """A moment in Unix seconds as ISO 8601, to the microsecond; a number where no calendar goes."""
    try:
        return (_EPOCH + timedelta(seconds=moment)).isoformat()
    except (OverflowError, ValueError):
        return repr(float(moment))


def day(moment: float) -> str:
    """The date of a moment in UTC."""
    return stamp(moment)[:10] if "T" in stamp(moment) else "0000-00-00"


def clock(moment: float) -> str:
    """The hour and minute of a moment in UTC."""
    return stamp(moment)[11:16] if "T" in stamp(moment) else "00:00"


def slug(title: str) -> str:
    """A title as part of a file's name: at most 50 of a-z, 0-9 and hyphens."""
    ascii_ = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_.replace("'", "")).strip("-")
    if len(words) > LONGEST_SLUG:
        cut = words[: LONGEST_SLUG + 1].rpartition("-")[0]
        words = cut or words[:LONGEST_SLUG]
    return words or "memory"


def folder(kind: str) -> str:
    """The folder of a kind: `graph/solutions`."""
    name = slug(kind.replace("_", " "))
    return f"{GRAPH}/{_PLURALS.get(name, f'{name}s')}"


def names(wanted: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """A path for each of `wanted` (id, folder, stem), no two alike but for case.

    The same ids and titles give the same paths, whatever order they come in.
    """
    taken: set[str] = set()
    paths: dict[str, str] = {}
    for id, place, stem in sorted(wanted):
        mark, length = _mark(id), SHORTEST_MARK
        while (path := f"{place}/{stem}-{mark[:length]}.md").casefold() in taken:
            length += 2
        taken.add(path.casefold())
        paths[id] = path
    return paths


def edge_id(edge: Edge) -> str:
    """The lasting name of a link: its ends and type always give the same."""
    return str(uuid5(NAMESPACE_URL, f"cortex:{edge.source} {edge.type} {edge.target}"))


def has_file(edge: Edge) -> bool:
    """Whether a link has a file of its own: not what likeness or an entry of the log drew."""
    drawn = edge.type == "relates_to" and not edge.directed
    return not drawn or edge.context not in ("", "episode")


def _mark(id: str) -> str:
    """Letters and digits that tell this id from others, the longer the surer."""
    digest = hashlib.sha256(id.encode("utf-8", "replace")).hexdigest()
    return id.replace("-", "") + digest if _UUID.fullmatch(id) else digest

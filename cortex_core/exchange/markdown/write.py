"""Writing a vault: every page from memories and links, and the folder without losing what somebody
else wrote there.

A file is written over only where that loses nothing: this Cortex wrote it, or the store holds the
same memory in a newer state. Nothing is ever written or read through a link.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.base import hook_io, text
from cortex_core.base.errors import StoreError, UsageError
from cortex_core.base.kinds import EPISODE, Kinds
from cortex_core.exchange import frontmatter, jsonl
from cortex_core.exchange.markdown import format
from cortex_core.exchange.markdown.format import day, edge_id, has_file, stamp, type_in_vault
from cortex_core.practice import reflection
from cortex_core.reports import ExportReport, Reflection
from cortex_core.store import edges as stored_edges
from cortex_core.store import queries
from cortex_core.store.store import Store
from cortex_core.surface.ranking import SurfaceCandidate
from cortex_core.types import Edge, Memory

LARGEST = 4_000_000
"""Bytes of a file that are read."""

FILE_MODE = 0o644

PREVIEW = 80
"""Characters of an insight that are shown."""

MayReplace = Callable[[str, str], bool | None]
"""Whether the file at a path, which holds a text, may be written over or removed; None: it is
somebody else's, and none of ours."""


class Summaries(NamedTuple):
    """What the two pages that every export writes again are made from."""

    core: Sequence[SurfaceCandidate]
    reflection: Reflection


class Written(NamedTuple):
    """What became of the files."""

    written: int
    unchanged: int
    removed: tuple[str, ...]
    left: tuple[str, ...]


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
        links = [edge for edge in self.edges if has_file(edge)]
        return _json(
            version=2, updated=stamp(moment), count=len(self.memories),
            stores=sorted(stores),
            edges={edge_id(edge): self._edge(edge) for edge in links},
            entries={memory.id: self._entry(memory) for memory in self.memories},
            pages={path: digest(words) for path, words in self.pages.items()},
        )  # fmt: skip

    def state(self, moment: float) -> str:
        """`_state.json`: how each memory has been used."""
        entries = {
            memory.id: {
                "access_count": memory.access_count,
                "last_accessed": memory.last_access and stamp(memory.last_access),
                "decay_score": round(memory.confidence, 4),
            }
            for memory in self.memories
        }
        return _json(version=1, updated=stamp(moment), entries=entries)

    def _edge(self, edge: Edge) -> dict[str, Any]:
        return {
            "type": type_in_vault(edge), "from_id": edge.source, "to_id": edge.target,
            "strength": edge.strength, "path": self.paths[edge_id(edge)],
        }  # fmt: skip

    def _entry(self, memory: Memory) -> dict[str, Any]:
        return {
            "title": memory.title, "type": memory.kind, "tags": list(memory.tags),
            "importance": memory.priority / 10, "confidence": memory.initial_confidence,
            "created": stamp(memory.created), "updated": stamp(memory.updated),
            "path": self.paths[memory.id],
        }  # fmt: skip


def export(
    folder: Path, stores: Sequence[Store], kinds: Kinds, now: float, summaries: Summaries, *,
    force: bool,
) -> ExportReport:  # fmt: skip
    """Write the memories of `stores` to a folder; see `write`.

    Args:
        summaries: what CORE.md and REFLECTION.md tell.
    """
    memories: list[Memory] = []
    edges: list[Edge] = []
    for store in stores:
        sources = queries.sources(store)
        memories += [
            replace(one, sources=sources.get(one.id, ())) for one in queries.in_order(store)
        ]
        edges += stored_edges.every(store)

    def pages(paths: Mapping[str, str]) -> dict[str, str]:
        return {
            format.CORE: core_page(summaries.core, memories, paths, kinds),
            format.REFLECTION: reflection_page(summaries.reflection, memories, paths),
        }

    made = build(memories, edges, kinds, pages)
    names = [store.identity for store in stores]
    derived = {format.INDEX: made.index(now, names), format.STATE: made.state(now)}
    guard = OverwriteGuard(made.memories, made.edges, kinds, now)
    done = write(folder, made.pages, derived, guard, names, force=force)
    return ExportReport(
        folder=str(folder), memories=len(memories), written=done.written,
        unchanged=done.unchanged, removed=done.removed, left=done.left,
    )  # fmt: skip


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
    relations: dict[str, list[dict[str, Any]]] = {}
    for edge in links:
        for end in dict.fromkeys((edge.source, edge.target)):
            relations.setdefault(end, []).append(format.relation(edge, end))
    pages: dict[str, str] = {}
    days: dict[str, list[format.Entry]] = {}
    for memory in memories:
        if memory.kind == EPISODE:
            days.setdefault(paths[memory.id], []).append((memory, relations.get(memory.id, [])))
        else:
            pages[paths[memory.id]] = format.page(
                *format.fields(memory, kinds, relations.get(memory.id, []))
            )
    for path, entries in days.items():
        name = path.rpartition("/")[2].removesuffix(".md")
        pages[path] = format.day_page(name, entries, paths, kinds)
    for edge in links:
        if has_file(edge):
            pages[paths[edge_id(edge)]] = _edge_page(edge, known)
    return Vault(pages | summaries(paths), paths, memories, links)


def write(
    folder: Path, pages: Mapping[str, str], derived: Mapping[str, str], may_replace: MayReplace,
    stores: Collection[str], *, force: bool,
) -> Written:  # fmt: skip
    """Bring the folder to hold `pages` and `derived`.

    Args:
        stores: the identities of the stores that are written.

    Raises:
        UsageError: files were edited that an import has not read; with `force` they go.
        StoreError: something cannot be written, or a link leads out of the folder.
    """
    known = _written_here(folder, stores)
    present = dict(_present(folder))
    stale: list[str] = []
    left: list[str] = []
    edited: list[str] = []
    for path, words in present.items():
        if pages.get(path) == words:
            continue
        may = True if known.get(path) == digest(words) else may_replace(path, words)
        if may is None and path not in pages:
            left.append(path)
        elif not may and not force:
            edited.append(path)
        elif path not in pages:
            stale.append(path)
    if edited:
        raise UsageError(
            f"{folder} has {len(edited)} files with edits, such as {edited[0]}. Nothing was "
            "written. Import them first (cortex import markdown), or overwrite them: --force"
        )
    written = sum(
        _put(folder, path, words, present) for path, words in {**pages, **derived}.items()
    )
    for path in stale:
        _remove(folder, path)
    _ignore(folder)
    unchanged = sum(1 for path in pages if present.get(path) == pages[path])
    return Written(written - len(derived), unchanged, tuple(stale), tuple(left))


def read_index(folder: Path) -> dict[str, Any]:
    """What the last export to the folder noted; empty where there was none."""
    return _read_json(folder / format.INDEX)


def read_state(folder: Path) -> dict[str, Any]:
    """How memories had been used when they were exported, by id."""
    entries = _read_json(folder / format.STATE).get("entries")
    return entries if isinstance(entries, dict) else {}


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The Markdown files below a folder, by path relative to it; links are not followed."""
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "node_modules")))
        for name in sorted(names):
            if name.lower().endswith((".md", ".markdown")) and not name.startswith("."):
                path = Path(place, name)
                yield path.relative_to(folder).as_posix(), path


class OverwriteGuard:
    """Decides whether an export may overwrite a file: whether the store holds all that it says."""

    def __init__(
        self, memories: Sequence[Memory], edges: Iterable[Edge], kinds: Kinds, now: float
    ) -> None:
        self._memories = {memory.id: memory for memory in memories}
        self._edges = {(edge.source, edge.target, edge.type): edge for edge in edges}
        self._kinds = kinds
        self._now = now

    def __call__(self, path: str, words: str) -> bool | None:
        """Whether the file at `path` may go; None: it holds nothing that is here."""
        if path in (format.CORE, format.REFLECTION):
            return not words or words.split("\n", 1)[0].rstrip().endswith(format.DERIVED)
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
        if format.is_memory(fields, self._kinds):
            return [(fields, body.strip("\n"))]
        is_day = format.is_day(path) and not fields
        return format.parse_day(body, path, lambda _: None) if is_day else []

    def _state(self, fields: Mapping[str, Any], body: str) -> bool | None:
        """Whether the store is as new as one memory's file; None where it has no such memory."""
        given = format.given(fields, body, self._kinds)
        here = self._memories.get(given["id"])
        if here is None:
            return None
        there = jsonl.to_memory(given, here.scope, self._now, None, self._kinds)
        newer = stamp(here.updated) > stamp(there.updated)
        links = format.relations(fields, here.id)
        held = all(self._holds(edge, edge.source == here.id) for edge in links)
        return held and (newer or format.is_same_page(here, there, self._kinds))

    def _link(self, fields: Mapping[str, Any], context: str) -> bool | None:
        ends = (str(fields["from_id"]), str(fields["to_id"]))
        if not self._memories.keys() >= set(ends):
            return None
        return self._holds(format.edge(fields, *ends, context))

    def _holds(self, edge: Edge, exactly: bool = True) -> bool:
        """Whether a link is here, `exactly` as stated; one to a memory that is not here is none."""
        if not {edge.source, edge.target} <= self._memories.keys():
            return True
        here = self._edges.get((edge.source, edge.target, edge.type))
        if here is None or not exactly or (has_file(here) and not edge.created):
            return here is not None
        stated = (edge.strength, edge.context, edge.directed)
        return stated == (here.strength, here.context, here.directed)


def core_page(
    found: Iterable[SurfaceCandidate],
    memories: Sequence[Memory],
    paths: Mapping[str, str],
    kinds: Kinds,
) -> str:
    """The memories that stand highest, each a link to its file."""
    known = {memory.id: memory for memory in memories}

    def line(candidate: SurfaceCandidate) -> str:
        return _linked(known[candidate.row.id], paths)

    active = [memory for memory in memories if memory.status == "active"]
    newest = max((memory.updated for memory in memories), default=0.0)
    header = (
        f"# Memory Core {format.DERIVED}",
        f"> Last updated: {day(newest)} | Active memories: {len(active)}/{len(memories)}",
    )
    chosen = reflection.chosen(
        (one for one in found if one.row.id in known), reflection.TOKENS, line
    )
    return reflection.markdown(header, chosen, kinds, line)


def reflection_page(seen: Reflection, memories: Sequence[Memory], paths: Mapping[str, str]) -> str:
    """Themes, what projects share, what is used most, insights and merges."""
    newest = max((memory.updated for memory in memories), default=0.0)
    parts = [
        (f"# Reflection Summary {format.DERIVED}", [f"> Last updated: {day(newest)}"]),
        ("## Themes", [
            f"- **{' + '.join(theme.tags)}**: {theme.count} memories "
            f"({', '.join(f'“{_words(title)}”' for title in theme.examples)})"
            for theme in seen.themes
        ]),
        ("## Cross-Project Patterns", _shared(seen)),
        ("## Most Accessed", [
            f"{place}. {_page_link(one, paths)} - {one.access_count} accesses"
            for place, one in enumerate((one for one in seen.most_used if one.id in paths), 1)
        ]),
        ("## Recent Insights", [
            f"- {_page_link(one, paths)} - {text.one_line(one.content)[:PREVIEW]}"
            for one in seen.insights if one.id in paths
        ]),
        ("## Consolidation History", [
            f"- Total merges performed: {seen.merges}",
            f"- Memories superseded: {seen.superseded}",
        ]),
    ]  # fmt: skip
    return "\n\n".join("\n".join([head, *lines]) for head, lines in parts if lines) + "\n"


def _paths(
    memories: Sequence[Memory], links: Sequence[Edge], known: Mapping[str, Memory], kinds: Kinds
) -> dict[str, str]:
    wanted = [
        (one.id, format.PINNED if one.pinned else format.folder_of(format.type_of(one, kinds)),
         format.slug(one.title))
        for one in memories
        if one.kind != EPISODE
    ]  # fmt: skip
    for edge in links:
        if has_file(edge):
            ends = [format.slug(known[end].title)[:30] for end in (edge.source, edge.target)]
            stem = f"{ends[0]}--{type_in_vault(edge)}--{ends[1]}"
            wanted.append((edge_id(edge), format.EDGES, stem))
    days = {one.id: format.day_path(one) for one in memories if one.kind == EPISODE}
    return format.names(wanted) | days


def _edge_page(edge: Edge, known: Mapping[str, Memory]) -> str:
    moment = stamp(edge.created)
    made: dict[str, Any] = {
        "id": edge_id(edge), "type": type_in_vault(edge), "from_id": edge.source,
        "from_title": known[edge.source].title, "to_id": edge.target,
        "to_title": known[edge.target].title, "strength": edge.strength, "created": moment,
        "updated": moment,
    }  # fmt: skip
    if edge.directed is (edge.type == "relates_to"):
        made["directed"] = edge.directed
    return f"{frontmatter.render(made)}\n{edge.context}\n"


def _json(**content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _written_here(folder: Path, stores: Collection[str]) -> dict[str, Any]:
    """The hashes of the pages as the last export wrote them, where it wrote these stores alone."""
    index = read_index(folder)
    names, pages = index.get("stores"), index.get("pages")
    if not isinstance(names, list) or not isinstance(pages, dict) or not set(names) <= set(stores):
        return {}
    return pages


def _present(folder: Path) -> Iterator[tuple[str, str]]:
    """The pages that lie where a vault has its own, with their texts."""
    for path, file in files(folder):
        managed = path.split("/")[0] in (format.GRAPH, format.PINNED, format.EPISODES)
        if (managed or path in (format.CORE, format.REFLECTION)) and not file.is_symlink():
            yield path, hook_io.read(str(file), LARGEST)


def _read_json(path: Path) -> dict[str, Any]:
    if path.is_symlink():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _put(folder: Path, path: str, words: str, present: Mapping[str, str]) -> bool:
    if present.get(path) == words:
        return False
    target = folder / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _inside(folder, target)
        hook_io.replace(str(target), words, FILE_MODE)
    except OSError as error:
        raise StoreError(
            f"{target} cannot be written: {error.strerror}. Files before it were written. Fix "
            "that, then export again."
        ) from error
    return True


def _inside(folder: Path, target: Path) -> None:
    if not target.parent.resolve().is_relative_to(folder.resolve()):
        raise StoreError(
            f"{target.parent} is a link out of {folder}. Nothing was written there. Replace the "
            "link by a folder."
        )


def _remove(folder: Path, path: str) -> None:
    target = folder / path
    _inside(folder, target)
    target.unlink(missing_ok=True)


def _ignore(folder: Path) -> None:
    """Keep what is derived out of git, and leave the rest of the file as it is."""
    path = folder / ".gitignore"
    held = hook_io.read(str(path))
    missing = [name for name in format.IGNORED if name not in held.split("\n")]
    if missing:
        start = held if not held or held.endswith("\n") else f"{held}\n"
        _put(folder, ".gitignore", start + "\n".join(missing) + "\n", {})


def _shared(seen: Reflection) -> list[str]:
    lines = [
        f"- **{tag}**: appears in "
        + ", ".join(f"{project} ({count})" for project, count in counts.items())
        for tag, counts in seen.shared_tags.items()
    ]
    return lines + [
        f"- “{_words(one.memory.title)}”: also in {', '.join(one.projects)}"
        for one in seen.recurrences
    ]


def _linked(memory: Memory, paths: Mapping[str, str]) -> str:
    tags = f" ({', '.join(memory.tags)})" if memory.tags else ""
    return f"- {_page_link(memory, paths)}{tags}"


def _page_link(memory: Memory, paths: Mapping[str, str]) -> str:
    return f"[{_words(memory.title)}]({paths[memory.id]})"


def _words(title: str) -> str:
    """A title that cannot end the link around it."""
    return title.replace("[", "(").replace("]", ")")

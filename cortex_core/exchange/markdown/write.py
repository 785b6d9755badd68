"""Writes a vault: builds every page from memories and links, and updates the folder.

A file is overwritten only where that loses nothing: Cortex wrote it, or an import took it over.
Nothing is ever written or read through a symbolic link.
"""

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cortex_core.base import hook_io, text
from cortex_core.base.errors import StoreError, UsageError
from cortex_core.base.kinds import EPISODE, Kinds
from cortex_core.capture import frontmatter
from cortex_core.exchange.exported import KnownTexts
from cortex_core.exchange.markdown import days, format
from cortex_core.practice import reflection
from cortex_core.records.captures import ExportReport
from cortex_core.records.memory import Edge, Memory
from cortex_core.records.reflections import Reflection
from cortex_core.store import edges as stored_edges, leftovers, memory_lookup
from cortex_core.store.store import Store
from cortex_core.surface.choosing import SurfaceCandidate

LARGEST = 4_000_000
"""Bytes of a file that are read."""

FILE_MODE = 0o644

NEVER_DECAYS = 999.0
"""What the format of the vault gives as the score of a pinned memory."""

PREVIEW = 80
"""Characters of an insight that are shown."""


@dataclass(frozen=True, slots=True)
class Vault:
    """All files of a vault, and what they are made from."""

    pages: dict[str, str]
    """Text by path: memories, links, days, summaries."""
    paths: dict[str, str]
    """Path by id, of memories and of links."""
    memories: Sequence[Memory]
    edges: Sequence[Edge]

    @property
    def own_pages(self) -> list[str]:
        """The texts of the pages of which every memory is the user's own as far as is known."""
        claimed = {
            self.paths[memory.id]
            for memory in self.memories
            if memory.claimed or memory.scope == "team"
        }
        own = dict.fromkeys(self.paths[memory.id] for memory in self.memories)
        return [self.pages[path] for path in own if path not in claimed]

    def index(self, moment: float, stores: Sequence[str]) -> str:
        """`_index.json`: the path of everything, and the hash of each page as it was written.

        Args:
            stores: the identities of the stores that are written.
        """
        # Links that similarity or a log entry drew are in their memories' files alone.
        links = [edge for edge in self.edges if format.has_file(edge)]
        return _json(
            version=2,
            updated=format.stamp(moment),
            count=len(self.memories),
            stores=sorted(stores),
            edges={
                format.edge_id(edge): {
                    "type": format.type_in_vault(edge),
                    "from_id": edge.source,
                    "to_id": edge.target,
                    "strength": edge.strength,
                    "path": self.paths[format.edge_id(edge)],
                }
                for edge in links
            },
            entries={
                memory.id: {
                    "title": memory.title,
                    "type": memory.kind,
                    "tags": list(memory.tags),
                    "importance": memory.priority / 10,
                    "confidence": memory.initial_confidence,
                    "created": format.stamp(memory.created),
                    "updated": format.stamp(memory.updated),
                    "path": self.paths[memory.id],
                }
                for memory in self.memories
            },
            pages={path: digest(words) for path, words in self.pages.items()},
        )

    def state(self, moment: float) -> str:
        """`_state.json`: how each memory has been used."""
        entries = {
            memory.id: {
                "access_count": memory.access_count,
                "last_accessed": memory.last_access and format.stamp(memory.last_access),
                "decay_score": NEVER_DECAYS if memory.pinned else round(memory.confidence, 4),
                "band": memory.band,
            }
            for memory in self.memories
        }
        return _json(version=1, updated=format.stamp(moment), entries=entries)


def export(
    folder: Path,
    stores: Sequence[Store],
    kinds: Kinds,
    now: float,
    core: Sequence[SurfaceCandidate],
    shown: Reflection,
    exported: KnownTexts,
    imported: KnownTexts,
    *,
    force: bool,
) -> ExportReport:
    """Write the memories of `stores` to a folder; see `write`.

    Args:
        core: the memories of CORE.md.
        shown: what REFLECTION.md shows.
        exported: notes what is the user's own, so that an import recognises it.
        imported: the files that an import took over: they may be overwritten.
    """
    memories: list[Memory] = []
    edges: list[Edge] = []
    for store in stores:
        sources = memory_lookup.sources(store)
        memories += [
            replace(memory, sources=sources.get(memory.id, ()))
            for memory in memory_lookup.in_order(store)
        ]
        edges += stored_edges.every(store)

    def pages(paths: Mapping[str, str]) -> dict[str, str]:
        return {
            format.CORE: core_page(core, memories, paths, kinds),
            format.REFLECTION: reflection_page(shown, memories, paths),
        }

    vault = build(memories, edges, kinds, pages)
    names = [store.identity for store in stores]
    derived = {format.INDEX: vault.index(now, names), format.STATE: vault.state(now)}
    written, stale, left = write(folder, vault, derived, imported, names, force=force)
    # Only what is in the folder by now can come back from it.
    exported.add(vault.own_pages)
    return ExportReport(
        folder=str(folder),
        memories=len(memories),
        written=written,
        unchanged=len(vault.pages) - written,
        removed=tuple(stale),
        left=tuple(left),
    )


def digest(words: str) -> str:
    """The hash of a page's text."""
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:32]


def build(
    memories: Sequence[Memory],
    edges: Sequence[Edge],
    kinds: Kinds,
    summaries: Callable[[Mapping[str, str]], dict[str, str]],
) -> Vault:
    """The vault of `memories`.

    Args:
        edges: links; those with an end outside of `memories` are left out.
        summaries: CORE.md and REFLECTION.md, made from the path of each id.
    """
    known = {memory.id: memory for memory in memories}
    links = sorted(
        (edge for edge in edges if edge.source in known and edge.target in known),
        key=lambda edge: (edge.source, edge.target, edge.type),
    )
    # Before the pages, which link to one another by their paths.
    paths = _paths(memories, links, known, kinds)
    relations: dict[str, list[dict[str, Any]]] = {}
    for edge in links:
        for end in dict.fromkeys((edge.source, edge.target)):
            relations.setdefault(end, []).append(format.relation(edge, end))
    pages: dict[str, str] = {}
    logs: dict[str, list[days.Entry]] = {}
    for memory in memories:
        if memory.kind == EPISODE:
            logs.setdefault(paths[memory.id], []).append((memory, relations.get(memory.id, [])))
        else:
            pages[paths[memory.id]] = format.page(
                *format.fields(memory, kinds, relations.get(memory.id, []))
            )
    for path, entries in logs.items():
        pages[path] = days.page(path.rpartition("/")[2].removesuffix(".md"), entries, paths, kinds)
    for edge in links:
        if format.has_file(edge):
            pages[paths[format.edge_id(edge)]] = _edge_page(edge, known)
    return Vault(pages | summaries(paths), paths, memories, links)


def write(
    folder: Path,
    vault: Vault,
    derived: Mapping[str, str],
    imported: KnownTexts,
    stores: Collection[str],
    *,
    force: bool,
) -> tuple[int, list[str], list[str]]:
    """Update the folder to contain the pages of `vault` and `derived`.

    Args:
        imported: the files that an import took over.
        stores: the identities of the stores that are written.

    Returns:
        How many pages were written, which files were removed, and which were left as they are.

    Raises:
        UsageError: files were edited and not imported since; `force` overwrites them.
        StoreError: something cannot be written, or a link leads out of the folder.
    """
    index = _read_json(folder / format.INDEX)
    names, known = index.get("stores"), index.get("pages")
    # The last export says of its pages what they were, if it wrote no other stores than these.
    if not isinstance(names, list) or not isinstance(known, dict) or not set(names) <= set(stores):
        known = {}
    # Where a vault has its pages.
    below, single = (format.GRAPH, format.PINNED, format.EPISODES), (format.CORE, format.REFLECTION)
    present = {
        path: hook_io.read(str(file), LARGEST)
        for path, file in files(folder)
        if (path.split("/")[0] in below or path in single) and not file.is_symlink()
    }
    stale: list[str] = []
    left: list[str] = []
    edited: list[str] = []
    for path, words in present.items():
        if vault.pages.get(path) == words:
            continue
        is_summary = path in (format.CORE, format.REFLECTION)
        may_go = known.get(path) == digest(words) or imported.has(words)
        may_go |= is_summary and (not words or format.is_derived(words))
        if path not in vault.pages and path not in known and not may_go:
            left.append(path)
        elif not (may_go or force):
            edited.append(path)
        elif path not in vault.pages:
            stale.append(path)
    # Every file is judged before one is written: an edit refuses the whole export.
    if edited:
        raise UsageError(
            f"{folder} has {text.counted(len(edited), 'file')} with edits, such as {edited[0]}. "
            "Nothing was written. Import them first (cortex import markdown), or overwrite them: "
            "--force"
        )
    made = {**vault.pages, **derived}
    for parent in {(folder / path).parent for path in made}:
        leftovers.sweep_files(parent)
    written = sum(_put(folder, path, words, present) for path, words in made.items())
    for path in stale:
        _inside(folder, folder / path)
        (folder / path).unlink(missing_ok=True)
    # Git ignores derived files; the rest of the file stays as it is.
    before = hook_io.read(str(folder / ".gitignore"))
    if missing := [name for name in format.IGNORED if name not in before.split("\n")]:
        start = before if not before or before.endswith("\n") else f"{before}\n"
        _put(folder, ".gitignore", start + "\n".join(missing) + "\n", {})
    return written - len(derived), stale, left


def entries_of(path: Path) -> dict[str, Any]:
    """The entries by id of `_index.json` or `_state.json`; empty where there are none."""
    entries = _read_json(path).get("entries")
    return entries if isinstance(entries, dict) else {}


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The Markdown files below a folder, by relative path; links are not followed."""
    for parent, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "node_modules")))
        for name in sorted(names):
            if name.lower().endswith((".md", ".markdown")) and not name.startswith("."):
                path = Path(parent, name)
                yield path.relative_to(folder).as_posix(), path


def core_page(
    candidates: Iterable[SurfaceCandidate],
    memories: Sequence[Memory],
    paths: Mapping[str, str],
    kinds: Kinds,
) -> str:
    """The most important memories, each as a link to its file."""
    known = {memory.id: memory for memory in memories}

    def line(candidate: SurfaceCandidate) -> str:
        memory = known[candidate.row.id]
        tags = f" ({', '.join(memory.tags)})" if memory.tags else ""
        return f"- {_page_link(memory, paths)}{tags}"

    active = [memory for memory in memories if memory.status == "active"]
    newest = max((memory.updated for memory in memories), default=0.0)
    header = (
        f"# Memory Core {format.DERIVED}",
        f"> Last updated: {format.day(newest)} | Active memories: {len(active)}/{len(memories)}",
    )
    chosen = reflection.chosen(
        (one for one in candidates if one.row.id in known), reflection.TOKENS, line
    )
    return reflection.markdown(header, chosen, kinds, line)


def reflection_page(shown: Reflection, memories: Sequence[Memory], paths: Mapping[str, str]) -> str:
    """Themes, what projects share, what is used most, insights and merges."""
    newest = max((memory.updated for memory in memories), default=0.0)
    parts = [
        (f"# Reflection Summary {format.DERIVED}", [f"> Last updated: {format.day(newest)}"]),
        (
            "## Themes",
            [
                f"- **{' + '.join(theme.tags)}**: {theme.count} memories "
                f"({', '.join(f'“{_words(title)}”' for title in theme.examples)})"
                for theme in shown.themes
            ],
        ),
        (
            "## Cross-Project Patterns",
            [
                f"- **{tag}**: appears in "
                + ", ".join(f"{project} ({count})" for project, count in counts.items())
                for tag, counts in shown.shared_tags.items()
            ]
            + [
                f"- “{_words(one.memory.title)}”: also in {', '.join(one.projects)}"
                for one in shown.recurrences
            ],
        ),
        (
            "## Most Accessed",
            [
                f"{number}. {_page_link(each, paths)} - {each.access_count} accesses"
                for number, each in enumerate(
                    (each for each in shown.most_used if each.id in paths), 1
                )
            ],
        ),
        (
            "## Recent Insights",
            [
                f"- {_page_link(each, paths)} - {text.one_line(each.content)[:PREVIEW]}"
                for each in shown.insights
                if each.id in paths
            ],
        ),
        (
            "## Consolidation History",
            [
                f"- Total merges performed: {shown.merges}",
                f"- Memories superseded: {shown.superseded}",
            ],
        ),
    ]
    # A part without lines is left out with its heading.
    return "\n\n".join("\n".join([head, *lines]) for head, lines in parts if lines) + "\n"


def _paths(
    memories: Sequence[Memory],
    links: Sequence[Edge],
    known: Mapping[str, Memory],
    kinds: Kinds,
) -> dict[str, str]:
    kept = {one.id: path for one in memories if (path := format.own_path(one))}
    wanted = [
        (
            one.id,
            format.PINNED
            if one.pinned
            else format.folder_of(format.common_fields(one, kinds)[0]["type"]),
            format.slug(one.title),
        )
        for one in memories
        if one.kind != EPISODE
    ]
    for edge in links:
        if format.has_file(edge):
            ends = [format.slug(known[end].title)[:30] for end in (edge.source, edge.target)]
            stem = f"{ends[0]}--{format.type_in_vault(edge)}--{ends[1]}"
            wanted.append((format.edge_id(edge), format.EDGES, stem))
    logs = {one.id: days.path_of(one) for one in memories if one.kind == EPISODE}
    return format.paths_for(wanted, kept) | logs


def _edge_page(edge: Edge, known: Mapping[str, Memory]) -> str:
    moment = format.stamp(edge.created)
    fields: dict[str, Any] = {
        "id": format.edge_id(edge),
        "type": format.type_in_vault(edge),
        "from_id": edge.source,
        "from_title": known[edge.source].title,
        "to_id": edge.target,
        "to_title": known[edge.target].title,
        "strength": edge.strength,
        "created": moment,
        "updated": moment,
    }
    if edge.directed is (edge.type == "relates_to"):
        fields["directed"] = edge.directed
    return f"{frontmatter.render(fields)}\n{edge.context}\n"


def _json(**content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _read_json(path: Path) -> dict[str, Any]:
    if path.is_symlink():
        return {}
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


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


def _page_link(memory: Memory, paths: Mapping[str, str]) -> str:
    return f"[{_words(memory.title)}]({paths[memory.id]})"


def _words(title: str) -> str:
    """A title that cannot end the link that contains it."""
    return title.replace("[", "(").replace("]", ")")

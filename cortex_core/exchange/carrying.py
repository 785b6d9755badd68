"""The Markdown vault: memories as files that people read, edit and keep in git."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex_core import text
from cortex_core.curation.reflection import Reflections, candidates
from cortex_core.errors import UsageError
from cortex_core.exchange.bringing import Bringing
from cortex_core.memory import Edge, Memory, Scope, Where
from cortex_core.reports.exchange import Arrival, ExportReport, ImportReport
from cortex_core.storage.store import Store
from cortex_core.storage.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.exchange.arrivals import Piece
    from cortex_core.exchange.markdown.read import VaultScan
    from cortex_core.exchange.markdown.write import Vault

NOTE_RULE = "import:notes"


class MarkdownExchange:
    """Carrying memories in and out as Markdown."""

    def __init__(self, workspace: Workspace, bringing: Bringing, reflection: Reflections) -> None:
        self._workspace = workspace
        self._bringing = bringing
        self._reflection = reflection

    def export_markdown(
        self, folder: str | Path, *, scope: Where = "all", force: bool = False
    ) -> ExportReport:
        """See `Exchange.export_markdown`."""
        from cortex_core.exchange.markdown import format, write

        target = Path(folder).expanduser()
        if target.exists() and not target.is_dir():
            raise UsageError(f"{folder} is no folder. Nothing was written.")
        stores = self._workspace.within(scope)
        made = self._vault(stores)
        now = self._workspace.clock()
        names = [store.identity for store in stores]
        derived = {format.INDEX: made.index(now, names), format.STATE: made.state(now)}
        guard = write.OverwriteGuard(made.memories, made.edges, self._workspace.config.kinds, now)
        done = write.write(target, made.pages, derived, guard, names, force=force)
        return ExportReport(
            folder=str(target), memories=len(made.memories), written=done.written,
            unchanged=done.unchanged, removed=done.removed, left=done.left,
        )  # fmt: skip

    def import_markdown(
        self,
        path: str | Path,
        *,
        scope: Scope | None = None,
        force: bool = False,
        dry_run: bool = False,
    ) -> ImportReport:
        """See `Exchange.import_markdown`."""
        from cortex_core.exchange.arrivals import Load
        from cortex_core.exchange.markdown import read

        started = time.perf_counter()
        place = Path(path).expanduser()
        found = read.scan(place, self._workspace.config, self._bringing.is_ignored)
        home = scope or self._workspace.default_scope()
        problems = list(found.problems)
        pieces = self._vault_pieces(found, home, problems)
        notes, left = self._note_pieces(found, place, home, problems)
        load = Load(
            pieces=[*pieces, *notes], edges=[*found.links, *found.outgoing, *found.incoming],
            gone=self._gone(found), problems=problems, left_out=left, files=found.files,
            size=found.size,
        )  # fmt: skip
        if not load.pieces and problems:
            raise UsageError(f"Nothing could be used. Nothing was changed. First: {problems[0]}")
        label = f"import {len(load.pieces)} memories from {place.name or place}"
        return self._bringing.bring(load, label, force=force, dry_run=dry_run, started=started)

    # --- out

    def _vault(self, stores: tuple[Store, ...]) -> Vault:
        from cortex_core.exchange.markdown import format, write

        memories: list[Memory] = []
        edges: list[Edge] = []
        for store in stores:
            sources = _sources(store)
            memories += [
                replace(one, sources=sources.get(one.id, ()))
                for one in store.select("ORDER BY m.created, m.id")
            ]
            edges += _edges(store)
        seen, standing = self._reflection.reflect(dry_run=True), candidates(self._workspace, stores)

        def summaries(paths: Any) -> dict[str, str]:
            kinds = self._workspace.config.kinds
            return {
                format.CORE: write.core_page(standing, memories, paths, kinds),
                format.REFLECTION: write.reflection_page(seen, memories, paths),
            }

        return write.build(memories, edges, self._workspace.config.kinds, summaries)

    # --- in

    def _vault_pieces(self, found: VaultScan, home: Scope, problems: list[str]) -> list[Piece]:
        from cortex_core.exchange import arrivals, jsonl

        now = self._workspace.clock()
        pieces = []
        for place, given in found.memories.values():
            try:
                used = _use(found.state.get(given["id"]))
                scope = jsonl.scope_of(given, home)
                memory = jsonl.to_memory(
                    {**given, **used}, scope, now, None, self._workspace.config.kinds
                )
                pure = arrivals.pure(memory, self._workspace.config)
                pieces.append(arrivals.Piece(memory=pure, place=place, named=True))
            except UsageError as error:
                problems.append(f"{place}: {error}")
        return pieces

    def _note_pieces(
        self, found: VaultScan, root: Path, home: Scope, problems: list[str]
    ) -> tuple[list[Piece], int]:
        """The pieces of plain notes, and how many notes had none."""
        from cortex_core.exchange import note_kinds, notes

        pieces: list[Piece] = []
        left = 0
        for place, fields, body in found.notes:
            title = fields.get("title")
            name = title if isinstance(title, str) and title else Path(place).stem
            listed = list(notes.pieces(body, text.one_line(name)))
            left += not listed
            created = self._written(fields, root if root.is_file() else root / place)
            for note in listed:
                try:
                    pieces.append(self._bringing.note_piece(
                        note, place, NOTE_RULE, self._kind(fields) or note_kinds.kind(
                            note.path, note.content), created=created, scope=home,
                        tags=notes.meta_texts(fields, "tags"),
                    ))  # fmt: skip
                except UsageError as error:
                    problems.append(f"{place}: {error}")
        return pieces, left

    def _kind(self, fields: dict[str, Any]) -> str:
        """The kind that a note's frontmatter names, empty where it names none of ours."""
        name = fields.get("kind") or fields.get("type")
        known = self._workspace.config.kinds.known(name) if isinstance(name, str) else None
        return known.name if known in tuple(self._workspace.config.kinds) and known else ""

    def _written(self, fields: dict[str, Any], file: Path) -> float:
        """When a note was written: as it says, else as its file does; never in the future."""
        now = self._workspace.clock()
        for name in ("created", "date"):
            try:
                if isinstance(fields.get(name), str) and fields[name]:
                    return min(now, text.parse_time(fields[name], now))
            except UsageError:
                continue
        return min(now, file.stat().st_mtime) if file.exists() else now

    def _gone(self, found: VaultScan) -> list[Arrival]:
        """Memories that were exported to the folder, are active here, and have no file there."""
        away = [id for id in found.exported if id not in found.memories]
        return [
            Arrival(what="file is gone", title=one.title, kind=one.kind, scope=one.scope,
                    place=found.exported[one.id], id=one.id)
            for store in self._workspace.stores
            for one in store.memories(away)
            if one.status == "active"
        ]  # fmt: skip


def _use(entry: Any) -> dict[str, Any]:
    """What `_state.json` knows of a memory's use, as far as it is of the right form."""
    if not isinstance(entry, dict):
        return {}
    count, last = entry.get("access_count"), entry.get("last_accessed")
    made: dict[str, Any] = {}
    if isinstance(count, int) and count > 0:
        made["access_count"] = count
    return made | ({"last_access": last} if isinstance(last, str) and last else {})


def _edges(store: Store) -> list[Edge]:
    return [
        Edge(source=source, target=target, type=type_, strength=strength, directed=bool(directed),
             context=context, created=created)
        for source, target, type_, strength, directed, context, created in store.rows(
            "SELECT source, target, type, strength, directed, context, created FROM edge"
        )
    ]  # fmt: skip


def _sources(store: Store) -> dict[str, Any]:
    """Every memory's sources, in one read."""
    from cortex_core.storage import rows

    found: dict[str, Any] = {}
    for row in map(dict, store.rows("SELECT * FROM source ORDER BY id")):
        found[row["memory"]] = (*found.get(row["memory"], ()), rows.source_of(row))
    return found

"""Memories as JSON lines, in and out."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from cortex_core import graph
from cortex_core.errors import UsageError
from cortex_core.exchange import jsonl
from cortex_core.memory import Memory, Scope
from cortex_core.reports.exchange import ImportReport, report
from cortex_core.storage import rows
from cortex_core.storage.history import Snapshots
from cortex_core.storage.workspace import Workspace

MOST_PROBLEMS = 20
"""Unusable lines that are told one by one."""


class JsonlExchange:
    """Memories as JSON lines, in and out."""

    def __init__(self, workspace: Workspace, snapshots: Snapshots) -> None:
        self._workspace = workspace
        self._snapshots = snapshots

    def import_jsonl(
        self, source: str | Path | Iterable[str], *, dry_run: bool = False
    ) -> ImportReport:
        """See `Exchange.import_jsonl`."""
        started = time.perf_counter()
        problems: list[str] = []
        parsed = self._parsed(source, problems)
        if problems and not parsed:
            raise UsageError(f"No line could be used. Nothing was changed. First: {problems[0]}")
        counts: Counter[str] = Counter(files=1)
        if dry_run:
            counts["candidates"] = len(parsed)
        else:
            self._snapshots.before_import()
            self._store_all(parsed, counts)
        return report(counts, problems=problems[:MOST_PROBLEMS], dry_run=dry_run, started=started)

    def export_jsonl(self, out: TextIO, *, vectors: bool = False) -> int:
        """See `Exchange.export_jsonl`."""
        count = 0
        for store in self._workspace.stores:
            numbers = store.rows("SELECT id, number FROM memory ORDER BY number")
            for name, number in numbers:
                edges = [edge for edge in graph.edges(store, name) if edge.source == name]
                found = jsonl.to_object(store.memory(name), edges)
                if vectors:
                    found = jsonl.with_vector(found, store, number)
                out.write(rows.dumps(found) + "\n")
                count += 1
        return count

    def _parsed(
        self, source: str | Path | Iterable[str], problems: list[str]
    ) -> list[tuple[Memory, dict[str, Any]]]:
        from cortex_core.exchange import intake

        default, now = self._workspace.default_scope(), self._workspace.clock()
        places: Counter[str] = Counter()
        found = []
        for number, line in jsonl.lines(_read(source)):
            try:
                given = jsonl.parse(line)
                session = str(given.get("session") or "")
                place = places[session] if session else None
                memory = jsonl.to_memory(
                    given, jsonl.scope_of(given, default), now, place, self._workspace.config.kinds
                )
                places[session] += 1
                found.append((intake.purified(memory, self._workspace.config), given))
            except UsageError as error:
                problems.append(f"line {number}: {error}")
        return found

    def _store_all(self, parsed: list[tuple[Memory, dict[str, Any]]], counts: Counter[str]) -> None:
        from cortex_core.exchange import intake

        action = secrets.token_hex(8)
        names = rows.dumps([memory.id for memory, _ in parsed])
        homes: dict[str, Scope] = {
            name: store.scope
            for store in self._workspace.stores
            for (name,) in store.rows(
                "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))", (names,)
            )
        }
        placed = [(homes.get(memory.id, memory.scope), memory, given) for memory, given in parsed]
        for scope in dict.fromkeys(scope for scope, _, _ in placed):
            mine = [(memory, given) for at, memory, given in placed if at == scope]
            store = self._workspace.store(scope)
            label = f"import {len(mine)} memories"
            with store.change("import", label, "import", action) as change:
                for memory, given in mine:
                    named = bool(given.get("id"))
                    counts[intake.take(store, change, memory, named=named, given=given)] += 1
                for _, given in mine:
                    intake.link(change, given.get("edges") or ())


def _read(source: str | Path | Iterable[str]) -> Iterable[str]:
    if not isinstance(source, str | Path):
        return source
    try:
        return Path(source).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(
            f"{source} cannot be read: {error.strerror}. Nothing was changed."
        ) from error

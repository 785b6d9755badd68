"""What the hook for tool calls looks up: globs of memories, and rules.

The table is cached next to the store, so that a call that no memory is about costs reading one
small file.
"""

from __future__ import annotations

import os

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cortex_core.base.project import Project
    from cortex_core.store.surface_reader import SurfaceReader

    Table = dict[str, dict[str, Any]]
    """`globs`: by scope, every glob and the row numbers of its memories.
    `rules`: by scope, a list of `[id, line, guard, triggers]`, the important first; a memory that
    guards some of its calls and reminds at others stands there twice."""

_NAME = "calls"
_PARTS = ("globs", "rules")


def read(project: Project) -> Table:
    """The table; from the cache if it is valid."""
    from cortex_core.base import trust
    from cortex_core.surface import cache

    path = os.path.join(project.data, cache.FOLDER, _NAME)
    states = [trust.granted(project), *cache.store_states(project)]
    try:
        cached = hook_io.loads(hook_io.read(path, 1 << 24))
        if cached["states"] == states:
            return {name: dict(cached[name]) for name in _PARTS}
    except (ValueError, TypeError, KeyError):
        pass
    return _read_stores(project, path, states)


def _read_stores(project: Project, path: str, states: list[str]) -> Table:
    """The same from the stores; cached unless a store changed just now."""
    import sqlite3
    import time
    from contextlib import suppress

    from cortex_core.base.project import folder
    from cortex_core.surface import cache, note

    found: Table = {name: {} for name in _PARTS}
    seen: set[str] = set()
    for store in note.injectable_stores(project):
        with store, suppress(sqlite3.Error):
            _add(found, store, seen)
    if not cache.is_any_recent(states[1:], time.time()):
        with suppress(Exception):
            folder(project, cache.FOLDER)
            hook_io.replace(path, hook_io.dumps({"states": states, **found}))
    return found


def _add(found: Table, store: SurfaceReader, seen: set[str]) -> None:
    globs = found["globs"].setdefault(store.scope, {})
    for number, listed in store.globs():
        for glob in listed:
            globs.setdefault(glob, []).append(number)
    found["rules"][store.scope] = _rules(store, seen)


def _rules(store: SurfaceReader, seen: set[str]) -> list[list[Any]]:
    """The rules of a store but those whose id or words were `seen` in one before; the team's stop
    no call."""
    from cortex_core.surface import wording

    rules: list[list[Any]] = []
    for row, actions in store.rules():
        if not seen.isdisjoint((row.id, row.content_hash)):
            continue
        seen |= {row.id, row.content_hash}
        words = wording.statement(row.title, row.content) or wording.quoted(row.content)
        ending = wording.ending(row.id, row.rule, row.remark)
        line = f"- {wording.shortened(words, wording.LONGEST)} {ending}"
        for guard, triggers in actions.items():
            guard = "remind" if store.scope == "team" else guard
            rules.append([row.id, line, guard, triggers])
    return rules

"""What Claude is given at a session's start: from the cache, else composed from the stores."""

from __future__ import annotations

import sqlite3

from cortex_core.base import config as configuration
from cortex_core.base import hook_io, text
from cortex_core.base.config import Config
from cortex_core.base.errors import ConfigError
from cortex_core.store import surface_reader, trust
from cortex_core.store.surface_reader import SurfaceReader
from cortex_core.surface import cache, ranking, wording
from cortex_core.surface.cache import DAY
from cortex_core.surface.compose import Composition, compose
from cortex_core.surface.given import Injection
from cortex_core.surface.ranking import SurfaceCandidate, WorkContext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Set

    from cortex_core.base.project import Project
    from cortex_core.types import Scope

MEMORY_BYTES = 25_000
"""How much of its own memory file Claude Code gives."""

MEMORY_LINES = 200

LARGE = 40_000_000
"""Bytes of a store from which composing again takes longer than a prompt should wait."""


def current(project: Project, now: float) -> Injection:
    """The surface for a session that starts now, cached for the next one."""
    return cache.load(project, now) or _recompose(project, now)


def baseline(project: Project, now: float) -> list[str]:
    """The ids of what every session is given, the best first.

    In a large store a cached list will do, although something has changed since.
    """
    kept = cache.baseline(project, now, LARGE)
    if kept is None:
        _recompose(project, now)
        kept = cache.baseline(project, now, 0)
    return kept or []


def _recompose(project: Project, now: float) -> Injection:
    config = settings(project)
    found, doubles, stores = gather(project, now, config)
    made = _composed(project, config, found, doubles)
    always = [id for id in ranking.baseline(found, config.kinds) if id not in doubles]
    cache.save(project, now, made.given, stores, always)
    return made.given


def unseen(project: Project, now: float, surface: Injection, held: Set[str]) -> Injection:
    """What of the surface a session that holds the memories `held` has not been given yet."""
    if held >= set(surface.ids):
        return Injection()
    made = composed(project, now)
    lines = [line for line in made.lines if line.candidate.row.id not in held]
    words = wording.fenced("\n".join(line.text for line in lines))
    return Injection(words, [line.candidate.row.id for line in lines], text.tokens(words))


def refresh(project: Project, now: float) -> None:
    """Compose the surface again, for the next session and for the file that people read.

    Raises:
        OSError: the file cannot be written.
    """
    cache.write_surface_file(project, current(project, now).text)


def composed(project: Project, now: float, config: Config | None = None) -> Composition:
    """The surface, freshly composed, line by line."""
    config = config or settings(project)
    found, doubles, _ = gather(project, now, config)
    return _composed(project, config, found, doubles)


def gather(
    project: Project, now: float, config: Config
) -> tuple[list[SurfaceCandidate], dict[str, str], list[tuple[str, str, int]]]:
    """What may be given; lesser memories of open proposals; scope, identity, revision of stores."""
    moment = now // DAY * DAY
    here = work_context(project)
    found: list[SurfaceCandidate] = []
    doubles: dict[str, str] = {}
    stores: list[tuple[str, str, int]] = []
    for store in injectable_stores(project):
        with store:
            try:
                found += ranking.candidates(store, here, config.kinds, moment)
                doubles.update(store.doubles())
                stores.append((str(store.scope), store.identity, store.revision))
            except sqlite3.Error:
                continue
    return found, doubles, stores


def _composed(
    project: Project, config: Config, found: list[SurfaceCandidate], doubles: dict[str, str]
) -> Composition:
    return compose(
        found, config.kinds, config.get("surface.tokens"), doubles=doubles,
        known=known_to_claude_code(project),
    )  # fmt: skip


def injectable_stores(project: Project) -> Iterator[SurfaceReader]:
    """The stores that may be given, the project's first, each opened when it is its turn.

    A store that cannot be read, or that this user's Cortex did not create, is left out.
    """
    scopes: tuple[tuple[Scope, str | None], ...] = (
        ("project", project.project_db), ("global", project.global_db),
    )  # fmt: skip
    for scope, path in scopes:
        if scope == "project" and not trust.granted(project):
            continue
        try:
            store = surface_reader.open_store(path, scope)
        except (sqlite3.Error, ValueError):
            continue
        if store is None:
            continue
        if scope == "project" and not trust.trusted(project, store.identity):
            store.close()
            continue
        yield store


def settings(project: Project) -> Config:
    """The settings in force; the defaults where a file has a mistake."""
    try:
        return configuration.load(project)
    except ConfigError:
        return Config()


def work_context(project: Project) -> WorkContext:
    """Branch and folder, relative to the root, that a session of `project` works in."""
    below = ""
    if project.root and project.cwd.startswith(project.root + "/"):
        below = project.cwd[len(project.root) + 1 :]
    return WorkContext(project.branch, below)


def known_to_claude_code(project: Project) -> Callable[[str], bool]:
    """Whether Claude Code's own memory file, which it gives by itself, holds a content."""
    path = cache.auto_memory(project)
    words = hook_io.read(path, MEMORY_BYTES) if path else ""
    if not words:
        return lambda _: False
    given = _folded("\n".join(words.splitlines()[:MEMORY_LINES]))

    def known(content: str) -> bool:
        folded = _folded(content).strip(" .!")
        return len(folded) > 8 and folded in given

    return known


def _folded(words: str) -> str:
    return text.one_line(words).casefold()

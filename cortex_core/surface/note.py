"""What is injected at a session's start: from the cache, else composed from the stores."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from math import isfinite

from cortex_core import agents
from cortex_core.base import config as configuration, hook_io, text, trust
from cortex_core.base.authorship import is_typed
from cortex_core.base.config import Config
from cortex_core.base.errors import ConfigError
from cortex_core.base.project import Project
from cortex_core.store import surface_reader
from cortex_core.store.surface_reader import SurfaceReader, SurfaceRow
from cortex_core.surface import cache, choosing, wording
from cortex_core.surface.cache import DAY
from cortex_core.surface.choosing import SurfaceCandidate, WorkContext
from cortex_core.surface.compose import Composition, compose
from cortex_core.surface.given import Injection
from cortex_core.surface.sections import STOPPED

MEMORY_BYTES = 25_000
"""Bytes of its own memory file that Claude Code injects."""

MEMORY_LINES = 200
"""Lines of the same."""

NEW = 2 * DAY
"""Seconds in which a rule is new: an agent is asked which calls it means."""

LARGE = 40_000_000
"""Bytes of a store from which composing again takes longer than a prompt should wait."""


class SurfaceInputs:
    """What a surface is composed from."""

    def __init__(self) -> None:
        self.candidates: list[SurfaceCandidate] = []
        self.duplicates: dict[str, tuple[str, str]] = {}
        """For the lesser memory of each open proposal the better one, and what it is to that."""
        self.stores: list[tuple[str, str, int]] = []
        """Scope, identity and revision of the stores that were read."""
        self.waiting = 0
        """How many suggestions wait for the user's decision."""
        self.unnamed: list[str] = []
        """Ids of the user's new rules for which nobody has named tool calls."""


def current(project: Project, now: float) -> Injection:
    """The surface for a session that starts now, cached for the next one."""
    return cache.load(project, now) or _recompose(project, now)


def baseline(project: Project, now: float) -> list[str]:
    """The ids of the memories that every session gets, best first.

    For a large store the cached list is used even if something has changed since.
    """
    ids = cache.baseline(project, now, LARGE)
    if ids is None:
        _recompose(project, now)
        ids = cache.baseline(project, now, 0)
    return ids or []


def _recompose(project: Project, now: float) -> Injection:
    """Compose the surface from the stores and cache it."""
    config = configuration.in_effect(project)
    gathered = gather(project, now, config)
    composition = _composed(project, config, gathered)
    surface, refused = composition.injection, composition.refused
    ids = choosing.baseline(gathered.candidates, config.kinds)
    baseline_ids = [id for id in ids if id not in refused]
    guards, warning = _warning(project, config, gathered)
    cache.save(
        project,
        now,
        surface,
        gathered.stores,
        baseline_ids,
        refused,
        _kept(config),
        warning,
        bool(guards),
        gathered.unnamed,
    )
    return surface


def _warning(project: Project, config: Config, gathered: SurfaceInputs) -> tuple[int, str]:
    """How many memories guard, or did, and what the user has to know: what does not protect, and
    that nothing is given as long as nothing is decided."""
    from cortex_core.surface import guard_faults  # a prompt is composed without it

    guards, found = guard_faults.look(project, config, injectable_stores(project))
    with suppress(ConfigError):  # `settings_problem` says it
        if names := configuration.unused(project):
            found.append(
                f"{configuration.path(project)} sets {', '.join(names)}, which is not used: git "
                "tracks the file, or the project is not trusted."
            )
    found += filter(None, [cache.strange_surface_file(project)])
    if gathered.waiting and all(one.ends is not None for one in gathered.candidates):
        waiting = text.counted(gathered.waiting, "suggestion")
        found.append(f"nothing is in force here yet. To decide on {waiting}: cortex")
    return guards, "\n".join(f"Cortex: {sentence}" for sentence in found)


def settings(project: Project, now: float) -> Config:
    """The settings in effect: as cached with the surface, else from the files."""
    files = (configuration.path(project, "global"), configuration.path(project, "project"))
    if not any(map(os.path.exists, files)):
        return Config()
    kept = cache.settings(project, now)
    return configuration.in_effect(project) if kept is None else Config(kept)


def _kept(config: Config) -> dict[str, object] | None:
    """The settings that may be cached: what is to be redacted is written nowhere else; None if one
    has a value that JSON has no word for."""
    kept = {name: one for name, one in config.changed.items() if not name.startswith("redact.")}
    is_json = all(not isinstance(one, float) or isfinite(one) for one in kept.values())
    return kept if is_json else None


def unseen(
    project: Project, now: float, surface: Injection, held: Set[str], session: str
) -> Injection:
    """The part of the surface that the resumed `session` has not been given yet.

    Where it stopped itself it knows.

    Args:
        held: ids of the memories that it was given.
    """
    if held >= set(surface.ids):
        return Injection()
    # Imported here: a session that has it all, as most do, needs no redactor.
    from cortex_core.redaction import stored_names

    composition = composed(project, now)
    lines = [
        line
        for line in composition.lines
        if line.candidate.row.id not in held
        and not (
            line.section == STOPPED.name
            and line.candidate.row.session == stored_names.clean(session)
        )
    ]
    words = wording.fenced("\n".join(line.text for line in lines))
    ids = [line.candidate.row.id for line in lines]
    return Injection(words, ids, text.tokens(words), [line.tokens for line in lines])


def composed(project: Project, now: float, config: Config | None = None) -> Composition:
    """The surface, freshly composed, line by line."""
    config = config or configuration.in_effect(project)
    return _composed(project, config, gather(project, now, config))


def gather(project: Project, now: float, config: Config) -> SurfaceInputs:
    """Read what the surface is composed from; a store that cannot be read is left out."""
    midnight = now // DAY * DAY  # confidence as of today, so that the surface is stable for a day
    here = work_context(project)
    gathered = SurfaceInputs()
    for store in injectable_stores(project):
        with store, suppress(sqlite3.Error):
            found = choosing.candidates(store, here, config.kinds, midnight)
            gathered.candidates += found
            # The rules that the user typed lately.
            gathered.unnamed += store.unnamed(
                [
                    one.row.id
                    for one in found
                    if one.row.created > now - NEW
                    and is_typed(one.row.rule)
                    and one.row.kind in ("policy", "preference")
                ]
            )
            gathered.candidates += choosing.stopped(store, here)
            gathered.duplicates.update(store.duplicates())
            gathered.waiting += store.waiting()
            gathered.stores.append((str(store.scope), store.identity, store.revision))
    gathered.candidates = without_twins(project, gathered.candidates)
    return gathered


def without_twins(project: Project, candidates: list[SurfaceCandidate]) -> list[SurfaceCandidate]:
    """The candidates without those of the team that a store of the user's own has as well.

    The user's own is injected, or was when the session began, or is what the user keeps from it.
    """
    team = [one.row for one in candidates if one.row.scope == "team"]
    if not team:
        return candidates
    from cortex_core.store import twins  # which few projects need

    own: set[str] = set()
    for store in injectable_stores(project):
        with store:
            if store.scope != "team":
                own |= twins.said(
                    store, [row.id for row in team], [row.content_hash for row in team]
                )
    return twins.without(candidates, own, lambda one: one.row)


def _composed(project: Project, config: Config, gathered: SurfaceInputs) -> Composition:
    return compose(
        gathered.candidates,
        config.kinds,
        config.get("surface.tokens"),
        duplicates=gathered.duplicates,
        known=known_to_agent(project),
        has_sessions=cache.has_sessions(project),
    )


def injectable_stores(project: Project) -> Iterator[SurfaceReader]:
    """The stores that may be injected, the project's first, each opened when it is needed.

    A store that cannot be read, or that is not trusted, is left out. The team's is this user's own
    copy on the global side, so it is trusted since the team was joined.
    """
    for scope, path in project.store_files():
        if scope == "project" and not trust.granted(project):
            continue
        try:
            store = surface_reader.open_store(path, scope, project.branch)
        except (sqlite3.Error, ValueError):
            continue
        if store is None:
            continue
        if scope == "project" and not trust.trusted(project, store.identity):
            store.close()
            continue
        yield store


def settings_problem(project: Project) -> str:
    """The mistake in the configuration, for which the worker captures nothing; mostly empty."""
    try:
        configuration.load(project)
    except ConfigError as error:
        return str(error)
    return ""


def work_context(project: Project) -> WorkContext:
    """The branch, and the folder relative to the root, that a session of `project` works in."""
    from cortex_core.redaction import stored_names  # which a prompt does not need

    is_below = project.root and project.cwd.startswith(project.root + "/")
    below = project.cwd[len(project.root or "") + 1 :] if is_below else ""
    return WorkContext(stored_names.clean(project.branch), stored_names.clean(below))


def known_to_agent(project: Project) -> Callable[[SurfaceRow], bool]:
    """A test whether an agent gives a memory by itself: the index of its own memory, which it
    injects, says it or names the file that the memory was taken from."""
    files = agents.memory_files(project, os.environ)
    texts = (hook_io.read(file, MEMORY_BYTES) for file in files)
    lines = (line for words in texts for line in words.splitlines()[:MEMORY_LINES])
    injected = _folded("\n".join(lines))

    def known(row: SurfaceRow) -> bool:
        folded = _folded(row.content).strip(" .!")
        file = hook_io.loads(row.origin).get("file") if '"said"' in row.origin else None
        is_linked = isinstance(file, str) and f"({_folded(file)})" in injected
        return is_linked or (len(folded) > 8 and folded in injected)

    return known


def _folded(words: str) -> str:
    return text.one_line(words).casefold()

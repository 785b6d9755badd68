"""The composed surface on disk: a cache for the hooks, and a file for users and CLAUDE.md imports.

The cache is valid as long as nothing that the surface was composed from has changed. Of the file
only the part between two markers is ours.
"""

from __future__ import annotations

import os
import time

from cortex_core import __version__, agents
from cortex_core.base import hook_io, trust
from cortex_core.base.project import SURFACE_FILE, Project, archive_next_to, folder, is_tracked
from cortex_core.surface.given import Injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


FOLDER = "cache"
RECENT = 2.0
"""Seconds after a change within which another change may leave time and size the same."""

MOST_CACHED = 20
"""Cached surfaces kept in a project, one for each branch and folder."""

DAY = 86_400

BLOCK_START = b"<!-- cortex:start -->"
BLOCK_END = b"<!-- cortex:end -->"

LARGEST = 1 << 20
"""Bytes; a larger file is left alone, because it cannot be a surface file."""


def load(project: Project, now: float) -> Injection | None:
    """The cached surface; None if there is none or something has changed since."""
    header, text = _read_cache(project, now)
    if not header or hook_io.sha256(text) != header["hash"]:
        return None
    surface = Injection(text, header["ids"], header["tokens"], header["own"])
    if header["states"] and header["states"] == store_states(project):
        return surface
    # A guard that something else than Cortex changed leaves the revision as it was.
    if header["guards"] or header["stores"] != _store_revisions(project):
        return None
    # Only the files were touched (a checkpoint, say): the next hook need not open the stores.
    _write(project, header, text)
    return surface


def asides(project: Project, now: float) -> tuple[str, Sequence[str]]:
    """What the cached surface's composer has to tell the user, mostly nothing, and the ids of rules
    whose tool calls an agent is to name."""
    header, _ = _read_cache(project, now)
    return str(header.get("warning", "")), header.get("unnamed") or ()


def baseline(project: Project, now: float, large: int) -> list[str] | None:
    """The ids of the cached baseline; None if there is none or it must be composed again.

    Args:
        large: bytes of a store from which today's list is used although something has changed.
    """
    header, _ = _read_cache(project, now)
    if not header:
        return None
    now_states = store_states(project)
    sizes = [int(state.partition(":")[0]) for state in now_states if state]
    if header["states"] == now_states or max(sizes, default=0) >= large:
        return list(header["baseline"])
    return list(header["baseline"]) if header["stores"] == _store_revisions(project) else None


def refused(project: Project, now: float) -> Mapping[str, str]:
    """Why the note refused memories, by id, when it was last composed; nothing if that is long
    ago."""
    return _read_cache(project, now)[0].get("refused") or {}


def settings(project: Project, now: float) -> Mapping[str, Any] | None:
    """The settings that the user changed, as the cached surface was composed with them; None if
    that is not known."""
    kept = _read_cache(project, now)[0].get("settings")
    if not isinstance(kept, dict):
        return None
    return {name: tuple(one) if isinstance(one, list) else one for name, one in kept.items()}


def save(
    project: Project,
    now: float,
    surface: Injection,
    stores: Sequence[Sequence[Any]],
    baseline_ids: Sequence[str],
    refused: Mapping[str, str],
    settings: Mapping[str, Any] | None = None,
    warning: str = "",
    guards: bool = False,
    unnamed: Sequence[str] = (),
) -> None:
    """Write the cache: the surface, and the ids of the baseline. A failure is ignored.

    Args:
        stores: scope, identity and revision of each store that the surface was composed from.
        refused: by id, why no layer gives a memory.
        settings: those that the user changed, for hooks, which have no time to read TOML.
        warning: what the user has to be told at a session's start.
        guards: whether a memory keeps calls from running, or did.
        unnamed: ids of rules whose tool calls an agent is to name.
    """
    # A hook reads the header alone where it needs no text.
    header = {
        "made_of": composed_from(project, now),
        "stores": [list(store) for store in stores],
        "ids": list(surface.ids),
        "tokens": surface.tokens,
        "own": list(surface.own),
        "baseline": list(baseline_ids),
        "refused": dict(refused),
        "settings": settings,
        "warning": warning,
        "guards": guards,
        "unnamed": list(unnamed),
        "hash": hook_io.sha256(surface.text),
    }
    _write(project, header, surface.text)


def _write(project: Project, header: dict[str, Any], text: str) -> None:
    # The states are read before the file is written: a change meanwhile makes the cache stale,
    # never wrong.
    current = store_states(project)
    header["states"] = [] if is_any_recent(current, time.time()) else current
    try:
        cache = folder(project, FOLDER)
        hook_io.replace(_path(project), f"{hook_io.dumps(header)}\n{text}")
        _remove_oldest(cache)
    except Exception:
        return


def _read_cache(project: Project, now: float) -> tuple[dict[str, Any], str]:
    """The header and the text of the cache file; no header if it is of another day or setup."""
    head, _, text = hook_io.read(_path(project)).partition("\n")
    try:
        header = hook_io.loads(head)
        return (header if header["made_of"] == composed_from(project, now) else {}), text
    except (ValueError, TypeError, KeyError):
        return {}, ""


def composed_from(project: Project, now: float) -> list[str]:
    """What a surface depends on, apart from the rows of the stores; the folder only by a hash."""
    settings = [os.path.join(path, "config.toml") for path in (project.home, project.data)]
    return [
        __version__,
        _place(project),
        str(int(now // DAY)),
        trust.granted(project),
        str(has_sessions(project)),
        *map(hook_io.file_state, settings),
        *map(hook_io.file_state, agents.memory_files(project, os.environ)),
    ]


def has_sessions(project: Project) -> bool:
    """Whether the project has an archive of past sessions."""
    return os.path.exists(archive_next_to(os.path.join(project.data, trust.DATABASE)))


def _path(project: Project) -> str:
    return os.path.join(project.data, FOLDER, f"surface-{_place(project)}")


def _place(project: Project) -> str:
    return hook_io.sha256(f"{project.branch}\0{project.cwd}")[:32]


def store_states(project: Project) -> list[str]:
    """The states of the stores' files, write-ahead logs included."""
    databases = [path for _, path in project.store_files()]
    return [hook_io.file_state(path + end) for path in databases for end in ("", "-wal")]


def is_any_recent(states: Sequence[str], now: float) -> bool:
    """Whether one of these file states is too recent to tell it from the next one."""
    return any(abs(now - int(state.split(":")[1]) / 1e9) < RECENT for state in states if state)


def _store_revisions(project: Project) -> list[list[Any]]:
    """Scope, identity and revision of the stores that may be injected, read from the stores."""
    import sqlite3

    from cortex_core.store import reader

    revisions = []
    for scope, path in project.store_files():
        if not os.path.isfile(path):
            continue
        try:
            connection = reader.connect(path)
            identity, revision = reader.state(connection)
            connection.close()
        except sqlite3.Error:
            continue
        if scope != "project" or trust.trusted(project, identity):
            revisions.append([scope, identity, revision])
    return revisions


def _remove_oldest(path: str) -> None:
    """Remove the oldest cached surfaces if there are too many."""
    surfaces = [entry for entry in os.scandir(path) if entry.name.startswith("surface-")]
    if len(surfaces) > MOST_CACHED:
        surfaces.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in surfaces[:-MOST_CACHED]:
            os.unlink(entry.path)


# --- the file


def write_surface_file(project: Project, text: str) -> bool:
    """Write `text` between the markers of the surface file; returns whether the file changed.

    Everything outside the markers stays, byte for byte. Nothing is written if there is neither
    text nor a file, or if the file is not this user's.

    Raises:
        OSError: the file cannot be written.
    """
    path = project.surface_file
    if path is None or strange_surface_file(project):
        return False
    old, mode = file_with_block(path)
    if old is None:
        return False
    new = with_block(old, text.encode("utf-8", "replace"))
    if new == old:
        return False
    if not new:
        os.unlink(path)
        return True
    os.makedirs(os.path.dirname(path), exist_ok=True)
    hook_io.replace(path, new, mode)
    return True


def strange_surface_file(project: Project) -> str:
    """Why the surface file is left alone, in a sentence: it came with the repository, and what
    is written there could be committed, or land elsewhere. Empty where it is this user's."""
    path = project.surface_file or ""
    if os.path.islink(path) or os.path.islink(os.path.dirname(path)):
        why = "a link leads there"
    elif not os.path.lexists(path):
        return ""
    elif not os.path.isfile(path):
        why = "it is no file"
    elif is_tracked(project, SURFACE_FILE):
        why = "git tracks it"
    else:
        return ""
    return f"{path} is left alone, because {why}. Remove it from the repository."


def with_block(old: bytes, text: bytes) -> bytes:
    """`old` with `text` as its marked block, which is added at the end, or removed without text.

    No line break comes before it, so that removing it leaves what was there.
    """
    start, end = _block_span(old)
    block = BLOCK_START + b"\n" + text + b"\n" + BLOCK_END + b"\n" if text else b""
    return old[:start] + block + old[end:] if start >= 0 else old + block


def _block_span(old: bytes) -> tuple[int, int]:
    """Start and end of the last complete marked block; (-1, -1) without one."""
    end = old.rfind(BLOCK_END)
    start = old.rfind(BLOCK_START, 0, max(end, 0))
    if end < 0 or start < 0:
        return -1, -1
    end += len(BLOCK_END)
    return start, end + 1 if old[end : end + 1] == b"\n" else end


def file_with_block(path: str) -> tuple[bytes | None, int]:
    """The bytes of the file and its mode; empty if it is missing, None if it must be left alone."""
    try:
        with open(hook_io.opened(path), "rb") as file:
            state = os.fstat(file.fileno())
            return (file.read() if state.st_size <= LARGEST else None), state.st_mode & 0o777
    except FileNotFoundError:
        return b"", 0o600
    except OSError:
        return None, 0

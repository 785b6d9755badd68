"""The surface as a file for people and for imports in CLAUDE.md: one marked part of it is ours.

The surface as it was last composed, served as long as nothing that it was made of has changed.
"""

from __future__ import annotations

import os
import time

from cortex_core import __version__
from cortex_core.base import hook_io
from cortex_core.base import project as base_project
from cortex_core.base.project import folder
from cortex_core.store import trust
from cortex_core.surface.given import Injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cortex_core.base.project import Project

BLOCK_START = b"<!-- cortex:start -->"
BLOCK_END = b"<!-- cortex:end -->"

LARGEST = 1 << 20
"""Bytes of a file beyond which it is left alone: no surface file grows so."""


def write_surface_file(project: Project, text: str) -> bool:
    """Put `text` between the markers of the surface file; whether the file was changed.

    What is outside the markers survives, byte for byte. Nothing is written where there is
    nothing to say and no file, or where a link leads out of the project.

    Raises:
        OSError: the file cannot be written.
    """
    path = project.surface_file
    if path is None or project.root is None:
        return False
    real = os.path.realpath(path)
    if not real.startswith(os.path.join(os.path.realpath(project.root), "")):
        return False
    old, mode = _read_surface_file(real)
    if old is None:
        return False
    new = with_block(old, text.encode("utf-8", "replace"))
    if new == old:
        return False
    if not new:
        os.unlink(real)
        return True
    os.makedirs(os.path.dirname(real), exist_ok=True)
    hook_io.replace(real, new, mode)
    return True


def with_block(old: bytes, text: bytes) -> bytes:
    """`old` with `text` in its marked part, which is added at the end or, for no text, removed."""
    start, end = _block_span(old)
    block = BLOCK_START + b"\n" + text + b"\n" + BLOCK_END + b"\n" if text else b""
    if start < 0:
        gap = b"\n" if old and not old.endswith(b"\n") else b""
        return old + gap + block if block else old
    return old[:start] + block + old[end:]


def _block_span(old: bytes) -> tuple[int, int]:
    """Where the last complete marked part begins and ends; (-1, -1) without one."""
    end = old.rfind(BLOCK_END)
    start = old.rfind(BLOCK_START, 0, max(end, 0))
    if end < 0 or start < 0:
        return -1, -1
    end += len(BLOCK_END)
    return start, end + 1 if old[end : end + 1] == b"\n" else end


def _read_surface_file(path: str) -> tuple[bytes | None, int]:
    """The file's bytes (empty for none, None for one to leave alone) and its mode."""
    try:
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            return (file.read() if found.st_size <= LARGEST else None), found.st_mode & 0o777
    except FileNotFoundError:
        return b"", 0o600
    except OSError:
        return None, 0


FOLDER = "cache"
RECENT = 2.0
"""Seconds after a change in which a further change might leave a file's state the same."""

MOST_CACHED = 20
"""Cached surfaces of other branches and folders that are kept."""

DAY = 86_400


def load(project: Project, now: float) -> Injection | None:
    """The cached surface, None where there is none or something has changed since."""
    header, text = _read_cache(project, now)
    if not header or hook_io.sha256(text) != header["hash"]:
        return None
    found = Injection(text, header["ids"], header["tokens"])
    if header["states"] and header["states"] == store_states(project):
        return found
    if header["stores"] != _store_revisions(project):
        return None
    save(project, now, found, header["stores"], header["baseline"])
    return found


def baseline(project: Project, now: float, large: int) -> list[str] | None:
    """The ids of the cached baseline, None where there is none or it has to be rebuilt.

    Args:
        large: bytes of a store from which a list of today is good enough, whatever has changed.
    """
    header, _ = _read_cache(project, now)
    if not header:
        return None
    now_states = store_states(project)
    sizes = [int(state.partition(":")[0]) for state in now_states if state]
    if header["states"] == now_states or max(sizes, default=0) >= large:
        return list(header["baseline"])
    return list(header["baseline"]) if header["stores"] == _store_revisions(project) else None


def save(
    project: Project,
    now: float,
    made: Injection,
    stores: Sequence[Sequence[Any]],
    always: Sequence[str],
) -> None:
    """Keep `made`, which was composed from `stores`, and the ids of the baseline.

    A cache that cannot be written is done without.

    Args:
        stores: scope, identity and revision of each.
    """
    found = store_states(project)
    header = {
        "made_of": composed_from(project, now),
        "states": [] if is_any_recent(found, time.time()) else found,
        "stores": [list(store) for store in stores],
        "ids": list(made.ids),
        "tokens": made.tokens,
        "baseline": list(always),
        "hash": hook_io.sha256(made.text),
    }
    try:
        place = folder(project, FOLDER)
        hook_io.replace(_path(project), f"{hook_io.dumps(header)}\n{made.text}")
        _remove_oldest(place)
    except Exception:
        return


def _read_cache(project: Project, now: float) -> tuple[dict[str, Any], str]:
    """The header and the text of the cache file; no header where it is not of here and today."""
    head, _, text = hook_io.read(_path(project)).partition("\n")
    try:
        header = hook_io.loads(head)
        return (header if header["made_of"] == composed_from(project, now) else {}), text
    except (ValueError, TypeError, KeyError):
        return {}, ""


def composed_from(project: Project, now: float) -> list[str]:
    """What a surface depends on besides the stores' rows."""
    settings = [os.path.join(place, "config.toml") for place in (project.home, project.data)]
    return [
        __version__, project.branch, project.cwd, str(int(now // DAY)), trust.granted(project),
        *map(_file_state, settings), _file_state(auto_memory(project) or ""),
    ]  # fmt: skip


def auto_memory(project: Project) -> str | None:
    """The file of Claude Code's own memory of this project, which it gives by itself."""
    if project.root is None or os.environ.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY") == "1":
        return None
    return os.path.join(base_project.claude_memory(project.root), "MEMORY.md")


def _path(project: Project) -> str:
    name = hook_io.sha256(f"{project.branch}\0{project.cwd}")[:32]
    return os.path.join(project.data, FOLDER, f"surface-{name}")


def _file_state(path: str) -> str:
    """What tells one state of a file from another; empty for a missing or empty one."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    if not found.st_size:
        return ""
    return f"{found.st_size}:{found.st_mtime_ns}:{found.st_ino}"


def store_states(project: Project) -> list[str]:
    """What tells one state of the stores' files from another."""
    databases = [path for path in (project.project_db, project.global_db) if path]
    return [_file_state(path + end) for path in databases for end in ("", "-wal")]


def is_any_recent(found: Sequence[str], now: float) -> bool:
    """Whether one of these file states is too fresh to be distinguished from the next one."""
    return any(abs(now - int(state.split(":")[1]) / 1e9) < RECENT for state in found if state)


def _store_revisions(project: Project) -> list[list[Any]]:
    """Scope, identity and revision of the stores that may be given, read from the stores."""
    import sqlite3

    from cortex_core.store import reader

    found = []
    for scope, path in (("project", project.project_db), ("global", project.global_db)):
        if path is None or not os.path.isfile(path):
            continue
        try:
            connection = reader.connect(path)
            identity, revision = reader.state(connection)
            connection.close()
        except sqlite3.Error:
            continue
        if scope == "global" or trust.trusted(project, identity):
            found.append([scope, identity, revision])
    return found


def _remove_oldest(place: str) -> None:
    """Remove the oldest surfaces when there are many."""
    names = [entry for entry in os.scandir(place) if entry.name.startswith("surface-")]
    if len(names) > MOST_CACHED:
        names.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in names[:-MOST_CACHED]:
            os.unlink(entry.path)

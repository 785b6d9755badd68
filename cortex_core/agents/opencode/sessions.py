"""The sessions that OpenCode has on this machine: in one file for all projects."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cortex_core.agents.opencode import reader, session_file
from cortex_core.agents.protocol import SessionRef
from cortex_core.agents.transcripts import ran_in
from cortex_core.base.errors import TranscriptError
from cortex_core.base.project import Project


def all() -> list[SessionRef]:
    """The sessions of all projects, the oldest first; those of sub-agents are left out."""
    file = session_file.default_file()
    try:
        return [one for one in _refs(file) if one.kind == "main"] if file.is_file() else []
    except TranscriptError:
        return []


def of_project(project: Project, read: Iterable[str] = ()) -> list[SessionRef]:
    """The sessions that ran in a project, the oldest first.

    Args:
        read: the keys of sessions that were read as this project's before: they stay so.
    """
    belongs, known = ran_in(project), set(read)
    return [one for one in all() if one.key in known or belongs(one.cwd)]


def strangers(project: Project | None = None) -> list[SessionRef]:
    """The file, where its form is not known."""
    file = session_file.default_file()
    if not file.is_file() or session_file.is_database(file):
        return []
    at, size = file.stat().st_mtime, file.stat().st_size
    return [SessionRef("opencode", "", str(file), file, "", at, at, size)]


def at(path: str | Path, *, sidechains: bool = False) -> list[SessionRef]:
    """The sessions at `path`, an OpenCode file, a session of it, or exported ones in a folder.

    Raises:
        TranscriptError: there is nothing.
    """
    path = Path(path)
    if not (path.is_dir() or session_file.is_database(path)):
        return [_ref(reader.described(path), path)]
    files = [path, *path.rglob("opencode.db")]
    found = [one for file in files if session_file.is_database(file) for one in _refs(file)]
    exported = (one for one in path.rglob("ses_*.json") if reader.recognise(one))
    found += [_ref(reader.described(one), one) for one in exported]
    chosen = [one for one in found if sidechains or one.kind == "main"]
    return sorted(chosen, key=lambda one: one.started)


def find(key: str) -> list[Path]:
    """Where the session of this key is."""
    path = session_file.default_file() / key.removeprefix(reader.KEY)
    return [path] if key.startswith(reader.KEY) and reader.extent(path) >= 0 else []


def _refs(file: Path) -> list[SessionRef]:
    return [_ref(info, file / info["id"]) for info in session_file.sessions(file)]


def _ref(info: Mapping[str, Any], path: Path) -> SessionRef:
    return SessionRef(
        agent="opencode",
        id=info["id"],
        key=reader.key_of(path),
        path=path,
        cwd=info["directory"],
        started=info["created"] / 1000,
        changed=info["updated"] / 1000,
        size=reader.offset_of(info, info["last"]),
        kind="subagent" if info["parent"] else "main",
        parent=info["parent"] or "",
    )

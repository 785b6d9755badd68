"""The sessions that Gemini CLI has on this machine: a folder for each project."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cortex_core.agents.gemini import reader
from cortex_core.agents.injected import unix_time
from cortex_core.agents.protocol import SessionRef, TypedPrompt
from cortex_core.agents.transcript_lines import open_transcript
from cortex_core.agents.transcripts import has_line, ran_in
from cortex_core.base.project import Project


def all() -> list[SessionRef]:
    """The sessions of all projects, the oldest first."""
    return [one for one in _known(_files(reader.folder())) if one.kind == "main"]


def of_project(project: Project, read: Iterable[str] = ()) -> list[SessionRef]:
    """The sessions that ran in a project, the oldest first.

    Args:
        read: the keys of sessions that were read as this project's before: they stay so.
    """
    belongs, known = ran_in(project), set(read)
    return [one for one in all() if one.key in known or belongs(one.cwd)]


def strangers(project: Project | None = None) -> list[SessionRef]:
    """The files of a form that is not known; they name no folder, so no project."""
    files = _files(reader.folder())
    return [_ref(file) for file in files if has_line(file) and not reader.recognise(file)]


def at(path: str | Path, *, sidechains: bool = False) -> list[SessionRef]:
    """The transcripts at `path`, a file or a folder, the oldest first.

    Raises:
        TranscriptError: there is nothing.
    """
    path = Path(path)
    if path.is_dir():
        found = _known(sorted(path.rglob("*.json*")))
        return [one for one in found if sidechains or one.kind == "main"]
    open_transcript(path).close()
    return [_ref(path)]


def find(key: str) -> list[Path]:
    """Where the session of this key is."""
    path = reader.located(key)
    return [path] if key.startswith(reader.KEY) and path.is_file() else []


def prompts() -> Iterable[TypedPrompt]:
    """None: Gemini CLI keeps no history of prompts beside its sessions."""
    return ()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/chats/session-*.json*"))


def _known(files: Iterable[Path]) -> list[SessionRef]:
    """The sessions of the files that Gemini CLI wrote, the oldest first."""
    found = (_ref(file) for file in files if reader.recognise(file))
    # Lines come after the document that they go on from, and have all that it has.
    return sorted({one.key: one for one in found}.values(), key=lambda one: one.started)


def _ref(path: Path) -> SessionRef:
    begin, changed = reader.opening(path), path.stat().st_mtime
    is_sub_agent = begin.get("kind") == "subagent"
    return SessionRef(
        agent="gemini",
        id=reader.session_of(path),
        key=reader.key_of(path),
        path=path,
        cwd=reader.folder_of(path),
        started=unix_time(begin.get("startTime")) or changed,
        changed=changed,
        size=reader.extent(path),
        kind="subagent" if is_sub_agent else "main",
        parent=path.parent.name if is_sub_agent else "",
    )

"""The sessions that Copilot CLI has on this machine: a folder for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cortex_core.agents.copilot import reader
from cortex_core.agents.injected import string, unix_time
from cortex_core.agents.protocol import SessionRef, TypedPrompt
from cortex_core.agents.transcript_lines import open_transcript
from cortex_core.agents.transcripts import has_line, ran_in
from cortex_core.base.project import Project


def all() -> list[SessionRef]:
    """The sessions of all projects, the oldest first."""
    return _known(_files(reader.folder()))


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
        return _known(path.rglob("events.jsonl"))
    open_transcript(path).close()
    return [_ref(path)]


def find(key: str) -> list[Path]:
    """Where the session of this key is."""
    path = reader.located(key)
    return [path] if key.startswith(reader.KEY) and path.is_file() else []


def prompts() -> Iterable[TypedPrompt]:
    """None: Copilot CLI keeps no history of prompts beside its sessions."""
    return ()


def _files(folder: Path) -> Iterator[Path]:
    return folder.glob("*/events.jsonl")


def _known(files: Iterable[Path]) -> list[SessionRef]:
    """The sessions of the files that Copilot CLI wrote, the oldest first."""
    found = (_ref(file) for file in files if reader.recognise(file))
    return sorted(found, key=lambda one: one.started)


def _ref(path: Path) -> SessionRef:
    begin, state = reader.opening(path), path.stat()
    context = begin.get("context")
    return SessionRef(
        agent="copilot",
        id=reader.session_of(path),
        key=reader.key_of(path),
        path=path,
        cwd=string(context.get("cwd")) if isinstance(context, dict) else "",
        started=unix_time(begin.get("startTime")) or state.st_mtime,
        changed=state.st_mtime,
        size=state.st_size,
    )

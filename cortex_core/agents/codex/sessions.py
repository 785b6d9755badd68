"""The sessions that Codex has on this machine; those of sub-agents and reviewers are apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cortex_core.agents.codex import reader, threads
from cortex_core.agents.codex.rollout import subagent_of
from cortex_core.agents.injected import string, unix_time
from cortex_core.agents.protocol import SessionKind, SessionRef, TypedPrompt
from cortex_core.agents.transcript_lines import open_transcript
from cortex_core.agents.transcripts import ran_in
from cortex_core.base.project import Project


def all() -> list[SessionRef]:
    """The sessions of all projects, the oldest first; those of sub-agents are left out."""
    return _known(threads.rollouts(), sidechains=False)


def of_project(project: Project, read: Iterable[str] = ()) -> list[SessionRef]:
    """The sessions that ran in a project, the oldest first; those of sub-agents are left out.

    Args:
        read: the keys of sessions that were read as this project's before: they stay so.
    """
    known, belongs = set(read), ran_in(project)
    return [one for one in all() if one.key in known or belongs(one.cwd)]


def strangers(project: Project | None = None) -> list[SessionRef]:
    """The files next to the rollouts whose form is not known; none names its project."""
    files = threads.rollouts() if project is None else ()
    return [_ref(file) for file in files if not reader.recognise(file)]


def at(path: str | Path, *, sidechains: bool = False) -> list[SessionRef]:
    """The rollouts at `path`: the file itself, or all below a folder, the oldest first.

    Raises:
        TranscriptError: there is nothing at `path`.
    """
    path = Path(path)
    if path.is_dir():
        return _known(path.rglob("*.jsonl"), sidechains)
    open_transcript(path).close()
    return [_ref(path)]


def find(key: str) -> list[Path]:
    """The rollouts of the thread that a key, a path or a file name means."""
    thread = threads.of_name(key)
    return list(threads.rollouts(thread)) if thread else []


def prompts() -> Iterator[TypedPrompt]:
    """Nothing: the history of prompts does not say where they were typed."""
    return iter(())


def _known(files: Iterable[Path], sidechains: bool) -> list[SessionRef]:
    """The sessions of the files that Codex wrote, the oldest first."""
    found = [_ref(file) for file in files if reader.recognise(file)]
    wanted = [one for one in found if sidechains or one.kind == "main"]
    return sorted(wanted, key=lambda one: (one.started, one.id, one.path))


def _ref(path: Path) -> SessionRef:
    first = reader.opening(path)
    state = path.stat()
    by = subagent_of(first)
    kind: SessionKind = "main" if not by else "review" if "review" in by else "subagent"
    spawned = by.get("thread_spawn")
    parent = spawned.get("parent_thread_id") if isinstance(spawned, dict) else ""
    return SessionRef(
        agent="codex",
        id=reader.session_of(path),
        key=reader.key_of(path),
        path=path,
        cwd=string(first.get("cwd")),
        started=unix_time(first.get("timestamp")) or state.st_mtime,
        changed=state.st_mtime,
        size=state.st_size,
        kind=kind,
        parent=string(parent),
    )

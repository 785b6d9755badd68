"""The sessions that Claude Code has on this machine, and which project each belongs to.

The name of a folder of transcripts is derived from a working directory, and other directories have
the same name ("my app", "my-app"). So the first records of a session say where it ran.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from cortex_core.agents.claude import places, reader
from cortex_core.agents.injected import unix_time
from cortex_core.agents.protocol import SessionRef
from cortex_core.agents.transcript_lines import open_transcript
from cortex_core.agents.transcripts import has_line, ran_in, worktrees
from cortex_core.base.project import Project


def root() -> Path:
    """The folder with one folder of transcripts for each folder that Claude Code ran in."""
    return Path(places.sessions_folder()).absolute()


def all() -> list[SessionRef]:
    """The sessions of all projects, the oldest first; those of sub-agents are left out."""
    return _known(_files(_folders()))


def of_project(project: Project, read: Iterable[str] = ()) -> list[SessionRef]:
    """The sessions that ran in a project, the oldest first; those of sub-agents are left out.

    Args:
        read: the paths of transcripts that were read as this project's before. They stay so, and
            after a move of the project those next to them that ran in the same folder are its too.
    """
    known = {Path(path).absolute() for path in read}
    folders = [*_folders_of(project), *(path.parent for path in known)]
    found = _known(_files(dict.fromkeys(folders)))
    belongs = ran_in(project)
    before = {one.cwd for one in found if one.path in known and not Path(one.cwd).is_dir()}
    return [one for one in found if one.path in known or one.cwd in before or belongs(one.cwd)]


def strangers(project: Project | None = None) -> list[SessionRef]:
    """The files next to a project's transcripts, or next to any, whose form is not known."""
    folders = _folders_of(project) if project else _folders()
    return [_ref(file) for file in _files(folders) if has_line(file) and not reader.recognise(file)]


def at(path: str | Path, *, sidechains: bool = False) -> list[SessionRef]:
    """The transcripts at `path`: the file itself, or all below a folder, the oldest first.

    A fork repeats the session it was forked from, so the older one should be read first.
    Sub-agents' files are left out unless `sidechains`; they follow their session. Files that are
    not transcripts, or cannot be read, are skipped in a folder.

    Raises:
        TranscriptError: there is nothing at `path`.
    """
    path = Path(path)
    if os.path.isdir(path):
        return _known(_below(path, sidechains))
    open_transcript(path).close()
    return [_ref(path)]


def find(key: str) -> list[Path]:
    """The transcripts whose files are called so: a session keeps its name where it moves."""
    name = Path(key).name
    files = (folder / name for folder in _folders() if name.endswith(".jsonl"))
    return [file for file in files if file.is_file()]


def _folders() -> list[Path]:
    """The folders of transcripts."""
    return sorted(folder for folder in root().glob("*") if folder.is_dir())


def _folders_of(project: Project) -> list[Path]:
    """Those whose names may come from a project: its root, a folder below it, a worktree."""
    ran = {places.slug(path) for path in (project.root or project.cwd, project.cwd)}
    ran |= {places.slug(path) for path in worktrees(project)}
    below = tuple(f"{name}-"[: places.LONGEST_SLUG] for name in ran)
    return [folder for folder in _folders() if folder.name in ran or folder.name.startswith(below)]


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    """The files of sessions in these folders, without those of sub-agents."""
    for folder in folders:
        yield from (file for file in folder.glob("*.jsonl") if not reader.is_sidechain(file))


def _below(folder: Path, sidechains: bool) -> Iterator[Path]:
    for parent, _folders, names in os.walk(folder):
        for file in (Path(parent, name) for name in names if name.endswith(".jsonl")):
            is_wanted = sidechains or not reader.is_sidechain(file.relative_to(folder))
            if is_wanted and not reader.is_compaction_copy(file):
                yield file


def _known(files: Iterable[Path]) -> list[SessionRef]:
    """The sessions of the files that Claude Code wrote, the oldest first."""
    found = [_ref(file) for file in files if reader.recognise(file)]
    # Sub-agents follow their session, however much earlier or later their own records begin.
    starts: dict[str, float] = {}
    for one in sorted(found, key=lambda one: one.kind):
        starts.setdefault(one.id, one.started)
    return sorted(found, key=lambda one: (starts[one.id], one.id, one.kind, one.started, one.path))


def _ref(path: Path) -> SessionRef:
    first = reader.opening(path)
    try:
        state = path.stat()
        changed, size = state.st_mtime, state.st_size
    except OSError:
        changed, size = 0.0, 0
    cwd, session = first.get("cwd"), reader.session_of(path)
    is_sidechain = reader.is_sidechain(path)
    return SessionRef(
        agent="claude",
        id=session,
        key=reader.key_of(path),
        path=path,
        cwd=cwd if isinstance(cwd, str) else "",
        started=unix_time(first.get("timestamp")) or changed,
        changed=changed,
        size=size,
        kind="subagent" if is_sidechain else "main",
        parent=session if is_sidechain else "",
    )

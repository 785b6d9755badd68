"""Which agent wrote a transcript, and which folders belong to a project."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from cortex_core import agents
from cortex_core.agents.protocol import SessionRef, Transcripts
from cortex_core.base import project as projects
from cortex_core.base.errors import TranscriptError
from cortex_core.base.project import Project
from cortex_core.redaction.redactor import MARK

LONGEST_LINE = 1 << 25
"""Bytes of a first line; of a longer one no reader takes anything."""


def reader_of(path: str | Path) -> Transcripts:
    """The reader of the transcript at `path`; of one without a whole line, the first.

    Raises:
        TranscriptError: no agent writes files of this form.
    """
    path = Path(path)
    for agent in agents.known():
        if agent.reader.recognise(path):
            return agent.reader
    if has_line(path):
        raise unknown_form(path)
    return agents.known()[0].reader


def has_line(path: Path) -> bool:
    """Whether the first line of a file is finished: before that, nobody can tell its form."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline(LONGEST_LINE).endswith(b"\n")


def unknown_form(path: Path) -> TranscriptError:
    """The error where no agent writes files such as the one at `path`."""
    return TranscriptError(
        f"“{path}” has a form that Cortex does not know. Nothing of it was read, and it stays "
        "unread. If an agent wrote it, please report its name and version."
    )


def ran_in(project: Project) -> Callable[[str], bool]:
    """Whether a session that ran in a folder is of `project`: its root, a folder below it or a
    worktree. Of a folder that is gone, its path decides."""
    tops = [project.root or project.cwd, *worktrees(project)]

    @cache
    def is_own(folder: str) -> bool:
        if folder in (tops[0], project.cwd) or not (folder and project.root):
            return folder in (tops[0], project.cwd)
        if Path(folder).is_dir():
            return projects.find(cwd=folder, home=project.home).root == project.root
        return any(Path(folder).is_relative_to(top) for top in tops)

    return is_own


def worktrees(project: Project) -> list[str]:
    """The folders of a project's other worktrees."""
    paths = []
    for pointer in Path(project.root or project.cwd, ".git", "worktrees").glob("*/gitdir"):
        try:
            paths.append(str(Path(pointer.read_text(encoding="utf-8").strip()).parent))
        except (OSError, UnicodeDecodeError):
            continue
    return paths


def transcripts_at(path: str | Path) -> list[SessionRef]:
    """The transcripts at `path`, a file or a folder, the oldest first, with absolute paths.

    Raises:
        TranscriptError: there is nothing.
    """
    found = [one for agent in agents.known() for one in agent.sessions.at(Path(path).absolute())]
    return sorted(found, key=lambda one: one.started)


def named(name: str) -> Iterator[Path]:
    """The transcripts of all agents whose files are called so."""
    for agent in agents.known():
        yield from agent.sessions.named(name)


def located(saved: str, clean: Callable[[str], str]) -> Path:
    """The transcript whose path a store has as `saved`; a secret in the path is not in `saved`.

    Args:
        clean: what the store makes of a path.
    """
    path = Path(saved)
    if MARK not in saved or path.exists():
        return path
    return next((file for file in named(path.name) if clean(str(file)) == saved), path)

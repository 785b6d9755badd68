"""Which agent wrote a transcript, and which folders belong to a project."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from cortex_core import agents
from cortex_core.agents import Agent, unpacking
from cortex_core.agents.protocol import SessionRef, Transcripts
from cortex_core.base import project as projects
from cortex_core.base.errors import TranscriptError
from cortex_core.base.project import Project
from cortex_core.redaction.redactor import MARK

LONGEST_LINE = 1 << 25
"""Bytes of a first line; of a longer one no reader takes anything."""


def reader_of(path: str | Path) -> Transcripts:
    """The reader of the transcript at `path`, a path or a key.

    Raises:
        TranscriptError: no agent writes files of this form.
    """
    return agent_of(path).reader


def agent_of(path: str | Path) -> Agent:
    """The agent that wrote the transcript at `path`, a path or a key; of one without a whole line,
    the first.

    Raises:
        TranscriptError: no agent writes files of this form.
    """
    if agent := agents.of_key(str(path)):
        return agent
    path, known = Path(path), agents.having("reader")
    for agent in known:
        if agent.reader.recognise(path):
            return agent
    if has_line(path):
        raise unknown_form(path)
    return known[0]


def has_line(path: Path) -> bool:
    """Whether the first line of a file is finished: before that, its form is not known."""
    if path.suffix == unpacking.SUFFIX or not path.is_file():
        return path.is_file()
    with path.open("rb") as file:
        return file.readline(LONGEST_LINE).endswith(b"\n")


def unknown_form(path: Path) -> TranscriptError:
    """The error where no agent writes files such as the one at `path`."""
    if path.suffix == unpacking.SUFFIX:
        try:
            unpacking.unpacked(path, 1).close()
        except TranscriptError as error:
            return error
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
        with suppress(OSError, UnicodeDecodeError):
            paths.append(str(Path(pointer.read_text(encoding="utf-8").strip()).parent))
    return paths


def transcripts_at(path: str | Path) -> list[SessionRef]:
    """The transcripts at `path`, a file or a folder, the oldest first, with absolute paths.

    Raises:
        TranscriptError: there is nothing.
    """
    path, known = Path(path).absolute(), agents.having("sessions")
    if not path.is_dir():
        # A file of a form that nobody knows is refused where it is read.
        with suppress(TranscriptError):
            known = (agent_of(path), *known)
        return list(known[0].sessions.at(path))
    found = [one for agent in known for one in agent.sessions.at(path)]
    # A file that nobody knows is listed, too: reading it says so.
    files = (*path.rglob("*.jsonl"), *path.rglob(f"*.jsonl{unpacking.SUFFIX}"))
    for file in filter(has_line, files):
        if not any(one.reader.recognise(file) for one in known):
            at, size = file.stat().st_mtime, file.stat().st_size
            found.append(SessionRef(known[0].name, "", str(file), file, "", at, at, size))
    return sorted(found, key=lambda one: one.started)


def key_of(path: str | Path) -> str:
    """What stores file the transcript at `path` under; a file of no known form by its path."""
    try:
        return reader_of(path).key_of(path)
    except (TranscriptError, OSError, ValueError):  # also a path that no file can have
        return str(path)


def found(key: str) -> Iterator[Path]:
    """Where the transcript of this key, path or file name is."""
    agent = agents.of_key(key)
    for each in (agent,) if agent else agents.having("sessions"):
        yield from each.sessions.find(key)


def exists(key: str | Path) -> bool:
    """Whether a transcript is there, by its key or path, in whichever form."""
    agent = agents.of_key(str(key))
    readers = (each.reader for each in ((agent,) if agent else agents.having("reader")))
    return any(reader.extent(key) >= 0 for reader in readers)


def located(saved: str, clean: Callable[[str], str]) -> Path:
    """The transcript that a store files as `saved`; a secret in its path is not in `saved`.

    Args:
        clean: what the store makes of a path.
    """
    path = Path(saved)
    if MARK not in saved or path.exists():
        return path
    return next((file for file in found(path.name) if clean(str(file)) == saved), path)

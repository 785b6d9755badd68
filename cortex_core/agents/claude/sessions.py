"""Where Claude Code keeps the transcripts of its sessions, and which project each belongs to.

The name of a folder of transcripts is derived from a working directory and cannot be reversed, so
the records of a session say where it ran.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from cortex_core.agents.claude import places
from cortex_core.base import project as projects
from cortex_core.base.project import Project
from cortex_core.redaction.redactor import MARK

HEAD = 1 << 18
"""Bytes of a transcript that are searched for its working directory."""

_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')


def root() -> Path:
    """The folder with one folder of transcripts for each folder that Claude Code ran in."""
    return Path(places.sessions_folder())


def cwd_of(transcript: Path) -> str:
    """The working directory of a session; "" if its first records do not say."""
    try:
        with transcript.open("rb") as file:
            match = _CWD.search(file.read(HEAD))
        return str(json.loads(match[1])) if match else ""
    except (OSError, ValueError):
        return ""


def folders_of_project(project: Project, known: Iterable[Path] = ()) -> list[Path]:
    """The folders of this project's transcripts: of root, subfolders and worktrees, and `known`."""
    folders = [folder for folder in known if folder.is_dir()]
    top = root()
    paths = [project.root or project.cwd, project.cwd, *_worktrees(project)]
    named = [top / places.slug(path) for path in paths]
    folders += [folder for folder in named if folder.is_dir()]
    if project.root and top.is_dir():
        below = f"{places.slug(project.root)}-"[: places.LONGEST_SLUG]
        folders += [
            folder
            for folder in top.iterdir()
            if folder.name.startswith(below) and _ran_in(folder, project)
        ]
    return list(dict.fromkeys(folders))


def by_project(home: str) -> tuple[dict[str, list[Path]], list[str]]:
    """All transcripts by the root of their project, and the working directories that are gone."""
    routed: dict[str, list[Path]] = {}
    gone: list[str] = []
    roots: dict[str, str] = {}
    for path in sorted(root().glob("*/*.jsonl")):
        cwd = cwd_of(path)
        if not cwd:
            continue
        if cwd not in roots:
            exists = Path(cwd).is_dir()
            roots[cwd] = (projects.find(cwd=cwd, home=home).root or "") if exists else ""
            if not exists:
                gone.append(cwd)
        if roots[cwd]:
            routed.setdefault(roots[cwd], []).append(path)
    return routed, gone


def _worktrees(project: Project) -> list[str]:
    paths = []
    for pointer in Path(project.root or project.cwd, ".git", "worktrees").glob("*/gitdir"):
        try:
            paths.append(str(Path(pointer.read_text(encoding="utf-8").strip()).parent))
        except (OSError, UnicodeDecodeError):
            continue
    return paths


def _ran_in(folder: Path, project: Project) -> bool:
    for path in folder.glob("*.jsonl"):
        if cwd := cwd_of(path):
            return Path(cwd).is_dir() and projects.find(cwd=cwd, home=project.home).root == (
                project.root
            )
    return False


def ran_in(project: Project) -> Callable[[str], bool]:
    """Whether a session that ran in a folder is of `project`: its root, a folder below it or a
    worktree. Of a folder that is gone, its path decides."""
    tops = [project.root or project.cwd, *_worktrees(project)]

    @cache
    def is_own(folder: str) -> bool:
        if project.root is None:
            return folder == project.cwd
        if not any(Path(folder).is_relative_to(top) for top in tops):
            return False
        is_there = Path(folder).is_dir()
        return not is_there or projects.find(cwd=folder, home=project.home).root == project.root

    return is_own


def located(saved: str, clean: Callable[[str], str]) -> Path:
    """The transcript whose path a store has as `saved`; a secret in the path is not in `saved`.

    Args:
        clean: what the store makes of a path.
    """
    path = Path(saved)
    if MARK not in saved or path.exists():
        return path
    return next((file for file in root().glob("*/*.jsonl") if clean(str(file)) == saved), path)

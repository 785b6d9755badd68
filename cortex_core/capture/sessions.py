"""Which project each of the client's sessions ran in.

A folder's name is made from the working directory and cannot be read back, so a session's own
records say where it ran.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from cortex_core import client_files
from cortex_core import project as projects
from cortex_core.project import Project

HEAD = 1 << 18
"""Bytes of a transcript that are searched for its working directory."""

_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')


def root() -> Path:
    """The folder that holds a folder for each place the client ran in."""
    return Path(client_files.sessions())


def cwd_of(transcript: Path) -> str:
    """The working directory a session ran in, "" where it does not say."""
    try:
        with transcript.open("rb") as file:
            found = _CWD.search(file.read(HEAD))
        return str(json.loads(found[1])) if found else ""
    except (OSError, ValueError):
        return ""


def of_project(project: Project, known: Iterable[Path] = ()) -> list[Path]:
    """The folders with this project's sessions: root, subfolders, worktrees, and `known`."""
    found = [folder for folder in known if folder.is_dir()]
    top = root()
    places = [project.root or project.cwd, project.cwd, *_worktrees(project)]
    named = [top / client_files.slug(place) for place in places]
    found += [folder for folder in named if folder.is_dir()]
    if project.root and top.is_dir():
        below = f"{client_files.slug(project.root)}-"[: client_files.LONGEST]
        found += [
            folder
            for folder in top.iterdir()
            if folder.name.startswith(below) and _ran_in(folder, project)
        ]
    return list(dict.fromkeys(found))


def by_project(home: str) -> tuple[dict[str, list[Path]], list[str]]:
    """Every session of the client, by the root of the project it ran in, and the folders gone."""
    routed: dict[str, list[Path]] = {}
    gone: list[str] = []
    roots: dict[str, str] = {}
    for path in sorted(root().glob("*/*.jsonl")):
        cwd = cwd_of(path)
        if not cwd:
            continue
        if cwd not in roots:
            there = Path(cwd).is_dir()
            roots[cwd] = (projects.find(cwd=cwd, home=home).root or "") if there else ""
            if not there:
                gone.append(cwd)
        if roots[cwd]:
            routed.setdefault(roots[cwd], []).append(path)
    return routed, gone


def _worktrees(project: Project) -> list[str]:
    found = []
    for pointer in Path(project.root or project.cwd, ".git", "worktrees").glob("*/gitdir"):
        try:
            found.append(str(Path(pointer.read_text(encoding="utf-8").strip()).parent))
        except (OSError, UnicodeDecodeError):
            continue
    return found


def _ran_in(folder: Path, project: Project) -> bool:
    for path in folder.glob("*.jsonl"):
        if cwd := cwd_of(path):
            return Path(cwd).is_dir() and projects.find(cwd=cwd, home=project.home).root == (
                project.root
            )
    return False

"""Checks of the folders: which project this is, who may read it, where it lies, and git."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from cortex_core import project as projects
from cortex_core.doctor.case import Case, Check, Finding, failed, ok, skipped, together, warning
from cortex_core.project import FOLDER, SURFACE_FILE
from cortex_core.storage import opening

MOST = 5000
"""Files of one folder that are looked at."""

SECONDS = 10
"""Most that git may take."""

_OURS = re.compile(
    r"cortex|spend\.db|config\.toml|http-token|install|worker|paused|vectors|surface"
    r"|(?:backups|cache|fired|given|lost|models|snapshots|spool|themes|trust)\Z"
)
"""What begins so, or is called so, in a global folder that may be somebody else's too."""


def project(case: Case) -> Finding:
    """Whether there is one store for this place, and no other that nobody reads."""
    here = case.project
    if here.root is None:
        return ok(f"{here.cwd} is no project: only the global store is used.")
    others = [place for place in _nearby(here) if (place / FOLDER / "cortex.db").is_file()]
    if others:
        named = ", ".join(str(place / FOLDER) for place in others)
        return warning(
            f"Memories in {named} are not read here: the project's root is {here.root}.",
            "Carry them over: cortex export jsonl there (with --project), then cortex import "
            "jsonl here.",
        )
    return ok(f"Project {here.name} at {here.root}.")


def _nearby(here: projects.Project) -> list[Path]:
    """Folders whose own store would be overlooked: between here and the root, and worktrees."""
    root, cwd = Path(here.root or here.cwd), Path(here.cwd)
    between = [at for at in (cwd, *cwd.parents) if at != root and at.is_relative_to(root)]
    trees = []
    for pointer in Path(root, ".git", "worktrees").glob("*/gitdir"):
        trees.append(Path(pointer.read_text(encoding="utf-8", errors="replace").strip()).parent)
    return list(dict.fromkeys([*between, *trees]))


def permissions(case: Case) -> Finding:
    """Whether Cortex's folders and files are the person's alone, and can be written."""
    if os.name != "posix":
        return skipped("This system keeps permissions in another way.")
    return together(_access(case), "Stores and folders are yours alone.")


def _access(case: Case) -> Iterator[Finding]:
    loose = []
    for path in _ours(case):
        state = path.lstat()
        if state.st_uid != os.getuid():
            yield failed(
                f"{path} belongs to another user.", f"Take it over: sudo chown $USER {path}"
            )
        elif not os.access(path, os.R_OK | os.W_OK):
            yield failed(
                f"{path} cannot be read and written.", "Run: cortex doctor --fix", fixable=True
            )
        elif state.st_mode & 0o077:
            loose.append(path)
    if loose:
        rest = f" and {len(loose) - 1:,} more" if len(loose) > 1 else ""
        yield warning(
            f"Others on this machine may read {loose[0]}{rest}.",
            "Run: cortex doctor --fix",
            fixable=True,
        )


def _ours(case: Case) -> Iterator[Path]:
    """Cortex's folders and the files in them; links are left out."""
    for folder in dict.fromkeys((case.data, case.home)):
        if not folder.is_dir():
            continue
        yield folder
        count = 0
        for at, names, files in os.walk(folder):
            if case.data != folder and Path(at) == folder:
                names[:] = [name for name in names if _OURS.match(name)]
                files = [name for name in files if _OURS.match(name)]
            for name in (*names, *files):
                path, count = Path(at, name), count + 1
                if not path.is_symlink() and name != ".gitignore":
                    yield path
            if count > MOST:
                break


def close_permissions(case: Case) -> str:
    """Give every folder 0700 and every file 0600."""
    count = 0
    for path in list(_ours(case)):
        mode = 0o700 if path.is_dir() else 0o600
        if path.lstat().st_uid == os.getuid() and path.lstat().st_mode & 0o777 != mode:
            path.chmod(mode)
            count += 1
    return f"Made {count:,} of Cortex's folders and files yours alone (0700 and 0600)."


def file_system(case: Case) -> Finding:
    """Whether the stores lie on a local disk."""
    places = dict.fromkeys((case.data, case.home))
    return together(
        (
            failed(
                f"{place} lies on a network file system ({kind}), where SQLite loses data.",
                "Name a folder on a local disk: CORTEX_HOME, CORTEX_PROJECT or --project.",
            )
            for place in places
            if (kind := opening.network_file_system(place))
        ),
        "The stores lie on a local disk.",
    )


def ignored_by_git(case: Case) -> Finding:
    """Whether memory stays out of commits."""
    root = case.project.root
    if root is None or not case.data.is_dir():
        return skipped("There is no project store here yet.")
    tracked = _tracked(Path(root))
    if tracked:
        return failed(
            f"git has {tracked[0]} in its index: your memory goes into commits.",
            f"git rm -r --cached {FOLDER} {SURFACE_FILE}, then commit. What was pushed stays "
            "in the history.",
        )
    ignore = case.data / ".gitignore"
    if not ignore.is_file() or "*" not in ignore.read_text(encoding="utf-8").split():
        return warning(
            f"{ignore} does not keep memory out of commits.",
            "Run: cortex doctor --fix",
            fixable=True,
        )
    return ok("Memory stays out of commits.")


def _tracked(root: Path) -> list[str]:
    try:
        done = subprocess.run(
            ["git", "ls-files", "--", FOLDER, SURFACE_FILE], cwd=root, capture_output=True,
            text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line for line in done.stdout.splitlines() if line != f"{FOLDER}/.gitignore"]


def ignore_by_git(case: Case) -> str:
    """Write the ignore file."""
    ignore = case.data / ".gitignore"
    ignore.write_text("*\n", encoding="utf-8")
    projects.prepare(case.project)
    return f"Wrote {ignore}."


CHECKS = (
    Check("project", "folders", project),
    Check("permissions", "folders", permissions, close_permissions),
    Check("file-system", "folders", file_system),
    Check("git", "folders", ignored_by_git, ignore_by_git),
)

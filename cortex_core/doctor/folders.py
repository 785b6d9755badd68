"""Checks of the folders: project, permissions, file system and git."""

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
"""Maximum number of files to check in one folder."""

SECONDS = 10
"""Timeout for git, in seconds."""

_OURS = re.compile(
    r"cortex|spend\.db|config\.toml|http-token|install|worker|paused|vectors|surface"
    r"|(?:backups|cache|fired|given|lost|models|snapshots|spool|themes|trust)\Z"
)
"""Names and prefixes of our files in a global folder that other programs may share."""


def project(case: Case) -> Finding:
    """Whether there is only one store for this folder, and no other that is never read."""
    here = case.project
    if here.root is None:
        return ok(f"{here.cwd} is not a project, so only the global store is used.")
    others = [folder for folder in _nearby(here) if (folder / FOLDER / "cortex.db").is_file()]
    if others:
        named = ", ".join(str(folder / FOLDER) for folder in others)
        return warning(
            f"Memories in {named} are not used, because the project root is {here.root}.",
            "Move them: run cortex export jsonl there (with --project), then cortex import "
            "jsonl here.",
        )
    return ok(f"Project {here.name} at {here.root}.")


def _nearby(here: projects.Project) -> list[Path]:
    """Folders whose own store would be ignored: between here and the root, and worktrees."""
    root, cwd = Path(here.root or here.cwd), Path(here.cwd)
    between = [at for at in (cwd, *cwd.parents) if at != root and at.is_relative_to(root)]
    trees = []
    for pointer in Path(root, ".git", "worktrees").glob("*/gitdir"):
        trees.append(Path(pointer.read_text(encoding="utf-8", errors="replace").strip()).parent)
    return list(dict.fromkeys([*between, *trees]))


def permissions(case: Case) -> Finding:
    """Whether only the user can read Cortex's folders and files, and can write them."""
    if os.name != "posix":
        return skipped("Permissions work differently on this system.")
    return together(_access(case), "Only you can access the stores and folders.")


def _access(case: Case) -> Iterator[Finding]:
    loose = []
    for path in _ours(case):
        state = path.lstat()
        if state.st_uid != os.getuid():
            yield failed(f"{path} belongs to another user.", f"Run: sudo chown $USER {path}")
        elif not os.access(path, os.R_OK | os.W_OK):
            yield failed(
                f"{path} is not readable and writable.", "Run: cortex doctor --fix", fixable=True
            )
        elif state.st_mode & 0o077:
            loose.append(path)
    if loose:
        rest = f" and {len(loose) - 1:,} more" if len(loose) > 1 else ""
        yield warning(
            f"Other users of this machine can read {loose[0]}{rest}.",
            "Run: cortex doctor --fix",
            fixable=True,
        )


def _ours(case: Case) -> Iterator[Path]:
    """Cortex's folders and the files in them, without symbolic links."""
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
    return f"Set the permissions of {count:,} folders (0700) and files (0600)."


def file_system(case: Case) -> Finding:
    """Whether the stores are on a local disk."""
    folders = dict.fromkeys((case.data, case.home))
    return together(
        (
            failed(
                f"{folder} is on a network file system ({kind}), where SQLite can lose data.",
                "Use a folder on a local disk: CORTEX_HOME, CORTEX_PROJECT or --project.",
            )
            for folder in folders
            if (kind := opening.network_file_system(folder))
        ),
        "The stores are on a local disk.",
    )


def ignored_by_git(case: Case) -> Finding:
    """Whether git ignores the memories."""
    root = case.project.root
    if root is None or not case.data.is_dir():
        return skipped("There is no project store yet.")
    tracked = _tracked(Path(root))
    if tracked:
        return failed(
            f"git tracks {tracked[0]}, so your memories become part of commits.",
            f"Run: git rm -r --cached {FOLDER} {SURFACE_FILE}, then commit. Pushed commits keep "
            "them in their history.",
        )
    ignore = case.data / ".gitignore"
    if not ignore.is_file() or "*" not in ignore.read_text(encoding="utf-8").split():
        return warning(
            f"{ignore} does not exclude the memories from git.",
            "Run: cortex doctor --fix",
            fixable=True,
        )
    return ok("git ignores the memories.")


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

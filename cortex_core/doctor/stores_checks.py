"""Checks of the folders (project, permissions, git) and of the stores in them.

A store opens, is intact and trusted, and has its schema and search index.
"""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from cortex_core.agents.protocol import Check
from cortex_core.agents.transcripts import worktrees
from cortex_core.archive import archive
from cortex_core.base import git, project as projects, text, trust
from cortex_core.base.project import FOLDER, SURFACE_FILE
from cortex_core.doctor.case import FIX, Case, exists, over_stores
from cortex_core.records.findings import failed, ok, skipped, together, warning
from cortex_core.records.memory import Scope
from cortex_core.records.upkeep import CheckResult
from cortex_core.store import (
    foreign,
    health,
    migrations,
    snapshots,
)
from cortex_core.store.reader import OLDEST_VERSION, SCHEMA_VERSION, Reader

MOST = 5000
"""Maximum number of files to check in one folder."""

SECONDS = 10
"""Timeout for git, in seconds."""

_OURS = re.compile(
    r"cortex|spend\.db|config\.toml|http-token|install|worker|paused|vectors|surface"
    r"|(?:backups|cache|fired|given|lost|models|snapshots|spool|sync|teams|themes|trust)\Z"
)
"""Names and prefixes of our files in a global folder that other programs may share."""


def project(case: Case) -> CheckResult:
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
    return list(dict.fromkeys([*between, *map(Path, worktrees(here))]))


def permissions(case: Case) -> CheckResult:
    """Whether only the user can read Cortex's folders and files, and can write them."""
    if os.name != "posix":
        return skipped("Permissions work differently on this system.")
    return together(_access(case), "Only you can access the stores and folders.")


def _access(case: Case) -> Iterator[CheckResult]:
    loose = []
    for path in _ours(case):
        state = path.lstat()
        if state.st_uid != os.getuid():
            yield failed(f"{path} belongs to another user.", f"Run: sudo chown $USER {path}")
        elif not os.access(path, os.R_OK | os.W_OK):
            yield failed(f"{path} is not readable and writable.", FIX, fixable=True)
        elif state.st_mode & 0o077:
            loose.append(path)
    if loose:
        rest = f" and {len(loose) - 1:,} more" if len(loose) > 1 else ""
        yield warning(
            f"Other users of this machine can read {loose[0]}{rest}.",
            FIX,
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


def ignored_by_git(case: Case) -> CheckResult:
    """Whether git ignores the memories."""
    root = case.project.root
    if root is None or case.project.doubt or not case.data.is_dir():
        return skipped("There is no project store yet.")
    if tracked := _tracked(Path(root)):
        return failed(
            f"git tracks {tracked[0]}, so your memories become part of commits.",
            f"Run: git rm -r --cached {FOLDER} {SURFACE_FILE}, then commit. Pushed commits keep "
            "them in their history.",
        )
    ignore = case.data / ".gitignore"
    if not ignore.is_file() or "*" not in ignore.read_text(encoding="utf-8").split():
        return warning(
            f"{ignore} does not exclude the memories from git.",
            FIX,
            fixable=True,
        )
    return ok("git ignores the memories.")


def _tracked(root: Path) -> list[str]:
    listed = git.output(str(root), "ls-files", "--", FOLDER, SURFACE_FILE, patience=SECONDS)
    return [
        line for line in os.fsdecode(listed or b"").splitlines() if line != f"{FOLDER}/.gitignore"
    ]


def ignore_by_git(case: Case) -> str:
    """Write the ignore file."""
    ignore = case.data / ".gitignore"
    ignore.write_text("*\n", encoding="utf-8")
    projects.prepare(case.project)
    return f"Wrote {ignore}."


MOST_COMPARED = 25_000
"""Maximum number of memories for a full comparison, which holds the write lock for two seconds."""


def _index_complete(_case: Case, store: Reader) -> Iterator[CheckResult]:
    rows = health.memories(store)
    for index in health.INDEXES:
        listed = health.indexed(store, index)
        reason = f"{listed:,} of {rows:,} memories" if listed != rows else ""
        if not reason and rows <= MOST_COMPARED:
            fits = health.index_fits(Path(store.file), index)
            reason = "its words differ from the memories" if fits is False else ""
        if reason:
            yield failed(
                f"The search index of {store.file} is incomplete ({index}: {reason}), so search by "
                "words finds too little.",
                FIX,
                fixable=True,
            )


def rebuild_index(case: Case) -> str:
    """Rebuild both indexes from the memories."""
    for path in case.readable.values():
        health.rebuild_indexes(path)
    return "Rebuilt the search index."


def stores_open(case: Case) -> CheckResult:
    """Whether each store can be opened, read and written."""
    if not case.files:
        return skipped("There is no store yet.")
    opens = "store opens" if len(case.files) == 1 else "stores open"
    return together(
        (found for scope, path in case.files.items() if (found := _opening(scope, path))),
        f"The {' and '.join(case.files)} {opens}.",
    )


def _opening(scope: Scope, path: Path) -> CheckResult | None:
    # From what keeps it from being opened at all to what keeps it from being written just now.
    if path.is_dir():
        return failed(f"{path} is a folder, but should be a store.", "Move the folder away.")
    if not os.access(path, os.R_OK):
        return failed(f"{path} cannot be read: permission denied.", f"Run: chmod 600 {path}")
    try:
        version = health.version(path)
    except sqlite3.Error as error:
        return _unreadable(path, str(error))
    if version > SCHEMA_VERSION:
        return failed(
            f"{path} was written by a newer Cortex (schema {version}, this one supports "
            f"{SCHEMA_VERSION}).",
            "Upgrade: pipx upgrade agent-cortex",
        )
    if version < OLDEST_VERSION:
        return failed(*migrations.too_old(path, version, scope))
    if version < SCHEMA_VERSION:
        return warning(
            f"{path} was written by an older Cortex (schema {version}). The next command that "
            "opens it migrates it, after a snapshot.",
            "Run: cortex status",
        )
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return warning(
            f"{path} is read-only, so nothing new is stored.",
            "Make the file and its folder writable.",
        )
    if reason := health.why_not_writable(path):
        return warning(
            f"{path} is not writable at the moment ({reason}).",
            "Wait for the program that uses it, or end it. To find it: fuser "
            f"{path} or lsof {path}",
        )
    return None


def _unreadable(path: Path, reason: str) -> CheckResult:
    if "locked" in reason or "busy" in reason:
        return warning(f"{path} is locked by another process.", "Try again in a moment.")
    if "no such table" in reason and not path.stat().st_size:
        return warning(f"{path} is empty.", "Nothing to do: it is set up when something is stored.")
    return failed(
        f"{path} is damaged, or not a store ({reason}).",
        "Restore the last snapshot: cortex snapshot restore 1"
        if snapshots.taken(path)
        else "There is no snapshot. Move it away to start with an empty store: "
        f"mv {path} {path}.broken",
    )


def _intact(_case: Case, store: Reader) -> Iterator[CheckResult]:
    if fault := health.damage(store):
        yield failed(
            f"{store.file} is damaged: {fault.splitlines()[-1]}.",
            "Restore the last snapshot: cortex snapshot restore 1"
            if snapshots.taken(Path(store.file))
            else "Save what is readable: cortex export jsonl FILE. Then move the store away and "
            "import the file.",
        )
    if orphans := health.orphans(store):
        yield failed(
            f"{store.file} has {text.counted(orphans, 'row')} of vectors or of the journal without "
            "a memory or an entry.",
            FIX,
            fixable=True,
        )


def drop_orphans(case: Case) -> str:
    """Remove rows that belong to no memory and no journal entry."""
    return f"Removed {sum(map(health.drop_orphans, case.readable.values())):,} orphaned rows."


def trusted(case: Case) -> CheckResult:
    """Whether the project's `.memory` is this user's own, and its store trusted."""
    if case.project.doubt:
        return warning(f"{case.project.doubt}.", projects.OF_OTHERS)
    return over_stores(_trusted, "The stores are your own.")(case)


def _trusted(case: Case, store: Reader) -> Iterable[CheckResult]:
    if store.scope == "project" and not trust.trusted(case.project, store.identity):
        yield warning(
            "The project store is not trusted, so its memories are not injected.",
            "Read it (cortex list), then run: cortex trust",
        )


def conversations(case: Case) -> CheckResult:
    """Whether the archives of conversations can be read."""
    if not (paths := _archives(case)):
        return skipped("There is no archive of conversations yet.")
    count = sum(path.stat().st_size for path in paths.values())
    return together(
        (
            found
            for scope, path in paths.items()
            if (found := _archive(path) or _from_elsewhere(case, scope, path))
        ),
        f"The archive of conversations is intact ({text.size(count)}).",
    )


def _archives(case: Case) -> dict[Scope, Path]:
    """The archives of conversations that exist, next to their stores."""
    paths = {scope: archive.path_next_to(path) for scope, path in case.files.items()}
    return {scope: path for scope, path in paths.items() if exists(path)}


def _archive(path: Path) -> CheckResult | None:
    if path.is_symlink() or not path.is_file() or foreign.is_foreign(path, archive.Archive.TABLES):
        return failed(
            f"{path} is a folder, a link or of another program, so no conversations are kept.",
            "Move it away; Cortex then makes an archive of its own.",
        )
    if not os.access(path, os.R_OK):
        return failed(f"{path} cannot be read: permission denied.", f"Run: chmod 600 {path}")
    try:
        version, fault = health.version(path), health.damage_of(path)
    except sqlite3.Error as error:
        if "locked" in str(error):
            return warning(f"{path} is locked by another process.", "Try again in a moment.")
        version, fault = 0, str(error)
    if version > archive.VERSION:
        return failed(
            f"{path} was written by a newer Cortex.", "Upgrade: pipx upgrade agent-cortex"
        )
    if not fault:
        return None
    return failed(
        f"{path} is damaged ({fault.splitlines()[-1]}), so its conversations cannot be read.",
        f"Save what can be read of it, and read the transcripts again: {FIX}",
        fixable=True,
    )


def _from_elsewhere(case: Case, scope: Scope, path: Path) -> CheckResult | None:
    with case.readers() as stores:
        identity = next((store.identity for store in stores if store.scope == scope), None)
    if identity is None or health.owner(path) == identity:
        return None
    return warning(
        f"{path} belongs to another store, so its conversations are not shown: it came with its "
        "folder, or the store was replaced.",
        "If it is yours: cortex trust. If not, move it away.",
    )


def rebuild_archives(case: Case) -> str:
    """Make each damaged archive again, of what can be read of it and of the transcripts."""
    kept = case.cortex.sessions.archive.recorder
    aside = [
        kept.rebuild(scope)
        for scope, path in _archives(case).items()
        if (found := _archive(path)) and found.fixable
    ]
    number = text.counted(
        case.cortex.sessions.archive.count(), "conversation is", "conversations are"
    )
    return f"{number} in the archive now; the damaged one is {', '.join(map(str, aside))}."


STORES_CHECKS = (
    Check("project", "folders", project),
    Check("permissions", "folders", permissions, close_permissions),
    Check("git", "folders", ignored_by_git, ignore_by_git),
    Check("stores-open", "stores", stores_open),
    Check("integrity", "stores", over_stores(_intact, "The stores are intact."), drop_orphans),
    Check("conversations", "stores", conversations, rebuild_archives),
    Check("trust", "stores", trusted),
    Check(
        "search-index",
        "stores",
        over_stores(_index_complete, "The search index is complete."),
        rebuild_index,
    ),
)

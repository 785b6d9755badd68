"""What git says about a project: the work at hand, its files, and what was renamed or deleted."""

import os
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

PATIENCE = 3.0
"""Seconds that one git command may take."""

LISTING = 30.0
"""Seconds that listing the files of a large folder may take."""

HISTORY = 10.0
"""Seconds that finding renames in the history may take."""

MOST_COMMITS = 4_000
"""Commits whose renames, deletions and additions are read."""

COMMITS = 5
MOST_FILES = 40

_QUIET = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false", "--no-optional-locks"),
)

_OUTSIDE = "--ignore-submodules=dirty"
"""So that git does not compare the files of a submodule, whose settings name programs, too."""

_OF_A_REPOSITORY = frozenset(
    "GIT_" + name
    for name in """ALTERNATE_OBJECT_DIRECTORIES COMMON_DIR CONFIG CONFIG_COUNT
    CONFIG_PARAMETERS DIR GRAFT_FILE IMPLICIT_WORK_TREE INDEX_FILE INTERNAL_SUPER_PREFIX NAMESPACE
    NO_REPLACE_OBJECTS OBJECT_DIRECTORY PREFIX QUARANTINE_PATH REPLACE_REF_BASE SHALLOW_FILE
    WORK_TREE""".split()
)


def describe(folder: str) -> str:
    """Branch, last five commits and changed files of the work tree at `folder`, in lines.

    Empty where there is no git or no repository.
    """
    if not folder or not Path(folder).is_dir():
        return ""
    branch = _git(folder, "rev-parse", "--abbrev-ref", "HEAD")
    if not branch:
        return ""
    commits = _git(folder, "log", f"-{COMMITS}", "--format=%h %s")
    compare = ("diff", "HEAD", "--name-only", "--no-ext-diff", "--no-textconv", _OUTSIDE)
    files = _git(folder, *_unfiltered(folder), *compare).splitlines()
    more = [f"and {len(files) - MOST_FILES} more"] if len(files) > MOST_FILES else []
    parts = (
        ("Branch", [branch]),
        ("Last commits", commits.splitlines()),
        ("Changed and not committed", [*files[:MOST_FILES], *more]),
    )
    return "\n".join(f"{name}: {'; '.join(items)}" for name, items in parts if items)


def files(folder: str) -> list[str] | None:
    """The files below `folder`, tracked or neither tracked nor ignored, relative to it.

    None where there is no repository or git does not answer.
    """
    listed = output(
        folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", patience=LISTING
    )
    names = dict.fromkeys(os.fsdecode(listed or b"").split("\0"))
    return None if listed is None else [name for name in names if name]


def head(folder: str) -> str:
    """The commit that is checked out; empty where there is none."""
    return _git(folder, "rev-parse", "--verify", "--quiet", "HEAD")


def state(folder: str, but: str) -> str:
    """Differs whenever the commit or a file that is not committed differs; empty without git.

    Args:
        but: a folder that does not count, relative to `folder`.
    """
    commit = head(folder)
    listed = output(
        folder,
        *_unfiltered(folder),
        "status",
        _OUTSIDE,
        "--porcelain",
        "-z",
        "-uall",
        "--",
        ".",
        f":(exclude){but}",
        patience=LISTING,
    )
    if not commit or listed is None:
        return ""
    known = sha256(listed)
    # Status says which files differ, not how: time and size differ between two edits.
    for entry in os.fsdecode(listed).split("\0"):
        try:
            found = Path(folder, entry[3:]).lstat()
        except (OSError, ValueError):
            continue
        known.update(f"{found.st_mtime_ns} {found.st_size}".encode())
    return f"{commit} {known.hexdigest()[:16]}"


class FileChange(NamedTuple):
    """A file that a commit renamed, deleted or added."""

    age: int
    """How many commits are newer."""
    old: str
    """Empty where it was added."""
    new: str
    """Empty where it was deleted."""


class PastCommits(NamedTuple):
    """The newest commits that lead to the one that is checked out, the newest first."""

    ages: dict[str, int]
    """Of each commit, how many are newer."""
    times: list[float]
    """When each was committed, Unix seconds."""
    changes: list[FileChange]
    """The oldest first."""
    paths: frozenset[str]
    """The files of the newest commit."""


def past(folder: str) -> PastCommits:
    """What the newest commits renamed, deleted and added; empty without git."""
    listed = _git(folder, "log", f"-{MOST_COMMITS}", "--format=%H %ct")
    pairs = [line.partition(" ") for line in listed.splitlines()]
    ages = {commit: age for age, (commit, _, _) in enumerate(pairs)}
    times = [float(time or 0) for _, _, time in pairs]
    # An edit takes no name away, so only renames, deletions and additions are asked for.
    logged = output(
        folder,
        "-c",
        "core.quotePath=false",
        "log",
        f"-{MOST_COMMITS}",
        "-M",
        "--diff-filter=RDA",
        "--no-ext-diff",
        "--no-textconv",
        "--name-status",
        "--relative",
        "--format=@%H",
        patience=HISTORY,
    )
    changes, age = list[FileChange](), 0
    for line in (logged or b"").decode("utf-8", "replace").splitlines():
        kind, *names = line.split("\t")
        if not names:
            age = ages.get(kind[1:], age)
        elif kind.startswith("R") and len(names) == 2:
            changes.append(FileChange(age, *names))
        elif kind == "D":
            changes.append(FileChange(age, names[0], ""))
        elif kind == "A":
            changes.append(FileChange(age, "", names[0]))
    held = os.fsdecode(output(folder, "ls-tree", "-r", "-z", "--name-only", "HEAD") or b"")
    return PastCommits(ages, times, changes[::-1], frozenset(held.split("\0")))


def is_on_a_branch(folder: str, commit: str) -> bool:
    """Whether any branch, of here or of a remote, has `commit`."""
    return bool(
        _git(
            folder, "for-each-ref", "--count=1", "--contains", commit, "refs/heads", "refs/remotes"
        )
    )


def environment() -> dict[str, str]:
    """The environment without what ties git to one repository, as it is set in a hook of git."""
    return {name: value for name, value in os.environ.items() if name not in _OF_A_REPOSITORY}


def _unfiltered(folder: str) -> list[str]:
    """The options with which git compares files and runs no program that the repository names."""
    listed = os.fsdecode(output(folder, "config", "-z", "--name-only", "--list") or b"")
    names = [name for name in dict.fromkeys(listed.split("\0")) if name.startswith("filter.")]
    names = [name for name in names if name.endswith((".clean", ".process", ".required"))]
    # Git ends at a name without a point: one with “=” cannot be turned off in this way.
    return [word for name in names for word in ("-c", "" if "=" in name else f"{name}=")]


def _git(folder: str, *words: str) -> str:
    """What git prints, in words; empty where it fails."""
    done = output(folder, *words)
    return "" if done is None else done.decode("utf-8", "replace").strip()


def output(folder: str, *words: str, patience: float = PATIENCE) -> bytes | None:
    """What git prints; None where it fails."""
    head_file = Path(folder, ".git", "HEAD")
    if head_file.exists() and not head_file.is_file():
        return None  # a pipe in its place would hold git as long as it is waited for
    try:
        done = subprocess.run(
            ["git", *_QUIET, "-C", folder, *words],
            capture_output=True,
            timeout=patience,
            check=False,
            stdin=subprocess.DEVNULL,
            env={
                **environment(),
                "GIT_NO_REPLACE_OBJECTS": "1",
                "GIT_PAGER": "cat",
                "GIT_ALLOW_PROTOCOL": "",
            },
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None

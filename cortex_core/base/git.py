"""What git says about the work at hand: branch, last commits, changed files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PATIENCE = 3.0
"""Seconds that one git command may take."""

COMMITS = 5
MOST_FILES = 40

_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")


def describe(folder: str) -> str:
    """Branch, last five commits and changed files of the work tree at `folder`, in lines.

    Empty where there is no git or no repository.
    """
    if not folder or not Path(folder).is_dir():
        return ""
    branch = _git(folder, "rev-parse", "--abbrev-ref", "HEAD")
    if not branch:
        return ""
    commits = _git(folder, "log", f"-{COMMITS}", "--no-show-signature", "--format=%h %s")
    changed = _git(folder, "diff", "HEAD", "--name-only", "--no-ext-diff", "--no-textconv")
    files = changed.splitlines()
    more = [f"and {len(files) - MOST_FILES} more"] if len(files) > MOST_FILES else []
    parts = (
        ("Branch", [branch]), ("Last commits", commits.splitlines()),
        ("Changed and not committed", [*files[:MOST_FILES], *more]),
    )  # fmt: skip
    return "\n".join(f"{name}: {'; '.join(items)}" for name, items in parts if items)


def is_tracked(folder: str, path: str) -> bool:
    """Whether `path` is a file of the repository at `folder`, so that it can come with a clone."""
    return bool(_git(folder, "ls-files", "--", path))


def _git(folder: str, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *_QUIET, "-C", folder, *words], capture_output=True, timeout=PATIENCE,
            check=False, stdin=subprocess.DEVNULL, env={**os.environ, "GIT_PAGER": "cat"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""

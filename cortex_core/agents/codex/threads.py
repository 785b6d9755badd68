"""Where Codex keeps its threads, and which one a file is of.

`sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl`, and `archived_sessions` for those put away.
"""

import glob
import os
from collections.abc import Iterator
from pathlib import Path

from cortex_core.agents.codex import hooks
from cortex_core.base import agent_names

KEY = "codex:"
"""How the keys of sessions begin."""

_BEFORE_THREAD = len("rollout-2026-11-25T18-58-00-")
_THREAD = 36
"""Characters of a thread's id."""


def home() -> Path:
    """The folder of Codex's own files."""
    return Path(hooks.folder()).absolute()


def of_name(name: str) -> str:
    """The thread of a key, or of a file by its name; empty where it says none."""
    name = agent_names.copied(name)
    if name.startswith(KEY):
        return name.removeprefix(KEY)
    stem = os.path.basename(name).partition(".")[0]
    thread = stem[_BEFORE_THREAD:] if stem.startswith("rollout-") else ""
    return thread if len(thread) == _THREAD else ""


def rollouts(thread: str = "") -> Iterator[Path]:
    """The files of all threads, or of one; of a compressed one that Codex has unpacked to write on,
    the one that it writes."""
    name = f"rollout-*{glob.escape(thread)}.jsonl*"
    for folder in ("sessions", "archived_sessions"):
        for file in (home() / folder).rglob(name):
            if file.suffix == ".jsonl" or not file.with_suffix("").exists():
                yield file


def file_of(path: str | Path) -> Path:
    """The file of a session, by its path or key; of a key without a file a path that has none."""
    name = agent_names.copied(path)
    is_key = name.startswith(KEY)
    return next(rollouts(of_name(name)), home() / name) if is_key else Path(name)


def is_own(path: Path) -> bool:
    """Whether a file is among those that Codex keeps, and not a copy elsewhere."""
    return path.absolute().is_relative_to(home())

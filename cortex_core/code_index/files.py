"""Which files are read, how, and what a path is called in the store."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cortex_core.capture import private
from cortex_core.code_index.outline import language_of
from cortex_core.errors import UsageError

LARGEST = 400_000
"""Bytes of a file that is indexed."""

LONGEST_LINE = 5_000
"""Characters of a line that a person may have written; longer ones are a machine's."""

SECONDS = 30
"""Most that git may take to list a folder."""

PASSED_OVER = frozenset({
    "node_modules", "__pycache__", "venv", "dist", "build", "target", "vendor", "site-packages",
})  # fmt: skip
"""Folders that hold no source of one's own, where git does not say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source file as it was read."""

    file: Path
    path: str
    """What it is called in the store: relative to the project's root where it lies below."""
    text: str
    language: str
    """Empty where its structure cannot be read."""
    sha256: str
    size: int
    mtime: int
    """Nanoseconds."""

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.text.count("\n") + (not self.text.endswith("\n"))

    def stretch(self, first: int, last: int) -> str:
        """Its lines from `first` to `last`, both counted from 1 and included."""
        return "".join(self.text.splitlines(keepends=True)[first - 1 : last])


def name_of(file: Path, root: str | None) -> str:
    """What `file` is called in the store of the project at `root`."""
    real = Path(os.path.realpath(file))
    for top in (root, _worktree(real)):
        if top and real.is_relative_to(top):
            return real.relative_to(top).as_posix()
    return str(real)


def _worktree(file: Path) -> str | None:
    """The top of the linked worktree that `file` lies in."""
    for folder in file.parents:
        mark = folder / ".git"
        if mark.exists():
            return str(folder) if mark.is_file() else None
    return None


def read(file: Path, root: str | None) -> Source:
    """The file as it is now.

    Raises:
        UsageError: it is none, cannot be read, is no text, or is too large.
    """
    try:
        data = file.read_bytes()
        state = file.stat()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}. It was not indexed.") from error
    if len(data) > LARGEST:
        raise UsageError(
            f"{file} has {len(data) / 1000:,.0f} kB; the maximum is {LARGEST // 1000} kB. It was "
            "not indexed."
        )
    if b"\0" in data:
        raise UsageError(f"{file} is not a text file. It was not indexed.")
    words = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if not words.strip():
        raise UsageError(f"{file} is empty. There is nothing to index.")
    if max(map(len, words.split("\n"))) > LONGEST_LINE:
        raise UsageError(f"{file} is generated (very long lines). It was not indexed.")
    return Source(
        file=file, path=name_of(file, root), text=words, language=language_of(str(file)),
        sha256=hashlib.sha256(data).hexdigest(), size=len(data), mtime=state.st_mtime_ns,
    )  # fmt: skip


def below(folder: Path, ignored: Sequence[str]) -> list[Path]:
    """The source files of `folder` that git would keep, in languages whose structure is read.

    Args:
        ignored: the setting `capture.ignore`.
    """
    listed = _by_git(folder)
    found = _by_walking(folder) if listed is None else listed
    top = folder.resolve()
    return [
        path
        for path in sorted(found)
        if language_of(str(path))
        and path.is_file()
        and path.stat().st_size
        and path.resolve().is_relative_to(top)
        and not private.is_ignored(str(path), ignored)
    ]


def _by_git(folder: Path) -> list[Path] | None:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    names = os.fsdecode(done.stdout).split("\0")
    return [folder / name for name in dict.fromkeys(names) if name]


def _by_walking(folder: Path) -> Iterator[Path]:
    for at, folders, files in os.walk(folder):
        folders[:] = [
            name for name in folders if name not in PASSED_OVER and not name.startswith(".")
        ]
        yield from (Path(at, name) for name in files)

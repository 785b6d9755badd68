"""Reading and replacing the client's settings file: whole, with its mode, or not at all."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from cortex_core import lean
from cortex_core.errors import CortexError

MARK = "\ufeff"
"""The byte order mark that some editors begin a file with."""


class Original(NamedTuple):
    """A settings file as it was read."""

    path: Path
    data: bytes | None
    """None where there is no file."""
    mark: str
    """The byte order mark, where the file begins with one."""
    text: str
    """What follows it."""


def read(path: Path) -> Original:
    """The settings file at `path`, blank where there is none.

    Raises:
        CortexError: it cannot be read, or is not UTF-8.
    """
    try:
        data = path.read_bytes()
        text = data.decode("utf-8")
    except FileNotFoundError:
        return Original(path, None, "", "")
    except UnicodeDecodeError as error:
        raise refused(path, "it is not UTF-8") from error
    except OSError as error:
        raise refused(path, error.strerror or str(error)) from error
    mark = MARK if text.startswith(MARK) else ""
    return Original(path, data, mark, text.removeprefix(mark))


def refused(path: Path, reason: str) -> CortexError:
    """The error for a settings file that is better left alone."""
    return CortexError(
        f"{path} cannot be edited: {reason}. Nothing was changed. Correct the file (JSON without "
        "comments), then run this again."
    )


def replace(original: Original, text: str | None) -> None:
    """Put `text` where `original` was read, links followed, mode and owner kept; None removes it.

    Raises:
        CortexError: it cannot be written, or has changed since it was read.
    """
    path = Path(os.path.realpath(original.path))
    try:
        if _bytes(path) != original.data:
            raise CortexError(
                f"{path} has just been changed by another program. Nothing was changed. Run this "
                "again."
            )
        if text is None:
            path.unlink()
        else:
            _write(path, (original.mark + text).encode("utf-8"))
    except OSError as error:
        raise CortexError(
            f"{path} cannot be written: {error.strerror}. Nothing was changed. Make it writable."
        ) from error


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = path.stat() if path.exists() else None
    lean.replace(str(path), data, (state.st_mode & 0o7777) if state else 0o600)
    if state:
        with suppress(OSError):
            os.chown(path, state.st_uid, state.st_gid)
        path.chmod(state.st_mode & 0o7777)


def back_up(original: Original, home: str) -> str:
    """Copy the file as it was to the global side; the copy's path, "" where there was no file.

    Raises:
        CortexError: the copy cannot be written.
    """
    if original.data is None:
        return ""
    folder = Path(home, "backups")
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + f"-{time.time_ns() % 10**9:09d}"
    copy = folder / f"{original.path.stem}-{stamp}.json"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lean.replace(str(copy), original.data)
    except OSError as error:
        raise CortexError(
            f"No backup can be written to {folder}: {error.strerror}. Nothing was changed. Make "
            "the folder writable."
        ) from error
    return str(copy)


def drop_backup(copy: str) -> None:
    """Remove a backup that holds nothing the file itself does not."""
    if copy:
        path = Path(copy)
        path.unlink(missing_ok=True)
        if path.parent.is_dir() and not any(path.parent.iterdir()):
            path.parent.rmdir()


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None

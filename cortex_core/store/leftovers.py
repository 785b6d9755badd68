"""Files that are written in full before they get their name, and what killed processes left of
them.

The name of such a file says which process writes it: `NAME.PID.new` or `NAME.PID-N.partial`. Once
that process is gone, nobody will finish the file, and whoever opens the folder next removes it.
Temporary folders are named after their process as well, and hold a lock while they are used: the
number of a process in another container says nothing here.
"""

import itertools
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cortex_core.base import hook_io

STALE = 86_400.0
"""Seconds after which a file is left over even where a process of that number runs: another one."""

_OWNED = re.compile(r".+\.(?P<pid>\d+)(?:-\w+)?\.(?:new|partial)(?:-journal|-wal|-shm)?")

_LOCK = ".in-use"
"""The file in a temporary folder that its process has locked."""

_number = itertools.count()


@contextmanager
def partial(path: Path) -> Iterator[Path]:
    """A private file to write what `path` shall be; removed at the end where it is still there."""
    made = path.with_name(f"{path.name}.{os.getpid()}-{next(_number)}.partial")
    os.close(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield made
    finally:
        for tail in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):  # A failing clean-up must not hide what was done.
                made.with_name(made.name + tail).unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what killed processes left in `folder` and in the folders in it.

    What cannot be removed stays; it harms nobody.
    """
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                sweep_files(entry.path)
        sweep_files(folder)


def sweep_files(folder: str | Path, of: str = "") -> None:
    """The same for the files in `folder` alone.

    Args:
        of: the name of a file in a folder of other programs; only what was to become it is removed.
    """
    start = f"{of}." if of else ""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(start) and entry.name.endswith(_ENDS):
                path = Path(entry.path)
                with suppress(OSError):
                    if _is_left(path):
                        path.unlink()


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder for what may hold memories; removed at the end."""
    import tempfile

    with (
        tempfile.TemporaryDirectory(
            prefix=f"cortex-{os.getpid()}-", ignore_cleanup_errors=True
        ) as folder,
        Path(folder, _LOCK).open("a") as lock,
    ):
        hook_io.lock(lock.fileno(), wait=False)
        yield Path(folder)


def sweep_scratch() -> None:
    """Remove the temporary folders of this user's processes that were killed."""
    import shutil
    import tempfile

    if sys.platform == "win32":
        return
    for path in Path(tempfile.gettempdir()).glob("cortex-*-*"):
        _, process, *rest = path.name.split("-")
        with suppress(OSError):
            is_ours = path.is_dir() and not path.is_symlink() and path.stat().st_uid == os.getuid()
            is_named = len(rest) == 1 and process.isdecimal()
            if is_named and is_ours and not _is_running(int(process)):
                with (path / _LOCK).open("a") as lock:
                    if hook_io.lock(lock.fileno(), wait=False):
                        shutil.rmtree(path, ignore_errors=True)


_ENDS = (".new", ".partial", "-journal", "-wal", "-shm")


def _is_left(path: Path) -> bool:
    owned = _OWNED.fullmatch(path.name)
    if owned is None:
        return False
    return path.stat().st_mtime < time.time() - STALE or not _is_running(int(owned["pid"]))


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        return True  # asking by a signal would end it
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True

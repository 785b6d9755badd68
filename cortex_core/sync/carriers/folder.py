"""A carrier that is a folder: a disk, a network drive, or what Syncthing or Dropbox keep alike."""

import os
import secrets
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from cortex_core.base import hook_io
from cortex_core.base.errors import SyncError
from cortex_core.sync.carriers.protocol import (
    MARKER,
    MARKER_TEXT,
    MOST_BYTES,
    checked,
    is_carried,
    is_folder,
)

LEFT_BEHIND = 24 * 3600.0
"""Seconds after which an unfinished file is taken for that of a process which was killed."""

_UNFINISHED = ".part"


class FolderCarrier:
    """Carries files through the folder `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._real = path

    def prepare(self) -> None:
        """Make the folder, but not the folders above it: a disk may be missing."""
        try:
            self._path.mkdir(mode=0o700, exist_ok=True)
            if not (self._path / MARKER).exists():
                _write(self._path / MARKER, MARKER_TEXT)
        except OSError as error:
            raise self._failed(error, "Nothing was changed") from error

    def fetch(self) -> None:
        """See that the folder is the one that `prepare` made ready."""
        try:
            (self._path / MARKER).stat()
            self._real = self._path.resolve()
        except FileNotFoundError as error:
            raise SyncError(
                f"The folder {self._path} is not there, or is not the one that was added (no "
                f"{MARKER} in it). Nothing was changed. Plug in or mount its disk; a folder that "
                "is new has to be added again with: cortex sync add"
            ) from error
        except OSError as error:
            raise self._failed(error, "Nothing was changed") from error

    def names(self) -> list[str]:
        """Every file, sorted. Copies that a syncing program made of a conflict are foreign."""
        try:
            return sorted(self._found("", 0))
        except OSError as error:
            raise self._failed(error, "Nothing was changed") from error

    def _found(self, folder: str, depth: int) -> Iterator[str]:
        with os.scandir(self._path / folder) as entries:
            for entry in entries:
                name = folder + entry.name
                if depth < 2 and is_folder(entry.name) and entry.is_dir(follow_symlinks=False):
                    yield from self._found(f"{name}/", depth + 1)
                elif is_carried(name) and _is_readable(entry):
                    yield name

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The files of these names; links are not followed."""
        for name in names:
            checked({}, (name,))
            try:
                with open(self._within(name), "rb", opener=_without_links) as file:
                    yield name, file.read(MOST_BYTES + 1)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise self._failed(error, "What was read before it is kept") from error

    def publish(self, put: Mapping[str, bytes], remove: Collection[str] = ()) -> None:
        """Write each file under another name, then rename it; the lowest numbers first."""
        checked(put, remove)
        self.fetch()
        try:
            folders = {self._within(name).parent for name in put}
            for folder in folders:
                _make_folder(self._real, folder)
            for name in sorted(put):
                _write(self._within(name), put[name])
            for name in remove:
                self._within(name).unlink(missing_ok=True)
            for folder in folders | {self._within(name).parent for name in remove}:
                _settle(folder)
        except OSError as error:
            raise self._failed(error, "What is missing there is written next time") from error

    def claim(self, name: str, data: bytes) -> bool:
        """Create the file by a hard link, or exclusively where the disk has none."""
        checked({name: data})
        self.fetch()
        target = self._within(name)
        unfinished = _unfinished(target)
        try:
            _fill(unfinished, data)
            try:
                _link(unfinished, target, data)
            finally:
                unfinished.unlink()
            _settle(target.parent)
        except FileExistsError:
            return False
        except OSError as error:
            raise self._failed(error, "Nothing was changed") from error
        return True

    def forget_past(self) -> str:
        """A folder keeps no old versions; the program or disk behind it may."""
        return (
            f"The folder {self._path} itself keeps nothing old. If Dropbox, Syncthing, snapshots "
            "or a backup keep versions of its files, delete those there."
        )

    def _within(self, name: str) -> Path:
        """Where the file is. A link that leads out of the folder is not followed.

        Raises:
            SyncError: there is such a link.
        """
        path = self._real / name
        if path.parent.resolve() != path.parent:
            raise SyncError(
                f"{path.parent} is a link to {path.parent.resolve()}. Nothing was written or read "
                "through it. Remove the link."
            )
        return path

    def _failed(self, error: OSError, unchanged: str) -> SyncError:
        return SyncError(
            f"The folder {self._path} cannot be used: {error.strerror or error}. {unchanged}. "
            "See that the disk is there, has room and may be written, then try again"
        )


def _is_readable(entry: os.DirEntry[str]) -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES


def _without_links(path: str, flags: int) -> int:
    return os.open(path, flags | hook_io.NOFOLLOW)


def _make_folder(top: Path, folder: Path) -> None:
    """Make `folder` and what is missing between it and `top`; sweep out what was left behind."""
    for part in (folder.parent, folder):
        if part != top and top in part.parents:
            part.mkdir(mode=0o700, exist_ok=True)
    for left in folder.glob(f".*{_UNFINISHED}"):
        if left.lstat().st_mtime < time.time() - LEFT_BEHIND:
            left.unlink(missing_ok=True)


def _write(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees all of it or nothing, also after a power cut."""
    unfinished = _unfinished(path)
    try:
        _fill(unfinished, data)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _unfinished(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")


def _fill(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _link(source: Path, target: Path, data: bytes) -> None:
    """Let `target` be `source`, unless there is one.

    Raises:
        FileExistsError: there is one.
    """
    try:
        target.hardlink_to(source)
    except FileExistsError:
        raise
    except OSError:
        _fill(target, data)


def _settle(folder: Path) -> None:
    """Make names in `folder` last; not every disk and system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)

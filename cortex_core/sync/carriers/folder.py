"""A carrier that is a folder: a disk, a network drive, or what Syncthing or Dropbox keep alike."""

import os
import secrets
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from cortex_core.base import hook_io
from cortex_core.base.errors import NotReady, SyncError
from cortex_core.sync.carriers.protocol import (
    MARKER,
    MARKER_TEXT,
    MOST_BYTES,
    Carrier,
    checked,
    is_carried,
    is_folder,
)

LEFT_BEHIND = 24 * 3600.0
"""Seconds after which an unfinished file is taken for that of a process which was killed."""

_UNFINISHED = ".part"


class FolderCarrier(Carrier):
    """Carries files through the folder `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._real = path

    def prepare(self) -> None:
        """Make the folder, but not the folders above it: a disk may be missing."""
        with self._used("Nothing was changed"):
            self._path.mkdir(mode=0o700, exist_ok=True)
            if not (self._path / MARKER).exists():
                _write(self._path / MARKER, MARKER_TEXT)

    def fetch(self) -> None:
        """See that the folder is the one that `prepare` made ready."""
        with self._used("Nothing was changed"):
            try:
                (self._path / MARKER).stat()
                self._real = self._path.resolve()
            except FileNotFoundError as error:
                raise NotReady(
                    f"The folder {self._path} is not there, or is not the one that was added (no "
                    f"{MARKER} in it). Nothing was changed. Plug in or mount its disk; a folder "
                    "that is new has to be added again with: cortex sync add"
                ) from error

    def names(self) -> list[str]:
        """Every file, sorted. Copies that a syncing program made of a conflict are foreign."""
        with self._used("Nothing was changed"):
            return sorted(self._found("", 0))

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
            with (
                self._used("What was read before it is kept"),
                suppress(FileNotFoundError),
                open(self._within(name), "rb", opener=hook_io.opened) as file,
            ):
                yield name, file.read(MOST_BYTES + 1)

    def publish(self, put: Mapping[str, bytes], remove: Collection[str] = ()) -> None:
        """Write each file under another name, then rename it; the lowest numbers first."""
        checked(put, remove)
        self.fetch()
        with self._used("What is missing there is written next time"):
            folders = {self._within(name).parent for name in put}
            for folder in folders:
                _make_folder(self._real, folder)
            for name in sorted(put):
                _write(self._within(name), put[name])
            for name in remove:
                self._within(name).unlink(missing_ok=True)
            for folder in folders | {self._within(name).parent for name in remove}:
                _settle(folder)

    def claim(self, name: str, data: bytes) -> bool:
        """Create the file by a hard link, or exclusively where the disk has none."""
        checked({name: data})
        self.fetch()
        target = self._within(name)
        unfinished = _unfinished(target)
        with self._used("Nothing was changed"), suppress(FileExistsError):
            _fill(unfinished, data)
            try:
                _link(unfinished, target, data)
            finally:
                unfinished.unlink()
            _settle(target.parent)
            return True
        return False

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

    @contextmanager
    def _used(self, unchanged: str) -> Iterator[None]:
        """Say what became of the folder where the system lets nobody use it.

        Raises:
            SyncError: it does not.
        """
        try:
            yield
        except OSError as error:
            raise SyncError(
                f"The folder {self._path} cannot be used: {error.strerror or error}. {unchanged}. "
                "See that the disk is there, has room and may be written, then try again"
            ) from error


def _is_readable(entry: os.DirEntry[str]) -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES


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
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
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
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

"""A carrier that is a folder on another machine, reached by ssh; a POSIX shell is enough there."""

import io
import secrets
import shlex
import tarfile
from collections.abc import Collection, Iterable, Iterator, Mapping

from cortex_core.base.errors import NotReady, SyncError
from cortex_core.sync.carriers.processes import SSH_OPTIONS, ProcessResult, run, running
from cortex_core.sync.carriers.protocol import (
    MARKER,
    MARKER_TEXT,
    MOST_BYTES,
    Carrier,
    checked,
    is_carried,
    is_shared,
)

_NOT_THERE, _NOT_READY, _UNWRITABLE, _TAKEN = 64, 65, 66, 68
"""Exit statuses of our scripts; ssh's own is 255."""

_LOST = 255
_NO_SHELL = 127

_ENTER = "umask 077; cd -- {folder} 2>/dev/null || exit 64; [ -e {marker} ] || exit 65; "

_PREPARE = (
    "umask 077; mkdir -p -- {folder} && cd -- {folder} || exit 66; "
    "[ -e {marker} ] || cat > {marker} || exit 66"
)

_LIST = _ENTER + "find . -type f -size -{blocks} -print"

_READ = _ENTER + "tar -cf - -T -"

# What came whole is moved into place; `.complete` is the last file of the stream.
_WRITE = (
    _ENTER + 'find . -name ".incoming-*" -prune -mtime +1 -exec rm -rf {{}} +; '
    'mkdir {new} && cd {new} || exit 66; trap "cd ..; rm -rf {new}" EXIT; '
    "tar -xf - && [ -e .complete ] || exit 66; "
    "while read -r d; do mkdir -p ../$d && find $d -type f -print | xargs sh -c "
    "'d=$0; [ $# = 0 ] || mv -f \"$@\" $d' ../$d || exit 66; done < .folders || exit 66; "
    "while read -r f; do mv -f $f ../$f || exit 66; done < .shared || exit 66; "
    "cd .. && xargs rm -f < {new}/.remove || exit 66; sync; cd {new}"
)

_CLAIM = (
    _ENTER + 'trap "rm -f {new}" EXIT; cat > {new} && [ $(wc -c < {new}) -eq {size} ] || exit 66; '
    "[ ! -e {name} ] || exit 68; ln {new} {name} 2>/dev/null && exit 0; "
    "[ ! -e {name} ] || exit 68; set -C; cat {new} > {name} || exit 66"
)


class SshCarrier(Carrier):
    """Carries files through the folder `folder` of `host`, with the user's own ssh.

    Every method but `names` makes one connection. Names of files need no quoting: `is_carried`.
    """

    def __init__(self, host: str, folder: str) -> None:
        """Reach `host` (also `user@host`, or a name of ~/.ssh/config).

        Args:
            folder: its path there; a relative one begins at the home folder.
        """
        self._host = host
        folder = folder.removeprefix("~/").rstrip("/") or folder
        self._folder = folder if folder.startswith("/") else f"./{folder}"
        self._listed: list[str] | None = None

    def prepare(self) -> None:
        """Make the folder."""
        self._demand(self._run(_PREPARE, MARKER_TEXT), "Nothing was changed")

    def fetch(self) -> None:
        """List what is there."""
        done = self._run(_LIST, blocks=MOST_BYTES // 512 + 1)
        self._demand(done, "Nothing was changed")
        found = done.output.decode("utf-8", "replace").split("\n")
        names = (line.removeprefix("./") for line in found)
        self._listed = sorted(name for name in names if is_carried(name))

    def names(self) -> list[str]:
        """Every file at the last `fetch`, sorted."""
        if self._listed is None:
            self.fetch()
        return list(self._listed or ())

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The files of these names, as one stream."""
        wanted = set(names)
        checked({}, wanted)
        if not wanted:
            return
        damaged = False
        given = "".join(f"{name}\n" for name in sorted(wanted)).encode()
        with running(self._words(self._script(_READ)), given) as found:
            try:
                with tarfile.open(fileobj=found.output, mode="r|") as archive:
                    for member in archive:
                        file = archive.extractfile(member) if member.isreg() else None
                        is_fit = member.name in wanted and member.size <= MOST_BYTES
                        if file is not None and is_fit:
                            yield member.name, file.read()
            except tarfile.ReadError:
                damaged = True
            found.output.read()
        status = found.done.status
        if damaged or status in (_NOT_THERE, _NOT_READY, _NO_SHELL, _LOST) or status < 0:
            self._demand(found.done._replace(status=status or 1), "What was read before is kept")

    def publish(self, put: Mapping[str, bytes], remove: Collection[str] = ()) -> None:
        """Send the files as one stream; they are moved into place once all have arrived."""
        checked(put, remove)
        if put or remove:
            done = self._run(_WRITE, _stream(put, remove), new=_incoming())
            self._demand(done, "What is missing there is sent next time")

    def claim(self, name: str, data: bytes) -> bool:
        """Create the file by a hard link, or exclusively where the disk there has none."""
        checked({name: data})
        done = self._run(_CLAIM, data, new=_incoming(), name=name, size=len(data))
        if done.status == _TAKEN:
            return False
        self._demand(done, "Nothing was changed")
        return True

    def forget_past(self) -> str:
        """The folder keeps no old versions; snapshots of its disk may."""
        return (
            f"The folder on {self._host} itself keeps nothing old. If snapshots or a backup of "
            "that machine do, delete those there."
        )

    def _run(self, script: str, data: bytes = b"", **values: object) -> ProcessResult:
        try:
            return run(self._words(self._script(script, **values)), data)
        except OSError as error:
            raise SyncError(
                f"ssh cannot be run: {error.strerror}. Nothing was changed. Install it, or let "
                "a folder or git carry the files."
            ) from error

    def _script(self, script: str, **values: object) -> str:
        return script.format(folder=shlex.quote(self._folder), marker=MARKER, **values)

    def _words(self, script: str) -> list[str]:
        """The call of ssh; whichever shell the user has there starts a POSIX one."""
        return ["ssh", *SSH_OPTIONS, "--", self._host, f"exec sh -c {shlex.quote(script)}"]

    def _demand(self, done: ProcessResult, unchanged: str) -> None:
        if done.status == _NOT_THERE or done.status == _NOT_READY:
            raise NotReady(
                f"{self._host} has no folder {self._folder} that was made ready for this (no "
                f"{MARKER} in it). {unchanged}. If its disk is there, add it again with: "
                "cortex sync add"
            )
        if done.status:
            raise SyncError(
                f"{self._host} cannot be used: {done.reason.rstrip('.')}. {unchanged}. See that "
                f"`ssh {self._host}` works without a question and that the folder may be "
                "written, then try again"
            )


def _stream(put: Mapping[str, bytes], remove: Collection[str]) -> bytes:
    """A tar archive of the files, and of the lists that say what to do with them."""
    shared = [name for name in put if is_shared(name)]
    folders = sorted({name.rpartition("/")[0] for name in put if name not in shared})
    lists = {".folders": folders, ".shared": shared, ".remove": sorted(remove), ".complete": []}
    files = dict(put) | {
        name: "".join(f"{line}\n" for line in lines).encode() for name, lines in lists.items()
    }
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o600
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


def _incoming() -> str:
    """A name for what is not whole yet, which no reader takes for a file."""
    return f".incoming-{secrets.token_hex(6)}"

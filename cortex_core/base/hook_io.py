"""JSON, hashes, locks, records and small files for the hooks, without imports that cost more than
the work.

`json` and `hashlib` double the start of a hook that needs two hundred bytes of them. The
interpreter's own accelerators do the same work alone; where they are missing, the usual modules
are used.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_: bool) -> Callable[[type], type]:
        """Tell the type checker; do nothing here."""
        return lambda made: made


try:
    import _json as _accelerator
except ImportError:
    import json.encoder as _accelerator  # type: ignore[no-redef]

quote: Callable[[str], str] = _accelerator.encode_basestring_ascii
"""A text as a JSON string of ASCII characters."""

_make_scanner: Any = getattr(_accelerator, "make_scanner", None)
NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
"""Flag for `os.open`: links are not followed, where the system can tell."""

NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
"""Flag for `os.open`: a pipe is not waited for."""


def _lightest_sha256() -> Any:
    for name in ("_sha2", "_sha256"):  # from Python 3.12, and before
        try:
            return __import__(name).sha256
        except ImportError:
            continue
    return __import__("hashlib").sha256


_SHA256 = _lightest_sha256()


class _Plain:
    """The options that the accelerated scanner reads from a decoder: the defaults."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def loads(text: str) -> Any:
    """The value that the JSON `text` holds.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    if _make_scanner is None:
        from json import loads as decode

        return decode(text, strict=False)
    start = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        value, end = _make_scanner(_Plain)(text, start)
    except (StopIteration, RecursionError, SystemError) as error:
        # SystemError: the scanner cannot say what is wrong with a text that ends too soon.
        raise ValueError("not JSON") from error
    if text[end:].strip(" \t\r\n"):
        raise ValueError("more than one JSON value")
    return value


def dumps(value: Any) -> str:
    """`value` as compact JSON: texts, numbers, booleans, None, lists, mappings with text keys."""
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{quote(key)}:{dumps(item)}" for key, item in value.items()) + "}"
    return "[" + ",".join(dumps(item) for item in value) + "]"


def sha256(text: str) -> str:
    """The SHA-256 of `text` in UTF-8, 64 hex digits."""
    return str(_SHA256(text.encode("utf-8", "surrogatepass")).hexdigest())


def opened(path: str, flags: int = os.O_RDONLY, mode: int = 0o600, *, follow: bool = False) -> int:
    """A descriptor of the file at `path`; neither a link, a pipe nor a device is opened.

    Args:
        follow: a link may lead to the file, as a user's own settings and documents may.

    Raises:
        OSError: there is none, or it is no file.
    """
    # Without the flag a pipe that nobody writes to would hold a session for ever.
    descriptor = os.open(path, flags | NONBLOCK | (0 if follow else NOFOLLOW), mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no file", path)
    return descriptor


def read(path: str, limit: int = 1 << 20, *, follow: bool = False) -> str:
    """The first `limit` characters of a text file, empty where it cannot be read; see `opened`."""
    try:
        with open(opened(path, follow=follow), encoding="utf-8", errors="replace") as file:
            return file.read(limit)
    except OSError:
        return ""


def whole(path: str) -> bytes:
    """The bytes of a file of the user's, to which a link may lead.

    Raises:
        OSError: there is none, or it is no file; see `opened`.
    """
    with open(opened(path, follow=True), "rb") as file:
        return file.read()


def create(path: str, text: str) -> None:
    """Write a new file.

    Raises:
        OSError: there is something of that name, or it cannot be written.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def remove(path: str) -> None:
    """Remove a file that nobody needs; one that cannot be removed stays."""
    try:
        os.unlink(path)
    except OSError:
        return


def file_state(path: str) -> str:
    """Size, time and inode of a file, which differ once it was changed, replaced or removed; empty
    if it is missing or empty."""
    try:
        state = os.stat(path)
    except OSError:
        return ""
    return f"{state.st_size}:{state.st_mtime_ns}:{state.st_ino}" if state.st_size else ""


def private_folder(path: str) -> str:
    """The folder `path`, made with mode 0700 where it is missing, as are the folders above it.

    Raises:
        OSError: it cannot be made.
    """
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
    except FileNotFoundError:
        if not (above := os.path.dirname(path)):
            raise
        private_folder(above)
        return private_folder(path)
    return path


def replace(path: str, content: str | bytes, mode: int = 0o600) -> None:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part.

    A link at `path` is replaced, not followed.

    Raises:
        OSError: it cannot be written; what was there is still there.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    temporary = f"{path}.{os.getpid()}.new"
    descriptor = opened(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def append(path: str, text: str) -> None:
    """Add `text` to the end of `path` in one write; links are not followed.

    Raises:
        OSError: it cannot be written.
    """
    with open(opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab", buffering=0) as file:
        file.write(text.encode("utf-8", "replace"))


def lock(descriptor: int, *, wait: bool) -> bool:
    """Lock an open file for this process; False where another one has locked it.

    It is a lock of the operating system, which ends when the file is closed, and with its owner in
    any case.

    Args:
        wait: wait until the other one has ended it.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@dataclass_transform(eq_default=False)
class LightRecord:
    """A record whose fields its class annotates, with their defaults, as in a dataclass.

    Those and named tuples cost a hook 4 ms to import. A field without a default is asked for by
    the type checker alone.
    """

    fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls.fields = (*cls.fields, *cls.__annotations__)

    def __init__(self, *values: object, **named: object) -> None:
        vars(self).update(zip(self.fields, values, strict=False), **named)


class Closing:
    """What a `with` closes at its end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what is open."""

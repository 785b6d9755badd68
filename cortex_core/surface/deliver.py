"""The surface as a file for people and for imports in CLAUDE.md: one marked part of it is ours."""

from __future__ import annotations

import os

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cortex_core.base.project import Project

START = b"<!-- cortex:start -->"
END = b"<!-- cortex:end -->"

LARGEST = 1 << 20
"""Bytes of a file beyond which it is left alone: no surface file grows so."""


def write(project: Project, text: str) -> bool:
    """Put `text` between the markers of the surface file; whether the file was changed.

    What is outside the markers survives, byte for byte. Nothing is written where there is
    nothing to say and no file, or where a link leads out of the project.

    Raises:
        OSError: the file cannot be written.
    """
    path = project.surface_file
    if path is None or project.root is None:
        return False
    real = os.path.realpath(path)
    if not real.startswith(os.path.join(os.path.realpath(project.root), "")):
        return False
    old, mode = _read(real)
    if old is None:
        return False
    new = merged(old, text.encode("utf-8", "replace"))
    if new == old:
        return False
    if not new:
        os.unlink(real)
        return True
    os.makedirs(os.path.dirname(real), exist_ok=True)
    hook_io.replace(real, new, mode)
    return True


def merged(old: bytes, text: bytes) -> bytes:
    """`old` with `text` in its marked part, which is added at the end or, for no text, removed."""
    start, end = _marked(old)
    block = START + b"\n" + text + b"\n" + END + b"\n" if text else b""
    if start < 0:
        gap = b"\n" if old and not old.endswith(b"\n") else b""
        return old + gap + block if block else old
    return old[:start] + block + old[end:]


def _marked(old: bytes) -> tuple[int, int]:
    """Where the last complete marked part begins and ends; (-1, -1) without one."""
    end = old.rfind(END)
    start = old.rfind(START, 0, max(end, 0))
    if end < 0 or start < 0:
        return -1, -1
    end += len(END)
    return start, end + 1 if old[end : end + 1] == b"\n" else end


def _read(path: str) -> tuple[bytes | None, int]:
    """The file's bytes (empty for none, None for one to leave alone) and its mode."""
    try:
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            return (file.read() if found.st_size <= LARGEST else None), found.st_mode & 0o777
    except FileNotFoundError:
        return b"", 0o600
    except OSError:
        return None, 0

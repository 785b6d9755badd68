"""Finding and removing secrets in Cortex's other files: log, spool, notes, and what is derived.

What people wrote themselves, and copies of the client's files, are told of and never changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cortex_core import lean
from cortex_core.capture.secrets import Redaction
from cortex_core.curation.wash import Redact, Washer
from cortex_core.project import Project

LARGEST = 8 << 20
"""Bytes of a file that is read."""

DERIVED = ("cache",)
"""Folders whose files are made anew when they are missing."""

OURS = ("spool", "lost", "given", "fired")
"""Folders of small files that Cortex writes and reads itself."""

LOGS = ("cortex.log", "cortex.log.1")

KEPT = ("backups", "installed", "config.toml")
"""Copies of the client's files and the person's own: told of, never changed."""


class Place(NamedTuple):
    """A file, and what may be done with it."""

    path: Path
    may: str
    """`rewrite`, `remove` or `tell`."""


def places(project: Project) -> Iterator[Place]:
    """The files beside the stores that may hold words of a session."""
    for top in dict.fromkeys((Path(project.data), Path(project.home))):
        yield from (Place(top / name, "rewrite") for name in LOGS)
        for names, may in ((DERIVED, "remove"), (OURS, "rewrite"), (KEPT, "tell")):
            for name in names:
                yield from (Place(path, may) for path in _files(top / name))


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for at, _, names in os.walk(path):
        yield from (Path(at, name) for name in sorted(names))


def read(path: Path) -> str:
    """The file's text; empty where it has none or is too large."""
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return ""
        data = path.read_bytes()
    except OSError:
        return ""
    return "" if b"\0" in data[:4096] else data.decode("utf-8", "replace")


def found_in(path: Path, redact: Redact) -> tuple[str, ...]:
    """The sorts of the secrets in a file."""
    return tuple(dict.fromkeys(_washed(read(path), redact).found))


def rewrite(path: Path, redact: Redact) -> None:
    """Put the file's text, without its secrets, in its place.

    Raises:
        OSError: it cannot be written.
    """
    lean.replace(str(path), _washed(read(path), redact).text)


def _washed(text: str, redact: Redact) -> Redaction:
    """A file's text without secrets, line by line, those that are JSON by their values."""
    washer = Washer(redact)
    lines = [_line(line, washer) for line in text.split("\n")]
    return Redaction("\n".join(lines), tuple(washer.found))


def _line(line: str, washer: Washer) -> str:
    if line.startswith("{"):
        try:
            held = json.loads(line)
        except ValueError:
            return washer.text(line)
        made = {name: _value(value, washer) for name, value in held.items()}
        return line if made == held else json.dumps(made, ensure_ascii=False)
    return washer.text(line)


def _value(value: object, washer: Washer) -> object:
    return washer.text(value) if isinstance(value, str) else value

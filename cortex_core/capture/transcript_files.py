"""Transcripts as files: which there are, whose session each holds, in what order to read them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from cortex_core.capture.transcript_lines import open_transcript
from cortex_core.capture.transcript_records import parse_time
from cortex_core.errors import TranscriptError

_PEEK = 1 << 16
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SESSION = re.compile(rb'"sessionId": ?"([^"\\]+)"')
_TIME = re.compile(rb'"timestamp": ?"([^"\\]+)"')
_RECORD = re.compile(rb'"(?:sessionId|parentUuid)": ?')
_DIGEST = "agent-acompact-"


def is_digest(path: Path) -> bool:
    """Whether the file is a compaction agent's own: it only repeats the session's summary."""
    return path.name.startswith(_DIGEST)


def is_sidechain(path: Path) -> bool:
    """Whether the file holds a sub-agent's conversation."""
    return path.name.startswith("agent-") or "subagents" in path.parts


def session_of(path: str | Path) -> str:
    """The session a transcript belongs to: the file's name, or what its first records say."""
    path = Path(path)
    if _UUID.fullmatch(path.stem):
        return path.stem
    match = _SESSION.search(_peek(path))
    return match[1].decode("utf-8", "replace") if match else path.stem


def find_transcripts(path: str | Path, *, sidechains: bool = False) -> list[Path]:
    """The transcripts at `path`: the file itself, or all below a folder, the oldest first.

    A fork repeats what it was forked from, so the older one should be read first. Sub-agents'
    files are left out unless `sidechains`; they follow their session. What is no transcript, or
    cannot be read, is passed over.

    Raises:
        TranscriptError: there is nothing at `path`.
    """
    path = Path(path)
    if not _is_folder(path):
        open_transcript(path).close()
        return [path]
    found = [file for file in map(_look_at, _candidates(path, sidechains)) if file]
    starts: dict[str, float] = {}
    for file in sorted(found, key=lambda file: is_sidechain(file.path)):
        starts.setdefault(file.session, file.time)
    found.sort(
        key=lambda file: (
            starts[file.session], file.session, is_sidechain(file.path), file.time, file.path
        )
    )  # fmt: skip
    return [file.path for file in found]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


class _Found(NamedTuple):
    path: Path
    session: str
    time: float


def _candidates(folder: Path, sidechains: bool) -> list[Path]:
    paths = []
    for parent, _folders, names in os.walk(folder):
        paths += [Path(parent, name) for name in names if name.endswith(".jsonl")]
    return [
        path
        for path in paths
        if not is_digest(path) and (sidechains or not is_sidechain(path.relative_to(folder)))
    ]


def _look_at(path: Path) -> _Found | None:
    start = _peek(path)
    if not _RECORD.search(start):
        return None
    match = _TIME.search(start)
    time = parse_time(match[1].decode("ascii", "replace")) if match else None
    if time is None:
        try:
            time = path.stat().st_mtime
        except OSError:
            return None
    return _Found(path, session_of(path), time)


def _peek(path: Path) -> bytes:
    """The first bytes of a file; none when it cannot be read."""
    try:
        with open_transcript(path) as file:
            return file.read(_PEEK)
    except (TranscriptError, OSError):
        return b""

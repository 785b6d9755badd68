"""Transcripts as bytes: complete lines from an offset, in bounded memory, whatever the damage.

What a record means is `transcript_records`' matter. Most of a transcript (request blobs,
snapshots, progress) is recognised by a substring and never parsed.

Transcripts as files: which there are, whose session each holds, in what order to read them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from cortex_core.base.errors import TranscriptError
from cortex_core.transcripts.records import parse_time

LINE_CAP = 8 << 20
"""Bytes of a line, images left out, above which it is skipped."""

_HELD = 32 << 20  # bytes of a line that are ever in memory: images may fill the difference
_BLOCK = 1 << 20
_HEAD = 1024
_ATTEMPTS = 32  # places in a broken line where a whole record is looked for

_TYPES = ("user", "assistant", "attachment")
_WANTED = re.compile(rb'"type": ?"(?:user|assistant)"|"queued_command"')
_IMAGE = re.compile(rb'"(?:data|base64)": ?"[A-Za-z0-9+/=\\]{4096,}+"')
_RECORD = re.compile(r'\{\s*"(?:parentUuid|isSidechain|type|uuid|sessionId|message|cwd)"\s*:')
_DECODER = json.JSONDecoder(strict=False)


def open_transcript(path: Path) -> BinaryIO:
    """`path` opened for reading.

    Raises:
        TranscriptError: it is missing, no regular file, or may not be read.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            return path.open("rb", buffering=_BLOCK)
    except FileNotFoundError:
        raise TranscriptError(
            f"There is no transcript at “{path}”. Nothing was read. Claude Code deletes transcripts"
            " after 30 days (its setting cleanupPeriodDays)."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TranscriptError(
            f"The transcript “{path}” cannot be read: {reason}. Nothing was changed. Check its"
            " permissions and try again."
        ) from error
    what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
    raise TranscriptError(
        f"“{path}” is {what}, so it is not a transcript. Nothing was read. Choose a .jsonl file "
        "that Claude Code wrote."
    )


def head_of(file: BinaryIO, offset: int) -> str:
    """16 hex digits of the first kilobyte, or of the first `offset` bytes where that is less.

    Saved together with an offset, it tells a file that has grown from one that was replaced.
    """
    file.seek(0)
    return hashlib.sha256(file.read(min(_HEAD, offset))).hexdigest()[:16]


def line_start(file: BinaryIO, position: int) -> int:
    """Where the first line begins at or after `position`; the size when none does."""
    if position <= 0:
        return 0
    file.seek(position - 1)
    while block := file.readline(_BLOCK):
        if block.endswith(b"\n"):
            break
    return file.tell()


class Lines:
    """The lines of an open transcript, from `offset` on, that may hold conversation.

    Iterating gives `(start, end, line)`: byte offsets, and the line without NULs and images.
    """

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._file = file
        self.end = offset
        """Where the last line that was looked at ends; a torn tail is not looked at."""
        self.problems: Counter[str] = Counter()
        """What was wrong with the file, and how often."""

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        self._file.seek(self.end)
        while raw := self._next():
            if not raw.endswith(b"\n") and not self._is_whole(raw):
                break
            start, self.end = self.end, self._file.tell()
            if line := self._wanted(raw):
                yield start, self.end, line

    def records(self, line: bytes) -> Iterator[dict[str, Any]]:
        """The records in `line` whose type can be conversation: one, or several glued together."""
        try:
            text = line.decode()
        except UnicodeDecodeError:
            self.problems["invalid UTF-8"] += 1
            text = line.decode("utf-8", "replace")
        try:
            record = _DECODER.decode(text)
        except (ValueError, RecursionError):
            yield from self._rescued(text)
            return
        if not isinstance(record, dict):
            self.problems["invalid line"] += 1
        elif record.get("type") in _TYPES:
            yield record

    def _next(self) -> bytes:
        """The next line; an empty one in place of a line that memory must not hold."""
        raw = self._file.readline(_HELD)
        while len(raw) == _HELD and not raw.strip(b"\0"):
            self.problems["NUL bytes"] += 1
            raw = self._file.readline(_HELD)
        if len(raw) < _HELD or raw.endswith(b"\n"):
            return raw
        while block := self._file.readline(_BLOCK):
            if block.endswith(b"\n"):
                self.problems["long line"] += 1
                return b"\n"
        self.problems["torn tail"] += 1
        return b""

    def _is_whole(self, tail: bytes) -> bool:
        """Whether the file's last line lacks its newline only: no object begins another one."""
        text = tail.replace(b"\0", b"").strip()
        try:
            if text.endswith(b"}") and isinstance(_DECODER.decode(text.decode()), dict):
                return True
        except (ValueError, RecursionError):
            pass
        self.problems["torn tail"] += bool(text)
        return False

    def _wanted(self, raw: bytes) -> bytes:
        """`raw` ready to be parsed, or nothing when it cannot hold conversation."""
        if b"\0" in raw:
            self.problems["NUL bytes"] += 1
            raw = raw.replace(b"\0", b"")
        if not _WANTED.search(raw):
            bare = raw.strip()
            if bare and not (bare.startswith(b"{") and bare.endswith(b"}")):
                self.problems["invalid line"] += 1
            return b""
        if len(raw) > _BLOCK:
            raw = _IMAGE.sub(b'"data":""', raw)
        if len(raw) > LINE_CAP:
            self.problems["long line"] += 1
            return b""
        return raw

    def _rescued(self, text: str) -> Iterator[dict[str, Any]]:
        """The whole records in a line that is not one: a torn record's rest is before them."""
        place = found = 0
        for _ in range(_ATTEMPTS):
            match = _RECORD.search(text, place)
            if match is None:
                break
            try:
                record, place = _DECODER.raw_decode(text, match.start())
            except (ValueError, RecursionError):
                place = match.start() + 1
                continue
            if _is_record(record):
                found += 1
                yield record
        self.problems["glued line" if found else "invalid line"] += 1


def _is_record(value: Any) -> bool:
    """Whether `value` is a record of its own, not an object from inside a torn one."""
    return (
        isinstance(value, dict)
        and value.get("type") in _TYPES
        and isinstance(value.get("uuid"), str)
        and isinstance(value.get("sessionId"), str)
    )


_PEEK = 1 << 16
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SESSION = re.compile(rb'"sessionId": ?"([^"\\]+)"')
_TIME = re.compile(rb'"timestamp": ?"([^"\\]+)"')
_RECORD_START = re.compile(rb'"(?:sessionId|parentUuid)": ?')
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
    if not _RECORD_START.search(start):
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

"""Transcripts as bytes: complete lines from an offset, in bounded memory, whatever the damage.

What a record means is `transcript_records`' matter. Most of a transcript (request blobs,
snapshots, progress) is told by a substring and never parsed.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from cortex_core.errors import TranscriptError

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
        """The whole records in a line that is not one: a torn record's rest stands before them."""
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

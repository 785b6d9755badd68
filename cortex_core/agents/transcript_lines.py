"""Transcripts that are lines of JSON: complete lines are read from an offset, damage is counted.

Memory is bounded. What a line means is the agent's: it subclasses `Lines` and `LineReader`.
"""

import hashlib
import json
import os
import re
import stat
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from cortex_core.agents import unpacking
from cortex_core.base.errors import TranscriptError
from cortex_core.base.hook_io import Closing
from cortex_core.records.events import (
    START,
    Event,
    ReadPosition,
    content_mark,
    uuid_key,
)

LINE_CAP = 8 << 20
"""Bytes above which a line is skipped; images do not count."""

_LONGEST_READ = 32 << 20
"""Bytes of a line that are ever in memory; images may take what exceeds `LINE_CAP`."""
_BLOCK = 1 << 20
_HEAD = 1024
_ATTEMPTS = 32
"""How often a whole record is looked for in a broken line."""

_IMAGE = re.compile(rb'"(?:data|base64)": ?"[A-Za-z0-9+/=\\]{4096,}+"')
_DECODER = json.JSONDecoder(strict=False)


def open_transcript(path: Path, beginning: int = 0) -> BinaryIO:
    """Open `path` for reading.

    Args:
        beginning: about how many bytes of its beginning are wanted; 0 for all.

    Raises:
        TranscriptError: it is missing, no regular file, or may not be read.
    """
    try:
        # Opening a pipe or a device would wait for who writes into it.
        mode = path.stat().st_mode
        if stat.S_ISREG(mode) and path.suffix == unpacking.SUFFIX:
            return unpacking.unpacked(path, _BLOCK if beginning else -1)
        if stat.S_ISREG(mode):
            return path.open("rb", buffering=beginning or _BLOCK)
    except FileNotFoundError:
        raise TranscriptError(
            f"There is no transcript at “{path}”. Nothing was read. Agents delete transcripts:"
            " Claude Code after 30 days (its setting cleanupPeriodDays), Gemini CLI as well."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TranscriptError(
            f"The transcript “{path}” cannot be read: {reason}. Nothing was changed. Check its"
            " permissions and try again."
        ) from error
    what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
    raise TranscriptError(
        f"“{path}” is {what}, so it is not a transcript. Nothing was read. Choose a file that an "
        "agent wrote."
    )


def extent(path: str | Path) -> int:
    """The bytes of a transcript; -1 where it is gone."""
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return -1


def head_of(file: BinaryIO, offset: int) -> str:
    """16 hex digits of the first kilobyte, or of the first `offset` bytes where that is less.

    Saved with an offset, it distinguishes a file that has grown from one that was replaced.
    """
    file.seek(0)
    return hashlib.sha256(file.read(min(_HEAD, offset))).hexdigest()[:16]


def line_start(file: BinaryIO, position: int) -> int:
    """Offset of the first line that begins at or after `position`; the size when none does."""
    if position <= 0:
        return 0
    file.seek(position - 1)
    while block := file.readline(_BLOCK):
        if block.endswith(b"\n"):
            break
    return file.tell()


class Lines:
    """The lines of an open transcript, from `offset` on, that may hold conversation.

    Iterating yields `(start, end, line)`: byte offsets, and the line without NULs and images.
    """

    WANTED: ClassVar[re.Pattern[bytes]] = re.compile(rb"\{")
    """What every line contains that may hold conversation; the others are never parsed."""
    BEGINNING: ClassVar[re.Pattern[str]] = re.compile(r'\{\s*"')
    """How a record begins that follows the beginning of a torn one."""

    def takes(self, record: Mapping[str, Any], is_rescued: bool) -> bool:
        """Whether a record may be conversation.

        Args:
            is_rescued: whether it was found in a broken line, where objects from inside of a torn
                record must not be taken for records.
        """
        raise NotImplementedError

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._file = file
        self.end = offset
        """Where the last complete line that was read ends: a torn tail is left for later."""
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
        """The records in `line` whose type can be conversation: one, or several without a break."""
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
        elif self.takes(record, False):
            yield record

    def _next(self) -> bytes:
        """The next line; an empty one in place of a line that is too long for memory."""
        raw = self._file.readline(_LONGEST_READ)
        while len(raw) == _LONGEST_READ and not raw.strip(b"\0"):
            self.problems["NUL bytes"] += 1
            raw = self._file.readline(_LONGEST_READ)
        if len(raw) < _LONGEST_READ or raw.endswith(b"\n"):
            return raw
        while block := self._file.readline(_BLOCK):
            if block.endswith(b"\n"):
                self.problems["long line"] += 1
                return b"\n"
        self.problems["torn tail"] += 1
        return b""

    def _is_whole(self, tail: bytes) -> bool:
        """Whether the file's last line is a complete object that lacks only its newline."""
        text = tail.replace(b"\0", b"").strip()
        try:
            if text.endswith(b"}") and isinstance(_DECODER.decode(text.decode()), dict):
                return True
        except (ValueError, RecursionError):
            pass
        self.problems["torn tail"] += bool(text)
        return False

    def _wanted(self, raw: bytes) -> bytes:
        """`raw` ready to be parsed; empty when it cannot hold conversation."""
        if b"\0" in raw:
            self.problems["NUL bytes"] += 1
            raw = raw.replace(b"\0", b"")
        if not self.WANTED.search(raw):
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
        """The whole records in a broken line: they follow the beginning of a torn one."""
        position = records = 0
        for _ in range(_ATTEMPTS):
            match = self.BEGINNING.search(text, position)
            if match is None:
                break
            try:
                record, position = _DECODER.raw_decode(text, match.start())
            except (ValueError, RecursionError):
                position = match.start() + 1
                continue
            if isinstance(record, dict) and self.takes(record, True):
                records += 1
                yield record
        self.problems["glued line" if records else "invalid line"] += 1


Parse = Callable[[Mapping[str, Any], int], Iterable[Event]]
"""Makes the events of one record, whose line begins at an offset."""


def replay(path: Path, begin: int, until: int, form: type[Lines], parse: Parse) -> None:
    """Have a parser learn what a transcript says from the byte `begin` to `until`.

    Raises:
        TranscriptError: the transcript is missing, no regular file, or may not be read.
    """
    with open_transcript(path) as file:
        lines = form(file, line_start(file, begin))
        for start, end, line in lines:
            if end > until:
                break
            for record in lines.records(line):
                deque(parse(record, start), maxlen=0)


class LineReader(Closing):
    """One pass over a transcript: iterate it once, then save `position` for the next.

    Events come in file order, one for each block of a message. Only numbers are kept in memory.
    """

    FORM: ClassVar[type[Lines]]
    MARK: ClassVar[str]
    """The field that is a record's id."""
    READER: ClassVar[str] = ""
    """The name and version of the reader, such as `codex/1`, in positions and in the marks of
    records: what another version has read is read again, as new."""

    def parse(self, record: Mapping[str, Any], offset: int) -> Iterable[Event]:
        """The events of one record, whose line begins at `offset`."""
        raise NotImplementedError

    def __init__(
        self,
        path: Path,
        session: str,
        position: ReadPosition = START,
        seen: Callable[[str], bool] | None = None,
    ) -> None:
        """Open the transcript of `session` where an earlier pass ended.

        Args:
            position: `position` at the end of that pass. A file that begins differently, or is
                shorter, was replaced and is read from its start.
            seen: whether a record is known from elsewhere: forks and resumed sessions repeat
                records, some with their id, some under a new one. Called with a record's id, then
                with a mark of its content; `uuid_key` makes a number of either.

        Raises:
            TranscriptError: it is missing, no regular file, or may not be read.
        """
        self.path = path
        self.session = session
        self.offset = 0
        """Where the next read should begin: everything before it has been yielded."""
        self.head = ""
        """Hash of the file's first bytes up to `offset`, to be saved with it."""
        self._seen = seen
        self._keys: set[int] = set()
        self._file = open_transcript(path)
        self.size = self._file.seek(0, os.SEEK_END)
        """Bytes in the file when it was opened."""
        # Only a file that begins as before is read on: another one may have the same name.
        self._begin(position.offset)
        if position.offset > 0 and not self._is_continued(position.head):
            self._begin(0)
            self._lines.problems["replaced file"] += 1

    @property
    def position(self) -> ReadPosition:
        """Where the next pass should begin: everything before it has been yielded."""
        return ReadPosition(self.offset, self._signed(self.head))

    @property
    def problems(self) -> Mapping[str, int]:
        """Damage found so far and how often, such as `invalid line` or `torn tail`."""
        return self._lines.problems

    @property
    def keys(self) -> Set[int]:
        """Keys of the records yielded so far: what `seen` should know from now on."""
        return self._keys

    def close(self) -> None:
        """Close the file; iterating to the end does so too."""
        if not self._file.closed:
            self.head = head_of(self._file, self.offset)
            self._file.close()

    def __iter__(self) -> Iterator[Event]:
        return self._events

    def _begin(self, offset: int) -> None:
        self._start = self.offset = max(offset, 0)
        self.head = head_of(self._file, self._start)
        self._lines = self.FORM(self._file, self._start)
        self._events = self._read()

    def _read(self) -> Iterator[Event]:
        for start, end, line in self._lines:
            for record in self._lines.records(line):
                if self._is_new(record.get(self.MARK)):
                    for event in self.parse(record, start):
                        if self._is_new(content_mark(event)):
                            yield event
            self.offset = end
        self.offset = self._lines.end
        if not self.size:
            self._lines.problems["empty file"] += 1
        self.close()

    def _signed(self, mark: str) -> str:
        """A mark with the reader that made it."""
        return f"{self.READER} {mark}" if self.READER else mark

    def _is_continued(self, head: str) -> bool:
        """Whether the file still begins with what was read before, up to a complete line."""
        if self._start > self.size or (head and head != self._signed(self.head)):
            return False
        self._file.seek(self._start - 1)
        return self._file.read(1) in (b"\n", b"}")

    def _is_new(self, mark: object) -> bool:
        """Whether a record's id, or the mark of an event, was not seen before."""
        if not isinstance(mark, str) or not mark:
            return True
        mark = self._signed(mark)
        key = uuid_key(mark)
        if key in self._keys or (self._seen is not None and self._seen(mark)):
            return False
        self._keys.add(key)
        return True

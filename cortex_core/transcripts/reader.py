"""Looking at one place in a transcript: the turn a memory came from, the reply a hook saw.

Reading transcripts: events from a byte offset on, in bounded memory, whatever the damage.
"""

from __future__ import annotations

import collections
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Set
from pathlib import Path
from types import TracebackType
from typing import Self

from cortex_core.base.errors import TranscriptError
from cortex_core.transcripts.events import Event
from cortex_core.transcripts.file import (
    Lines,
    find_transcripts,
    head_of,
    is_digest,
    is_sidechain,
    line_start,
    open_transcript,
    session_of,
)
from cortex_core.transcripts.records import RecordParser, replies
from cortex_core.transcripts.speakers import LIMITS, Limits

__all__ = [
    "Limits",
    "TranscriptReader",
    "caught_up",
    "find_transcripts",
    "read",
    "session_of",
    "turn",
    "uuid_key",
]

_NEAR = 1 << 18  # bytes looked at around a place before looking further
_FAR = 1 << 25
_OPENERS = ("human", "compaction")


def turn(path: str | Path, offset: int, around: int = 1) -> list[Event]:
    """The events of the turn at the byte `offset`, with `around` turns before and after it.

    A turn begins where a user speaks or the conversation was compacted. Only what lies near is
    read, at most 32 MB on either side.

    Raises:
        TranscriptError: the transcript is missing, no regular file, or may not be read.
    """
    path, near = Path(path), _NEAR
    while True:
        start, events = _near(path, offset, around, near)
        openers = [place for place, event in enumerate(events) if event.role in _OPENERS]
        before = sum(events[place].offset <= offset for place in openers)
        if start == 0 or before > around or near >= _FAR:
            break
        near *= 4
    first, after = before - 1 - around, before + around
    begin = openers[first] if first >= 0 else 0
    return events[begin : openers[after] if after < len(openers) else None]


def caught_up(path: str | Path, digest: str) -> bool:
    """Whether the end of the transcript holds the reply whose text has this SHA-256 (hex).

    Claude Code writes a turn's last records after its Stop hook has run. False also where nothing
    can be read.
    """
    texts: dict[str, list[str]] = {}
    try:
        with open_transcript(Path(path)) as file:
            size = file.seek(0, 2)
            lines = Lines(file, line_start(file, size - _NEAR))
            for _start, _end, line in lines:
                for record in lines.records(line):
                    for message, text in replies(record):
                        texts.setdefault(message, []).append(text)
    except TranscriptError:
        return False
    whole = ("\n".join(parts) for parts in texts.values())
    said = (text for parts in (*texts.values(), whole) for text in parts)
    return any(hashlib.sha256(_bytes(text)).hexdigest() == digest for text in said)


def _bytes(text: str) -> bytes:
    return text.strip().encode("utf-8", "replace")


def _near(path: Path, offset: int, around: int, near: int) -> tuple[int, list[Event]]:
    """Where reading began, and the events from there to the end of what `turn` asks for."""
    session = session_of(path)
    meaning = RecordParser(session if session == path.stem else "", sidechain=is_sidechain(path))
    events: list[Event] = []
    later = 0
    with open_transcript(path) as file:
        begin = line_start(file, offset - near)
        lines = Lines(file, begin)
        for start, _end, line in lines:
            if later > around or start > offset + _FAR:
                break
            found = [e for record in lines.records(line) for e in meaning.events(record, start)]
            later += start > offset and any(event.role in _OPENERS for event in found)
            events += found
    return begin, events


_BEFORE = 1 << 18  # bytes before the start in which a result's tool is looked for


def uuid_key(uuid: str) -> int:
    """A record's uuid as a number of 63 bits, the same in every process."""
    digest = hashlib.blake2b(uuid.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _mark(event: Event) -> str:
    """What an event's repetition under another uuid has in common with it; empty for nothing."""
    if event.tool_id:
        return f"{event.role}:{event.tool_id}"
    if event.message:
        return f"{event.message}:{event.text}"
    return "" if event.time is None else f"{event.time}:{event.text}"


def read(
    path: str | Path,
    offset: int = 0,
    seen: Callable[[str], bool] | None = None,
    *,
    head: str = "",
    limits: Limits = LIMITS,
) -> TranscriptReader:
    """The transcript at `path` from the byte `offset` on, to be iterated once for its events.

    Args:
        offset: where an earlier read ended.
        seen: whether a record is known from elsewhere: forks and resumed sessions repeat records,
            some with their uuid, some under a new one. Asked for a record's uuid, then for a mark
            of what it says; `uuid_key` makes a number of either.
        head: what `Reader.head` was where that read ended. A file that begins otherwise, or is
            shorter, was replaced and is read from its start.

    Raises:
        TranscriptError: it is missing, no regular file, or may not be read.
    """
    return TranscriptReader(Path(path), offset, seen, head, limits)


class TranscriptReader:
    """One reading of one transcript: iterate it once, then ask it where to go on.

    Events come in file order, each block of a message as one. Nothing read is kept but numbers.
    """

    def __init__(
        self,
        path: Path,
        offset: int = 0,
        seen: Callable[[str], bool] | None = None,
        head: str = "",
        limits: Limits = LIMITS,
    ) -> None:
        self.path = path
        self.session = session_of(path)
        """The session's id."""
        self.offset = 0
        """Where the next read should begin: everything before it has been handed over."""
        self.head = ""
        """Hash of the file's first bytes up to `offset`, to be saved with it."""
        self.repeated = 0
        """Records and blocks left out because they were known."""
        self._seen = seen
        self._keys: set[int] = set()
        self._meaning = RecordParser(
            self.session if self.session == path.stem else "",
            sidechain=is_sidechain(path),
            limits=limits,
            earlier=self._tools_before,
        )
        self._file = open_transcript(path)
        self.size = os.fstat(self._file.fileno()).st_size
        """Bytes in the file when it was opened."""
        self._begin(offset)
        if offset > 0 and not self._is_continued(head):
            self.restart()

    @property
    def problems(self) -> Mapping[str, int]:
        """Damage met so far and how often, such as `invalid line` or `torn tail`."""
        return self._lines.problems

    @property
    def keys(self) -> Set[int]:
        """What `seen` should know from now on: keys of the records handed over so far."""
        return self._keys

    def restart(self) -> None:
        """Read from the file's start after all, as it is another one; before iterating only."""
        self._begin(0)
        self._lines.problems["replaced file"] += 1

    def close(self) -> None:
        """Close the file; iterating to the end does so too."""
        if not self._file.closed:
            self.head = head_of(self._file, self.offset)
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def _begin(self, offset: int) -> None:
        self._start = self.offset = max(offset, 0)
        self.head = head_of(self._file, self._start)
        self._lines = Lines(self._file, self._start)
        self._events = self._read()

    def _read(self) -> Iterator[Event]:
        if is_digest(self.path):
            self.offset = self.size
            self.close()
            return
        for start, end, line in self._lines:
            for record in self._lines.records(line):
                if self._is_new(record.get("uuid")):
                    for event in self._meaning.events(record, start):
                        if self._is_new(_mark(event)):
                            yield event
            self.offset = end
        self.offset = self._lines.end
        if not self.size:
            self._lines.problems["empty file"] += 1
        self.close()

    def _is_continued(self, head: str) -> bool:
        """Whether the file still has what was read before, up to the end of a line or record."""
        if self._start > self.size or (head and head != self.head):
            return False
        self._file.seek(self._start - 1)
        return self._file.read(1) in (b"\n", b"}")

    def _is_new(self, mark: object) -> bool:
        """Whether a record's uuid, or what an event says, is met for the first time."""
        if not isinstance(mark, str) or not mark:
            return True
        key = uuid_key(mark)
        if key in self._keys or (self._seen is not None and self._seen(mark)):
            self.repeated += 1
            return False
        self._keys.add(key)
        return True

    def _tools_before(self) -> Mapping[str, str]:
        """Tools used shortly before the start whose results had not come yet."""
        meaning = RecordParser(self.session)
        with open_transcript(self.path) as file:
            lines = Lines(file, line_start(file, self._start - _BEFORE))
            for start, end, line in lines:
                if end > self._start:
                    break
                for record in lines.records(line):
                    collections.deque(meaning.events(record, start), maxlen=0)
        return meaning.tools

"""Reads transcripts: finds the files, reads complete lines from an offset, and yields events.

Memory is bounded and damage is counted, not raised. Most of a transcript (request blobs, snapshots,
progress) is recognised by a substring and never parsed; `records` interprets the rest. `turn` and
`holds_reply` read only the part of a file around an offset or at its end.
"""

from __future__ import annotations

import collections
import hashlib
import itertools
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from cortex_core.agents.claude.parser import RecordParser, reply_texts
from cortex_core.base.errors import TranscriptError
from cortex_core.records.conversation import span_of_turns
from cortex_core.records.events import (
    LIMITS,
    START,
    Event,
    Limits,
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

_TYPES = ("user", "assistant", "attachment", "queue-operation")
_WANTED = re.compile(rb'"type": ?"(?:user|assistant)"|"queued_command"|"operation": ?"enqueue"')
_IMAGE = re.compile(rb'"(?:data|base64)": ?"[A-Za-z0-9+/=\\]{4096,}+"')
_RECORD = re.compile(r'\{\s*"(?:parentUuid|isSidechain|type|uuid|sessionId|message|cwd)"\s*:')
_DECODER = json.JSONDecoder(strict=False)


def open_transcript(path: Path, buffer: int = _BLOCK) -> BinaryIO:
    """Open `path` for reading, `buffer` bytes at once.

    Raises:
        TranscriptError: it is missing, no regular file, or may not be read.
    """
    try:
        # Opening a pipe or a device would wait for who writes into it.
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            return path.open("rb", buffering=buffer)
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
        elif record.get("type") in _TYPES:
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
        """The whole records in a broken line: they follow the beginning of a torn one."""
        position = records = 0
        for _ in range(_ATTEMPTS):
            match = _RECORD.search(text, position)
            if match is None:
                break
            try:
                record, position = _DECODER.raw_decode(text, match.start())
            except (ValueError, RecursionError):
                position = match.start() + 1
                continue
            if _is_record(record):
                records += 1
                yield record
        self.problems["glued line" if records else "invalid line"] += 1


def _is_record(value: object) -> bool:
    """Whether `value` is a record, not an object from inside a torn one."""
    return (
        isinstance(value, dict)
        and value.get("type") in _TYPES
        and (isinstance(value.get("uuid"), str) or value["type"] == "queue-operation")
        and isinstance(value.get("sessionId"), str)
    )


_FIRST_BYTES = 1 << 16
_FIRST_RECORDS = 32
"""Records of which one says where the session ran: those that wait in the queue do not."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RECORD_START = re.compile(rb'"(?:sessionId|parentUuid|leafUuid|messageId)": ?')
_COMPACTION_PREFIX = "agent-acompact-"


def is_compaction_copy(path: Path) -> bool:
    """Whether a compaction agent wrote the file: it only repeats the session's summary."""
    return path.name.startswith(_COMPACTION_PREFIX)


def is_sidechain(path: Path) -> bool:
    """Whether the file holds a sub-agent's conversation."""
    return path.name.startswith("agent-") or "subagents" in path.parts


def recognise(path: Path) -> bool:
    """Whether Claude Code wrote the file."""
    try:
        with open_transcript(path, _FIRST_BYTES) as file:
            line = file.readline(_FIRST_BYTES)
    except (TranscriptError, OSError):
        return False
    return (b'"type"' in line and bool(_RECORD_START.search(line))) or bool(opening(path))


def opening(path: Path) -> Mapping[str, Any]:
    """The first record of conversation in a transcript; what it lacks, later ones add.

    Empty where there is none, or it cannot be read.
    """
    found: dict[str, Any] = {}
    with suppress(TranscriptError, OSError), open_transcript(path, _FIRST_BYTES) as file:
        lines = Lines(file, 0)
        records = (record for *_, line in lines for record in lines.records(line))
        for record in itertools.islice(records, _FIRST_RECORDS):
            if isinstance(record.get("sessionId"), str) or "parentUuid" in record:
                found = {**record, **found}
            if "cwd" in found:
                break
    return found


def session_of(path: str | Path) -> str:
    """The session a transcript belongs to: the file's name, or what its first records say."""
    path = Path(path)
    return path.stem if _UUID.fullmatch(path.stem) else opening(path).get("sessionId") or path.stem


def files_of_session(path: Path) -> tuple[Path, ...]:
    """A session's transcript with those of its sub-agents; none where it is gone."""
    if not os.path.isfile(path):
        return ()
    own = session_of(path)
    below = sorted(path.with_suffix("").glob("subagents/*.jsonl"))
    next_to = [one for one in sorted(path.parent.glob("agent-*.jsonl")) if one != path]
    agents = [*below, *(one for one in next_to if session_of(one) == own)]
    return (path, *(one for one in agents if not is_compaction_copy(one)))


_FIRST_DISTANCE = 1 << 18
"""Bytes read before an offset at first; four times as many each time a turn is incomplete."""
_LONGEST_DISTANCE = 1 << 25
_OPENERS = ("human", "compaction")
"""Roles of the events that begin a turn."""


def turn(path: str | Path, offset: int, around: int = 1) -> list[Event]:
    """The events of the turn at the byte `offset`, with `around` turns before and after it.

    A turn begins with a prompt or a compaction. Only the part of the file around the offset is
    read, at most 32 MB on either side.

    Raises:
        TranscriptError: the transcript is missing, no regular file, or may not be read.
    """
    path, distance = Path(path), _FIRST_DISTANCE
    while True:
        start, events = _events_around(path, offset, around, distance)
        openers = [index for index, event in enumerate(events) if event.role in _OPENERS]
        before = sum(events[index].offset <= offset for index in openers)
        if start == 0 or before > around or distance >= _LONGEST_DISTANCE:
            break
        distance *= 4
    return events[span_of_turns(openers, before, around)]


def holds_reply(path: str | Path, digest: str) -> bool:
    """Whether the end of the transcript holds the reply whose text has this SHA-256 (hex).

    Claude Code writes the last records of a turn after its Stop hook has run. False also when the
    transcript cannot be read.
    """
    texts: dict[str, list[str]] = {}
    try:
        with open_transcript(Path(path)) as file:
            size = file.seek(0, 2)
            lines = Lines(file, line_start(file, size - _FIRST_DISTANCE))
            for _start, _end, line in lines:
                for record in lines.records(line):
                    for message, text in reply_texts(record):
                        texts.setdefault(message, []).append(text)
    except TranscriptError:
        return False
    whole = ("\n".join(parts) for parts in texts.values())
    said = (
        text.strip().encode("utf-8", "replace")
        for parts in (*texts.values(), whole)
        for text in parts
    )
    return any(hashlib.sha256(text).hexdigest() == digest for text in said)


def _events_around(path: Path, offset: int, around: int, distance: int) -> tuple[int, list[Event]]:
    """The offset where reading began, `distance` bytes before `offset`, and the events from there
    to the end of the turns wanted."""
    session = session_of(path)
    parser = RecordParser(session if session == path.stem else "", sidechain=is_sidechain(path))
    events: list[Event] = []
    later_turns = 0
    with open_transcript(path) as file:
        begin = line_start(file, offset - distance)
        lines = Lines(file, begin)
        for start, _end, line in lines:
            if later_turns > around or start > offset + _LONGEST_DISTANCE:
                break
            of_line = [e for record in lines.records(line) for e in parser.events(record, start)]
            later_turns += start > offset and any(event.role in _OPENERS for event in of_line)
            events += of_line
    return begin, events


_BEFORE = 1 << 18
"""Bytes before the start in which a result's tool, and the branch, are looked for."""


def read(
    path: str | Path,
    position: ReadPosition = START,
    seen: Callable[[str], bool] | None = None,
    *,
    limits: Limits = LIMITS,
) -> TranscriptReader:
    """The transcript at `path` from `position` on, to be iterated once for its events.

    Args:
        position: `TranscriptReader.position` at the end of an earlier read. A file that begins
            differently, or is shorter, was replaced and is read from its start.
        seen: whether a record is known from elsewhere: forks and resumed sessions repeat records,
            some with their uuid, some under a new one. Called with a record's uuid, then with a
            mark of its content; `uuid_key` makes a number of either.

    Raises:
        TranscriptError: it is missing, no regular file, or may not be read.
    """
    return TranscriptReader(Path(path), position, seen, limits)


class TranscriptReader:
    """One pass over a transcript: iterate it once, then save `position` for the next.

    Events come in file order, one for each block of a message. Only numbers are kept in memory.
    """

    def __init__(
        self,
        path: Path,
        position: ReadPosition = START,
        seen: Callable[[str], bool] | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        """Open the transcript; `read` describes the parameters and errors."""
        self.path = path
        self.session = session_of(path)
        """The session's id."""
        self.offset = 0
        """Where the next read should begin: everything before it has been yielded."""
        self.head = ""
        """Hash of the file's first bytes up to `offset`, to be saved with it."""
        self.repeated = 0
        """Records and blocks left out because they were known."""
        self._seen = seen
        self._keys: set[int] = set()
        # A file that is not called after its session may hold records of several.
        self._parser = RecordParser(
            self.session if self.session == path.stem else "",
            sidechain=is_sidechain(path),
            limits=limits,
            earlier=self._parser_before,
        )
        self._file = open_transcript(path)
        self.size = os.fstat(self._file.fileno()).st_size
        """Bytes in the file when it was opened."""
        self._begin(position.offset)
        if position.offset > 0 and not self._is_continued(position.head):
            self.restart()

    @property
    def position(self) -> ReadPosition:
        """Where the next pass should begin: everything before it has been yielded."""
        return ReadPosition(self.offset, self.head)

    @property
    def problems(self) -> Mapping[str, int]:
        """Damage found so far and how often, such as `invalid line` or `torn tail`."""
        return self._lines.problems

    @property
    def keys(self) -> Set[int]:
        """Keys of the records yielded so far: what `seen` should know from now on."""
        return self._keys

    def restart(self) -> None:
        """Read from the start, because the file was replaced; only before iterating."""
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

    def __iter__(self) -> Iterator[Event]:
        return self._events

    def _begin(self, offset: int) -> None:
        self._start = self.offset = max(offset, 0)
        self.head = head_of(self._file, self._start)
        self._lines = Lines(self._file, self._start)
        self._events = self._read()

    def _read(self) -> Iterator[Event]:
        if is_compaction_copy(self.path):
            self.offset = self.size
            self.close()
            return
        for start, end, line in self._lines:
            for record in self._lines.records(line):
                if self._is_new(record.get("uuid")):
                    for event in self._parser.events(record, start):
                        if self._is_new(content_mark(event)):
                            yield event
            self.offset = end
        self.offset = self._lines.end
        if not self.size:
            self._lines.problems["empty file"] += 1
        self.close()

    def _is_continued(self, head: str) -> bool:
        """Whether the file still begins with what was read before, up to a complete line."""
        if self._start > self.size or (head and head != self.head):
            return False
        self._file.seek(self._start - 1)
        return self._file.read(1) in (b"\n", b"}")

    def _is_new(self, mark: object) -> bool:
        """Whether a record's uuid, or the mark of an event, was not seen before."""
        if not isinstance(mark, str) or not mark:
            return True
        key = uuid_key(mark)
        if key in self._keys or (self._seen is not None and self._seen(mark)):
            self.repeated += 1
            return False
        self._keys.add(key)
        return True

    def _parser_before(self) -> RecordParser:
        """A parser that knows what was said shortly before the start."""
        parser = RecordParser(self.session)
        with open_transcript(self.path) as file:
            lines = Lines(file, line_start(file, self._start - _BEFORE))
            for start, end, line in lines:
                if end > self._start:
                    break
                for record in lines.records(line):
                    collections.deque(parser.events(record, start), maxlen=0)
        return parser


def lines_of(messages: Sequence[Mapping[str, Any]], folder: str) -> str:
    """The lines of a transcript with these messages; the same messages give the same lines.

    Args:
        messages: each with a `role`, user or assistant, and a `content`.
        folder: where the session ran.
    """
    # Named by what they say, so that the same messages are known when they are sent again.
    session = hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:32]
    lines = []
    for index, message in enumerate(messages):
        role, said = message["role"], message["content"]
        is_reply = role == "assistant"
        record = {
            "type": role,
            "uuid": f"{session}-{index}",
            "sessionId": session,
            "cwd": folder,
            "isSidechain": False,
            "message": {
                "role": role,
                "content": [{"type": "text", "text": said}] if is_reply else said,
            }
            | ({"id": f"{session}-{index}"} if is_reply else {}),
        }
        lines.append(json.dumps(record))
    return "\n".join(lines) + "\n"

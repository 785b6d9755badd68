"""Looking at one place in a transcript: the turn a memory came from, the reply a hook saw."""

from __future__ import annotations

import hashlib
from pathlib import Path

from cortex_core.capture.events import Event
from cortex_core.capture.transcript_files import is_sidechain, session_of
from cortex_core.capture.transcript_lines import Lines, line_start, open_transcript
from cortex_core.capture.transcript_records import Meaning, replies
from cortex_core.errors import TranscriptError

_NEAR = 1 << 18  # bytes looked at around a place before looking further
_FAR = 1 << 25
_OPENERS = ("human", "compaction")


def turn(path: str | Path, offset: int, around: int = 1) -> list[Event]:
    """The events of the turn at the byte `offset`, with `around` turns before and after it.

    A turn begins where a person speaks or the conversation was compacted. Only what lies near is
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

    The client writes a turn's last records after its Stop hook has run. False also where nothing
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
    meaning = Meaning(session if session == path.stem else "", sidechain=is_sidechain(path))
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

"""Reads Claude Code's transcripts: which lines hold conversation, whose session a file is of.

Most of a transcript (request blobs, snapshots, progress) is recognised by a substring and never
parsed; `parser` interprets the rest.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cortex_core.agents import transcript_lines
from cortex_core.agents.claude.parser import TITLES, RecordParser
from cortex_core.agents.transcript_lines import LineReader, Lines, extent as extent, open_transcript
from cortex_core.base import text
from cortex_core.base.errors import TranscriptError
from cortex_core.records.events import LIMITS, START, Event, Limits, ReadPosition

_TYPES = ("user", "assistant", "attachment", "queue-operation", *TITLES)


class ClaudeLines(Lines):
    """The lines that may hold conversation."""

    WANTED = re.compile(
        f'"type": ?"(?:{"|".join(("user", "assistant", *TITLES))})"|"queued_command"'
        '|"operation": ?"enqueue"'.encode()
    )
    BEGINNING = re.compile(r'\{\s*"(?:parentUuid|isSidechain|type|uuid|sessionId|message|cwd)"\s*:')

    def takes(self, record: Mapping[str, Any], is_rescued: bool) -> bool:
        """Whether a record may be conversation."""
        kind = record.get("type")
        if not is_rescued or kind not in _TYPES:
            return kind in _TYPES
        has_id = isinstance(record.get("uuid"), str) or kind == "queue-operation"
        return has_id and isinstance(record.get("sessionId"), str)


_FIRST_BYTES = 1 << 16
_FIRST_RECORDS = 32
"""Records of which one says where the session ran: those that wait in the queue do not."""
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
    # Other agents' records name a session deeper inside. A line that is cut is taken as it is.
    with suppress(ValueError, RecursionError, TypeError):
        line = json.dumps(dict.fromkeys(json.loads(line), "")).encode()
    return (b'"type"' in line and bool(_RECORD_START.search(line))) or bool(opening(path))


def opening(path: Path) -> Mapping[str, Any]:
    """The first record of conversation in a transcript; what it lacks, later ones add.

    Empty where there is none, or it cannot be read.
    """
    found: dict[str, Any] = {}
    with suppress(TranscriptError, OSError), open_transcript(path, _FIRST_BYTES) as file:
        lines = ClaudeLines(file, 0)
        records = (record for *_, line in lines for record in lines.records(line))
        for record in itertools.islice(records, _FIRST_RECORDS):
            if isinstance(record.get("sessionId"), str) or "parentUuid" in record:
                found = {**record, **found}
            if "cwd" in found:
                break
    return found


def key_of(path: str | Path) -> str:
    """What a transcript is filed under: its path."""
    return str(path)


def session_of(path: str | Path) -> str:
    """The session a transcript belongs to: the file's name, or what its first records say."""
    path = Path(path)
    is_named = text.is_uuid(path.stem.lower())
    return path.stem if is_named else opening(path).get("sessionId") or path.stem


def files_of_session(path: str | Path) -> tuple[Path, ...]:
    """A session's transcript with those of its sub-agents; none where it is gone."""
    path = Path(path)
    if not os.path.isfile(path):
        return ()
    own = session_of(path)
    below = sorted(path.with_suffix("").glob("subagents/*.jsonl"))
    next_to = [one for one in sorted(path.parent.glob("agent-*.jsonl")) if one != path]
    agents = [*below, *(one for one in next_to if session_of(one) == own)]
    return (path, *(one for one in agents if not is_compaction_copy(one)))


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

    `LineReader` describes the parameters and errors.
    """
    return TranscriptReader(Path(path), position, seen, limits)


class TranscriptReader(LineReader):
    """One pass over a transcript of Claude Code."""

    FORM = ClaudeLines
    MARK = "uuid"

    def __init__(
        self,
        path: Path,
        position: ReadPosition = START,
        seen: Callable[[str], bool] | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        """Open the transcript; `LineReader` describes the parameters and errors."""
        session = session_of(path)
        # A file that is not called after its session may hold records of several.
        self._parser = RecordParser(
            session if session == path.stem else "",
            sidechain=is_sidechain(path),
            limits=limits,
            earlier=self._parser_before,
        )
        super().__init__(path, session, position, seen)

    def parse(self, record: Mapping[str, Any], offset: int) -> Iterable[Event]:
        """The events of one record."""
        return self._parser.events(record, offset)

    def _read(self) -> Iterator[Event]:
        if is_compaction_copy(self.path):
            self.offset = self.size
            self.close()
        else:
            yield from super()._read()

    def _parser_before(self) -> RecordParser:
        """A parser that knows what was said shortly before the start."""
        parser = RecordParser(self.session)
        begin = self._start - _BEFORE
        transcript_lines.replay(self.path, begin, self._start, self.FORM, parser.events)
        return parser

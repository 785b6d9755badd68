"""Reads Codex's transcripts, called rollouts: whose session a file is of, and its events.

A thread has one file, which grows when it is resumed and moves when it is archived, so sessions are
filed under their threads. Most of a file (reasoning, counts of tokens, the state of the world) is
never parsed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from cortex_core.agents import transcript_lines
from cortex_core.agents.codex import threads
from cortex_core.agents.codex.rollout import RolloutParser
from cortex_core.base import agent_names, hook_io
from cortex_core.base.errors import TranscriptError
from cortex_core.records.events import LIMITS, START, Event, Limits, ReadPosition

_RECORDS = ("session_meta", "turn_context", "compacted", "event_msg", "response_item")


class RolloutLines(transcript_lines.Lines):
    """The lines that may hold conversation."""

    WANTED = re.compile(
        rb'"type": ?"(?:session_meta|turn_context|compacted|user_message|item_completed|message'
        rb'|(?:function|custom_tool)_call(?:_output)?|exec_command_end|task_started|turn_aborted)"'
    )
    BEGINNING = re.compile(r'\{\s*"timestamp"\s*:')

    def takes(self, record: Mapping[str, Any], is_rescued: bool) -> bool:
        """Whether a record may be conversation."""
        return record.get("type") in _RECORDS and isinstance(record.get("payload"), dict)


_FIRST_BYTES = 1 << 16
_FIRST_LINES = 16
"""Lines among which a rollout says whose it is; in another agent's file none does."""


def recognise(path: Path) -> bool:
    """Whether Codex wrote the file."""
    return bool(opening(path))


def opening(path: Path) -> Mapping[str, Any]:
    """What a rollout says first of its session; a fork repeats that of its parent after it.

    Empty where it says nothing, or cannot be read.
    """
    return _opening(path, hook_io.file_state(str(path)))


@lru_cache(maxsize=256)
def _opening(path: Path, _state: str) -> Mapping[str, Any]:
    """`opening` of a file in this state; to unpack a compressed one can take a process."""
    with (
        suppress(TranscriptError, OSError),
        transcript_lines.open_transcript(path, _FIRST_BYTES) as file,
    ):
        lines = RolloutLines(file, 0)
        first = itertools.islice(lines, _FIRST_LINES)
        for record in (record for *_, line in first for record in lines.records(line)):
            if record["type"] == "session_meta" and isinstance(record["payload"].get("id"), str):
                found: Mapping[str, Any] = record["payload"]
                return found
    return {}


def session_of(path: str | Path) -> str:
    """The thread: by the key, by the file's name, else by what it says first."""
    file = agent_names.copied(path)
    return threads.of_name(file) or opening(Path(file)).get("id") or Path(file).stem


def key_of(path: str | Path) -> str:
    """What a session is filed under: its thread, a copy elsewhere by its path."""
    if str(path).startswith(threads.KEY):
        return str(path)
    is_own = threads.is_own(Path(path))
    return f"{threads.KEY}{session_of(path) if is_own else Path(path).absolute()}"


def extent(path: str | Path) -> int:
    """The bytes of a rollout; -1 where it is gone."""
    return transcript_lines.extent(threads.file_of(path))


def files_of_session(path: str | Path) -> tuple[Path, ...]:
    """A session's rollout; none where it is gone. Sub-agents have sessions of their own."""
    file = threads.file_of(path)
    return (file,) if file.is_file() else ()


def read(
    path: str | Path,
    position: ReadPosition = START,
    seen: Callable[[str], bool] | None = None,
    *,
    limits: Limits = LIMITS,
) -> RolloutReader:
    """The rollout at `path`, a path or a key, from `position` on, to be iterated once.

    `LineReader` describes the parameters and errors.
    """
    return RolloutReader(threads.file_of(path), position, seen, limits)


_BEFORE = 1 << 18
"""Bytes before the start in which the turn, its folder and calls without results are looked for;
eight times as many each time the turn is not in them."""
_MOST_BEFORE = 1 << 24


class RolloutReader(transcript_lines.LineReader):
    """One pass over a rollout."""

    FORM = RolloutLines
    MARK = ""
    READER = "codex/1"

    def __init__(
        self,
        path: Path,
        position: ReadPosition = START,
        seen: Callable[[str], bool] | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        """Open the rollout; `LineReader` describes the parameters and errors."""
        super().__init__(path, session_of(path), position, seen)
        self._parser = RolloutParser(opening(path), self.session, limits)

    def parse(self, record: Mapping[str, Any], offset: int) -> Iterable[Event]:
        """The events of one record."""
        return self._parser.events(record, offset)

    def _read(self) -> Iterator[Event]:
        if self._start:
            self._look_back()
        yield from super()._read()
        # What the user typed moved to other records once; then a file is not empty, but unknown.
        if self._parser.answers and not self._parser.prompts and not self._start:
            raise TranscriptError(
                f"“{self.path}” has a form that Cortex does not know: {self._parser.answers} "
                "answers and no prompt. Nothing of it was read, and it stays unread. Please "
                "report the version of Codex."
            )

    def _look_back(self) -> None:
        """Learn what precedes the start: at least the turn, which messages are named after."""
        distance = _BEFORE
        while not self._parser.turn and distance <= _MOST_BEFORE:
            transcript_lines.replay(
                self.path, self._start - distance, self._start, self.FORM, self._parser.events
            )
            distance *= 8

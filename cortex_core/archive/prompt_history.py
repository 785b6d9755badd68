"""The prompts of sessions whose transcripts are gone, from the history that Claude Code keeps.

`history.jsonl` has one line for each prompt, and outlives the transcripts: the text, the folder,
the time, and, since some version, the session. Without a session, the prompts of a day are one
conversation.
"""

from __future__ import annotations

import json
import re
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.agents.claude.words import queued_words
from cortex_core.archive.archive import FROM_HISTORY, SAME_PROMPT, Archive
from cortex_core.archive.messages import Collected, Collector, MessageDraft
from cortex_core.base import project as projects
from cortex_core.language.patterns import Pattern
from cortex_core.records.events import Event
from cortex_core.redaction.redacted_events import redacted

LONGEST_LINE = 8 << 20
"""Bytes of a line; a longer one is passed over."""

SAME_MOMENT = 2.0
"""Seconds between which a prompt without a session is one that the archive has in other words."""

BY_DAY = "-history"
"""How the session of a day's prompts ends that name none; it begins with the day."""

_PASTED = Pattern(
    "mark of a pasted text",
    r"\[Pasted text #(\d+)[^\]\n]{0,40}\]",
    finds="[Pasted text #1 +20 lines]",
    spares="[Pasted text]",
    flags=0,
)
_BASH = "!"
"""How a prompt begins that is a command for the shell."""


_PROMPTS = (
    "SELECT c.session, m.text, m.time FROM message m JOIN conversation c "
    "ON c.number = m.conversation WHERE m.kind = 'user' AND m.time IS NOT NULL"
)


class Prompt(NamedTuple):
    """One line of the history."""

    session: str
    """Empty where the line names none."""
    folder: str
    time: float
    text: str


def path() -> Path:
    """The file of Claude Code's history."""
    return Path(projects.claude_folder(), "history.jsonl")


def prompts(file: Path) -> Iterator[Prompt]:
    """The prompts of a history; damaged lines and commands are passed over."""
    try:
        with file.open("rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                if line.endswith(b"\n") or len(line) < LONGEST_LINE:
                    yield from _prompt(line)
    except OSError:
        return


def _prompt(line: bytes) -> Iterator[Prompt]:
    try:
        record = json.loads(line.replace(b"\0", b""))
    except (ValueError, RecursionError):
        return
    given = record if isinstance(record, dict) else {}
    said, folder, moment = given.get("display"), given.get("project"), given.get("timestamp")
    if not (isinstance(said, str) and isinstance(folder, str) and isinstance(moment, int | float)):
        return
    session = given.get("sessionId")
    words = _with_pasted(said, given.get("pastedContents"))
    _, prose = queued_words("" if words.startswith(_BASH) else words)
    if prose:
        yield Prompt(session if isinstance(session, str) else "", folder, moment / 1000, prose)


def _with_pasted(said: str, pasted: object) -> str:
    """A prompt with what was pasted into it in place of its mark."""
    contents: Mapping[str, Any] = pasted if isinstance(pasted, dict) else {}

    def content(mark: re.Match[str]) -> str:
        found = contents.get(mark[1])
        text = found.get("content") if isinstance(found, dict) else None
        return text if isinstance(text, str) else mark[0]

    return _PASTED.regex.sub(content, said)


class KnownPrompts:
    """The prompts that archives have."""

    def __init__(self, archives: Iterable[Archive]) -> None:
        self.sessions: set[str] = set()
        """Sessions that were read from a transcript."""
        self._times: list[float] = []
        self._by_text: defaultdict[int, list[float]] = defaultdict(list)
        for archive in archives:
            self.sessions |= {
                row["session"]
                for row in archive.rows("SELECT session FROM conversation WHERE transcript <> ''")
            }
            for session, words, moment in archive.rows(_PROMPTS):
                self._by_text[hash(words)].append(moment)
                self._by_text[hash((session, words))].append(moment)
                self._times.append(moment)
        self._times.sort()

    def has(self, draft: MessageDraft, session: str) -> bool:
        """Whether a prompt of `session` is known; one that names no session may be of any."""
        moment, is_named = draft.time or 0.0, not session.endswith(BY_DAY)
        words = hash((session, draft.text) if is_named else draft.text)
        if any(abs(each - moment) < SAME_PROMPT for each in self._by_text[words]):
            return True
        index = bisect_left(self._times, moment - SAME_MOMENT)
        is_at_once = index < len(self._times) and self._times[index] < moment + SAME_MOMENT
        return not is_named and is_at_once


def missing(
    found: Iterable[Prompt],
    known: KnownPrompts,
    *,
    on_disk: Set[str],
    ignored: Sequence[str],
    extra: Sequence[str],
    is_wanted: Callable[[Prompt], bool],
) -> list[Collected]:
    """The prompts that no archive has and no transcript will give, by conversation.

    Args:
        on_disk: sessions whose transcripts exist.
        ignored: patterns of folders whose conversations are not kept.
        extra: the user's own patterns of secrets.
    """
    collectors: defaultdict[str, Collector] = defaultdict(lambda: Collector(ignored))
    for each in found:
        if each.session in on_disk or each.session in known.sessions or not is_wanted(each):
            continue
        session = each.session or time.strftime("%Y%m%d", time.localtime(each.time)) + BY_DAY
        event = Event(
            role="human", text=each.text, session=session, time=each.time, cwd=each.folder
        )
        collectors[session](session, redacted([event], extra))
    return [
        lacking
        for session, collector in collectors.items()
        if (lacking := _lacking(collector.collected, known, session)).drafts
    ]


def _lacking(collected: Collected, known: KnownPrompts, session: str) -> Collected:
    """What of a conversation is not known."""
    details = json.loads(FROM_HISTORY)
    collected.drafts = [
        replace(draft, details=details)
        for draft in collected.drafts
        if not known.has(draft, session)
    ]
    return collected

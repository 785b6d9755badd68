"""Which parts of transcripts wait for the language model, and how often it has failed on them.

The rules read a transcript at once and move its cursor; the model reads the same bytes when its
turn comes. What it could not read stays here until it can, or until it has failed too often.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from cortex_core.errors import ModelFailed
from cortex_core.storage import rows
from cortex_core.storage.store import Store

MOST_UNUSABLE = 3
"""Answers of no use after which a part is left to the rules."""

MOST_UNANSWERED = 12
"""Questions without an answer after which it is."""

OLDEST = 7 * 86_400.0
"""Seconds after which a part that nobody could read is left to the rules."""

PAUSES = (0.0, 60.0, 240.0, 960.0, 3_840.0)
"""Seconds to wait after the first failure, the second and so on; the last holds for all others."""

TURNS = 300.0
"""Seconds between two questions about a session that still goes on."""

ENOUGH = 2_000_000
"""Bytes that wait after which a session that goes on is asked about sooner; few are prose."""

TAIL = 1_200
"""Characters before a part that are shown with it, to be understood and not to be learned from."""

_PREFIX = "model "


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The part of a transcript that the model has yet to read, and how it fared so far."""

    start: int | None = None
    """Byte offset of the part; None: nothing waits."""
    end: int = 0
    final: bool = False
    """Whether the session has ended."""
    since: float = 0.0
    """When it began to wait, Unix seconds."""
    asked: float = 0.0
    """When the model last read some of this transcript."""
    unusable: int = 0
    unanswered: int = 0
    next: float = 0.0
    """Before this it is not asked again."""
    reason: str = ""
    """Why it was of no use the last time."""
    tail: str = ""
    """Redacted words that come right before the part."""

    def is_due(self, now: float) -> bool:
        """Whether the model should read it now: at the session's end, or every few minutes."""
        if self.start is None or now < self.next:
            return False
        is_enough = self.end - self.start >= ENOUGH
        return self.final or is_enough or bool(self.reason) or now - self.asked >= TURNS

    def extended(self, first: int | None, end: int, final: bool, now: float) -> Waiting:
        """With the bytes that the rules have just read; `first` is where new words begin."""
        known = [place for place in (self.start, first) if place is not None]
        start = min(known, default=None)
        since = now if self.start is None else self.since
        return replace(self, start=start, end=end, final=final, since=since)

    def failed(self, failure: ModelFailed, now: float) -> Waiting:
        """After a failure: counted unless the model was not asked at all."""
        unusable = self.unusable + (failure.cause == "unusable")
        unanswered = self.unanswered + (failure.cause == "unavailable")
        count = unusable + unanswered
        asked = failure.cause != "not asked"
        pause = PAUSES[min(count, len(PAUSES)) - 1] if asked else 0.0
        return replace(
            self, unusable=unusable, unanswered=unanswered, next=now + pause, reason=failure.reason
        )

    def is_hopeless(self, now: float) -> bool:
        """Whether the model is not asked about it any more."""
        return (
            self.unusable >= MOST_UNUSABLE
            or self.unanswered >= MOST_UNANSWERED
            or now - self.since > OLDEST
        )

    def read_up_to(self, place: int | None, tail: str, now: float) -> Waiting:
        """After the model has read up to the byte `place`; None: all of it."""
        asked = now if place is None else 0.0
        return Waiting(
            start=place, end=self.end, final=self.final, since=now, asked=asked, tail=tail[-TAIL:]
        )


def of(store: Store, path: Path) -> Waiting:
    """What of the transcript at `path` waits."""
    return _read(store.meta(_PREFIX + str(path)))


def all_of(store: Store) -> Mapping[Path, Waiting]:
    """Every transcript of which a part waits, the longest waiting first."""
    found = {
        Path(key.removeprefix(_PREFIX)): _read(value) for key, value in store.metas(_PREFIX).items()
    }
    waiting = {path: one for path, one in found.items() if one.start is not None}
    return dict(sorted(waiting.items(), key=lambda pair: pair[1].since))


def save(store: Store, path: Path, waiting: Waiting) -> None:
    """Write the state of one transcript, inside an open transaction."""
    store.set_meta(_PREFIX + str(path), rows.dumps(asdict(waiting)))


def _read(value: str | None) -> Waiting:
    try:
        return Waiting(**json.loads(value)) if value else Waiting()
    except (ValueError, TypeError):
        return Waiting()

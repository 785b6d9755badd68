"""The part of a transcript that waits for the language model, and when it is asked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from cortex_core.agents.transcripts import located
from cortex_core.base.errors import ModelFailed
from cortex_core.store import rows
from cortex_core.store.store import Store

MOST_UNUSABLE = 3
"""Unusable answers after which a part is left to the rules."""

MOST_UNANSWERED = 12
"""Requests without an answer after which a part is left to the rules."""

OLDEST = 7 * 86_400.0
"""Seconds after which a part that the model could not read is left to the rules."""

PAUSES = (0.0, 60.0, 240.0, 960.0, 3_840.0)
"""Seconds to wait after the first failure, the second and so on; the last holds for all others."""

_PREFIX = "model "


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadPart:
    """The part of a transcript that the model has not read yet, and its failures so far."""

    start: int | None = None
    """Byte offset of the part; None: nothing waits."""
    end: int = 0
    final: bool = False
    """Whether the session has ended."""
    since: float = 0.0
    """When it began to wait, Unix seconds."""
    unusable: int = 0
    unanswered: int = 0
    next: float = 0.0
    """When it may be asked again, Unix seconds."""
    reason: str = ""
    """Why it failed the last time."""

    def is_due(self, now: float) -> bool:
        """Whether the model should read it now: the session has ended, and no pause is left."""
        return self.start is not None and self.final and now >= self.next

    def extended(self, first: int | None, end: int, final: bool, now: float) -> UnreadPart:
        """With the bytes that the rules have just read; `first`: offset of the first event."""
        start = min([offset for offset in (self.start, first) if offset is not None], default=None)
        since = now if self.start is None else self.since
        return replace(self, start=start, end=end, final=final, since=since)

    def failed(self, failure: ModelFailed, now: float) -> UnreadPart:
        """After a failure, which counts unless the model was not asked at all."""
        unusable = self.unusable + (failure.cause == "unusable")
        unanswered = self.unanswered + (failure.cause == "unavailable")
        count = unusable + unanswered
        pause = PAUSES[min(count, len(PAUSES)) - 1] if failure.cause != "not asked" else 0.0
        return replace(
            self, unusable=unusable, unanswered=unanswered, next=now + pause, reason=failure.reason
        )

    def is_hopeless(self, now: float) -> bool:
        """Whether the model has failed too often to be asked again."""
        return (
            self.unusable >= MOST_UNUSABLE
            or self.unanswered >= MOST_UNANSWERED
            or now - self.since > OLDEST
        )

    def read_up_to(self, offset: int | None, now: float) -> UnreadPart:
        """After the model has read up to byte `offset`; None: all of it."""
        return UnreadPart(start=offset, end=self.end, final=self.final, since=now)


def part(store: Store, path: Path) -> UnreadPart:
    """The waiting part of the transcript at `path`."""
    return _waiting_from(store.meta(_PREFIX + store.clean(str(path))))


def parts(store: Store) -> Mapping[Path, UnreadPart]:
    """Every transcript with a waiting part, longest waiting first."""
    saved = {
        located(key.removeprefix(_PREFIX), store.clean): _waiting_from(value)
        for key, value in store.metas(_PREFIX).items()
    }
    waiting = {path: part for path, part in saved.items() if part.start is not None}
    return dict(sorted(waiting.items(), key=lambda pair: pair[1].since))


def save(store: Store, path: Path, waiting: UnreadPart) -> None:
    """Write the waiting part of one transcript, inside an open transaction."""
    store.set_meta(_PREFIX + store.clean(str(path)), rows.dumps(asdict(waiting)))


def _waiting_from(value: str | None) -> UnreadPart:
    try:
        saved = json.loads(value) if value else {}
        return UnreadPart(**{name: saved[name] for name in UnreadPart.__slots__ if name in saved})
    except (ValueError, TypeError):
        return UnreadPart()

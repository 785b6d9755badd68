"""The prompts of sessions whose transcripts are gone, from the history that an agent keeps.

Where a prompt names no session, the prompts of a day are one conversation.
"""

from __future__ import annotations

import json
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace

from cortex_core.agents.protocol import TypedPrompt
from cortex_core.archive.archive import FROM_HISTORY, SAME_PROMPT, Archive
from cortex_core.archive.messages import Collected, Collector, MessageDraft
from cortex_core.records.events import Event
from cortex_core.redaction.redacted_events import redacted

SAME_MOMENT = 2.0
"""Seconds between which a prompt without a session is one that the archive has in other words."""

BY_DAY = "-history"
"""How the session of a day's prompts ends that name none; it begins with the day."""

_PROMPTS = (
    "SELECT c.session, m.text, m.time FROM message m JOIN conversation c "
    "ON c.number = m.conversation WHERE m.kind = 'user' AND m.time IS NOT NULL"
)


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
    found: Iterable[TypedPrompt],
    known: KnownPrompts,
    *,
    on_disk: Set[str],
    ignored: Sequence[str],
    extra: Sequence[str],
    is_wanted: Callable[[TypedPrompt], bool],
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
        # Old prompts name no session: those of a day are one conversation.
        session = each.session or time.strftime("%Y%m%d", time.localtime(each.time)) + BY_DAY
        event = Event(
            role="human", text=each.text, session=session, time=each.time, cwd=each.folder
        )
        collectors[session](session, redacted([event], extra))
    details = json.loads(FROM_HISTORY)
    for session, collector in collectors.items():
        collector.collected.drafts = [
            replace(draft, details=details)
            for draft in collector.collected.drafts
            if not known.has(draft, session)
        ]
    return [each.collected for each in collectors.values() if each.collected.drafts]

"""Days that a sentence names by their distance, with the day that is meant beside them."""

from __future__ import annotations

from datetime import datetime, timedelta

from cortex_core.language import signals
from cortex_core.language.detect import LANGUAGES


def dated(text: str, code: str, time: float | None) -> str:
    """`text` with the date after each day that it names relative to when it was said.

    Words stay as they are: “until Friday” becomes “until Friday (2026-11-27)”.

    Args:
        code: the language of `text`.
        time: when it was said, Unix seconds; None: not known, so that nothing is added.
    """
    if time is None or code not in LANGUAGES:
        return text
    said, found = datetime.fromtimestamp(time).date(), {}
    plain = signals.plain(text)
    for row in signals.table(code).rows.get("date", ()):
        for match in row.pattern.regex.finditer(plain):
            found[match.end()] = said + timedelta(days=row.days)
    for row in signals.table(code).rows.get("weekdays", ()):
        for match in row.pattern.regex.finditer(plain):
            # A weekday is the next one: who means the day of speaking says “today”.
            ahead = ((match.lastindex or 1) - 1 - said.weekday()) % 7 or 7
            found.setdefault(match.end(), said + timedelta(days=ahead))
    for end, day in sorted(found.items(), reverse=True):
        text = f"{text[:end]} ({day.isoformat()}){text[end:]}"
    return text

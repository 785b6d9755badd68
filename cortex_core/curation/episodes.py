"""What an episode is: one entry of the daily log, never changed by a later one.

Two entries that say the same are two entries: nothing that looks for duplicates looks at them.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from cortex_core import text
from cortex_core.kinds import EPISODE
from cortex_core.memory import Actor, Context, Memory, Scope, Source
from cortex_core.storage.journal import Change

CONFIDENCE = 0.9


def episode(
    content: str, *, title: str, outcome: str, tags: tuple[str, ...], scope: Scope, actor: Actor,
    context: Context, now: float,
) -> Memory:  # fmt: skip
    """A new entry of the log; what comes in is redacted already.

    Args:
        outcome: what came of it, in a line; empty where that is not known.
        now: when it happened, Unix seconds.
    """
    from cortex_core.capture import titles

    return Memory(
        id=str(uuid.uuid4()), content=content, title=text.one_line(title) or titles.title(content),
        kind=EPISODE, scope=scope, tags=tags, initial_confidence=CONFIDENCE,
        source=Source(rule=actor, time=now), context=context, created=now, updated=now,
        reinforced=now, details={"outcome": outcome} if outcome else {},
    )  # fmt: skip


def append(change: Change, entry: Memory, about: Iterable[str] = ()) -> None:
    """Write an entry, linked with the memories called `about`."""
    from cortex_core.capture import admission

    admission.insert(change, entry)
    for name in dict.fromkeys(about):
        change.insert(
            "edge",
            {"source": entry.id, "target": name, "type": "relates_to", "directed": False,
             "context": EPISODE, "created": change.time},
        )  # fmt: skip


def outcome(details: Mapping[str, Any]) -> str:
    """What came of an episode, empty where that is not known."""
    found = details.get("outcome")
    return found if isinstance(found, str) else ""

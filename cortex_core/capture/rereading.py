"""Reads once more what was read before corrections were noted; nothing is learned from it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from cortex_core.agents.transcripts import located
from cortex_core.base.config import Config
from cortex_core.base.errors import TranscriptError
from cortex_core.capture import pipeline
from cortex_core.records.captures import Progress
from cortex_core.records.events import Observation
from cortex_core.store import correction_rows, cursors, observations
from cortex_core.store.store import Store

_TOPICS = ("correction", "instruction")


def reread(
    store: Store,
    config: Config,
    should_continue: Callable[[], bool] = lambda: True,
    progress: Progress | None = None,
) -> int:
    """Note the corrections of the sessions that were read before; how many of these are left.

    Each transcript is one transaction, so that what ends early goes on where it stopped. One that
    is gone or cannot be read is passed over.
    """
    waiting = correction_rows.to_reread(store)
    total, known = len(waiting), set[int]()
    while waiting and store.writable and should_continue():
        path = located(waiting[0], store.clean)
        if progress:
            progress(total - len(waiting), total, path.name)
        found: Sequence[Observation] = ()
        with suppress(TranscriptError, OSError):
            reading = pipeline.read(
                path, cursors.Cursor(), known.__contains__, config, {}, final=True
            )
            known |= reading.fresh
            found = reading.observations
        # Removed whether it could be read or not, else it would be tried for ever.
        del waiting[0]
        with store.write():
            observations.add(store, [one for one in found if one.topic in _TOPICS])
            correction_rows.save_to_reread(store, waiting)
    return len(waiting)

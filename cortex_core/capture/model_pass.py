"""The second reading of a transcript: what the rules have read, read by a language model.

Reading and asking happen here, with no transaction open; `model_write` writes what came of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from cortex_core.capture import (
    admission,
    digest,
    extraction,
    git_context,
    model_write,
    transcript,
    waiting,
)
from cortex_core.capture.admission import Admitted
from cortex_core.capture.digest import Chunk, Line
from cortex_core.capture.extraction import Known
from cortex_core.capture.model_write import Heard, Origin, Stores
from cortex_core.capture.redacted import redacted
from cortex_core.capture.waiting import Waiting
from cortex_core.config import Config
from cortex_core.errors import ModelFailed
from cortex_core.memory import Memory
from cortex_core.model.client import Model
from cortex_core.records import LedgerEntry
from cortex_core.storage import queries

PRESENT = 86_400.0
"""Seconds after its last message in which git's state still says something about a session."""

MOST_KNOWN = 30
"""Stored memories that the model is told of with one chunk."""


def take(
    stores: Stores,
    origin: Origin,
    model: Model,
    config: Config,
    keep_on: Callable[[], bool] = lambda: True,
) -> tuple[LedgerEntry, Admitted] | None:
    """Let the model read what waits of a transcript; None where nothing came of it to tell.

    Args:
        keep_on: asked before each question; False leaves the rest for the next time.
    """
    started = time.perf_counter()
    before, state = model.spent, waiting.of(stores.own, origin.path)
    if state.start is None:
        return None
    heard = Heard(rest=state.start, tail=state.tail)
    asking = _Asking(stores, origin.path, model, config, keep_on, heard)
    try:
        asking.all_of(_lines(origin.path, state, config))
    except Exception as error:  # It counts, so that an odd transcript is not tried forever.
        told = f"the session cannot be read ({type(error).__name__})"
        heard.failure = ModelFailed(told, cause="unusable")
        heard.is_gone = not origin.path.exists()
    spent = model.spent
    entry = LedgerEntry(
        number=0, time=stores.own.clock(), event=origin.event,
        session=heard.session or origin.path.stem, transcript=str(origin.path),
        extractor=model.name, tokens=spent.tokens - before.tokens,
        cost=round(spent.cost - before.cost, 6), seconds=time.perf_counter() - started,
    )  # fmt: skip
    return model_write.write(stores, origin, state, heard, entry, config)


def _lines(path: Path, state: Waiting, config: Config) -> list[Line]:
    """The messages of the part that waits, redacted, in the order in which they were said."""
    with transcript.read(path, state.start or 0) as reader:
        events = redacted(reader, config.get("redact.extra"))
        part = takewhile(lambda event: event.offset < state.end, events)
        return list(digest.lines(part, config.get("capture.ignore")))


@dataclass(slots=True)
class _Asking:
    """One transcript's questions, one after the other."""

    stores: Stores
    path: Path
    model: Model
    config: Config
    keep_on: Callable[[], bool]
    heard: Heard

    def all_of(self, said: Sequence[Line]) -> None:
        """Hear what the model says about all chunks, up to the first that it fails on."""
        heard = self.heard
        queue = [(chunk, True) for chunk in digest.chunks(said)]
        heard.session = said[0].event.session if said else ""
        git = self._git(said[-1]) if said else ""
        is_many = len(queue) > 1
        while queue:
            chunk, is_whole = queue.pop(0)
            heard.rest = chunk.span[0]
            if not self.keep_on():
                return
            try:
                self._one(chunk, git, is_many)
            except ModelFailed as failure:
                halves = chunk.halves() if failure.too_long and is_whole else ()
                queue[:0] = [(half, False) for half in halves]
                if not halves:
                    heard.failure = failure
                    heard.beyond = queue[0][0].span[0] if queue else None
                    return
        heard.rest = None

    def _one(self, chunk: Chunk, git: str, is_many: bool) -> None:
        heard, kinds = self.heard, self.config.kinds
        known = _known(self.stores, self.path, chunk)
        answer = self.model.ask(
            extraction.request(
                chunk, kinds, known, git=git, before=heard.tail, is_one_of_many=is_many
            )
        )
        heard.reads.append(extraction.read(answer, chunk, kinds, known, self.model.rule))
        heard.tail = chunk.text[-waiting.TAIL :]

    def _git(self, last: Line) -> str:
        """What git says of the session's folder, redacted; of a past session only its branch."""
        event = last.event
        is_past = event.time is None or self.stores.own.clock() - event.time > PRESENT
        if is_past or not event.cwd:
            return f"Branch: {event.branch}" if event.branch else ""
        return admission.redacted(git_context.describe(event.cwd), self.config)


def _known(stores: Stores, path: Path, chunk: Chunk) -> Known:
    """What is stored already from the bytes of `chunk`."""
    first, last = chunk.span
    found: list[Memory] = [
        memory
        for store in stores.known
        for memory in queries.learned_between(store, str(path), first, last, 2 * MOST_KNOWN)
    ]
    return Known(
        kept=[one for one in found if one.status == "active"][:MOST_KNOWN],
        suggested=[one for one in found if one.status == "suggested"][:MOST_KNOWN],
    )

"""Writing what a language model made of a transcript: memories, verdicts, place and ledger.

The second reading of a transcript: what the rules have read, read by a language model.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from cortex_core.base import git
from cortex_core.base.config import Config
from cortex_core.base.errors import ModelFailed
from cortex_core.capture import admission, pipeline
from cortex_core.capture.admission import Admitted
from cortex_core.capture.pipeline import MOST_UNUSABLE, Waiting, redacted
from cortex_core.duplicates import similarity
from cortex_core.extract import model
from cortex_core.extract.model import Chunk, DigestLine, KnownMemories, ModelFindings
from cortex_core.extract.rules import say_the_same
from cortex_core.llm.client import Model
from cortex_core.store import ledger, queries
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.transcripts import reader as transcripts_reader
from cortex_core.transcripts.events import Candidate
from cortex_core.types import Actor, LedgerEntry, Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a reading is of, and who set it off."""

    path: Path
    event: str
    actor: Actor = "worker"
    action: str = ""


class CaptureStores(NamedTuple):
    """Where memories go and where they may be known."""

    own: Store
    """The one that keeps the place in the transcript, and whatever is not global."""
    known: tuple[Store, ...]
    """All that exist, this one included."""
    shared: Callable[[], Store] | None
    """Gives the global store, creating it if need be; None where it is `own`."""


@dataclass(slots=True)
class ModelReading:
    """What the model said about a part of a transcript, before anything is written."""

    session: str = ""
    reads: list[ModelFindings] = field(default_factory=list)
    rest: int | None = None
    """Byte offset from which it has not read; None: it has read all."""
    beyond: int | None = None
    """Byte offset behind the chunk it failed on; None: the part ends with that chunk."""
    tail: str = ""
    failure: ModelFailed | None = None
    is_gone: bool = False
    """Whether the transcript is not there any more."""


def write(
    stores: CaptureStores,
    origin: Origin,
    state: Waiting,
    heard: ModelReading,
    entry: LedgerEntry,
    config: Config,
) -> tuple[LedgerEntry, Admitted] | None:
    """Store what was heard and move the model's place, in one transaction a store.

    The global store goes first, as with the rules: killed in between, the next run finds its
    memories again, already known.
    """
    store = stores.own
    if not heard.reads and heard.failure is not None and heard.failure.cause == "not asked":
        note_unasked(store, origin, heard.failure)
        return None
    refused: Counter[str] = sum((one.refused for one in heard.reads), Counter())
    found = pipeline.purified([c for one in heard.reads for c in one.candidates], config, refused)
    globally = [one for one in found if stores.shared is not None and pipeline.is_global(one)]
    locally = [one for one in found if one not in globally]
    told = [one for each in stores.known for one in _learned(each, origin.path, heard.session)]
    total = Admitted()
    if stores.shared is not None and globally:
        other = stores.shared()
        with other.change("capture", _label(heard), origin.actor, origin.action) as change:
            pipeline.add_up(total, _admit(other, change, globally, told, origin))
    with store.change("capture", _label(heard), origin.actor, origin.action) as change:
        current = pipeline.waiting_part(store, origin.path)
        if current.start != state.start:
            return None
        _apply_verdicts(store, change, heard)
        pipeline.add_up(total, _admit(store, change, locally, told, origin))
        after, error = _advanced(state, current, heard, store.clock())
        pipeline.save_waiting(store, origin.path, after)
        if not (heard.reads or error):
            return None
        entry = replace(
            entry, candidates=sum(len(one.candidates) for one in heard.reads), error=error,
            bytes_read=_bytes_read(state, heard),
            stored=len(total.stored), suggested=len(total.suggested), merged=len(total.merged),
            refused=dict(refused + total.refused + Counter(quarantined=len(total.quarantined))),
        )  # fmt: skip
        ledger.record(store, entry)
    return entry, total


def note_unasked(store: Store, origin: Origin, failure: ModelFailed) -> None:
    """Tell in the ledger, once for each reason, why the model was not asked about a transcript."""
    state = pipeline.waiting_part(store, origin.path)
    if state.start is None:
        return
    now = store.clock()
    after = state.failed(failure, now)
    with store.write():
        if after.is_hopeless(now):
            after = after.read_up_to(None, "", now)
        pipeline.save_waiting(store, origin.path, after)
        if state.reason != failure.reason:
            ledger.record(
                store,
                LedgerEntry(
                    number=0, time=now, event=origin.event, session=origin.path.stem,
                    transcript=str(origin.path), error=f"model not called: {failure.reason}",
                ),
            )  # fmt: skip


def _bytes_read(state: Waiting, heard: ModelReading) -> int:
    """Bytes of the transcript that the model has read."""
    if not heard.reads:
        return 0
    return (state.end if heard.rest is None else heard.rest) - (state.start or 0)


def _advanced(
    state: Waiting, current: Waiting, heard: ModelReading, now: float
) -> tuple[Waiting, str]:
    """The position of the model in the session, and the ledger's text for a failure."""
    after = state
    if heard.reads or heard.rest is None:
        after = state.read_up_to(heard.rest, heard.tail, now)
    error = ""
    if heard.failure is not None:
        after = after.failed(heard.failure, now)
        error = f"model: {heard.failure.reason}; Cortex tries again later"
        if heard.is_gone or after.is_hopeless(now):
            is_one_chunk = after.unusable >= MOST_UNUSABLE and not heard.is_gone
            after = after.read_up_to(heard.beyond if is_one_chunk else None, "", now)
            error = f"model: {heard.failure.reason}; left to the rules permanently"
    if current.end > state.end:
        start = state.end if after.start is None else after.start
        after = replace(after, start=start, end=current.end, final=current.final)
    return after, error


def _admit(
    store: Store,
    change: Change,
    candidates: Sequence[Candidate],
    told: Sequence[Memory],
    origin: Origin,
) -> Admitted:
    """Take candidates into `store`; one that says what is `told` already becomes its source."""
    admitted = Admitted()
    new: list[Candidate] = []
    for candidate in candidates:
        twin = next((one for one in told if _is_twin(one, candidate)), None)
        if twin is None:
            new.append(candidate)
            continue
        memory = admission.to_memory(candidate, store, str(origin.path), 0)
        if twin.scope == store.scope and admission.reinforce(store, change, twin.id, memory):
            admitted.merged.append(twin.id)
        else:
            admitted.refused["known already"] += 1
    pipeline.add_up(admitted, admission.admit(store, change, new, str(origin.path)))
    return admitted


def _is_twin(memory: Memory, candidate: Candidate) -> bool:
    """Whether a memory of the same session says what the candidate says.

    Where both come from the same message the model only puts it in other words, and a user's own
    stand; otherwise nothing may speak against it.
    """
    if not say_the_same(memory.content, candidate.content):
        return False
    is_same_message = bool(candidate.message) and memory.source.message == candidate.message
    return is_same_message or not similarity.compare(memory.content, candidate.content).conflicts


def _learned(store: Store, path: Path, session: str) -> list[Memory]:
    """What is known from this session, in the store or put away."""
    return queries.learned_from(store, str(path), session, admission.KNOWN_STATUSES)


def _apply_verdicts(store: Store, change: Change, heard: ModelReading) -> None:
    """Keep or put away the suggestions that the model has judged and nobody else has."""
    for read in heard.reads:
        for names, status in ((read.kept, "active"), (read.dropped, "archived")):
            for memory in store.memories(names):
                if memory.status != "suggested":
                    continue
                columns = {"status": status, "updated": change.time}
                if status == "active":
                    columns["reinforced"] = change.time
                change.update("memory", memory.id, columns)


def _label(heard: ModelReading) -> str:
    return f"learn from session {heard.session[:8]} by the model"


PRESENT = 86_400.0
"""Seconds after its last message in which git's state still says something about a session."""

MOST_KNOWN = 30
"""Maximum number of stored memories shown to the model with one chunk."""


def read_waiting(
    stores: CaptureStores,
    origin: Origin,
    model: Model,
    config: Config,
    should_continue: Callable[[], bool] = lambda: True,
) -> tuple[LedgerEntry, Admitted] | None:
    """Let the model read what waits of a transcript; None where nothing came of it to tell.

    Args:
        should_continue: asked before each question; False leaves the rest for the next time.
    """
    started = time.perf_counter()
    before, state = model.spent, pipeline.waiting_part(stores.own, origin.path)
    if state.start is None:
        return None
    heard = ModelReading(rest=state.start, tail=state.tail)
    asking = _Asking(stores, origin.path, model, config, should_continue, heard)
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
    return write(stores, origin, state, heard, entry, config)


def _lines(path: Path, state: Waiting, config: Config) -> list[DigestLine]:
    """The messages of the part that waits, redacted, in the order in which they were said."""
    with transcripts_reader.read(path, state.start or 0) as reader:
        events = redacted(reader, config.get("redact.extra"))
        part = takewhile(lambda event: event.offset < state.end, events)
        return list(model.lines(part, config.get("capture.ignore")))


@dataclass(slots=True)
class _Asking:
    """One transcript's questions, one after the other."""

    stores: CaptureStores
    path: Path
    model: Model
    config: Config
    should_continue: Callable[[], bool]
    heard: ModelReading

    def all_of(self, said: Sequence[DigestLine]) -> None:
        """Hear what the model says about all chunks, up to the first that it fails on."""
        heard = self.heard
        queue = [(chunk, True) for chunk in model.chunks(said)]
        heard.session = said[0].event.session if said else ""
        git = self._git(said[-1]) if said else ""
        is_many = len(queue) > 1
        while queue:
            chunk, is_whole = queue.pop(0)
            heard.rest = chunk.span[0]
            if not self.should_continue():
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
            model.request(chunk, kinds, known, git=git, before=heard.tail, is_one_of_many=is_many)
        )
        heard.reads.append(model.read_answer(answer, chunk, kinds, known, self.model.rule))
        heard.tail = chunk.text[-pipeline.TAIL :]

    def _git(self, last: DigestLine) -> str:
        """What git says of the session's folder, redacted; of a past session only its branch."""
        event = last.event
        is_past = event.time is None or self.stores.own.clock() - event.time > PRESENT
        if is_past or not event.cwd:
            return f"Branch: {event.branch}" if event.branch else ""
        return admission.redacted(git.describe(event.cwd), self.config)


def _known(stores: CaptureStores, path: Path, chunk: Chunk) -> KnownMemories:
    """What is stored already from the bytes of `chunk`."""
    first, last = chunk.span
    found: list[Memory] = [
        memory
        for store in stores.known
        for memory in queries.learned_between(store, str(path), first, last, 2 * MOST_KNOWN)
    ]
    return KnownMemories(
        kept=[one for one in found if one.status == "active"][:MOST_KNOWN],
        suggested=[one for one in found if one.status == "suggested"][:MOST_KNOWN],
    )

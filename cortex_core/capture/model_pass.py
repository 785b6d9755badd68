"""The second reading of a transcript: a language model reads what the rules have read.

Its answers become memories, verdicts on suggestions, a new position in the transcript and a ledger
entry, in one transaction for each store.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from cortex_core.admission import apply, lookup
from cortex_core.admission.apply import Admitted
from cortex_core.agents.transcripts import reader_of
from cortex_core.base import git
from cortex_core.base.config import Config
from cortex_core.base.errors import ModelFailed
from cortex_core.capture import pipeline, unread
from cortex_core.capture.unread import MOST_UNUSABLE, UnreadPart
from cortex_core.duplicates import similarity
from cortex_core.extract import digest, model_answers
from cortex_core.extract.digest import Chunk, DigestLine
from cortex_core.extract.model_answers import KnownMemories, ModelFindings
from cortex_core.extract.repetition import say_the_same
from cortex_core.llm.client import Model
from cortex_core.records.captures import LedgerEntry
from cortex_core.records.events import Candidate, ReadPosition
from cortex_core.records.memory import Actor, Memory
from cortex_core.redaction import cleaning, stored_names
from cortex_core.redaction.redacted_events import redacted
from cortex_core.store import cursors, intents, ledger, memory_lookup
from cortex_core.store.journal import Change
from cortex_core.store.store import Store

PRESENT = 86_400.0
"""Seconds after a session's last message in which the state of git still belongs to it."""

MOST_KNOWN = 30
"""Maximum number of stored memories shown to the model with one chunk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Which transcript is read, and what caused it."""

    path: Path
    event: str
    actor: Actor = "worker"
    action: str = ""


class CaptureStores(NamedTuple):
    """The stores that a reading writes to and compares with."""

    own: Store
    """The store of the position in the transcript, and of whatever is not global."""
    known: tuple[Store, ...]
    """All existing stores, this one included."""
    shared: Callable[[], Store] | None
    """Returns the global store, creating it if necessary; None if it is `own`."""


@dataclass(slots=True)
class ModelReading:
    """What the model found in a part of a transcript, before anything is written."""

    session: str = ""
    reads: list[ModelFindings] = field(default_factory=list)
    rest: int | None = None
    """Byte offset of the first part that it has not read; None: it has read all."""
    beyond: int | None = None
    """Byte offset after the chunk that it failed on; None: the part ends with that chunk."""
    tail: str = ""
    failure: ModelFailed | None = None
    is_gone: bool = False
    """Whether the transcript no longer exists."""


def read_waiting(
    stores: CaptureStores,
    origin: Origin,
    model: Model,
    config: Config,
    should_continue: Callable[[], bool] = lambda: True,
) -> tuple[LedgerEntry, Admitted] | None:
    """Let the model read the waiting part of a transcript; None if there is nothing to record.

    Args:
        should_continue: asked before each request; False leaves the rest for the next run.
    """
    started = time.perf_counter()
    before, state = model.spent, unread.part(stores.own, origin.path)
    if state.start is None:
        return None
    reading = ModelReading(rest=state.start, tail=state.tail)
    requests = _ModelRequests(stores, origin.path, model, config, should_continue, reading)
    try:
        requests.ask_all(_lines(origin.path, state, config))
    except Exception as error:  # It counts, so that an odd transcript is not tried forever.
        reason = f"the session cannot be read ({type(error).__name__})"
        reading.failure = ModelFailed(reason, cause="unusable")
        reading.is_gone = not origin.path.exists()
    spent = model.spent
    entry = LedgerEntry(
        number=0,
        time=stores.own.clock(),
        event=origin.event,
        session=reading.session or origin.path.stem,
        transcript=str(origin.path),
        extractor=model.name,
        tokens=spent.tokens - before.tokens,
        cost=round(spent.cost - before.cost, 6),
        seconds=time.perf_counter() - started,
    )
    return write(stores, origin, state, reading, entry, config)


def _lines(path: Path, state: UnreadPart, config: Config) -> list[DigestLine]:
    """The messages of the waiting part, redacted, in their order."""
    with reader_of(path).read(path, ReadPosition(state.start or 0)) as reader:
        events = redacted(reader, config.get("redact.extra"))
        part = takewhile(lambda event: event.offset < state.end, events)
        return digest.lines(part, stored_names.ignored(config))


@dataclass(slots=True)
class _ModelRequests:
    """The requests for one transcript, one after another."""

    stores: CaptureStores
    path: Path
    model: Model
    config: Config
    should_continue: Callable[[], bool]
    reading: ModelReading

    def ask_all(self, lines: Sequence[DigestLine]) -> None:
        """Ask about all chunks, up to the first failure; one that is too long is halved once."""
        reading = self.reading
        queue = [(chunk, True) for chunk in digest.chunks(lines)]
        reading.session = lines[0].event.session if lines else ""
        git = self._git(lines[-1]) if lines else ""
        is_many = len(queue) > 1
        while queue:
            chunk, is_whole = queue.pop(0)
            reading.rest = chunk.span[0]
            if not self.should_continue():
                return
            try:
                self._ask(chunk, git, is_many)
            except ModelFailed as failure:
                halves = chunk.halves() if failure.too_long and is_whole else ()
                queue[:0] = [(half, False) for half in halves]
                if not halves:
                    reading.failure = failure
                    reading.beyond = queue[0][0].span[0] if queue else None
                    return
        reading.rest = None

    def _ask(self, chunk: Chunk, git: str, is_many: bool) -> None:
        reading, kinds = self.reading, self.config.kinds
        first, last = chunk.span
        # What is stored already from the bytes of `chunk`.
        found: list[Memory] = [
            memory
            for store in self.stores.known
            for memory in memory_lookup.learned_between(
                store, str(self.path), first, last, 2 * MOST_KNOWN
            )
        ]
        known = KnownMemories(
            kept=[memory for memory in found if memory.status == "active"][:MOST_KNOWN],
            suggested=[memory for memory in found if memory.status == "suggested"][:MOST_KNOWN],
        )
        answer = self.model.ask(
            model_answers.request(
                chunk, kinds, known, git=git, before=reading.tail, is_one_of_many=is_many
            )
        )
        reading.reads.append(
            model_answers.read_answer(answer, chunk, kinds, known, self.model.rule)
        )
        reading.tail = chunk.text[-unread.TAIL :]

    def _git(self, last: DigestLine) -> str:
        """The state of git in the session's folder, redacted; only the branch if it is past."""
        event = last.event
        is_past = event.time is None or self.stores.own.clock() - event.time > PRESENT
        if is_past or not event.cwd:
            return f"Branch: {event.branch}" if event.branch else ""
        return cleaning.redacted(git.describe(event.cwd), self.config)


# --- writing


def write(
    stores: CaptureStores,
    origin: Origin,
    state: UnreadPart,
    reading: ModelReading,
    entry: LedgerEntry,
    config: Config,
) -> tuple[LedgerEntry, Admitted] | None:
    """Store what the model found and move its position, in both stores or in neither.

    None if another run has moved the position meanwhile, or there is nothing to record.
    """
    store = stores.own
    if not reading.reads and reading.failure is not None and reading.failure.cause == "not asked":
        note_unasked(store, origin, reading.failure)
        return None
    refused: Counter[str] = sum((answer.refused for answer in reading.reads), Counter())
    candidates = pipeline.purified(
        [c for answer in reading.reads for c in answer.candidates], config, refused
    )
    candidates, unsettled, carry = pipeline.settle_or_hold(store, origin.path, candidates)
    refused += Counter(unsettled)
    globally = [c for c in candidates if stores.shared is not None and pipeline.is_global(c)]
    locally = [c for c in candidates if c not in globally]
    learned = [
        memory
        for known in stores.known
        for memory in memory_lookup.learned_from(
            known, str(origin.path), reading.session, lookup.KNOWN_STATUSES
        )
    ]
    total, action = Admitted(), origin.action or token_hex(8)
    label = f"learn from session {reading.session[:8]} by the model"
    other = stores.shared() if stores.shared is not None and globally else None
    with (
        intents.together([other, store] if other else [store], action),
        store.change("capture", label, origin.actor, action) as change,
    ):
        current = unread.part(store, origin.path)
        # Another run has read it while the model worked, and stored what it found.
        if current.start != state.start:
            return None
        if other:
            with other.change("capture", label, origin.actor, action) as elsewhere:
                total.add(_admit(other, elsewhere, globally, learned, origin))
        _apply_verdicts(store, change, reading)
        if (saved := cursors.load(store, origin.path)) is not None:
            session = reader_of(origin.path).session_of(origin.path)
            cursors.save(store, origin.path, session, saved._replace(carry=carry))
        total.add(_admit(store, change, locally, learned, origin))
        after, error = _advanced(state, current, reading, store.clock())
        unread.save(store, origin.path, after)
        if not (reading.reads or error):
            return None
        read_up_to = state.end if reading.rest is None else reading.rest
        entry = replace(
            entry,
            candidates=sum(len(answer.candidates) for answer in reading.reads),
            error=error,
            bytes_read=read_up_to - (state.start or 0) if reading.reads else 0,
            stored=len(total.stored),
            suggested=len(total.suggested),
            merged=len(total.merged),
            refused=dict(refused + total.refused + Counter(quarantined=len(total.quarantined))),
        )
        ledger.record(store, entry)
    return entry, total


def note_unasked(store: Store, origin: Origin, failure: ModelFailed) -> None:
    """Record in the ledger, once for each reason, why the model was not asked."""
    state = unread.part(store, origin.path)
    if state.start is None:
        return
    now = store.clock()
    after = state.failed(failure, now)
    with store.write():
        if after.is_hopeless(now):
            after = after.read_up_to(None, "", now)
        unread.save(store, origin.path, after)
        if state.reason != failure.reason:
            ledger.record(
                store,
                LedgerEntry(
                    number=0,
                    time=now,
                    event=origin.event,
                    session=origin.path.stem,
                    transcript=str(origin.path),
                    error=f"model not called: {failure.reason}",
                ),
            )


def _advanced(
    state: UnreadPart, current: UnreadPart, reading: ModelReading, now: float
) -> tuple[UnreadPart, str]:
    """The position of the model in the session, and the ledger's text for a failure."""
    after = state
    if reading.reads or reading.rest is None:
        after = state.read_up_to(reading.rest, reading.tail, now)
    error = ""
    if reading.failure is not None:
        after = after.failed(reading.failure, now)
        error = f"model: {reading.failure.reason}; Cortex tries again later"
        if reading.is_gone or after.is_hopeless(now):
            is_one_chunk = after.unusable >= MOST_UNUSABLE and not reading.is_gone
            after = after.read_up_to(reading.beyond if is_one_chunk else None, "", now)
            error = f"model: {reading.failure.reason}; left to the rules permanently"
    if current.end > state.end:
        start = state.end if after.start is None else after.start
        after = replace(after, start=start, end=current.end, final=current.final)
    return after, error


def _admit(
    store: Store,
    change: Change,
    candidates: Sequence[Candidate],
    learned: Sequence[Memory],
    origin: Origin,
) -> Admitted:
    """Add candidates to `store`; one that repeats a `learned` memory becomes its source."""
    admitted = Admitted()
    new: list[Candidate] = []
    for candidate in candidates:
        twin = next((memory for memory in learned if _is_twin(memory, candidate)), None)
        if twin is None:
            new.append(candidate)
            continue
        memory = apply.to_memory(candidate, store, str(origin.path), 0)
        if twin.scope == store.scope and apply.reinforce(store, change, twin.id, memory):
            admitted.merged.append(twin.id)
        else:
            admitted.refused["known already"] += 1
    admitted.add(apply.admit(store, change, new, str(origin.path)))
    return admitted


def _is_twin(memory: Memory, candidate: Candidate) -> bool:
    """Whether a memory of the same session says what the candidate says.

    If both come from the same message, the model only paraphrases what is stored already. Otherwise
    there must be no conflict, such as another number.
    """
    if not say_the_same(memory.content, candidate.content):
        return False
    is_same_message = bool(candidate.message) and memory.source.message == candidate.message
    return is_same_message or similarity.compare(memory.content, candidate.content).is_clear


def _apply_verdicts(store: Store, change: Change, reading: ModelReading) -> None:
    """Keep or archive the suggestions that the model has judged, unless the user did before."""
    for read in reading.reads:
        for ids, status in ((read.kept, "active"), (read.dropped, "archived")):
            for memory in store.memories(ids):
                if memory.status != "suggested":
                    continue
                columns = {"status": status, "updated": change.time}
                if status == "active":
                    columns["reinforced"] = change.time
                change.update("memory", memory.id, columns)

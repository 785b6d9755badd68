"""Writing what a language model made of a transcript: memories, verdicts, place and ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from cortex_core import similarity
from cortex_core.capture import admission, pipeline, waiting
from cortex_core.capture.admission import Admitted
from cortex_core.capture.events import Candidate
from cortex_core.capture.extraction import Read
from cortex_core.capture.rules.folding import say_the_same
from cortex_core.capture.waiting import MOST_UNUSABLE, Waiting
from cortex_core.config import Config
from cortex_core.errors import ModelFailed
from cortex_core.memory import Actor, Memory
from cortex_core.records import LedgerEntry
from cortex_core.storage import ledger, queries
from cortex_core.storage.journal import Change
from cortex_core.storage.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a reading is of, and who set it off."""

    path: Path
    event: str
    actor: Actor = "worker"
    action: str = ""


class Stores(NamedTuple):
    """Where memories go and where they may be known."""

    own: Store
    """The one that keeps the place in the transcript, and whatever is not global."""
    known: tuple[Store, ...]
    """All that exist, this one included."""
    shared: Callable[[], Store] | None
    """Gives the global store, creating it if need be; None where it is `own`."""


@dataclass(slots=True)
class Heard:
    """What the model said about a part of a transcript, before anything is written."""

    session: str = ""
    reads: list[Read] = field(default_factory=list)
    rest: int | None = None
    """Byte offset from which it has not read; None: it has read all."""
    beyond: int | None = None
    """Byte offset behind the chunk it failed on; None: the part ends with that chunk."""
    tail: str = ""
    failure: ModelFailed | None = None
    is_gone: bool = False
    """Whether the transcript is not there any more."""


def write(
    stores: Stores,
    origin: Origin,
    state: Waiting,
    heard: Heard,
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
    told = [one for each in stores.known for one in _told(each, origin.path, heard.session)]
    total = Admitted()
    if stores.shared is not None and globally:
        other = stores.shared()
        with other.change("capture", _label(heard), origin.actor, origin.action) as change:
            pipeline.join(total, _admit(other, change, globally, told, origin))
    with store.change("capture", _label(heard), origin.actor, origin.action) as change:
        current = waiting.of(store, origin.path)
        if current.start != state.start:
            return None
        _judge(store, change, heard)
        pipeline.join(total, _admit(store, change, locally, told, origin))
        after, error = _moved(state, current, heard, store.clock())
        waiting.save(store, origin.path, after)
        if not (heard.reads or error):
            return None
        entry = replace(
            entry, candidates=sum(len(one.candidates) for one in heard.reads), error=error,
            bytes_read=_read(state, heard),
            stored=len(total.stored), suggested=len(total.suggested), merged=len(total.merged),
            refused=dict(refused + total.refused + Counter(quarantined=len(total.quarantined))),
        )  # fmt: skip
        ledger.record(store, entry)
    return entry, total


def note_unasked(store: Store, origin: Origin, failure: ModelFailed) -> None:
    """Tell in the ledger, once for each reason, why the model was not asked about a transcript."""
    state = waiting.of(store, origin.path)
    if state.start is None:
        return
    now = store.clock()
    after = state.failed(failure, now)
    with store.write():
        if after.is_hopeless(now):
            after = after.read_up_to(None, "", now)
        waiting.save(store, origin.path, after)
        if state.reason != failure.reason:
            ledger.record(
                store,
                LedgerEntry(
                    number=0, time=now, event=origin.event, session=origin.path.stem,
                    transcript=str(origin.path), error=f"model not called: {failure.reason}",
                ),
            )  # fmt: skip


def _read(state: Waiting, heard: Heard) -> int:
    """Bytes of the transcript that the model has read."""
    if not heard.reads:
        return 0
    return (state.end if heard.rest is None else heard.rest) - (state.start or 0)


def _moved(state: Waiting, current: Waiting, heard: Heard, now: float) -> tuple[Waiting, str]:
    """Where the model stands now, and what the ledger says of a failure."""
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
    pipeline.join(admitted, admission.admit(store, change, new, str(origin.path)))
    return admitted


def _is_twin(memory: Memory, candidate: Candidate) -> bool:
    """Whether a memory of the same session says what the candidate says.

    Where both come from the same message the model only puts it in other words, and a person's own
    stand; otherwise nothing may speak against it.
    """
    if not say_the_same(memory.content, candidate.content):
        return False
    is_same_message = bool(candidate.message) and memory.source.message == candidate.message
    return is_same_message or not similarity.compare(memory.content, candidate.content).conflicts


def _told(store: Store, path: Path, session: str) -> list[Memory]:
    """What is known from this session, in the store or put away."""
    return queries.learned_from(store, str(path), session, admission.KNOWN_STATUSES)


def _judge(store: Store, change: Change, heard: Heard) -> None:
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


def _label(heard: Heard) -> str:
    return f"learn from session {heard.session[:8]} by the model"

"""The second reading of a transcript: a language model reads what the rules have read.

Its answers become memories, amendments of what is stored, a summary, a new position in the
transcript and a ledger entry, in one transaction for each store.
"""

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from secrets import token_hex
from typing import Literal, NamedTuple

from cortex_core.admission import amending, apply, checks
from cortex_core.agents.transcripts import exists, reader_of
from cortex_core.base.authorship import CITES_USER, MODEL, applies_always
from cortex_core.base.config import Config
from cortex_core.base.errors import ModelFailed
from cortex_core.base.kinds import EPISODE
from cortex_core.base.project import Project
from cortex_core.capture import closing_pass, pipeline, shown_context, unread
from cortex_core.capture.unread import MOST_UNUSABLE, UnreadPart
from cortex_core.extract import settling
from cortex_core.extract.state import Findings, SessionState
from cortex_core.llm import digest, model_answers
from cortex_core.llm.client import Model
from cortex_core.llm.model_answers import SURE, AnswerReader, ShownContext
from cortex_core.records.captures import LedgerEntry
from cortex_core.records.events import Amendment, Candidate, ReadPosition
from cortex_core.records.memory import Actor, Memory, Source
from cortex_core.redaction import citations, quarantine, stored_names
from cortex_core.redaction.redacted_events import redacted
from cortex_core.store import intents, ledger, memory_lookup
from cortex_core.store.journal import Change
from cortex_core.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureJob:
    """Which transcript a model is to read, and what caused that."""

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
    answers: int = 0
    """How many requests it has answered."""
    finds: dict[str, Candidate] = field(default_factory=dict)
    """What it would remember, by an id until it is stored."""
    amendments: list[tuple[Amendment, Source]] = field(default_factory=list)
    """What it says of stored memories, and of which message that comes."""
    summary: Candidate | None = None
    deciding: list[str] = field(default_factory=list)
    """The uuids of the messages that decided."""
    refused: Counter[str] = field(default_factory=Counter)
    rest: int | None = None
    """Byte offset of the first part that it has not read, the part's end where only the closing
    pass is missing; None: it has done all."""
    beyond: int | None = None
    """Byte offset after the chunk that it failed on; None: the part ends with that chunk."""
    failure: ModelFailed | None = None
    is_gone: bool = False
    """Whether the transcript no longer exists."""

    def take(self, amendment: Amendment, by: Source) -> None:
        """Apply an amendment to a find of this reading, or note it for what is stored."""
        find = self.finds.get(amendment.memory)
        if find is None:
            self.amendments.append((amendment, by))
        elif not amendment.content and amendment.verb in ("drop", "outdated", "wrong"):
            del self.finds[amendment.memory]
            self.refused["model: withdrawn by a later part of the session"] += 1
        else:
            if amendment.content:
                reworded = (amendment.title, amendment.content)
                said = f"{find.title} {find.content} {find.excerpt} {amendment.said}"
                if applies_always(by.rule) and citations.is_unsaid(*reworded, said):
                    find = replace(find, tier="suggested", details=quarantine.IS_UNSAID)
                find = replace(find, content=amendment.content, title=amendment.title)
            if amendment.said:  # the message that says it last; the first one stays quoted
                find = replace(
                    find,
                    excerpt=f"{amendment.said[:500]}\n[…]\n{find.excerpt[:490]}",
                    rule=by.rule,
                    message=by.message,
                    offset=by.offset,
                    time=by.time,
                )
            self.finds[amendment.memory] = find

    def as_amended(self, memories: Iterable[Memory]) -> list[Memory]:
        """Stored memories as they stand after what the model has said of them so far."""
        found = {memory.id: memory for memory in memories}
        for amendment, by in self.amendments:
            if amendment.verb not in ("keep", "reword") and not amendment.content:
                found.pop(amendment.memory, None)
            elif memory := found.get(amendment.memory):
                rule = by.rule if amendment.content else memory.source.rule
                found[memory.id] = replace(
                    memory,
                    status="active",
                    title=amendment.title or memory.title,
                    content=amendment.content or memory.content,
                    source=replace(memory.source, rule=rule),
                )
        return list(found.values())


def read_waiting(
    stores: CaptureStores,
    job: CaptureJob,
    model: Model,
    project: Project,
    config: Config,
    should_continue: Callable[[], bool] = lambda: True,
    mark: Callable[[str, Sequence[str]], None] = lambda session, uuids: None,
) -> tuple[LedgerEntry, apply.Admitted] | None:
    """Let the model read the waiting part of a transcript; None if there is nothing to record.

    Args:
        should_continue: asked before each request; False leaves the rest for the next run.
        mark: called with the session and the uuids of the messages that decided.
    """
    started = time.perf_counter()
    tokens, cost = model.tokens, model.cost
    state = unread.part(stores.own, job.path)
    if state.start is None:
        return None
    reading = ModelReading(rest=state.start)
    requests = _ModelRequests(stores, job.path, model, project, config, reading)
    try:
        requests.ask_all(_lines(job.path, state, config), state, should_continue)
    except Exception as error:  # It counts, so that an odd transcript is not tried forever.
        reading.failure = ModelFailed(
            f"the session cannot be read ({type(error).__name__})", cause="unusable"
        )
        reading.is_gone = not exists(job.path)
    entry = LedgerEntry(
        number=0,
        time=stores.own.clock(),
        event=job.event,
        session=reading.session or job.path.stem,
        transcript=str(job.path),
        extractor=model.name,
        tokens=model.tokens - tokens,
        cost=round(model.cost - cost, 6),
        seconds=time.perf_counter() - started,
    )
    done = write(stores, job, state, reading, entry, config)
    if done is not None and reading.deciding:
        mark(reading.session, reading.deciding)
    return done


def _lines(path: Path, state: UnreadPart, config: Config) -> list[digest.DigestLine]:
    """The messages of the session up to the end of the waiting part, redacted, in their order."""
    with reader_of(path).read(path, ReadPosition()) as reader:
        events = redacted(reader, config.get("redact.extra"))
        return digest.lines(
            takewhile(lambda event: event.offset < state.end, events), stored_names.ignored(config)
        )


class _ModelRequests:
    """The requests for one transcript, one after another."""

    def __init__(
        self,
        stores: CaptureStores,
        path: Path,
        model: Model,
        project: Project,
        config: Config,
        reading: ModelReading,
    ) -> None:
        self._stores = stores
        self._path = path
        self._model = model
        self._project = project
        self._config = config
        self._reading = reading

    def ask_all(
        self,
        lines: Sequence[digest.DigestLine],
        state: UnreadPart,
        should_continue: Callable[[], bool],
    ) -> None:
        """Ask about the waiting chunks in order, up to the first failure, then close."""
        reading, now = self._reading, self._stores.own.clock()
        if not lines:
            reading.rest = None
            return
        reading.session = lines[-1].event.session
        where = shown_context.place(lines[-1], self._project, self._config, now)
        days = shown_context.days(lines, now)
        chunks = digest.chunks([line for line in lines if line.event.offset >= (state.start or 0)])
        for number, chunk in enumerate(chunks, 1):
            reading.rest = chunk.span[0]
            if not should_continue():
                return
            part = f" Part {number} of {len(chunks)}." if len(chunks) > 1 else ""
            try:
                self._ask(chunk, lines, replace(where, days=days + part), len(chunks))
            except ModelFailed as failure:
                reading.failure = failure
                reading.beyond = chunks[number].span[0] if number < len(chunks) else None
                return
        reading.rest = None
        # Each reader of a part knew that part only. A session of one part needs no second request.
        if len(digest.chunks(lines)) > 1:
            reading.rest = state.end
            if should_continue():
                self._close(lines, days)

    def _ask(
        self,
        chunk: digest.Chunk,
        lines: Sequence[digest.DigestLine],
        where: ShownContext,
        count: int,
    ) -> None:
        reading, kinds = self._reading, self._config.kinds
        known = [*self._stored(), *self._found()]
        shown = shown_context.of_chunk(where, self._stores.own, known, chunk, lines)
        # Each part is read by a model that has not seen the one before.
        so_far = reading.summary.content if reading.summary else ""
        shown = replace(shown, stored=reading.as_amended(shown.stored), so_far=so_far)
        answer = self._model.ask(
            model_answers.request(chunk, kinds, shown, is_one_of_many=count > 1)
        )
        findings = model_answers.read_answer(
            answer, shown, AnswerReader(lines, chunk, kinds, self._model.rule)
        )
        reading.answers += 1
        reading.refused += findings.refused
        for amendment, by in findings.amendments:
            reading.take(amendment, by)
        reading.finds |= {str(uuid.uuid4()): candidate for candidate in findings.candidates}
        reading.summary, reading.deciding = findings.summary, findings.deciding

    def _close(self, lines: Sequence[digest.DigestLine], days: str) -> None:
        """Have a model that knows the end of the session decide on all that was found in it."""
        reading = self._reading
        judged = {amendment.memory for amendment, _ in reading.amendments}
        stored = [
            one
            for one in self._stored()
            if one.kind != EPISODE and (one.id in judged or one.source.rule.startswith(MODEL))
        ]
        found = [*stored, *self._found()][-closing_pass.MOST_FINDS :]
        if not found:
            reading.rest = None
            return
        try:
            answer = self._model.ask(closing_pass.request(lines, found, days))
        except ModelFailed as failure:
            reading.failure = failure
            return
        reading.answers += 1
        reading.rest = None
        for amendment in closing_pass.decisions(answer, found):
            find = next(one for one in found if one.id == amendment.memory)
            new = reading.finds.get(find.id)
            said = CITES_USER if applies_always(find.source.rule) else ""
            by = Source(
                rule=f"{self._model.rule}{said}",
                session=reading.session,
                time=lines[-1].event.time,
            )
            # What was not quoted as it was said stays a suggestion, however sure it is.
            is_unproven = find.status == "suggested" and find.initial_confidence >= SURE
            is_sure = amendment.confidence >= closing_pass.SURE_AT_END and not is_unproven
            if new is not None and amendment.confidence:
                tier: Literal["kept", "suggested"] = "kept" if is_sure else "suggested"
                reading.finds[find.id] = replace(new, confidence=amendment.confidence, tier=tier)
            if new is not None or amendment.verb == "drop" or find.status == "active" or is_sure:
                reading.take(amendment, by)
        reader = AnswerReader(
            lines, digest.Chunk(tuple(lines)), self._config.kinds, self._model.rule
        )
        summary, deciding = reader.summary(answer.get("summary"))
        if summary is not None:
            reading.summary, reading.deciding = summary, deciding

    def _stored(self) -> list[Memory]:
        """What is stored of this session, in force or suggested, as the model has left it."""
        path, session = str(self._path), self._reading.session
        return self._reading.as_amended(
            memory
            for store in self._stores.known
            for memory in memory_lookup.learned_from(store, path, session, ("active", "suggested"))
        )

    def _found(self) -> list[Memory]:
        """What was found in this reading, as the memories that it would become."""
        own, path = self._stores.own, str(self._path)
        return [
            replace(apply.to_memory(find, own, path, 0), id=name)
            for name, find in self._reading.finds.items()
        ]


# --- writing


def write(
    stores: CaptureStores,
    job: CaptureJob,
    state: UnreadPart,
    reading: ModelReading,
    entry: LedgerEntry,
    config: Config,
) -> tuple[LedgerEntry, apply.Admitted] | None:
    """Store what the model found and move its position, in both stores or in neither.

    None if another run has moved the position meanwhile, or there is nothing to record.
    """
    store, failure = stores.own, reading.failure
    if not reading.answers and failure is not None and failure.cause == "not asked":
        note_unasked(store, job, failure)
        return None
    refused, found = Counter(reading.refused), list(reading.finds.values())
    candidates = pipeline.checked_candidates(found, config, refused)
    # What the rules took already is not compared here: the model's find becomes its second source.
    findings = Findings({}, candidates)
    candidates = settling.settle(findings, SessionState())
    refused += Counter(findings.refused)
    candidates += _summary(store, state, reading, config, refused)
    globally = [c for c in candidates if stores.shared is not None and pipeline.is_global(c)]
    locally = [c for c in candidates if c not in globally]
    total, action = apply.Admitted(), job.action or token_hex(8)
    label = f"learn from session {reading.session[:8]} by the model"
    other = stores.shared() if stores.shared is not None and globally else None
    with (
        intents.together([other, store] if other else [store], action),
        store.change("capture", label, job.actor, action) as change,
    ):
        current = unread.part(store, job.path)
        # Another run has read it while the model worked, and stored what it found.
        if current.start != state.start:
            return None
        if other:
            with other.change("capture", label, job.actor, action) as elsewhere:
                total.add(apply.admit(other, elsewhere, globally, str(job.path)))
        total.stored += _amend_stored(store, change, job, reading.amendments, config, refused)
        total.add(apply.admit(store, change, locally, str(job.path)))
        after, error = _advanced(state, current, reading, store.clock())
        unread.save(store, job.path, after)
        if not (reading.answers or error):
            return None
        read_up_to = state.end if reading.rest is None else reading.rest
        entry = replace(
            entry,
            candidates=len(found) + reading.refused.total(),
            error=error,
            bytes_read=read_up_to - (state.start or 0) if reading.answers else 0,
            stored=len(total.stored),
            suggested=len(total.suggested),
            merged=len(total.merged),
            refused=dict(refused + total.refused + Counter(quarantined=len(total.quarantined))),
        )
        ledger.record(store, entry)
    return entry, total


def _amend_stored(
    store: Store,
    change: Change,
    job: CaptureJob,
    amendments: Sequence[tuple[Amendment, Source]],
    config: Config,
    refused: Counter[str],
) -> list[str]:
    """Apply what the model says of stored memories; the ids of the suggestions that it keeps."""
    found = store.memories([amendment.memory for amendment, _ in amendments])
    suggested = [one.id for one in found if one.status == "suggested"]
    for amendment, by in amendments:
        made = amending.checked(amendment, config, by.rule)
        source = replace(by, transcript=store.clean(str(job.path)))
        said = made if isinstance(made, str) else amending.amend(store, change, made, source)
        if said not in ("", amending.PROPOSED):
            refused[f"model: on a memory: {said}"] += 1
    # Keeping, dropping and rewording change the status alike, so it is read again.
    return [one.id for one in store.memories(suggested) if one.status == "active"]


def _summary(
    store: Store, state: UnreadPart, reading: ModelReading, config: Config, refused: Counter[str]
) -> list[Candidate]:
    """The entry of the history that says where an ended session stopped, if the model wrote one.

    It takes the place of the one that the rules made, which stays where the model's gives orders.
    """
    if reading.summary is None or reading.rest not in (None, state.end):
        return []
    (*summaries,) = pipeline.checked_candidates([reading.summary], config, refused)
    for summary in summaries:
        if checks.reason_to_wait(summary):
            refused["model: a summary that gives orders"] += 1
            return []
    known = memory_lookup.of_event(store, str(reading.summary.details.get("event", "")))
    since = store.memory(known).created if known else 0.0
    # Written after the whole session: no entry of it is newer.
    return [replace(one, time=max(one.time or 0.0, since)) for one in summaries]


def note_unasked(store: Store, job: CaptureJob, failure: ModelFailed) -> None:
    """Record in the ledger, once for each reason, why the model was not asked."""
    state = unread.part(store, job.path)
    if state.start is None:
        return
    now = store.clock()
    after = state.failed(failure, now)
    with store.write():
        if after.is_hopeless(now):
            after = after.read_up_to(None, now)
        unread.save(store, job.path, after)
        if state.reason != failure.reason:
            ledger.record(
                store,
                LedgerEntry(
                    number=0,
                    time=now,
                    event=job.event,
                    session=job.path.stem,
                    transcript=str(job.path),
                    error=f"model not called: {failure.reason}",
                ),
            )


def _advanced(
    state: UnreadPart, current: UnreadPart, reading: ModelReading, now: float
) -> tuple[UnreadPart, str]:
    """The position of the model in the session, and the ledger's text for a failure."""
    after = state
    if reading.answers or reading.rest is None:
        after = state.read_up_to(reading.rest, now)
    error = ""
    if reading.failure is not None:
        after = after.failed(reading.failure, now)
        error = f"model: {reading.failure.reason}; Cortex tries again later"
        if reading.is_gone or after.is_hopeless(now):
            is_one_chunk = after.unusable >= MOST_UNUSABLE and not reading.is_gone
            after = after.read_up_to(reading.beyond if is_one_chunk else None, now)
            error = f"model: {reading.failure.reason}; left to the rules permanently"
    if current.end > state.end:
        start = state.end if after.start is None else after.start
        after = replace(after, start=start, end=current.end, final=current.final)
    return after, error

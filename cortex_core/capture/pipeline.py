"""From the unread bytes of a transcript to memories: read, redact, extract, then one transaction.

The rules read a transcript at once and move its cursor. If a language model was chosen, the same
bytes then wait for it (`model_pass` reads them), until it has read them or failed too often.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

from cortex_core.admission import apply, checks
from cortex_core.admission.apply import Admitted
from cortex_core.agents.transcripts import reader_of
from cortex_core.base.config import Config
from cortex_core.base.errors import UsageError
from cortex_core.capture import memory_files, recurring, unread
from cortex_core.capture.unread import UnreadPart
from cortex_core.extract import rules
from cortex_core.extract.sources import LATER
from cortex_core.records import events as event_records
from cortex_core.records.captures import LedgerEntry, RuleTier
from cortex_core.records.events import Candidate, Event, Observation
from cortex_core.records.memory import Actor
from cortex_core.redaction import redactor
from cortex_core.redaction.redacted_events import redacted
from cortex_core.store import cursors, intents, ledger, observations, rows
from cortex_core.store.cursors import Cursor
from cortex_core.store.store import Store

GLOBAL_FROM = 0.8
"""Scope confidence above which a memory that an extractor calls global goes to the global store."""

Watch = Callable[[str, Sequence[Event]], None]

STRETCH = 20_000
"""Events kept in memory at once; a longer stretch is cut before a prompt of the user."""


@dataclass(slots=True)
class Reading:
    """What one pass over the unread part of a transcript found, before anything is written."""

    path: Path
    session: str
    start: int
    cursor: Cursor
    candidates: list[Candidate]
    refused: Counter[str]
    fresh: Set[int]
    """Keys of the records read for the first time."""
    problems: Mapping[str, int]
    observations: list[Observation]
    tiers: Mapping[str, RuleTier]
    """The tier of each rule that was in effect."""
    first: int | None = None
    """Byte offset of the first new event; None without one."""
    remembered: Mapping[str, tuple[float, list[Candidate]]] = field(default_factory=dict)
    """Each file of the agent's own memory that this part wrote: when last, and what it states."""

    @property
    def bytes_read(self) -> int:
        """Bytes between the old and the new offset."""
        return self.cursor.position.offset - self.start


def read(
    path: Path,
    cursor: Cursor,
    is_known: Callable[[int], bool],
    config: Config,
    tiers: Mapping[str, RuleTier],
    *,
    final: bool,
    watch: Watch | None = None,
) -> Reading:
    """Read and extract what is new in a transcript; writes nothing.

    Args:
        is_known: whether the record with a key was read before.
        watch: called with the session's id and its events, stretch by stretch.

    Raises:
        TranscriptError: the file cannot be read.
    """
    extra = config.get("redact.extra")
    with reader_of(path).read(
        path,
        cursor.position,
        lambda mark: is_known(event_records.uuid_key(mark)),
    ) as reader:
        start = reader.position.offset
        carry: Mapping[str, Any] = json.loads(cursor.carry) if start else {}
        candidates: list[Candidate] = []
        later: list[Candidate] = []
        observations: list[Observation] = []
        refused: Counter[str] = Counter()
        remembered: dict[str, tuple[float, list[Candidate]]] = {}
        first: int | None = None
        # Stretch by stretch: a transcript can be larger than memory should hold.
        for events, last in _stretches(redacted(reader, extra)):
            if first is None and events:
                first = events[0].offset
            if watch is not None:
                watch(reader.session, events)
            remembered |= _remembered(events, config, refused)
            extracted = rules.extract(events, carry, final=final and last, tiers=tiers)
            carry = extracted.carry
            refused.update(extracted.refused)
            candidates += checked_candidates(extracted.candidates, config, refused)
            later += checked_candidates(extracted.later, config, Counter())
            observations += extracted.observations
    after = Cursor(position=reader.position, carry=rows.dumps(dict(carry)), final=final)
    return Reading(
        path=path,
        session=redactor.shared(tuple(extra)).text(reader.session),
        start=start,
        cursor=after,
        candidates=[*candidates, *later],
        observations=observations,
        refused=refused,
        fresh=reader.keys,
        problems=reader.problems,
        first=first,
        tiers=tiers,
        remembered=remembered,
    )


def checked_candidates(
    candidates: Sequence[Candidate], config: Config, refused: Counter[str]
) -> list[Candidate]:
    """The `candidates` that may be stored, redacted; the others are counted in `refused`."""
    kept = []
    for candidate in candidates:
        pure = checks.checked_candidate(candidate, config)
        if isinstance(pure, str):
            is_asked = candidate.rule == "prompt-remember"
            refused[f"“Remember” not kept: {pure}" if is_asked else pure] += 1
        else:
            kept.append(pure)
    return kept


def _remembered(
    events: Sequence[Event], config: Config, refused: Counter[str]
) -> dict[str, tuple[float, list[Candidate]]]:
    """What the agent wrote to its own memory, by file: when last, and what each states now."""
    last: dict[str, tuple[Event, str]] = {}
    for event in events:
        if event.role == "tool_result" and "remembered" in event.input:
            written = event.input["remembered"]
            last[written["file"]] = (event, written["text"])
    found: dict[str, tuple[float, list[Candidate]]] = {}
    for file, (event, words) in last.items():
        from cortex_core.capture import agent_memory  # few sessions need YAML

        try:
            stated = agent_memory.statements(file, words, event)
        except UsageError:
            refused["unreadable memory file"] += 1
            continue
        found[file] = (event.time or 0.0, checked_candidates(stated, config, refused))
    return found


def _stretches(events: Iterator[Event]) -> Iterator[tuple[list[Event], bool]]:
    """The events in stretches that fit into memory, each with whether it is the last."""
    stretch: list[Event] = []
    for event in events:
        if len(stretch) >= STRETCH and event.role == "human":
            yield stretch, False
            stretch = []
        stretch.append(event)
    yield stretch, True


def write(
    project: Store,
    shared: Callable[[], Store] | None,
    reading: Reading,
    *,
    event: str,
    actor: Actor = "worker",
    action: str = "",
    started: float,
    for_model: bool = False,
) -> tuple[LedgerEntry, Admitted]:
    """Store what a reading found and move its cursor, in both stores or in neither.

    Args:
        for_model: whether a language model will read the same bytes later.
    """
    globally = [c for c in reading.candidates if shared is not None and is_global(c)]
    locally = [c for c in reading.candidates if shared is None or not is_global(c)]
    total, action = Admitted(), action or token_hex(8)
    other = shared() if shared is not None and globally else None
    label = f"learn from session {reading.session[:8] or reading.path.stem[:8]}"
    for candidate in locally[:1]:  # the first, whose way the others go
        apply.warm_up(project, apply.to_memory(candidate, project, str(reading.path), 0))
    with intents.together([other, project] if other else [project], action):
        if other:
            with other.change("capture", label, actor, action) as elsewhere:
                total.add(apply.admit(other, elsewhere, globally, str(reading.path)))
        with project.change("capture", label, actor, action) as change:
            total.add(apply.admit(project, change, locally, str(reading.path)))
            for file, (moment, stated) in reading.remembered.items():
                # A folder without a project shares its store with others: its files have no place.
                if project.scope == "project":
                    more = memory_files.update(
                        project, change, file, stated, moment, str(reading.path)
                    )
                    total.add(more)
            cursors.save(project, reading.path, reading.session, reading.cursor)
            cursors.note_read(project, list(reading.fresh))
            if reading.observations:
                observations.add(project, reading.observations)
            if reading.cursor.final and (reading.observations or reading.start):
                # As finds settle, so that it does not matter in how many parts it is read.
                more = recurring.update(project, change, reading.tiers, str(reading.path))
                total.add(more)
            if for_model:
                _leave_to_model(project, reading)
            entry = LedgerEntry(
                number=0,
                time=project.clock(),
                event=event,
                session=reading.session,
                transcript=str(reading.path),
                extractor="rules",
                bytes_read=reading.bytes_read,
                candidates=sum(LATER not in each.details for each in reading.candidates),
                stored=len(total.stored),
                suggested=len(total.suggested),
                merged=len(total.merged) + len(total.updated),
                refused=dict(
                    reading.refused
                    + total.refused
                    + Counter(reading.problems)
                    + Counter(quarantined=len(total.quarantined))
                ),
                seconds=round(time.perf_counter() - started, 4),
            )
            ledger.record(project, entry)
    return entry, total


def fail(store: Store, path: Path, session: str, event: str, error: Exception) -> LedgerEntry:
    """Record that a capture failed; the cursor stays, so that the next run tries again."""
    entry = LedgerEntry(
        number=0,
        time=store.clock(),
        event=event,
        session=session,
        transcript=str(path),
        extractor="rules",
        error=f"{type(error).__name__}: {error}"[:500],
    )
    with store.write():
        ledger.record(store, entry)
    return entry


def is_global(candidate: Candidate) -> bool:
    """Whether a candidate goes to the global store."""
    return candidate.scope == "global" and candidate.scope_confidence > GLOBAL_FROM


def _leave_to_model(store: Store, reading: Reading) -> None:
    is_replaced = bool(reading.problems.get("replaced file"))
    state = UnreadPart() if is_replaced else unread.part(store, reading.path)
    if reading.first is None and state.start is None:
        return
    cursor = reading.cursor
    after = state.extended(reading.first, cursor.position.offset, cursor.final, store.clock())
    unread.save(store, reading.path, after)

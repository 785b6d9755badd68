"""From a transcript's unread bytes to memories: read, extract, purify, then one transaction."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex_core.capture import admission, rules, transcript, waiting
from cortex_core.capture.admission import Admitted
from cortex_core.capture.events import Candidate, Event
from cortex_core.capture.redacted import redacted
from cortex_core.capture.waiting import Waiting
from cortex_core.config import Config
from cortex_core.memory import Actor
from cortex_core.records import LedgerEntry
from cortex_core.reports.curation import RuleTier
from cortex_core.storage import cursors, ledger, rows
from cortex_core.storage.cursors import SavedCursor
from cortex_core.storage.store import Store

GLOBAL_FROM = 0.8
"""An extractor's confidence above which a memory it calls global goes to the global store."""

Watch = Callable[[str, Sequence[Event]], None]

STRETCH = 20_000
"""Events that are held at once; a longer stretch is cut before a person's prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far a transcript has been read."""

    offset: int = 0
    head: str = ""
    """Hash of the file's beginning: another one means another file under the same name."""
    carry: str = "{}"
    final: bool = False


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
    first: int | None = None
    """Byte offset of the first event that was read for the first time; None where there was none.
    """

    @property
    def bytes_read(self) -> int:
        """Bytes between the old and the new offset."""
        return self.cursor.offset - self.start


def cursor_of(store: Store, path: Path) -> Cursor:
    """The saved position in the transcript at `path`."""
    saved = cursors.read(store, str(path))
    return Cursor() if saved is None else Cursor(**saved._asdict())


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
    """Read and extract what is new in a transcript; nothing is written.

    Args:
        is_known: whether the record with a key was read before.
        watch: shown the session's id and its events, stretch by stretch.

    Raises:
        TranscriptError: the file cannot be read.
    """
    with transcript.read(
        path, cursor.offset, lambda mark: is_known(transcript.uuid_key(mark)), head=cursor.head
    ) as reader:
        start = reader.offset
        carry: Mapping[str, Any] = json.loads(cursor.carry) if start else {}
        candidates: list[Candidate] = []
        refused: Counter[str] = Counter()
        first: int | None = None
        for events, last in _stretches(redacted(reader, config.get("redact.extra"))):
            if first is None and events:
                first = events[0].offset
            if watch is not None:
                watch(reader.session, events)
            made = rules.extract(events, carry, final=final and last, tiers=tiers)
            carry = made.carry
            refused.update(made.refused)
            candidates += purified(made.candidates, config, refused)
    after = Cursor(
        offset=reader.offset, head=reader.head, carry=rows.dumps(dict(carry)), final=final
    )
    return Reading(
        path=path, session=reader.session, start=start, cursor=after, candidates=candidates,
        refused=refused, fresh=reader.keys, problems=reader.problems, first=first,
    )  # fmt: skip


def purified(
    candidates: Sequence[Candidate], config: Config, refused: Counter[str]
) -> list[Candidate]:
    """Those of `candidates` that may be written, redacted; the others are counted in `refused`."""
    kept = []
    for candidate in candidates:
        pure = admission.purify(candidate, config)
        if isinstance(pure, str):
            refused[pure] += 1
        else:
            kept.append(pure)
    return kept


def _stretches(events: Iterator[Event]) -> Iterator[tuple[list[Event], bool]]:
    held: list[Event] = []
    for event in events:
        if len(held) >= STRETCH and event.role == "human":
            yield held, False
            held = []
        held.append(event)
    yield held, True


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
    """Store what a reading found and move its cursor, in one transaction a store.

    The global store goes first: killed in between, the next run finds its memories again, already
    known, and nothing is lost or doubled.

    Args:
        for_model: whether a language model is to read the same bytes later.
    """
    globally = [one for one in reading.candidates if shared is not None and is_global(one)]
    locally = [one for one in reading.candidates if shared is None or not is_global(one)]
    total = Admitted()
    if shared is not None and globally:
        join(total, _store(shared(), globally, reading, actor, action))
    label = f"learn from session {reading.session[:8] or reading.path.stem[:8]}"
    with project.change("capture", label, actor, action) as change:
        join(total, admission.admit(project, change, locally, str(reading.path)))
        _save_cursor(project, reading)
        if for_model:
            _leave_to_model(project, reading)
        entry = LedgerEntry(
            number=0, time=project.clock(), event=event, session=reading.session,
            transcript=str(reading.path), extractor="rules", bytes_read=reading.bytes_read,
            candidates=len(reading.candidates), stored=len(total.stored),
            suggested=len(total.suggested), merged=len(total.merged),
            refused=dict(
                reading.refused + total.refused + Counter(reading.problems)
                + Counter(quarantined=len(total.quarantined))
            ),
            seconds=round(time.perf_counter() - started, 4),
        )  # fmt: skip
        ledger.record(project, entry)
    return entry, total


def fail(store: Store, path: Path, session: str, event: str, error: Exception) -> LedgerEntry:
    """Record that a capture failed; the cursor stays, so that the next run tries again."""
    entry = LedgerEntry(
        number=0, time=store.clock(), event=event, session=session, transcript=str(path),
        extractor="rules", error=f"{type(error).__name__}: {error}"[:500],
    )  # fmt: skip
    with store.write():
        ledger.record(store, entry)
    return entry


def _store(
    store: Store, candidates: Sequence[Candidate], reading: Reading, actor: Actor, action: str
) -> Admitted:
    label = f"learn from session {reading.session[:8]}"
    with store.change("capture", label, actor, action) as change:
        return admission.admit(store, change, candidates, str(reading.path))


def is_global(candidate: Candidate) -> bool:
    """Whether a candidate goes to the global store."""
    return candidate.scope == "global" and candidate.scope_confidence > GLOBAL_FROM


def join(total: Admitted, more: Admitted) -> None:
    """Add `more` to `total`."""
    total.stored += more.stored
    total.suggested += more.suggested
    total.quarantined += more.quarantined
    total.merged += more.merged
    total.refused += more.refused


def _leave_to_model(store: Store, reading: Reading) -> None:
    is_replaced = bool(reading.problems.get("replaced file"))
    state = Waiting() if is_replaced else waiting.of(store, reading.path)
    if reading.first is None and state.start is None:
        return
    cursor = reading.cursor
    after = state.extended(reading.first, cursor.offset, cursor.final, store.clock())
    waiting.save(store, reading.path, after)


def _save_cursor(store: Store, reading: Reading) -> None:
    cursor = reading.cursor
    saved = SavedCursor(cursor.offset, cursor.head, cursor.carry, cursor.final)
    cursors.save(store, str(reading.path), reading.session, saved)
    cursors.note_read(store, list(reading.fresh))

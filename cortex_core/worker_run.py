"""What one run of the worker does, step by step."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from cortex_core.agents import transcripts
from cortex_core.api import Cortex
from cortex_core.base import decay, hook_words, log as logs
from cortex_core.base.errors import NotFound, StoreUnusable, TranscriptError
from cortex_core.base.project import Project
from cortex_core.capture import pipeline, repeats, spool
from cortex_core.curation import consolidation
from cortex_core.records.captures import LedgerEntry
from cortex_core.redaction.secrets import redact
from cortex_core.store import cursors, ledger, vector_search
from cortex_core.surface import agents_file, receipts
from cortex_core.triggers import assigning

SETTLE = 2.0
"""Seconds after its hook in which a transcript may still grow."""

SETTLE_INTERVAL = 0.5
"""Seconds between two looks at its size."""

IDLE = 900.0
"""Seconds without a write after which a session counts as ended."""

KEEPING = 30.0
"""Seconds of a run in which past sessions are read for how rules were kept."""

CATCHING_UP = 60.0
"""Seconds of a run in which conversations are read that are not in the archive."""

EMBEDDING = 120.0
"""Seconds of a run in which messages of conversations get vectors."""

SYNCING = 120.0
"""Seconds of a run after which no further exchange with other machines begins."""

FOLLOWING = 10.0
"""Seconds that the hub of a team may take to say what is new."""

GRACE = 86_400.0
"""Seconds before the creation of the store; sessions that ended earlier are left to an import."""

ENDS_OF_TURNS = (hook_words.STOP, hook_words.COMPACTION, hook_words.END)


def work(cortex: Cortex, until: float) -> None:
    """One run: sessions that hooks recorded, sessions that they missed, then maintenance.

    Args:
        until: when to start nothing more, on the monotonic clock.
    """
    receipts.ingest(cortex.project, cortex.workspace.store())
    records = spool.records(cortex.project)
    captured = _capture_recorded(cortex, records, until)
    if not cortex.sessions.paused:
        _sweep(cortex, captured, until)
        with _log_failures(cortex, "Claude Code's memory", StoreUnusable):
            cortex.exchange.keep_up_with_claude_memory()
        _ask_again(cortex, captured, until)
    maintain(cortex, before(until))
    record_keeping(cortex, until)
    if any(record.event == hook_words.END for record in records):
        sync_machines(cortex, until)
    if not cortex.sessions.paused:
        with _log_failures(cortex, "archive"):
            cortex.sessions.archive.recorder.catch_up(should_continue=before(until, CATCHING_UP))
    embed_conversations(cortex, until)
    follow_team(cortex)


def before(until: float, seconds: float = float("inf")) -> Callable[[], bool]:
    """What says whether it is not yet `until`, and no more than `seconds` from now."""
    end = min(until, time.monotonic() + seconds)
    return lambda: time.monotonic() < end


@contextmanager
def _log_failures(cortex: Cortex, what: str, *passed: type[Exception]) -> Iterator[None]:
    """Note in the log what fails inside, because nothing else waits for it: a later run does it.

    Args:
        passed: errors that are no reason to go on.
    """
    try:
        yield
    except passed:
        raise
    except Exception as error:
        log(cortex.project, f"{what}: {type(error).__name__}: {error}")


# --- capturing


def _capture_recorded(cortex: Cortex, records: list[spool.Record], until: float) -> set[Path]:
    """Capture every session that hooks recorded; returns the transcripts that were read."""
    sessions: dict[tuple[str, str], list[spool.Record]] = {}
    for record in records:
        # The end of an agent that a session started names the agent's transcript, not its own.
        is_agents = record.event == hook_words.SUBAGENT_STOP
        agent = str(record.fields.get("agent") or "") if is_agents else ""
        sessions.setdefault((record.session, agent), []).append(record)
    captured: set[Path] = set()
    for session_records in sessions.values():
        path = _transcript(session_records)
        if (
            path is not None
            and not cortex.sessions.paused
            and any(record.event in ENDS_OF_TURNS for record in session_records)
        ):
            with suppress(TranscriptError):  # of a form that nobody knows: capturing it says so
                _wait_until_written(path, session_records[-1])
            event = session_records[-1].event
            _capture(cortex, path, event, until, final=event == hook_words.END)
            captured.add(path)
        _note_firings(cortex, session_records)
        for record in session_records:
            spool.done(record)
    return captured


def _transcript(records: Iterable[spool.Record]) -> Path | None:
    """The key of the session's transcript; Claude Code moves it when the session enters a
    worktree."""
    named = [Path(record.transcript) for record in records if record.transcript]
    for path in reversed(named):
        with suppress(OSError, ValueError):  # a path that no file can have
            if transcripts.exists(path):
                return Path(transcripts.key_of(path.absolute()))
            for moved in transcripts.found(path.name):
                return Path(transcripts.key_of(moved))
    return None


def _wait_until_written(path: Path, record: spool.Record) -> None:
    """Wait until the transcript stops growing: an agent may write the end of a turn after its hook
    has run. That of an old record had its time: many of them wait after a pause."""
    reader = transcripts.reader_of(path)
    before, size = -1, reader.extent(path)
    while before != size and time.time() - record.time < SETTLE:
        time.sleep(SETTLE_INTERVAL)
        before, size = size, reader.extent(path)


def _sweep(cortex: Cortex, captured: set[Path], until: float) -> None:
    """Capture sessions whose hooks never fired: killed sessions, hooks that were off."""
    for path, idle in _unread(cortex):
        if time.monotonic() > until:
            return
        if path not in captured:
            _capture(cortex, path, "sweep", until, final=idle > IDLE)
            captured.add(path)


def _unread(cortex: Cortex) -> list[tuple[Path, float]]:
    """Path or key of the transcripts of this project with unread bytes, or that ended unnoticed,
    oldest first, and the seconds since each was last written."""
    store = cortex.workspace.store()
    earliest = float(store.meta("created") or 0) - GRACE
    now = cortex.workspace.clock()
    found = []
    for one in cortex.sessions.on_disk():
        try:
            cursor = cursors.load(store, one.key) or cursors.Cursor()
        except UnicodeError:  # a name that cannot be stored
            continue
        idle = now - one.changed
        ended = cursor.position.offset > 0 and not cursor.final and idle > IDLE
        if one.changed >= earliest and (one.size > cursor.position.offset or ended):
            found.append((Path(one.key), idle))
    return sorted(found, key=lambda pair: -pair[1])


def _ask_again(cortex: Cortex, captured: set[Path], until: float) -> None:
    """Let the language model read the parts that still wait for it."""
    for path in cortex.llm.waiting():
        if time.monotonic() > until:
            return
        if path not in captured:
            with _log_failures(cortex, f"again {path.name}", StoreUnusable):
                cortex.sessions.ask_model(path, "again", should_continue=before(until))


def _capture(cortex: Cortex, path: Path, event: str, until: float, *, final: bool) -> None:
    """Capture one session; what fails in it alone is noted, and is no reason to stop.

    Raises:
        StoreUnusable: no session can be captured now.
    """
    with _log_failures(cortex, f"{event} {path.name}", StoreUnusable):
        try:
            cortex.sessions.capture(path, event=event, final=final, should_continue=before(until))
        except StoreUnusable:
            raise
        except Exception as error:  # the next run reads the transcript again
            pipeline.fail(cortex.workspace.store(), path, path.stem, event, error)
            raise


def _note_firings(cortex: Cortex, records: Sequence[spool.Record]) -> None:
    """Write a ledger row for each hook event."""
    store = cortex.workspace.store()
    with store.write():
        for record in records:
            ledger.record(
                store,
                LedgerEntry(
                    number=0,
                    time=record.time or store.clock(),
                    event=record.event,
                    session=record.session,
                    transcript=record.transcript and transcripts.key_of(record.transcript),
                    error=str(record.fields.get("error") or ""),
                ),
            )


# --- what follows a capture


def maintain(cortex: Cortex, should_continue: Callable[[], bool] = lambda: True) -> None:
    """What follows a capture: what memories name is checked, vectors, lifecycle once a day,
    consolidation, the surface."""
    own = [store for store in cortex.workspace.own_stores if store.writable]
    for store in own:
        assigning.find_missing(store)
    cortex.code.anchors.check(force=False, should_continue=should_continue)
    cortex.models.embed_pending(should_continue=should_continue)
    today = int(cortex.workspace.clock() // decay.DAY)
    stores = cortex.workspace.stores
    due = [store for store in own if store.meta("lifecycle") != str(today)]
    # Once a day is enough for what days change, and a clock that leapt may be a wrong one.
    if due and not cortex.lifecycle.leap():
        cortex.lifecycle.run()
        with _log_failures(cortex, "archive"):
            cortex.sessions.archive.tidy()
    for store in due:
        store.set_meta("lifecycle", str(today))
    if (embedder := cortex.models.embedder()) is not None:
        for store in stores:
            vector_search.refresh(store, embedder.name, embedder.dimension)
    after_new = cortex.config.get("consolidation.after_new")
    if cortex.config.get("consolidation.mode") != "off" and any(
        consolidation.is_due(store, after_new) for store in own
    ):
        cortex.consolidate(cortex.config.get("consolidation.threshold"), new_only=True)
    consolidation.ask_model(cortex.workspace, cortex.llm, should_continue)
    agents_file.refresh(cortex.project, cortex.workspace.clock())
    repeats.update(cortex.workspace, afresh=False)


def record_keeping(cortex: Cortex, until: float) -> None:
    """Bring the record of how rules were kept up to date, for a while; the next run goes on."""
    with _log_failures(cortex, "record of keeping", StoreUnusable):
        cortex.memories.triggers.keeping.record(
            should_continue=before(until, KEEPING), is_patient=True
        )


def sync_machines(cortex: Cortex, until: float) -> None:
    """Exchange memories with the user's other machines, if the user's own settings say so.

    What fails is in the log and in the state of the remote; the next session's end tries again.
    """
    if not cortex.config.get("sync.after_session"):
        return
    with _log_failures(cortex, "sync"), suppress(NotFound):  # which is that nothing here takes part
        report = cortex.sync.run(should_continue=before(until, SYNCING))
        for remote in report.remotes:
            if remote.error:
                log(cortex.project, f"sync {remote.name}: {remote.error}")
        if report.received:
            cortex.models.embed_pending(should_continue=before(until))
            agents_file.refresh(cortex.project, cortex.workspace.clock())


def embed_conversations(cortex: Cortex, until: float) -> None:
    """Compute the vectors of messages in the archive, for a while; the next run goes on.

    It ends as soon as a hook records something.
    """
    is_early = before(until, EMBEDDING)
    with _log_failures(cortex, "vectors of conversations"):
        cortex.sessions.archive.embed(
            should_continue=lambda: is_early() and not spool.is_waiting(cortex.project)
        )


def follow_team(cortex: Cortex) -> None:
    """Read what the team of the project approved, for a short while, so that the next session has
    it, and give its hub the vectors that search lacks there; without a team, nothing is asked."""
    if cortex.workspace.existing("team") is None:
        return
    with _log_failures(cortex, "team"):
        if cortex.team.status() is None:
            return
        if cortex.team.pull(FOLLOWING).changed:
            cortex.models.embed_pending()
            agents_file.refresh(cortex.project, cortex.workspace.clock())
        cortex.team.fill_vectors(FOLLOWING)


def log(project: Project, message: str) -> None:
    """Add a line to the project's log, without secrets."""
    logs.write(project, redact(message).text)

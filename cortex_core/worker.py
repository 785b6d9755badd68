"""The detached worker: it processes the spool, captures sessions, and maintains the stores.

Each project has one worker at a time. It has a deadline and leaves the rest for the next one. If it
is killed, nothing is lost: a record is removed only after its memories are stored. A worker that
cannot use its store or its settings says so in one sentence and leaves the records to the next one,
which the next event starts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import CHILD
from cortex_core.base import hook_words
from cortex_core.store import vector_search

DEADLINE = 600.0
"""Seconds that a run may take."""

SETTLE = 6.0
"""Seconds a transcript may take to catch up with the record of its hook."""

SETTLE_INTERVAL = 0.5
"""Seconds between two checks of a transcript that has not caught up."""

IDLE = 900.0
"""Seconds without a write after which a session counts as ended."""

LOCKED = 60.0
"""Seconds that another process may hold a store before the worker gives up."""

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

PAUSE = 2.0
"""Seconds between two tries at a store that is held."""

GRACE = 86_400.0
"""Seconds before the creation of the store; sessions that ended earlier are left to an import."""

ENDS_OF_TURNS = (hook_words.STOP, hook_words.COMPACTION, hook_words.END)

if TYPE_CHECKING:
    from cortex_core.api import Cortex
    from cortex_core.base.project import Project
    from cortex_core.capture.spool import Record


def main(arguments: list[str] | None = None) -> int:
    """Run for `--project DIR` (or `--cwd DIR`); returns 0 also if another worker is running."""
    os.environ[CHILD] = "1"
    from cortex_core.base import project as projects

    given = sys.argv[1:] if arguments is None else arguments
    options = dict(zip(given[::2], given[1::2], strict=False))
    project = projects.find(cwd=options.get("--cwd"), explicit=options.get("--project"))
    if project.doubt or (project.root is not None and not Path(project.root).is_dir()):
        return 0
    try:
        _run_until_done(project)
    except Exception as error:
        _give_up(project, error)
    return 0


def _run_until_done(project: Project) -> None:
    """Run as long as records arrive; at once over where another worker runs."""
    from cortex_core.base import project as projects
    from cortex_core.capture import spool

    projects.prepare(project)
    until = time.monotonic() + DEADLINE
    again = True
    while again and time.monotonic() < until:
        with spool.WorkerLock(project) as alone:
            if not alone:
                return
            _sweep_leftovers(project)
            _run(project, until)
        again = spool.is_waiting(project)
    spool.forget_problem(project)


def _sweep_leftovers(project: Project) -> None:
    """Finish or remove what killed processes left."""
    from cortex_core.store import leftovers

    for folder in dict.fromkeys((project.data, project.home)):
        leftovers.sweep(Path(folder))
    if project.surface_file is not None:
        file = Path(project.surface_file)
        leftovers.sweep_files(file.parent, of=file.name)
    leftovers.sweep_scratch()


def _run(project: Project, until: float) -> None:
    """One run, tried again for a while if another process holds a store."""
    from cortex_core.api import Cortex
    from cortex_core.base.errors import StoreLocked
    from cortex_core.store import opening

    patience = time.monotonic() + LOCKED
    with Cortex.open(cwd=project.cwd, project=project.root, home=project.home) as cortex:
        while True:
            try:
                with opening.translated(Path(project.project_db or project.global_db)):
                    return work(cortex, until)
            except StoreLocked:
                if time.monotonic() > patience:
                    raise
            time.sleep(PAUSE)


def _give_up(project: Project, error: Exception) -> None:
    """Say in one sentence why nothing was captured, once for each reason."""
    from cortex_core.base import config as configuration
    from cortex_core.base.errors import ConfigError, CortexError, StoreLocked
    from cortex_core.capture import spool
    from cortex_core.records.memory import OWN_SCOPES

    is_known = isinstance(error, CortexError)
    sentence = str(error) if is_known else f"{type(error).__name__}: {error}"
    sentence = sentence.replace("Nothing was changed. ", "")  # what was captured before that stays
    about: list[str] = []
    if isinstance(error, ConfigError):
        about = [configuration.path(project, scope) for scope in OWN_SCOPES]
    elif isinstance(error, CortexError) and not isinstance(error, StoreLocked):
        about = [path for _, path in project.store_files()]
    if spool.note_problem(project, sentence, about):
        log(project, f"worker: {sentence}")
        _note_in_ledger(project, sentence)


def _note_in_ledger(project: Project, sentence: str) -> None:
    """Write a row of the ledger, where there is a store that can be written."""
    from cortex_core.api import Cortex
    from cortex_core.base.config import Config
    from cortex_core.base.errors import CortexError
    from cortex_core.records.captures import LedgerEntry
    from cortex_core.store import ledger

    with (
        suppress(CortexError, OSError),
        Cortex.open(project.root, project.home, cwd=project.cwd, config=Config()) as cortex,
    ):
        store = cortex.workspace.existing(cortex.workspace.default_scope())
        if store is not None:
            entry = LedgerEntry(number=0, time=store.clock(), event="Worker", error=sentence)
            with store.without_waiting(), store.write():
                ledger.record(store, entry)


def work(cortex: Cortex, until: float | None = None) -> None:
    """One run: sessions that hooks recorded, sessions that they missed, then maintenance.

    Args:
        until: when to start nothing more, on the monotonic clock.
    """
    from cortex_core.capture import spool

    until = until if until is not None else time.monotonic() + DEADLINE
    ingest_receipts(cortex)
    records = spool.records(cortex.project)
    captured = _capture_recorded(cortex, records, until)
    if not cortex.sessions.paused:
        _sweep(cortex, captured, until)
        follow_claude_memory(cortex)
        _ask_again(cortex, captured, until)
    maintain(cortex, should_continue=lambda: time.monotonic() < until)
    record_keeping(cortex, until)
    if any(record.event == hook_words.END for record in records):
        exchange(cortex, until)
    keep_conversations(cortex, until)
    embed_conversations(cortex, until)
    follow_team(cortex)


def _capture_recorded(cortex: Cortex, records: list[Record], until: float) -> set[Path]:
    """Capture every session that hooks recorded; returns the transcripts that were read."""
    from cortex_core.base.errors import TranscriptError
    from cortex_core.capture import spool

    sessions: dict[tuple[str, str], list[Record]] = {}
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
                _settle(path, session_records[-1])
            event = session_records[-1].event
            _capture(cortex, path, event, until, final=event == hook_words.END)
            captured.add(path)
        note_firings(cortex, session_records)
        for record in session_records:
            spool.done(record)
    return captured


def _transcript(records: Iterable[Record]) -> Path | None:
    """The key of the session's transcript; Claude Code moves it when the session enters a
    worktree."""
    from cortex_core.agents.transcripts import exists, found, key_of

    named = [Path(record.transcript) for record in records if record.transcript]
    for path in reversed(named):
        try:
            if exists(path):
                return Path(key_of(path.absolute()))
            for moved in found(path.name):
                return Path(key_of(moved))
        except (OSError, ValueError):  # a path that no file can have
            continue
    return None


def _settle(path: Path, record: Record) -> None:
    """Wait until the transcript contains the turn that the hook recorded, or stops growing.

    The transcript of an old record had its time: many of them wait after a pause.
    """
    from cortex_core.agents.transcripts import reader_of

    age = max(0.0, time.time() - record.time)
    patience = time.monotonic() + SETTLE - age
    size = -1
    while time.monotonic() < patience:
        if record.last_hash and reader_of(path).holds_reply(path, record.last_hash):
            return
        now = reader_of(path).extent(path)
        if not record.last_hash and now == size:
            return
        size = now
        time.sleep(SETTLE_INTERVAL)


def _sweep(cortex: Cortex, captured: set[Path], until: float) -> None:
    """Capture sessions whose hooks never fired: killed sessions, hooks that were off."""
    for path, idle in unread(cortex, ended_after=IDLE):
        if time.monotonic() > until:
            return
        if path not in captured:
            _capture(cortex, path, "sweep", until, final=idle > IDLE)
            captured.add(path)


def _ask_again(cortex: Cortex, captured: set[Path], until: float) -> None:
    """Let the language model read the parts that still wait for it."""
    from cortex_core.base.errors import StoreUnusable

    for path in cortex.llm.waiting():
        if time.monotonic() > until:
            return
        if path in captured:
            continue
        try:
            cortex.sessions.ask_model(
                path, "again", should_continue=lambda: time.monotonic() < until
            )
        except StoreUnusable:
            raise
        except Exception as error:
            log(cortex.project, f"again {path.name}: {type(error).__name__}: {error}")


def _capture(cortex: Cortex, path: Path, event: str, until: float, *, final: bool) -> None:
    """Capture one session; what fails in it alone is noted, and is no reason to stop.

    Raises:
        StoreUnusable: no session can be captured now.
    """
    from cortex_core.base.errors import StoreUnusable

    try:
        cortex.sessions.capture(
            path, event=event, final=final, should_continue=lambda: time.monotonic() < until
        )
    except StoreUnusable:
        raise
    except Exception as error:
        log(cortex.project, f"{event} {path.name}: {type(error).__name__}: {error}")
        note_failure(cortex, path, event, error)


# --- the steps of a run


def unread(cortex: Cortex, ended_after: float) -> list[tuple[Path, float]]:
    """Transcripts of this project with unread bytes, or that ended unnoticed, oldest first.

    Args:
        ended_after: seconds without a write after which a session has ended.

    Returns:
        Each path or key with the seconds since it was last written.
    """
    from cortex_core.store import cursors

    store = cortex.workspace.store()
    earliest = float(store.meta("created") or 0) - GRACE
    now = cortex.workspace.clock()
    transcripts = []
    for one in cortex.sessions.on_disk():
        try:
            cursor = cursors.load(store, one.key) or cursors.Cursor()
        except UnicodeError:  # a name that cannot be stored
            continue
        idle = now - one.changed
        ended = cursor.position.offset > 0 and not cursor.final and idle > ended_after
        if one.changed >= earliest and (one.size > cursor.position.offset or ended):
            transcripts.append((Path(one.key), idle))
    return sorted(transcripts, key=lambda pair: -pair[1])


def note_firings(cortex: Cortex, records: Sequence[Record]) -> None:
    """Write a ledger row for each hook event."""
    from cortex_core.records.captures import LedgerEntry
    from cortex_core.store import ledger

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
                    transcript=record.transcript,
                    error=str(record.fields.get("error") or ""),
                ),
            )


def note_failure(cortex: Cortex, path: Path, event: str, error: Exception) -> None:
    """Record why a capture failed; the next run reads the transcript again."""
    from cortex_core.capture import pipeline

    pipeline.fail(cortex.workspace.store(), path, path.stem, event, error)


def ingest_receipts(cortex: Cortex) -> None:
    """Turn the hooks' notes of what was injected into receipts."""
    from cortex_core.surface import receipts

    receipts.ingest(cortex.project, cortex.workspace.store())


def maintain(cortex: Cortex, should_continue: Callable[[], bool] = lambda: True) -> None:
    """What follows a capture: what memories name is checked, vectors, lifecycle once a day,
    consolidation, the surface."""
    from cortex_core.base import decay
    from cortex_core.capture import repeats
    from cortex_core.curation import consolidation
    from cortex_core.surface import agents_file
    from cortex_core.triggers import assigning

    own = [store for store in cortex.workspace.own_stores if store.writable]
    for store in own:
        assigning.find_missing(store)
    cortex.code.anchors.check(force=False, should_continue=should_continue)
    cortex.models.embed_pending(should_continue=should_continue)
    today = str(int(cortex.workspace.clock() // decay.DAY))
    stores = cortex.workspace.stores
    due = [store for store in own if store.meta("lifecycle") != today]
    # Once a day is enough for what days change.
    if due:
        cortex.lifecycle.run()
        tidy_conversations(cortex)
    for store in due:
        store.set_meta("lifecycle", today)
    if (embedder := cortex.models.embedder()) is not None:
        for store in stores:
            vector_search.refresh(store, embedder.name, embedder.dimension)
    _consolidate_when_due(cortex)
    consolidation.ask_model(cortex.workspace, cortex.llm, should_continue)
    agents_file.refresh(cortex.project, cortex.workspace.clock())
    repeats.update(cortex.workspace, afresh=False)


def follow_claude_memory(cortex: Cortex) -> None:
    """Take over what changed in Claude Code's own memory; what fails in it is noted."""
    from cortex_core.base.errors import StoreUnusable

    try:
        cortex.exchange.keep_up_with_claude_memory()
    except StoreUnusable:
        raise
    except Exception as error:
        log(cortex.project, f"Claude Code's memory: {type(error).__name__}: {error}")


def record_keeping(cortex: Cortex, until: float) -> None:
    """Bring the record of how rules were kept up to date, for a while; the next run goes on.

    Nothing else waits for it, and what fails in it is noted.
    """
    from cortex_core.base.errors import StoreUnusable

    end = min(until, time.monotonic() + KEEPING)
    try:
        cortex.memories.triggers.keeping.record(
            should_continue=lambda: time.monotonic() < end, is_patient=True
        )
    except StoreUnusable:
        raise
    except Exception as error:
        log(cortex.project, f"record of keeping: {type(error).__name__}: {error}")


@contextmanager
def _noted(cortex: Cortex, what: str) -> Iterator[None]:
    """Note in the log what fails inside, because nothing else waits for it: a later run does it."""
    try:
        yield
    except Exception as error:
        log(cortex.project, f"{what}: {type(error).__name__}: {error}")


def exchange(cortex: Cortex, until: float) -> None:
    """Exchange memories with the user's other machines, if the user's own settings say so.

    What fails is in the log and in the state of the remote; the next session's end tries again.
    """
    from cortex_core.base.errors import NotFound
    from cortex_core.surface import agents_file

    if not cortex.config.get("sync.after_session"):
        return
    end = min(until, time.monotonic() + SYNCING)
    with _noted(cortex, "sync"), suppress(NotFound):  # which is that nothing here takes part
        report = cortex.sync.run(should_continue=lambda: time.monotonic() < end)
        for remote in report.remotes:
            if remote.error:
                log(cortex.project, f"sync {remote.name}: {remote.error}")
        if report.received:
            cortex.models.embed_pending(should_continue=lambda: time.monotonic() < until)
            agents_file.refresh(cortex.project, cortex.workspace.clock())


def tidy_conversations(cortex: Cortex) -> None:
    """Remove the conversations that are not kept any longer."""
    with _noted(cortex, "archive"):
        cortex.sessions.archive.tidy()


def keep_conversations(cortex: Cortex, until: float) -> None:
    """Read into the archive what was captured before conversations were kept, for a while."""
    end = min(until, time.monotonic() + CATCHING_UP)
    if cortex.sessions.paused:
        return
    with _noted(cortex, "archive"):
        cortex.sessions.archive.recorder.catch_up(should_continue=lambda: time.monotonic() < end)


def embed_conversations(cortex: Cortex, until: float) -> None:
    """Compute the vectors of messages in the archive, for a while; the next run goes on.

    It ends as soon as a hook records something.
    """
    from cortex_core.capture import spool

    end = min(until, time.monotonic() + EMBEDDING)

    def is_idle() -> bool:
        return time.monotonic() < end and not spool.is_waiting(cortex.project)

    with _noted(cortex, "vectors of conversations"):
        cortex.sessions.archive.embed(should_continue=is_idle)


def follow_team(cortex: Cortex) -> None:
    """Read what the team of the project approved, for a short while, so that the next session has
    it, and give its hub the vectors that search lacks there; without a team, nothing is asked."""
    from cortex_core.surface import agents_file

    if cortex.workspace.existing("team") is None:
        return
    with _noted(cortex, "team"):
        if cortex.team.status() is None:
            return
        if cortex.team.pull(FOLLOWING).changed:
            cortex.models.embed_pending()
            agents_file.refresh(cortex.project, cortex.workspace.clock())
        cortex.team.fill_vectors(FOLLOWING)


def _consolidate_when_due(cortex: Cortex) -> None:
    from cortex_core.curation import consolidation

    if cortex.config.get("consolidation.mode") == "off":
        return
    after_new = cortex.config.get("consolidation.after_new")
    stores = cortex.workspace.own_stores
    if any(store.writable and consolidation.is_due(store, after_new) for store in stores):
        cortex.consolidate(cortex.config.get("consolidation.threshold"), new_only=True)


def log(project: Project, message: str) -> None:
    """Add a line to the project's log, without secrets."""
    from cortex_core.base import log
    from cortex_core.redaction.secrets import redact

    log.write(project, redact(message).text)


if __name__ == "__main__":
    raise SystemExit(main())

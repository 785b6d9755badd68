"""Checks of capture and of what follows from it.

Transcripts must be read before Claude Code deletes them; hook records, the worker and the log must
be in order; model costs and guards need no attention.
"""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from cortex_core.agents.protocol import Check
from cortex_core.base import decay, hook_io, log as log_file, project as projects, text
from cortex_core.base.errors import CortexError, ModelFailed
from cortex_core.capture import spool
from cortex_core.doctor.case import FIX, Case, of_agents, over_stores
from cortex_core.hook_events import worker_start
from cortex_core.records.findings import failed, ok, skipped, warning
from cortex_core.records.upkeep import CheckResult
from cortex_core.store import (
    journal,
    ledger,
    memory_lookup,
)
from cortex_core.store.reader import Reader
from cortex_core.surface import call_table, guard_faults, note

LATE = 3600.0
"""Seconds after which an unread session is late."""

SILENT = decay.DAY
"""Seconds after which an unread session means that capture is broken."""


def last_capture(case: Case) -> CheckResult:
    """Whether capture has read the newest sessions."""
    listed = case.sessions
    if not listed:
        return skipped("No agent has a session of this project.")
    with case.readers() as stores:
        times = [ledger.last_capture(store) for store in stores]
    last = max((moment for moment in times if moment), default=None)
    if last is None and not any(one.key in case.read for one in listed):
        return warning(
            f"{text.counted(len(listed), 'session')}, none read yet.",
            "Run: cortex import transcripts",
        )
    report = f"Last capture: {_ago(last, case.now)}; the newest session was written "
    report += f"{_ago(listed[-1].changed, case.now)}."
    # A session that is going on is always a little ahead of capture; only what rests for longer is
    # late.
    late = [
        one for one in case.unread if one.changed > (last or 0) and case.now - one.changed > LATE
    ]
    if not late:
        return ok(report)
    report += f" Unread: {text.counted(len(late), 'session')}."
    if case.now - late[0].changed > SILENT:
        return failed(report, "See hooks-answer and worker, then run: cortex import transcripts")
    return warning(report, "The next session start reads it, or run: cortex import transcripts")


def _ago(moment: float | None, now: float) -> str:
    if moment is None:
        return "never"
    short = text.ago(moment, now)
    return "just now" if short == "now" else f"{short} ago"


OVERDUE = 660.0
"""Seconds after which a worker counts as stuck; its deadline is ten minutes."""


def recorded(case: Case) -> CheckResult:
    """Whether the worker processes the hook records."""
    waiting = [Path(path).stat().st_mtime for path in spool.waiting(case.project)]
    broken = spool.broken(case.project)
    age = case.now - min(waiting, default=case.now)
    if waiting and age > LATE and not spool.is_worker_running(case.project):
        return failed(
            f"{text.counted(len(waiting), 'hook record')} have waited for "
            f"{text.ago(case.now - age, case.now)}, and no worker is running.",
            FIX,
            fixable=True,
        )
    if broken:
        return warning(
            f"{text.counted(len(broken), 'hook record')} in {Path(broken[0]).parent} could not be "
            "read and were put aside.",
            "Their sessions are read at the next session start. You can delete the files.",
        )
    return ok(
        f"Waiting: {text.counted(len(waiting), 'hook record')}."
        if waiting
        else "No hook record is waiting."
    )


def start_worker(case: Case) -> str:
    """Start the worker."""
    if not worker_start.start_worker(case.project):
        raise CortexError("A worker is already running. Nothing was changed.")
    return "Started the worker in the background. See: cortex report --of ledger"


def worker(case: Case) -> CheckResult:
    """Whether a worker is stuck, or its lock file blocks other workers."""
    lock = Path(spool.lock_path(case.project))
    if not os.path.lexists(lock):
        return ok("No worker has run in this project yet.")
    if not lock.is_file() or not os.access(lock, os.R_OK | os.W_OK):
        return failed(f"{lock} prevents every worker from starting.", FIX, fixable=True)
    if not spool.is_worker_running(case.project):
        if not (problem := spool.problem(case.project)):
            return ok("No worker is running, and the lock is free.")
        return failed(
            f"The last worker captured nothing. {problem}",
            "Repair that. The next session that starts or ends is then captured with those that "
            "wait; at once: cortex worker",
        )
    owner, age = hook_io.read(str(lock)).strip(), time.time() - lock.stat().st_mtime
    if age > OVERDUE:
        return failed(
            f"The worker (process {owner}) is stuck: it has been running for "
            f"{age / 60:.0f} minutes.",
            f"End it (nothing is lost): kill {owner}",
        )
    return ok(f"A worker is running (process {owner}).")


def free_lock(case: Case) -> str:
    """Move whatever blocks the lock file out of the way."""
    lock = Path(spool.lock_path(case.project))
    aside = lock.with_name(f"{lock.name}.aside")
    lock.replace(aside)
    return f"Moved it to {aside}."


def lost(case: Case) -> CheckResult:
    """Whether some hooks could not write their record."""
    if not (notes := spool.lost_notes(case.project)):
        return ok("Every hook could write its record.")
    try:
        reason = str(json.loads(Path(notes[-1]).read_bytes()).get("error") or "")
    except (OSError, ValueError, AttributeError):
        reason = ""
    return warning(
        f"{text.counted(len(notes), 'hook event')} could not be recorded "
        f"({reason or 'unknown reason'}).",
        "Fix that problem. The next hook that works records them again.",
    )


def _failures(case: Case, store: Reader) -> Iterator[CheckResult]:
    if failures := ledger.failed(store, case.now - 7 * decay.DAY):
        session, error = failures[0]
        yield warning(
            f"{text.counted(len(failures), 'session')} could not be captured this week. The last "
            f"error: {text.one_line(error)[:200]}",
            f"To try again: cortex replay {text.short(session)}",
        )


def log(case: Case) -> CheckResult:
    """Whether hooks or the worker logged errors in the last day."""
    path = log_file.path(case.project)
    earliest = text.iso(case.now - decay.DAY)
    lines = [line for line in _tail(path).splitlines() if line[:20] >= earliest and "Z " in line]
    if not lines:
        return ok("Nothing was logged in the last day.")
    return warning(
        f"{text.counted(len(lines), 'error')} logged in the last day. The last: "
        f"{text.one_line(lines[-1])[21:220]}",
        f"To read them, open {path}",
    )


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 65_536))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def paused(case: Case) -> CheckResult:
    """Whether capture is paused."""
    path = case.data / projects.PAUSED
    if path.exists():
        since = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
        return warning(
            f"Capture is paused in this project since {since}.", "Run: cortex pause --off"
        )
    return ok("Capture is on.")


NEARLY_SPENT = 0.95
"""Share of the daily limit above which hardly any call still fits."""


def extractor(case: Case) -> CheckResult:
    """Whether the language model chosen for capture is available, and what it costs."""
    from cortex_core.llm.client import RULES

    chosen = case.cortex.llm.settings().get("extractor")
    if chosen == RULES:
        return ok("Capture uses rules only, on this machine and free of charge.")
    try:
        case.cortex.llm.chosen()
    except ModelFailed as error:
        return failed(
            f"The extractor is set to {chosen}, but {error.reason}. Until this is fixed, capture "
            "uses the rules.",
            "Fix that, or run: cortex config set extractor rules",
        )
    spending = case.cortex.llm.spending()
    cap, spent = spending.cap, spending.today()
    if spent >= NEARLY_SPENT * cap:
        return warning(
            f"${spent:.3f} of ${cap:g} is spent today; capture uses the rules until midnight.",
            "To raise the limit: cortex config set model.daily_cap_usd 0.3",
        )
    return ok(f"Capture uses a model ({chosen}); ${spent:.3f} of ${cap:g} is spent today.")


MOST_GUARDS = 12
"""Guards that are listed one by one."""


def guards(case: Case) -> CheckResult:
    """Whether each rule that has tool calls asked about or refused does so on a call that it must
    stop, who set that, and since when."""
    with case.readers() as stores:
        if not stores:
            return skipped("There is no store yet.")
        listed = [
            (guard, name[:8], title, journal.guarded_by(store, name, guard))
            for store in stores
            for name, title, guard, _ in memory_lookup.trigger_lines(store)
            if guard != "remind"
        ]
    # Tried as a hook does it, with the table that hooks read: the row alone proves nothing.
    rules = [one for listed in call_table.read(case.project)["rules"].values() for one in listed]
    stored = note.injectable_stores(case.project)
    if faults := guard_faults.look(case.project, case.config, stored, rules)[1]:
        return failed(" ".join(faults), "See which triggers act: cortex trigger list")
    if not listed:
        return ok("No rule keeps a tool call from running.")
    said = [f"{guard} by “{title}” ({name}), {_set_by(who)}" for guard, name, title, who in listed]
    more = f"; and {len(said) - MOST_GUARDS} more" if len(said) > MOST_GUARDS else ""
    sentence = f"{text.counted(len(said), 'guard')}: {'; '.join(said[:MOST_GUARDS])}{more}."
    foreign = [name for _, name, _, who in listed if who is None or who[0] != "person"]
    if foreign:
        return warning(
            f"{text.counted(len(foreign), 'guard')} not set by you. {sentence}",
            f"To take it away: cortex trigger guard {foreign[0]} remind",
        )
    return replace(
        ok(sentence), next_step=f"To take one away: cortex trigger guard {listed[0][1]} remind"
    )


def _set_by(who: tuple[str, float] | None) -> str:
    if who is None:
        return "set outside of Cortex"
    return f"set by {'you' if who[0] == 'person' else who[0]} on {text.iso(who[1])[:10]}"


CAPTURE_CHECKS: tuple[Check[Case], ...] = (
    Check("last-capture", "capture", last_capture),
    *of_agents("capture"),
    Check("spool", "capture", recorded, start_worker),
    Check("worker", "capture", worker, free_lock),
    Check("lost-records", "capture", lost),
    Check("failures", "capture", over_stores(_failures, "No capture has failed this week.")),
    Check("log", "capture", log),
    Check("paused", "capture", paused),
    Check("extractor", "upkeep", extractor),
    Check("guards", "upkeep", guards),
)

"""Checks of capture: records that wait, a stuck worker, lost records, failures, the log, pause."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from cortex_core import decay, lean, logbook, text
from cortex_core import project as projects
from cortex_core.capture import spool
from cortex_core.claude import detach
from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    failed,
    ok,
    over_stores,
    warning,
)  # fmt: skip
from cortex_core.errors import CortexError
from cortex_core.storage import ledger
from cortex_core.storage.reader import Reader
from cortex_core.text import counted

FIX = "Run: cortex doctor --fix"

LATE = 3600.0
"""Maximum age of a waiting hook record, in seconds."""

OVERDUE = 660.0
"""Seconds after which a worker counts as stuck; its deadline is ten minutes."""


def recorded(case: Case) -> Finding:
    """Whether the worker processes the hook records."""
    waiting = [Path(path).stat().st_mtime for path in spool.waiting(case.project)]
    broken = spool.broken(case.project)
    age = case.now - min(waiting, default=case.now)
    if waiting and age > LATE and not spool.is_worker_running(case.project):
        return failed(
            f"{counted(len(waiting), 'hook record')} have waited for "
            f"{text.ago(case.now - age, case.now)}, and no worker is running.",
            FIX,
            fixable=True,
        )
    if broken:
        return warning(
            f"{counted(len(broken), 'hook record')} in {Path(broken[0]).parent} could not be read "
            "and were put aside.",
            "Their sessions are read at the next session start. You can delete the files.",
        )
    return ok(
        f"Waiting: {counted(len(waiting), 'hook record')}."
        if waiting
        else "No hook record is waiting."
    )


def start_worker(case: Case) -> str:
    """Start the worker."""
    if not detach.start_worker(case.project):
        raise CortexError("A worker is already running. Nothing was changed.")
    return "Started the worker in the background. See: cortex inspect"


def worker(case: Case) -> Finding:
    """Whether a worker is stuck, or its lock file blocks other workers."""
    lock = Path(spool.lock_path(case.project))
    if not os.path.lexists(lock):
        return ok("No worker has run in this project yet.")
    if not lock.is_file() or not os.access(lock, os.R_OK | os.W_OK):
        return failed(f"{lock} prevents every worker from starting.", FIX, fixable=True)
    if not spool.is_worker_running(case.project):
        return ok("No worker is running, and the lock is free.")
    owner, age = lean.read(str(lock)).strip(), time.time() - lock.stat().st_mtime
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


def lost(case: Case) -> Finding:
    """Whether some hooks could not write their record."""
    notes = spool.lost_notes(case.project)
    if not notes:
        return ok("Every hook could write its record.")
    try:
        reason = str(json.loads(Path(notes[-1]).read_bytes()).get("error") or "")
    except (OSError, ValueError, AttributeError):
        reason = ""
    return warning(
        f"{counted(len(notes), 'hook event')} could not be recorded "
        f"({reason or 'unknown reason'}).",
        "Fix that problem. The next hook that works records them again.",
    )


def _failures(case: Case, store: Reader) -> Iterator[Finding]:
    failures = ledger.failed(store, case.now - 7 * decay.DAY)
    if failures:
        last = failures[0]
        yield warning(
            f"{counted(len(failures), 'session')} could not be captured this week. The last error: "
            f"{text.one_line(last.error)[:200]}",
            f"To try again: cortex replay {last.session[:8]}",
        )


def log(case: Case) -> Finding:
    """Whether hooks or the worker logged errors in the last day."""
    path = logbook.path(case.project)
    earliest = text.iso(case.now - decay.DAY)
    lines = [line for line in _tail(path).splitlines() if line[:20] >= earliest and "Z " in line]
    if not lines:
        return ok("Nothing was logged in the last day.")
    return warning(
        f"{counted(len(lines), 'error')} logged in the last day. The last: "
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


def paused(case: Case) -> Finding:
    """Whether capture is paused."""
    path = case.data / projects.PAUSED
    if path.exists():
        since = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
        return warning(f"Capture is paused in this project since {since}.", "Run: cortex resume")
    return ok("Capture is on.")


CHECKS = (
    Check("spool", "capture", recorded, start_worker),
    Check("worker", "capture", worker, free_lock),
    Check("lost-records", "capture", lost),
    Check("failures", "capture", over_stores(_failures, "No capture has failed this week.")),
    Check("log", "capture", log),
    Check("paused", "capture", paused),
)

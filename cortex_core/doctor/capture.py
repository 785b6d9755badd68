"""Checks of capture: is anything lost, stuck, failing, or about to be deleted unread."""

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
from cortex_core.claude import detach, record
from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    counted,
    failed,
    ok,
    over_stores,
    warning,
)  # fmt: skip
from cortex_core.errors import CortexError
from cortex_core.storage import ledger
from cortex_core.storage.reader import Reader

FIX = "Run: cortex doctor --fix"

LATE = 3600.0
"""Seconds that a hook record may wait."""

OVERDUE = 660.0
"""Seconds after which a worker, whose deadline is ten minutes, hangs."""


def recorded(case: Case) -> Finding:
    """Whether hook records are worked off."""
    place = spool.folder(case.project)
    waiting = [path.stat().st_mtime for path in place.glob("[0-9]*.json")]
    broken = len(list(place.glob(f"*{spool.BROKEN}")))
    age = case.now - min(waiting, default=case.now)
    if waiting and age > LATE and not detach.is_running(case.project):
        return failed(
            f"{counted(len(waiting), 'hook record')} waited for "
            f"{text.ago(case.now - age, case.now)}, and no worker runs.",
            FIX,
            fixable=True,
        )
    if broken:
        return warning(
            f"{counted(broken, 'hook record')} in {place} could not be read and lie aside.",
            "Their sessions are swept all the same. Remove them when you have looked.",
        )
    return ok(
        f"Waiting: {counted(len(waiting), 'hook record')}." if waiting else "No hook record waits."
    )


def start_worker(case: Case) -> str:
    """Start the worker."""
    if not detach.start_worker(case.project):
        raise CortexError("A worker runs already. Nothing was changed.")
    return "Started the worker; it goes on by itself. See: cortex inspect"


def worker(case: Case) -> Finding:
    """Whether a worker hangs, or its lock stands in the way."""
    lock = case.data / detach.LOCK
    if not os.path.lexists(lock):
        return ok("No worker has run here yet.")
    if not lock.is_file() or not os.access(lock, os.R_OK | os.W_OK):
        return failed(f"{lock} keeps every worker from starting.", FIX, fixable=True)
    if not detach.is_running(case.project):
        return ok("No worker runs, and its lock is free.")
    owner, age = lean.read(str(lock)).strip(), time.time() - lock.stat().st_mtime
    if age > OVERDUE:
        return failed(
            f"The worker (process {owner}) runs since {age / 60:.0f} minutes and should have left.",
            f"End it; nothing is lost: kill {owner}",
        )
    return ok(f"A worker runs (process {owner}).")


def free_lock(case: Case) -> str:
    """Put what stands in the lock's place aside."""
    lock = case.data / detach.LOCK
    aside = lock.with_name(f"{lock.name}.aside")
    lock.replace(aside)
    return f"Moved it to {aside}."


def lost(case: Case) -> Finding:
    """Whether hooks fired that could not leave their record."""
    place = case.home / record.LOST / lean.sha256(case.project.root or "")[:32]
    notes = sorted(place.glob("*.json"))
    if not notes:
        return ok("No hook has failed to leave its record.")
    try:
        reason = str(json.loads(notes[-1].read_bytes()).get("error") or "")
    except (OSError, ValueError, AttributeError):
        reason = ""
    return warning(
        f"{counted(len(notes), 'hook firing')} could not be recorded "
        f"({reason or 'no reason was left'}).",
        "Mend what it says; the next hook brings them back.",
    )


def _failures(case: Case, store: Reader) -> Iterator[Finding]:
    failures = ledger.failed(store, case.now - 7 * decay.DAY)
    if failures:
        last = failures[0]
        yield warning(
            f"{counted(len(failures), 'session')} of this week could not be captured. The last: "
            f"{text.one_line(last.error)[:200]}",
            f"Try it again: cortex replay {last.session[:8]}",
        )


def log(case: Case) -> Finding:
    """Whether something went wrong today where nobody was looking."""
    path = logbook.path(case.project)
    earliest = text.iso(case.now - decay.DAY)
    lines = [line for line in _tail(path).splitlines() if line[:20] >= earliest and "Z " in line]
    if not lines:
        return ok("Nothing was logged in the last day.")
    return warning(
        f"Logged in the last day: {counted(len(lines), 'fault')}. The last: "
        f"{text.one_line(lines[-1])[21:220]}",
        f"Read them: {path}",
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
        return warning(f"Capture is paused here since {since}.", "Go on with: cortex resume")
    return ok("Capture is on.")


CHECKS = (
    Check("spool", "capture", recorded, start_worker),
    Check("worker", "capture", worker, free_lock),
    Check("lost-records", "capture", lost),
    Check("failures", "capture", over_stores(_failures, "No capture has failed this week.")),
    Check("log", "capture", log),
    Check("paused", "capture", paused),
)

"""Checks of the transcripts: whether they are read before Claude Code deletes them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cortex_core import decay, text
from cortex_core.capture import sessions
from cortex_core.doctor import client_settings
from cortex_core.doctor.case import Case, Check, Finding, failed, ok, skipped, warning
from cortex_core.storage import cursors, ledger
from cortex_core.text import counted

LATE = 3600.0
"""Seconds after which an unread session is late."""

SILENT = decay.DAY
"""Seconds after which an unread session means that capture is broken."""

SOON = 7
"""Days of warning before Claude Code deletes an unread transcript."""


class Session(NamedTuple):
    """A transcript of this project."""

    path: Path
    written: float
    size: int
    read: int
    """Bytes that capture has read; -1: never seen."""

    @property
    def is_unread(self) -> bool:
        """Whether it contains something that capture has not read."""
        return self.size > max(self.read, 0)


def transcripts(case: Case) -> list[Session]:
    """This project's sessions on this machine, oldest first."""
    with case.opened() as stores:
        read = {name: offset for store in stores for name, offset in cursors.offsets(store).items()}
    known = [Path(name).parent for name in read]
    found = {
        path.absolute(): path.stat()
        for folder in sessions.of_project(case.project, known)
        for path in folder.glob("*.jsonl")
    }
    listed = [
        Session(path, state.st_mtime, state.st_size, read.get(str(path), -1))
        for path, state in found.items()
    ]
    return sorted(listed, key=lambda one: one.written)


def last_capture(case: Case) -> Finding:
    """Whether capture has read the newest sessions."""
    found = transcripts(case)
    if not found:
        return skipped("Claude Code has no session of this project.")
    with case.opened() as stores:
        times = [ledger.last_capture(store) for store in stores]
    last = max((moment for moment in times if moment), default=None)
    if last is None and all(one.read < 0 for one in found):
        return warning(
            f"None of the {len(found):,} sessions has been read yet.",
            "Run: cortex import transcripts",
        )
    report = f"Last capture: {_ago(last, case.now)}; the newest session was written "
    report += f"{_ago(found[-1].written, case.now)}."
    late = [
        one for one in found
        if one.is_unread and one.written > (last or 0) and case.now - one.written > LATE
    ]  # fmt: skip
    if not late:
        return ok(report)
    report += f" Unread: {counted(len(late), 'session')}."
    if case.now - late[0].written > SILENT:
        return failed(report, "See hooks-answer and worker, then run: cortex import transcripts")
    return warning(report, "The next session start reads it, or run: cortex import transcripts")


def _ago(moment: float | None, now: float) -> str:
    if moment is None:
        return "never"
    short = text.ago(moment, now)
    return "just now" if short == "now" else f"{short} ago"


def retention(case: Case) -> Finding:
    """Whether Claude Code will soon delete unread sessions."""
    days = client_settings.retention_days(case)
    if days <= 0:
        return failed(
            "Claude Code keeps no transcripts (cleanupPeriodDays is 0): capture is impossible.",
            "Set cleanupPeriodDays to 30 in Claude Code's settings.json.",
        )
    unread = [one for one in transcripts(case) if one.is_unread]
    left = [days - (case.now - one.written) / decay.DAY for one in unread]
    going = [each for each in left if each <= SOON]
    if going:
        return warning(
            f"Claude Code will delete {counted(len(going), 'unread session')} within "
            f"{counted(max(0, round(max(going))), 'day')}; it keeps them for {days:g} days.",
            "Run now: cortex import transcripts",
        )
    return ok(f"Claude Code keeps sessions for {days:g} days; it will delete no unread one soon.")


CHECKS = (
    Check("last-capture", "capture", last_capture),
    Check("retention", "capture", retention),
)

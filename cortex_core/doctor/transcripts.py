"""Checks of the client's transcripts: are they read in time, or deleted before anybody did."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cortex_core import decay, text
from cortex_core.capture import sessions
from cortex_core.doctor import client_settings
from cortex_core.doctor.case import Case, Check, Finding, counted, failed, ok, skipped, warning
from cortex_core.storage import cursors, ledger

LATE = 3600.0
"""Seconds that a session may lie written and unread."""

SILENT = decay.DAY
"""Seconds of the same after which capture counts as broken."""

SOON = 7
"""Days before the client deletes a transcript that nobody has read."""


class Session(NamedTuple):
    """A transcript of this project."""

    path: Path
    written: float
    size: int
    read: int
    """Bytes that capture has read; -1: never seen."""

    @property
    def is_unread(self) -> bool:
        """Whether there is something in it that capture has not seen."""
        return self.size > max(self.read, 0)


def transcripts(case: Case) -> list[Session]:
    """This project's sessions on this machine, the latest written last."""
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
    """Whether the newest sessions have been read: the age of the last capture against theirs."""
    found = transcripts(case)
    if not found:
        return skipped("Claude Code has kept no session of this project.")
    with case.opened() as stores:
        times = [ledger.last_capture(store) for store in stores]
    last = max((moment for moment in times if moment), default=None)
    if last is None and all(one.read < 0 for one in found):
        return warning(
            f"No session was read yet, of {len(found):,} that there are.",
            "Run: cortex import transcripts",
        )
    told = f"Last captured {_ago(last, case.now)}; the newest session was written "
    told += f"{_ago(found[-1].written, case.now)}."
    late = [
        one for one in found
        if one.is_unread and one.written > (last or 0) and case.now - one.written > LATE
    ]  # fmt: skip
    if not late:
        return ok(told)
    told += f" Unread: {counted(len(late), 'session')}."
    if case.now - late[0].written > SILENT:
        return failed(told, "See hooks-answer and worker above, then: cortex import transcripts")
    return warning(told, "It is read when the next session starts, or: cortex import transcripts")


def _ago(moment: float | None, now: float) -> str:
    if moment is None:
        return "never"
    short = text.ago(moment, now)
    return "just now" if short == "now" else f"{short} ago"


def retention(case: Case) -> Finding:
    """Whether the client is about to delete sessions that nobody has read."""
    days = client_settings.retention_days(case)
    if days <= 0:
        return failed(
            "The client keeps no transcripts (cleanupPeriodDays is 0): nothing can be captured.",
            "Set cleanupPeriodDays to 30 in Claude Code's settings.json.",
        )
    unread = [one for one in transcripts(case) if one.is_unread]
    left = [days - (case.now - one.written) / decay.DAY for one in unread]
    going = [each for each in left if each <= SOON]
    if going:
        return warning(
            f"The client deletes {counted(len(going), 'unread session')} within "
            f"{counted(max(0, round(max(going))), 'day')}; it keeps them {days:g} days.",
            "Learn from them now: cortex import transcripts",
        )
    return ok(f"The client keeps sessions {days:g} days; none is about to go unread.")


CHECKS = (
    Check("last-capture", "capture", last_capture),
    Check("retention", "capture", retention),
)

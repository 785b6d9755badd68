"""What one session has been given, so that it is never given twice, and receipts can be made of it.

A sub-agent, called `session/agent`, has a context of its own. One file each, one line a giving;
`reset` lines stand where Claude Code forgot what went before.
"""

from __future__ import annotations

import os

from cortex_core.base import hook_io
from cortex_core.base.project import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cortex_core.base.project import Project

FOLDER = "given"
RESET = "reset"
FORK = "fork"
LARGEST = 1 << 22
"""Characters of a session's file that are read."""


class Injection:
    """Something ready to be given: its text, the ids in it and their tokens."""

    __slots__ = ("ids", "text", "tokens")

    def __init__(self, text: str = "", ids: Sequence[str] = (), tokens: int = 0) -> None:
        self.text = text
        self.ids = tuple(ids)
        self.tokens = tokens


def injected_ids(project: Project, session: str) -> set[str]:
    """The ids that the session holds now."""
    held: set[str] = set()
    for line in hook_io.read(_path(project, session), LARGEST).splitlines():
        try:
            entry = hook_io.loads(line)
            if entry["event"] == RESET:
                held.clear()
            held.update(entry["ids"])
        except (ValueError, TypeError, KeyError):
            continue
    return held


def record(project: Project, session: str, event: str, made: Injection, now: float) -> None:
    """Write down that the session was given what was `made`.

    Raises:
        OSError, StoreError: it cannot be written down.
    """
    folder(project, FOLDER)
    entry = {
        "time": now, "session": session.partition("/")[0], "event": event, "ids": list(made.ids),
        "tokens": made.tokens,
    }  # fmt: skip
    hook_io.append(_path(project, session), hook_io.dumps(entry) + "\n")


def record_reset(project: Project, session: str, now: float) -> None:
    """Note that Claude Code starts afresh: everything may be given again."""
    if os.path.exists(_path(project, session)):
        record(project, session, RESET, Injection(), now)


def inherit_from_fork(project: Project, session: str, now: float) -> None:
    """Let a forked session count as given what the session it most likely came from holds.

    Claude Code does not say which one that was; it is the one that was given something last.
    """
    place = os.path.join(project.data, FOLDER)
    try:
        newest = max(
            (entry for entry in os.scandir(place) if entry.name.endswith(".jsonl")),
            key=lambda entry: entry.stat().st_mtime_ns,
            default=None,
        )
    except OSError:
        return
    lines = hook_io.read(newest.path, LARGEST).splitlines() if newest else []
    try:
        parent = str(hook_io.loads(lines[-1])["session"]) if lines else ""
    except (ValueError, TypeError, KeyError):
        return
    held = injected_ids(project, parent) if parent and parent != session else None
    if held:
        record(project, session, FORK, Injection(ids=sorted(held)), now)


def _path(project: Project, session: str) -> str:
    return os.path.join(project.data, FOLDER, f"{hook_io.sha256(session)[:32]}.jsonl")

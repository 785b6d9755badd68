"""Whether the other way in has acted already: the plugin and installed hooks may both be active.

The client runs both side by side. Each notes for a firing which way it came; the second one sees
the first one's note and does nothing. The same way firing again is no double: it acts.
"""

from __future__ import annotations

import os
import sys
import time

from cortex_core import lean
from cortex_core.project import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.project import Project

FOLDER = "fired"
WINDOW = 60.0
"""Seconds in which two notes speak of one firing: hooks of one event start together."""

KEPT = 86_400.0
"""Seconds after which a session's notes are of no more use."""

LARGEST = 1 << 16
"""Bytes of notes after which a session's file is begun anew."""


def is_second(project: Project, event: str, payload: Mapping[str, Any]) -> bool:
    """Whether another way in has taken this firing; if not, it is ours from now on."""
    try:
        place = folder(project, FOLDER)
    except Exception:
        return False
    session = str(payload.get("session_id"))
    path = os.path.join(place, lean.sha256(session)[:32])
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        return False
    with os.fdopen(descriptor, "r+", encoding="utf-8", errors="replace") as notes:
        _lock(notes.fileno())
        if not os.fstat(notes.fileno()).st_size:
            _tidy(place)
        return _note(notes, _key(event, payload), _way())


def _note(notes: Any, key: str, way: str) -> bool:
    now = time.time()
    known = notes.read(LARGEST)
    for line in known.splitlines():
        moment, _, rest = line.partition(" ")
        other, _, firing = rest.partition(" ")
        if firing == key and other != way and abs(now - _number(moment)) < WINDOW:
            return True
    if len(known) >= LARGEST // 2:
        notes.seek(0)
        notes.truncate()
    notes.write(f"{now:.3f} {way} {key}\n")
    return False


def _tidy(place: str) -> None:
    """Remove the notes of sessions long past."""
    oldest = time.time() - KEPT
    with os.scandir(place) as found:
        for entry in found:
            if entry.stat().st_mtime < oldest:
                os.unlink(entry.path)


def _key(event: str, payload: Mapping[str, Any]) -> str:
    """What tells one firing of a session from the next."""
    names = (
        "source", "prompt_id", "tool_use_id", "agent_id", "reason", "trigger", "stop_hook_active",
        "last_assistant_message", "prompt",
    )  # fmt: skip
    told = "\0".join([event, *(str(payload.get(name)) for name in names)])
    return lean.sha256(told)[:32]


def _way() -> str:
    """The way we came in: which plugin, or which interpreter of an installed hook."""
    root = os.environ.get("CLAUDE_PLUGIN_ROOT")
    return lean.sha256(f"plugin {root}" if root else f"installed {sys.executable}")[:16]


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)

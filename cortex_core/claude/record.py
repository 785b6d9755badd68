"""The spool as hooks see it: one small file a firing, atomic, and never a word of conversation.

A record that cannot be written where it belongs leaves a note on the global side; the next hook
that can write puts it into the spool, and so it reaches the ledger.
"""

from __future__ import annotations

import os
import time

from cortex_core import lean
from cortex_core.project import folder, is_paused, prepare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.project import Project

SPOOL = "spool"
LOST = "lost"


def spool_record(project: Project, event: str, payload: Mapping[str, Any]) -> bool:
    """Record that `event` fired; False where capture is paused or the record had to be noted."""
    if is_paused(project):
        return False
    fields = _fields(event, payload)
    try:
        prepare(project)
        place = folder(project, SPOOL)
        _put(place, event, fields)
    except Exception as error:
        _note_lost(project, event, fields, error)
        return False
    _bring_back(project, place)
    return True


def is_waiting(project: Project) -> bool:
    """Whether records wait for a worker."""
    try:
        with os.scandir(os.path.join(project.data, SPOOL)) as found:
            return any(entry.name.endswith(".json") for entry in found)
    except OSError:
        return False


def _fields(event: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    last = _text(payload, "last_assistant_message")
    own = _text(payload, "agent_transcript_path") if event == "SubagentStop" else ""
    return {
        "event": event,
        "session": _text(payload, "session_id"),
        "transcript": own or _text(payload, "transcript_path"),
        "cwd": _text(payload, "cwd"),
        "time": time.time(),
        "last_hash": lean.sha256(last) if last else "",
        "agent": _text(payload, "agent_id"),
        "reason": _text(payload, "reason") or _text(payload, "trigger"),
    }


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _put(place: str, event: str, fields: Mapping[str, Any]) -> None:
    word = "".join(letter for letter in event if letter.isalnum())[:40]
    name = f"{time.time_ns():020d}-{os.getpid()}-{word}.json"
    lean.replace(os.path.join(place, name), lean.dumps(dict(fields)))


def _note_lost(project: Project, event: str, fields: Mapping[str, Any], error: Exception) -> None:
    """Leave a note of a firing that could not be recorded, where the next hook finds it."""
    place = _lost(project)
    told = f"not recorded: {type(error).__name__}: {error}"[:500]
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        _put(place, event, {**fields, "error": told})
    except OSError:
        return


def _bring_back(project: Project, place: str) -> None:
    """Move notes of this project's lost firings into its spool."""
    lost = _lost(project)
    try:
        names = os.listdir(lost)
    except OSError:
        return
    for name in names:
        if not name.endswith(".json"):
            continue
        try:
            source = os.path.join(lost, name)
            lean.replace(os.path.join(place, name), lean.read(source))
            os.unlink(source)
        except OSError:
            continue


def _lost(project: Project) -> str:
    key = lean.sha256(project.root or "")[:32]
    return os.path.join(project.home, LOST, key)

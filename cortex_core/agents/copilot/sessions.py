"""The sessions that Copilot CLI has on this machine: a folder for each."""

from pathlib import Path

from cortex_core.agents.copilot import reader
from cortex_core.agents.injected import string, unix_time
from cortex_core.agents.keyed_sessions import KeyedSessions
from cortex_core.agents.protocol import SessionRef


def _ref(path: Path) -> SessionRef:
    begin, state = reader.opening(path), path.stat()
    context = begin.get("context")
    return SessionRef(
        agent="copilot",
        id=reader.session_of(path),
        key=reader.key_of(path),
        path=path,
        cwd=string(context.get("cwd")) if isinstance(context, dict) else "",
        started=unix_time(begin.get("startTime")) or state.st_mtime,
        changed=state.st_mtime,
        size=state.st_size,
    )


PART = KeyedSessions(
    reader,
    lambda: reader.folder().glob("*/events.jsonl"),
    "events.jsonl",
    _ref,
    lambda key: [reader.located(key)],
)

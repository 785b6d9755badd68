"""The sessions that Gemini CLI has on this machine: a folder for each project."""

from pathlib import Path

from cortex_core.agents.gemini import reader
from cortex_core.agents.injected import unix_time
from cortex_core.agents.keyed_sessions import KeyedSessions
from cortex_core.agents.protocol import SessionRef


def _ref(path: Path) -> SessionRef:
    begin, changed = reader.opening(path), path.stat().st_mtime
    is_sub_agent = begin.get("kind") == "subagent"
    return SessionRef(
        agent="gemini",
        id=reader.session_of(path),
        key=reader.key_of(path),
        path=path,
        cwd=reader.folder_of(path),
        started=unix_time(begin.get("startTime")) or changed,
        changed=changed,
        size=reader.extent(path),
        kind="subagent" if is_sub_agent else "main",
        parent=path.parent.name if is_sub_agent else "",
    )


PART = KeyedSessions(
    reader,
    lambda: sorted(reader.folder().glob("*/chats/session-*.json*"), key=reader.fullness),
    "*.json*",
    _ref,
    lambda key: [reader.located(key)],
)

"""The sessions that Codex has on this machine; those of sub-agents and reviews are apart."""

from collections.abc import Iterator
from pathlib import Path

from cortex_core.agents.codex import reader, threads
from cortex_core.agents.codex.rollout import subagent_of
from cortex_core.agents.injected import string, unix_time
from cortex_core.agents.keyed_sessions import KeyedSessions
from cortex_core.agents.protocol import SessionKind, SessionRef


def _ref(path: Path) -> SessionRef:
    first = reader.opening(path)
    state = path.stat()
    by = subagent_of(first)
    kind: SessionKind = "main" if not by else "review" if "review" in by else "subagent"
    spawned = by.get("thread_spawn")
    parent = spawned.get("parent_thread_id") if isinstance(spawned, dict) else ""
    return SessionRef(
        agent="codex",
        id=reader.session_of(path),
        key=reader.key_of(path),
        path=path,
        cwd=string(first.get("cwd")),
        started=unix_time(first.get("timestamp")) or state.st_mtime,
        changed=state.st_mtime,
        size=state.st_size,
        kind=kind,
        parent=string(parent),
    )


def _find(key: str) -> Iterator[Path]:
    """The rollouts of the thread that a key, a path or a file name means."""
    thread = threads.of_name(key)
    return threads.rollouts(thread) if thread else iter(())


PART = KeyedSessions(reader, threads.rollouts, "*.jsonl*", _ref, _find)

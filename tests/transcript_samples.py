"""Transcripts for tests, in the client's own form, and what else the client writes between."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cortex_core.agents.claude import reader
from cortex_core.agents.claude.samples import Sample
from cortex_core.records.events import Event

__all__ = ["Sample", "events_of", "noise", "said", "session"]


def session(name: str = "sample") -> Sample:
    """A small session with one of everything that is conversation."""
    return (
        Sample(name, branch="trunk")
        .human("Let's use SQLite, not Postgres: nothing to install.")
        .assistant("I will set the store up with SQLite.")
        .tool("Bash", {"command": "git commit -m 'Add the store'"}, "[trunk 1a2b3c4] Add the store")
        .tool("Edit", {"file_path": "store.py", "new_string": "x = 1"}, "No such file", failed=True)
        .assistant("Done: the store is in store.py.")
        .compaction("1. Primary Request: a store in SQLite.")
        .human("Thanks — from now on run the tests before every commit.")
        .assistant("I will.")
    )


def noise(of: Sample, words: str = "noise") -> list[dict[str, Any]]:
    """Records of the client's own that are no conversation, all holding `words`."""
    name = {"sessionId": of.session}
    reply = {"type": "assistant", "message": {"role": "assistant", "content": words}}
    return [
        {"type": "mode", "mode": words, **name},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"files": words}},
        {
            "type": "api-request-blob",
            "hash": "h",
            **name,
            "message": {"role": "user", "content": [{"type": "text", "text": words}]},
        },
        {"type": "api-request-shape", "shape": {"system": [{"type": "text", "text": words}]}},
        {"type": "queue-operation", "operation": "popAll", "content": words, **name},
        {"type": "last-prompt", "lastPrompt": words, **name},
        {"type": "summary", "summary": words, "leafUuid": "u"},
        {"type": "progress", "uuid": "p", "data": {"type": "agent_progress", "message": reply}},
        {"type": "a-type-of-tomorrow", "message": {"content": words}, "uuid": "t", **name},
        {"type": ["user"], "message": {"content": words}, "uuid": "v", **name},
    ]


def events_of(path: Path, **options: Any) -> list[Event]:
    """The transcript's events."""
    return list(reader.read(path, **options))


def said(events: Iterable[Event]) -> list[tuple[str, str]]:
    """Roles and texts."""
    return [(event.role, event.text) for event in events]

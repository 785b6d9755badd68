"""Transcripts for tests, in the client's own form, and what else the client writes between."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from cortex_core.agents.claude import reader
from cortex_core.records.events import Event

VERSION = "2.1.329"
MODEL = "claude-sonnet-5-5"


class Sample:
    """Builds one session record by record, as version 2.1.329 writes them.

    Methods that add a record return the sample.

    >>> Sample("demo").human("Use pnpm, never npm.").assistant("Noted.").write(path)
    """

    def __init__(
        self,
        session: str = "sample",
        cwd: str = "/home/dev/project",
        branch: str = "main",
        start: datetime = datetime(2026, 11, 2, 9, 0, tzinfo=UTC),
        pause: float = 20.0,
    ) -> None:
        """`session`: a name, from which the id is made, so that a sample is always the same;
        `pause`: seconds between records."""
        self._space = uuid.uuid5(uuid.NAMESPACE_URL, f"cortex:{session}")
        self.session = str(self._space)
        self.cwd = cwd
        self.branch = branch
        self.records: list[dict[str, Any]] = []
        """The records, in order; tests may change them."""
        self._now = start
        self._pause = timedelta(seconds=pause)
        self._turn = 0

    def human(self, text: str, **fields: Any) -> Self:
        """A prompt that the user typed."""
        self._turn += 1
        return self.add(
            "user",
            promptId=self._id("prompt"),
            message={"role": "user", "content": text},
            permissionMode="default",
            origin={"kind": "human"},
            promptSource="typed",
            turnOrigin="human",
            turnPosition={"promptIndex": self._turn, "turnIndex": self._turn},
            **fields,
        )

    def assistant(self, text: str, **fields: Any) -> Self:
        """Prose of a reply."""
        return self._reply({"type": "text", "text": text}, "end_turn", fields)

    def tool(
        self,
        name: str,
        given: Mapping[str, Any],
        result: str | list[Any] = "",
        failed: bool = False,
        outcome: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> Self:
        """A tool call and its result; `outcome` is Claude Code's own record of it."""
        use = "toolu_" + self._id("use").replace("-", "")[:24]
        block: dict[str, Any] = {"type": "tool_use", "id": use, "name": name, "input": dict(given)}
        self._reply(block, "tool_use", {})
        block = {"tool_use_id": use, "type": "tool_result", "content": result, "is_error": failed}
        return self.add(
            "user",
            promptId=self._id("prompt"),
            message={"role": "user", "content": [block]},
            toolUseResult={"stdout": result} if outcome is None else dict(outcome),
            sourceToolAssistantUUID=self.records[-1]["uuid"],
            **fields,
        )

    def compaction(self, summary: str) -> Self:
        """Claude Code's summary of the conversation so far, with its boundary."""
        self.system("compact_boundary", content="Conversation compacted", parentUuid=None)
        lead = (
            "This session is being continued from a previous conversation that ran out of context."
            " The summary below covers the earlier portion of the conversation.\n\nSummary:\n"
        )
        return self.add(
            "user",
            message={"role": "user", "content": lead + summary},
            isVisibleInTranscriptOnly=True,
            isCompactSummary=True,
        )

    def system(self, subtype: str, **fields: Any) -> Self:
        """A note by Claude Code, such as `turn_duration`."""
        return self.add("system", subtype=subtype, **{"level": "info", "isMeta": False, **fields})

    def attachment(self, kind: str, **fields: Any) -> Self:
        """What Claude Code adds to the context, such as `hook_additional_context`."""
        return self.add("attachment", attachment={"type": kind, **fields})

    def add(self, kind: str, **fields: Any) -> Self:
        """A record of any type, with the fields that all records of a conversation have."""
        self._now += self._pause
        record = {
            "parentUuid": next((r["uuid"] for r in reversed(self.records) if "uuid" in r), None),
            "isSidechain": False,
            **({} if kind in ("assistant", "attachment") else {"type": kind}),
            **fields,
            "type": kind,
            "uuid": self._id("record"),
            "timestamp": self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": VERSION,
            "gitBranch": self.branch,
        }
        return self.raw({**record, **fields})

    def raw(self, record: dict[str, Any]) -> Self:
        """A record exactly as passed."""
        self.records.append(record)
        return self

    def lines(self) -> list[bytes]:
        """The line of each record, newline included, as compact as Claude Code writes it."""
        return [
            json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for record in self.records
        ]

    def __bytes__(self) -> bytes:
        return b"".join(self.lines())

    def write(self, path: Path) -> Path:
        """Write the transcript to `path`, or as `SESSION.jsonl` into it if it is a folder."""
        path = path / f"{self.session}.jsonl" if path.is_dir() else path
        path.write_bytes(bytes(self))
        return path

    def _reply(self, block: dict[str, Any], stop: str, fields: Mapping[str, Any]) -> Self:
        message = {
            "id": "msg_" + self._id("message").replace("-", "")[:24],
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 20},
        }
        return self.add("assistant", **{"message": message, "requestId": "req_sample", **fields})

    def _id(self, of: str) -> str:
        return str(uuid.uuid5(self._space, f"{of}:{len(self.records)}"))


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

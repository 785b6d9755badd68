"""A transcript of one's own making, in the form of client 2.1.329: for the demo and the tests.

Identifiers and times are functions of the session's id and the position, so that a sample is the
same in every run.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

VERSION = "2.1.329"
MODEL = "claude-sonnet-5-5"


class Sample:
    """Builds one session record by record; every method but the last three gives the sample back.

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
        """`session` names the session, whose id is made of it; `pause`: seconds between records."""
        self._space = uuid.uuid5(uuid.NAMESPACE_URL, f"cortex:{session}")
        self.session = str(self._space)
        self.cwd = cwd
        self.branch = branch
        self.records: list[dict[str, Any]] = []
        """What was added, in order; tests may change it."""
        self._now = start
        self._pause = timedelta(seconds=pause)
        self._turn = 0

    def human(self, text: str, **fields: Any) -> Self:
        """A prompt that a person typed."""
        self._turn += 1
        return self.add(
            "user", promptId=self._id("prompt"), message={"role": "user", "content": text},
            permissionMode="default", origin={"kind": "human"}, promptSource="typed",
            turnOrigin="human", turnPosition={"promptIndex": self._turn, "turnIndex": self._turn},
            **fields,
        )  # fmt: skip

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
        """A tool's use and its result; `outcome` is the client's own record of it."""
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
        """The client's digest of what went before, with its boundary."""
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
        """A note of the client's, such as `turn_duration`."""
        return self.add("system", subtype=subtype, **{"level": "info", "isMeta": False, **fields})

    def attachment(self, kind: str, **fields: Any) -> Self:
        """What the client puts before the model, such as `hook_additional_context`."""
        return self.add("attachment", attachment={"type": kind, **fields})

    def add(self, kind: str, **fields: Any) -> Self:
        """A record of any type with the fields that every record of the conversation has."""
        self._now += self._pause
        record = {
            "parentUuid": next((r["uuid"] for r in reversed(self.records) if "uuid" in r), None),
            "isSidechain": False,
            **({} if kind in ("assistant", "attachment") else {"type": kind}),
            **fields,
            "type": kind,
            "uuid": self._id("record"),
            "timestamp": self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external", "entrypoint": "cli", "cwd": self.cwd,
            "sessionId": self.session, "version": VERSION, "gitBranch": self.branch,
        }  # fmt: skip
        return self.raw({**record, **fields})

    def raw(self, record: dict[str, Any]) -> Self:
        """A record just as it is given."""
        self.records.append(record)
        return self

    def lines(self) -> list[bytes]:
        """Every record's line, newline included, as compact as the client writes it."""
        return [
            json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for record in self.records
        ]

    def __bytes__(self) -> bytes:
        return b"".join(self.lines())

    def write(self, path: Path) -> Path:
        """Write the transcript to `path`, or under its session's name when that is a folder."""
        path = path / f"{self.session}.jsonl" if path.is_dir() else path
        path.write_bytes(bytes(self))
        return path

    def _reply(self, block: dict[str, Any], stop: str, fields: Mapping[str, Any]) -> Self:
        message = {
            "id": "msg_" + self._id("message").replace("-", "")[:24], "type": "message",
            "role": "assistant", "model": MODEL, "content": [block], "stop_reason": stop,
            "stop_sequence": None, "usage": {"input_tokens": 1000, "output_tokens": 20},
        }  # fmt: skip
        return self.add("assistant", **{"message": message, "requestId": "req_sample", **fields})

    def _id(self, of: str) -> str:
        return str(uuid.uuid5(self._space, f"{of}:{len(self.records)}"))
